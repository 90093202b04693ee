"""Mu-SHROOM's JSON lines of hallucinated spans: hard labels, and soft labels with probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...documents.record import Record
from ...tags.decoding import BARE_LABEL
from ..formats import Format, register
from ..source import Source
from .records import first_object, rows

_HARD, _SOFT = "hard_labels", "soft_labels"
_REMEDY = f'Write {{"id": ..., "{_HARD}": [[start, end], ...]}} on each line.'


def read_mushroom(source: Source) -> Iterator[Record]:
    """Read the hard labels as spans with the label `_`; the text is `model_output_text`.

    Without hard labels, soft labels with a probability above 0.5 are read; adjacent ones are joined. Offsets are code
    points with exclusive ends.

    Raises:
        InputError: if an object is malformed; the error names the line. See also `documents_of`.
    """
    for line, place, row in rows(source, "documents"):
        try:
            bounds = _likely(row[_SOFT]) if row.get(_HARD) is None else [(start, end) for start, end in row[_HARD]]
            text = row.get("model_output_text")
        except (AttributeError, KeyError, TypeError, ValueError):
            raise source.refuse("the object has no labels, or malformed labels.", _REMEDY, line) from None
        spans = [(start, end, BARE_LABEL) for start, end in bounds]
        yield Record(
            spans=spans, text=text if isinstance(text, str) else None, id=row.get("id"), line=line, place=place
        )


def _likely(labels: Any) -> list[tuple[int, int]]:
    """Return the boundaries of soft labels with a probability above 0.5; adjacent ones are joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted((label["start"], label["end"]) for label in labels if label["prob"] > 0.5):
        if joined and joined[-1][1] == start:
            start = joined.pop()[0]
        joined.append((start, end))
    return joined


def _shows(source: Source) -> bool:
    row = first_object(source)
    return all(isinstance(row.get(key, []), list) for key in (_HARD, _SOFT)) and not {_HARD, _SOFT}.isdisjoint(row)


register(Format("mushroom", "Mu-SHROOM's JSON lines", _shows, read_mushroom))
