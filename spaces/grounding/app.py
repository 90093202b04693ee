"""The page of the Space of grounding."""

from spanometer.space.grounding_page import launch

launch()
