"""JSON lines of tags."""

import gzip
import json

import pytest

from spanometer.readers import read, tag_lists
from tag_files import TWO, json_lines, refused, tags


@pytest.mark.parametrize(
    "content",
    [
        json_lines(*TWO),
        json_lines(*TWO).replace("\n", "\r\n\r\n"),
        "\ufeff" + json_lines(*TWO).rstrip("\n"),
        json_lines(*({"id": 3, "tags": row} for row in TWO)),
        json_lines(TWO[0], {"tags": TWO[1]}),
    ],
)
def test_json_lines(file, content):
    assert tags(file(content)) == TWO
    assert tags(file(content, "a.jsonl")) == TWO
    assert tags(file(content, "a.txt"), format="jsonl") == TWO
    assert tags(file(gzip.compress(content.encode()), "a.gz")) == TWO


def test_json_lines_by_key(file):
    path = file(
        json_lines({"tokens": ["a", "b"], "gold": ["O", "B-X"], "system": ["O", "O"]}, {"gold": [], "system": []})
    )
    read_file = read(path, columns=["gold", "system"])
    assert [tag_lists(column) for column in read_file.tags] == [[["O", "B-X"], []], [["O", "O"], []]]
    assert tag_lists(read(path, columns=["gold"], words=True).words) == [["a", "b"], []]


def test_json_lines_with_words(file):
    path = file(json_lines({"tokens": ["a", "b"], "tags": ["O", "B-X"]}, {"tokens": [], "tags": []}))
    assert tag_lists(read(path, words=True).words) == [["a", "b"], []]
    assert tag_lists(read(path, words="tokens").words) == [["a", "b"], []]
    assert read(file(json_lines(*TWO)), words=True).words is None


def test_a_tag_that_is_outside(file):
    path = file(json_lines(["_", "B-X", "O"], {"tags": ["_"], "tokens": ["_"]}), "a.jsonl")
    found = read(path, outside="_")
    assert tag_lists(found.tags[0]) == [["O", "B-X", "O"], ["O"]]
    assert found.tags[0].names == ("O", "B-X")
    assert tag_lists(read(file(json_lines({"tags": ["_"], "tokens": ["_"]})), outside="_", words=True).words) == [["_"]]


def test_a_bracket_alone_is_not_json_lines(file):
    assert tags(file("[ O\nx B-X\n")) == [["O", "B-X"]]


def test_deep_json(file):
    error = refused(file('["O"]\n' + "[" * 200_000 + "\n", "a.jsonl"))
    assert (error.line, error.problem.startswith("this JSON cannot be read")) == (2, True)


def test_json_lines_longer_than_the_first_block(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(json.dumps(["B-A", "I-A", "O"] * 400_000) + "\n", encoding="utf-8")
    assert read(path).tags[0].lengths.tolist() == [1_200_000]


@pytest.mark.parametrize("content", ["Ada B-X\nwoke O\n", "[ O\nAda\tB-X\n", '"\tO\nAda\tB-X\n', "B-X\nO\n"])
def test_columns_may_be_called_json_lines(file, content):
    found = read(file(content, "a.jsonl"))
    assert len(found.decoded().spans) == 1
