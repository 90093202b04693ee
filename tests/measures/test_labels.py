"""Scoring without labels: `match_labels=False`."""

import math
import random

import pytest

from builders import spans
from random_corpora import as_spans, random_pair
from slow import measures as slow
from slow import policies
from spanometer import Spans
from spanometer.analysis.policies.repairs import policy_spread
from spanometer.measures import MEASURES, Bcubed, ChanceKappaF1, IntersectionF, LinkF, SlIcm, SpanF, TokenF, read_counts

KINDS = ("flat", "nested", "flat discontinuous", "discontinuous")


def unlabelled(side):
    """The side with one label for all spans."""
    return [{("_", tokens) for _, tokens in document} for document in side]


def test_links_share_some_label_as_printed():
    """Amigó et al., section 2.3: two tokens are linked if there is some label of which one span holds both."""
    gold, output = spans("0-2:A 1-3:B"), spans("0-2:B 1-3:B")
    # 00 01 11 of A and 11 12 22 of B against five of B: three are common, 11 12 22
    counts = LinkF().counts(gold, output).total()
    assert (counts["both"], counts["predicted"], counts["reference"]) == (3, 5, 6)
    # some label: 00 01 11 12 22 on both sides
    counts = LinkF(match_labels=False).counts(gold, output)
    assert {**counts.total()} == {"both": 5, "predicted": 5, "reference": 5, "reference_spans": 2}
    assert counts.labels == ("_",)
    assert list(LinkF(match_labels=False).score_per_label(counts)) == ["_"]


def test_spans_of_the_same_tokens_are_one():
    gold, output = spans("0-2:A 0-2:B 3-4:C"), spans("0-2:D")
    counts = SpanF(match_labels=False).counts(gold, output).total()
    assert counts == {"both": 1, "predicted": 1, "reference": 2}
    fragments = [{"label": label, "fragments": [[0, 1], [2, 3]]} for label in "AB"]
    again = Spans.from_dicts([[*fragments, {"label": "A", "fragments": [[0, 3]]}]])
    assert len(again) == 3
    assert again.unlabelled().to_dicts() == [
        [{"label": "_", "fragments": [[0, 3]]}, {"label": "_", "fragments": [[0, 1], [2, 3]]}]
    ]


def test_tags_are_decoded_with_their_labels():
    """Neighbours of two labels stay two spans, also where tags without labels would make them one."""
    gold, output = (Spans.from_tags([tags], scheme="IO") for tags in (["I-A", "I-B"], ["I-A", "I-A"]))
    assert SpanF(match_labels=False).counts(gold, output).total() == {"both": 0, "predicted": 1, "reference": 2}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("measure", "second", "options"),
    [
        (SpanF, slow.span_f, {}),
        (TokenF, slow.token_f, {}),
        (TokenF, slow.token_f, {"format": "BIOE"}),
        (LinkF, slow.link_f, {}),
        (Bcubed, slow.bcubed, {}),
        (IntersectionF, slow.intersection_f, {"cap": True}),
        (SlIcm, slow.sl_icm, {}),
        (SlIcm, slow.sl_icm, {"prior": "tokens", "matching": "optimal"}),
    ],
)
def test_same_as_a_slow_implementation_without_labels(measure, second, options, kind):
    for seed in range(60):
        references, predictions, lengths = random_pair(seed, kind)
        average = random.Random(seed).choice(("micro", "macro", "weighted"))
        asked = measure(match_labels=False, average=average, **options)
        # without lengths documents end with their last span
        known = lengths if seed % 2 else None
        ours = asked.counts(as_spans(references, known), as_spans(predictions, known)).score()
        theirs = second(unlabelled(references), unlabelled(predictions), average=average, **options)
        assert ours.keys() == theirs.keys()
        assert all(math.isclose(ours[key], theirs[key], rel_tol=1e-12, abs_tol=1e-12) for key in ours), seed


@pytest.mark.parametrize("kind", ["flat", "nested"])
@pytest.mark.parametrize("options", [{"placement": "independent"}, {"placement": "independent", "level": "span"}])
def test_chance_without_labels(options, kind):
    for seed in range(30):
        references, predictions, lengths = random_pair(seed, kind)
        ours, theirs = (
            measure.counts(*(as_spans(side, lengths) for side in sides)).score()
            for measure, sides in (
                (ChanceKappaF1(match_labels=False, **options), (references, predictions)),
                (ChanceKappaF1(**options), (unlabelled(references), unlabelled(predictions))),
            )
        )
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12), seed


@pytest.mark.parametrize("name", MEASURES)
def test_signature_and_stored_counts(name):
    options = {"cap": True} if name == "intersection_f" else {}
    measure = MEASURES[name](match_labels=False, **options)
    gold, output = spans("0-2:A", lengths=[4]), spans("0-2:B", lengths=[4])
    counts = measure.counts(gold, output)
    assert "|match_labels:no|average:micro|" in measure.signature({})
    assert "|match_labels:yes|average:micro|" in MEASURES[name]().signature({})
    assert read_counts(counts.to_bytes()).measure == measure
    assert counts.score()[measure.headline] == 1.0


def test_spread_over_repair_policies():
    """Readings of illegal tags, and the documents without any, are counted without labels: as each policy by itself."""
    references = [["B-A", "I-A", "B-B"], ["B-A", "O", "O"], ["B-A", "I-A", "I-A"], ["B-A"], ["B-B"]]
    predictions = [["B-A", "I-B", "I-B"], ["I-B", "O", "I-A"], ["B-B", "I-B", "O"], ["B-B"], ["B-B"]]
    found = policy_spread(references, predictions, scheme="IOB2", measures=(LinkF(match_labels=False),))
    expected = []
    for policy in range(len(found.grid)):
        sides = [
            [
                {("_", frozenset(range(start, end))) for _, start, end in policies.read(tags, "IOB2", choices)}
                for tags in side
            ]
            for side, choices in ((references, found.grid.describe(0)), (predictions, found.grid.describe(policy)))
        ]
        expected.append(slow.link_f(*sides)["f1"])
    assert found.measures["link_f"].scores.tolist() == pytest.approx(expected, abs=1e-12)
    assert len(set(expected)) > 1
