"""A headless browser for files from disk."""

import pytest

from headless import started


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    yield from started(tmp_path_factory.mktemp("chromium"))
