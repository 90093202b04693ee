"""The fixture of tests that write files under names that do not matter."""

import itertools

import pytest


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""
    numbers = itertools.count()

    def write(content, name=None):
        path = tmp_path / (name or f"{next(numbers)}.conll")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
