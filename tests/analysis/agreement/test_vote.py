"""Consensus of annotators: by hand, against a slow implementation, ties, overlaps, what cannot vote."""

import random

import numpy as np
import pytest

import spanometer
from random_corpora import as_spans, disturbed, random_document
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
        "consensus|scheme:IOB2|repair:conlleval|annotators:4|rule:majority|vote:span|resolve:nothing|"
        f"v:{spanometer.__version__}"
    )
    half = spanometer.consensus(TAGS, rule="half")
    assert spans_of(half) == [[(0, 2, "X")], [(0, 1, "Y"), (1, 2, "Y")]]
    assert len(half.ties) == 2
    assert spans_of(spanometer.consensus(TAGS, rule="intersection")) == [[], []]
    union = spanometer.consensus(TAGS, rule="union")
    assert spans_of(union) == [[(0, 2, "X"), (1, 3, "X"), (4, 6, "X")], [(0, 1, "Y"), (1, 2, "Y")]]
    assert (len(union.ties), union.contradicting) == (0, 2)
    # what two have stays
    resolved = spanometer.consensus(TAGS, rule="union", resolve="overlaps")
    assert spans_of(resolved) == [[(0, 2, "X"), (4, 6, "X")], [(0, 1, "Y"), (1, 2, "Y")]]
    assert resolved.voters(resolved.overruled) == [["ben"]]
    assert "|rule:at_least_3|" in spanometer.consensus(TAGS, at_least=3).signature


def test_tokens_by_hand():
    # token 1 is X for ann, ben and dan; in the second document token 1 is Y for three
    assert spans_of(spanometer.consensus(TAGS, vote="token")) == [[(1, 2, "X")], [(1, 2, "Y")]]
    found = spanometer.consensus(TAGS, vote="token", rule="half")
    # cat alone has Y on both tokens, and begins a span on the second
    assert spans_of(found) == [[(0, 2, "X")], [(0, 1, "Y"), (1, 2, "Y")]]
    assert found.voters(found.chosen) == [["ann", "dan"], ["cat", "dan"], ["ann", "ben", "cat"]]
    # [0, 2) and [1, 3) are one run, on all of which nobody has the label
    union = spanometer.consensus({"ann": TAGS["ann"], "ben": TAGS["ben"]}, vote="token", rule="union")
    assert spans_of(union) == [[(0, 3, "X")], [(1, 2, "Y")]]
    assert union.voters(union.chosen) == [[], ["ann", "ben"]]


def test_touching_spans_stay_apart_if_most_part_them():
    parted, whole = [["B-X", "I-X", "B-X"]], [["B-X", "I-X", "I-X"]]
    assert spans_of(spanometer.consensus([parted, parted, whole], vote="token")) == [[(0, 2, "X"), (2, 3, "X")]]
    assert spans_of(spanometer.consensus([parted, whole, whole], vote="token")) == [[(0, 3, "X")]]
    # half is not more than half
    assert spans_of(spanometer.consensus([parted, whole], vote="token")) == [[(0, 3, "X")]]


def test_tables():
    found = spanometer.consensus(TAGS)
    votes = found.to_frame("votes")
    assert votes["spans"].tolist() == [0, 1, 2, 2]
    assert votes["in_consensus"].tolist() == [0, 1, 0, 0]
    annotators = found.to_frame("annotators").set_index("annotator")
    assert annotators.loc["cat"].tolist() == [3, 1, 1 / 3, 1]
    assert found.to_frame("spans")["outcome"].tolist() == ["tie", "outvoted", "outvoted", "tie", "chosen"]
    assert found.to_frame("labels").set_index("label").loc["Y"].tolist() == [2, 1, 1]
    assert [row["annotators"] for row in found.to_dict()["ties"]] == ["ann, dan", "cat, dan"]
    tokens = spanometer.consensus(TAGS, vote="token").to_frame("spans")
    # what was made of tokens and nobody has as a span is there too
    made = tokens[(tokens["outcome"] == "chosen") & (tokens["label"] == "X")]
    assert made[["start", "end", "annotators"]].values.tolist() == [[1, 2, "ann, ben, dan"]]
    assert "2 spans with exactly half of the votes, not in the consensus" in str(found)


def annotators(seed, size, kind):
    """Random annotations of the same documents, alike enough to have winners."""
    generator = random.Random(seed)
    lengths = [generator.choice((1, 3, 6, 10)) for _ in range(4)]
    truth = [random_document(generator, length, kind) for length in lengths]
    return [
        [disturbed(generator, document, length, kind) for document, length in zip(truth, lengths, strict=True)]
        for _ in range(size)
    ], lengths


def as_sets(spans):
    """The spans of each document as (label, tokens)."""
    found = [set() for _ in range(spans.documents)]
    for number, document in enumerate(spans.to_dicts()):
        for span in document:
            pieces = span.get("fragments") or [(span["start"], span["end"])]
            found[number].add((span["label"], frozenset(t for start, end in pieces for t in range(start, end))))
    return found


def require_same(sides, lengths, rule, vote, resolve):
    settings = {"at_least": rule} if isinstance(rule, int) else {"rule": rule}
    given = [as_spans(side, lengths) for side in sides]
    found = spanometer.consensus(given, vote=vote, resolve=resolve, **settings)
    of_documents = list(zip(*sides, strict=True))
    count = slow.winners if vote == "span" else slow.runs
    won = [count(annotations, rule) for annotations in of_documents]
    kept = [slow.resolved(document, resolve) for document in won]
    assert as_sets(found.spans) == kept
    assert as_sets(found.overruled.spans) == [set(document) - stay for document, stay in zip(won, kept, strict=True)]
    assert as_sets(found.ties.spans) == [set(count(each, rule, slow.is_tie)) for each in of_documents]
    assert found.contradicting == sum(map(slow.contradicting, kept, won))
    assert as_sets(found.candidates.spans) == [set().union(*document) for document in of_documents]
    for document, label, tokens, row in columns(found.chosen):
        assert won[document][label, tokens] == frozenset(np.flatnonzero(row).tolist())
    if rule == "majority" and vote == "span" and all(map(slow_flat, (spans for each in sides for spans in each))):
        assert found.contradicting == 0


def columns(voted):
    row = iter(voted.voters)
    for number, document in enumerate(voted.spans.to_dicts()):
        for span in document:
            pieces = span.get("fragments") or [(span["start"], span["end"])]
            tokens = frozenset(t for start, end in pieces for t in range(start, end))
            yield number, span["label"], tokens, next(row)


def slow_flat(spans):
    return sum(len(tokens) for _, tokens in spans) == len({token for _, tokens in spans for token in tokens})


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
@pytest.mark.parametrize("rule", ["majority", "half", "union", "intersection", 2])
def test_spans_against_slow(kind, rule):
    for seed in range(12):
        sides, lengths = annotators(seed, 2 + seed % 4, kind)
        for resolve in ("nothing", "contradictions", "overlaps"):
            require_same(sides, lengths, rule, "span", resolve)


@pytest.mark.parametrize("rule", ["majority", "half", "union", "intersection", 2])
def test_tokens_against_slow(rule):
    for seed in range(20):
        sides, lengths = annotators(seed, 2 + seed % 4, "flat")
        require_same(sides, lengths, rule, "token", "nothing")
        require_same(sides, lengths, rule, "token", "overlaps")


def test_nothing_annotated():
    for vote in ("span", "token"):
        found = spanometer.consensus([[["O", "O"], []], [["O", "O"], []]], vote=vote)
        assert (len(found.spans), found.spans.lengths.tolist()) == (0, [2, 0])
        assert "0 spans in the consensus" in str(found)
        assert len(found.tables()) == 5


def test_labels_are_chosen_first():
    found = spanometer.consensus(
        [[["B-PER", "O"]], [["B-PERSON", "O"]], [["O", "B-ORG"]]], label_map={"PER": "PERSON"}, ignore_labels=["ORG"]
    )
    assert spans_of(found) == [[(0, 1, "PERSON")]]
    assert found.candidates.votes.tolist() == [2]
