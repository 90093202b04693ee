"""Grounding against its definition, read word by word, on random texts, answers and policies."""

import random
import re

import pytest

from spanometer.grounding.grounded import ground
from spanometer.grounding.placing import best_window
from spanometer.grounding.policies import NAMED, PLACES, GroundingPolicy
from spanometer.measures.span_f import SpanF
from spanometer.options import options_of
from spanometer.spans.spans import Spans
from spanometer.spans.texts import words_and_signs
from tests.slow import grounding as slow

LABELS = ("PER", "LOC")

TEXTS = {
    1: ("Paris loves Paris", "Paris", [(0, 5), (12, 17)]),
    2: ("Paris loves Paris", "Paris, Paris", [(0, 5), (12, 17)]),
    3: ("Paris loves Paris", "Paris, Paris, Paris", [(0, 5), (12, 17)]),
    4: ("An apple for Apple", "Apple", [(13, 18)]),
    5: ("Romania and Oman", "Oman, Romania", [(0, 7), (12, 16)]),
    6: ("Paris Hilton in Paris", "Paris Hilton, Paris", [(0, 12), (16, 21)]),
    7: ("IBM", "IBM, International Business Machines", [(0, 3)]),
    8: ("a plan of two - year terms", "two-year", [(10, 20)]),
    9: ("Ann, Bob, Bob, Ann", "Bob, Ann, Ann, Bob", [(0, 3), (5, 8), (10, 13), (15, 18)]),
}


def published(text, answer, gold, policy):
    grounded = ground([text], ["X: " + answer], policy=policy, format="lines")
    spans = {(span["start"], span["end"]) for span in grounded.spans.to_dicts()[0]}
    return len(spans & set(gold)), len(grounded.spans) + len(grounded.wrong_label), len(gold)


@pytest.mark.parametrize(
    ("policy", "rows"),
    {
        "spacy-llm-v2": ["2/2/2", "2/2/2", "2/2/2", "1/2/1", "2/2/2", "2/2/2", "1/1/1", "0/0/1", "4/4/4"],
        "spacy-llm-v3": ["1/1/2", "2/2/2", "2/2/2", "0/1/1", "1/1/2", "2/2/2", "1/1/1", "0/0/1", "2/2/4"],
        "spacy-llm-first": ["1/1/2", "1/1/2", "1/1/2", "0/1/1", "2/2/2", "1/1/2", "1/1/1", "0/0/1", "2/2/4"],
        "uie": ["1/1/2", "2/2/2", "2/2/2", "1/1/1", "2/2/2", "1/2/2", "1/1/1", "0/0/1", "4/4/4"],
        "langextract": ["1/1/2", "2/2/2", "2/2/2", "0/1/1", "1/1/2", "2/2/2", "1/2/1", "1/1/1", "2/2/4"],
        "strict": ["1/1/2", "2/2/2", "2/3/2", "1/1/1", "2/2/2", "2/2/2", "1/2/1", "0/1/1", "4/4/4"],
    }.items(),
)
def test_the_published_examples(policy, rows):
    assert ["/".join(map(str, published(*example, policy))) for example in TEXTS.values()] == rows


@pytest.mark.parametrize(
    ("policy", "numbers"),
    {
        "spacy-llm-v2": (1, 1),
        "spacy-llm-v3": (1, 1),
        "spacy-llm-first": (1, 1),
        "uie": (2, 2),
        "langextract": (1, 1),
        "strict": (2, 3),
    }.items(),
)
def test_the_published_example_of_nested_mentions(policy, numbers):
    answer = '[["ORG", "University of Oslo"], ["LOC", "Oslo"], ["CITY", "Oslo"]]'
    grounded = ground(["University of Oslo"], [answer], policy=policy, asked_labels=["ORG", "LOC"])
    spans = {(span["start"], span["end"], span["label"]) for span in grounded.spans.to_dicts()[0]}
    gold = {(0, 18, "ORG"), (14, 18, "LOC")}
    assert (len(spans & gold), len(spans) + len(grounded.wrong_label)) == numbers
    assert grounded.total["outside"] == 1


PIECES = ["a", "b", "A", "ab", "Ba", " ", " ", "-", "–", "'", "“", "e\u0301", "é", "\u200b", "ﬁ", "fi", "İ", "ß", "1"]


def simple_tokens(text):
    return [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]


def random_case(random):
    text = "".join(random.choices(PIECES, k=random.randint(0, 12)))
    items = []
    for _ in range(random.randint(0, 5)):
        if text and random.random() < 0.7:
            start = random.randrange(len(text))
            mention = text[start : start + random.randint(1, 5)]
            if random.random() < 0.3:
                mention = mention.swapcase()
        else:
            mention = "".join(random.choices(PIECES, k=random.randint(1, 3)))
        if mention.strip():
            items.append((random.choice([*LABELS, "ODD"]), mention))
    return text, items


@pytest.mark.parametrize("seed", range(5))
def test_any_policy_against_the_slow_reading(seed):
    rng = random.Random(seed)
    for _ in range(400):
        text, items = random_case(rng)
        tokens = simple_tokens(text)
        policy = GroundingPolicy(
            **{place: rng.choice(list(options_of(GroundingPolicy)[place].choices)) for place in PLACES}
        )
        grounded = ground([text], [list(map(list, items))], policy=policy, asked_labels=LABELS, tokens=[tokens])
        spans, wrong, numbers = slow.ground(text, tokens, items, policy.actions, LABELS, mention_tokens)
        found = {(span["start"], span["end"], span["label"]) for span in grounded.spans.to_dicts()[0]}
        case = (text, items, str(policy))
        assert found == spans, case
        assert list(grounded.wrong_label) == wrong, case
        assert {key: grounded.total[key] for key in numbers} == numbers, case


def mention_tokens(mention):
    found = words_and_signs([mention])
    return [mention[start:end] for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_the_most_similar_window_against_all_windows(seed):
    rng = random.Random(seed)
    for _ in range(250):
        tokens = rng.choices("abcde,", k=rng.randint(0, 14))
        wanted = rng.choices("abcdef", k=rng.randint(1, 6))
        assert best_window(wanted, tokens) == slow.window(wanted, tokens), (wanted, tokens)


def test_the_most_similar_window_of_a_long_mention():
    rng = random.Random(5)
    text = [str(rng.randrange(40)) for _ in range(300)]
    wanted = text[80:220]
    for place in rng.sample(range(140), 20):
        wanted[place] = "odd"
    # all windows of this text are too many: the one that the mention was made from has 120 of its tokens in common
    start, end = best_window(wanted, text)
    assert slow.common(wanted, text[start:end]) >= 120
    assert end - start <= 140


def test_named_policies_are_named():
    assert str(GroundingPolicy()) == "strict"
    assert all(GroundingPolicy.of(name) == point.policy for name, point in NAMED.items())
    assert GroundingPolicy.of("salvage,drop,exact,whole,order,drop,drop,keep") == NAMED["gpt-ner"].policy
    assert str(GroundingPolicy(absent="drop")) == "empty,keep,exact,whole,prefer free,wrong,drop,keep"
    assert len(PLACES) == 8
    # a policy that only comes near its project says so
    assert str(NAMED["langextract"].policy) == "~langextract"
    assert GroundingPolicy.of("~langextract") == NAMED["langextract"].policy


def test_items_without_a_place_touch_nothing():
    grounded = ground(["Ann saw Bob.", "Oslo"], [[["PER", "Ann"], ["PER", "Cid"], ["LOC", "Rome"]], None])
    reference = Spans.from_dicts([[{"start": 0, "end": 3, "label": "PER"}], [{"start": 0, "end": 4, "label": "LOC"}]])
    both = grounded.sides(reference)
    assert both[1].to_dicts()[0] == [
        {"start": 0, "end": 3, "label": "PER"},
        {"start": 12, "end": 15, "label": "PER"},
        {"start": 15, "end": 19, "label": "LOC"},
    ]
    assert [side.lengths.tolist() for side in both] == [[19, 4], [19, 4]]
    assert grounded.total == {
        "items": 3,
        "placed": 1,
        "surplus": 0,
        "absent": 2,
        "overlapping": 0,
        "outside": 0,
        "broken": 1,
        "rewritten": 0,
        "repaired": 0,
        "unread": 0,
        "other_fields": 0,
        "turned": 0,
    }
    scores = SpanF().score(SpanF().counts(*both))
    assert (scores["precision"], scores["recall"]) == (1 / 3, 1 / 2)


def test_offsets_are_ignored_checked_or_trusted():
    answers = [[["PER", "Ann", 8, 11], ["PER", "Bob", 0, 3], ["PER", "Cid", 50, 53]]]
    text = ["Ann saw Ann."]

    def bounds(offsets):
        policy = GroundingPolicy(offsets=offsets, absent="drop")
        return [(span["start"], span["end"]) for span in ground(text, answers, policy=policy).spans.to_dicts()[0]]

    assert bounds("ignore") == [(0, 3)]
    assert bounds("check") == [(8, 11)]
    assert bounds("trust") == [(0, 3), (8, 11)]


def test_offsets_of_a_rewritten_text_are_carried_over():
    text = ["The old Ann saw Ann, and Bob saw nobody."]
    answer = ["Ann saw <PER>Ann</PER> and <PER>Bob</PER> saw."]
    checked = ground(text, answer, policy="empty,keep,exact,whole,first,wrong,wrong,keep,check")
    assert [(span["start"], span["end"]) for span in checked.spans.to_dicts()[0]] == [(16, 19), (25, 28)]
    assert checked.total["rewritten"] == 1


def test_a_mention_is_never_a_pattern():
    grounded = ground(["What (a) day.*"], [[["X", ".*"], ["X", "(a)"], ["X", "[a-z]"]]], policy="llmner")
    assert [(span["start"], span["end"]) for span in grounded.spans.to_dicts()[0]] == [(5, 8), (12, 14)]


@pytest.mark.parametrize(
    ("answers", "labels", "warning"),
    [
        (
            [[["PER", "Bob"], ["LOC", "Rome"], ["PER", "Ann"]]],
            None,
            "2 of 3 items are absent (not in the text), such as",
        ),
        ([[["DOG", "Ann"]]], ["PER"], "1 of 1 item is outside (of labels not asked for), such as 'DOG'"),
        ([[{"text": "Ann", "label": "PER", "start": "a"}]], None, "1 of 1 item is unread (with unreadable offsets)"),
        ([None], None, "1 of 1 answer is broken, first in document 1"),
        ([[["PER", "Ann"]]], None, None),
    ],
)
def test_scores_that_rest_on_rubble_come_with_a_warning(answers, labels, warning):
    warnings = ground(["Ann slept."], answers, asked_labels=labels).warnings
    assert [text.startswith(warning) for text in warnings] == ([] if warning is None else [True])
