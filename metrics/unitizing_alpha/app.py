"""The page of the Space of Unitizing alpha."""

from spanometer.space import launch

launch("unitizing_alpha")
