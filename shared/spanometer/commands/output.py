"""Output of results: the files that were read, tables, JSON, pictures."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted, first_of, printable
from ..grounding.grounded import AnswerCounts
from ..measures.base import Measure
from ..options import CheckedOptions, made, option, text
from ..plots.figure import require_format
from ..readers.columns.layout import DOCSTART
from ..readers.writing import require_writable, writing, writing_folder
from ..spans.spans import Spans
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
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Spanometer</title><style>
:root { color-scheme: light dark; font-family: sans-serif; overflow-wrap: anywhere }
table { margin: 1em 0; display: block; overflow-x: auto; overflow-wrap: normal }
td, th { padding: 0.1em 0.5em; vertical-align: top }
@media (max-width: 40em) { td, th { padding: 0.1em 0.3em; white-space: normal !important } }</style>
"""
"""The beginning of an HTML page of tables."""


_SHOWN = 3
"""The maximum number of left-out items that are shown; JSON has all."""


@dataclass(frozen=True)
class ShownFile:
    """The description of a file that a command shows.

    Attributes:
        text: a summary of the file on one line.
        described: the same for JSON.
        left_out: the items that the reader left out.
        remarks: differences from the reference's spans that may be mistakes.
    """

    text: str
    described: Mapping[str, Any]
    left_out: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @classmethod
    def by(cls, file: DocumentFile, *texts: str, **described: Any) -> ShownFile:
        """Describe a file by texts after its name, and by values for JSON."""
        return cls(", ".join([file.source, *texts]), {"file": file.source, **described}, file.left_out)

    @classmethod
    def of(cls, file: DocumentFile, grounded: AnswerCounts | None = None) -> ShownFile:
        """Describe a file: its items, notes on them, and the items that were left out; answers may be grounded."""
        if file.tags:
            columns = " and ".join(file.columns)
            return cls.by(file, columns, column=columns)
        if file.entities is not None:
            entities, components = len(file.entities), len(file.entities.components)
            metonymic = int((np.diff(file.entities.type_offsets) > 1).sum())
            text = f"{counted(entities, 'entity', 'entities')}, {counted(components, 'component')}"
            sizes = {"entities": entities, "components": components, "metonymic": metonymic}
            texts = file.format, text, f"{metonymic:,} metonymic"
            return cls.by(file, *texts, format=file.format, **sizes, left_out=list(file.left_out))
        described: dict[str, Any]
        if file.answers is None:
            unit = "tokens" if file.in_tokens else "characters"
            described = {"spans": len(file.spans), "unit": unit}
            text = f"{counted(len(file.spans), 'span')} of {unit}"
        else:
            described = {"answers": len(file.answers), **({} if grounded is None else grounded.total)}
            text = counted(len(file.answers), "answer") if grounded is None else grounded.summary
        text = "; ".join([text, *(note.rstrip(".") for note in file.notes)])
        return cls.by(file, text, **described, notes=list(file.notes), left_out=list(file.left_out))

    def beside(self, references: Spans, predictions: Spans, measures: Sequence[Measure]) -> ShownFile:
        """Add a remark if there are no spans, or if the system predicts labels that the reference lacks."""
        sides = references, predictions
        expected, predicted = ({side.labels[code] for code in np.unique(side.label)} for side in sides)
        missed, unknown = (list(map(printable, sorted(each))) for each in (expected - predicted, predicted - expected))
        if not expected and not predicted:
            remark = "no spans on either side"
        elif not (expected and unknown) or all(each.options().get("match_labels") is False for each in measures):
            return self
        else:
            listed = {"the reference": missed, self.described["file"]: unknown}
            remark = "; ".join(f"only in {where}: {first_of(labels)}" for where, labels in listed.items() if labels)
            alike = len(missed) == len(unknown) == 1
            example = f"{unknown[0]}={missed[0]} gives both the same name" if alike else "OLD=NEW renames labels"
            remark += f" (--label-map {example})" if missed else ""
        return replace(self, described={**self.described, "remarks": [remark]}, remarks=[remark])


def documents_in(file: DocumentFile, *, briefly: bool = False) -> str:
    """Return the number of documents in words; if the file has no document boundaries, the number of sentences."""
    number = counted(len(file.document_lines), "sentence" if file.sentences else "document")
    if briefly or not file.sentences:
        return number
    if not file.docstart_lines:
        return f"{number} (no document boundaries found)"
    reading = file.tags[0].reading if file.tags else file.decoding
    lines = counted(len(file.docstart_lines), f"{reading.get('boundary', DOCSTART)} line")
    return f"{number} ({lines}: add --documents={DOCSTART} to resample documents instead of sentences)"


def size_of(documents: int | str, tokens: int | None, unit: str = "token") -> str:
    """Return the size of a corpus in words; `documents` can be in words already."""
    number = documents if isinstance(documents, str) else counted(documents, "document")
    return ", ".join([number, *([] if tokens is None else [counted(tokens, unit)])])


def headlines(
    sides: Sequence[tuple[str, ShownFile]], documents: int | str, tokens: int | None = None, unit: str = "token"
) -> list[tuple[str, str]]:
    """Return the lines above the results: each side, the size of the corpus, and the items that readers left out."""
    lines = [*((name, side.text) for name, side in sides), ("size", size_of(documents, tokens, unit))]
    for name, side in sides:
        more = f"; and {len(side.left_out) - _SHOWN:,} more (--json has all)" if len(side.left_out) > _SHOWN else ""
        if side.left_out:
            listed = "; ".join(item.rstrip(".") for item in side.left_out[:_SHOWN])
            lines.append(("left out", f"{len(side.left_out):,} of {name}: {listed}{more}"))
    remarks = dict.fromkeys(remark for _, side in sides for remark in side.remarks)
    return [*lines, *(("note", remark) for remark in remarks)]


def progress_bar(*steps: Any, **settings: Any) -> Any:
    """Create a progress bar on a terminal, which appears after a second and vanishes at its end."""
    from tqdm import tqdm

    return tqdm(*steps, delay=1, leave=False, disable=None, **settings)


class Output(CheckedOptions):
    """Options for showing a result.

    Attributes:
        json: print one JSON object instead of tables.
        no_color: print without colors (or set the environment variable NO_COLOR).
    """

    json: bool = switch(common=True)
    no_color: bool = switch()

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

    Attributes:
        table: format of the tables (also set by the file extension of -o FILE).
        table_kind: write only tables of this kind, such as scores, labels or documents. By default, CSV has
            only the main table, and other formats have all tables.
        output: write to the new file FILE; -o FOLDER/ writes a file for each kind of table.
        replace: replace existing files, but never an input file.
        plot: draw the result as .png, .svg or .pdf; needs matplotlib.

    Raises:
        InputError: if options exclude each other, or if the output file exists.
    """

    table: str = option(
        "text",
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
    table_kind: str | None = text("KIND")
    output: str | None = text("FILE", common=True)
    replace: bool = switch(flag="force")
    plot: str | None = text("FILE", parse=require_format)

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.names_file and self.table == "text" and not self.json and not self.has_own_form:
            if self.ending in _OTHERS:
                remedy = f"Use a name that ends in {', '.join(_BY_ENDING)} or .txt, or choose the format with --table."
                raise InputError(f"cannot write tables as {self.ending}.", remedy, source=self.output)
            form = "csv" if self.in_folder else _BY_ENDING.get(self.ending, "text")
            name, value = ("json", True) if form == "json" else ("table", form)
            object.__setattr__(self, name, value)
        if self.json and (self.table != "text" or self.table_kind or self.digits is not None or self.percent):
            problem = "--table, --table-kind, --digits and --percent have no effect with --json."
            raise InputError(problem, "Remove these options, or remove --json.")
        if hasattr(self, name := _SHOWN_BY.get(self.table_kind or "", "")):
            object.__setattr__(self, name, True)
        # pictures and reports are files, too
        paths = [path for name in WRITTEN if (path := getattr(self, name, None)) not in (None, STANDARD_INPUT)]
        if self.replace and not paths:
            raise InputError("--force needs -o.", "Name the output file with -o.")
        for path in paths:
            require_writable(path, replace=self.replace, folder=path == self.output and self.in_folder)

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
            with writing_folder(str(self.output), replace=self.replace) as folder:
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
        with writing(str(self.output), replace=self.replace) as stream:
            stream.write(text.encode())
