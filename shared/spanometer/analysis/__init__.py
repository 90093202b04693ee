"""Analyses of scores: reports, comparisons, agreement, errors, policies, advice, transformations."""
