"""Arrays of JSON are read item by item, from blocks of any size."""

import io
import json
import random

import pytest

from spanometer.documents.layers import WordRows, Words
from spanometer.exceptions import InputError
from spanometer.readers import source
from spanometer.readers.json.values import items
from spanometer.readers.source import Source


def read(text, size, monkeypatch):
    """Return the items with their lines, or the error, of a text that is read in parts of some size."""
    monkeypatch.setattr(source, "BLOCK_SIZE", size)
    try:
        with Source.open(io.BytesIO(text.encode()), "f") as opened:
            return list(items(opened))
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_lines_of_items(monkeypatch, size):
    text = '[{"é": "€💃"},\n\n [1,\n2],-1.5e-3\n]\n'
    assert read(text, size, monkeypatch) == [
        (1, {"é": "€💃"}),
        (3, [1, 2]),
        (4, -0.0015),
    ]
    assert read('\n{"a":\n"b"}', size, monkeypatch) == [(2, {"a": "b"})]
    assert read("[]", size, monkeypatch) == []


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[{"é": 1},\n{"a" 2}]', "f, line 2: this is not JSON (Expecting ':' delimiter, character 6)."),
        ('["é", "ab', "f, line 1: this is not JSON (Unterminated string starting at, character 7)."),
        ('[\n"a", tru]', "f, line 2: this is not JSON (Expecting value, character 6)."),
        ("[1.]", "f, line 1: "),
        ("[1][2]", "f, line 1: "),
        ('[1,\n{"a": 1, "a": 2}]', "f, line 2: an object repeats the key 'a'."),
        ("[1, 2", "f, line 1: "),
    ],
)
def test_errors_of_items(monkeypatch, size, text, error):
    assert read(text, size, monkeypatch).startswith(error)


def test_items_of_random_arrays(monkeypatch):
    draw = random.Random(14)

    def value(depth=0):
        kind = draw.random()
        if depth > 2 or kind < 0.5:
            return draw.choice([0, -3.5e100, True, None, 'a"b', "é€💃", "x\\\n", ""])
        if kind < 0.75:
            return [value(depth + 1) for _ in range(draw.randint(0, 3))]
        return {f"{number}é": value(depth + 1) for number in range(draw.randint(0, 3))}

    for _ in range(200):
        array = [value() for _ in range(draw.randint(0, 6))]
        text = json.dumps(array, ensure_ascii=draw.random() < 0.5, indent=draw.choice([None, 0, 3]))
        found = read(text, draw.choice([1, 3, 20]), monkeypatch)
        assert [item for _, item in found] == array


def test_an_item_that_is_too_long():
    long = io.BytesIO(json.dumps(["a", ["x"] * 10**6]).encode())
    problem = "f, line 1: a JSON item is longer than 1 MB"
    with Source.open(long, "f", max_line=1) as opened, pytest.raises(InputError, match=problem):
        list(items(opened))


def test_words_are_lists_of_strings():
    lists = [["a", "b"], [], ["b"]]
    rows = WordRows()
    for row in lists:
        rows.append(row)
    words = rows.words()
    assert words == lists
    assert words == Words.of(lists)
    assert words not in ([["a"], [], ["b"]], lists[:2])
    assert (len(words), words[0], words[-1], words[1:], list(words)) == (3, ["a", "b"], ["b"], [[], ["b"]], lists)
    assert (words.names, words.lengths.tolist()) == (("a", "b"), [2, 0, 1])
    assert words.of_documents([2, 0]) == [["b"], ["a", "b"]]
    with pytest.raises(IndexError):
        words[3]
