"""span_attribute against EDS-NLP's own metric: the same where the rules are, and each place where they are not."""

import random

import pytest

from spanometer import InputError
from spanometer.measures import SpanAttribute
from spanometer.spans.attributes import Attributes

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (it comes with the extra edsnlp)")
theirs = pytest.importorskip("edsnlp.metrics.span_attribute", reason="edsnlp is not installed (the extra edsnlp)")

NAMES = ("neg", "carrier", "count")
EXAMPLE = {"attributes": {"neg": True, "carrier": ["DIS"]}, "default_values": {"neg": False}}


@pytest.fixture(scope="module")
def vocabulary():
    """Extensions for the attributes and for their probabilities, by value, as the metric reads them."""
    from spacy.tokens import Span

    for name in NAMES:
        Span.set_extension(name, default=None, force=True)
    Span.set_extension("prob", default={}, force=True)
    yield spacy.blank("xx").vocab
    for name in (*NAMES, "prob"):
        Span.remove_extension(name)


def document(vocabulary, spans):
    """A document of 12 tokens with these spans, `scores` being the probabilities by value."""
    from spacy.tokens import Doc, Span

    doc = Doc(vocabulary, words=["word"] * 12)
    group = []
    for one in spans:
        found = Span(doc, one["start"], one["end"], label=one["label"])
        for name, value in one["attributes"].items():
            found._.set(name, value)
        found._.prob = one.get("scores", {})
        group.append(found)
    doc.spans["all"] = group
    return doc


def edsnlp(vocabulary, references, predictions, **options):
    """Their result."""
    metric = theirs.SpanAttributeMetric(span_getter={"all": True}, **options)
    sides = [[document(vocabulary, spans) for spans in side] for side in (references, predictions)]
    return metric(*sides)


def ours(references, predictions, **options):
    measure = SpanAttribute(**{"average_precision": "edsnlp", **options})
    return measure.score(measure.counts(Attributes.from_dicts(references), Attributes.from_dicts(predictions)))


VALUES = {"neg": (True, False), "carrier": ("PATIENT", "FATHER", "MOTHER", ""), "count": (0, 1, 2, 3)}


def random_pair(generator):
    """Both sides with the same spans; scores for the values of the prediction, many of them equal."""
    references, predictions = [], []
    for _ in range(generator.randrange(1, 7)):
        bounds = sorted({(start, start + generator.randrange(1, 3)) for start in generator.sample(range(10), 4)})
        labels = [generator.choice(("SYMP", "DIS")) for _ in bounds]
        for side in (references, predictions):
            spans = []
            for (start, end), label in zip(bounds, labels, strict=True):
                attributes = {name: generator.choice((*values, None)) for name, values in VALUES.items()}
                found = {"start": start, "end": end, "label": label, "attributes": attributes}
                if side is predictions:
                    # some values have no probability
                    found["scores"] = {
                        name: {value: generator.randrange(11) / 10 for value in values if generator.random() < 0.8}
                        for name, values in VALUES.items()
                        if generator.random() < 0.8
                    }
                spans.append(found)
            side.append(spans)
    return references, predictions


def random_options(generator, documents):
    # a label that no span has is an error
    known = {one["label"] for spans in documents for one in spans}
    attributes = {"neg": True, "carrier": sorted({"DIS"} & known) or True, "count": sorted(known)}
    names = generator.sample(NAMES, generator.randrange(1, 4))
    return {
        "attributes": {name: generator.choice((True, attributes[name])) for name in names},
        "default_values": generator.choice(({}, {"neg": False}, {"neg": True, "count": 1}, {"carrier": "PATIENT"})),
        "include_falsy": False,
    }


def compare(found, expected, attributes):
    """Their values for all keys that they have; attributes without items they leave out."""
    assert expected.keys() <= found.keys() == {"micro", *attributes}
    for name, values in found.items():
        if name in expected:
            assert values == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name
        else:
            assert not any(values[key] for key in ("tp", "support", "positives"))


def one_where_nothing_is(result):
    """Their precision and recall: 1 where there is nothing to divide by; all else 0."""
    return {
        name: {**values, "p": values["p"] if values["positives"] else 1, "r": values["r"] if values["support"] else 1}
        for name, values in result.items()
    }


def test_the_same(vocabulary):
    documents, values = 0, set()
    for seed in range(800):
        generator = random.Random(seed)
        references, predictions = random_pair(generator)
        options = random_options(generator, references)
        found = one_where_nothing_is(ours(references, predictions, **options))
        compare(found, edsnlp(vocabulary, references, predictions, **options), options["attributes"])
        documents += len(references)
        values.add(round(found["micro"]["ap"], 6))
    assert documents > 2000
    assert len(values) > 300


def test_the_same_with_falsy_values(vocabulary):
    # with a default of each attribute, which they need
    for seed in range(400):
        generator = random.Random(seed)
        references, predictions = random_pair(generator)
        options = {
            **random_options(generator, references),
            "include_falsy": True,
            "default_values": {"neg": generator.choice((True, False, None)), "carrier": "MOTHER", "count": 2},
        }
        found = one_where_nothing_is(ours(references, predictions, **options))
        compare(found, edsnlp(vocabulary, references, predictions, **options), options["attributes"])


def test_the_same_bounds_with_two_labels(vocabulary):
    # one item for both, its last probability; the attributes of equal bounds are the same in spaCy
    def side(values):
        return [
            [
                {"start": start, "end": start + 1, "label": label, "attributes": {"carrier": value}}
                for start, value in enumerate(values)
                for label in ("DIS", "SYMP")
            ]
        ]

    sides = side(["PATIENT", "FATHER", "PATIENT"]), side(["PATIENT", "PATIENT", "PATIENT"])
    for labels in (True, ["DIS"], ["SYMP"], ["DIS", "SYMP"]):
        options = {"attributes": {"carrier": labels}}
        found = ours(*sides, **options)
        compare(found, edsnlp(vocabulary, *sides, **options), ["carrier"])
        assert found["carrier"]["support"] == 3


def test_the_same_documents(vocabulary):
    from spanometer.readers.spacy import from_spacy

    options = {"attributes": {"neg": True}}
    sides = [[document(vocabulary, [one({"neg": value})]) for value in side] for side in ((1, 1, 0), (1, 0, 1))]
    expected = theirs.SpanAttributeMetric(span_getter={"all": True}, **options, filter_expr="doc.spans['all'][0]._.neg")
    chosen = from_spacy(*sides, attributes=["neg"], spans="all", filter=lambda doc: doc.spans["all"][0]._.neg)
    assert ours(**chosen, **options) == expected(*sides)
    assert ours(**chosen, **options)["micro"]["support"] == 2


def test_the_published_example(vocabulary):
    converters = pytest.importorskip("edsnlp.data.converters", reason="edsnlp is not installed (the extra edsnlp)")
    converter = converters.MarkupToDocConverter(preset="md", span_setter="entities")
    texts = [
        "Le patient n'est pas [fièvreux](SYMP neg=true), son père a [du diabète](DIS neg=false carrier=FATHER). "
        "Pas d'évolution du [cancer](DIS neg=false carrier=PATIENT).",
        "Le patient n'est pas [fièvreux](SYMP neg=true), son père a [du diabète](DIS neg=false carrier=PATIENT). "
        "Pas d'évolution du [cancer](DIS neg=true carrier=PATIENT).",
    ]
    docs = [converter(text) for text in texts]
    sides = [
        [
            [
                {
                    "start": span.start,
                    "end": span.end,
                    "label": span.label_,
                    "attributes": {"neg": span._.neg, "carrier": span._.carrier},
                }
                for span in doc.spans["entities"]
            ]
        ]
        for doc in docs
    ]
    metric = theirs.SpanAttributeMetric(span_getter={"entities": True}, **EXAMPLE)
    assert ours(*sides, **EXAMPLE) == metric([docs[0]], [docs[1]])
    # the first has no carrier, which counts as a value; a default that no span has stands for none
    options = {"attributes": {"neg": True, "carrier": True}, "include_falsy": True}
    metric = theirs.SpanAttributeMetric(
        span_getter={"entities": True}, **options, default_values={"neg": "-", "carrier": "-"}
    )
    found = ours(*sides, **options)
    expected = metric([docs[0]], [docs[1]])
    assert {name: pytest.approx(values) for name, values in expected.items()} == found
    assert (found["carrier"]["support"], found["micro"]["f"]) == (3, pytest.approx(2 / 3))


# Where the rules differ


def one(attributes, start=0, label="DIS", **scores):
    found = {"start": start, "end": start + 1, "label": label, "attributes": attributes}
    return {**found, "scores": scores} if scores else found


def test_labels_are_ignored_there_when_bounds_are_equal(vocabulary):
    sides = [[one({"neg": True}, label="DIS")]], [[one({"neg": True}, label="SYMP")]]
    options = {"attributes": {"neg": True}}
    assert edsnlp(vocabulary, *sides, **options)["neg"]["tp"] == 1
    with pytest.raises(InputError, match="the label 'DIS' is missing in the predictions"):
        ours(*sides, **options)
    # as there
    assert ours(*sides, **options, on_mismatch="count")["neg"]["tp"] == 1


def test_only_the_number_of_spans_is_compared_there(vocabulary):
    sides = [[one({"neg": True}, 0)], [one({"neg": True}, 1)]], [[one({"neg": True}, 5)], [one({"neg": True}, 6)]]
    options = {"attributes": {"neg": True}}
    assert edsnlp(vocabulary, *sides, **options)["neg"]["f"] == 0
    with pytest.raises(InputError, match="references, document 0, span 0"):
        ours(*sides, **options)
    counted = ours(*sides, **options, on_mismatch="count")
    assert counted["neg"] == edsnlp(vocabulary, *sides, **options)["neg"]
    # another number is an error there that says no place
    with pytest.raises(ValueError, match="Number of predicted and gold spans differ: 1 != 2"):
        edsnlp(vocabulary, sides[0], [sides[1][0], []], **options)


def test_precision_and_recall_are_1_there_where_there_is_nothing_to_score(vocabulary):
    sides = [[one({"neg": False})]], [[one({"neg": False})]]
    options = {"attributes": {"neg": True}}
    expected = edsnlp(vocabulary, *sides, **options)
    nothing = {"tp": 0, "support": 0, "positives": 0}
    assert expected == {"micro": {"p": 1, "r": 1, "f": 0.0, "ap": 0.0, **nothing}}
    # and an attribute without items is left out
    zeros = {"p": 0.0, "r": 0.0, "f": 0.0, "ap": 0.0, **nothing}
    assert ours(*sides, **options) == {"micro": zeros, "neg": zeros}
    assert ours(*sides, **options, zero_division=1.0)["micro"] == {"p": 1, "r": 1, "f": 1, "ap": 1, **nothing}


def test_equal_values_of_different_types_are_one_there(vocabulary):
    options = {"attributes": {"neg": True}}
    for value, other in ((True, 1), (1, 1.0)):
        sides = [[one({"neg": value})]], [[one({"neg": other})]]
        assert edsnlp(vocabulary, *sides, **options)["neg"]["tp"] == 1
        with pytest.raises(InputError, match="Use one type for all values"):
            ours(*sides, **options)
    # the default False leaves out 0
    sides = [[one({"neg": 0})]], [[one({"neg": 0})]]
    options = {**options, "include_falsy": True, "default_values": {"neg": False}}
    assert edsnlp(vocabulary, *sides, **options)["micro"]["tp"] == 0
    with pytest.raises(InputError, match=r"and False \(of type bool\) in `default_values`"):
        ours(*sides, **options)


def test_the_order_of_equal_scores_matters_there(vocabulary):
    hit, miss = ([one({"neg": True})], [one({"neg": True})]), ([one({"neg": False})], [one({"neg": True})])
    options = {"attributes": {"neg": True}}
    for pairs, expected in (((hit, miss), 1.0), ((miss, hit), 0.5)):
        sides = [list(side) for side in zip(*pairs, strict=True)]
        assert edsnlp(vocabulary, *sides, **options)["neg"]["ap"] == expected
        assert ours(*sides, **options)["neg"]["ap"] == expected
        assert ours(*sides, **options, average_precision="ties")["neg"]["ap"] == 0.5
