"""The errors of systems: kinds, costs, examples."""
