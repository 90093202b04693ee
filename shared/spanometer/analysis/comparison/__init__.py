"""Comparison of systems: intervals, paired tests, ranks."""
