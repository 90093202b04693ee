"""Fixtures of the commands' tests."""

import io
import json
import sys

import pytest

from spanometer.commands.main import main


@pytest.fixture
def written(capsysbinary):
    """What a run that goes well writes to standard output, as bytes."""

    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsysbinary.readouterr()
        assert (status, captured.err) == (0, b"")
        return captured.out

    return call


@pytest.fixture
def standard_input(monkeypatch):
    """Put bytes into standard input."""

    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.fixture
def lines(file):
    """Write objects as JSON lines and give the path."""
    return lambda name, *rows: file(name, "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def scores(run):
    """The JSON object of a run that goes well."""

    def call(*arguments):
        status, output, complaint = run(*arguments, "--json")
        assert (status, complaint) == (0, "")
        return json.loads(output)

    return call
