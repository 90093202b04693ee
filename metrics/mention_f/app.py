"""The page of the Space of Mention F1."""

from spanometer.space import launch

launch("mention_f")
