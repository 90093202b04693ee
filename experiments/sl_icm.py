"""Tables 1 and 3 of 'Evaluating Sequence Labeling on the basis of Information Theory' (Amigó et al. 2025)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from spanometer.analysis.advice.advise import published_properties
from spanometer.measures import IntersectionF, registry
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.registry import read_measures

from .inputs import Inputs
from .monotonicity import MEASURES
from .properties import PropertyCheck, check_properties
from .published import published_rows, spans_of
from .tables import Cell

TABLE1: Mapping[str, tuple[str, AlignedMeasure, bool]] = {
    row["row"]: (
        row["printed"],
        next(iter(read_measures(row["measure"], registry.MEASURES).values())),
        row["words"] == "yes",
    )
    for row in published_rows("sl_icm_table1")
}
"""Our rows: the printed row with which each is compared, the measure, and whether it gets words for every property."""

_STATED_ELSEWHERE = ("wrong_sequence", "noise", "token_informativeness")
"""The properties that need a condition that the paper does not state."""


@cache
def property_checks(row: str, as_printed: bool) -> Mapping[str, PropertyCheck]:
    """Check the measure of one of our rows for each property."""
    _, measure, words = TABLE1[row]
    return check_properties(measure, words=words, as_printed=as_printed)


def properties(inputs: Inputs) -> Iterator[Cell]:
    """Compare which measure has which formal property."""
    for row in TABLE1:
        yield from _cells(row, property_checks(row, False))


def properties_as_printed(inputs: Inputs) -> Iterator[Cell]:
    """Compare the properties that need an unstated condition, leaving out this condition."""
    for row, (_, _, words) in TABLE1.items():
        if not words:
            checks = property_checks(row, True)
            yield from _cells(row, {name: checks[name] for name in _STATED_ELSEWHERE})


def _cells(row: str, checks: Mapping[str, PropertyCheck]) -> Iterator[Cell]:
    """Yield a cell for each property, with a counterexample if the result is not as printed."""
    for name, check in checks.items():
        published = published_properties()[TABLE1[row][0]][name]
        counterexample = None if check.holds == published else str(check.counterexample)
        yield Cell(row, _words(name), published, check.holds, counterexample=counterexample)


def table3(inputs: Inputs) -> Iterator[Cell]:
    """Score both systems in the examples of Table 2."""
    # the sum is not capped, as printed in the paper
    measures = {**MEASURES, "intersection_f": IntersectionF()}
    for row in published_rows("sl_icm_table3"):
        gold = spans_of(row["gold"], inclusive=True)
        for number, system in enumerate("AB"):
            output = spans_of(row[system], inclusive=True)
            for name, measure in measures.items():
                printed = float(row[name].split(" / ")[number])
                ours = measure.score(measure.counts(gold, output))[measure.headline]
                yield Cell(f"{_words(row['property'])}, {system}", name, printed, ours, digits=3)


def _words(name: str) -> str:
    return name.replace("_", " ")
