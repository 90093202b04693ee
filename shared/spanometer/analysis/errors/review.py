"""Errors for annotators: the texts that have some, with the spans of the reference and all systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...exceptions import InputError, require_choice
from ...readers.json.preannotations import PREANNOTATIONS, ReviewTask, Span
from ...spans.spans import Spans
from .errors import Errors
from .examples import ErrorChoice

_REFERENCE = "reference"


def preannotations(errors: Errors, form: str, **choice: Any) -> str:
    """Write the documents with errors for an annotation tool, with the spans of all sides as pre-annotations.

    Spans with several fragments are written with their outermost bounds.

    Args:
        errors: the errors.
        form: the tool, see `PREANNOTATIONS`.
        **choice: which errors a document must have one of, see `ErrorChoice`.

    Raises:
        InputError: for an unknown tool, and for documents without words or texts.
    """
    require_choice("to", form, PREANNOTATIONS)
    return "".join(PREANNOTATIONS[form](_tasks(errors, ErrorChoice(**choice))))


def _tasks(errors: Errors, choice: ErrorChoice) -> Iterator[ReviewTask]:
    first = next(iter(errors.systems.values()))
    context, wording = first.context, first.context.wording
    if wording is None:
        raise InputError("the documents have no words.", "Give a file with words or texts.")
    chosen = [system.matched.document[choice.rows(system.matched)] for system in errors.systems.values()]
    documents = np.unique(np.concatenate(chosen)).tolist()
    sides = {_REFERENCE: first.references, **{name: each.predictions for name, each in errors.systems.items()}}
    bounds = {
        name: np.searchsorted(side.document, np.arange(first.references.documents + 1)) for name, side in sides.items()
    }
    lines = context.lines(
        np.asarray(documents, dtype=np.int64), np.zeros(len(documents), np.int64), wording.units.offsets
    )
    for place, document in enumerate(documents):
        units = wording.listed(document, 0, int(wording.lengths[document]))
        starts = np.cumsum([0, *(len(unit) + len(wording.separator) for unit in units)]).tolist()
        ends = [start + len(unit) for start, unit in zip(starts, units, strict=False)]
        spans = {
            name: _spans(side, bounds[name][document : document + 2].tolist(), starts, ends)
            for name, side in sides.items()
        }
        meta: dict[str, Any] = {"document": document + 1}
        meta |= {} if context.names is None else {"name": context.names[document]}
        meta |= {} if lines is None else {"line": int(lines[place])}
        tokens = list(zip(starts, ends, strict=False)) if wording.separator else []
        yield ReviewTask(document + 1, wording.separator.join(units), tokens, spans, meta)


def _spans(side: Spans, place: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> list[Span]:
    """List the spans of a document in characters."""
    rows = (getattr(side, name)[slice(*place)].tolist() for name in ("start", "end", "label"))
    return [(starts[start], ends[end - 1], side.labels[label]) for start, end, label in zip(*rows, strict=True)]
