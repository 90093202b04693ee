"""Numbers that add up: counts, ratios and averages, resampling."""
