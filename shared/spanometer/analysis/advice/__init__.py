"""Advise on a measure for a corpus."""
