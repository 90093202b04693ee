"""Answers about the same ten texts in every form: all entities are read; of damaged answers a count tells."""

import json
import random
from dataclasses import replace

import pytest

import spanometer
from spanometer.grounding import (
    FORMATS,
    NAMED,
    NAMED_STRINGS,
    GroundingPolicy,
    Item,
    ground,
    ground_strings,
    read_answer,
)
from spanometer.options import options_of
from tests.answer_samples import FORMS, GOLD, LABELS, TEXTS

SIGNS = "[]{}()<>\"'`:,;|#@\\/&\n\0\ud800\u0301"
DEFECTS = ("broken", "absent", "outside", "unread", "surplus", "other_fields", "repaired", "rewritten")


@pytest.mark.parametrize("name", FORMS)
def test_forms(name):
    report = spanometer.score(GOLD, FORMS[name], measures="span_f", grounding="strict", asked_labels=LABELS)
    assert report.f1 == 1


@pytest.mark.parametrize("name", [name for name in FORMS if name.startswith("offsets")])
def test_offsets(name):
    options = {"measures": "span_f", "grounding": "strict", "asked_labels": LABELS}
    for offsets in ("check", "trust", "nearest"):
        assert spanometer.score(GOLD, FORMS[name], offsets=offsets, **options).f1 == 1


def damaged(answer, rng):
    """The answer with something cut out, doubled, or replaced by signs or a part of another answer."""
    written = answer if isinstance(answer, str) else json.dumps(answer)
    first, last = sorted(rng.choices(range(len(written) + 1), k=2))
    other = rng.choice(FORMS[rng.choice([*FORMS])])
    others = ["", written[first:last] * 2, "".join(rng.choices(SIGNS, k=4)), other if isinstance(other, str) else "{"]
    return rng.choice([written[:first], written[last:], written[:first] + rng.choice(others) + written[last:]])


def ground_damaged(seed):
    """Ground ten damaged answers under a policy for spans and one for strings, in a format; their defects are counted.

    `for seed in range(4000): ground_damaged(seed)` tries 40,000.
    """
    rng = random.Random(seed)
    answers = [damaged(answer, rng) for answer in FORMS[rng.choice([*FORMS])]]
    options = {"asked_labels": rng.choice([None, LABELS, LABELS[:1]]), "format": rng.choice(["auto", "auto", *FORMATS])}
    ground_strings(TEXTS, answers, policy=rng.choice([*NAMED_STRINGS]), **options)
    offsets = rng.choice([*options_of(GroundingPolicy)["offsets"].choices])
    ground(TEXTS, answers, policy=replace(NAMED[rng.choice([*NAMED])].policy, offsets=offsets), **options)
    total = ground(TEXTS, answers, asked_labels=LABELS).total
    assert total["placed"] or any(total[defect] for defect in DEFECTS), answers


@pytest.mark.parametrize("seed", range(60))
def test_damaged_answers(seed):
    ground_damaged(seed)


@pytest.mark.parametrize("answer", ['{"', '{"PER', "{'PER': [", "[Ann](PE Bob](PER)", '[e "text"}]'])
def test_answers_that_are_rubble_are_broken(answer):
    assert read_answer(answer, asked_labels=LABELS, text="Ann saw Bob.").broken


def test_an_unopened_fence_loses_nothing():
    assert read_answer('{"LOC": ["Rome"]}\n```\n').items == (Item("LOC", "Rome"),)
