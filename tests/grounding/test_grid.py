"""All policies at once: every one of the 9,216 against the definition, and against grounding one by one."""

import random

import pytest

from spanometer.grounding.answers import Answer
from spanometer.grounding.grounded import ground, text_indices
from spanometer.grounding.items import Item
from spanometer.grounding.outcomes import Predicted, Vocabulary, grounding_grid, outcomes_of, predicted_by_all
from spanometer.grounding.policies import NAMED, PLACES, GroundingPolicy
from tests.slow import grounding as slow

LABELS = ("PER", "LOC")
GRID = grounding_grid().policies
CASES = 256
WORDS = ["ab", "Ab", "cd", "abcd", "e", "e\u0301", "–", "-", "'", "ﬁ", "x1", "“"]


def random_case(rng):
    """A text of a few words, and mentions of it: cut, with other words, in another order."""
    words = rng.choices(WORDS, k=rng.randint(1, 9))
    text, tokens = "", []
    for word in words:
        tokens.append((len(text), len(text) + len(word)))
        text += word + rng.choice([" ", "  ", ""])
    items = []
    for _ in range(rng.randint(1, 5)):
        first = rng.randrange(len(words))
        said = words[first : first + rng.randint(1, 4)]
        kind = rng.random()
        if kind < 0.2:
            said.insert(rng.randint(0, len(said)), rng.choice(WORDS))
        elif kind < 0.3:
            said = rng.sample(said, len(said))
        mention = (
            rng.choice([" ", ""]).join(said)
            if kind > 0.5
            else text[slice(*sorted(rng.sample(range(len(text) + 1), 2)))]
        )
        if rng.random() < 0.2:
            mention = mention.swapcase()
        if mention.strip():
            items.append((rng.choice([*LABELS, "ODD"]), mention))
    return text, tokens, items


def mention_tokens(mention):
    return [mention[start:end] for start, end in text_tokens(mention)]


def text_tokens(text):
    (index,) = text_indices([text])
    return list(zip(index.starts, index.ends, strict=True))


def test_every_policy_against_the_slow_reading():
    rng = random.Random(11)
    grid = grounding_grid()
    policies = rng.sample(range(len(grid)), len(grid))
    done, fuzzy, chained = set(), 0, 0
    for case in range(CASES):
        text, tokens, items = random_case(rng)
        answer = Answer(tuple(Item(*item) for item in items), broken=rng.random() < 0.3)
        number, predicted = predicted_by_all(
            answer, text_indices([text], [tokens])[0], Vocabulary(frozenset(LABELS), {})
        )
        for policy in policies[case::CASES]:
            actions = grid.policies[policy].actions
            spans, wrong, _ = slow.ground(text, tokens, items, actions, LABELS, mention_tokens, answer.broken)
            found = predicted[number[policy]]
            assert found.spans == spans, (text, items, actions)
            assert [label for label, _ in found.wrong] == wrong, (text, items, actions)
            done.add(policy)
            other = dict(zip(PLACES, actions, strict=True))
            wrong_instead = grid.find([*actions[:6], "wrong", *actions[7:]])
            fuzzy += other["absent"] == "fuzzy" and found != predicted[number[wrong_instead]]
            chained += other["repeat"] == "chain" and len(spans) > 1
    assert len(done) == 9216
    assert fuzzy > 100
    assert chained > 100


def test_offsets_that_are_checked_against_the_slow_reading():
    rng = random.Random(12)
    stated = 0
    for _ in range(150):
        text, tokens, items = random_case(rng)
        (index,) = text_indices([text], [tokens])
        policy = GroundingPolicy.with_actions([*rng.choice(GRID).actions, "check"])
        offsets = []
        for _, mention in items:
            place = text.find(mention, rng.randrange(len(text)))
            offsets.append((place, place + len(mention)) if place >= 0 else None)
        written = [Item(*item, *(bounds or (0, len(text) + 1))) for item, bounds in zip(items, offsets, strict=True)]
        answer = Answer(tuple(written))
        kept = [
            bounds
            for (label, _), bounds in zip(items, offsets, strict=True)
            if label in LABELS or policy.outside == "keep"
        ]
        spans, wrong, _ = slow.ground(text, tokens, items, policy.actions[:8], LABELS, mention_tokens, offsets=kept)
        found = Predicted.of(outcomes_of(answer, index, policy, LABELS), policy)
        assert found.spans == spans, (text, written, policy)
        assert [label for label, _ in found.wrong] == wrong, (text, written, policy)
        stated += sum(map(bool, offsets))
    assert stated > 100


def test_wrong_offsets_take_no_place_of_right_ones():
    items = (Item("PER", "Ann", 1, 4), Item("PER", "Ann", 0, 3))
    for repeat in ("prefer free", "next", "next free", "next by label"):
        policy = GroundingPolicy(offsets="check", repeat=repeat)
        spans = ground(["Ann met Bob and Ann left."], [Answer(items)], policy=policy).spans.to_dicts()[0]
        assert [span["start"] for span in spans] == [0, 16]


@pytest.mark.parametrize("seed", range(4))
def test_all_at_once_is_one_by_one(seed):
    rng = random.Random(seed)
    text, tokens, items = random_case(rng)
    (index,) = text_indices([text], [tokens])
    answer = Answer(tuple(Item(*item) for item in items), broken=seed == 0)
    aliases = {"ODD": "LOC"} if seed == 1 else {}
    number, predicted = predicted_by_all(answer, index, Vocabulary(frozenset(LABELS), aliases))
    for place, policy in enumerate(GroundingPolicy.grid()):
        if place % 37:
            continue
        grounded = ground([text], [answer], policy=policy, asked_labels=LABELS, aliases=aliases, tokens=[tokens])
        found = predicted[number[place]]
        spans = {(span["start"], span["end"], span["label"]) for span in grounded.spans.to_dicts()[0]}
        wrong = tuple(zip(grounded.wrong_label, grounded.wrong_mention, strict=True))
        assert (found.spans, found.wrong) == (spans, wrong)


def test_policies_of_the_grid():
    grid = grounding_grid()
    assert (len(grid), grid.choices.shape) == (9216, (9216, 8))
    assert [place.name for place in grid.places] == list(PLACES)
    for name, policy in grid.named.items():
        assert grid.policies[policy] == NAMED[name].policy
        assert tuple(grid.describe(policy).values()) == NAMED[name].policy.actions
    policy = GroundingPolicy(repeat="order")
    assert grid.policies[grid.find(policy.actions)] == policy
