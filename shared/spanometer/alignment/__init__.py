"""Alignment: which reference and predicted spans overlap, and in how many tokens."""
