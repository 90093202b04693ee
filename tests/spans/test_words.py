"""Tokens made from the kinds of characters."""

import random
import re

import pytest

from spanometer.spans.texts import between_blanks, words_and_signs


def covered(texts, tokens):
    places = zip(tokens.document.tolist(), tokens.start.tolist(), tokens.end.tolist(), strict=True)
    found = [[] for _ in texts]
    for document, start, end in places:
        found[document].append(texts[document][start:end])
    return found


def test_by_hand():
    texts = ["Zürich's 3.5 a_b!", "", " ", "x"]
    assert covered(texts, words_and_signs(texts)) == [["Zürich", "'", "s", "3", ".", "5", "a_b", "!"], [], [], ["x"]]
    assert covered(texts, between_blanks(texts)) == [["Zürich's", "3.5", "a_b!"], [], [], ["x"]]
    tokens = words_and_signs(texts)
    assert (tokens.offsets.tolist(), tokens.start.tolist()[:3], tokens.end.tolist()[-1]) == (
        [0, 8, 8, 8, 9],
        [0, 6, 7],
        1,
    )


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("cafe\u0301 x", ["cafe\u0301", "x"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("\u0645\u06cc\u200c\u062e\u0648", ["\u0645\u06cc\u200c\u062e\u0648"]),
        ("👩‍👩‍👧 ok👍🏽no", ["👩‍👩‍👧", "ok", "👍🏽", "no"]),
        ("❤️❤️", ["❤️", "❤️"]),
        # a mark that no character bears
        (" \u0301x", ["\u0301", "x"]),
        ("\u0301x", ["\u0301", "x"]),
        ("\u200dx", ["\u200dx"]),
    ],
)
def test_what_people_see_as_one_character(text, tokens):
    # the same within other texts
    assert covered(["a", text, "\u0301"], words_and_signs(["a", text, "\u0301"])) == [["a"], tokens, ["\u0301"]]


def test_against_regular_expressions():
    chance = random.Random(3)
    texts = ["".join(chance.choices("abz09_ÜßЖ日 \t\n.,-'💃\u3000", k=chance.randrange(12))) for _ in range(300)]
    assert covered(texts, words_and_signs(texts)) == [re.findall(r"\w+|[^\w\s]", text) for text in texts]
    assert covered(texts, between_blanks(texts)) == [text.split() for text in texts]
