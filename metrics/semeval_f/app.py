"""The page of the Space of SemEval F1."""

from spanometer.space import launch

launch("semeval_f")
