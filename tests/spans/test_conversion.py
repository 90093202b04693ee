"""Tags repaired under a policy and converted between schemes."""

import random

import pytest

from random_tags import legal_corpus, random_corpus
from slow import decoding as slow
from spanometer.readers import tag_lists
from spanometer.spans.conversion import changed_tokens, convert_tags, repair_tags
from spanometer.tags.decoding import illegal_pairs, policies_of
from spanometer.tags.schemes import SCHEMES, get_scheme
from spanometer.tags.tags import Tags

ALLOWED = [(scheme, policy) for scheme in SCHEMES for policy in policies_of(get_scheme(scheme))]


@pytest.mark.parametrize(("scheme", "policy"), ALLOWED)
def test_repaired_tags_are_legal_and_hold_the_spans_of_the_policy(scheme, policy):
    corpus = random_corpus(f"{scheme} {policy} repaired", scheme, documents=400)
    tags = Tags.from_lists(corpus)
    expected = [slow.decode(document, scheme, policy) for document in corpus]
    for to in set(SCHEMES) - {"IO"}:
        new = repair_tags(tags, repair=policy, scheme=scheme, to=to)
        assert len(illegal_pairs(new, get_scheme(to))) == 0
        assert [slow.decode(document, to, "conlleval") for document in tag_lists(new)] == expected


@pytest.mark.parametrize(("scheme", "policy"), ALLOWED)
def test_legal_tags_stay_what_they_are(scheme, policy):
    tags = Tags.from_lists(legal_corpus(random.Random(scheme), scheme, adjacent=scheme != "IO", documents=200))
    assert len(changed_tokens(tags, repair_tags(tags, repair=policy, scheme=scheme))) == 0


def test_changed_tokens():
    old = Tags.from_lists([["O", "B-A", "I-A"], ["B-B"]])
    assert changed_tokens(old, Tags.from_lists([["O", "B-A", "E-A"], ["B-B"]])).tolist() == [2]
    assert changed_tokens(old, Tags.from_lists([["B-B", "B-A", "I-A"], ["O"]])).tolist() == [0, 3]


def test_bare_prefixes_stay_bare():
    tags = Tags.from_lists([["B", "I", "O"], ["I"], ["O"]])
    assert tag_lists(repair_tags(tags, repair="conlleval", to="IOBES")) == [["B", "E", "O"], ["S"], ["O"]]
    labelled = Tags.from_lists([["B-_", "O"]])
    assert tag_lists(repair_tags(labelled, repair="conlleval", to="IOBES")) == [["S-_", "O"]]


def test_the_scheme_is_told():
    tags = Tags.from_lists([["B-A", "O", "I-A"]])
    assert tag_lists(repair_tags(tags, repair="conlleval")) == [["B-A", "O", "B-A"]]
    assert tag_lists(repair_tags(tags, repair="conlleval", scheme="IOB1")) == [["I-A", "O", "I-A"]]


def test_io_cannot_part_spans():
    assert tag_lists(convert_tags(Tags.from_lists([["B-A", "B-B"], ["B-A"]]), to="IO")) == [["I-A", "I-B"], ["I-A"]]
