"""Tools for the maintainers, run from a checkout."""
