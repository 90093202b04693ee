"""Files of JSON: one object a line, or one array."""
