"""The drop-in for the seqeval module of `evaluate`, beside what that module computes with seqeval."""

import json
import random
import warnings
from math import nan
from pathlib import Path

import evaluate
import pytest

import spanometer
from random_tags import legal_corpus, random_corpus
from spanometer.measures import Seqeval

PEER = Path(__file__).parents[2] / "benchmarks" / "seqeval_module"
PREDICTIONS = [["B-PER", "I-PER", "B-LOC"], ["B-LOC", "I-LOC"], ["O"]]
REFERENCES = [["B-PER", "I-PER", "O"], ["B-LOC", "O"], ["O"]]
SIDES = {"predictions": PREDICTIONS, "references": REFERENCES}


@pytest.fixture(scope="module")
def ours():
    return spanometer.load("seqeval")


@pytest.fixture(scope="module")
def theirs():
    return evaluate.load(str(PEER))


def both(ours, theirs, **call):
    """The results of both modules, and the texts of their warnings."""
    found = []
    for module in (ours, theirs):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            result = module.compute(**call)
        found.append((list(result), result, {(warning.category, str(warning.message)) for warning in said}))
    return found


def test_counted_on_paper(ours):
    found = ours.compute(**SIDES)
    assert found == {
        "LOC": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "number": 1},
        "PER": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "number": 1},
        "overall_precision": 1 / 3,
        "overall_recall": 0.5,
        "overall_f1": pytest.approx(0.4, abs=1e-15),
        "overall_accuracy": 4 / 6,
    }
    # built-in types, which JSON and logs can write
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(("scheme", "mode"), [(None, None), ("IOB2", None), ("IOB2", "strict"), (None, "strict")])
def test_equal_dictionaries_on_conll03(data, ours, theirs, scheme, mode):
    rows = [
        [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
        for block in (data / "conll03_test_tags.tsv").read_text(encoding="utf-8").split("\n\n")
    ]
    references, predictions = ([[row[side] for row in block] for block in rows if block] for side in range(2))
    found, expected = both(ours, theirs, predictions=predictions, references=references, scheme=scheme, mode=mode)
    assert found == expected
    assert found[1]["overall_f1"] > 0.8


@pytest.mark.parametrize(
    ("scheme", "mode"), [("IOB1", None), ("IOE1", None), ("IOE2", "strict"), ("IOBES", "strict"), ("BILOU", "strict")]
)
@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("zero_division", ["warn", 0, 1])
def test_equal_dictionaries_on_random_tags(ours, theirs, scheme, mode, suffix, zero_division):
    references, predictions = (random_corpus(f"{scheme} {side}", scheme, documents=60) for side in range(2))
    predictions = [
        [*predicted, *reference][: len(reference)] for reference, predicted in zip(references, predictions, strict=True)
    ]
    if suffix:
        references, predictions = (
            [["-".join(reversed(tag.split("-"))) for tag in tags] for tags in side]
            for side in (references, predictions)
        )
    options = {"suffix": suffix, "scheme": scheme, "mode": mode, "zero_division": zero_division}
    found, expected = both(ours, theirs, predictions=predictions, references=references, **options)
    assert found == expected


@pytest.mark.parametrize("zero_division", ["warn", 0, 1])
@pytest.mark.parametrize("predictions", [[["O", "O"]], [["B-A", "I-A"]], [["B-B", "B-A"]]])
@pytest.mark.parametrize("references", [[["O", "O"]], [["B-A", "B-B"]]])
def test_nothing_to_divide_by(ours, theirs, references, predictions, zero_division):
    if "O" in references[0] and "O" in predictions[0]:
        pytest.skip("seqeval warns of a mean that its module drops")
    found, expected = both(ours, theirs, predictions=predictions, references=references, zero_division=zero_division)
    assert found == expected


def test_batches_and_columns(ours):
    expected = ours.compute(**SIDES)
    for document in zip(PREDICTIONS, REFERENCES, strict=True):
        ours.add(prediction=document[0], reference=document[1])
    assert ours.compute() == expected


def test_label_numbers(ours):
    """As a model's outputs and a dataset's columns have them; positions without a label are left out."""
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    references, predictions = (
        [[-100, *map(labels.index, tags)] for tags in SIDES[side]] for side in ("references", "predictions")
    )
    numbers = {"references": references, "predictions": [[1, *row[1:]] for row in predictions]}
    assert ours.compute(**numbers, id2label=labels) == ours.compute(**SIDES)
    assert ours.compute(**numbers, id2label=dict(enumerate(labels)), details=True)["counts"]["tokens"] == 6
    suffixed = ["O", "PER-B", "PER-I", "LOC-B", "LOC-I"]
    assert ours.compute(**numbers, id2label=suffixed, suffix=True) == ours.compute(**SIDES)


def test_options_given_to_load():
    tags = {"predictions": [["I-A", "O"]], "references": [["B-A", "O"]]}
    strict = spanometer.load("seqeval", mode="strict", scheme="IOB2", zero_division=0)
    assert strict.compute(**tags)["overall_f1"] == 0.0
    assert strict.compute(**tags, mode=None)["overall_f1"] == 1.0


def test_details_and_intervals(ours):
    found = ours.compute(**SIDES, details=True, confidence=0.9)
    assert found["counts"] == {"both": 1, "predicted": 3, "reference": 2, "tokens": 6, "equal_tags": 4}
    assert found["signature"].startswith("seqeval|scheme:IOB2|repair:conlleval|suffix:no|mode:None|zero_division:warn|")
    for key in ("overall_precision", "overall_recall", "overall_f1", "overall_accuracy"):
        assert 0 <= found[f"{key}_low"] <= found[key] <= found[f"{key}_high"] <= 1


def test_intervals_are_those_of_span_f():
    generator = random.Random(7)
    references = legal_corpus(generator, "IOB2", documents=40)
    predictions = [[tag if generator.random() < 0.8 else "O" for tag in tags] for tags in references]
    call = {"references": references, "predictions": predictions, "confidence": 0.95}
    found, expected = (spanometer.load(name).compute(**call) for name in ("seqeval", "span_f"))
    for key in ("precision", "recall", "f1"):
        for bound in ("low", "high"):
            assert found[f"overall_{key}_{bound}"] == pytest.approx(expected[f"{key}_{bound}"], abs=1e-12)


def test_counts_of_parts_add_up():
    measure = Seqeval(zero_division=0)
    whole = measure.counts(REFERENCES, PREDICTIONS)
    parts = sum(
        measure.counts([reference], [predicted]) for reference, predicted in zip(REFERENCES, PREDICTIONS, strict=True)
    )
    assert measure.score(parts) == measure.score(whole)
    assert Seqeval(zero_division=0).score(Seqeval.counts_type.from_bytes(whole.to_bytes(), measure)) == measure.score(
        whole
    )


def test_without_spans_or_tokens(ours):
    assert ours.compute(predictions=[["O"]], references=[["O"]], zero_division=1) == {
        "overall_precision": 1.0,
        "overall_recall": 1.0,
        "overall_f1": 1.0,
        "overall_accuracy": 1.0,
    }
    assert str(ours.compute(predictions=[["O"]], references=[["O"]], zero_division=nan)).count("nan") == 3


def test_weights_have_no_effect(ours):
    with pytest.warns(UserWarning, match="seqeval: sample_weight has no effect"):
        found = ours.compute(**SIDES, sample_weight=[1, 0, 0])
    assert found == ours.compute(**SIDES)
