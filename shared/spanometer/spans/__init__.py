"""Annotations as columns: spans, entity trees, attributes and mentions, and their Arrow forms."""
