"""Figures of 'ETER: a new metric for the evaluation of hierarchical named entity recognition' that can be computed.

The outputs behind its Tables 2 to 4 are not public. Of Table 3 the counts are: its error rates must follow from them.
"""

import numpy as np
import pytest

from builders import entity
from experiments.inputs import published_rows
from spanometer.counts.counts import Column, Counts
from spanometer.measures import Eter
from spanometer.spans.entities import Entities

SLOTS = {"types": 5954, "components": 8627}
COUNTS = ("deleted", "inserted", "substituted")
KEYS = {"types": "ser_types", "components": "ser_components", "both": "ser"}

# what their own counts give for the two that are printed otherwise
FROM_COUNTS = {"NER-4": "36.06", "NER-5": "36.86"}


ROWS = {(row["system"], row["slots"]): row for row in published_rows("eter_slots")}


def half_unit(printed):
    """Half a unit of the last printed digit."""
    return 0.5 * 10 ** -len(printed.partition(".")[2])


def scores(system):
    """The measure's values from the table's counts of types and components."""
    columns = dict.fromkeys(("references", "insertions", "deletions", "root_error", "component_error"), 0)
    for part, slots in SLOTS.items():
        deleted, inserted, substituted = (int(ROWS[system, part][name]) for name in COUNTS)
        values = {
            "references": slots,
            "correct": slots - deleted - substituted,
            "insertions": inserted,
            "deletions": deleted,
            "substitutions": substituted,
            "cost": 0.5 * substituted,
        }
        columns.update({f"slot_{part}_{name}": value for name, value in values.items()})
    one = np.zeros(1, dtype=np.int64)
    counts = Counts({name: Column(one, one, np.array([value])) for name, value in columns.items()}, ("X",), 1)
    return Eter().score(counts)


def test_the_table_is_whole():
    assert list(ROWS) == [(system, part) for system in ("NER-4", "NER-5", "NER-8") for part in KEYS]
    assert {key[0] for key, row in ROWS.items() if row["ser"].endswith("!")} == set(FROM_COUNTS)


@pytest.mark.parametrize("system", ["NER-4", "NER-5", "NER-8"])
def test_counts_of_both_are_the_sums(system):
    for name in COUNTS:
        assert int(ROWS[system, "both"][name]) == sum(int(ROWS[system, part][name]) for part in SLOTS)


@pytest.mark.parametrize(("system", "part"), ROWS, ids="-".join)
def test_table_3(system, part):
    printed = ROWS[system, part]["ser"]
    value = 100 * scores(system)[KEYS[part]]
    if printed.endswith("!"):
        assert abs(value - float(printed.rstrip("!"))) > 0.3
        printed = FROM_COUNTS[system]
    assert abs(value - float(printed)) <= half_unit(printed)


FIGURE_5 = [entity(0, 1, "loc", (0, 1, "kind")), entity(1, 3, "func", (1, 2, "qualifier"), (2, 3, "kind"))]
# ambassadeur de la Turquie en France
FIGURE_3 = [
    entity(0, 6, "func.ind", (0, 1, "kind"), (3, 4, "loc.adm.nat"), (5, 6, "loc.adm.nat")),
    entity(3, 4, "loc.adm.nat", (3, 4, "name")),
    entity(5, 6, "loc.adm.nat", (5, 6, "name")),
]
FIGURE_4 = [entity(0, 6, "func.ind", (0, 1, "kind"), (3, 4, "name"), (5, 6, "name"))]


@pytest.mark.parametrize(
    ("reference", "prediction", "ser", "eter"),
    [(FIGURE_5, FIGURE_5[:1], "60", "50"), (FIGURE_5, FIGURE_5[1:], "40", "50"), (FIGURE_3, FIGURE_4, "33", "72")],
    ids=["Figure 5, A", "Figure 5, B", "Figures 3 and 4"],
)
def test_worked_examples(reference, prediction, ser, eter):
    measure = Eter()
    result = measure.score(measure.counts(Entities.from_dicts([reference]), Entities.from_dicts([prediction])))
    for key, printed in (("ser", ser), ("eter", eter)):
        assert abs(100 * result[key] - float(printed)) <= half_unit(printed)
