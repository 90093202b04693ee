"""The page of the Space of Span F1."""

from spanometer.space import launch

launch("span_f")
