"""The slow second implementation of ETER and SER by hand, and the random documents it is used on."""

import math
import random

import numpy
import pytest
from scipy.optimize import linear_sum_assignment

from entity_corpora import random_entity_documents
from slow import eter as slow

SEEDS = range(200)
FEW_SEEDS = range(60)


def entity(start, end, types, *components):
    """An entity; its types in one string, its components as (start, end, label)."""
    return {
        "start": start,
        "end": end,
        "types": types.split(),
        "components": [{"start": first, "end": last, "label": label} for first, last, label in components],
    }


def scores(reference, prediction, **options):
    """The values of one document."""
    return slow.eter([reference], [prediction], **options)


def nonzero(values):
    """The values of COUNTS that are not 0."""
    return {key: values[key] for key in slow.COUNTS if values[key]}


def rates(values, *keys):
    return [round(values[key], 12) for key in keys]


# The worked examples of Ben Jannet et al. (2014)

FIGURE_5 = [entity(0, 1, "loc", (0, 1, "kind")), entity(1, 3, "func", (1, 2, "qualifier"), (2, 3, "kind"))]

AMBASSADOR_PREDICTION = [entity(0, 6, "func.ind", (0, 1, "kind"), (3, 4, "name"), (5, 6, "name"))]


# The ends of the scale


@pytest.mark.parametrize("zero_division", (0.0, 1.0))
def test_without_a_reference_rates_are_zero_division(zero_division):
    values = scores([], AMBASSADOR_PREDICTION, zero_division=zero_division)
    assert nonzero(values) == {"insertions": 1, "ser_types_insertions": 1, "ser_components_insertions": 3}
    assert rates(values, "eter", "ser", "ser_types", "ser_components") == [zero_division] * 4
    assert values["muc_err"] == 1
    assert scores([], [], zero_division=zero_division)["muc_err"] == zero_division


# The root


@pytest.mark.parametrize(
    ("reference", "prediction", "type_part", "substitution"),
    [
        ("loc", "loc", 0, None),
        ("loc.adm.nat", "loc.adm.town", 0.25, "subtype"),
        ("loc", "loc.adm", 0.25, "subtype"),
        ("loc", "locality", 0.5, "type"),
        ("loc org", "org loc", 0, None),
        ("loc org", "loc", 0.5 / 2, "type"),
        ("loc", "func loc org", (0.5 + 0.5) / 3, "type"),
        ("loc.a org.a", "org.b loc.a", 0.25 / 2, "subtype"),
        ("loc.a org", "loc.b", (0.25 + 0.5) / 2, "type"),
        ("loc.a loc.b", "loc.b loc.c", 0.25 / 2, "subtype"),
        ("loc.a loc.b", "loc.b", 0.5 / 2, "type"),
        ("loc org pers", "func org time", (0.5 + 0.5) / 3, "type"),
        ("loc loc", "loc", 0, None),
    ],
)
def test_types(reference, prediction, type_part, substitution):
    values = scores([entity(0, 2, reference)], [entity(0, 2, prediction)])
    assert math.isclose(values["root_error"], type_part)
    assert math.isclose(values["substitution_cost"], type_part / 2)
    assert values["type_substitutions"] == (substitution == "type")
    assert values["subtype_substitutions"] == (substitution == "subtype")
    assert values["boundary_substitutions"] == 0


def test_bounds_and_type_add_up():
    values = scores([entity(0, 2, "loc")], [entity(0, 3, "org")])
    assert values["root_error"] == 0.75
    assert values["eter"] == 0.375
    assert values["boundary_substitutions"] == 1
    assert values["ser"] == 1


def test_options_price_each_error():
    reference = [entity(0, 2, "loc.a org", (0, 1, "name"), (1, 2, "kind"))]
    prediction = [entity(0, 3, "loc.b time", (0, 1, "kind"), (1, 3, "kind"))]
    values = scores(reference, prediction, alpha=0.25, type_cost=0.4, subtype_cost=0.1, span_cost=0.2)
    assert math.isclose(values["root_error"], (0.1 + 0.4) / 2 + 0.2)
    assert math.isclose(values["component_error"], (0.4 + 0.2) / 2)
    assert math.isclose(values["substitution_cost"], 0.75 * 0.45 + 0.25 * 0.3)


def test_entities_that_share_no_token_are_not_aligned():
    values = scores([entity(0, 2, "loc")], [entity(2, 4, "loc")])
    assert nonzero(values) == {
        "references": 1,
        "deletions": 1,
        "insertions": 1,
        "ser_types_deletions": 1,
        "ser_types_insertions": 1,
    }
    assert values["eter"] == values["ser"] == 2


# Components


@pytest.mark.parametrize(
    ("reference", "prediction", "error", "counts"),
    [
        ([], [], 0, (0, 0, 0, 0)),
        ([], [(0, 1, "name")], 1, (1, 0, 0, 0)),
        ([(0, 1, "name"), (1, 2, "kind")], [(1, 2, "kind")], 1 / 2, (0, 1, 0, 0)),
        ([(0, 1, "name")], [(0, 1, "kind")], 0.5, (0, 0, 1, 0)),
        ([(0, 1, "name")], [(0, 2, "name")], 0.25, (0, 0, 0, 1)),
        ([(0, 1, "name")], [(0, 2, "kind")], 0.75, (0, 0, 1, 1)),
        ([(0, 1, "name")], [(1, 2, "name")], 2, (1, 1, 0, 0)),
        ([(0, 2, "name"), (2, 4, "name")], [(0, 4, "name")], (1 + 0.25) / 2, (0, 1, 0, 1)),
        ([(0, 1, "name"), (0, 1, "name")], [(0, 1, "name")], 0, (0, 0, 0, 0)),
        # crossed labels: two label errors cost 1, two bounds in error only 0.5
        ([(0, 2, "name"), (1, 3, "kind")], [(0, 2, "kind"), (1, 3, "name")], 0.5 / 2, (0, 0, 0, 2)),
    ],
)
def test_components(reference, prediction, error, counts):
    values = scores([entity(0, 4, "loc", *reference)], [entity(0, 4, "loc", *prediction)])
    assert math.isclose(values["component_error"], error)
    assert math.isclose(values["eter"], error / 2)
    assert counts == tuple(
        values[f"component_{kind}"]
        for kind in ("insertions", "deletions", "label_substitutions", "boundary_substitutions")
    )


def test_a_pair_as_dear_as_none_is_kept():
    inserted = [(position, position + 1, "name") for position in range(4)]
    values = scores([entity(0, 5, "loc")], [entity(0, 5, "loc", *inserted)])
    assert (values["substitution_cost"], values["deletions"], values["insertions"]) == (2, 0, 0)
    assert values["component_insertions"] == 4


def test_a_pair_dearer_than_none_is_not_kept():
    inserted = [(position, position + 1, "name") for position in range(5)]
    values = scores([entity(0, 5, "loc")], [entity(0, 5, "loc", *inserted)])
    assert (values["substitution_cost"], values["deletions"], values["insertions"]) == (0, 1, 1)
    assert values["component_insertions"] == 0
    assert values["eter"] == 2


def test_a_component_pair_dearer_than_none_is_not_kept():
    reference, prediction = [entity(0, 2, "loc", (0, 1, "name"))], [entity(0, 2, "loc", (0, 1, "kind"))]
    values = scores(reference, prediction, type_cost=2.5)
    assert (values["component_insertions"], values["component_deletions"]) == (1, 1)
    assert values["component_label_substitutions"] == 0


# Which of equally cheap alignments


def test_a_subtype_and_bounds_before_a_type():
    reference = [entity(0, 2, "loc.a")]
    values = scores(reference, [entity(0, 2, "org"), entity(0, 3, "loc.b")])
    assert values["substitution_cost"] == 0.25
    assert (values["type_substitutions"], values["subtype_substitutions"], values["boundary_substitutions"]) == (
        0,
        1,
        1,
    )


def test_bounds_before_a_subtype():
    values = scores([entity(0, 2, "loc.a")], [entity(0, 2, "loc.b"), entity(0, 3, "loc.a")])
    assert values["substitution_cost"] == 0.125
    assert (values["type_substitutions"], values["subtype_substitutions"], values["boundary_substitutions"]) == (
        0,
        0,
        1,
    )


def test_costs_that_differ_in_the_last_bit_are_equal():
    assert 0.1 + 0.2 > 0.3
    options = {"alpha": 0.0, "type_cost": 0.3, "subtype_cost": 0.1, "span_cost": 0.2}
    values = scores([entity(0, 2, "loc.a")], [entity(0, 2, "org"), entity(0, 3, "loc.b")], **options)
    assert (values["type_substitutions"], values["subtype_substitutions"]) == (0, 1)


def test_the_earlier_prediction_is_taken():
    prediction = [entity(1, 3, "loc.c"), entity(0, 2, "loc.b")]
    found = slow.per_label([[entity(0, 3, "loc.a")]], [prediction])
    assert found["loc.c"]["insertions"] == 1
    assert found["loc.b"]["insertions"] == 0


def test_the_earlier_reference_is_matched():
    found = slow.per_label([[entity(1, 3, "loc.c"), entity(0, 2, "loc.b")]], [[entity(0, 3, "loc.a")]])
    assert found["loc.c"]["deletions"] == 1
    assert found["loc.b"]["deletions"] == 0


def test_bounds_before_a_label_among_components():
    reference = [entity(0, 4, "loc", (0, 2, "name"))]
    prediction = [entity(0, 4, "loc", (0, 2, "kind"), (0, 3, "name"))]
    values = scores(reference, prediction, type_cost=0.25)
    assert (values["component_label_substitutions"], values["component_boundary_substitutions"]) == (0, 1)


def test_bounds_before_a_label_among_slots():
    found = slow.per_label([[entity(0, 2, "loc")]], [[entity(0, 2, "org"), entity(0, 3, "loc")]])
    assert found["loc"]["ser_types_cost"] == 0.5
    assert found["loc"]["ser_types_insertions"] == 0
    assert found["org"]["ser_types_insertions"] == 1


# SER's slots


def test_a_component_that_is_an_entity_is_one_slot():
    inner = entity(1, 2, "func loc")
    values = scores([entity(0, 2, "org", (1, 2, "loc"), (0, 1, "loc")), inner], [])
    assert (values["ser_types_deletions"], values["ser_components_deletions"]) == (2, 1)


def test_a_component_is_not_its_own_parent():
    one, other = entity(0, 1, "loc", (0, 1, "loc")), entity(0, 1, "loc")
    assert scores([one], [])["ser_components_deletions"] == 1
    assert scores([one, other], [])["ser_components_deletions"] == 0


def test_component_slots_align_over_their_parents_borders():
    reference = [entity(0, 2, "loc", (0, 1, "name"), (1, 2, "kind"))]
    prediction = [entity(0, 2, "loc", (1, 2, "kind")), entity(0, 1, "org", (0, 1, "name"))]
    values = scores(reference, prediction)
    assert nonzero(values) == {
        "references": 1,
        "insertions": 1,
        "substitution_cost": 0.25,
        "component_error": 0.5,
        "component_deletions": 1,
        "ser_types_correct": 1,
        "ser_types_insertions": 1,
        "ser_components_correct": 2,
    }


def test_of_equal_component_slots_the_earlier_parents_comes_first():
    reference = [entity(0, 3, "org", (1, 2, "name")), entity(0, 2, "loc", (1, 2, "name"))]
    found = slow.per_label([reference], [[entity(1, 2, "loc", (1, 2, "name"))]])
    assert (found["loc"]["ser_components_correct"], found["loc"]["ser_components_deletions"]) == (1, 0)
    assert (found["org"]["ser_components_correct"], found["org"]["ser_components_deletions"]) == (0, 1)


def test_entity_slots_do_not_align_with_component_slots():
    values = scores([entity(0, 2, "loc", (0, 1, "name"))], [entity(0, 2, "loc"), entity(0, 1, "name")])
    assert (values["ser_types_insertions"], values["ser_components_deletions"]) == (1, 1)


def test_entity_slots_compare_sets_of_types():
    assert scores([entity(0, 1, "loc org")], [entity(0, 1, "org loc")])["ser_types_correct"] == 1
    values = scores([entity(0, 1, "loc org")], [entity(0, 1, "loc")])
    assert (values["ser_types_substitutions"], values["ser_types_cost"]) == (1, 0.5)


def test_rates_of_both_parts():
    reference = [entity(0, 3, "loc", (0, 1, "name"), (1, 2, "kind")), entity(4, 5, "org")]
    prediction = [entity(0, 2, "org", (0, 1, "kind"), (1, 2, "kind")), entity(6, 7, "org")]
    values = scores(reference, prediction)
    assert values["ser_types"] == (1 + 1 + 1) / 2
    assert values["ser_components"] == 0.5 / 2
    assert values["ser"] == (1 + 1 + 1 + 0.5) / 4
    assert values["muc_err"] == 4 / 5


# Booking by label


def test_booking():
    reference = [entity(0, 2, "loc org", (0, 1, "name")), entity(4, 5, "time", (4, 5, "unit"))]
    prediction = [entity(0, 2, "org loc", (0, 1, "kind")), entity(6, 7, "func", (6, 7, "kind"))]
    found = {label: nonzero(values) for label, values in slow.per_label([reference], [prediction]).items()}
    assert found == {
        "loc": {
            "references": 1,
            "substitution_cost": 0.25,
            "component_error": 0.5,
            "component_label_substitutions": 1,
            "ser_types_correct": 1,
            "ser_components_substitutions": 1,
            "ser_components_cost": 0.5,
        },
        "time": {"references": 1, "deletions": 1, "ser_types_deletions": 1, "ser_components_deletions": 1},
        "func": {"insertions": 1, "ser_types_insertions": 1, "ser_components_insertions": 1},
        "org": {},
    }


def test_duplicates_collapse_to_the_first():
    first = entity(0, 2, "org loc", (0, 1, "name"), (1, 2, "kind"))
    again = entity(0, 2, "loc org loc", (1, 2, "kind"), (0, 1, "name"), (0, 1, "name"))
    found = slow.per_label([[first, again]], [[]])
    assert list(found) == ["org"]
    assert nonzero(found["org"]) == {
        "references": 1,
        "deletions": 1,
        "ser_types_deletions": 1,
        "ser_components_deletions": 2,
    }


# Random documents


def close(one, other):
    return one.keys() == other.keys() and all(math.isclose(one[key], other[key], abs_tol=1e-9) for key in one)


def distinct_entities(document):
    """The different entities of a document as (start, end, types, components)."""
    return {
        (
            entity["start"],
            entity["end"],
            frozenset(entity["types"]),
            frozenset((part["start"], part["end"], part["label"]) for part in entity["components"]),
        )
        for entity in document
    }


def component_slot_count(entities):
    """How many components of the distinct entities are no entities themselves."""
    return sum(
        not any(other != parent and other[:2] == (start, end) and label in other[2] for other in entities)
        for parent in entities
        for start, end, label in parent[3]
    )


def test_every_entity_and_slot_is_counted_once():
    for seed in FEW_SEEDS:
        for reference, prediction in zip(*random_entity_documents(random.Random(seed)), strict=True):
            values = scores(reference, prediction)
            entities = [distinct_entities(side) for side in (reference, prediction)]
            sizes = {
                "ser_types": [len(side) for side in entities],
                "ser_components": [component_slot_count(side) for side in entities],
            }
            for part, (reference_size, predicted_size) in sizes.items():
                matched = values[f"{part}_correct"] + values[f"{part}_substitutions"]
                assert matched + values[f"{part}_deletions"] == reference_size, seed
                assert matched + values[f"{part}_insertions"] == predicted_size, seed
            assert values["references"] == len(entities[0]), seed
            assert values["references"] - values["deletions"] + values["insertions"] == len(entities[1]), seed


def test_alignments_are_the_cheapest():
    for seed in SEEDS:
        generator = random.Random(seed)
        rows, columns = (
            [
                {"start": start, "end": start + generator.randrange(1, 4), "number": number}
                for number, start in enumerate(sorted(generator.choices(range(6), k=generator.randrange(6))))
            ]
            for _ in range(2)
        )
        prices = {
            (row, column): generator.choice((0, 0.25, 1, 1.5, 2, 3))
            for row in range(len(rows))
            for column in range(len(columns))
        }
        matched, deleted, inserted = slow._align(
            rows,
            columns,
            lambda row, column, prices=prices: {"cost": prices[row["number"], column["number"]], "differences": ()},
        )
        savings = numpy.zeros((len(rows), len(columns)))
        for row, column in prices:
            if rows[row]["start"] < columns[column]["end"] and columns[column]["start"] < rows[row]["end"]:
                savings[row, column] = max(0, 2 - prices[row, column])
        cheapest = len(rows) + len(columns) - savings[linear_sum_assignment(savings, maximize=True)].sum()
        assert sum(pair["cost"] for _, _, pair in matched) + len(deleted) + len(inserted) == cheapest, seed
