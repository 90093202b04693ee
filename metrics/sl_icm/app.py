"""The page of the Space of SL-ICM."""

from spanometer.space import launch

launch("sl_icm")
