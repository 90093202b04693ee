"""Random tags of both sides, the counts of the whole, and their comparison with the sums of counts of parts."""

import random

import pyarrow as pa
import pytest

from spanometer.spans.spans import pair_from_tags

TAGS = ("O", "O", "O", "B-A", "I-A", "B-B", "I-B")


def tagged(seed, documents=40):
    """Random tags of both sides."""
    generator = random.Random(seed)
    references = [generator.choices(TAGS, k=generator.randrange(12)) for _ in range(documents)]
    return references, [
        [tag if generator.random() < 0.7 else generator.choice(TAGS) for tag in row] for row in references
    ]


def whole(measures, references, predictions):
    pair = pair_from_tags(references, predictions, scheme="IOB2")[:2]
    return {name: measure.counts(*pair) for name, measure in measures.items()}


def require_same_counts(found, expected):
    """Integers to the last bit, other numbers to the last digits."""
    assert found.keys() == expected.keys()
    for name, counts in expected.items():
        total = found[name].total()
        assert total.keys() == counts.total().keys()
        for key, value in counts.total().items():
            assert type(total[key]) is type(value)
            assert total[key] == (value if isinstance(value, int) else pytest.approx(value, rel=1e-12, abs=1e-12))
        for key, value in counts.score().items():
            assert found[name].score()[key] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


def arrow(references, predictions):
    return pa.table({"references": pa.array(references), "predictions": pa.array(predictions)})
