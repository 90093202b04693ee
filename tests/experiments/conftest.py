"""What is run here is `python -m experiments`."""

import pytest

from experiments.__main__ import main


@pytest.fixture
def command_line():
    """The command line that `run` runs."""
    return main
