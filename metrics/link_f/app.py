"""The page of the Space of Link F1."""

from spanometer.space import launch

launch("link_f")
