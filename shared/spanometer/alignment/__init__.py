"""Which reference span meets which predicted span, and by how much."""
