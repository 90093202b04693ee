"""Measures as text, with their options, one or several."""

import math

import pytest

import spanometer
from spanometer import InputError
from spanometer.measures.chance_kappa_f1 import ChanceKappaF1
from spanometer.measures.fair_f import FairF
from spanometer.measures.gamma import Gamma
from spanometer.measures.intersection_f import IntersectionF
from spanometer.measures.matched_f import MatchedF
from spanometer.measures.registry import ALL_MEASURES, read_measures
from spanometer.measures.span_f import SpanF
from spanometer.measures.token_f import TokenF
from spanometer.measures.unitizing_alpha import UnitizingAlpha

TAGS = [["B-PER", "I-PER", "O"], ["B-LOC"]]
OTHER = [["B-PER", "O", "O"], ["B-LOC"]]


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("span_f,token_f(format=BIO)", {"span_f": SpanF(), "token_f": TokenF(format="BIO")}),
        (" span_f ( ) , ", {"span_f": SpanF()}),
        ("'span_f', \"matched_f( threshold = '.9' )\"", {"span_f": SpanF(), "matched_f": MatchedF(threshold=0.9)}),
        ("token_f(format=IO*)", {"token_f": TokenF(format="IO*")}),
        ("unitizing_alpha(variant=1995)", {"unitizing_alpha": UnitizingAlpha(variant="1995")}),
        ("intersection_f(cap=yes)", {"intersection_f": IntersectionF(cap=True)}),
        (
            "fair_f(weights='BE=1/0/0,LE=0/1/1',focus=system)",
            {"fair_f": FairF(weights="BE=1/0/0,LE=0/1/1", focus="system")},
        ),
        ("gamma(distances={'A': {'B': 0.5}},precision=None)", {"gamma": Gamma(distances={"A": {"B": 0.5}})}),
        ("gamma(distances='A/B=0.5,A/C=1',seed=3)", {"gamma": Gamma(distances="A/B=0.5,A/C=1", seed=3)}),
        (
            ["token_f(format=BIO)", TokenF()],
            {"token_f(format=BIO)": TokenF(format="BIO"), "token_f(format=IO)": TokenF()},
        ),
        (
            "chance_kappa_f1,chance_kappa_f1(method=auto)",
            {
                "chance_kappa_f1(method=exact)": ChanceKappaF1(),
                "chance_kappa_f1(method=auto,uniform_threshold=0.99)": ChanceKappaF1(method="auto"),
            },
        ),
        (
            "intersection_f(cap=True),intersection_f",
            {"intersection_f(cap=True)": IntersectionF(cap=True), "intersection_f(cap=False)": IntersectionF()},
        ),
        ({"one": "span_f(average=macro)"}, {"one": SpanF(average="macro")}),
    ],
    ids=str,
)
def test_measures_as_text(text, measures):
    read = read_measures(text, ALL_MEASURES)
    assert read == measures
    for name, measure in read.items():
        # names with options are text, too
        assert "(" not in name or read_measures(name, ALL_MEASURES) == {measure.name: measure}


def test_options_of_all_measures_and_of_one():
    read = read_measures(
        "span_f,token_f(average=micro),eter", ALL_MEASURES, {"average": "macro", "match_labels": False}
    )
    assert [measure.average for measure in read.values()] == ["macro", "micro", "macro"]
    assert not any(measure.match_labels for measure in list(read.values())[:2])
    assert math.isnan(read_measures("span_f(zero_division=nan)", ALL_MEASURES)["span_f"].zero_division)


def test_a_value_from_a_file(tmp_path):
    (tmp_path / "distances.json").write_text('{"A": {"B": 0.5}}\n')
    read = read_measures(f"gamma(seed=1,distances=@{tmp_path / 'distances.json'})", ALL_MEASURES)
    assert read == {"gamma": Gamma(seed=1, distances={"A": {"B": 0.5}})}
    (tmp_path / "distances.json").write_text('{"A": {"B": 5}}\n')
    with pytest.raises(InputError, match="distances"):
        read_measures(f"gamma(distances=@{tmp_path / 'distances.json'})", ALL_MEASURES)


def test_results_of_one_measure_with_several_options():
    report = spanometer.score(TAGS, OTHER, measures="token_f(format=BIO),token_f,span_f", average="macro")
    assert list(report.measures) == ["token_f(format=BIO)", "token_f(format=IO)", "span_f"]
    assert {"token_f(format=BIO)_f1", "token_f(format=IO)_f1", "span_f_f1"} <= report.flat().keys()
    assert "\ntoken_f(format=BIO) " in str(report)
    assert list(report.to_dict()["measures"]) == list(report.measures)
    compared = spanometer.compare(TAGS, {"a": TAGS, "b": OTHER}, measures="span_f,span_f(match_labels=no)")
    assert list(compared.measures) == ["span_f(match_labels=True)", "span_f(match_labels=False)"]
