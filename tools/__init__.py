"""Tools of the maintainers, run from a checkout."""
