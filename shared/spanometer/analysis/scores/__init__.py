"""Scores of systems: reports, streams, and the difficulty of a corpus by chance."""
