"""Annotation files after reading: documents with tags, spans and words, and how two files are paired."""
