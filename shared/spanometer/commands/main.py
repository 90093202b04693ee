"""The command line: `spanometer score REFERENCE PREDICTION`, `spanometer validate FILE` and so on, see `commands`."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

from ..errors import InputError, printable
from ..version import __version__
from . import COMMANDS

BAD_INPUT = 2
"""Exit status for input that cannot be scored, and for wrong options."""

_OPTIONS = {
    "scheme": "scheme",
    "to": "to",
    "repair": "repair",
    "average": "average",
    "zero_division": "zero-division",
    "format": "token-format",
    "prior": "prior",
    "log_base": "log-base",
    "matching": "matching",
    "token_probabilities": "token-probability",
    "level": "level",
    "placement": "placement",
    "method": "method",
    "n_simulations": "simulations",
    "transformation": "apply",
    "rate": "rate",
    "seed": "seed",
    "confidence": "confidence",
    "interval_method": "interval-method",
    "n_resamples": "resamples",
    "n_permutations": "permutations",
    "variant": "variant",
    "alpha": "alpha",
    "type_cost": "type-cost",
    "subtype_cost": "subtype-cost",
    "span_cost": "span-cost",
    "attributes": "attribute",
    "default_values": "default",
    "include_falsy": "include-falsy",
    "average_precision": "average-precision",
    "on_mismatch": "on-mismatch",
    "micro_key": "micro-key",
    "documents": "documents",
    "entity_types": "entity-types",
    "outside": "outside",
    "references": "reference-column",
    "predictions": "prediction-column",
    "lengths": "lengths-column",
}
"""What keyword arguments are called on the command line; a command may set `called` where it calls them otherwise."""

_KEYWORD = re.compile(rf"\b({'|'.join(_OPTIONS)})=(?=\S)")

_BROKEN_PIPE = 141
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments, without the program's name; by default those of the process.

    Returns:
        The exit status: 0, or 2 after one line on standard error that says what is wrong with the input. Wrong options
        and `--help` leave by `SystemExit`, as argparse does it.
    """
    _write_whatever_comes()
    options = _parser().parse_args(argv)
    try:
        status = options.run(options)
        sys.stdout.flush()
        return status
    except InputError as error:
        return _complain(_one_line(error, {**_OPTIONS, **getattr(options, "called", {})}))
    except BrokenPipeError:
        return _leave_quietly()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{(error.strerror or str(error)).lower()}.")
    except KeyboardInterrupt:
        return _INTERRUPTED


class _Parser(argparse.ArgumentParser):
    """An argument parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Print the message and leave."""
        self.exit(BAD_INPUT, f"{self.prog}: {printable(message)} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="spanometer",
        description="Score span annotations (named entities, chunks, quotations and the like) and mend their tags.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _one_line(error: InputError, names: Mapping[str, str]) -> str:
    """The error in one line, with options written as they are on the command line."""

    def spell(name: str, value: str | None) -> str:
        flag = f"--{names.get(name, name.replace('_', '-'))}"
        return flag if value in (None, "...", "True") else f"{flag} {value}"

    return _KEYWORD.sub(lambda match: f"--{names[match[1]]} ", error.message(spell, " "))


def _complain(message: str) -> int:
    print(f"spanometer: {printable(message)}", file=sys.stderr)
    return BAD_INPUT


def _write_whatever_comes() -> None:
    """Where standard output is not UTF-8, write what it cannot encode as escapes."""
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().replace("-", "")
    if encoding != "utf8" and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _leave_quietly() -> int:
    """Nobody reads on: let nothing be flushed into the closed pipe at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _BROKEN_PIPE
