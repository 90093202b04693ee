"""Tables 1, 3 and 4 of 'Evaluating Sequence Labeling on the basis of Information Theory' (Amigó et al. 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from spanometer.analysis.advice.properties import published_properties
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF
from spanometer.measures.aligned import AlignedMeasure
from spanometer.spans.spans import Spans

from . import table4
from .inputs import Inputs, MissingCorpus
from .monotonicity import MEASURES
from .properties import PROPERTIES, PropertyCheck, check_properties
from .published import published_rows
from .tables import Cell, Table

SOURCE = "Amigó et al., SL-ICM"

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


@lru_cache(maxsize=1)
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


def table1(inputs: Inputs) -> tuple[Table, ...]:
    """Compare which measure has which formal property, and once more from any score if it needs a positive one."""
    return (
        _properties(
            "sl_icm_table1",
            "Table 1: formal properties",
            f"{CASES:,} random cases of each property. Printed is one row for BIO and BIOE, and one for SL-ICM, which "
            "gets words in every property only in the row sl_icm_words.",
            positive=True,
        ),
        _properties(
            "sl_icm_table1_any_score",
            "Table 1, from any score",
            "The ticks of the two properties whose worse output has more noise, where both outputs may score 0.",
            positive=False,
        ),
    )


def _properties(name: str, title: str, about: str, *, positive: bool) -> Table:
    printed, checks = published_properties(), property_checks()
    cells, notes = [], [about]
    for metric, (row, _, _) in TABLE1.items():
        for wanted in PROPERTIES:
            check = checks.get((metric, wanted, positive))
            if check is None:
                continue
            cells.append(Cell(metric, _words(wanted), printed[row][wanted], check.holds))
            if not cells[-1].equal and check.counterexample is not None:
                notes.append(f"Counterexample: {metric}, {_words(wanted)}: {check.counterexample}")
    return Table(name, title, SOURCE, tuple(cells), tuple(notes))


def table3(inputs: Inputs) -> tuple[Table, ...]:
    """Score both systems in the examples of Table 2."""
    cells = []
    # as printed there: the sum is not capped
    measures = {**MEASURES, "intersection_f": IntersectionF()}
    for row in published_rows("sl_icm_table3"):
        gold = spans_of(row["gold"])
        for number, system in enumerate("AB"):
            output = spans_of(row[system])
            for name, measure in measures.items():
                printed = float(row[name].split(" / ")[number])
                ours = measure.score(measure.counts(gold, output))[measure.headline]
                cells.append(Cell(f"{_words(row['property'])}, {system}", name, printed, ours, digits=3))
    return (Table("sl_icm_table3", "Table 3: scores of the examples", SOURCE, tuple(cells)),)


def spans_of(written: str) -> Spans:
    """Read inclusive positions such as `1-3 10-13`, all of one label."""
    bounds = (part.split("-") for part in written.split())
    return Spans.from_dicts([[{"start": int(first), "end": int(last) + 1, "label": "X"} for first, last in bounds]])


def table4_tables(inputs: Inputs) -> tuple[Table, ...]:
    """Score transformed references, as the paper's code counted and with correct lengths; see `table4`."""
    title = "Table 4"
    try:
        references = inputs.multiconer
    except MissingCorpus as missing:
        return (Table("sl_icm_table4", title, SOURCE, (), missing=str(missing)),)
    found = table4.run(references)
    return (
        Table("sl_icm_table4", f"{title}, counted as in the paper", SOURCE, found.paper, found.notes),
        Table("sl_icm_table4_lengths", f"{title}, correct lengths", SOURCE, found.correct),
        Table(
            "sl_icm_table4_conclusions",
            f"{title}, conclusions",
            SOURCE,
            found.conclusions,
            ("Published stands here for what the paper's counting says, ours for correct lengths.",),
        ),
    )


def _words(name: str) -> str:
    return name.replace("_", " ")
