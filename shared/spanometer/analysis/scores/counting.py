"""Count both sides with several measures, block by block, so that no step needs all spans at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np

from ...alignment.overlaps import overlap_each_other
from ...arrays import offsets_by
from ...counts.counts import Column, Counts
from ...exceptions import InputError, require_sides
from ...measures.aligned import counter
from ...measures.base import Measure
from ...spans.entities import Entities
from ...spans.spans import Spans

Part = TypeVar("Part")

_BLOCK = 1 << 17
"""The number of spans (of all sides, roughly) that are aligned at a time."""

_LACKING = {
    "lengths": "the documents' lengths are not known",
    "contiguous": "some spans are discontinuous",
    "disjoint": "spans of one label overlap",
}
"""The reason why a measure is undefined, for each of `Measure.needs`."""

_NAMED = 3
"""A note names at most this many scores."""


def condensed_sum(counts: Any, others: Any) -> Any:
    """Add the counts of two parts of a corpus, and condense the sum, see `Counts.condensed`."""
    return (counts + others).condensed()


def count_measures(
    references: Any,
    predictions: Any,
    measures: Sequence[Any],
    *,
    per_document: bool,
    progress: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> list[Counts]:
    """Count both sides with each measure; measures of spans share the alignment of each block of documents.

    Integer counts are the same as `Measure.counts` gives; floats may differ by rounding. A measure whose counts of
    parts do not add up counts the whole corpus at once.

    Args:
        references, predictions: spans, entity trees or attributes of both sides. Spans and entity trees are counted in
            blocks.
        measures: the measures.
        per_document: whether to keep the counts of each document if there are several blocks.
        progress: wraps a sequence, for a progress bar.

    Raises:
        InputError: if the two sides do not annotate the same documents, or a measure is undefined.
    """
    blocks = [(0, 0)]
    if isinstance(references, (Spans, Entities)):
        require_sides(type(references), references, predictions)
        blocks = blocks_of([references, predictions])
    if len(blocks) == 1:
        return list(map(counter(references, predictions), progress(measures)))
    in_parts = [_comes_in_parts(measure) for measure in measures]
    split = [measure for measure, parted in zip(measures, in_parts, strict=True) if parted]
    shrink = operator.methodcaller("summed" if per_document else "condensed")
    add = operator.add if per_document else condensed_sum
    of_blocks = (list(map(shrink, _count_block(references, predictions, split, block))) for block in progress(blocks))
    sums = iter(sum_of_parts(of_blocks, lambda counts, others: list(map(add, counts, others))))
    # align the whole corpus only if a measure needs it
    whole = None if all(in_parts) else counter(references, predictions)
    places: list[Column] = []
    return [
        whole(measure) if whole is not None and not parted else next(sums).sharing(places)
        for measure, parted in zip(measures, in_parts, strict=True)
    ]


def sum_of_parts(parts: Iterable[Part], add: Callable[[Part, Part], Part] = condensed_sum) -> Part:
    """Add up one or more parts of a corpus. Like a binary counter, always add two sums of equally many parts.

    This keeps only log n partial sums of n parts in memory and loses little floating-point precision. Rows and counts
    of documents are copied only log n times.
    """
    stack: list[tuple[int, Part]] = []
    for part in parts:
        size = 1
        while stack and stack[-1][0] == size:
            size, part = 2 * size, add(stack.pop()[1], part)
        stack.append((size, part))
    return reduce(lambda later, earlier: add(earlier, later), [part for _, part in reversed(stack)])


def blocks_of(sides: Sequence[Spans | Entities]) -> list[tuple[int, int]]:
    """Divide documents into blocks with a bounded number of spans: first and last document (exclusive) of each."""
    documents = sides[0].documents
    spans = np.sum([offsets_by(side.document, documents) for side in sides], axis=0)
    ends = np.unique(np.searchsorted(spans, np.arange(_BLOCK, spans[-1], _BLOCK)))
    return list(pairwise([0, *ends[ends < documents].tolist(), documents]))


def _count_block(references: Any, predictions: Any, measures: Sequence[Any], block: tuple[int, int]) -> list[Counts]:
    """Count a block of documents; errors give the document's number in the corpus."""
    try:
        return list(map(counter(references.between(*block), predictions.between(*block)), measures))
    except InputError as error:
        raise in_whole(error, block[0]) from None


def in_whole(error: InputError, first: int) -> InputError:
    """Convert the document number of an error from the block to the corpus."""
    return error if error.document is None else error.placed(document=error.document + first)


def _comes_in_parts(measure: Measure) -> bool:
    try:
        measure.require_parts()
    except InputError:
        return False
    return True


def notes_of(measure: Measure, counts: Mapping[str, Counts]) -> tuple[str, ...]:
    """List the notes on several scores (see `Measure.notes`), each with the names of its scores."""
    owners: dict[str, list[str]] = {}
    for name, of_name in counts.items():
        for note in measure.notes(of_name):
            owners.setdefault(note, []).append(name)
    return tuple(f"{_first_of(names)}: {note}" for note, names in owners.items())


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


class SuitingMeasures(tuple[Any, ...]):
    """All measures of a kind of input, and a choice of those that are defined for given spans."""

    def of(self, *sides: Spans) -> tuple[list[Any], list[str]]:
        """List the measures that are defined for the spans, and a note on each reason to leave out others."""
        lacking = {
            "lengths": all(side.lengths is None for side in sides),
            "contiguous": any(side.fragments is not None for side in sides),
            "disjoint": any(overlap_each_other(side.between(*block)) for side in sides for block in blocks_of([side])),
        }
        left_out: dict[str, list[str]] = {}
        for measure in self:
            if reasons := [_LACKING[need] for need, lacks in lacking.items() if lacks and need in measure.needs]:
                left_out.setdefault(" and ".join(reasons), []).append(measure.name)
        names = set(chain.from_iterable(left_out.values()))
        kept = [measure for measure in self if measure.name not in names]
        return kept, [f"{', '.join(measures)} left out: {reason}." for reason, measures in left_out.items()]
