"""Compare systems: intervals, paired tests, ranks."""
