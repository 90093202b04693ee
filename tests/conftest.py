"""What several test files need."""

import os
from pathlib import Path

import pytest

_DATA = Path(os.environ.get("SPANOMETER_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of corpora that are not part of the project; tests that need it are skipped where it is absent."""
    if not _DATA.is_dir():
        pytest.skip(f"there is no folder {_DATA}; name the folder of the corpora with SPANOMETER_DATA")
    return _DATA
