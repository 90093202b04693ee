"""Units of characters."""

import random

import numpy as np
import pytest

from spanometer.spans.texts import UNITS, borders, code_points, code_points_of


def test_units_counted_by_hand():
    # an emoji: 2 units of UTF-16, 4 bytes; é: 1 and 2
    assert borders("a😀é", "codepoint").tolist() == [0, 1, 2, 3]
    assert borders("a😀é", "utf-16").tolist() == [0, 1, 3, 4]
    assert borders("a😀é", "byte").tolist() == [0, 1, 5, 7]
    assert code_points("a😀é", np.arange(6), "utf-16").tolist() == [0, 1, -1, 2, 3, -1]
    assert code_points("abc", np.array([-1, 3, 4]), "utf-16").tolist() == [-1, 3, -1]


@pytest.mark.parametrize(("unit", "encoding", "size"), [("utf-16", "utf-16-le", 2), ("byte", "utf-8", 1)])
def test_against_encoding(unit, encoding, size):
    chance = random.Random(3)
    for _ in range(500):
        text = "".join(chance.choice("ab é\u0301😀𝒜中\n") for _ in range(chance.randrange(12)))
        expected = [len(text[:place].encode(encoding)) // size for place in range(len(text) + 1)]
        assert borders(text, unit).tolist() == expected
        assert code_points(text, np.array(expected), unit).tolist() == list(range(len(text) + 1))


@pytest.mark.parametrize("unit", UNITS)
def test_many_texts_as_one_by_one(unit):
    chance = random.Random(unit)
    texts = ["".join(chance.choice("ab é😀\u0301\r\n\r\n") for _ in range(chance.randrange(6))) for _ in range(60)]
    document = np.array([chance.randrange(60) for _ in range(500)])
    offsets = np.array([chance.randrange(-2, 30) for _ in document])
    expected = []
    for owner, offset in zip(document.tolist(), offsets.tolist(), strict=True):
        encoding, size = {"c": ("utf-32-le", 4), "u": ("utf-16-le", 2), "b": ("utf-8", 1)}[unit[0]]
        text = texts[owner]
        widths = [
            0 if unit.endswith("-lf") and text[place : place + 2] == "\r\n" else len(one.encode(encoding)) // size
            for place, one in enumerate(text)
        ]
        places = {}
        for place in range(len(text) + 1):
            places.setdefault(sum(widths[:place]), place)
        expected.append(places.get(offset, -1))
    assert code_points_of(texts, document, offsets, unit).tolist() == expected
