"""Odd objects as arguments of the functions of Python: an InputError, or a result, and nothing else.

What the system says of a path is an OSError that names it.
"""

import contextlib
import io
import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import spanometer
from malformed import KNOWN, NAMES, PLACES, changed_arguments
from snapshots.refusals import argument_of, named
from spanometer import InputError, Spans, grounding, readers
from spanometer.analysis.transformations import mapping
from spanometer.integrations import scikit_learn
from spanometer.integrations.trainer import TokenClassificationMetrics
from spanometer.measures import MEASURES, Eter, SpanF
from spanometer.spans.entities import Entities
from spanometer.tags.tags import Tags

OTHER_TAGS, TAGS, _ = KNOWN["spans", "tags"]
_, SPANS, _ = KNOWN["spans", "spans"]
OTHER_ENTITIES, ENTITIES, _ = KNOWN["entities", "entities"]
LABELS = ["O", "B-A", "I-A", "B-B", "I-B"]


def spans():
    return Spans.from_tags(TAGS)


def score_logits(predictions, label_ids, **options):
    return TokenClassificationMetrics(**options).compute_metrics((predictions, label_ids))


FUNCTIONS = {
    "leave_one_out": (
        lambda annotations, **options: spanometer.disagreements(annotations).leave_one_out(**options).to_dict(),
        lambda: {
            "annotations": [TAGS, OTHER_TAGS, TAGS],
            "placement": "disjoint",
            "variant": "2016",
            "confidence": 0.9,
            "interval_method": "percentile",
            "n_resamples": 20,
            "seed": 1,
        },
    ),
    "ground_strings": (
        lambda **options: grounding.ground_strings(**options),
        lambda: {
            "texts": ["Ann saw Bob.", "Oslo"],
            "answers": ['[["A", "Ann"], ["B", "Bob"]]', None],
            "policy": "gollie",
            "asked_labels": ["A", "B"],
            "aliases": {"C": "A"},
        },
    ),
    "scorer": (
        lambda references, predictions, measure, key: scikit_learn.one_value(
            references, predictions, measure=measure, key=scikit_learn.read_key(measure, key)[0]
        ),
        lambda: {"references": TAGS, "predictions": TAGS, "measure": "span_f", "key": "f1"},
    ),
    "Spans.with_lengths": (lambda lengths: spans().with_lengths(lengths), lambda: {"lengths": [4, 2]}),
    "Spans.to_tags": (lambda scheme: spans().to_tags(scheme), lambda: {"scheme": "IOBES"}),
    "counts": (
        lambda references, predictions: SpanF().counts(references, predictions),
        lambda: {"references": spans(), "predictions": spans()},
    ),
    "Eter.counts": (
        lambda references, predictions: Eter().counts(references, predictions),
        lambda: {"references": Entities.from_dicts(ENTITIES), "predictions": Entities.from_dicts(OTHER_ENTITIES)},
    ),
    "transformation": (
        lambda name, spans, numbers, **parameters: mapping.get_transformation(name, **parameters)(
            spans, numbers=numbers
        ),
        lambda: {"name": "label_noise", "spans": spans(), "numbers": [0, 1], "rate": 0.5, "seed": 3, "first": 2},
    ),
    "transformed tags": (
        lambda tags, scheme, repair: mapping.TRANSFORMATIONS["illegal_tags"].on_tags(
            tags, scheme=scheme, repair=repair
        ),
        lambda: {"tags": Tags.from_lists(TAGS), "scheme": "IOB2", "repair": "raise"},
    ),
    "as_map": (
        lambda batch, indices, **options: mapping.as_map(**options)(batch, indices),
        lambda: {
            "batch": {"ner_tags": [[1, 2, 0, 3], [0, 3]]},
            "indices": [0, 1],
            "transformation": "label_noise",
            "column": "ner_tags",
            "scheme": "IOB2",
            "id2label": LABELS,
            "repair": "raise",
            "touched_column": "touched",
        },
    ),
    "TokenClassificationMetrics": (
        score_logits,
        lambda: {
            "id2label": dict(enumerate(LABELS)),
            "measures": ["span_f"],
            "decode": "viterbi",
            "scheme": "IOB2",
            "repair": "conlleval",
            "transitions": np.zeros((5, 5)).tolist(),
            "predictions": np.zeros((1, 3, 5)),
            "label_ids": np.array([[0, 1, -100]]),
        },
    ),
    "read_parts": (
        lambda **options: list(readers.read_parts(**options)),
        lambda: {"path": io.BytesIO(b"a B-A\nb O\n\nc B-B\n"), "columns": [-1]},
    ),
}
# calls whose arguments can be written down
for row in map(json.loads, Path(__file__).with_name("calls.jsonl").read_text(encoding="utf-8").splitlines()):
    FUNCTIONS[row["name"]] = (named(row["call"]), lambda stored=row["arguments"]: argument_of(stored))
FUNCTIONS.update(
    {
        f"{name}.counts": (
            lambda references, predictions, name=name: MEASURES[name]().counts(references, predictions),
            lambda: {"references": spans(), "predictions": Spans.from_tags(OTHER_TAGS)},
        )
        for name in MEASURES
    }
)


def attempt(name, changes):
    """Call a function with some of its arguments changed."""
    function, arguments = FUNCTIONS[name]
    found = changed_arguments(arguments(), changes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            result = function(**found)
            if hasattr(result, "to_dict"):
                result.to_dict()
        except InputError as error:
            assert error.problem and str(error)


@pytest.fixture(scope="module", autouse=True)
def _elsewhere(tmp_path_factory):
    """Stay in a folder of one's own: a path may be any text."""
    with contextlib.chdir(tmp_path_factory.mktemp("odd")):
        yield


@cache
def works(name):
    """Whether a function takes its arguments as they are."""
    function, arguments = FUNCTIONS[name]
    function(**arguments())
    return True


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    database=None,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)
@given(changes=st.lists(st.tuples(st.integers(0, PLACES), st.sampled_from(NAMES)), min_size=1, max_size=2))
def test_odd_arguments(name, changes):
    assert works(name)
    attempt(name, changes)
