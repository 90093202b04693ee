"""The page of the Space of B-cubed."""

from spanometer.space.app import launch

launch("bcubed")
