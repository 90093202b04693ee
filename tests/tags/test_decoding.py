"""Decoding: against a slow reader, against seqeval, and by hand."""

import random

import pytest

from random_tags import by_document, random_corpus
from slow import decoding as slow
from spanometer import InputError, Spans
from spanometer.arrays import place_of
from spanometer.spans.spans import encoded_tags, pair_from_tags
from spanometer.tags.decoding import illegal_pairs
from spanometer.tags.repairs import REPAIRS
from spanometer.tags.schemes import SCHEMES, get_scheme

NEEDS = {"bes": {"IOBES", "BILOU", "BMES"}, "convert": {"IOB1", "IOB2", "IOBES", "BILOU", "BMES"}}
COMBINATIONS = [
    (scheme, repair) for scheme in SCHEMES for repair in REPAIRS if repair not in NEEDS or scheme in NEEDS[repair]
]


@pytest.mark.parametrize(("scheme", "repair"), [pair for pair in COMBINATIONS if pair[1] != "raise"])
def test_same_as_slow_reader(scheme, repair):
    corpus = random_corpus(f"{scheme} {repair}", scheme)
    ours = by_document(Spans.from_tags(corpus, scheme=scheme, repair=repair))
    assert ours == [slow.decode(tags, scheme, repair) for tags in corpus]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_raise_names_the_first_illegal_pair(scheme):
    refused = 0
    for tags in random_corpus(f"{scheme} raise", scheme, documents=500):
        try:
            expected = slow.decode(tags, scheme, "raise")
        except ValueError as error:
            position, previous, current = error.args[0]
            with pytest.raises(InputError) as raised:
                Spans.from_tags([["O"], tags], scheme=scheme, repair="raise")
            assert raised.value.document == 1
            assert raised.value.position == min(position, len(tags) - 1)
            found = current if position < len(tags) else previous
            assert repr(found) in raised.value.problem
            refused += 1
            continue
        assert by_document(Spans.from_tags([tags], scheme=scheme, repair="raise")) == [expected]
    assert (refused > 0) == (scheme != "IO")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_illegal_pairs(scheme):
    corpus = random_corpus(f"{scheme} pairs", scheme, documents=500)
    tags = encoded_tags(corpus)
    found = [[] for _ in corpus]
    for token, at_end in illegal_pairs(tags, get_scheme(scheme)).tolist():
        document, position = place_of(tags.offsets, token)
        found[document].append(position + at_end)
    assert found == [slow.illegal_pairs(tags, scheme) for tags in corpus]


@pytest.mark.parametrize(("scheme", "repair"), COMBINATIONS)
def test_legal_tags_mean_the_same_under_every_policy(scheme, repair):
    generator = random.Random(scheme)
    corpus = []
    for tags in random_corpus(f"{scheme} legal", "IOB2", documents=500):
        spans = slow.decode(tags, "IOB2", "conlleval")
        if scheme == "IO":  # adjacent spans of one label would merge
            spans = {span for span in spans if generator.random() < 0.5}
            spans = slow.decode(slow.encode(spans, len(tags), "IO"), "IO", "conlleval")
        corpus.append((slow.encode(spans, len(tags), scheme), spans))
    ours = Spans.from_tags([tags for tags, _ in corpus], scheme=scheme, repair=repair)
    assert by_document(ours) == [spans for _, spans in corpus]
    assert ours.to_tags(scheme) == [tags for tags, _ in corpus]


# seqeval


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOE1", "IOE2", "IOBES"])
def test_conlleval_counts_are_those_of_seqeval(scheme):
    from seqeval.metrics.sequence_labeling import get_entities

    references, predictions = (random_corpus(f"{scheme} {side}", scheme) for side in ("references", "predictions"))
    predictions = [
        [*predicted, *reference][: len(reference)] for reference, predicted in zip(references, predictions, strict=True)
    ]
    reference, predicted, _ = pair_from_tags(references, predictions, scheme=scheme)
    for ours, documents in ((reference, references), (predicted, predictions)):
        theirs = [{(label, start, end + 1) for label, start, end in get_entities(tags)} for tags in documents]
        assert by_document(ours) == theirs
    from spanometer.measures import SpanF

    counts = SpanF().counts(reference, predicted)
    true, guessed = (
        {(number, *entity) for number, tags in enumerate(documents) for entity in get_entities(tags)}
        for documents in (references, predictions)
    )
    assert (counts.both, counts.predicted, counts.reference) == (len(true & guessed), len(guessed), len(true))
    assert counts.both > 0


# by hand


@pytest.mark.parametrize(
    ("scheme", "repair", "tags", "spans"),
    [
        ("IOB2", "conlleval", "I-A I-A O I-B", {("A", 0, 2), ("B", 3, 4)}),
        ("IOB2", "conlleval", "B-A I-B", {("A", 0, 1), ("B", 1, 2)}),
        ("IOB2", "discard", "B-A I-B", {("A", 0, 1)}),
        ("IOB2", "discard", "I-A I-A O B-B", {("B", 3, 4)}),
        ("IOBES", "conlleval", "B-A O E-A", {("A", 0, 1), ("A", 2, 3)}),
        ("IOBES", "discard", "B-A I-A O S-A", {("A", 3, 4)}),
        ("IOBES", "bes", "B-A O E-A", {("A", 0, 3)}),
        ("IOBES", "bes", "B-A I-B E-B", {("A", 0, 3)}),
        ("IOBES", "bes", "B-A O S-B E-A", {("A", 0, 2), ("B", 2, 3)}),
        ("IOBES", "bes", "I-A O B-A O", {("A", 2, 4)}),
        ("IOBES", "convert", "S-A I-A E-A E-A", {("A", 0, 4)}),
        ("BMES", "conlleval", "B-A M-A E-A S-A", {("A", 0, 3), ("A", 3, 4)}),
        ("IOB1", "conlleval", "I-A I-A B-A I-B", {("A", 0, 2), ("A", 2, 3), ("B", 3, 4)}),
        ("IOE1", "conlleval", "I-A E-A I-A", {("A", 0, 2), ("A", 2, 3)}),
        ("IOBES", "flair", "B-A E-B E-B O E-A S-A I-A I-B", {("B", 0, 3), ("A", 4, 5), ("A", 5, 7), ("B", 7, 8)}),
        ("IOBES", "flair", "B-A E-B O", {("A", 0, 2)}),
        ("IOBES", "stanza", "B-A I-B O I-A E-B", {("B", 0, 2), ("B", 3, 5)}),
        ("IOB2", "explainaboard", "I-A I-B B-B", {("A", 0, 2), ("B", 2, 3)}),
        ("IOB2", "nereval", "B-A I-B I-B O I-A I-A", {("A+B+B", 0, 3), ("A", 4, 6)}),
    ],
)
def test_policies_by_hand(scheme, repair, tags, spans):
    assert by_document(Spans.from_tags([tags.split()], scheme=scheme, repair=repair)) == [spans]


def test_spans_do_not_cross_documents():
    assert by_document(Spans.from_tags([["B-A"], ["I-A"], [], ["I-A"]])) == [
        {("A", 0, 1)},
        {("A", 0, 1)},
        set(),
        {("A", 0, 1)},
    ]
    tags = [["B-A", "O"], ["E-A"], ["B-A"], [], ["O"]]
    assert by_document(Spans.from_tags(tags, scheme="IOBES", repair="bes")) == [
        {("A", 0, 2)},
        set(),
        {("A", 0, 1)},
        set(),
        set(),
    ]


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("O O", "IO"),
        ("I-A O", "IO"),
        ("B-A I-A", "IOB2"),
        ("B-A", "IOB2"),
        ("I-A E-A", "IOE2"),
        ("E-A", "IOE2"),
        ("S-A O", "IOBES"),
        ("B-A E-A", "IOBES"),
        ("B-A L-A", "BILOU"),
        ("U-A", "BILOU"),
        ("B-A M-A E-A", "BMES"),
        ("M-A", "BMES"),
    ],
)
def test_scheme_told_from_prefixes(tags, scheme):
    assert pair_from_tags([tags.split()], [["O"] * len(tags.split())])[2] == scheme


def test_scheme_told_from_both_sides():
    assert pair_from_tags([["B-A", "I-A"]], [["S-A", "O"]])[2] == "IOBES"
    iob2, iobes = [["B-A", "I-A", "O"]], [["B-A", "E-A", "O"]]
    for side, pair in (("references", (iob2, iobes)), ("predictions", (iobes, iob2))):
        for repair in ("conlleval", "stanza"):
            assert [by_document(spans) for spans in pair_from_tags(*pair, repair=repair)[:2]] == [[{("A", 0, 2)}]] * 2
        for repair in ("discard", "bes"):
            with pytest.raises(InputError, match=f"{side}: .*IOB2"):
                pair_from_tags(*pair, repair=repair)


def test_labels_keep_hyphens_and_characters():
    spans = Spans.from_tags([["B-Medication-Vaccine", "I-Medication-Vaccine", "B-персона", "B--x"]])
    assert spans.labels == ("-x", "Medication-Vaccine", "персона")
    assert len(spans) == 3


def test_labels_without_spans_are_no_labels():
    spans = Spans.from_tags([["B-A", "I-B"]], repair="discard")
    assert spans.labels == ("A",)


def test_bare_prefixes():
    assert by_document(Spans.from_tags([["B", "I", "O", "B"]])) == [{("_", 0, 2), ("_", 3, 4)}]
