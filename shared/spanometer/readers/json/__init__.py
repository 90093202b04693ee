"""JSON files: one object on each line, or one array."""
