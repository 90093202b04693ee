"""Fixtures of the tests of documents."""

from numbered_files import file  # noqa: F401 (a fixture)
