"""What several test files need."""

import gc
import os
from pathlib import Path

import pytest

from spanometer.commands.main import main

_VARIABLE = "SPANOMETER_DATA"
_DATA = Path(os.environ.get(_VARIABLE, Path(__file__).parents[1] / ".." / "shared" / "data"))


def pytest_addoption(parser):
    parser.addoption("--corpora", action="store_true", help="run only the tests that read the corpora")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Run the tests of a file in one process: what they share is computed once."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False
    return LoadFileScheduling(config, log)


def pytest_collection_modifyitems(config, items):
    # the slowest files are those of the last folders: if they come first, the processes end together
    items.sort(key=lambda item: item.path, reverse=True)
    if config.getoption("corpora"):
        others = [item for item in items if "data" not in item.fixturenames]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if "data" in item.fixturenames]


def pytest_collection_finish():
    # the collected tests live until the end: no garbage collection need look at them
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def one_way_to_the_corpora():
    """Hide the variable: a test that found the corpora without the fixture `data` would fail where they are absent."""
    os.environ.pop(_VARIABLE, None)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of corpora that are not part of the project; tests that need it are skipped where it is absent."""
    if not _DATA.is_dir():
        pytest.skip(f"there is no folder {_DATA}; name the folder of the corpora with {_VARIABLE}")
    return _DATA


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.fixture
def command_line():
    """The command line that `run` runs."""
    return main


@pytest.fixture
def run(capsys, command_line):
    """Run the command line; its status, output and complaints."""

    def call(*arguments):
        try:
            status = command_line([str(argument) for argument in arguments])
        except SystemExit as leaving:
            status = leaving.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def complaint(run):
    """The one line of a run that goes wrong."""

    def call(*arguments):
        status, output, line = run(*arguments)
        assert status == 2
        assert output == ""
        assert line.startswith(("spanometer", "python -m"))
        assert line.count("\n") == 1
        assert line.endswith("\n")
        return line.rstrip("\n")

    return call
