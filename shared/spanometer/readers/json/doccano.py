"""Doccano's exports of sequence labelling, with or without relations, also from its first version."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...documents.fitting import Fitted
from ...documents.record import Record, Writer
from ...spans.characters import borders, is_plain
from ..formats import IN_BROWSERS, Format, Offsets, register
from ..source import Source
from .records import first_filled, is_object, number_or_text, rows, spans_in

_FIRST_VERSION, _WITH_RELATIONS = "annotations", "entities"
_LISTS = ("label", "labels")
_KEYS = (*_LISTS, _WITH_RELATIONS, _FIRST_VERSION)


def read_doccano(source: Source, options: Offsets) -> Iterator[Record | str]:
    """Read a Doccano export: JSON lines with `text` and `label`, `labels`, `entities` or `annotations`.

    Doccano counts UTF-16 units (or grapheme clusters, if the project uses them), but other programs that write this
    format count code points, and the files do not say. If a text has characters that the units count differently, set
    `offset_unit`. Relations, comments and metadata are not read. Documents without text are left out.

    Raises:
        InputError: if spans are malformed; the error names the line. See also `documents_of`.
    """
    for line, place, row in rows(source, "spans"):
        key = next((key for key in _KEYS if key in row), "")
        items = row[key] if isinstance(row, dict) and key else None
        if not isinstance(row, dict) or not isinstance(items, list):
            raise source.refuse(f"{place or 'the line'} has no list of labels.", _REMEDY, line)
        text = row.get("text")
        if not isinstance(text, str):
            yield f"{place or f'line {line}'}: a document without text."
            continue
        record = Record(spans=items, text=text, id=row.get("id"), line=line, place=place)
        if key in _LISTS:
            if items and (type(items[0]) is not list or len(items[0]) != 3):
                raise source.refuse("a label is not [start, end, label].", _REMEDY, line)
            yield record
        elif key == _WITH_RELATIONS:
            yield replace(record, spans=_spans(source, items, line))
        else:
            by_user: dict[str, list[Any]] = defaultdict(list)
            for span in items:
                by_user[str(span.get("user")) if isinstance(span, dict) else ""].append(span)
            for user, spans in by_user.items():
                yield replace(record, spans=_spans(source, spans, line), annotator=user)


def _spans(source: Source, spans: Sequence[Any], line: int) -> list[tuple[int, int, str]]:
    # labels of the first version are numbers
    return [
        (start, end, str(label) if type(label) is int else label)
        for start, end, label in spans_in(source, spans, line, _REMEDY, ("start_offset", "end_offset", "label"))
    ]


def _written(documents: Fitted) -> Iterator[bytes]:
    """Write JSON lines like Doccano's exports, with offsets in UTF-16 units."""
    for record in documents.records():
        name = {} if record.id is None else {"id": number_or_text(record.id)}
        yield f"{json.dumps({**name, **labelled(str(record.text), record.spans)}, ensure_ascii=False)}\n".encode()


def labelled(text: str, spans: Sequence[tuple[int, int, str]]) -> dict[str, Any]:
    """Return Doccano's object for a text and its spans, with offsets in UTF-16 units."""
    if not is_plain(text, "utf-16"):
        place = borders(text, "utf-16").tolist()
        spans = [(place[start], place[end], label) for start, end, label in spans]
    return {"text": text, "label": spans, "Comments": []}


def _shows(source: Source) -> bool:
    row = first_filled(source, *_KEYS)
    spans = next((row[key] for key in (_WITH_RELATIONS, _FIRST_VERSION) if isinstance(row.get(key), list)), None)
    if spans and is_object(spans[0], "start_offset", "end_offset"):
        return "text" in row
    lists = [row[key] for key in _LISTS if isinstance(row.get(key), list)]
    triples = any(spans and isinstance(spans[0], list) and len(spans[0]) == 3 for spans in lists)
    return "text" in row and (triples or ([] in lists and "Comments" in row))


def _allows(source: Source) -> bool:
    row = first_filled(source, *_KEYS)
    return "text" in row and any(row.get(key) == [] for key in _LISTS)


_REMEDY = "Export the project from Doccano as JSONL, a sequence labelling project."

register(
    Format(
        "doccano",
        "Doccano's JSON lines",
        _shows,
        read_doccano,
        units=IN_BROWSERS,
        allows=_allows,
        writer=Writer(write=_written),
    )
)
