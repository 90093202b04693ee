"""The page of the Space of Unitizing alpha."""

from spanometer.space.app import launch

launch("unitizing_alpha")
