"""How a command shows its result: tables, JSON, pictures."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..options import option
from ..plots.figure import require_format
from ..readers.output import creating, replacing
from ..tables.exports import to_csv, to_latex, to_markdown
from ..tables.table import Part, Precision, Table
from ..version import __version__
from .inputs import STANDARD_INPUT
from .options import switch, text

OUTPUT_FLAGS = {"output": "-o --output"}
"""Options with a short flag too, see `add_options`."""


@dataclass(frozen=True, kw_only=True)
class Output:
    """How a result is shown."""

    json: bool = switch("one JSON object instead of tables")
    no_color: bool = switch("plain text (so does NO_COLOR in the environment)")

    def write(self, described: Callable[[], Mapping[str, Any]], parts: Callable[[], Iterable[Part]]) -> None:
        """Print a result.

        Args:
            described: returns it as built-in types, for JSON.
            parts: returns lines and tables, for the screen.
        """
        if self.json:
            print(_json(described()))
            return
        from ..tables.screen import page, show

        show(page(color=not self.no_color), *parts())


@dataclass(frozen=True, kw_only=True)
class TableOutput(Precision, Output):
    """How a result is shown that is made of tables of numbers, and where it goes.

    Raises:
        InputError: for options that exclude each other, and for a file that exists.
    """

    table: str = option(
        "text",
        help="form of the tables",
        choices={
            "text": "for people",
            "csv": "with all digits unless --digits is given, an empty line between tables of different columns",
            "markdown": "",
            "latex": "for the package booktabs",
        },
        metavar="FORM",
    )
    output: str | None = text("FILE", "write into FILE, which must not exist yet, instead of standard output")
    force: bool = switch("let -o replace a file")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.json and (self.table != "text" or self.digits is not None or self.percent):
            raise InputError(
                "--table, --digits and --percent are about tables, and --json has all digits.", "Leave out one of them."
            )
        if self.force and not self.names_file:
            raise InputError("--force lets -o replace a file, and there is no -o.", "Name the file with -o.")
        if self.names_file and os.path.isdir(str(self.output)):
            raise InputError("this is a folder.", "Name a file.", source=self.output)
        if self.names_file and os.path.isfile(str(self.output)) and not self.force:
            raise InputError("the file exists already.", "Choose another name, or add --force.", source=self.output)

    @property
    def names_file(self) -> bool:
        """Return whether the result goes into a file."""
        return self.output not in (None, STANDARD_INPUT)

    @property
    def precision(self) -> Precision:
        """How numbers are written."""
        return Precision(digits=self.digits, percent=self.percent)

    def write(self, described: Callable[[], Mapping[str, Any]], parts: Callable[[], Iterable[Part]]) -> None:
        """Print a result, or write it into a file, see `Output.write`."""
        if self.json:
            self.write_text(_json(described()) + "\n")
        elif self.table == "csv":
            self.write_text(to_csv((part for part in parts() if isinstance(part, Table)), self.precision))
        elif self.table != "text":
            self.write_text({"markdown": to_markdown, "latex": to_latex}[self.table](parts(), self.precision))
        elif self.names_file:
            from ..tables.screen import text_of

            self.write_text(text_of(parts(), self.precision, terminal=False))
        else:
            from ..tables.screen import page, show

            show(page(color=not self.no_color), *parts(), precision=self.precision)

    def write_text(self, text: str) -> None:
        """Print a text that ends its last line, or write it into the file."""
        if not self.names_file:
            sys.stdout.write(text)
            return
        path = str(self.output)
        with replacing(path) if self.force and os.path.isfile(path) else creating(path) as stream:
            stream.write(text.encode())


@dataclass(frozen=True, kw_only=True)
class PlotOutput(TableOutput):
    """How a result is shown that can be drawn too."""

    plot: str | None = text("PNG", "write a picture (.png, .svg or .pdf); needs matplotlib")

    def __post_init__(self) -> None:
        """Refuse a picture that cannot be drawn, before anything is read."""
        super().__post_init__()
        if self.plot is not None:
            require_format(self.plot)


def _json(described: Mapping[str, Any]) -> str:
    return json.dumps({"spanometer": __version__, **described}, indent=2, allow_nan=False)
