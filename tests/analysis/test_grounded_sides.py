"""Grounded answers in every measure: items without a place are predicted spans that touch nothing."""

import random

import pytest

from spanometer import Spans, agreement, compare, errors, score
from spanometer.grounding import ground
from spanometer.measures import MEASURES

NAMES = list(MEASURES)
TEXTS = ["Ann saw Bob in Rome.", "Oslo", "Cid and Dan"]
GOLD = [
    [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 11, "label": "PER"}],
    [{"start": 0, "end": 4, "label": "LOC"}],
    [{"start": 0, "end": 3, "label": "PER"}],
]
RIGHT = [[["PER", "Ann"], ["PER", "Bob"]], [["LOC", "Oslo"]], [["PER", "Cid"]]]
ABSENT = [[*RIGHT[0], ["PER", "Eve"], ["LOC", "Berlin"]], RIGHT[1], [*RIGHT[2], ["PER", "Cid"]]]

QUICK = {"confidence": 0.9, "interval_method": "percentile", "n_resamples": 20, "seed": 3}


@pytest.mark.parametrize("name", NAMES)
def test_an_item_without_a_place_is_wrong_in_every_measure(name):
    """All that is found is right, so that what is lost is lost by two items that are absent and one that is surplus."""
    alone, beside = (score(GOLD, ground(TEXTS, answers), measures=name) for answers in (RIGHT, ABSENT))
    assert (alone.predicted_spans, beside.predicted_spans) == (4, 7)
    assert beside.tokens == alone.tokens == sum(map(len, TEXTS))
    (one,), (other,) = alone.results, beside.results
    headline = MEASURES[name].headline
    assert other.scores[headline] < one.scores[headline]
    if "precision" in one.scores:
        assert (one.scores["precision"], one.scores["recall"]) == (1, 1)
        assert (other.scores["precision"] < 1, other.scores["recall"]) == (True, 1)
    assert "|grounding:strict|" in other.signature
    # a policy that drops them is another policy, and says so
    dropping = "empty,keep,exact,whole,prefer free,drop,drop,keep"
    (dropped,) = score(GOLD, ground(TEXTS, ABSENT, policy=dropping), measures=name).results
    assert dropped.scores == one.scores
    assert f"|grounding:{dropping}|" in dropped.signature


def random_corpus(seed):
    """Texts, gold spans and answers, some of whose mentions are not in their text, or too often in the answer."""
    rng = random.Random(seed)
    texts, gold, answers = [], [], []
    for _ in range(rng.randrange(2, 6)):
        words = rng.choices(["aa", "b", "ccc", "dd"], k=rng.randrange(1, 9))
        text = " ".join(words)
        starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
        chosen = [place for place in range(len(words)) if rng.random() < 0.5]
        gold.append(
            [
                {"start": starts[place], "end": starts[place] + len(words[place]), "label": rng.choice("XY")}
                for place in chosen
            ]
        )
        answers.append([[rng.choice("XYZ"), rng.choice([*words, "absent", "of"])] for _ in range(rng.randrange(4))])
        texts.append(text)
    return texts, gold, answers


def laid_out(texts, grounded):
    """The predicted spans as plain lists: what has a place, and, one after the other behind the end, what has none."""
    rows, lengths = [list(row) for row in grounded.spans.to_dicts()], [len(text) for text in texts]
    wrong = zip(grounded.wrong_document.tolist(), grounded.wrong_label, grounded.wrong_mention, strict=True)
    for document, label, mention in wrong:
        end = lengths[document] + len(mention)
        rows[document].append({"start": lengths[document], "end": end, "label": label})
        lengths[document] = end
    return rows, lengths


@pytest.mark.parametrize("seed", range(6))
def test_all_measures_against_spans_that_are_laid_out_by_hand(seed):
    """Chance levels and intervals included."""
    texts, gold, answers = random_corpus(seed)
    grounded = ground(texts, answers, policy="strict")
    rows, lengths = laid_out(texts, grounded)
    names = [name for name in NAMES if name != "unitizing_alpha"]
    options = {"measures": names, "placement": "independent", **QUICK}
    found = score(gold, grounded, **options)
    expected = score(Spans.from_dicts(gold), Spans.from_dicts(rows), lengths=lengths, **options)
    for one, other in zip(found.results, expected.results, strict=True):
        # NaN is written as it is
        assert repr((one.scores, one.counts, one.intervals)) == repr((other.scores, other.counts, other.intervals))


def test_compared_systems_do_not_see_each_others_items():
    """Documents are as long as a system alone makes them, so that chance levels are what they are in a score."""
    systems = {"right": ground(TEXTS, RIGHT), "absent": ground(TEXTS, ABSENT), "none": ground(TEXTS, [None] * 3)}
    names = ["span_f", "chance_kappa_f1"]
    found = compare(Spans.from_dicts(GOLD), systems, measures=names, n_resamples=50, n_permutations=50)
    for name in names:
        assert "|grounding:strict|" in found.measures[name].signature
        for system, grounded in systems.items():
            assert found.measures[name].systems[system].scores == score(GOLD, grounded, measures=name).results[0].scores
    assert found.tokens == sum(map(len, TEXTS))


def test_errors_and_agreement():
    kinds = errors(GOLD, ground(TEXTS, ABSENT)).only.counts
    assert (kinds["correct"], kinds["spurious"], kinds["missing"]) == (4, 3, 0)
    # those of two models touch each other no more than they touch those of the reference
    absent = ground(TEXTS, ABSENT)
    assert errors(GOLD, {"one": absent, "other": absent}).systems["other"].counts["spurious"] == 3
    found = agreement({"gold": Spans.from_dicts(GOLD), "one": absent, "other": absent}, variant=None, level="span")
    assert found.f1[1, 2] == pytest.approx(8 / 14)


def test_labels_are_mapped_and_ignored_where_there_is_no_place():
    absent = ground(TEXTS, ABSENT)
    found = score(GOLD, absent, measures="span_f", label_map={"LOC": "PLACE"}).results[0]
    assert found.per_label["PLACE"]["precision"] == 0.5
    assert score(GOLD, absent, measures="span_f", ignore_labels=["LOC"]).predicted_spans == 5
