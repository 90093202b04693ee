"""How a command shows its result: tables, JSON, pictures."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..exceptions import InputError
from ..options import option, text
from ..plots.figure import require_format
from ..readers.writing import require_writable, writing
from ..tables.exports import to_csv, to_html, to_latex, to_markdown
from ..tables.table import Part, Precision, Table
from ..version import __version__
from .inputs import STANDARD_INPUT
from .options import switch

_BY_ENDING = {".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html", ".htm": "html", ".json": "json"}

_OTHERS = (".gz", ".jsonl", ".parquet", ".pdf", ".png", ".svg", ".tsv", ".xlsx")
"""Endings of files that tables cannot be written to."""

_PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Spanometer</title>
<style>
body { color-scheme: light dark; font-family: sans-serif }
table { margin: 1em 0 }
td, th { padding: 0.1em 0.5em }
code { overflow-wrap: anywhere }
</style>
"""
"""The beginning of a page of tables."""

OUTPUT_FLAGS = {"output": "-o --output"}
"""Options with a short flag too, see `add_options`."""


@dataclass(frozen=True, kw_only=True)
class Output:
    """How a result is shown."""

    json: bool = switch("one JSON object instead of tables")
    no_color: bool = switch("plain text (so does NO_COLOR in the environment)")

    @property
    def precision(self) -> Precision:
        """The precision of written numbers."""
        return Precision()

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

        show(page(color=not self.no_color), *parts(), precision=self.precision)

    def show(self, result: Any, described: Mapping[str, Any], above: Iterable[Part]) -> None:
        """Print a result of `analysis` with the files that it is about, as `write` does.

        Args:
            result: of `analysis`.
            described: the files as built-in types, for JSON.
            above: the lines above the result's lines.
        """
        self.write(lambda: {**described, **result.to_dict()}, lambda: [*above, *result.lines()])


@dataclass(frozen=True, kw_only=True)
class TableOutput(Precision, Output):
    """How a result of tables of numbers is shown, and where it is written.

    Raises:
        InputError: for options that exclude each other, and for a file that exists.
    """

    table: str = option(
        "text",
        help="form of the tables, by default what the ending of -o says",
        choices={
            "text": "for people",
            "csv": "with all digits unless --digits is given, an empty line between tables of different columns; "
            "import its texts as text, as spreadsheets take a cell that begins with = + - @ for a formula",
            "markdown": "",
            "latex": "for the package booktabs",
            "html": "a page",
        },
        metavar="FORM",
    )
    output: str | None = text("FILE", "write into FILE, which must not exist yet, instead of standard output")
    force: bool = switch("replace files that exist already, but never an input")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.names_file and self.table == "text" and not self.json and not self.has_own_form:
            if self.ending in _OTHERS:
                remedy = f"End the name in {', '.join(_BY_ENDING)} or .txt, or name the form with --table."
                raise InputError(f"tables are not written as {self.ending}.", remedy, source=self.output)
            form = _BY_ENDING.get(self.ending, "text")
            name, value = ("json", True) if form == "json" else ("table", form)
            object.__setattr__(self, name, value)
        if self.json and (self.table != "text" or self.digits is not None or self.percent):
            raise InputError(
                "--table, --digits and --percent are about tables, and --json has all digits.", "Leave out one of them."
            )
        if self.force and not self.files:
            raise InputError("--force replaces files, and there is no -o.", "Name the file with -o.")
        for path in self.files:
            require_writable(path, replace=self.force)

    @property
    def has_own_form(self) -> bool:
        """Whether the file gets another form than tables."""
        return False

    @property
    def files(self) -> list[str]:
        """The files that are written."""
        return [str(self.output)] if self.names_file else []

    @property
    def names_file(self) -> bool:
        """Whether the result is written into a file."""
        return self.output not in (None, STANDARD_INPUT)

    @property
    def ending(self) -> str:
        """The ending of the file."""
        return os.path.splitext(str(self.output))[1].lower()

    @property
    def precision(self) -> Precision:
        """The precision of written numbers."""
        return Precision(digits=self.digits, percent=self.percent)

    def write(self, described: Callable[[], Mapping[str, Any]], parts: Callable[[], Iterable[Part]]) -> None:
        """Print a result, or write it into a file, see `Output.write`."""
        if self.json:
            self.write_text(_json(described()) + "\n")
        elif self.table == "csv":
            self.write_text(to_csv((part for part in parts() if isinstance(part, Table)), self.precision))
        elif self.table == "html":
            self.write_text(f"{_PAGE}{to_html(parts(), self.precision)}\n")
        elif self.table != "text":
            self.write_text({"markdown": to_markdown, "latex": to_latex}[self.table](parts(), self.precision))
        elif self.names_file:
            from ..tables.screen import text_of

            self.write_text(text_of(parts(), self.precision, terminal=False))
        else:
            super().write(described, parts)

    def write_text(self, text: str) -> None:
        """Print a text that ends its last line, or write it into the file."""
        if not self.names_file:
            sys.stdout.write(text)
            return
        with writing(str(self.output), replace=self.force) as stream:
            stream.write(text.encode())


@dataclass(frozen=True, kw_only=True)
class PlotOutput(TableOutput):
    """How a result is shown that can be drawn too."""

    plot: str | None = text("PNG", "write a picture (.png, .svg or .pdf); needs matplotlib")

    def __post_init__(self) -> None:
        """Raise an `InputError` for a picture that cannot be drawn, before anything is read."""
        super().__post_init__()
        if self.plot is not None:
            require_format(self.plot)

    @property
    def files(self) -> list[str]:
        """The files that are written, the picture too."""
        return [*super().files, *([] if self.plot is None else [self.plot])]


def _json(described: Mapping[str, Any]) -> str:
    return json.dumps({"spanometer": __version__, **described}, indent=2, allow_nan=False)
