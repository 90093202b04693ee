"""Systems compared: intervals, paired tests, ranks."""
