"""The page of the Space of Gamma."""

from spanometer.space import launch

launch("gamma")
