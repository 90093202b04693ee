"""Alignment: which reference and predicted spans overlap, and by how much."""
