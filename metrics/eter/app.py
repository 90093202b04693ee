"""The page of the Space of ETER."""

from spanometer.space.app import launch

launch("eter")
