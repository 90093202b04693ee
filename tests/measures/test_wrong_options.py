"""Options and sides of a kind that nobody expects."""

import math

import numpy as np
import pytest

from spanometer import InputError, Spans
from spanometer.counts.statistics import Estimate, Resampling
from spanometer.measures.chance_kappa_f1 import ChanceKappaF1
from spanometer.measures.eter import Eter
from spanometer.measures.registry import ALL_MEASURES, MEASURES
from spanometer.measures.sl_icm import SlIcm
from spanometer.options import options_of
from spanometer.spans.entities import Entities

SPANS = Spans.from_tags([["B-A", "I-A", "O"]])
WORDS = [["a", "b", "c"]]
KNOWN = {"a": 0.5, "b": 0.25, "c": 0.25}


def numeric_options():
    for kind in (*ALL_MEASURES.values(), Resampling):
        for name, option in options_of(kind).items():
            if option.kind in (int, float):
                yield pytest.param(kind, name, id=f"{kind.__name__}-{name}")


NUMBERS = list(numeric_options())


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
@pytest.mark.parametrize(
    "value", [-(10**400), math.inf, math.nan, np.timedelta64(1, "D"), np.complex64(1), 1j, np.ma.masked, [1], "1", None]
)
def test_numbers_that_are_none(kind, name, value):
    if name == "zero_division" and isinstance(value, float):
        return
    if value is None and options_of(kind)[name].optional:
        return
    with pytest.raises(InputError) as caught:
        kind(**{name: value})
    assert caught.value.option == name


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_integers_past_floating_point(kind, name):
    """A seed can be any; nothing else."""
    if name == "seed":
        assert str(10**400) in ChanceKappaF1(n_simulations=1, seed=10**400).signature({})
        return
    with pytest.raises(InputError):
        kind(**{name: 10**400})


@pytest.mark.parametrize("cost", ["type_cost", "span_cost"])
def test_costs_past_64_bits(cost):
    one = Entities.from_dicts([[{"start": 0, "end": 2, "types": ["a"], "components": []}]])
    other = Entities.from_dicts([[{"start": 0, "end": 1, "types": ["b"], "components": []}]])
    # such a pair is dearer than a deletion and an insertion
    assert Eter(**{cost: 2**63}).counts(one, other).score()["eter"] == 2.0


def test_options_are_plain_numbers():
    measure = SlIcm(log_base=np.float16(3), zero_division=np.float64(1))
    assert [type(value) for value in (measure.log_base, measure.zero_division)] == [float, float]
    assert SlIcm(log_base=3) == SlIcm(log_base=3.0)
    assert "log_base:3|" in SlIcm(log_base=3).signature({})


@pytest.mark.parametrize("value", [0, 2, -1, None, "x", True, np.timedelta64(1), np.complex64(1), [1], math.nan])
def test_probabilities_of_words_that_do_not_occur(value):
    with pytest.raises(InputError, match=r"token_probabilities\['z'\]"):
        SlIcm(tokens=WORDS, token_probabilities={**KNOWN, "z": value})


@pytest.mark.parametrize("name", ALL_MEASURES)
@pytest.mark.parametrize("given", [[["B-A"]], 5, None, "x", np.array(3)])
def test_sides_of_another_kind(name, given):
    measure = ALL_MEASURES[name]()
    with pytest.raises(InputError) as caught:
        measure.counts(given, given)
    assert caught.value.side == "references"
    if name in MEASURES:
        with pytest.raises(InputError) as caught:
            measure.counts(SPANS, given)
        assert caught.value.side == "predictions"


@pytest.mark.parametrize("confidence", [1 - 2**-53, 5e-324])
def test_levels_at_the_ends(confidence):
    drawn = np.linspace(0.2, 0.8, 100)
    low, high = Estimate(np.array(0.45), drawn, np.linspace(0.4, 0.5, 10) ** 2).interval(confidence)
    assert 0.2 <= low <= high <= 0.8
    assert confidence < 0.5 or (low, high) == pytest.approx((0.2, 0.8))
