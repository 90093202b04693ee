"""The page of the Space of Intersection F1."""

from spanometer.space import launch

launch("intersection_f")
