"""span_attribute: by hand, the published table, a slow second implementation, scikit-learn, properties."""

import math
import random

import numpy as np
import pytest

from slow import attributes as slow
from spanometer import InputError
from spanometer.measures import SpanAttribute
from spanometer.measures.attribute_items import DocumentFilter
from spanometer.spans.attributes import Attributes

KEYS = ["f", "p", "r", "tp", "support", "positives", "ap"]
AVERAGE_PRECISIONS = ("ties", "edsnlp", "edsnlp-0.20")


def span(attributes, start=0, end=1, label="DIS", **scores):
    found = {"start": start, "end": end, "label": label, "attributes": attributes}
    return {**found, "scores": scores} if scores else found


def score(references, predictions, **options):
    measure = SpanAttribute(**options)
    return measure.score(measure.counts(Attributes.from_dicts(references), Attributes.from_dicts(predictions)))


def numbers(result, name="micro"):
    return [result[name][key] for key in ("tp", "support", "positives")]


# The published example

PREDICTED = [
    span({"neg": True}, 0, 1, "SYMP"),
    span({"neg": False, "carrier": "PATIENT"}, 1, 2),
    span({"neg": True, "carrier": "PATIENT"}, 2, 3),
]
REFERENCE = [
    span({"neg": True}, 0, 1, "SYMP"),
    span({"neg": False, "carrier": "FATHER"}, 1, 2),
    span({"neg": False, "carrier": "PATIENT"}, 2, 3),
]
EXAMPLE = {"attributes": {"neg": True, "carrier": ["DIS"]}, "default_values": {"neg": np.bool_(False)}}
TABLE = {"micro": [0.57, 0.5, 0.67, 2, 3, 4], "neg": [0.67, 0.5, 1, 1, 1, 2], "carrier": [0.5, 0.5, 0.5, 1, 2, 2]}
AP = {
    "ties": {"micro": 1 / 3, "neg": 0.5, "carrier": 0.25},
    "edsnlp": {"micro": 0.5, "neg": 1.0, "carrier": 0.25},
    "edsnlp-0.20": {"micro": 0.17, "neg": 0.0, "carrier": 0.25},
}


def test_none_is_a_value_with_falsy_ones():
    """Missing or None, as in EDS-NLP 0.23: the first span has no carrier on either side."""
    options = {"attributes": {"neg": True, "carrier": True}, "include_falsy": True}
    result = score([REFERENCE], [PREDICTED], **options)
    assert numbers(result, "carrier") == [2, 3, 3]
    assert numbers(result) == [4, 6, 6]
    assert numbers(score([[span({"a": None})]], [[span({})]], **{**options, "attributes": ["a"]}), "a") == [1, 1, 1]
    without = score([REFERENCE], [PREDICTED], **options, default_values={"carrier": None})
    assert numbers(without, "carrier") == [1, 2, 2]


@pytest.mark.parametrize("average_precision", AVERAGE_PRECISIONS)
def test_published(average_precision):
    result = score([REFERENCE], [PREDICTED], average_precision=average_precision, **EXAMPLE)
    assert list(result) == ["micro", "neg", "carrier"]
    for name, printed in TABLE.items():
        assert list(result[name]) == KEYS
        assert [round(value, 2) for value in list(result[name].values())[:-1]] == printed
        expected = AP[average_precision][name]
        digits = 2 if average_precision == "edsnlp-0.20" else 12
        assert round(result[name]["ap"], digits) == round(expected, digits)


# What an item is


ALIKE = [True, 1, 1.0, "1", "True", "true", "1.0"]


@pytest.mark.parametrize("one", ALIKE)
@pytest.mark.parametrize("other", ALIKE)
def test_values_that_differ_in_type_alone(one, other):
    references = [[], [span({"y": other}), span({"x": one}, 1, 2)]]
    predictions = [[], [span({"y": other, "x": None}), span({"x": [other, "z"]}, 1, 2)]]
    if type(one) is type(other):
        assert numbers(score(references, predictions), "x") == [int(one == other), 1, 2]
        return
    for options in ({}, {"attributes": ["x"]}, {"filter": bool}, {"on_mismatch": "count"}):
        with pytest.raises(InputError) as caught:
            score(references, predictions, **options)
        assert caught.value.place == "predictions, document 1, span 1"
        assert caught.value.other.place == "references, document 1, span 1"
        kinds = [f"{value!r} (of type {type(value).__name__})" for value in (other, one)]
        problem = f"the value of 'x' is {kinds[0]} here, and {kinds[1]} in references, document 1, span 1."
        assert str(caught.value).startswith(f"predictions, document 1, span 1: {problem}")
    # another attribute may have them, and so may one that is not scored
    assert numbers(score(references, predictions, attributes=["y"])) == [1, 1, 1]


def test_values_that_differ_in_type_alone_against_slow():
    refused = 0
    for seed in range(300):
        generator = random.Random(seed)
        values = generator.sample((True, False, 0, 1, 2, 0.5, 1.0, 2.0, "1", "0.5", "false", "a", "", None), 5)
        references, predictions = random_corpus(generator, values)
        clash = slow.first_clash(references, predictions)
        if clash is None:
            score(references, predictions)
            continue
        refused += 1
        with pytest.raises(InputError, match="Use one type for all values") as caught:
            score(references, predictions)
        error = caught.value
        assert ((error.side, error.document, error.span), repr(error.problem.split("'")[1])) == clash
    assert 60 < refused < 250


@pytest.mark.parametrize("options", [{"attributes": {"x": ["DIS", "SYM"]}}, {"default_values": {"typo": None}}])
def test_names_are_compared_with_those_of_spans_if_there_are_any(options):
    assert score([[]], [[]], **options)["micro"]["support"] == 0
    references = [[span({"x": 1}), span({"x": 2}, 1, 2, "SYMP")], []]
    assert score(references, references, filter=lambda spans: not spans, **options)["micro"]["support"] == 0


def test_parts_may_lack_names_that_others_have():
    references = [[span({"x": 1})], [span({"y": 1}, label="B")], []]
    for options in ({"attributes": {"x": ["DIS"], "y": ["B"]}}, {"attributes": ["y"], "default_values": {"x": 2}}):
        measure = SpanAttribute(**options)
        sides = [Attributes.from_dicts([document]) for document in references]
        parts = [measure.counts(side, side) for side in sides]
        for part in parts[:2]:
            with pytest.raises(InputError, match="no span has the"):
                part.score()
        whole = parts[0] + parts[1] + parts[2]
        assert whole.score()["y"] == score(references, references, **options)["y"]
        stored = [SpanAttribute(**options).counts_type.from_bytes(part.to_bytes(), measure) for part in parts]
        assert sum(stored).seen == whole.seen == {"attributes": {"x", "y"}, "labels": {"DIS", "B"}}
        assert sum(stored).condensed().score() == whole.score()


@pytest.mark.parametrize("average_precision", AVERAGE_PRECISIONS)
def test_nothing_to_score(average_precision):
    asked = {"average_precision": average_precision, "attributes": ["x"]}
    zeros = dict.fromkeys(KEYS, 0)
    for sides in (
        ([], []),
        ([[]], [[]]),
        ([[span({"x": False})]], [[span({})]]),
        ([[span({})]], [[span({"x": None})]]),
    ):
        assert score(*sides, **asked) == {"micro": zeros, "x": zeros}
        ones = {key: 1.0 if key in ("f", "p", "r", "ap") else 0 for key in KEYS}
        assert score(*sides, **asked, zero_division=1.0)["x"] == ones
        assert math.isnan(score(*sides, **asked, zero_division=math.nan)["x"]["ap"])
    assert score([], []) == {"micro": zeros}
    # an attribute that occurs without a value is reported
    assert score([[span({"x": None})]], [[span({})]]) == {"micro": zeros, "x": zeros}


# Spans


MISMATCHES = [
    # side, document, span, and the two sides
    ("references", 1, 1, [[], [span({}), span({}, 2, 3)]], [[], [span({})]]),
    ("predictions", 1, 0, [[], [span({}, 1, 2)]], [[], [span({}, 0, 1), span({}, 1, 2)]]),
    ("references", 0, 0, [[span({}, label="A")]], [[span({}, label="B")]]),
    ("predictions", 0, 0, [[span({}, label="B")]], [[span({}, label="A")]]),
    ("predictions", 0, 1, [[span({}, 5, 7)]], [[span({}, 5, 7), span({}, 5, 6)]]),
    ("references", 0, 0, [[span({})], []], [[], [span({})]]),
    ("references", 2, 1, [[span({})], [], [span({}), span({}, 0, 2)]], [[span({})], [], [span({}), span({}, 0, 3)]]),
]


@pytest.mark.parametrize(("side", "document", "index", "references", "predictions"), MISMATCHES)
def test_different_spans(side, document, index, references, predictions):
    with pytest.raises(InputError, match="is missing in the") as caught:
        score(references, predictions)
    error = caught.value
    assert (error.side, error.document, error.span) == (side, document, index)
    named = (references if side == "references" else predictions)[document][index]
    assert f"from {named['start']} to {named['end']} with the label {named['label']!r}" in error.problem
    assert "on_mismatch" in error.remedy
    # the document's number is the one given, with a filter too
    answers = iter([False] + [True] * len(references))
    with pytest.raises(InputError, match="is missing in the") as caught:
        score([[], *references], [[], *predictions], filter=lambda _: next(answers))
    assert (caught.value.document, caught.value.span) == (document + 1, index)


def unmatched(references, predictions, **options):
    measure = SpanAttribute(on_mismatch="count", **options)
    counts = measure.counts(Attributes.from_dicts(references), Attributes.from_dicts(predictions))
    total = counts.total()
    return (total["unmatched_references"], total["unmatched_predictions"]), measure.unmatched(counts)


def test_spans_without_a_partner_are_counted():
    references = [[span({"x": 1}), span({"x": 1}, 2, 3), span({"x": 1}, 2, 3)], [span({})]]
    predictions = [[span({"x": 1}), span({"x": 1}, 2, 4), span({}, 5, 6)], []]
    said = ["2 reference spans not in the prediction.", "2 predicted spans not in the reference."]
    assert unmatched(references, predictions) == ((2, 2), said)
    assert unmatched(predictions, predictions) == ((0, 0), [])
    # labels are part of spans
    assert unmatched([[span({}, label="A")]], [[span({}, label="B")]])[0] == (1, 1)
    assert unmatched(references, predictions, filter=lambda spans: len(spans) == 1) == (
        (1, 0),
        ["1 reference span not in the prediction."],
    )
    for seed in range(60):
        references, predictions = random_corpus(random.Random(seed))
        _, others = random_corpus(random.Random(seed + 1000))
        documents = min(len(references), len(others))
        sides = references[:documents], others[:documents]
        keys = [
            {(number, *map(one.get, ("start", "end", "label"))) for number, row in enumerate(side) for one in row}
            for side in sides
        ]
        assert unmatched(*sides)[0] == (len(keys[0] - keys[1]), len(keys[1] - keys[0]))


# Options


FAMILY = [
    [span({"carrier": "FATHER", "neg": True}), span({"days": 3}, 5, 6)],
    [span({"carrier": "PATIENT", "neg": False, "days": [1, 9]})],
    [span({"carrier": None})],
    [],
]


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        ("carrier == 'FATHER'", [0]),
        ("carrier==FATHER", [0]),
        ("carrier != 'FATHER'", [0, 1, 2]),
        ('carrier == "PATIENT" and neg == false', [1]),
        ("carrier == FATHER and days == 3", []),
        ("carrier == null and start == 5", [0]),
        ("days > 1 and days < 9", [0, 1]),
        ("neg == 1", []),
        ("neg == true", [0]),
        ("neg == True", [0]),
        ("label == 'DIS' and neg == False", [1]),
        ("days == 3.0", [0]),
        ("days >= -1 and days <= 2", [1]),
    ],
)
def test_filter_by_comparisons(text, documents):
    measure = SpanAttribute(filter=text, include_falsy=True)
    by_hand = SpanAttribute(include_falsy=True)
    side = Attributes.from_dicts(FAMILY)
    chosen = Attributes.from_dicts([FAMILY[document] for document in documents])
    assert measure.score(measure.counts(side, side)) == by_hand.score(by_hand.counts(chosen, chosen))
    assert [DocumentFilter(text)(spans) for spans in side.to_dicts()] == [number in documents for number in range(4)]
    assert f"|filter:{text}|" in measure.signature({})


def test_filter():
    references = [[span({"x": 1})], [span({"x": 1}, label="SYMP")], [span({"x": 1})]]
    predictions = [[span({"x": 1})], [span({"x": 2}, label="SYMP")], [span({"x": 3})]]
    assert numbers(score(references, predictions, filter=lambda _: False, attributes=["x"])) == [0, 0, 0]
    assert score([], [], filter=bool)["micro"]["support"] == 0
    seen = []

    def about_symptoms(spans):
        seen.append(spans)
        return any(one["label"] == "SYMP" for one in spans)

    assert numbers(score(references, predictions, filter=about_symptoms)) == [0, 1, 1]
    assert seen == references
    # what is left out is as if it had not been given: its attributes, and spans that differ
    only = score([[span({"x": 1})], [span({"y": 1})]], [[span({"x": 1})], []], filter="x == 1")
    assert list(only) == ["micro", "x"]


@pytest.mark.parametrize("returned", [None, 1])
def test_refused_filters(returned):
    with pytest.raises(InputError, match=f"filter returned {returned}"):
        score([[], []], [[], []], filter=lambda spans: returned)


def test_an_attribute_called_as_the_key_of_all():
    sides = [[span({"micro": 1})]], [[span({"micro": 1})]]
    assert list(score(*sides, micro_key="all")) == ["all", "micro"]


def test_there_is_no_average():
    with pytest.raises(TypeError, match="average"):
        SpanAttribute(average="macro")


def test_signature():
    assert SpanAttribute().signature({}).rpartition("|v:")[0] == (
        "span_attribute|attributes:None|default_values:None|include_falsy:no|average_precision:ties|filter:None|"
        "on_mismatch:error|zero_division:0"
    )
    asked = SpanAttribute(**EXAMPLE, average_precision="edsnlp", filter=bool, on_mismatch="count")
    assert asked.signature({}).rpartition("|v:")[0] == (
        "span_attribute|attributes:neg,carrier=DIS|default_values:neg=false|include_falsy:no|average_precision:edsnlp|"
        "filter:function|on_mismatch:count|zero_division:0"
    )


# Average precision


def ranked(*scores_and_hits, never_predicted=0, **options):
    """ap of one attribute over predicted items, in the order of the document."""
    references = [span({"x": 1 if hit else 2}, place, place + 1) for place, (_, hit) in enumerate(scores_and_hits)]
    predictions = [span({"x": 1}, place, place + 1) for place in range(len(references))]
    for one, (number, hit) in zip(predictions, scores_and_hits, strict=True):
        one["scores"] = {"x": number}
        if not hit:
            references[one["start"]]["attributes"] = {}
    for place in range(len(references), len(references) + never_predicted):
        references.append(span({"x": 1}, place, place + 1))
        predictions.append(span({}, place, place + 1))
    result = score([references], [predictions], **options)
    assert result["x"]["ap"] == result["micro"]["ap"]
    return result["x"]["ap"]


def test_average_precision_by_hand():
    # ranks: right, wrong, right
    rows = (0.9, True), (0.1, True), (0.5, False)
    assert ranked(*rows) == pytest.approx((1 + 2 / 3) / 2)
    assert ranked(*rows, average_precision="edsnlp") == pytest.approx((1 + 2 / 3) / 2)
    assert ranked(*rows, average_precision="edsnlp-0.20") == pytest.approx(2 / 3 / 2)
    assert ranked((0.9, False), (0.1, True)) == 0.5
    assert ranked((0.9, True), (0.1, False)) == 1.0
    # reference items never predicted: the recall ends at 1/2
    assert ranked((0.9, True), never_predicted=1) == 0.5
    assert ranked(*rows, never_predicted=2) == pytest.approx((1 + 2 / 3) / 4)


def test_infinite_scores():
    assert ranked((-math.inf, True), (0.0, False)) == 0.5
    assert ranked((math.inf, True), (1e308, False)) == 1.0


# Random corpora

VALUES = (True, True, False, 2, -3, 0.5, 2.5, "no", "a", "b", "", None)


def random_corpus(generator, choices=VALUES):
    """Both sides with the same spans; some values and labels agree."""
    references, predictions = [], []
    for _ in range(generator.randrange(5)):
        bounds = [(generator.randrange(4), generator.choice("AB")) for _ in range(generator.randrange(5))]
        sides = []
        for predicted in (False, True):
            document = []
            for start, label in bounds:
                attributes, scores = {}, {}
                for name in generator.sample("xyz", generator.randrange(4)):
                    several = generator.random() < 0.25
                    values = [generator.choice(choices) for _ in range(generator.randrange(4) if several else 1)]
                    attributes[name] = values if several else values[0]
                    if predicted and generator.random() < 0.8:
                        found = [generator.choice((0.1, 0.5, 0.5, 0.9, 1.0, None)) for _ in values]
                        scores[name] = found if several else found[0]
                        # a dict cannot have True and 1 apart
                        if len(set(values)) == len(values) and generator.random() < 0.3:
                            scores[name] = dict(zip(values, found, strict=True))
                document.append(span(attributes, start, start + 1, label, **scores))
            sides.append(document)
        generator.shuffle(sides[1])
        references.append(sides[0])
        predictions.append(sides[1])
    return references, predictions


def random_options(generator, *sides):
    """Options that name nothing but what occurs."""
    spans = [one for side in sides for document in side for one in document]
    names, labels = {name for one in spans for name in one["attributes"]}, {one["label"] for one in spans}
    attributes = generator.choice(
        (None, ["x", "y"], ["z", "x"], {"x": ["A"], "y": True}, {"z": True, "y": ["B", "A"], "x": ["B"]})
    )
    if isinstance(attributes, list):
        attributes = [name for name in attributes if name in names] or None
    elif attributes:
        known = {
            name: asked if asked is True else [label for label in asked if label in labels]
            for name, asked in attributes.items()
            if name in names
        }
        attributes = {name: asked for name, asked in known.items() if asked} or None
    defaults = generator.choice(({}, {}, {"x": True}, {"x": False, "y": "a"}, {"y": 2, "z": 0.5}))
    return {
        "attributes": attributes,
        "default_values": {name: value for name, value in defaults.items() if name in names},
        "include_falsy": generator.random() < 0.4,
        "zero_division": generator.choice((0.0, 1.0)),
        "average_precision": generator.choice(AVERAGE_PRECISIONS),
    }


def close(ours, theirs):
    assert list(ours) == list(theirs)
    for name, values in theirs.items():
        assert ours[name].keys() == values.keys()
        for key, value in values.items():
            assert math.isclose(ours[name][key], value, rel_tol=1e-12, abs_tol=1e-12), (name, key)


CASES = 400


def test_against_slow():
    scores = set()
    for seed in range(CASES):
        generator = random.Random(seed)
        references, predictions = random_corpus(generator)
        options = random_options(generator, references, predictions)
        ours = score(references, predictions, **options)
        close(ours, slow.span_attribute(references, predictions, **options))
        scores.add(round(ours["micro"]["ap"], 3))
    # they are not all trivial
    assert len(scores) > 40


def test_mismatches_against_slow():
    refused = 0
    for seed in range(CASES // 2):
        generator = random.Random(seed)
        references, predictions = random_corpus(generator)
        for side in (references, predictions):
            for document in side:
                if document and generator.random() < 0.3:
                    generator.choice(document).update(generator.choice(({"end": 9}, {"label": "C"})))
                if document and generator.random() < 0.2:
                    document.pop(generator.randrange(len(document)))
        options = random_options(generator, references, predictions)
        if slow.same_spans(references, predictions):
            score(references, predictions, **options)
        else:
            with pytest.raises(InputError, match="is missing in the"):
                score(references, predictions, **options)
            refused += 1
        ours = score(references, predictions, **options, on_mismatch="count")
        close(ours, slow.span_attribute(references, predictions, **options))
    assert CASES // 8 < refused < CASES // 2


def test_large_offsets():
    # codes of items no longer fit one number without ranks
    large = 2**31 - 2
    sides = []
    for number in range(2):
        side = [[] for _ in range(200)]
        side[0] = [span({f"a{name}": name for name in range(50)}, 0, 1)]
        side[199] = [span({"x": [7, "v"][number]}, large, large + 1), span({"x": 1}, 0, large)]
        sides.append(side)
    close(score(*sides), slow.span_attribute(*sides))


def test_against_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed (the extra test)")
    for seed in range(120):
        generator = np.random.default_rng(seed)
        size = generator.integers(1, 40)
        hits = generator.random(size) < 0.5
        hits[0] = True
        scores = generator.random(size).round(generator.integers(1, 4))
        expected = metrics.average_precision_score(hits, scores)
        rows = list(zip(scores.tolist(), hits.tolist(), strict=True))
        assert ranked(*rows) == pytest.approx(expected, rel=1e-12)
        # items never predicted: the share of the reference items that were predicted
        assert ranked(*rows, never_predicted=3) == pytest.approx(expected * hits.sum() / (hits.sum() + 3), rel=1e-12)


def test_curves_against_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed (the extra test)")
    generator = np.random.default_rng(0)
    for _ in range(60):
        hits = generator.random(30) < 0.5
        scores = generator.random(30).round(1)
        references = [[span({"x": 1} if hit else {}, place, place + 1) for place, hit in enumerate(hits)]]
        predictions = [[span({"x": 1}, place, place + 1, x=number) for place, number in enumerate(scores)]]
        measure = SpanAttribute()
        counts = measure.counts(Attributes.from_dicts(references), Attributes.from_dicts(predictions))
        precision, recall, threshold = metrics.precision_recall_curve(hits, scores)
        curve = measure.curves(counts)["x"]
        assert curve.threshold == pytest.approx(threshold[::-1])
        assert curve.precision == pytest.approx(precision[-2::-1])
        assert curve.recall == pytest.approx(recall[-2::-1])


# Properties


@pytest.mark.parametrize("average_precision", AVERAGE_PRECISIONS)
def test_scores_of_documents(average_precision):
    measure = SpanAttribute(average_precision=average_precision)
    for seed in range(60):
        references, predictions = random_corpus(random.Random(seed))
        counts = measure.counts(Attributes.from_dicts(references), Attributes.from_dicts(predictions))
        found = measure.score_per_document(counts)
        assert list(found) == KEYS
        for number, sides in enumerate(zip(references, predictions, strict=True)):
            expected = score(*([side] for side in sides), average_precision=average_precision)["micro"]
            assert {key: values[number] for key, values in found.items()} == pytest.approx(expected)


def test_scores_of_attributes():
    measure = SpanAttribute(**EXAMPLE)
    counts = measure.counts(Attributes.from_dicts([REFERENCE]), Attributes.from_dicts([PREDICTED]))
    result = measure.score(counts)
    assert measure.score_per_label(counts) == {name: result[name] for name in ("neg", "carrier")}
    alone = {"unmatched_references": 0, "unmatched_predictions": 0}
    assert counts.total() == {"tp": 2, "support": 3, "positives": 4, **alone}
    assert counts.labels == ("neg", "carrier")
