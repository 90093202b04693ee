"""Gamma: by hand, published values, chance by a second implementation, what it does not depend on."""

import csv
import math
import random

import numpy as np
import pytest

from slow import gamma as slow
from spanometer import InputError, Spans
from spanometer.alignment.overlaps import lay_out
from spanometer.alignment.unitary import Dissimilarity, Units
from spanometer.measures import Gamma
from spanometer.measures.gamma import Chance


def counted(measure, *annotators, length=None):
    """The counts of annotators of one document, each written as `0-4:A 6-8:B`."""
    sides = [[parse(unit) for unit in text.split()] for text in annotators]
    labels = tuple(sorted({unit[2] for side in sides for unit in side}))
    end = length or max(unit[1] for side in sides for unit in side)
    return of_units(measure, sides, labels, end)


def of_units(measure, sides, labels, end):
    dicts = [[[dict(zip(("start", "end", "label"), unit, strict=True)) for unit in side]] for side in sides]
    laid_out = [lay_out(Spans.from_dicts(side, lengths=[end]), labels, np.array([0, end])) for side in dicts]
    return measure.count_sides(laid_out, labels, np.array([0, end]))


def parse(text):
    bounds, label = text.split(":")
    return (*map(int, bounds.split("-")), label)


def test_by_hand():
    # 3 (4 / 12)² of a pair, another label 1 more, a unit alone 1; two units an annotator on average
    counts = counted(Gamma(), "0-8:A 20-24:B", "0-4:A 20-24:C", "")
    score = Gamma().score(counts)
    # three annotators: two of the three pairs lack a unit
    first, second = (1 / 3 + 2) / 3, (1 + 2) / 3
    assert score["observed_disorder"] == pytest.approx((first + second) / (4 / 3))
    # weights 1 - 1 / 9 and 1, of which the second pair's labels differ
    assert counts.total()["all_weight"] == pytest.approx(8 / 9 + 1)
    assert counts.total()["all_categorical"] == pytest.approx(1)
    of_label = Gamma().score_per_label(counts)
    assert of_label["A"]["gamma_cat"] == 1.0
    assert of_label["A"]["observed_disorder"] == pytest.approx(first / (2 / 3))


def test_units_alone_are_not_in_gamma_cat():
    # published/gamma.md, the shortest case of the fault of pygamma-agreement
    assert Gamma().score(counted(Gamma(), "0-4:X 20-24:X", "0-4:X"))["gamma_cat"] == 1.0


def test_published_alignment():
    # pygamma-agreement, tests/test_alignement.py: one place, labels 0.3 apart, a third annotator without unit
    measure = Gamma(alpha=1.0, delta_empty=0.5, distances={"C": {"A": 0.3}})
    assert measure.score(counted(measure, "0-4:C", "0-4:A", ""))["observed_disorder"] == pytest.approx(0.575)


def test_distances():
    assert Gamma(distances="PER/ORG=0.5, A/B=1").distances == "A/B=1,ORG/PER=0.5"
    assert Gamma(distances={"PER": {"ORG": 0.5}, "ORG": {"PER": 0.5}}).distances == "ORG/PER=0.5"
    assert "|distances:ORG/PER=0.5|" in Gamma(distances="PER/ORG=0.5").signature({})


def test_distances_as_json():
    assert Gamma(distances='{"PER": {"ORG": 0.5}, "A": {"B": 1}}').distances == "A/B=1,ORG/PER=0.5"
    # of a label that is there twice nothing is lost
    assert Gamma(distances=' {"A": {"B": 0.25}, "A": {"C": 0.5}}').distances == "A/B=0.25,A/C=0.5"


def from_file(path):
    """Annotators and the labels of a file of pygamma-agreement."""
    with path.open(newline="") as file:
        rows = [
            (who, int(float(start)), int(float(end)), label)
            for who, label, start, end in filter(None, csv.reader(file))
        ]
    sides = [[row[1:] for row in rows if row[0] == who] for who in sorted({row[0] for row in rows})]
    return sides, tuple(sorted({row[3] for row in rows})), max(row[2] for row in rows)


# published/gamma.tsv: the values of pygamma-agreement's tests
@pytest.mark.parametrize(
    ("name", "options", "key", "low", "high"),
    [
        ("AlexPaulSuzan", {}, "observed_disorder", 0.95, 0.97),
        ("AlexPaulSuzan", {"min_shift": "half", "samples": 300}, "gamma", 0.44, 0.47),
        ("3by100", {"sampler": "statistical"}, "gamma", 0.79, 0.81),
        ("3by100", {}, "gamma_cat", 0.96, 1.0),
        ("2by1000", {"sampler": "statistical"}, "gamma", 0.39, 0.42),
    ],
)
def test_published(data, name, options, key, low, high):
    measure = Gamma(**options)
    assert low <= measure.score(of_units(measure, *from_file(data / "gamma" / f"{name}.csv")))[key] <= high


def test_place_does_not_matter():
    # published/gamma.md: .42, .63 and .67 in pygamma-agreement
    here = ("0-4:A 6-9:B 15-20:A", "1-4:A 15-20:B", "0-3:A 7-9:B 16-22:A")
    there = [" ".join(f"{s + 1000}-{e + 1000}:{label}" for s, e, label in map(parse, text.split())) for text in here]
    for sampler in ("shift", "statistical"):
        measure = Gamma(sampler=sampler)
        assert measure.score(counted(measure, *here)) == measure.score(counted(measure, *there))


def random_sides(seed, annotators):
    generator = random.Random(seed)
    sides = []
    for _ in range(annotators):
        starts = sorted(generator.sample(range(40), generator.randint(1, 3)))
        sides.append([(start, start + generator.randint(2, 7), generator.choice("AB")) for start in starts])
    return sides


def units_of(made, sample, annotators):
    """The units of each annotator in a sample."""
    chosen = [np.flatnonzero((made.group == sample) & (made.annotator == number)) for number in range(annotators)]
    return [[(made.start[unit], made.end[unit], int(made.label[unit])) for unit in own] for own in chosen]


@pytest.mark.parametrize("sampler", ["shift", "statistical"])
@pytest.mark.parametrize("annotators", [2, 3])
def test_expected_disorder_of_its_samples(annotators, sampler):
    """The samples by the package; their best alignments, disorders and gamma-cat by trying all of them."""
    for seed in range(12):
        sides = random_sides(seed, annotators)
        measure = Gamma(sampler=sampler, samples=4, alpha=1.0)
        score = measure.score(of_units(measure, sides, ("A", "B"), 50))
        order = sorted(sides, key=lambda side: [np.array(list(column)).tobytes() for column in bounds_of(side)])
        rows = [(number, 0, *unit[:2], "AB".index(unit[2])) for number, side in enumerate(order) for unit in side]
        chance = Chance(Units(annotators, *np.array(rows).T), 2, Dissimilarity(alpha=1.0), Gamma(sampler=sampler))
        made = chance.sampled(range(4))
        found = [slow.disorder(units_of(made, sample, annotators), alpha=1.0) for sample in range(4)]
        assert score["expected_disorder"] == pytest.approx(np.mean(found), abs=1e-9), seed
        units = [[(*unit[:2], "AB".index(unit[2])) for unit in side] for side in sides]
        assert score["observed_disorder"] == pytest.approx(slow.disorder(units, alpha=1.0), abs=1e-9), seed
        if score["observed_disorder"] > 0:
            assert score["gamma"] == pytest.approx(1 - score["observed_disorder"] / np.mean(found), abs=1e-9), seed


DISTANCES = [[0, 0.5, 1], [0.5, 0, 0.25], [1, 0.25, 0]]


@pytest.mark.parametrize("distances", [None, "A/B=0.5,B/C=0.25"])
@pytest.mark.parametrize("annotators", [2, 3])
def test_gamma_cat_and_gamma_k(annotators, distances):
    """Of all labels and of each one: by every best alignment, and by those of the samples."""
    compared, matrix = 0, None if distances is None else DISTANCES
    for seed in range(60):
        generator = random.Random(seed)
        sides = [[(*unit[:2], generator.choice("ABC")) for unit in side] for side in random_sides(seed, annotators)]
        coded = [[(*unit[:2], "ABC".index(unit[2])) for unit in side] for side in sides]
        measure = Gamma(samples=3, alpha=1.0, beta=0.7, delta_empty=1.3, distances=distances)
        options = {"alpha": 1.0, "beta": 0.7, "delta_empty": 1.3, "distance": matrix}
        counts = of_units(measure, sides, ("A", "B", "C"), 50)
        score, of_label = measure.score(counts), measure.score_per_label(counts)
        order = sorted(sides, key=lambda side: [np.array(list(column)).tobytes() for column in bounds_of(side)])
        rows = [(number, 0, *unit[:2], "ABC".index(unit[2])) for number, side in enumerate(order) for unit in side]
        given = None if matrix is None else np.array(matrix, dtype=float)
        units = Units(annotators, *np.array(rows).T)
        made = Chance(units, 3, Dissimilarity(1.0, 0.7, given), Gamma(delta_empty=1.3)).sampled(range(3))
        samples = (units_of(made, sample, annotators) for sample in range(3))
        best = [slow.every_best(each, **options) for each in (coded, *samples)]
        for label, found in ((None, score), *zip(range(3), of_label.values(), strict=True)):
            # where best alignments tie, the value depends on the one that is taken
            ways = [{slow.categorical(way, label, 1.3, matrix) for way in each} for each in best]
            (observed, *drawn) = [min(way, key=str) if len(way) == 1 else "tie" for way in ways]
            expected = [value for value in drawn if value is not None]
            if "tie" in (observed, *drawn) or observed is None or not any(expected):
                continue
            compared += 1
            assert found["gamma_cat"] == pytest.approx(1 - observed / np.mean(expected), abs=1e-9), (seed, label)
    assert compared > 60


def bounds_of(side):
    """Starts, ends and labels' codes of an annotator's units, in order."""
    return zip(*sorted((start, end, "ABC".index(label)) for start, end, label in side), strict=True)


def test_moves_of_the_paper():
    """Moved units keep lengths and labels; moves are a mean length apart, round the circle, and evenly drawn."""
    lengths = 4
    rows = [(0, 0, 10, 14, 0), (0, 0, 30, 34, 1), (1, 0, 12, 16, 0), (2, 0, 20, 24, 2), (2, 0, 46, 50, 1)]
    chance = Chance(Units(3, *np.array(rows).T), 3, Dissimilarity(), Gamma())
    circle, seen = 50 - 10, []
    for number in range(300):
        generator = np.random.default_rng(number)
        moves = chance._moves(generator, circle)
        apart = np.abs(moves[:, None] - moves[None])[np.triu_indices(3, 1)]
        assert (np.minimum(apart, circle - apart) >= lengths - 1e-9).all()
        seen.append(moves[0])
    assert abs(np.mean(seen) - circle / 2) < 2
    made = chance.sampled(range(50))
    assert (made.duration == lengths).all()
    assert (made.start >= 10).all()
    assert (made.start < 50).all()
    # two units of one annotator stay 20 (of the first) or 26 (of the third) apart, round the circle of 40
    for sample in range(50):
        for annotator in range(3):
            start = made.start[(made.group == sample) & (made.annotator == annotator)]
            if len(start) == 2:
                assert (start[1] - start[0]) % circle in (20, 26)


def test_circle_that_is_too_short():
    # two units of 4 on a circle of 4: moves are as far apart as they can be
    chance = Chance(Units(2, *np.array([(0, 0, 0, 4, 0), (1, 0, 0, 4, 0)]).T), 1, Dissimilarity(), Gamma())
    moves = chance._moves(np.random.default_rng(0), 4)
    assert abs(moves[0] - moves[1]) == pytest.approx(2)


def test_precision_asks_for_samples():
    sides = "0-4:A 10-13:B 20-26:A 31-33:B", "1-4:A 11-15:B 21-24:A"
    few, many = Gamma(), Gamma(precision=0.01)
    assert (
        few.score(counted(few, *sides))["expected_disorder"] != many.score(counted(many, *sides))["expected_disorder"]
    )
    start, end, label = np.array([(0, 4, 0), (10, 13, 1), (20, 26, 0), (1, 4, 0), (11, 15, 1)]).T
    units = Units(2, np.array([0, 0, 0, 1, 1]), np.zeros(5, dtype=int), start, end, label)
    chance = Chance(units, 2, Dissimilarity(), Gamma())
    first = chance.disorders(30, None, 1)["disorder"].sum(axis=1)
    needed = math.ceil((1.96 * first.std(ddof=1) / first.mean() / 0.02) ** 2)
    assert needed > 30
    whole = chance.disorders(30, 0.02, 1)["disorder"].sum(axis=1)
    assert len(whole) == needed
    assert whole[:30].tolist() == first.tolist()
    assert len(chance.disorders(30, 0.9, 1)["disorder"]) == 30
    with pytest.raises(InputError, match=r"about [0-9,]{15,} random annotations; the limit is 100,000") as error:
        chance.disorders(30, 1e-9, 1)
    # what the error names is enough
    named = float(error.value.remedy.split("\ufdd1")[1].split("\ufdd2")[0])
    assert (1.96 * first.std(ddof=1) / first.mean() / named) ** 2 < 100_000


def test_processes_change_nothing():
    sides = "0-4:A 10-13:B 20-26:A", "1-4:A 11-15:B 21-24:A", "0-2:B"
    one, two = Gamma(samples=12), Gamma(samples=12, processes=2)
    assert one.score(counted(one, *sides)) == two.score(counted(two, *sides))
    assert one.signature({}) == two.signature({})


def test_documents_are_not_aligned_with_each_other():
    references = Spans.from_dicts([[{"start": 2, "end": 4, "label": "A"}], []], lengths=[4, 4])
    predictions = Spans.from_dicts([[], [{"start": 0, "end": 2, "label": "A"}]], lengths=[4, 4])
    assert Gamma(alpha=0.1).score(Gamma(alpha=0.1).counts(references, predictions))["observed_disorder"] == 2.0


def test_several_documents_need_lengths():
    one = Spans.from_dicts([[{"start": 2, "end": 4, "label": "A"}]])
    assert Gamma().score(Gamma().counts(one, one))["gamma"] == 1.0
