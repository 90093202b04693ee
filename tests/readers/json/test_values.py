"""Arrays of JSON are read item by item, from blocks of any size."""

import io
import json
import random

import pytest

from spanometer.documents.layers import WordRows, Words
from spanometer.exceptions import InputError
from spanometer.readers import source
from spanometer.readers.json.records import rows
from spanometer.readers.json.values import DECODER, decoded, items
from spanometer.readers.source import Source


def read(text, size, monkeypatch):
    """Return the items with their lines, or the error, of a text that is read in parts of some size."""
    monkeypatch.setattr(source, "BLOCK_SIZE", size)
    try:
        with Source.open(io.BytesIO(text.encode()), "f") as opened:
            return [item for lines, values in items(opened) for item in zip(lines, values, strict=True)]
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_lines_of_items(monkeypatch, size):
    text = '[{"é": "€💃"},\n\n [1,\n2],-1.5e-3\n]\n'
    assert read(text, size, monkeypatch) == [(1, {"é": "€💃"}), (3, [1, 2]), (4, -0.0015)]
    assert read('\n{"a":\n"b"}', size, monkeypatch) == [(2, {"a": "b"})]
    assert read("[]", size, monkeypatch) == []


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('[{"é": 1},\n{"a" 2}]', "f, line 2: this is not valid JSON (Expecting ':' delimiter, character 6)."),
        ('["é", "ab', "f, line 1: this is not valid JSON (Unterminated string starting at, character 7)."),
        ('[\n"a", tru]', "f, line 2: this is not valid JSON (Expecting value, character 6)."),
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


def distinct(pairs):
    """Convert the pairs of an object; a second implementation that compares the keys of each object."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise InputError("repeated")
    return dict(pairs)


def outcome(decode, text):
    """Return the representation of a value, or the error."""
    try:
        return repr(decode(text))
    except (ValueError, InputError) as error:
        return "repeated" if isinstance(error, InputError) else str(error)


def some_json(rng, depth=0):
    """Create JSON at random, with repeated keys, blanks around colons, and strings with colons and quotes."""
    blank = rng.choice(["", "", "", " ", "\t", "\n"])
    string = json.dumps("".join(rng.choices('ab:" \\', k=rng.randrange(4))))
    string = string.replace(":", rng.choice([":", ":", "\\u003a", "\\u003A", "\\\\u003a"]))
    kind = rng.randrange(4) if 0 < depth < 3 else 3 - min(depth, 1) * 3
    if kind < 2:
        return rng.choice([string, "1", "null"])
    if kind == 2:
        return f"[{blank}{', '.join(some_json(rng, depth + 1) for _ in range(rng.randrange(3)))}]"
    keys = [rng.choice(['"a"', '"b"', '"c:"', string]) for _ in range(rng.randrange(4))]
    return f"{{{','.join(f'{key}{blank}:{some_json(rng, depth + 1)}' for key in keys)}}}"


def decoded_lines(text):
    """Decode a text with one value on each line."""
    data = text.encode()
    return decoded(data.split(b"\n")[:-1], data)


def test_repeated_keys_by_their_number_and_one_by_one():
    rng = random.Random(0)
    slow = json.JSONDecoder(object_pairs_hook=distinct)
    at_once = 0
    for _ in range(3000):
        lines = [some_json(rng)[: rng.choice([None] * 9 + [7])] for _ in range(rng.randrange(1, 3))]
        expected = [outcome(slow.decode, line) for line in lines]
        assert [outcome(DECODER.decode, line) for line in lines] == expected
        values = decoded_lines("".join(f"{line}\n" for line in lines))
        at_once += values is not None
        if values is not None:
            split = "\n".join(lines).split("\n")
            assert [outcome(slow.decode, line) for line in split] == list(map(repr, values))
    assert 500 < at_once < 2500


@pytest.mark.parametrize(
    "value", ["NaN", "-Infinity", "1e400", '"\\ud800"', "1" * 400, "-123456789012345678901234567890", '"\\\\u003a"']
)
def test_unusual_values_are_read_like_json(monkeypatch, value):
    usual = ['{"a": 1}'] * 3
    text = f"[{', '.join([*usual, value, *usual])}]"
    assert [repr(item) for _, item in read(text, 1000, monkeypatch)] == list(map(repr, json.loads(text)))
    lines = "".join(f"[{value}, 0]\n" for _ in range(3))
    with Source.open(io.BytesIO(lines.encode()), "f") as opened:
        assert [repr(row.value) for row in rows(opened, "values")] == [repr(json.loads(f"[{value}, 0]"))] * 3


def test_many_colons_behind_many_blanks_take_no_time():
    value = {"text": "a" + " " * 100_000 + ":" * 100_000, "spans": []}
    assert decoded_lines(json.dumps(value) + "\n") == [value]
