"""Properties that hold for all measures (DESIGN.md, section 8), on random corpora."""

import math
import random
from dataclasses import replace
from functools import cache

import pytest

from random_corpora import as_dicts, as_spans, random_pair
from spanometer import Spans
from spanometer.measures import MEASURES, ChanceKappaF1, Gamma, IntersectionF, MatchedF, SlIcm, TokenF, UnitizingAlpha
from spanometer.spans.spans import pair_from_tags
from spanometer.tags.schemes import SCHEMES

# these are defined for flat spans of known documents only, or by chance in the whole corpus, and have other
# properties: see below, and test_chance
CHANCE = {
    "chance_kappa_f1": ChanceKappaF1(),
    "chance_kappa_f1 span": ChanceKappaF1(level="span"),
    "unitizing_alpha": UnitizingAlpha(),
    "unitizing_alpha 1995": UnitizingAlpha(variant="1995"),
    "gamma": Gamma(),
}
ALL = {
    **{name: measure() for name, measure in MEASURES.items() if name not in CHANCE},
    **{f"token_f {format}": TokenF(format=format) for format in ("BIO", "BIOE", "BIOES", "IO*")},
    "intersection_f": IntersectionF(cap=True),
    **{f"matched_f {credit}": MatchedF(credit=credit) for credit in ("iou_50_95", "iou", "overlap")},
    "sl_icm optimal": SlIcm(matching="optimal"),
    "sl_icm tokens": SlIcm(prior="tokens", token_probabilities=0.1),
}
HEADLINE = {name: measure.headline for name, measure in ALL.items()}
SEEDS = range(25)

every_measure = pytest.mark.parametrize("name", ALL)
every_kind = pytest.mark.parametrize("kind", ["flat", "nested", "flat discontinuous", "discontinuous"])


@cache
def corpus(seed, kind):
    """A random pair of annotations as sets, the documents' lengths, and both sides' spans."""
    references, predictions, lengths = random_pair(seed, kind)
    return references, predictions, lengths, as_spans(references, lengths), as_spans(predictions, lengths)


def score(measure, references, predictions, lengths=None):
    return measure.score(measure.counts(as_spans(references, lengths), as_spans(predictions, lengths)))


def scores(measure, references, predictions, averages=("micro", "macro", "weighted")):
    """The scores by each average; the counts do not depend on it."""
    counts = measure.counts(references, predictions)
    return [replace(measure, average=average).score(counts) for average in averages]


def close(first, second):
    return all(math.isclose(first[key], second[key], rel_tol=1e-11, abs_tol=1e-11) for key in first)


def all_close(first, second):
    return all(close(one, other) for one, other in zip(first, second, strict=True))


@every_kind
@every_measure
def test_identity_scores_best(name, kind):
    for seed in SEEDS:
        references, _, _, reference, predicted = corpus(seed, kind)
        if not any(references):
            continue
        best, other = (ALL[name].score(ALL[name].counts(reference, side)) for side in (reference, predicted))
        assert best[HEADLINE[name]] == 1.0, seed
        assert other[HEADLINE[name]] <= best[HEADLINE[name]] + 1e-12, seed


@every_kind
@every_measure
def test_document_order_does_not_matter(name, kind):
    for seed in SEEDS:
        references, predictions, lengths, *sides = corpus(seed, kind)
        order = random.Random(seed).sample(range(len(lengths)), len(lengths))
        moved = [
            as_spans([side[at] for at in order], [lengths[at] for at in order]) for side in (references, predictions)
        ]
        assert all_close(scores(ALL[name], *sides), scores(ALL[name], *moved)), seed


def renamed(side):
    """The side with other label names, which are in another order."""
    names = {"A": "Z", "B": "персона", "C": "a", "D": "C"}
    return [{(names[label], tokens) for label, tokens in document} for document in side]


# where these have equal choices, the order of the text decides, and the label between spans of the same bounds
BY_TEXT = ("semeval_f", "fair_f")


def apart(side):
    """The side without a second span of the same bounds in a document."""
    return [
        set({(min(tokens), max(tokens)): (label, tokens) for label, tokens in sorted(document, key=str)}.values())
        for document in side
    ]


@every_kind
@every_measure
def test_label_names_do_not_matter(name, kind):
    for seed in SEEDS:
        references, predictions, lengths, *sides = corpus(seed, kind)
        if name in BY_TEXT:
            references, predictions = apart(references), apart(predictions)
            sides = [as_spans(side, lengths) for side in (references, predictions)]
        others = [as_spans(renamed(side), lengths) for side in (references, predictions)]
        assert all_close(scores(ALL[name], *sides), scores(ALL[name], *others)), seed


@every_kind
@pytest.mark.parametrize("name", [name for name in ALL if not name.startswith("sl_icm") and name != "fair_f"])
def test_swapping_sides_swaps_precision_and_recall(name, kind):
    # in fair_f the reference spans choose first; in semeval_f a pair belongs to the label of its reference span
    averages = ("micro",) if name == "semeval_f" else ("micro", "macro")
    for seed in SEEDS:
        *_, reference, predicted = corpus(seed, kind)
        there, back = (
            scores(ALL[name], *sides, averages) for sides in ((reference, predicted), (predicted, reference))
        )
        for one, other in zip(there, back, strict=True):
            assert close(one, {"precision": other["recall"], "recall": other["precision"], "f1": other["f1"]}), seed


@cache
def written(seed):
    """A flat corpus as spans, and read from the tags of every scheme that can write it."""
    references, predictions, lengths = random_pair(seed, "flat")
    # at most one label of a document over a token, so that tags can write it
    sides = [as_spans([untangled(document) for document in side], lengths) for side in (references, predictions)]
    pairs = {
        scheme: pair_from_tags(*(side.to_tags(scheme) for side in sides), scheme=scheme)[:2]
        for scheme in SCHEMES
        if scheme != "IO"
    }
    return sides, pairs


@pytest.mark.parametrize("measure", [*ALL.values(), *CHANCE.values()], ids=[*ALL, *CHANCE])
def test_scheme_does_not_matter(measure):
    for seed in SEEDS:
        sides, pairs = written(seed)
        expected = measure.score(measure.counts(*sides))
        for scheme, pair in pairs.items():
            assert close(measure.score(measure.counts(*pair)), expected), (seed, scheme)


def untangled(document):
    kept = []
    for label, tokens in sorted(document, key=lambda span: (sorted(span[1]), span[0])):
        if not any(tokens & taken for _, taken in kept):
            kept.append((label, tokens))
    return set(kept)


@every_measure
def test_documents_without_spans_change_nothing(name):
    for seed in SEEDS:
        references, predictions, lengths, *sides = corpus(seed, "nested")
        padded = [[set(), *references, set()], [set(), *predictions, set()], [5, *lengths, 0]]
        assert close(ALL[name].score(ALL[name].counts(*sides)), score(ALL[name], *padded)), seed


@every_measure
def test_duplicates_collapse(name):
    for seed in SEEDS:
        references, predictions, lengths, *sides = corpus(seed, "nested")
        doubled = [
            Spans.from_dicts([document + document for document in as_dicts(side)], lengths=lengths)
            for side in (references, predictions)
        ]
        assert ALL[name].score(ALL[name].counts(*sides)) == ALL[name].score(ALL[name].counts(*doubled)), seed


@every_measure
@pytest.mark.parametrize("zero_division", [0.0, 1.0, math.nan])
def test_nothing_to_score(name, zero_division):
    measure = replace(ALL[name], zero_division=zero_division)
    for documents in ([], [set()], [set(), set()]):
        result = score(measure, documents, documents)
        expected = {key: 0.0 if key == "sl_icm" else zero_division for key in measure.keys}
        assert result.keys() == expected.keys()
        assert all(
            result[key] == expected[key] or (math.isnan(result[key]) and math.isnan(expected[key])) for key in result
        )


every_chance_measure = pytest.mark.parametrize("name", CHANCE)


@every_chance_measure
def test_beyond_chance_label_names_and_sides_do_not_matter(name):
    for seed in SEEDS:
        references, predictions, lengths, *sides = corpus(seed, "flat")
        others = [as_spans(renamed(side), lengths) for side in (references, predictions)]
        # alignments of equal disorder share it out by label in several ways
        averages = ("micro",) if name == "gamma" else ("micro", "macro")
        expected = scores(CHANCE[name], *sides, averages)
        if name == "gamma":
            del expected[0]["gamma_cat"]
        for pair in (list(reversed(sides)), others):
            found = scores(CHANCE[name], *pair, averages)
            assert all(close(one, other) for one, other in zip(expected, found, strict=True)), seed


@every_chance_measure
def test_beyond_chance_nothing_to_score(name):
    measure = replace(CHANCE[name], zero_division=1.0)
    for documents in ([], [set()], [set(), set()]):
        result = score(measure, documents, documents, [3] * len(documents))
        assert result[measure.headline] == 1.0
        assert all(math.isfinite(value) for value in result.values())


def test_identity_under_unequal_probabilities():
    # a part can carry more than the whole: yet a span picks an identical one
    spans = [{("A", frozenset({0, 1})), ("A", frozenset({1}))}]
    measure = SlIcm(tokens=[["the", "seine"]], token_probabilities={"the": 0.9, "seine": 0.5})
    assert math.isclose(score(measure, spans, spans)["sl_icm_norm"], 1.0)
    assert score(measure, [{("A", frozenset({0, 1}))}], [{("A", frozenset({1}))}])["sl_icm_norm"] > 1.0
