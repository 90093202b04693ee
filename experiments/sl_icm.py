"""Tables 1 and 3 of 'Evaluating Sequence Labeling on the basis of Information Theory' (Amigó et al. 2025)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from spanometer.analysis.advice.properties import published_properties
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF
from spanometer.measures.aligned import AlignedMeasure

from .inputs import Inputs
from .monotonicity import MEASURES
from .properties import PROPERTIES, PropertyCheck, check_properties
from .published import published_rows, spans_of
from .tables import Cell

TABLE1: Mapping[str, tuple[str, AlignedMeasure, bool]] = {
    "span_f": ("span_f", SpanF(), False),
    "token_f_IO": ("token_f_IO", TokenF(), False),
    "token_f_BIO": ("token_f_BIO_BIOE", TokenF(format="BIO"), False),
    "token_f_BIOE": ("token_f_BIO_BIOE", TokenF(format="BIOE"), False),
    "token_f_IO*": ("token_f_IO*", TokenF(format="IO*"), False),
    "link_f": ("link_f", LinkF(), False),
    "bcubed": ("bcubed", Bcubed(), False),
    "intersection_f": ("intersection_f", IntersectionF(), False),
    "sl_icm": ("sl_icm", SlIcm(), False),
    "sl_icm_words": ("sl_icm", SlIcm(), True),
}
"""Our rows: the printed row that each is compared with, the measure, and whether it is given words in every property.

Printed is one row for BIO and BIOE, and one for SL-ICM, which has token informativeness only if it is given words.
"""

CASES = 1000
"""How many random cases of each property are tried."""


@cache
def property_checks() -> dict[tuple[str, str, bool], PropertyCheck]:
    """Check each measure for each property, by our row, property, and whether scores must start above 0.

    Those that may start from 0 are checked once more, for the properties that need positive scores, if there is a tick
    and it holds for positive ones.
    """
    printed = published_properties()
    found: dict[tuple[str, str, bool], PropertyCheck] = {}
    for name, wanted in PROPERTIES.items():
        for positive in (True, False) if wanted.needs_positive else (True,):
            for metric, (row, measure, words) in TABLE1.items():
                if positive or (printed[row][name] and found[metric, name, True].holds):
                    checked = check_properties(measure, cases=CASES, properties=[name], positive=positive, words=words)
                    found[metric, name, positive] = checked[name]
    return found


def properties(positive: bool, inputs: Inputs) -> Iterator[Cell | str]:
    """Compare which measure has which formal property, and once more from any score if it needs a positive one."""
    printed, checks = published_properties(), property_checks()
    for metric, (row, _, _) in TABLE1.items():
        for wanted in PROPERTIES:
            check = checks.get((metric, wanted, positive))
            if check is None:
                continue
            cell = Cell(metric, _words(wanted), printed[row][wanted], check.holds)
            yield cell
            if not cell.equal and check.counterexample is not None:
                yield f"Counterexample: {metric}, {_words(wanted)}: {check.counterexample}"


def table3(inputs: Inputs) -> Iterator[Cell]:
    """Score both systems in the examples of Table 2."""
    # as printed there: the sum is not capped
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
