"""The page of the Space of Fair F1."""

from spanometer.space import launch

launch("fair_f")
