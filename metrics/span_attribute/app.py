"""The page of the Space of span attributes."""

from spanometer.space import launch

launch("span_attribute")
