"""The slow, obvious second implementation that the package is tested against."""
