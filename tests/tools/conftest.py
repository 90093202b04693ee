"""What is run here is `python -m tools.hub`."""

import pytest

from tools.hub.__main__ import main


@pytest.fixture
def command_line():
    """The command line that `run` runs."""
    return main
