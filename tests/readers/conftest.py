"""Fixtures of the tests of readers."""

from numbered_files import file  # noqa: F401 (a fixture)
