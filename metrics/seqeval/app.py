"""The page of the Space of seqeval."""

from spanometer.space import launch

launch("seqeval")
