"""Export of texts with errors for annotation tools, with the spans of the reference and all systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ...exceptions import InputError, require_choice
from ...readers.json.annotation_tools import PREANNOTATIONS, ReviewTask, Span
from ...spans.spans import Spans
from .errors import Errors
from .examples import ErrorChoice

_REFERENCE = "reference"

_FILTERS = ("system", "other", "change", "kind", "boundary", "reference", "predicted", "mention", "order")
"""The filters of a report's view that can be used here."""


def preannotations(errors: Errors, form: str, *, view: str = "", **choice: Any) -> str:
    """Write the documents with errors for an annotation tool, with the spans of all sides as pre-annotations.

    Spans with several fragments are written with their outer boundaries.

    Args:
        errors: the errors.
        form: the tool, see `PREANNOTATIONS`.
        view: the filters of the report of errors, the part of its URL after `#`, see `rows_of_view`.
        **choice: write only documents with at least one of these errors, see `ErrorChoice`.

    Raises:
        InputError: if there is no such tool, or if documents have neither words nor texts.
    """
    require_choice("to", form, PREANNOTATIONS)
    chosen, rows = ErrorChoice(**choice), rows_of_view(errors, view)
    for name, system in errors.systems.items():
        rows[name] = np.intersect1d(rows[name], chosen.rows(system.matched))
    return "".join(PREANNOTATIONS[form](_tasks(errors, rows)))


def rows_of_view(errors: Errors, view: str) -> dict[str, np.ndarray]:
    """Return the errors of each system that a view of the report shows.

    Args:
        errors: the errors.
        view: the fragment of the report's URL, `system=new&change=fixed&kind=missing`; empty for all errors.

    Raises:
        InputError: if a filter is available only in the report, or if a value is unknown.
    """
    given = {name: values[-1] for name, values in parse_qs(view.removeprefix("#"), keep_blank_values=True).items()}
    beyond = [name for name in given if name not in _FILTERS]
    if beyond:
        remedy = f"Choose by {', '.join(_FILTERS)}."
        problem = f"the filters {' and '.join(map(repr, beyond))} of the view work only in the report."
        raise InputError(problem, remedy, option="view")
    names, change = list(errors.systems), given.get("change")
    current, other = given.get("system") or names[-1 if change else 0], given.get("other", names[0])
    for name in (current, other):
        require_choice("system", name, names)
    every = {name: ErrorChoice().rows(system.matched) for name, system in errors.systems.items()}
    makers = dict(zip(names, errors.makers(list(every.values())), strict=True))
    shown = {}
    for name, rows in every.items():
        matched, kept = errors.systems[name].matched, np.ones(len(rows), dtype=bool)
        if change:
            side, beside = (other, current) if change == "fixed" else (current, other)
            kept &= (name == side) & ((makers[name] >> names.index(beside) & 1) == (change == "both"))
        elif given.get("system"):
            kept &= name == current
        for key in ("kind", "boundary"):
            if given.get(key):
                kept &= np.any([matched.flags(value)[rows] for value in given[key].split(",")], axis=0)
        labels = {label: code for code, label in enumerate(matched.alignment.labels)} | {"": -1}
        for key, of_side in (("reference", matched.reference_label), ("predicted", matched.predicted_label)):
            if key in given:
                require_choice(key, given[key], labels)
                kept &= of_side[rows] == labels[given[key]]
        if "mention" in given:
            texts = errors.systems[name].texts(rows)
            kept &= np.array(pa.compute.equal(texts, given["mention"]), dtype=bool)
        shown[name] = rows[kept]
    return shown


def _tasks(errors: Errors, rows: Mapping[str, np.ndarray]) -> Iterator[ReviewTask]:
    first = next(iter(errors.systems.values()))
    context, wording = first.context, first.context.wording
    if wording is None:
        raise InputError("the documents have no words.", "Give a file with words or texts.")
    chosen = [system.matched.document[rows[name]] for name, system in errors.systems.items()]
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
    """Return the spans of a document in characters."""
    rows = (getattr(side, name)[slice(*place)].tolist() for name in ("start", "end", "label"))
    return [(starts[start], ends[end - 1], side.labels[label]) for start, end, label in zip(*rows, strict=True)]
