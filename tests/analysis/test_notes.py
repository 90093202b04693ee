"""What a reader of values must know stands beside them in every result: identical annotations may have no scale."""

import spanometer
from spanometer import Spans
from spanometer.measures import ChanceKappaF1, UnitizingAlpha

# spans side by side over all of each document have one placement, and no token is outside of them
FULL = Spans.from_dicts(
    [[{"label": "A", "start": 0, "end": 2}, {"label": "A", "start": 2, "end": 9}]] * 2, lengths=[9] * 2
)
SOME = Spans.from_dicts([[{"label": "A", "start": 0, "end": 2}]] * 2, lengths=[9] * 2)
CHANCE = "chance_f1 is 1: randomly placed spans always agree fully, so kappa_f1 has the value of zero_division."
ALPHA = "expected_disagreement is 0: randomly placed units never disagree, so alpha has the value of zero_division."
MEASURES = ["chance_kappa_f1", "unitizing_alpha"]


def test_alpha_of_full_documents():
    counts = UnitizingAlpha().counts(FULL, FULL)
    assert UnitizingAlpha().score(counts)["alpha"] == 0.0
    assert UnitizingAlpha().notes(counts) == [ALPHA]
    assert UnitizingAlpha(variant="1995").notes(UnitizingAlpha(variant="1995").counts(SOME, SOME)) == []
    assert UnitizingAlpha().notes(UnitizingAlpha().counts(SOME, SOME)) == []
    nothing = Spans.from_dicts([[]], lengths=[3])
    assert UnitizingAlpha().notes(UnitizingAlpha().counts(nothing, nothing)) == []


def test_agreement():
    found = spanometer.agreement({"ann": FULL, "ben": FULL})
    assert (found.mean_kappa_f1, found.alpha) == (0.0, 0.0)
    assert found.notes == (f"ann - ben: {CHANCE}", f"alpha: {ALPHA}")
    assert all(note in str(found) for note in found.notes)
    assert found.to_dict()["notes"] == list(found.notes)
    four = spanometer.agreement([FULL] * 4, variant=None)
    assert four.notes == (f"1 - 2, 1 - 3, 1 - 4 and 3 more: {CHANCE}",)
    usual = spanometer.agreement([SOME, SOME])
    assert (usual.mean_kappa_f1, usual.notes) == (1.0, ())
    assert "notes" not in usual.to_dict()


def test_compare():
    found = spanometer.compare(FULL, {"old": FULL, "new": SOME}, measures=MEASURES, n_resamples=5, n_permutations=5)
    assert found.measures["chance_kappa_f1"].notes == (f"old: {CHANCE}",)
    assert found.measures["unitizing_alpha"].notes == (f"old: {ALPHA}",)
    assert f"chance_kappa_f1: old: {CHANCE}" in str(found)
    assert found.to_dict()["measures"]["unitizing_alpha"]["notes"] == [f"old: {ALPHA}"]


def test_documents_on_average():
    measures = {"mean": spanometer.measures.SpanF(average="documents")}
    gold = Spans.from_dicts([[], [{"label": "A", "start": 0, "end": 2}]])
    (note,) = spanometer.compare(gold, {"a": gold, "b": gold}, measures=measures, n_resamples=5).measures["mean"].notes
    assert note.startswith("a, b: documents with no span on either side (1 of 2) score 0")


def test_score_against():
    found = spanometer.score_against([FULL, FULL], {"new": SOME}, measures=[ChanceKappaF1()])
    assert found.measures["chance_kappa_f1"].notes == (f"2 against 1, 1 against 2: {CHANCE}",)
    assert f"2 against 1, 1 against 2: {CHANCE}" in str(found)
