"""Output of results: tables, JSON, pictures."""

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..exceptions import InputError
from ..options import CheckedOptions, made, option, text
from ..plots.figure import require_format
from ..readers.writing import require_writable, writing, writing_folder
from ..tables.result import by_kind, of_kind, to_csv, to_html, to_latex, to_markdown
from ..tables.table import Part, Precision
from ..version import __version__
from .options import STANDARD_INPUT, WRITTEN, switch

_BY_ENDING = {".csv": "csv", ".md": "markdown", ".tex": "latex", ".html": "html", ".htm": "html", ".json": "json"}

_OTHERS = (".gz", ".jsonl", ".parquet", ".pdf", ".png", ".svg", ".tsv", ".xlsx")
"""File extensions to which tables cannot be written."""

_SHOWN_BY = {"places": "disagreements", "documents": "per_document", "labels": "per_label"}
"""Kinds of tables that an option asks for, which then become the main tables."""

_PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Spanometer</title>
<style>
body { color-scheme: light dark; font-family: sans-serif }
table { margin: 1em 0 }
td, th { padding: 0.1em 0.5em }
code { overflow-wrap: anywhere }
</style>
"""
"""The beginning of an HTML page of tables."""


class Output(CheckedOptions):
    """Options for showing a result."""

    json: bool = switch("print one JSON object instead of tables", common=True)
    no_color: bool = switch("print without colors; setting the environment variable NO_COLOR has this effect, too")

    @property
    def precision(self) -> Precision:
        """The precision of written numbers."""
        return made(Precision, vars(self))

    def show(self, result: Any, described: Mapping[str, Any], above: Iterable[Part]) -> None:
        """Print a result of `analysis` together with its files, as JSON or as tables.

        Args:
            result: the result.
            described: the files as built-in types, for JSON.
            above: the lines above the result.
        """
        if self.json:
            self.write_json({**described, **result.to_dict()})
        else:
            self.write_parts([*above, *result.lines()])

    def write_json(self, values: Mapping[str, Any]) -> None:
        """Print a JSON object."""
        self.write_text(json.dumps({"spanometer": __version__, **values}, indent=2, allow_nan=False) + "\n")

    def write_parts(self, parts: Sequence[Part]) -> None:
        """Print lines and tables."""
        from ..tables.screen import page, show

        show(page(color=not self.no_color), *parts, precision=self.precision)

    def write_text(self, text: str) -> None:
        """Print a text that ends in a newline."""
        sys.stdout.write(text)


class TableOutput(Precision, Output):
    """Options for showing, writing and drawing a result that consists of tables.

    Raises:
        InputError: if options exclude each other, or if the output file exists.
    """

    table: str = option(
        "text",
        help="format of the tables (default: the ending of the -o file decides)",
        choices={
            "text": "aligned columns",
            "csv": "one table, without rounding. In a spreadsheet program, import the columns as text, so "
            "that no cell becomes a formula",
            "markdown": "",
            "latex": "needs the package booktabs",
            "html": "a page",
        },
        metavar="FORM",
        common=True,
    )
    table_kind: str | None = text(
        "KIND",
        "write only tables of this kind, such as scores, labels or documents (default: all kinds, but only the "
        "main table for CSV)",
    )
    output: str | None = text(
        "FILE", "write to FILE, which must not exist; -o FOLDER/ writes a file for each kind of table", common=True
    )
    force: bool = switch("replace existing files, but never an input file")
    plot: str | None = text("PNG", "draw the result as .png, .svg or .pdf; needs matplotlib", parse=require_format)

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.names_file and self.table == "text" and not self.json and not self.has_own_form:
            if self.ending in _OTHERS:
                remedy = f"End the name in {', '.join(_BY_ENDING)} or .txt, or choose the format with --table."
                raise InputError(f"cannot write tables as {self.ending}.", remedy, source=self.output)
            form = "csv" if self.in_folder else _BY_ENDING.get(self.ending, "text")
            name, value = ("json", True) if form == "json" else ("table", form)
            object.__setattr__(self, name, value)
        if self.json and (self.table != "text" or self.table_kind or self.digits is not None or self.percent):
            problem = "--table, --table-kind, --digits and --percent have no effect with --json."
            raise InputError(problem, "Remove these options, or remove --json.")
        if hasattr(self, name := _SHOWN_BY.get(self.table_kind or "", "")):
            object.__setattr__(self, name, True)
        if self.force and not self.files:
            raise InputError("--force needs -o.", "Name the file with -o.")
        for path in self.files:
            require_writable(path, replace=self.force, folder=path == self.output and self.in_folder)

    @property
    def has_own_form(self) -> bool:
        """Whether the file gets something other than tables."""
        return False

    @property
    def main_kind(self) -> str | None:
        """The kind of tables in a CSV file; None means the first kind."""
        return self.table_kind or next((kind for kind, name in _SHOWN_BY.items() if getattr(self, name, False)), None)

    @property
    def in_folder(self) -> bool:
        """Whether each kind of tables is written into a separate file."""
        is_folder = self.names_file and (str(self.output).endswith("/") or os.path.isdir(str(self.output)))
        return is_folder and not (self.json or self.has_own_form)

    @property
    def files(self) -> list[str]:
        """The files that are written, including pictures and reports."""
        paths = (getattr(self, name, None) for name in WRITTEN)
        return [path for path in paths if path not in (None, STANDARD_INPUT)]

    @property
    def names_file(self) -> bool:
        """Whether the result is written into a file."""
        return self.output not in (None, STANDARD_INPUT)

    @property
    def ending(self) -> str:
        """The extension of the file."""
        return os.path.splitext(str(self.output))[1].lower()

    def write_parts(self, parts: Sequence[Part]) -> None:
        """Print lines and tables, or write them into the file or folder."""
        kinds = by_kind(parts)
        if self.table_kind:
            kinds = {self.table_kind: of_kind(kinds, self.table_kind)}
        if self.in_folder:
            ending = next(ending for ending, form in _BY_ENDING.items() if form == self.table)
            with writing_folder(str(self.output), replace=self.force) as folder:
                for kind, tables in kinds.items():
                    with writing(os.path.join(folder, f"{kind}{ending}")) as stream:
                        stream.write(self._written(tables).encode())
            return
        if self.table_kind or self.table == "csv":
            parts = [*of_kind(kinds, self.main_kind)]
            others = [kind for kind, tables in kinds.items() if tables != parts]
            if others and self.main_kind not in _SHOWN_BY:
                remedy = f"Add --table-kind {others[0]}, or write all tables with -o FOLDER/."
                print(f"CSV has one table; {', '.join(others)} are left out. {remedy}", file=sys.stderr)
        if self.table != "text" or self.names_file:
            self.write_text(self._written(parts))
        else:
            super().write_parts(parts)

    def _written(self, parts: Sequence[Any]) -> str:
        """Return parts, or tables of one kind, in the chosen form of tables."""
        if self.table == "html":
            return f"{_PAGE}{to_html(parts, self.precision)}\n"
        if self.table != "text":
            return {"csv": to_csv, "markdown": to_markdown, "latex": to_latex}[self.table](parts, self.precision)
        from ..tables.screen import text_of

        return text_of(parts, self.precision, terminal=False)

    def write_text(self, text: str) -> None:
        """Print a text that ends in a newline, or write it into the file."""
        if not self.names_file:
            super().write_text(text)
            return
        with writing(str(self.output), replace=self.force) as stream:
            stream.write(text.encode())
