"""Experiments: what a choice of scoring is worth, measured on corpora. They need the extra `experiments`."""
