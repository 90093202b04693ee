"""The information contrast model with free weights."""

import pytest

from spanometer import Spans
from spanometer.measures import SlIcm, read_counts

GOLD, OUTPUT = (Spans.from_tags([tags]) for tags in (["B-A", "I-A"], ["B-A", "O"]))
NOTHING = Spans.from_tags([["O", "O"]], scheme="IOB2")


def score(output, **weights):
    return SlIcm(**weights).counts(GOLD, output).score()


def test_by_hand():
    # the reference carries 1 + 1/2, the output 1, which is what they have in common
    assert score(OUTPUT) == pytest.approx({"sl_icm": 3 - 1 - 1.5, "sl_icm_norm": 2 / 3})
    found = score(OUTPUT, alpha1=0.5, alpha2=0.25, beta=1)
    assert found == pytest.approx({"sl_icm": 2 - 0.5 - 0.375, "sl_icm_norm": (2 - 0.5) / (1.5 * 1.5)})


@pytest.mark.parametrize(("a1", "a2", "b"), [(2, 2, 3), (1, 1, 1.5), (1.5, 1, 2)])
def test_as_the_model_is_written_elsewhere(a1, a2, b):
    """a1 I(output) + a2 I(reference) - b I(both together); a1 = a2 = 2 and b = 3 are today's values."""
    found = score(OUTPUT, alpha1=b - a1, alpha2=b - a2, beta=b - 1)["sl_icm"]
    assert found == pytest.approx(a1 * 1 + a2 * 1.5 - b * (1 + 1.5 - 1))
    assert (a1, a2, b) != (2, 2, 3) or found == score(OUTPUT)["sl_icm"]


@pytest.mark.parametrize(
    "weights", [{"alpha1": 0.5, "alpha2": 0.25, "beta": -0.125}, {"alpha1": 2.5, "alpha2": 4, "beta": 6}]
)
def test_the_norm_is_1_for_the_reference_and_0_for_nothing(weights):
    assert score(GOLD, **weights)["sl_icm_norm"] == 1.0
    assert score(NOTHING, **weights)["sl_icm_norm"] == 0.0


def test_weights_at_the_end_of_the_range():
    assert score(GOLD, alpha1=1.4, alpha2=1.5)["sl_icm"] == pytest.approx(0.1 * 1.5)


def test_weights_are_in_the_signature_and_in_stored_counts():
    assert "|matching:mutual|alpha1:1|alpha2:1|beta:2|match_labels:yes|" in SlIcm().signature({})
    measure = SlIcm(alpha1=0.5, alpha2=0.25, beta=1.25)
    assert "|alpha1:0.5|alpha2:0.25|beta:1.25|" in measure.signature({})
    assert read_counts(measure.counts(GOLD, OUTPUT).to_bytes()).measure == measure
