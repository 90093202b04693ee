"""Formats: how they are recognised, and what belongs to which."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest

from entity_files import NESTED, PRESIDENT, entities_of
from entity_files import refused as refused_entities
from spanometer.exceptions import InputError
from spanometer.readers import DocumentFile, detect, formats, formats_of, read, read_entities, tag_lists
from spanometer.readers.formats import register
from spanometer.tags.tags import Tags


def test_formats_are_detected_from_the_content(tmp_path):
    assert entities_of("# c\n\n" + PRESIDENT).format == "hipe"
    assert entities_of("no entity here\n" + NESTED).format == "quaero"
    assert entities_of("[ a ] <loc> b </loc>\n").words == [["[", "a", "]", "b"]]
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n[]\n"))
    assert read_entities(path).format == "jsonl"
    assert read_entities(path).source == str(path)
    error = refused_entities("a b c\n")
    assert (error.line, "Set format=... to one of hipe, jsonl, quaero." in str(error)) == (1, True)
    assert entities_of("a b c\n", format="quaero").trees.to_dicts() == [[]]


@pytest.mark.parametrize("format", ["hipe", "quaero", "jsonl"])
@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfea\0", gzip.compress(b"x" * 100, mtime=0)[:20], b"\0\0\0"])
def test_unreadable_files(format, content):
    refused_entities(content, format=format)


def test_formats_that_are_certain(file):
    assert detect(file(PRESIDENT)).name == "hipe"
    assert detect(file(gzip.compress(NESTED.encode()))).name == "quaero"
    spans = '[{"start": 0, "end": 1, "label": "A", "attributes": {}}]'
    assert detect(file(spans)).content == "attributes"
    assert detect(file(f'[]\n\n{{"spans": {spans}}}\n', "a.jsonl")).content == "attributes"
    # one line that is longer than the head
    long = json.dumps([{"start": 0, "end": 1, "label": "A", "attributes": {}}] * 40_000)
    assert detect(file(long, "long.jsonl")).content == "attributes"


@pytest.mark.parametrize(
    "content",
    [
        "a <b>bold</b> word\n",
        '["B-X"]\n',
        '["<loc>", "a", "</loc>"]\n',
        '{"tags": ["O"]}\n',
        "[[",
        "3\n",
        "[]\n[]\n",
        "",
        "B-A\n",
        "a O\n<pers> B-X\n</pers> I-X\n<b>x</b> O\n",
    ],
)
def test_formats_that_are_not_certain(file, content):
    assert detect(file(content)) is None
    assert detect(file(content, "a.jsonl")) is None


def test_a_missing_file_and_a_folder_have_no_format(tmp_path):
    assert detect(tmp_path / "none") is None
    assert detect(tmp_path) is None


@pytest.fixture
def shouted():
    """A new format of tags: all it takes is to register it."""

    def read_shouted(source, *, columns=(None,), words=False, loud="!"):
        tags = [line.decode().removesuffix(loud) for _, block in source.blocks() for line in block.splitlines()]
        return DocumentFile.in_words(
            source=source.name,
            columns=("tags",),
            tags=(Tags.from_lists([tags]),),
            words=None,
            document_lines=np.array([1]),
        )

    register("shouted", "shouting", lambda source: source.head.endswith(b"!\n"), read_shouted, content="tags")
    yield formats._registered[-1]
    formats._registered.pop()


def test_a_new_format_is_found_everywhere(file, shouted):
    path = file("B-X!\nO!\n")
    assert formats_of("tags")["shouted"] is shouted
    assert detect(path) is shouted
    assert tag_lists(read(path).tags[0]) == [["B-X", "O"]]
    assert tag_lists(read(path, format="shouted").tags[0]) == [["B-X", "O"]]
    assert shouted.options == {"columns": (None,), "words": False, "loud": "!"}
    with pytest.raises(InputError, match=r"documents=\.\.\. is not an option of the format 'shouted'"):
        read(path, documents="id")
    assert tag_lists(read(file("B-X\n")).tags[0]) == [["B-X"]]


def test_the_order_of_imports_does_not_matter(file):
    """Two contents can have a format of one name; a file with scores of attributes would lose these."""
    path = file('[{"start": 0, "end": 1, "label": "A", "attributes": {"b": true}, "scores": {"b": 0.5}}]\n')
    code = f"""
import spanometer.readers.json.lines
from spanometer.readers import detect
print(detect({str(path)!r}).content)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "attributes\n"
