"""Increasing monotonicity on three corpora: the cost of each further lost token, and of each further wrong token.

The SL-ICM paper defines *increasing monotonicity* of overlap and of noise. If two outputs lose equally many tokens of
the reference, the one that loses them evenly (two and two) is better than the one that loses them unevenly (one and
three). If two outputs add equally many tokens, the one that adds them unevenly is better. Here the reference itself is
transformed (`transformations`): all spans with four or more tokens lose their last one, two or three tokens; all spans
followed by three free tokens get one, two or three of them. The published values are the ticks in the paper's Table 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanometer.analysis.advice.advise import published_properties
from spanometer.analysis.transformations.transformations import Extend, SpanTransformation, Truncate
from spanometer.exceptions import counted
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF
from spanometer.measures.aligned import AlignedMeasure
from spanometer.readers.reading import read
from spanometer.spans.spans import Spans, in_order

from .inputs import CONLL03, HIPE, MULTICONER_DEV, Inputs
from .tables import Cell

MEASURES: dict[str, AlignedMeasure] = {
    "span_f": SpanF(),
    "token_f_IO": TokenF(),
    "token_f_BIOE": TokenF(format="BIOE"),
    "link_f": LinkF(),
    "bcubed": Bcubed(),
    "intersection_f": IntersectionF(cap=True),
    "sl_icm_norm": SlIcm(),
}
"""The columns of Table 4."""

_PRINTED = {"token_f_BIOE": "token_f_BIO_BIOE", "sl_icm_norm": "sl_icm"}
"""The rows of Table 1 that have other names in the paper."""

CORPORA: dict[str, tuple[str, dict[str, Any]]] = {
    "MultiCoNER": (MULTICONER_DEV, {}),
    "CoNLL03": (CONLL03, {"columns": [1]}),
    "HIPE": (HIPE, {"columns": ["NE-COARSE-LIT"], "documents": "document_id", "outside": "_"}),
}
"""The files of the corpora, and how they are read."""

STEPS = (1, 2, 3)
"""The numbers of tokens that are lost or added."""

CHANGES: dict[str, tuple[int, str, str, SpanTransformation]] = {
    "lost": (-1, "even", "overlap_increasing", Truncate(tokens=max(STEPS), shortest=max(STEPS) + 1)),
    "added": (1, "uneven", "noise_increasing", Extend(tokens=max(STEPS))),
}
"""For each change: its direction, what the property calls better, the property's name, and the changed spans."""

EPSILON = 1e-9
"""Scores that differ by at most this are equal."""


@dataclass(frozen=True)
class Costs:
    """The cost of a growing error by one measure.

    Attributes:
        steps: how much the first, second and third token (of each changed span) lower the score.
        even: the score if each of an even number of spans has an error of two tokens.
        uneven: the score if they have errors of one and three tokens alternately. The counts of both alternations are
            added, so that it does not matter which spans have the larger error.
    """

    steps: tuple[float, ...]
    even: float
    uneven: float

    @property
    def trend(self) -> str:
        """Whether each further token costs more or less: `rising`, `falling`, `level` or `mixed`."""
        signs = {_sign(after - before) for before, after in pairwise(self.steps)}
        return "mixed" if len(signs) > 1 else {1: "rising", -1: "falling", 0: "level"}[signs.pop()]

    @property
    def better(self) -> str:
        """Which error scores better with the same number of tokens: `even`, `uneven` or `neither`."""
        return {1: "even", -1: "uneven", 0: "neither"}[_sign(self.even - self.uneven)]


def _sign(difference: float) -> int:
    return (difference > EPSILON) - (difference < -EPSILON)


def cells(corpus: str, change: str, inputs: Inputs) -> Iterator[Cell | str]:
    """Let the spans of a corpus lose or get tokens, and compare the property with the printed ticks."""
    file, options = CORPORA[corpus]
    yield from cells_of(read(inputs.path(file), **options).decoded().spans, change)


def cells_of(spans: Spans, change: str) -> Iterator[Cell | str]:
    """Transform a reference without overlapping spans, and score the results; costs are in percentage points."""
    direction, wanted, prop, transformation = CHANGES[change]
    chosen = transformation(spans).spans.end != spans.end
    for name, measure in MEASURES.items():
        costs = costs_of(spans, chosen, direction, measure)
        values = dict(zip(("first", "second", "third"), costs.steps, strict=True))
        values |= {"even": costs.even, "uneven": costs.uneven}
        yield from (Cell(name, column, None, 100 * value, digits=2) for column, value in values.items())
        printed = published_properties()[_PRINTED.get(name, name)][prop]
        yield Cell(name, f"{wanted} is better", printed, costs.better == wanted)
    yield f"{counted(int(chosen.sum()), 'span')} of {len(spans):,} in {counted(spans.documents, 'document')}."


def costs_of(spans: Spans, chosen: np.ndarray, direction: int, measure: AlignedMeasure) -> Costs:
    """Compute the cost of moving the ends of chosen spans by one, two and three tokens, evenly and unevenly.

    Args:
        spans: the reference.
        chosen: whether each span is changed.
        direction: -1 shortens spans, 1 extends them.
        measure: the measure.
    """

    def totals(by: np.ndarray) -> Mapping[str, np.ndarray]:
        return measure.counts(spans, ends_moved(spans, by)).per_label()

    def score(*parts: Mapping[str, np.ndarray]) -> float:
        added = {key: np.sum([part[key] for part in parts], axis=0) for key in parts[0]}
        return float(measure.score_totals(added)[measure.headline])

    by = direction * chosen.astype(np.int32)
    scores = [score(totals(by * step)) for step in (0, *STEPS)]
    rank = np.cumsum(chosen)
    paired = by * (rank <= rank.max(initial=0) // 2 * 2)
    turns = (totals(paired * np.where(rank % 2 == turn, 3, 1)) for turn in (0, 1))
    return Costs(tuple(before - after for before, after in pairwise(scores)), score(totals(2 * paired)), score(*turns))


def ends_moved(spans: Spans, by: np.ndarray) -> Spans:
    """Move the ends of spans, even past the end of their document."""
    return in_order(replace(spans, end=(spans.end + by).astype(np.int32)))
