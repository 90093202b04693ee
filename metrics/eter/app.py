"""The page of the Space of ETER."""

from spanometer.space import launch

launch("eter")
