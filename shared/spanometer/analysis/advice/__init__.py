"""Advice on a measure for a corpus."""
