"""The page of the Space of Chance-corrected F1."""

from spanometer.space import launch

launch("chance_kappa_f1")
