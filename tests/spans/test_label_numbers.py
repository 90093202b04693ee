"""Label numbers: named by id2label, left out by the reference, in every container that numbers come in."""

import random
from types import SimpleNamespace

import datasets
import numpy as np
import pandas
import pyarrow as pa
import pytest

import spanometer
from random_tags import random_tags
from spanometer import Spans
from spanometer.corpora import load_conll
from spanometer.spans.spans import pair_from_tags
from spanometer.tags.tags import read_id2label

LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]
REFERENCES = [[1, 2, -100, 0], [3, -100, 4]]
PREDICTIONS = [[1, 2, 3, 0], [3, 0, 0]]
CLASSES = datasets.List(datasets.ClassLabel(names=LABELS))


def with_ids(rows):
    return datasets.Dataset.from_dict({"ids": rows})["ids"]


CONTAINERS = {
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "arrays": lambda rows: [np.array(row, dtype=np.int16) for row in rows],
    "iterator": iter,
    "arrow": lambda rows: pa.array(rows, pa.list_(pa.int32())),
    "large": lambda rows: pa.array(rows, pa.large_list(pa.int8())),
    "chunks": lambda rows: pa.chunked_array([pa.array(rows[:1]), pa.array(rows)[1:]]),
    "series": pandas.Series,
    "series of arrays": lambda rows: pandas.Series([np.array(row) for row in rows], index=[5, 3]),
    "arrow series": lambda rows: pandas.Series(rows, dtype=pandas.ArrowDtype(pa.list_(pa.int64()))),
    "dataset": with_ids,
    "numpy dataset": lambda rows: datasets.Dataset.from_dict({"ids": rows}).with_format("numpy")["ids"],
    "shuffled dataset": lambda rows: datasets.Dataset.from_dict({"ids": rows[::-1]}).select([1, 0])["ids"],
    "transformed dataset": lambda rows: datasets.Dataset.from_dict({"n": [0, 1]}).with_transform(
        lambda batch: {"n": [rows[number] for number in batch["n"]]}
    )["n"],
}


def test_by_hand():
    # without the positions that are -100: PER is right, ORG too short
    report = spanometer.score(REFERENCES, PREDICTIONS, id2label=LABELS)
    assert report.results[0].counts == {"both": 1, "predicted": 2, "reference": 2}
    assert report.tokens == 5
    assert "|scheme:IOB2|repair:conlleval|ignore_index:-100|" in report.results[0].signature
    reference, predicted, scheme = pair_from_tags(REFERENCES, PREDICTIONS, id2label=LABELS)
    assert reference.to_tags("IOB2") == [["B-PER", "I-PER", "O"], ["B-ORG", "I-ORG"]]
    assert predicted.to_tags("IOB2") == [["B-PER", "I-PER", "O"], ["B-ORG", "O"]]
    assert scheme == "IOB2"


def test_one_side():
    spans = Spans.from_tags(REFERENCES, id2label=LABELS)
    assert spans.to_tags("IOB2") == [["B-PER", "I-PER", "O"], ["B-ORG", "I-ORG"]]
    kept = Spans.from_tags([[0, 1, 2]], id2label=LABELS, ignore_index=0)
    assert kept.lengths.tolist() == [2]


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_containers(container):
    report = spanometer.score(container(REFERENCES), container(PREDICTIONS), id2label=LABELS)
    assert report.results[0].counts == {"both": 1, "predicted": 2, "reference": 2}
    module = spanometer.load("span_f")
    found = module.compute(references=container(REFERENCES), predictions=container(PREDICTIONS), id2label=LABELS)
    assert found == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


def test_matrices():
    references = np.array([row + [-100] * (4 - len(row)) for row in REFERENCES])
    predictions = np.array([row + [1] * (4 - len(row)) for row in PREDICTIONS])
    expected = spanometer.score(REFERENCES, PREDICTIONS, id2label=LABELS).to_dict()
    for kind in (np.int64, np.int32, np.int16):
        found = spanometer.score(references.astype(kind), predictions.astype(kind), id2label=LABELS)
        assert found.to_dict() == expected


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_containers_of_strings(container):
    references, predictions = ([[LABELS[max(n, 0)] for n in row] for row in side] for side in (REFERENCES, PREDICTIONS))
    if container in (CONTAINERS["arrays"], CONTAINERS["arrow"], CONTAINERS["large"], CONTAINERS["arrow series"]):
        pytest.skip("made for numbers")
    expected = spanometer.score(references, predictions).results[0].scores
    assert spanometer.score(container(references), container(predictions)).results[0].scores == expected
    module = spanometer.load("span_f")
    assert module.compute(references=container(references), predictions=container(predictions)) == expected


@pytest.mark.parametrize(
    "given",
    [
        tuple(LABELS),
        np.array(LABELS),
        dict(enumerate(LABELS)),
        {str(number): label for number, label in enumerate(LABELS)},
        SimpleNamespace(id2label=dict(enumerate(LABELS))),
        CLASSES,
        CLASSES.feature,
    ],
    ids=lambda given: type(given).__name__,
)
def test_names_of_labels(given):
    assert read_id2label(given) == tuple(LABELS)
    assert spanometer.load("span_f", id2label=given).compute(references=[[1]], predictions=[[1]])["f1"] == 1


def test_columns_of_class_labels_know_their_names():
    rows = [[1, 2, 0], [3, 4]]
    dataset = datasets.Dataset.from_dict({"gold": rows, "other": rows}, datasets.Features(gold=CLASSES, other=CLASSES))
    predictions = [["B-PER", "I-PER", "O"], ["B-ORG", "O"]]
    expected = spanometer.score([[LABELS[number] for number in row] for row in rows], predictions).to_dict()
    assert spanometer.score(dataset["gold"], predictions).to_dict() == expected
    # the numbers of a model whose labels have another order
    reordered = ["I-ORG", "B-ORG", "O", "B-PER", "I-PER"]
    numbers = [[reordered.index(tag) for tag in row] for row in predictions]
    found = spanometer.score(dataset["gold"], numbers, id2label=reordered)
    assert found.results[0].scores == expected["measures"]["span_f"]["scores"]
    module = spanometer.load("span_f")
    assert module.compute(references=dataset["gold"], predictions=dataset["other"])["f1"] == 1
    part = dataset.select([1])
    assert module.compute(references=part["gold"], predictions=predictions[1:])["f1"] == 0


def test_our_own_corpora_go_into_our_own_metrics(tmp_path):
    (path := tmp_path / "gold.conll").write_text("Ada B-PER\nfell O\n\nAcme B-ORG\nInc I-ORG\n")
    gold = load_conll(path, "test", cache_dir=tmp_path)
    predictions = [["B-PER", "O"], ["B-ORG", "O"]]
    assert spanometer.score(gold["ner_tags"], predictions).flat()["span_f_f1"] == 0.5
    module = spanometer.load("span_f")
    assert module.compute(references=gold["ner_tags"], predictions=predictions)["f1"] == 0.5
    assert module.compute(references=gold["ner_tags"], predictions=gold["ner_tags"])["f1"] == 1


def test_numbers_may_come_in_batches():
    module = spanometer.load("span_f")
    module.add_batch(references=REFERENCES, predictions=[*np.array([[1, 2, 3, 0]]).tolist(), [3, 0, 0]])
    module.add(reference=[1], prediction=np.array([0]))
    found = module.compute(id2label=LABELS, details=True)
    assert found["counts"] == {"both": 1, "predicted": 2, "reference": 3}
    assert "|ignore_index:-100|" in found["signature"]


def test_the_scheme_is_that_of_all_labels():
    # what is there could be IO as well
    labels = ["O", "B-X", "I-X", "E-X", "S-X"]
    assert pair_from_tags([[2, 2]], [[0, 2]], id2label=labels)[2] == "IOBES"
    # a name that is no tag does not matter if no token has it
    assert pair_from_tags([[1]], [[1]], id2label=["[PAD]", "B-X"])[2] == "IOB2"


def test_labels_without_prefixes():
    found = spanometer.score([[0, 1, 1]], [[0, 1, 0]], id2label=["NOUN", "VERB"], prefix=False)
    assert found.results[0].counts == {"both": 1, "predicted": 3, "reference": 2}


@pytest.mark.parametrize("seed", range(4))
def test_random_numbers_against_loops(seed):
    generator = random.Random(seed)
    sides = [[random_tags(generator, "IOB2", length) for length in (0, 5, 9, 3) * 20] for _ in range(2)]
    labels = sorted({tag for side in sides for row in side for tag in row})
    generator.shuffle(labels)
    numbers = [[[labels.index(tag) for tag in row] for row in side] for side in sides]
    kept = [[generator.random() < 0.7 for _ in row] for row in sides[0]]
    for row, flags in zip(numbers[0], kept, strict=True):
        row[:] = [number if flag else 77 for number, flag in zip(row, flags, strict=True)]
    plain = [
        [[tag for tag, flag in zip(row, flags, strict=True) if flag] for row, flags in zip(side, kept, strict=True)]
        for side in sides
    ]
    found = spanometer.score(*numbers, id2label=labels, ignore_index=77, scheme="IOB2")
    assert found.results[0].scores == spanometer.score(*plain, scheme="IOB2").results[0].scores
