"""Tables 2 and 3 of 'Evaluating Sequence Labeling on the basis of Information Theory': all 140 values, as printed."""

import pytest

from experiments.inputs import published_rows
from spanometer import Spans
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF

MEASURES = {
    "span_f": (SpanF(), "f1"),
    "token_f_IO": (TokenF(), "f1"),
    "token_f_BIOE": (TokenF(format="BIOE"), "f1"),
    "link_f": (LinkF(), "f1"),
    "bcubed": (Bcubed(), "f1"),
    "intersection_f": (IntersectionF(), "f1"),
    "sl_icm_norm": (SlIcm(), "sl_icm_norm"),
}


CASES = [
    pytest.param(
        row["gold"], row[system], measure, row[measure].split(" / ")[number], id=f"{row['property']}-{system}-{measure}"
    )
    for row in published_rows("sl_icm_table3")
    for number, system in enumerate("AB")
    for measure in MEASURES
]


def spans(written):
    """Inclusive positions such as `1-3 10-13`, all of one type."""
    bounds = (part.split("-") for part in written.split())
    return Spans.from_dicts([[{"start": int(first), "end": int(last) + 1, "label": "X"} for first, last in bounds]])


def half_unit(printed):
    """Half a unit of the last printed digit, and the least bit more for ties in binary."""
    decimals = len(printed.partition(".")[2])
    return 0.5 * 10**-decimals + 1e-12


def test_the_table_is_whole():
    assert len(CASES) == 140


@pytest.mark.parametrize(("gold", "system", "name", "printed"), CASES)
def test_table_3(gold, system, name, printed):
    measure, key = MEASURES[name]
    value = measure.score(measure.counts(spans(gold), spans(system)))[key]
    assert abs(value - float(printed)) <= half_unit(printed)


@pytest.mark.parametrize("row", published_rows("sl_icm_table3"), ids=lambda row: row["property"])
def test_sl_icm_prefers_system_a(row):
    measure = SlIcm()
    a, b = (measure.score(measure.counts(spans(row["gold"]), spans(row[system]))) for system in "AB")
    assert a["sl_icm"] > b["sl_icm"]
