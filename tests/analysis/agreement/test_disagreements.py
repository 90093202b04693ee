"""Where annotators differ: costs that sum to what F1 lacks, kinds, labels that are confused, what is written."""

import csv
import io
import json
from itertools import combinations

import numpy as np
import pytest

import spanometer
from random_corpora import as_dicts, random_team
from slow.disagreements import cost_of, kinds_of, places_of
from spanometer import Spans, disagreements
from spanometer.alignment.matched_spans import MatchedSpans
from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.agreement.annotators import DIFFERENCES
from spanometer.analysis.errors.kinds import Confusion
from spanometer.measures import SpanF, TokenF
from spanometer.web.error_report import error_report

WORDS = [["Ada", "met", "Bob", "of", "Acme", "Inc"], ["Rome", "fell"]]
TEAM = {
    "ann": [["B-PER", "O", "B-PER", "O", "B-ORG", "I-ORG"], ["B-LOC", "O"]],
    "ben": [["B-PER", "O", "B-PER", "O", "O", "B-ORG"], ["B-ORG", "O"]],
    "cat": [["B-PER", "O", "O", "O", "B-ORG", "B-ORG"], ["B-LOC", "O"]],
}


def sides_of(corpora, lengths, kind):
    return [Spans.from_dicts(as_dicts(one, fragmented=kind == "discontinuous"), lengths=lengths) for one in corpora]


def test_by_hand():
    found = disagreements(TEAM, words=WORDS, level="span")
    # each has 4 spans, so that pairs have 8
    assert [row["text"] for row in found.to_arrow().to_pylist()] == ["Acme Inc", "Rome", "Bob"]
    # Acme Inc: ann has 1 span, ben another, cat two of which one is ben's: apart are 2, 3 and 1
    # Rome: ann and cat LOC, ben ORG: 2, 0, 2; Bob: cat lacks it: 0, 1, 1
    assert found.cost[found.order].tolist() == pytest.approx([6 / 24, 4 / 24, 2 / 24])
    assert found.mean_f1 == pytest.approx(1 - 12 / 24)
    kinds = dict(zip(DIFFERENCES, found.kinds[found.order].T.tolist(), strict=True))
    # ben's Inc is a part of ann's span and one of cat's; ann's span is cat's two: a pair and a span alone
    assert kinds == {"other label": [0, 2, 0], "other boundary": [1, 0, 0], "split": [2, 0, 0], "only one": [1, 0, 2]}
    assert found.confusions.confused() == [("LOC", "ORG", 2, 2 / 6)]
    # tokens: 5, 4 and 4, so pairs of 9, 9 and 8; ben lacks one of Acme Inc, cat Bob; Rome is one LOC and one ORG
    of_tokens = disagreements(TEAM, level="token")
    assert of_tokens.cost.tolist() == pytest.approx([(1 / 9 + 1 / 8) / 3, (1 / 9 + 1 / 8) / 3, (2 / 9 + 2 / 8) / 3])


def test_readings_of_a_place():
    row = disagreements(TEAM, words=WORDS).to_arrow().to_pylist()[1]
    assert {key: row[key] for key in ("document", "start", "end", "kinds", "before", "text", "after")} == {
        "document": 1,
        "start": 4,
        "end": 6,
        "kinds": ["other boundary", "split", "only one"],
        "before": "Ada met Bob of",
        "text": "Acme Inc",
        "after": "",
    }
    acme, inc = (
        {"start": 4, "end": 5, "label": "ORG", "text": "Acme"},
        {"start": 5, "end": 6, "label": "ORG", "text": "Inc"},
    )
    assert row["readings"] == [
        {"annotators": ["ann"], "spans": [{"start": 4, "end": 6, "label": "ORG", "text": "Acme Inc"}]},
        {"annotators": ["ben"], "spans": [inc]},
        {"annotators": ["cat"], "spans": [acme, inc]},
    ]


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
@pytest.mark.parametrize("annotators", [2, 3, 4])
def test_random_teams(kind, annotators):
    for seed in range(12):
        corpora, lengths = random_team(seed, kind, annotators)
        sides = sides_of(corpora, lengths, kind)
        documents = list(zip(*corpora, strict=True))
        cases = [(place, one) for one in documents for place in places_of(one)]
        for level in ("span", "token"):
            found = disagreements(sides, level=level)
            costs = [cost_of(place, one, corpora, level) for place, one in cases]
            assert found.cost.tolist() == pytest.approx(costs, abs=1e-12)
        assert found.kinds.tolist() == [kinds_of(place, one) for place, one in cases]


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_costs_sum_to_what_f1_lacks(kind):
    for seed in range(20):
        corpora, lengths = random_team(seed, kind, 4)
        sides = sides_of(corpora, lengths, kind)
        for level, measure in {"span": SpanF(zero_division=1.0), "token": TokenF(zero_division=1.0)}.items():
            pairs = [measure.score(measure.counts(*pair))["f1"] for pair in combinations(sides, 2)]
            found = disagreements(sides, level=level)
            assert found.mean_f1 == pytest.approx(np.mean(pairs), abs=1e-12)
        if kind == "flat":
            for level in ("span", "token"):
                expected = spanometer.agreement(sides, level=level, zero_division=1.0).mean_f1
                assert disagreements(sides, level=level).mean_f1 == pytest.approx(expected, abs=1e-12)


def test_costs_in_tokens_are_those_of_the_measure():
    # a token in two spans of one label of an annotator counts once
    outer, inner = {"start": 0, "end": 4, "label": "X"}, {"start": 1, "end": 3, "label": "X"}
    found = disagreements([Spans.from_dicts([[outer, inner]]), Spans.from_dicts([[outer]])])
    assert found.cost.tolist() == [0]
    assert disagreements(list(found.sides), level="span").cost.tolist() == [pytest.approx(1 / 3)]


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_confusions_are_those_of_all_pairs(kind):
    for seed in range(20):
        corpora, lengths = random_team(seed, kind, 3)
        found = disagreements(sides_of(corpora, lengths, kind))
        expected = {}
        for pair in combinations(found.sides, 2):
            one = Confusion.of(MatchedSpans(Alignment(*pair)), "overlap")
            for row, name in enumerate((*one.labels, "")):
                for column, other in enumerate((*one.labels, "")):
                    key = tuple(sorted((name, other)))
                    expected[key] = expected.get(key, 0) + int(one.counts[row, column])
        names = (*found.confusions.labels, "")
        counts = {
            tuple(sorted((names[row], names[column]))): int(found.confusions.counts[row, column])
            for row in range(len(names))
            for column in range(len(names))
        }
        assert {key: value for key, value in counts.items() if value} == {
            key: value for key, value in expected.items() if value
        }


def test_what_is_written():
    found = disagreements(TEAM, words=WORDS)
    rows = [json.loads(line) for line in found.to_json_lines().splitlines()]
    assert rows == found.to_dict()["places"]
    assert len(found) == len(rows) == 3
    table = list(csv.DictReader(io.StringIO(found.to_csv("places"))))
    assert [row["ben"] for row in table] == ["ORG Rome", "ORG Inc", "PER Bob"]
    assert [row["cat"] for row in table] == ["LOC Rome", "ORG Acme | ORG Inc", "–"]
    assert [row["kinds"] for row in table] == ["other label", "other boundary, split, only one", "only one"]
    assert found.to_frame()["cost"].tolist() == found.cost[found.order].tolist()
    assert "ann, cat: LOC Rome" in str(found)
    assert "level:token" in found.signature


def test_without_words_bounds_are_shown():
    fragmented = [[{"label": "X", "fragments": [[0, 1], [2, 3]]}]]
    found = disagreements({"document": Spans.from_dicts(fragmented), "b": Spans.from_dicts([[]])})
    (row,) = csv.DictReader(io.StringIO(found.to_csv("places")))
    # an annotator who is called as a column is
    assert (row["document"], row["annotator document"], row["b"]) == ("1", "X 0–1 2–3", "–")
    (said, nothing) = found.to_arrow().to_pylist()[0]["readings"]
    assert said["spans"] == [{"start": 0, "end": 3, "label": "X", "fragments": [[0, 1], [2, 3]]}]
    assert nothing == {"annotators": ["b"], "spans": []}


@pytest.mark.parametrize("sides", [[TEAM["ann"], TEAM["ann"]], [[], []], [[[]], [[]]]])
def test_without_differences(sides):
    found = disagreements(sides)
    assert (len(found), found.mean_f1, found.to_json_lines()) == (0, 1.0, "")
    assert "0 places" in str(found)
    assert found.to_arrow().num_rows == 0


def test_labels_can_be_left_out_of_it():
    assert len(disagreements(TEAM, match_labels=False)) == 2
    assert len(disagreements(TEAM, ignore_labels=("LOC", "ORG"))) == 1


def test_words_that_a_tokenizer_makes_are_shown(tmp_path):
    ends = {"ann": 12, "ben": 3}
    for name, end in ends.items():
        row = {"text": "Ada Lovelace's sketch", "spans": [{"start": 0, "end": end, "label": "P"}]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    sides = {name: spanometer.read(tmp_path / f"{name}.jsonl") for name in ends}
    found = disagreements(sides, tokenizer="words")
    assert [row["text"] for row in found.to_arrow().to_pylist()] == ["Ada Lovelace"]


def test_texts_as_they_are(file, tmp_path):
    """Words are not spaced anew where the text is known: in tables, JSON and on pages of errors."""
    text = "Born 2/8/1935 (in Rome). I'll go\nto Rome."
    sides = []
    for end in (13, 8):
        row = {"id": "x", "text": text, "spans": [{"start": 5, "end": end, "label": "DATE"}]}
        sides.append(spanometer.read(file(f"{end}.jsonl", json.dumps(row) + "\n")))
    reading = {"tokenizer": "words", "to_tokens": "expand"}
    found = spanometer.disagreements(sides, **reading)
    (place,) = found.to_arrow().to_pylist()
    assert (place["before"], place["text"], place["after"]) == ("Born ", "2/8/1935", " (in Rome). I'll go to")
    assert [reading["spans"][0]["text"] for reading in place["readings"]] == ["2/8/1935", "2/8"]
    assert "  Born 2/8/1935 (in Rome). I'll go to\n" in str(found)
    errors = spanometer.errors(sides[0], {"a": sides[1]}, **reading)
    page = error_report(errors)
    assert "Born 2/8/1935 (in Rome). I\\u0027ll go to Rome." in page
    # in characters of the text: where a mark begins and how long it is
    assert '"marks":[[5,8,0]]' in page
