"""Counts of several measures on one pair of annotations, block by block, so that no step needs all spans at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...arrays import offsets_by
from ...counts.counts import Column, Counts
from ...exceptions import InputError, require_sides
from ...measures.aligned import counter
from ...measures.base import Measure
from ...spans.entities import Entities
from ...spans.spans import Spans
from .streams import push, together

_BLOCK = 1 << 17
"""About how many spans, of all sides, are aligned at a time."""

_NAMED = 3
"""How many of those that share a note are named."""


def count_measures(
    references: Any,
    predictions: Any,
    measures: Sequence[Any],
    *,
    per_document: bool,
    progress: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> list[Counts]:
    """Count both sides with each measure; measures of spans share the alignment of a block of documents.

    Of one block counts are what `Measure.counts` gives. Integer counts of several are the same to the last bit, floats
    but for rounding. Measures of which parts do not add up are counted on the whole.

    Args:
        references, predictions: the spans of both sides, or their trees or attributes; what has blocks are spans
            and entity trees.
        measures: the measures.
        per_document: whether counts of several blocks are kept document by document.
        progress: wraps a sequence, for a progress bar.

    Raises:
        InputError: if the two sides do not annotate the same documents, or a measure is not defined.
    """
    blocks = [(0, 0)]
    if isinstance(references, (Spans, Entities)):
        require_sides(type(references), references, predictions)
        blocks = blocks_of([references, predictions])
    if len(blocks) == 1:
        return list(map(counter(references, predictions), progress(measures)))
    stacks: list[list[tuple[int, Counts]] | None] = [[] if _comes_in_parts(measure) else None for measure in measures]
    for first, last in progress(blocks):
        part = references.between(first, last), predictions.between(first, last)
        for stack, counts in zip(stacks, _counted(*part, measures, stacks, first), strict=True):
            if stack is not None:
                push(stack, counts.summed() if per_document else counts.condensed(), condense=not per_document)
    # aligned as a whole only for a measure that needs it
    whole = counter(references, predictions) if None in stacks else None
    places: list[Column] = []
    return [
        whole(measure)
        if whole is not None and stack is None
        else together(stack or [], condense=not per_document).sharing(places)
        for measure, stack in zip(measures, stacks, strict=True)
    ]


def blocks_of(sides: Sequence[Spans | Entities]) -> list[tuple[int, int]]:
    """Return the first and the last document (exclusive) of blocks of documents with a bounded number of spans."""
    documents = sides[0].documents
    spans = np.sum([offsets_by(side.document, documents) for side in sides], axis=0)
    ends = np.unique(np.searchsorted(spans, np.arange(_BLOCK, spans[-1], _BLOCK)))
    return list(pairwise([0, *ends[ends < documents].tolist(), documents]))


def _counted(
    references: Any, predictions: Any, measures: Sequence[Any], stacks: Sequence[Any], first: int
) -> Iterator[Any]:
    """Yield the counts of some documents by each measure that comes in parts; errors number documents in the whole."""
    try:
        count = counter(references, predictions)
        for measure, stack in zip(measures, stacks, strict=True):
            yield None if stack is None else count(measure)
    except InputError as error:
        raise in_whole(error, first) from None


def in_whole(error: InputError, first: int) -> InputError:
    """Return an error about a document of a block as one about a document of the whole."""
    return error if error.document is None else error.placed(document=error.document + first)


def _comes_in_parts(measure: Measure) -> bool:
    try:
        measure.require_parts()
    except InputError:
        return False
    return True


def notes_of(measure: Measure, counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """Return what a reader of several scores must know (see `Measure.notes`), each note with whose it is."""
    owners: dict[str, list[str]] = {}
    for name, of_name in counts.items():
        for note in measure.notes(of_name):
            owners.setdefault(note, []).append(name)
    return tuple(f"{_first_of(names)}: {note}" for note, names in owners.items())


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
