"""Rows of spans without a header, as shared tasks use them: one span, or one document with its offsets, on each row."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from ...documents.record import Named, Record
from ...tags.decoding import BARE_LABEL
from ..folders import files_of
from ..formats import Format, Offsets, register
from ..source import Source
from .layout import looks_like_tag

_SPAN = r"(?P<start>\d{1,18})\t(?P<end>\d{1,18})"
_ROWS = tuple(
    map(
        re.compile,
        (
            # SemEval-2020 task 11, without and with techniques
            rf"(?P<document>[^\t]+)\t{_SPAN}",
            rf"(?P<document>[^\t]+)\t(?P<label>[^\t]+)\t{_SPAN}",
            # neleval: the end is the last character
            rf"(?P<document>[^\t]+)\t{_SPAN}\t(?P<entity>[^\t]*)\t(?P<score>[^\t]*)\t(?P<label>[^\t]+)(?:\t.*)?",
            # ShARe
            r"(?P<document>[^|]+)\|\|(?P<label>[^|]+)\|\|[^|]*(?P<pieces>(?:\|\|\d{1,18}\|\|\d{1,18})+)",
            # SemEval-2021 task 5
            r"(?P<document>[^\t]+)\t\[(?P<offsets>(?:\d{1,18}(?:,\s*\d{1,18})*)?)\]",
        ),
    )
)
_NUMBER = re.compile(r"\d+")
_SURE = 5
"""If a row begins with a document name of at least this many digits, its numbers are not tags of tokens."""

_LOOKED_AT = 20
_ARTICLE = re.compile(r"article(\d+)\.")
_PIPES = ".pipe"
_REMEDY = (
    "Write one of these rows, separated by tabs: document, start, end; document, label, start, end; document, start, "
    "last, entity, score, type (neleval); document, [offset, ...]. Or write document||label||identifier||start||end."
)


def read_span_rows(source: Source, options: Offsets) -> Iterator[Record]:
    """Read spans of characters with exclusive ends (neleval: inclusive ends); spans without a label get `_`.

    The rows of a document need not be adjacent. In a list of offsets, each run is a span. The texts come from the other
    side.

    Raises:
        InputError: if a row is malformed; the error names the line. See also `documents_of`.
    """
    for number, line in source.lines():
        if not line.strip():
            continue
        row = _row(line)
        if row is None:
            raise source.refuse("this row is not a span.", _REMEDY, number)
        record = Record(id=row["document"], line=number)
        for pieces in _places(row):
            record.add(pieces[0][0], pieces[-1][1], row.get("label") or BARE_LABEL, pieces=pieces)
        yield record


def read_span_rows_folder(folder: Named, options: Offsets, **limits: Any) -> Iterator[Record]:
    """Read all files of a folder, see `read_span_rows`; an empty file is a document without spans.

    The document of an empty file is named after the article number in the file's name, or after the text file beside
    it.

    Raises:
        InputError: see `read_span_rows`; the error names the file.
    """
    for name, file in (files_of(folder.name) or {}).items():
        place = os.path.relpath(file, folder.name)
        if not os.path.getsize(file):
            article = _ARTICLE.search(place)
            yield Record(id=article[1] if article else f"{name}.txt" if file.endswith(_PIPES) else name, place=place)
            continue
        with Source.open(file, **limits) as source:
            for record in read_span_rows(source, options):
                record.place = f"{place}, line {record.line}"
                yield record


def _row(line: str) -> dict[str, str] | None:
    row = next((row for pattern in _ROWS if (row := pattern.fullmatch(line))), None)
    return None if row is None else row.groupdict()


def _places(row: dict[str, str]) -> list[list[tuple[int, int]]]:
    """Return the boundaries of the fragments of each span in a row."""
    if "offsets" in row:
        offsets = set(map(int, _NUMBER.findall(row["offsets"])))
        starts = sorted(offset for offset in offsets if offset - 1 not in offsets)
        ends = sorted(offset + 1 for offset in offsets if offset + 1 not in offsets)
        return [[pair] for pair in zip(starts, ends, strict=True)]
    if "pieces" in row:
        bounds = list(map(int, _NUMBER.findall(row["pieces"])))
        return [sorted(zip(bounds[::2], bounds[1::2], strict=True))]
    return [[(int(row["start"]), int(row["end"]) + ("score" in row))]]


def _shows(source: Source) -> bool:
    lines = source.head.decode(errors="replace").rstrip().split("\n")[:_LOOKED_AT]
    rows = [_row(line.rstrip("\r")) for line in lines]
    return len({None if row is None else tuple(row) for row in rows}) == 1 and all(map(_is_sure, rows))


def _is_sure(row: dict[str, str] | None) -> bool:
    """Check that a row contains spans; the row of a token can look similar if its tags are numbers."""
    if row is None or "start" not in row:
        return row is not None
    if "score" in row:
        scored = row["score"].replace(".", "", 1).isdecimal() and not looks_like_tag(row["label"])
        return scored and int(row["start"]) <= int(row["end"])
    named = row["document"].isdecimal() and len(row["document"]) >= _SURE and not row.get("label", "_").isdecimal()
    return named and int(row["start"]) < int(row["end"])


register(
    Format(
        "span_rows",
        "rows of spans without a header",
        _shows,
        read_span_rows,
        by_name=True,
        read_folder=read_span_rows_folder,
        may_be_empty=True,
        paths=rf"\.(labels|{_PIPES[1:]})$",
    )
)
