"""Scores of systems: one report, several, in streams, and how difficult a corpus is by chance."""
