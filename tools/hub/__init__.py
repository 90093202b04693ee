"""The metric modules on the Hub: Spaces that do not need this package, built from it and pushed."""
