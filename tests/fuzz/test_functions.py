"""Odd objects as arguments of the functions of Python: an InputError, or a result, and nothing else.

What the system says of a path is an OSError that names it.
"""

import contextlib
import io
import json
import warnings
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import spanometer
from malformed import KNOWN, NAMES, PLACES, changed_arguments
from spanometer import InputError, Spans, grounding, readers
from spanometer.analysis.advice import advise
from spanometer.analysis.comparison.string_answers import compare_strings, score_strings
from spanometer.analysis.errors import buckets
from spanometer.analysis.policies import groundings, repairs
from spanometer.analysis.scores import difficulty, streams
from spanometer.analysis.transformations import mapping
from spanometer.integrations import scikit_learn
from spanometer.integrations.language_models import score_answers
from spanometer.integrations.trainer import TokenClassificationMetrics
from spanometer.measures import MEASURES, Eter, SpanF, eter, read_counts
from spanometer.spans.attributes import Attributes
from spanometer.spans.conversion import convert_tags, repair_tags
from spanometer.spans.entities import Entities
from spanometer.spans.mentions import Mentions
from spanometer.tags import viterbi
from spanometer.tags.tags import Tags

OTHER_TAGS, TAGS, _ = KNOWN["spans", "tags"]
OTHER_SPANS, SPANS, LENGTHS = KNOWN["spans", "spans"]
OTHER_FRAGMENTS, FRAGMENTS, _ = KNOWN["spans", "fragments"]
OTHER_ENTITIES, ENTITIES, _ = KNOWN["entities", "entities"]
OTHER_ATTRIBUTES, ATTRIBUTES, _ = KNOWN["attributes", "spans"]
LABELS = ["O", "B-A", "I-A", "B-B", "I-B"]
LOGITS = [np.eye(5)[[1, 2, 0, 3]].tolist(), np.eye(5)[[0, 3]].tolist()]

DOCUMENT = b'{"id": "d", "text": "Ann saw Bob.", "spans": [{"start": 0, "end": 3, "label": "A"}]}\n'

LINES = b"".join(json.dumps(row).encode() + b"\n" for row in SPANS)


def spans():
    return Spans.from_tags(TAGS)


def document_file():
    return spanometer.read(io.BytesIO(DOCUMENT))


def counted():
    return SpanF().counts(Spans.from_tags(TAGS), Spans.from_tags(OTHER_TAGS))


def told(references, predictions, **options):
    return spanometer.errors(references, predictions, **options).to_dict()


def score_logits(predictions, label_ids, **options):
    return TokenClassificationMetrics(**options).compute_metrics((predictions, label_ids))


FUNCTIONS = {
    "agreement": (
        spanometer.agreement,
        lambda: {
            "annotations": [TAGS, OTHER_TAGS],
            "names": ["ann", "ben"],
            "scheme": None,
            "repair": "conlleval",
            "prefix": True,
            "level": "token",
            "placement": "disjoint",
            "method": "exact",
            "uniform_threshold": 0.5,
            "variant": "2016",
            "average": "micro",
            "zero_division": 0.0,
        },
    ),
    "disagreements": (
        lambda **options: spanometer.disagreements(**options).to_dict(),
        lambda: {
            "annotations": [TAGS, OTHER_TAGS],
            "names": ["ann", "ben"],
            "scheme": None,
            "repair": "conlleval",
            "prefix": True,
            "words": [["a"] * len(tags) for tags in TAGS],
            "labels": "match",
            "level": "token",
        },
    ),
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
    "score": (
        spanometer.score,
        lambda: {
            "references": TAGS,
            "predictions": OTHER_TAGS,
            "measures": ["span_f", "token_f"],
            "scheme": "IOB2",
            "repair": "conlleval",
            "prefix": True,
            "unit": None,
            "to_tokens": "strict",
            "label_map": {"A": "C"},
            "ignore_labels": ["B"],
            "confidence": 0.9,
            "interval_method": "percentile",
            "n_resamples": 20,
            "seed": 1,
        },
    ),
    "score of files": (
        spanometer.score,
        lambda: {
            "references": document_file(),
            "predictions": document_file(),
            "unit": "token",
            "to_tokens": "expand",
            "trim": "blanks",
            "join_fragments": True,
            "texts": "line_ends",
            "tokenizer": "words",
            "shared_documents": True,
        },
    ),
    "score_against": (
        spanometer.score_against,
        lambda: {
            "references": {"ann": TAGS, "ben": OTHER_TAGS},
            "systems": {"new": TAGS},
            "measures": ["span_f"],
            "scheme": "IOB2",
            "confidence": 0.9,
            "n_resamples": 20,
        },
    ),
    "consensus": (
        lambda annotations, **options: spanometer.consensus(annotations, **options).to_dict(),
        lambda: {
            "annotations": [TAGS, OTHER_TAGS, TAGS],
            "rule": "majority",
            "at_least": None,
            "vote": "token",
            "resolve": "overlaps",
            "names": ["ann", "ben", "cat"],
            "label_map": {"A": "B"},
        },
    ),
    "ground": (
        grounding.ground,
        lambda: {
            "texts": ["Ann saw Bob.", "Oslo"],
            "answers": ['[["A", "Ann"], ["B", "Bob"]]', "A: Oslo"],
            "policy": "strict",
            "labels": ["A", "B"],
            "aliases": {"C": "A"},
            "tokens": [[[0, 3], [4, 7], [8, 11]], [[0, 4]]],
            "format": "auto",
        },
    ),
    "ground_strings": (
        lambda references, **options: score_strings(references, grounding.ground_strings(**options)),
        lambda: {
            "references": [[("A", "Ann")], [{"label": "B", "text": "Oslo"}]],
            "texts": ["Ann saw Bob.", "Oslo"],
            "answers": ['[["A", "Ann"], ["B", "Bob"]]', None],
            "policy": "gollie",
            "labels": ["A", "B"],
            "aliases": {"C": "A"},
        },
    ),
    "compare_strings": (
        lambda systems, **options: compare_strings([[("A", "Ann")]], systems, **options),
        lambda: {
            "systems": {
                name: grounding.ground_strings(["Ann left."], [f'[["A", "{name}"]]']) for name in ("Ann", "An")
            },
            "n_resamples": 5,
            "n_permutations": 5,
            "seed": 1,
            "per_label": True,
            "average": "micro",
        },
    ),
    "read_answer": (
        grounding.read_answer,
        lambda: {"answer": "[Ann](A) saw <B>Bob</B>", "format": "auto", "labels": ["A", "B"]},
    ),
    "Mentions.from_pairs": (
        Mentions.from_pairs,
        lambda: {"documents": [[("A", "Ann"), {"label": "B", "text": "Bob"}]]},
    ),
    "score_answers": (
        score_answers,
        lambda: {
            "golds": [{"text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "A"}], "tokens": [[0, 3]]}],
            "answers": ['[["A", "Ann"]]'],
            "measure": "span_f",
            "key": "f1",
            "grounding": "strict",
            "answer_labels": ["A"],
        },
    ),
    "scorer": (
        lambda references, predictions, measure, key: scikit_learn.one_value(
            references, predictions, measure=measure, key=scikit_learn.read_key(measure, key)[0]
        ),
        lambda: {"references": TAGS, "predictions": TAGS, "measure": "span_f", "key": "f1"},
    ),
    "buckets": (
        buckets.buckets_of,
        lambda: {
            "references": Spans.from_tags(TAGS),
            "predictions": Spans.from_tags(OTHER_TAGS),
            "by": {"year": [1999, 2001], "genre": [["a"] * 4, ["b"] * 2]},
        },
    ),
    "parts by chance": (
        difficulty.by_chance,
        lambda: {"references": spans(), "predictions": spans(), "bounds": [0.1, 0.5], "measures": [SpanF()]},
    ),
    "read_documents": (
        spanometer.read,
        lambda: {
            "path": io.BytesIO(DOCUMENT),
            "format": "jsonl",
            "annotator": None,
            "tokenizer": "words",
            "name": "x",
            "limits": {"max_line": 1},
            "spans_key": "spans",
            "offset_unit": "codepoint",
        },
    ),
    "write": (
        spanometer.write,
        lambda: {
            "documents": document_file(),
            "path": io.BytesIO(),
            "format": "columns",
            "lossy": True,
            "replace": False,
            "to_tokens": "expand",
            "trim": "blanks",
            "tokenizer": "words",
            "scheme": "IOB2",
        },
    ),
    "compare": (
        spanometer.compare,
        lambda: {
            "references": TAGS,
            "systems": {"old": OTHER_TAGS, "new": TAGS},
            "measures": ["span_f", "link_f"],
            "scheme": "IOB2",
            "repair": "discard",
            "prefix": True,
            "confidence": 0.9,
            "interval_method": "percentile",
            "n_resamples": 20,
            "n_permutations": 20,
            "seed": 1,
        },
    ),
    "errors": (
        told,
        lambda: {
            "references": TAGS,
            "predictions": {"old": OTHER_TAGS, "new": TAGS},
            "measure": "token_f",
            "min_overlap": 0.5,
            "scheme": "IOB2",
            "confidence": 0.9,
            "n_resamples": 10,
            "label_map": {"A": "B"},
        },
    ),
    "spread": (
        repairs.policy_spread,
        lambda: {
            "references": TAGS,
            "predictions": [["B-A", "O", "I-A", "B-B"], ["O", "I-B"]],
            "scheme": "IOB2",
            "measures": [SpanF()],
        },
    ),
    "spread of answers": (
        groundings.grounding_spread,
        lambda: {
            "texts": ["Ann saw Bob.", "Oslo"],
            "answers": {"one": ['[["A", "Ann"], ["B", "Bob"]]', None], "two": [[["A", "Ann", 0, 3]], "A: Oslo"]},
            "references": [[{"start": 0, "end": 3, "label": "A"}], []],
            "labels": ["A", "B"],
            "aliases": {"C": "A"},
            "tokens": [[[0, 3], [4, 7], [8, 11]], [[0, 4]]],
            "measures": ["span_f"],
            "format": "auto",
        },
    ),
    "viterbi": (
        viterbi.decode,
        lambda: {"logits": LOGITS, "labels": LABELS, "scheme": "IOB2", "transitions": np.zeros((5, 5)).tolist()},
    ),
    "Tags.from_lists": (Tags.from_lists, lambda: {"documents": TAGS}),
    "Tags.from_arrow": (Tags.from_arrow, lambda: {"column": pa.array(TAGS)}),
    "Spans.from_tags": (
        Spans.from_tags,
        lambda: {"tags": TAGS, "scheme": "IOB2", "repair": "conlleval", "prefix": True},
    ),
    "Spans.from_dicts": (Spans.from_dicts, lambda: {"documents": SPANS, "lengths": [4, 2]}),
    "Spans.from_arrow": (
        Spans.from_arrow,
        lambda: {"column": spans().to_arrow(), "lengths": [4, 2], "scheme": None, "repair": "discard"},
    ),
    "Spans.with_lengths": (lambda lengths: spans().with_lengths(lengths), lambda: {"lengths": [4, 2]}),
    "Spans.to_tags": (lambda scheme: spans().to_tags(scheme), lambda: {"scheme": "IOBES"}),
    "Spans": (
        Spans,
        lambda: {name: getattr(spans(), name) for name in ("document", "start", "end", "label", "labels", "documents")},
    ),
    "Entities.from_dicts": (Entities.from_dicts, lambda: {"documents": ENTITIES, "lengths": [4, 2]}),
    "Entities.from_arrow": (
        Entities.from_arrow,
        lambda: {"column": Entities.from_dicts(ENTITIES).to_arrow(), "lengths": [4, 2]},
    ),
    "Attributes.from_dicts": (Attributes.from_dicts, lambda: {"documents": ATTRIBUTES}),
    "Attributes.from_arrow": (Attributes.from_arrow, lambda: {"column": Attributes.from_dicts(ATTRIBUTES).to_arrow()}),
    "counts": (
        lambda references, predictions: SpanF().counts(references, predictions),
        lambda: {"references": spans(), "predictions": spans()},
    ),
    "read_counts": (read_counts, lambda: {"counts": counted().to_bytes(), "measure": SpanF()}),
    "score_stream": (
        streams.score_stream,
        lambda: {
            "batches": [(TAGS, OTHER_TAGS), {"references": TAGS, "predictions": TAGS}],
            "measures": ["span_f", "token_f"],
            "scheme": "IOB2",
            "repair": "conlleval",
            "references": "references",
            "predictions": "predictions",
            "lengths": None,
            "batch_size": 2,
        },
    ),
    "partial_counts": (
        streams.partial_counts,
        lambda: {"batch": {"references": TAGS, "predictions": OTHER_TAGS}, "scheme": "IOB2", "per_document": True},
    ),
    "sum_counts": (
        streams.sum_counts,
        lambda: {
            "tables": [streams.partial_counts({"references": TAGS, "predictions": TAGS}, scheme="IOB2")],
            "measures": {"span_f": SpanF()},
            "per_document": False,
        },
    ),
    "Reading": (streams.Reading.of, lambda: {"measures": ["span_f"], "scheme": "IOB2", "lengths": "tokens"}),
    "sweep": (
        eter.alpha_sweep,
        lambda: {
            "references": Entities.from_dicts(ENTITIES),
            "systems": {"one": Entities.from_dicts(OTHER_ENTITIES)},
            "alphas": [0.0, 0.5],
            "type_cost": 1.0,
        },
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
            "names": LABELS,
            "repair": "raise",
            "touched_column": "touched",
        },
    ),
    "repair_tags": (
        repair_tags,
        lambda: {"tags": Tags.from_lists(TAGS), "repair": "discard", "scheme": "IOB2", "to": "IOBES"},
    ),
    "convert_tags": (convert_tags, lambda: {"tags": Tags.from_lists(TAGS), "scheme": "IOB2", "to": "IOBES"}),
    "advise": (advise.advise, lambda: {"references": spans(), "words": [["a", "b", "c", "d"], ["e", "f"]]}),
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
    "load": (spanometer.path, lambda: {"name": "span_f"}),
    "read": (
        readers.read,
        lambda: {"path": io.BytesIO(b"a B-A\nb O\n\nc B-B\n"), "columns": [-1], "words": True, "format": "columns"},
    ),
    "read_parts": (
        lambda **options: list(readers.read_parts(**options)),
        lambda: {"path": io.BytesIO(b"a B-A\nb O\n\nc B-B\n"), "columns": [-1]},
    ),
    "read_entities": (
        readers.read_entities,
        lambda: {"path": io.BytesIO(b"<pers> Ada </pers> sings\n"), "format": "quaero", "entity_types": ["pers"]},
    ),
    "write_entities": (
        readers.write_entities,
        lambda: {"path": io.BytesIO(), "entities": ENTITIES, "words": [list("abcd"), list("ef")], "format": "jsonl"},
    ),
    "detect": (readers.detect, lambda: {"path": io.BytesIO(LINES)}),
    "require_same_tokens": (
        readers.require_same_tokens,
        lambda: {
            "references": spanometer.read(io.BytesIO(LINES), spans_key="entities"),
            "predictions": spanometer.read(io.BytesIO(LINES), spans_key="entities"),
        },
    ),
}
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
            function(**found)
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
