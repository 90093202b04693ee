"""Illegal pairs of tags, and the spans that each repair policy makes of them."""

import pytest

from random_tags import random_corpus
from slow import decoding as slow
from spanometer.tags.decoding import Validation, policies_of
from spanometer.tags.schemes import SCHEMES, get_scheme
from spanometer.tags.tags import Tags


@pytest.mark.parametrize("scheme", SCHEMES)
def test_validation_against_a_slow_reader(scheme):
    corpus = random_corpus(f"{scheme} validation", scheme, documents=500)
    validation = Validation(Tags.from_lists(corpus), scheme=scheme)
    assert validation.scheme.name == scheme
    policies = policies_of(get_scheme(scheme))
    decoded = {policy: [slow.decode(tags, scheme, policy) for tags in corpus] for policy in policies}
    assert validation.spans == {policy: sum(map(len, spans)) for policy, spans in decoded.items()}
    affected = []
    for pair in validation:
        tags = corpus[pair.document]
        affected.append(pair.document)
        places = {pair.position}
        if pair.tag is None:
            assert pair.position == len(tags) - 1
            assert pair.previous == tags[-1]
        else:
            assert pair.tag == tags[pair.position]
            assert pair.previous == (tags[pair.position - 1] if pair.position else None)
            places |= {pair.position - 1} if pair.position else set()
        assert list(pair.policies) == list(policies)
        for policy, spans in pair.policies.items():
            near = [span for span in decoded[policy][pair.document] if places & set(range(span[1], span[2]))]
            assert spans == sorted(near, key=lambda span: span[1])
    assert len(affected) == len(validation)
    assert validation.affected.tolist() == sorted(set(affected))
    refused = []
    for number, tags in enumerate(corpus):
        try:
            slow.decode(tags, scheme, "raise")
        except ValueError:
            refused.append(number)
    assert refused == validation.affected.tolist()


def test_pairs_in_words():
    pairs = Validation(Tags.from_lists([["I-A", "O", "B-A"]]), scheme="IOBES")
    assert [str(pair) for pair in pairs] == ["I-A at the beginning", "O after I-A", "B-A at the end"]


def test_policies_of_a_scheme():
    assert policies_of(get_scheme("IOBES")) == ("conlleval", "discard", "bes", "convert")
    assert policies_of(get_scheme("IOB2")) == ("conlleval", "discard", "convert")
    assert policies_of(get_scheme("IOE2")) == ("conlleval", "discard")
