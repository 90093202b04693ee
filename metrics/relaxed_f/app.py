"""The page of the Space of Relaxed F1."""

from spanometer.space import launch

launch("relaxed_f")
