"""The page of the Space of span attributes."""

from spanometer.space.app import launch

launch("span_attribute")
