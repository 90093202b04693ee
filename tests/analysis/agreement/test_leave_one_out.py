"""Agreement without each annotator: values are those of the others' agreement, intervals those of drawn corpora."""

import json

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, random_team
from spanometer import disagreements
from spanometer.counts.statistics import Resampling

TEAM = {
    "ann": [["B-X", "O", "O", "B-Y"]] * 2,
    "ben": [["B-X", "O", "O", "B-Y"]] * 2,
    "cat": [["O", "B-X", "O", "B-Y"]] * 2,
}


def team(seed, annotators):
    corpora, lengths = random_team(seed, "flat", annotators)
    return [as_spans(one, lengths) for one in corpora]


def test_by_hand():
    found = disagreements(TEAM).leave_one_out(confidence=None)
    # without cat both are equal; one X of four tokens meets another by chance with 1/4, so with Y: chance is 1/4
    assert found.values["kappa_f1"].tolist() == pytest.approx([(0.5 - 0.25) / 0.75, (0.5 - 0.25) / 0.75, 1])
    assert found.mean_kappa_f1 == pytest.approx((1 + 2 / 3) / 3)
    assert found.values["kappa_change"].tolist() == pytest.approx([1 / 3 - 5 / 9, 1 / 3 - 5 / 9, 1 - 5 / 9])
    assert found.values["with_others"].tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    assert found.values["alpha"][2] == 1
    assert found.order == [2, 0, 1]


@pytest.mark.parametrize("options", [{}, {"variant": "1995"}, {"average": "macro"}, {"variant": None}])
def test_it_is_the_agreement_of_the_others(options):
    for seed in range(4):
        sides = team(seed, 4)
        found = disagreements(sides).leave_one_out(confidence=None, **options)
        whole = spanometer.agreement(sides, **options)
        assert found.mean_kappa_f1 == pytest.approx(whole.mean_kappa_f1, abs=1e-12)
        assert found.alpha == pytest.approx(whole.alpha, abs=1e-12, nan_ok=True)
        assert found.values["kappa_change"].sum() == pytest.approx(0, abs=1e-12)
        for out in range(4):
            others = spanometer.agreement([side for place, side in enumerate(sides) if place != out], **options)
            assert found.values["kappa_f1"][out] == pytest.approx(others.mean_kappa_f1, abs=1e-12)
            if options.get("variant", "2016"):
                assert found.values["alpha"][out] == pytest.approx(others.alpha, abs=1e-12)
            assert found.values["with_others"][out] == pytest.approx(np.delete(whole.kappa_f1[out], out).mean())


@pytest.mark.parametrize("level", ["token", "span"])
def test_intervals_are_those_of_drawn_corpora(level):
    """The corpora are drawn and scored one by one; the same documents for all annotators and for the whole team."""
    sides = team(11, 3)
    sides = [side.take(np.tile(np.arange(side.documents), 3)) for side in sides]
    options = {"interval_method": "percentile", "n_resamples": 40, "seed": 5}
    found = disagreements(sides, level=level).leave_one_out(confidence=0.9, **options)
    changes = []
    for weights in Resampling(n_resamples=40, seed=5).weights(sides[0].documents):
        for row in weights.astype(int):
            taken = [side.take(np.repeat(np.arange(len(row)), row)) for side in sides]
            whole = spanometer.agreement(taken, level=level)
            others = [spanometer.agreement(taken[:out] + taken[out + 1 :], level=level) for out in range(3)]
            kappa = [one.mean_kappa_f1 - whole.mean_kappa_f1 for one in others]
            changes.append([*kappa, *(one.alpha - whole.alpha for one in others)])
    expected = np.quantile(np.array(changes), [0.05, 0.95], axis=0)
    bounds = np.concatenate([found.intervals["kappa_change"], found.intervals["alpha_change"]], axis=1)
    np.testing.assert_allclose(bounds, expected, atol=1e-12)


def test_what_is_shown():
    found = disagreements(TEAM).leave_one_out(n_resamples=50)
    described = json.loads(json.dumps(found.to_dict()))
    assert list(described["annotators"]) == list(TEAM)
    # both documents are the same, so every drawn corpus is
    assert described["annotators"]["cat"]["intervals"]["kappa_change"] == pytest.approx([4 / 9, 4 / 9])
    assert "+0.4444" in str(found)
    assert found.to_frame()["annotator"].tolist() == ["all", "cat", "ann", "ben"]


def test_alpha_can_be_left_out():
    found = disagreements(TEAM).leave_one_out(variant=None, n_resamples=50)
    assert list(found.values) == list(found.intervals) == ["with_others", "kappa_f1", "kappa_change"]
    assert "alpha" not in str(found.table()) and not found.to_frame().columns.str.contains("alpha").any()
    assert "alpha" not in found.to_dict()["annotators"]["ann"]


def test_one_document_has_no_intervals():
    found = disagreements({name: tags[:1] for name, tags in TEAM.items()}).leave_one_out(n_resamples=50)
    assert np.isnan(found.intervals["kappa_change"]).all()
