"""The module `mention_f`: mentions in, as pairs, dicts and Arrow columns."""

import random
from collections import Counter

import evaluate
import pyarrow as pa
import pytest

import spanometer
from spanometer import InputError

ADA, LOWER, LONDON = ("PER", "Ada Lovelace"), ("PER", "ada lovelace"), ("LOC", "London")
REFERENCES = [[ADA, ADA, LONDON], []]
PREDICTIONS = [[ADA, LOWER, ("ORG", "London")], [ADA]]


@pytest.fixture(scope="module")
def mention_f():
    return evaluate.load(spanometer.path("mention_f"))


@pytest.mark.parametrize(
    ("options", "counts"),
    [
        ({}, (1, 4, 3)),
        ({"fold": "case"}, (2, 4, 3)),
        ({"copies": "set"}, (1, 4, 2)),
        ({"fold": "case", "copies": "set"}, (1, 3, 2)),
        # Ada and London; the one of the second document is never right
        ({"labels": "ignore"}, (2, 4, 3)),
    ],
)
def test_counts_by_hand(mention_f, options, counts):
    result = mention_f.compute(predictions=PREDICTIONS, references=REFERENCES, details=True, **options)
    both, predicted, reference = counts
    assert result["counts"] == {"both": both, "predicted": predicted, "reference": reference}
    assert (result["precision"], result["recall"]) == (both / predicted, both / reference)
    assert result["f1"] == pytest.approx(2 * both / (predicted + reference), abs=1e-15)
    assert set(result["per_label"]) == ({"_"} if "labels" in options else {"LOC", "ORG", "PER"})


def test_random_documents_against_counters(mention_f):
    generator = random.Random(0)
    texts = ["Ann", "ann", " Ann", "Bo", "Oslo"]
    for _ in range(60):
        sides = [
            [[(generator.choice("AB"), generator.choice(texts)) for _ in range(generator.randrange(6))] for _ in "123"]
            for _ in range(2)
        ]
        bags = [[Counter((label, text.strip()) for label, text in row) for row in side] for side in sides]
        both = sum((one & other).total() for one, other in zip(*bags, strict=True))
        sizes = [sum(bag.total() for bag in side) for side in bags]
        result = mention_f.compute(predictions=sides[0], references=sides[1])
        expected = [both / size if size else 0.0 for size in sizes]
        assert [result["precision"], result["recall"]] == expected


def test_forms_of_mentions(mention_f):
    expected = mention_f.compute(predictions=PREDICTIONS, references=REFERENCES)
    objects = [[{"label": label, "text": text, "start": 3} for label, text in row] for row in REFERENCES]
    columns = [pa.array([[dict(zip(("label", "text"), one, strict=True)) for one in row] for row in PREDICTIONS])]
    columns.append(pa.chunked_array(columns))
    for predictions in (PREDICTIONS, [list(map(list, row)) for row in PREDICTIONS], *columns):
        for references in (REFERENCES, objects):
            assert mention_f.compute(predictions=predictions, references=references) == expected
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        mention_f.add(prediction=prediction, reference=reference)
    assert mention_f.compute() == expected


def test_answers_that_are_read_by_rules_of_projects(mention_f):
    from spanometer.grounding import ground_strings

    answer = '[["PER", "ada lovelace"], ["PER", "Byron"], ["ORG", "Ada Lovelace"]]'
    found = ground_strings(["Ada Lovelace lived."], [answer], policy="gollie", labels=["PER", "LOC"])
    given = {"predictions": found.mentions.to_pairs(), "references": [[ADA]]}
    # the other label and what is not in the text are dropped
    assert mention_f.compute(**given, **found.policy.compared)["f1"] == 1.0
    assert mention_f.compute(**given)["f1"] == 0.0


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        ([[ADA], [("PER",)]], r"references, document 1, span 0: \('PER',\) is not a label and a text"),
        ([[ADA], [("PER", " ")]], "document 1, span 0: the text is empty"),
        ([[ADA], ["Ada"]], "'Ada' is not a label and a text"),
        ([[ADA]], "2 predicted documents, 1 reference document"),
        ([{"PER": ["Ada"]}, []], "references, document 0"),
    ],
)
def test_errors(mention_f, documents, said):
    with pytest.raises(InputError, match=said):
        mention_f.compute(predictions=PREDICTIONS, references=documents)
    assert mention_f.compute(predictions=REFERENCES, references=REFERENCES)["f1"] == 1.0


def test_options_of_other_inputs_are_refused():
    with pytest.raises(InputError, match="Use one of 'mentions'"):
        spanometer.load("mention_f", "tags")
    with pytest.raises(InputError, match="mention_f has no option 'scheme'"):
        spanometer.load("mention_f").compute(predictions=[[]], references=[[]], scheme="IOB2")
