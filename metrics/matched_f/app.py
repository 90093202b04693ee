"""The page of the Space of Matched F1."""

from spanometer.space import launch

launch("matched_f")
