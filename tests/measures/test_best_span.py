"""The share of a span that the one best span of the other side covers, by hand."""

import pytest

from spanometer.measures import IntersectionF
from spanometer.spans.spans import Spans

# the reference 0-4 meets 0-1 (1 of 4) and 1-4 (3 of 4), which lie in it; 6-8 meets 7-9 by half
REFERENCE = Spans.from_dicts([[{"start": 0, "end": 4, "label": "X"}, {"start": 6, "end": 8, "label": "X"}]])
PREDICTED = Spans.from_dicts([[{"start": start, "end": end, "label": "X"} for start, end in ((0, 1), (1, 4), (7, 9))]])


@pytest.mark.parametrize(
    ("best", "right", "found"),
    [("neither", 2.5, 1.5), ("references", 2.5, 1.25), ("predictions", 2.5, 1.5), ("both", 2.5, 1.25)],
)
def test_best(best, right, found):
    counts = IntersectionF(best=best).counts(REFERENCE, PREDICTED).total()
    assert (counts["right"], counts["found"]) == (right, found)
    turned = IntersectionF(best=best).counts(PREDICTED, REFERENCE).total()
    assert turned["right"] == (1.25 if best in ("predictions", "both") else 1.5)


def test_spans_may_overlap_where_the_best_counts():
    nested = Spans.from_dicts([[{"start": 0, "end": 4, "label": "X"}, {"start": 0, "end": 2, "label": "X"}]])
    assert IntersectionF(best="both").counts(nested, PREDICTED).total()["found"] == 1.25
