"""The page of the Space of SL-ICM."""

from spanometer.space.app import launch

launch("sl_icm")
