"""The grid of repair policies and the spread of scores over it."""

import itertools
import random

import numpy as np
import pytest

from random_tags import by_document, random_corpus, random_tags
from slow import policies as slow
from spanometer import InputError, Spans
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.measures import MEASURES, Bcubed, IntersectionF, SlIcm, SpanF
from spanometer.tags.decoding import read_roles
from spanometer.tags.repairs import NAMED, PLACES, RepairGrid, _is_twin, read_all
from spanometer.tags.schemes import SCHEMES, get_scheme
from spanometer.tags.tags import Tags
from spanometer.tags.viterbi import decode

GRIDS = {"IOBES": 7744, "BILOU": 7744, "BMES": 7744, "IOB2": 12}


def readings(documents, scheme):
    """For each policy and document the set of spans, by the package."""
    tags = Tags.from_lists(documents)
    roles, labels, names = read_roles(tags, get_scheme(scheme))
    grid = RepairGrid.of(get_scheme(scheme))
    document, columns, of_policy = read_all(grid, roles, labels, tags.offsets)
    spans = [set() for _ in document]
    for reading, start, end, label in zip(*columns, strict=True):
        assert (names[label], start, end) not in spans[reading]
        spans[reading].add((names[label], int(start), int(end)))
    return grid, of_policy, spans


def test_sizes():
    for scheme, size in GRIDS.items():
        assert len(RepairGrid.of(get_scheme(scheme))) == size
    for scheme in set(SCHEMES) - set(GRIDS):
        with pytest.raises(InputError, match=f"no repair actions for {scheme} tags"):
            RepairGrid.of(get_scheme(scheme))


@pytest.mark.parametrize("scheme", GRIDS)
def test_same_as_slow_reader(scheme):
    corpus = random_corpus(f"{scheme} grid", scheme, documents=60)
    grid, of_policy, spans = readings(corpus, scheme)
    generator = random.Random(scheme)
    policies = range(len(grid)) if len(grid) < 100 else [*grid.named.values(), *generator.sample(range(len(grid)), 150)]
    for policy in policies:
        for document, tags in enumerate(corpus):
            expected = slow.read(tags, scheme, grid.describe(policy))
            assert spans[of_policy[policy, document]] == expected, (tags, grid.describe(policy))


@pytest.mark.parametrize("scheme", GRIDS)
def test_named_policies_are_those_of_the_decoder(scheme):
    corpus = random_corpus(f"{scheme} named", scheme, documents=120)
    grid, of_policy, spans = readings(corpus, scheme)
    assert set(grid.named) == set(NAMED["BIO" if scheme == "IOB2" else "BIOES"])
    for policy, index in grid.named.items():
        expected = by_document(Spans.from_tags(corpus, scheme=scheme, repair=policy))
        assert [spans[reading] for reading in of_policy[index]] == expected


@pytest.mark.parametrize("scheme", GRIDS)
def test_a_policy_of_the_grid_is_a_repair(scheme):
    corpus = random_corpus(f"{scheme} point", scheme, documents=40)
    grid = RepairGrid.of(get_scheme(scheme))
    for policy in random.Random(scheme).sample(range(len(grid)), 10):
        actions = grid.describe(policy)
        ours = by_document(Spans.from_tags(corpus, scheme=scheme, repair=", ".join(actions.values())))
        assert ours == [slow.read(tags, scheme, actions) for tags in corpus], actions


@pytest.mark.parametrize(
    ("tags", "ends"),
    [("S-A S-A", [2]), ("E-A E-A", [1, 2]), ("B-A E-A B-A", [3]), ("S-A B-A S-B", [2, 3]), ("B-A B-A I-A", [1, 3])],
)
def test_spans_of_the_conll_script(tags, ends):
    """It knows no S, and a B behind an E begins nothing; under IOB tags it reads as conlleval does."""
    assert Spans.from_tags([tags.split()], scheme="IOBES", repair="conlleval.pl").end.tolist() == ends


def every_sequence(scheme, most):
    """All tag sequences of up to so many tokens over two labels."""
    tags = ["O", *(f"{prefix}-{label}" for prefix in SCHEMES[scheme].prefixes for label in "AB")]
    return [list(some) for length in range(most + 1) for some in itertools.product(tags, repeat=length)]


@pytest.mark.parametrize("scheme", ["IOB2", "IOBES", "BILOU"])
def test_modes_of_seqeval_are_policies_on_every_input(scheme):
    from seqeval import scheme as schemes
    from seqeval.metrics.sequence_labeling import get_entities

    documents = every_sequence(scheme, 3)
    strict = [
        {(entity.tag, entity.start, entity.end) for entity in entities}
        for entities in schemes.Entities(documents, getattr(schemes, scheme)).entities
    ]
    assert by_document(Spans.from_tags(documents, scheme=scheme, repair="discard")) == strict
    if scheme != "BILOU":
        lenient = [{(label, start, end + 1) for label, start, end in get_entities(tags)} for tags in documents]
        assert by_document(Spans.from_tags(documents, scheme=scheme, repair="conlleval")) == lenient


# read by itself, each of these tells some choice from another
TELLING = [
    *("B-A B-A E-A", "B-A I-A B-A E-A", "I-A E-A", "B-A I-B E-B", "B-A I-B E-A", "B-A O E-A", "E-A", "B-A E-B"),
    *("B-A S-A E-A", "B-A", "B-A E-B E-A", "B-A I-B S-A", "B-A I-B B-A I-B", "B-A I-B O E-B", "B-A I-B", "B-A I-B O"),
]


@pytest.mark.parametrize("scheme", ["IOBES", "IOB2"])
def test_no_two_policies_read_everything_alike(scheme):
    documents = [tags.split() for tags in TELLING]
    if scheme == "IOB2":
        documents = [["I-A"], ["B-A", "I-B"]]
    grid, of_policy, spans = readings(documents, scheme)
    distinct = {frozenset(reading) for reading in spans}
    number = {reading: index for index, reading in enumerate(distinct)}
    outcome = np.array([number[frozenset(reading)] for reading in spans])[of_policy]
    assert len(np.unique(outcome, axis=0)) == len(grid) == GRIDS[scheme]


def test_twins_are_counted_once():
    everything = np.prod([len(place.actions) for place in PLACES["BIOES"]])
    generator = random.Random(8)
    corpus = [random_tags(generator, "IOBES", generator.choice((3, 6, 10)), labels="ABC") for _ in range(500)]
    twins = 0
    for choice in itertools.product(*(place.actions for place in PLACES["BIOES"])):
        policy = dict(zip((place.name for place in PLACES["BIOES"]), choice, strict=True))
        if policy["I other"] == "relabel" and _is_twin(policy):
            twins += 1
            other = {**policy, "I other": "absorb"}
            assert all(slow.read(tags, "IOBES", policy) == slow.read(tags, "IOBES", other) for tags in corpus)
    assert everything - twins == len(RepairGrid.of(get_scheme("IOBES")))


def random_sides(scheme, seed, documents=50):
    generator = random.Random(seed)
    references = [random_tags(generator, "IOB2", generator.choice((0, 1, 3, 9))) for _ in range(documents)]
    references = Spans.from_tags(references, scheme="IOB2").to_tags(scheme)
    predictions = [list(tags) for tags in references]
    names = ["O", *(f"{prefix}-{label}" for prefix in SCHEMES[scheme].prefixes for label in "ABC")]
    for tags in predictions:
        for position in range(len(tags)):
            if generator.random() < 0.15:
                tags[position] = generator.choice(names)
    return references, predictions


@pytest.mark.parametrize("scheme", GRIDS)
def test_spread_is_that_of_scoring_each_policy(scheme):
    measures = [SpanF(average="macro"), Bcubed(), IntersectionF(), SlIcm()]
    references, predictions = random_sides(scheme, scheme)
    spread = policy_spread(references, predictions, scheme=scheme, measures=measures)
    reference = Spans.from_tags(references, scheme=scheme)
    generator = random.Random(2)
    policies = [*spread.grid.named.values(), *generator.sample(range(len(spread.grid)), 10)]
    for policy in policies:
        choice = spread.grid.describe(policy)
        documents = [
            [{"start": s, "end": e, "label": label} for label, s, e in slow.read(tags, scheme, choice)]
            for tags in predictions
        ]
        read = Spans.from_dicts(documents, lengths=[len(tags) for tags in predictions])
        for measure in measures:
            expected = measure.score(measure.counts(reference, read))[measure.headline]
            assert spread.measures[measure.name].scores[policy] == pytest.approx(expected, abs=1e-12)
    converted = Spans.from_tags(predictions, scheme=scheme, repair="convert")
    found = spread.measures["span_f"]
    assert found.named["convert"] == SpanF(average="macro").score(measures[0].counts(reference, converted))["f1"]
    assert found.worst <= min(found.named[policy] for policy in spread.grid.named) <= found.best
    assert found.worst < found.mean < found.best
    assert spread.illegal >= len(spread.affected) > 3


def test_nothing_illegal():
    tags = [["B-A", "E-A", "O"], [], ["S-B"]]
    spread = policy_spread(tags, tags, measures=[measure() for measure in MEASURES.values() if not measure.shared])
    assert (spread.illegal, len(spread.affected)) == (0, 0)
    for found in spread.measures.values():
        assert (found.best, found.worst, found.mean) == (1.0, 1.0, 1.0)


def one_hot(tags, labels, sure=5.0):
    return [np.array([[sure * (name == tag) for name in labels] for tag in document]) for document in tags]


def test_with_logits():
    labels = ["O", "B-A", "I-A", "E-A", "S-A", "B-B", "I-B", "E-B", "S-B"]
    references = [["B-A", "I-A", "E-A", "O"], ["O", "S-B"]]
    logits = one_hot([["B-A", "I-B", "E-A", "O"], ["O", "S-B"]], labels)
    logits[0][1, labels.index("I-A")] = 4.5  # nearly as good, and legal
    spread = policy_spread(references, logits=logits, id2label=labels)
    found = spread.measures["span_f"]
    assert spread.illegal == 2
    assert found.from_logits == {"viterbi": 1.0, "greedy": 1.0, "greedy_from_starts": 1.0, "by_score": 1.0}
    assert found.named["conlleval"] < 1.0
    # the same logits, the tags given beside them
    tags = [["B-A", "I-B", "E-A", "O"], ["O", "S-B"]]
    again = policy_spread(references, tags, logits=logits, id2label=labels).measures["span_f"]
    assert np.array_equal(again.scores, found.scores)


def test_ways_of_decoding_differ():
    labels = ["O", "B-A", "I-A", "B-B", "I-B"]
    logits = [np.zeros((3, 5))]
    logits[0][0, [1, 3]] = 3.0, 2.9
    logits[0][1, [4, 2]] = 4.0, 1.0
    logits[0][2, [4, 2]] = 4.0, 1.0
    references = [["B-B", "I-B", "I-B"]]
    found = policy_spread(references, logits=logits, id2label=labels).measures["span_f"].from_logits
    # greedy is bound by its first choice, the best path and the sum of scores are not
    assert found == {"viterbi": 1.0, "greedy": 0.0, "greedy_from_starts": 0.0, "by_score": 1.0}
    assert decode(logits, labels)[0].tolist() == [3, 4, 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "there are no predictions"),
        ({"logits": [np.zeros((2, 3))]}, "id2label is missing"),
        ({"predictions": [["O", "O"]], "id2label": ["O"]}, "id2label applies only to logits"),
        ({"predictions": [["O"]]}, "document 0: got 1 predicted tag, but 2 reference tags"),
        (
            {"predictions": [["O", "O"]], "scheme": "IOE2"},
            "no IOE2 prefix|no repair actions for IOE2 tags",
        ),
        ({"predictions": [["O", "X-A"]]}, "predictions, document 0, token 1: 'X-A'"),
        ({"logits": [np.zeros((2, 2))], "id2label": ["O", "B-A", "I-A"]}, "the shape of the logits is"),
        (
            {"predictions": [["O", "O"]], "measures": [SlIcm(tokens=[["a", "b"]])]},
            "needs the whole corpus at once",
        ),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        policy_spread([["B-A", "I-A"]], **options)
