"""Consensus of annotators: by hand, against a slow implementation, ties, overlaps, what cannot vote."""

import numpy as np
import pytest

import spanometer
from random_corpora import as_sets, as_spans, random_team, tokens_of
from slow import consensus as slow

TAGS = {
    "ann": [["B-X", "I-X", "O", "O", "O", "O"], ["O", "B-Y", "O"]],
    "ben": [["O", "B-X", "I-X", "O", "O", "O"], ["O", "B-Y", "O"]],
    "cat": [["O", "O", "O", "O", "B-X", "I-X"], ["B-Y", "B-Y", "O"]],
    "dan": [["B-X", "I-X", "O", "O", "O", "O"], ["B-Y", "O", "O"]],
}


def spans_of(found):
    return [[(span["start"], span["end"], span["label"]) for span in document] for document in found.spans.to_dicts()]


def test_by_hand():
    found = spanometer.consensus(TAGS)
    # [0, 2) X has two votes of four, [1, 2) Y three
    assert (found.needed, spans_of(found)) == (3, [[], [(1, 2, "Y")]])
    assert found.voters(found.chosen) == [["ann", "ben", "cat"]]
    assert found.candidates.votes.tolist() == [2, 1, 1, 2, 3]
    assert found.voters(found.ties) == [["ann", "dan"], ["cat", "dan"]]
    assert found.name == "majority of ann, ben, cat, dan"
    assert found.signature == (
        f"consensus|scheme:IOB2|repair:conlleval|annotators:4|rule:majority|v:{spanometer.__version__}"
    )
    half = spanometer.consensus(TAGS, rule="half")
    assert spans_of(half) == [[(0, 2, "X")], [(0, 1, "Y"), (1, 2, "Y")]]
    assert len(half.ties) == 2
    assert spans_of(spanometer.consensus(TAGS, rule="intersection")) == [[], []]
    union = spanometer.consensus(TAGS, rule="union")
    assert spans_of(union) == [[(0, 2, "X"), (1, 3, "X"), (4, 6, "X")], [(0, 1, "Y"), (1, 2, "Y")]]
    assert len(union.ties) == 0


def test_tables():
    found = spanometer.consensus(TAGS)
    votes = found.to_frame("votes")
    assert votes["spans"].tolist() == [0, 1, 2, 2]
    assert votes["in_consensus"].tolist() == [0, 1, 0, 0]
    assert [row["annotators"] for row in found.to_dict()["ties"]] == ["ann, dan", "cat, dan"]
    assert "2 spans with exactly half of the votes, not in the consensus" in str(found)


def require_same(sides, lengths, rule):
    found = spanometer.consensus([as_spans(side, lengths) for side in sides], rule=rule)
    of_documents = list(zip(*sides, strict=True))
    won = [slow.winners(annotations, rule) for annotations in of_documents]
    assert as_sets(found.spans) == list(map(set, won))
    assert as_sets(found.ties.spans) == [set(slow.winners(each, rule, slow.is_tie)) for each in of_documents]
    assert as_sets(found.candidates.spans) == [set().union(*document) for document in of_documents]
    for document, label, tokens, row in columns(found.chosen):
        assert won[document][label, tokens] == frozenset(np.flatnonzero(row).tolist())


def columns(voted):
    row = iter(voted.voters)
    for number, document in enumerate(voted.spans.to_dicts()):
        for span in document:
            yield number, span["label"], tokens_of(span), next(row)


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
@pytest.mark.parametrize("rule", ["majority", "half", "union", "intersection"])
def test_spans_against_slow(kind, rule):
    for seed in range(12):
        sides, lengths = random_team(seed, kind, 2 + seed % 4, documents=4)
        require_same(sides, lengths, rule)


def test_nothing_annotated():
    found = spanometer.consensus([[["O", "O"], []], [["O", "O"], []]])
    assert (len(found.spans), found.spans.lengths.tolist()) == (0, [2, 0])
    assert "0 spans in the consensus" in str(found)
    assert len(found.tables()) == 2


def test_labels_are_chosen_first():
    found = spanometer.consensus(
        [[["B-PER", "O"]], [["B-PERSON", "O"]], [["O", "B-ORG"]]], label_map={"PER": "PERSON"}, ignore_labels=["ORG"]
    )
    assert spans_of(found) == [[(0, 1, "PERSON")]]
    assert found.candidates.votes.tolist() == [2]
