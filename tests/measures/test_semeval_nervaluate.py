"""semeval_f against nervaluate 1.2.1 itself: the same responses where its reading is asked for."""

from importlib import metadata

import pytest

from random_corpora import as_spans, random_pair
from spanometer.measures import SemevalF

nervaluate = pytest.importorskip("nervaluate", reason="nervaluate is not installed (.ci/run installs 1.2.1)")
if metadata.version("nervaluate") != "1.2.1":
    pytest.skip("other releases pair spans in other ways", allow_module_level=True)

SCHEMAS = ("strict", "exact", "partial", "ent_type")
RESPONSES = {
    "correct": "correct",
    "incorrect": "incorrect",
    "partial": "partial",
    "missing": "missed",
    "spurious": "spurious",
}
LABELS = ["A", "B", "C", "D"]


def theirs(document):
    """A document in the order of the text; their ends are inclusive."""
    spans = sorted((min(tokens), max(tokens), label) for label, tokens in document)
    return [{"start": start, "end": end, "label": label} for start, end, label in spans]


@pytest.mark.parametrize("kind", ["flat", "nested"])
@pytest.mark.parametrize("percentage", [1.0, 50.0])
def test_same_responses(kind, percentage):
    parts = zip(*(random_pair(seed, kind) for seed in range(300)), strict=True)
    references, predictions, lengths = ([document for part in side for document in part] for side in parts)
    evaluated = nervaluate.Evaluator(
        [theirs(document) for document in references],
        [theirs(document) for document in predictions],
        tags=LABELS,
        loader="dict",
        min_overlap_percentage=percentage,
    ).evaluate()["overall"]
    for schema in SCHEMAS:
        measure = SemevalF(schema=schema, alignment="nervaluate", min_overlap=percentage / 100)
        counts = measure.counts(as_spans(references, lengths), as_spans(predictions, lengths))
        result = evaluated[schema]
        assert {ours: getattr(counts, ours) for ours in RESPONSES} == {
            ours: getattr(result, their) for ours, their in RESPONSES.items()
        }, schema
        scores = measure.score(counts)
        assert scores == pytest.approx({key: getattr(result, key) for key in scores}, abs=1e-12), schema
