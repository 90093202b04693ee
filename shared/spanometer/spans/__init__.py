"""Spans in columns: flat spans, entity trees, attributes, markup, Arrow."""
