"""Counts of a corpus, their ratios and averages, and resampling."""
