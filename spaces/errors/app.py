"""The page of the Space of errors."""

from spanometer.space.error_page import launch

launch()
