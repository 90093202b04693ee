"""Errors put into a corpus, one kind at a time, and labels mapped."""
