"""Artificial errors: transformations of a corpus that add one kind of error at a time."""
