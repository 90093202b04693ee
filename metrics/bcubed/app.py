"""The page of the Space of B-cubed."""

from spanometer.space import launch

launch("bcubed")
