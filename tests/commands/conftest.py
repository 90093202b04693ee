"""Fixtures of the commands' tests."""

import io
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
