"""The page of the Space of Token F1."""

from spanometer.space import launch

launch("token_f")
