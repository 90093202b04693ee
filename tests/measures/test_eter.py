"""ETER and SER: by hand, as published, and against the slow implementation."""

import math
import random

import pytest

from builders import entity
from entity_corpora import random_entity_documents
from slow import eter as slow
from spanometer import InputError
from spanometer.alignment import overlaps as alignment
from spanometer.measures import Eter
from spanometer.spans.entities import Entities

SLOTS = [
    f"{part}_{name}"
    for part in ("types", "components")
    for name in ("correct", "substitutions", "deletions", "insertions", "cost")
]
NAMES = {
    **{f"slot_{name}": f"ser_{name}" for name in SLOTS},
    **{name: name for name in slow.COUNTS if not name.startswith("ser_") and name != "substitution_cost"},
}
OPTIONS = [
    {},
    {"alpha": 0.0},
    {"alpha": 1.0},
    {"alpha": 0.9},
    {"alpha": 0.3, "type_cost": 1.5, "subtype_cost": 1.5, "span_cost": 0.8},
    {"alpha": 0.6, "type_cost": 0.2, "subtype_cost": 0.0, "span_cost": 0.0},
    {"insertion_cost": 0.25, "deletion_cost": 2.0},
    {"alpha": 0.8, "insertion_cost": 0.1, "deletion_cost": 0.2},
    {"ser_type_cost": 1.0, "ser_span_cost": 1.0},
    {"ser_type_cost": 0.25, "ser_span_cost": 0.0, "type_level": "coarse"},
    {"alpha": 0.7, "ser_type_cost": 0.0, "ser_span_cost": 0.9, "type_level": "coarse"},
]


def read(documents):
    return Entities.from_dicts(documents)


def seen_by(measure, documents):
    """The entities that a measure aligns."""
    return read(documents).coarse() if measure.type_level == "coarse" else read(documents)


def counts(references, predictions, **options):
    return Eter(**options).counts(read(references), read(predictions))


def score(references, predictions, **options):
    return Eter(**options).score(counts(references, predictions, **options))


@pytest.mark.parametrize("seed", range(360))
def test_against_the_slow_implementation(seed):
    references, predictions = random_entity_documents(random.Random(seed))
    options = OPTIONS[seed % len(OPTIONS)]
    measure = Eter(**options)
    found = measure.counts(read(references), read(predictions))
    expected = slow.eter(references, predictions, **options)
    total = found.total()
    assert {name: total[name] for name in NAMES} == pytest.approx(
        {name: expected[other] for name, other in NAMES.items()}, abs=1e-9
    )
    result = measure.score(found)
    assert result == pytest.approx({key: expected[key] for key in result}, abs=1e-9)
    assert measure.muc_error(found) == pytest.approx(expected["muc_err"], abs=1e-12)
    by_label = measure.score_per_label(found)
    for label, values in slow.per_label(references, predictions, **{**options, "zero_division": math.nan}).items():
        got = by_label.pop(label)
        assert got.pop("support") == values["references"]
        assert got == pytest.approx({key: values[key] for key in got}, abs=1e-9, nan_ok=True)
    assert not any(values["support"] or values["insertions"] for values in by_label.values())


def test_each_weight_has_its_own_alignment():
    # one output has the right types and bounds, the other the right component
    reference = entity(0, 2, "a", (0, 1, "x"))
    outputs = [{**reference, "components": []}, {**reference, "types": ["b"]}]
    for alpha in (0, 0.3, 0.5, 1):
        # besides the insertion: a missing component costs alpha, another type half of the rest
        expected = 1 + min(alpha, (1 - alpha) / 2)
        assert score([[reference]], [outputs], alpha=alpha)["eter"] == pytest.approx(expected, rel=1e-12)


def test_root_errors_by_hand():
    cases = [
        ("pers.ind", "pers.ind", 3, 0.0),
        ("pers.ind", "pers.coll", 3, 0.25),
        ("pers.ind", "pers", 3, 0.25),
        ("pers.ind", "loc", 3, 0.5),
        ("pers.ind", "loc", 2, 0.75),
        ("pers.ind", "pers.ind", 2, 0.25),
        ("loc.adm.nat org.adm", "loc.adm.nat", 3, 0.25),  # the second type has no partner: 0.5 / 2
        ("loc.adm.nat org.adm", "loc.adm.town org.adm", 3, 0.125),
        ("loc.adm.nat org.adm", "org.adm loc.adm.nat", 3, 0.0),
        ("loc.adm.nat org.adm", "org.ent loc.fac prod", 3, 1.0 / 3),  # two alike, one without: (0.25 + 0.25 + 0.5) / 3
    ]
    for reference, predicted, end, error in cases:
        result = score([[entity(0, 3, reference)]], [[entity(0, end, predicted)]])
        assert result["root_error"] == pytest.approx(error, abs=1e-15)
        assert result["eter"] == pytest.approx(error / 2, abs=1e-15)


@pytest.mark.parametrize(
    ("reference", "prediction", "error", "numbers"),
    [
        ([], [(0, 1, "name")], 1, (1, 0, 0, 0)),
        ([(0, 1, "name"), (1, 2, "kind")], [(1, 2, "kind")], 1 / 2, (0, 1, 0, 0)),
        ([(0, 1, "name")], [(0, 1, "kind")], 0.5, (0, 0, 1, 0)),
        ([(0, 1, "name")], [(0, 2, "name")], 0.25, (0, 0, 0, 1)),
        ([(0, 1, "name")], [(0, 2, "kind")], 0.75, (0, 0, 1, 1)),
        ([(0, 1, "name")], [(1, 2, "name")], 2, (1, 1, 0, 0)),
        ([(0, 2, "name"), (2, 4, "name")], [(0, 4, "name")], (1 + 0.25) / 2, (0, 1, 0, 1)),
        # crossed labels: two label errors cost 1, two bounds in error only 0.5
        ([(0, 2, "name"), (1, 3, "kind")], [(0, 2, "kind"), (1, 3, "name")], 0.5 / 2, (0, 0, 0, 2)),
    ],
)
def test_component_errors_by_hand(reference, prediction, error, numbers):
    sides = [[entity(0, 4, "loc", *parts)] for parts in (reference, prediction)]
    total = counts([sides[0]], [sides[1]]).total()
    assert total["component_error"] == pytest.approx(error, abs=1e-15)
    kinds = ("insertions", "deletions", "label_substitutions", "boundary_substitutions")
    assert tuple(total[f"component_{kind}"] for kind in kinds) == numbers


def test_no_pair_is_kept_that_costs_more_than_to_leave_it():
    flooded = entity(0, 5, "loc", *((token, token + 1, label) for token in range(5) for label in ("name", "kind")))
    # 0.5 * 0.5 + 0.5 * 10 is more than 2: a deletion and an insertion
    result = score([[entity(0, 5, "pers")]], [[flooded]])
    assert (result["eter"], result["insertions"], result["deletions"]) == (2.0, 1.0, 1.0)
    # at 2 exactly the pair is kept: 0.5 * 4
    four = entity(0, 5, "pers", *((token, token + 1, "name") for token in range(4)))
    result = score([[entity(0, 5, "pers")]], [[four]])
    assert (result["eter"], result["insertions"], result["component_error"]) == (2.0, 0.0, 4.0)


def test_slots_are_aligned_with_their_like():
    # a component that another entity annotates is a slot once, as an entity
    reference = [entity(0, 2, "func", (1, 2, "loc")), entity(1, 2, "loc")]
    total = counts([reference], [reference]).total()
    assert (total["slot_types_references"], total["slot_components_references"]) == (2, 0)
    # one that its own entity repeats is a component
    total = counts([[entity(0, 2, "loc", (0, 2, "loc"))]], [[]]).total()
    assert (total["slot_types_references"], total["slot_components_references"]) == (1, 1)


def test_averages_by_hand():
    references = [[entity(0, 1, "a"), entity(1, 2, "a"), entity(2, 3, "b")]]
    predictions = [[entity(0, 1, "a"), entity(2, 3, "b"), entity(5, 6, "c")]]
    assert score(references, predictions)["eter"] == pytest.approx(2 / 3)
    macro = score(references, predictions, average="macro")
    # a 1/2, b 0, and c, which the reference lacks, 0
    assert macro["eter"] == pytest.approx(0.5 / 3)
    assert macro["insertions"] == pytest.approx(1 / 3)
    assert score(references, predictions, average="weighted")["eter"] == pytest.approx(0.5 * 2 / 3)
    nothing = score([[]], [[entity(0, 1, "a")]], zero_division=1.0)
    assert (nothing["eter"], nothing["insertions"]) == (1.0, 1.0)


def test_too_many_pairs(monkeypatch):
    monkeypatch.setattr(alignment, "PAIR_LIMIT", 12)
    # 1, 9 and 4 pairs
    nested = [[entity(0, end, "loc") for end in range(1, number + 1)] for number in (1, 3, 2)]
    with pytest.raises(InputError) as raised:
        counts(nested, nested)
    assert str(raised.value) == (
        "document 1: there are 14 pairs of overlapping entities; the limit is 12. This document has the most, 9.\n"
        "Score fewer nested or crossing entities at once."
    )
    components = [[entity(0, 9, "loc", *((0, end, "name") for end in range(1, number + 1)))] for number in (2, 2, 3)]
    with pytest.raises(InputError, match=r"^document 2: there are 17 pairs .* components; the limit is 12.* most, 9"):
        counts(components, components)
    # crossing ones, each of which meets its neighbours too: 3 + 3 + 3 + 2 + 2
    crossing = [[entity(start, start + 2, "loc") for start in range(5)]]
    with pytest.raises(InputError, match=r"^document 0: there are 13 pairs of overlapping entities.* most, 13"):
        counts(crossing, crossing)
    assert counts(nested[:2], nested[:2]).total()["matched"] == 4


@pytest.mark.parametrize("options", OPTIONS)
def test_the_alignment_is_what_is_counted(options):
    generator = random.Random(5)
    corpora = [random_entity_documents(generator) for _ in range(40)]
    measure = Eter(**options)
    sides = [seen_by(measure, [document for corpus in corpora for document in corpus[side]]) for side in (0, 1)]
    aligned, total = measure.align(*sides), measure.counts(*sides).total()
    assert len(aligned["reference"]) == total["matched"] > 0
    assert aligned["root_error"].sum() == pytest.approx(total["root_error"], abs=1e-9)
    assert aligned["component_error"].sum() == pytest.approx(total["component_error"], abs=1e-9)
    assert aligned["cost"].sum() == pytest.approx(measure.score(measure.counts(*sides))["substitution_cost"], abs=1e-9)
    references, predictions = sides
    assert (references.document[aligned["reference"]] == predictions.document[aligned["prediction"]]).all()
    assert (
        len(set(aligned["reference"].tolist())) == len(set(aligned["prediction"].tolist())) == len(aligned["reference"])
    )
    assert sorted(aligned["reference"].tolist()) == aligned["reference"].tolist()


SLOT_NAMES = ("correct", "substitutions", "deletions", "insertions")
# one slot right, one of another label, one missed, one invented
FOUR = [entity(0, 1, "loc"), entity(1, 2, "org"), entity(2, 3, "time")]
WRONG = [entity(0, 1, "loc"), entity(1, 2, "loc"), entity(3, 4, "time")]


def test_rates_of_slots_by_hand():
    """SER at half a point and at a whole one for the substitution; MUC's ERR, and with the paper's denominator."""
    found = counts([FOUR], [WRONG]).total()
    sums = {letter: found[f"slot_types_{name}"] for letter, name in zip("CSDI", SLOT_NAMES, strict=True)}
    assert sums == dict.fromkeys("CSDI", 1)
    assert score([FOUR], [WRONG])["ser"] == pytest.approx(2.5 / 3)
    # the plain (S + D + I) / R
    assert score([FOUR], [WRONG], ser_type_cost=1, ser_span_cost=1)["ser"] == 1.0
    wrong = sums["S"] + sums["D"] + sums["I"]
    assert Eter().muc_error(counts([FOUR], [WRONG])) == wrong / (wrong + sums["C"]) == 0.75
    assert wrong / (sums["C"] + sums["D"] + sums["I"]) == 1.0


def test_coarse_types_by_hand():
    """Another subtype, and a component that is called as a sub-entity of another subtype, are right at this level."""
    fine = [entity(0, 4, "loc.adm.nat", (2, 3, "loc.fac"), (0, 1, "name.first")), entity(2, 3, "loc.fac")]
    other = [entity(0, 4, "loc.phys", (2, 3, "loc.adm"), (0, 1, "name.last")), entity(2, 3, "loc.adm")]
    assert score([fine], [other])["eter"] > 0
    result = score([fine], [other], type_level="coarse")
    assert (result["eter"], result["ser"]) == (0.0, 0.0)
    assert counts([fine], [other], type_level="coarse").labels == ("loc",)


def test_what_is_equal_at_the_coarse_level_is_there_once():
    metonymic = [entity(0, 2, "loc.adm loc.phys org", (0, 1, "name.a"), (0, 1, "name.b")), entity(0, 2, "org.x loc.y")]
    assert read([metonymic]).coarse().to_dicts() == [[entity(0, 2, "org loc"), entity(0, 2, "loc org", (0, 1, "name"))]]
    same = [entity(0, 2, "loc.a"), entity(0, 2, "loc.b")]
    assert read([same]).coarse().to_dicts() == [[entity(0, 2, "loc")]]
