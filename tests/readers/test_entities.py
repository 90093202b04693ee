"""Files of entity trees, whatever their format."""

import gzip
import json
import random

import pytest

from entity_files import LINES, NESTED, PRESIDENT, entities_of, hipe, trees
from spanometer.exceptions import InputError
from spanometer.readers import source


@pytest.mark.parametrize("content", [PRESIDENT, NESTED, LINES])
@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b"\n", b"\r\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.rstrip(b"\n"),
        lambda data: data + b"\n \n",
        gzip.compress,
    ],
)
def test_line_ends_and_packing_do_not_change_the_entities(content, change):
    plain, changed = entities_of(content), entities_of(change(content.encode()))
    assert changed.format == plain.format
    assert trees(changed) == trees(plain)
    assert changed.words == plain.words
    assert changed.documents.ids == plain.documents.ids
    assert changed.document_lines.tolist() == plain.document_lines.tolist()


@pytest.mark.parametrize("content", [PRESIDENT * 1, NESTED * 200, LINES * 200])
def test_small_blocks(monkeypatch, content):
    whole = entities_of(content)
    monkeypatch.setattr(source, "BLOCK_SIZE", 300)
    pieces = entities_of(content)
    assert trees(pieces) == trees(whole)
    assert pieces.document_lines.tolist() == whole.document_lines.tolist()


PIECES = [b"\n", b"\t", b" ", b"O", b"B-x", b"<loc>", b"</loc>", b"<name>", b"</name>", b"[", b"]"]
PIECES += [b'{"entities":', b"}", b"TOKEN\tNE-FINE-LIT\n", b"# document_id = a\n"]
PIECES += [b"\r", b"\xff", b"\0", b"\x1f\x8b", b"<", b"a", b"3", b","]


def test_any_bytes_are_read_or_refused():
    generator = random.Random(3)
    weights = [6, 6, 4, 6, 4, 6, 6, 2, 2, 2, 2, 1, 1, 2, 3, 1, 1, 1, 1, 1, 8, 1, 1]
    files = dict.fromkeys(("hipe", "quaero", "jsonl"), 0)
    for _ in range(2_000):
        content = b"".join(generator.choices(PIECES, weights, k=generator.randrange(20)))
        start = generator.choice(
            [b"", b"TOKEN\tNE-FINE-LIT\n# document_id = a\na\tB-x\n", b"[]\n", b"<loc> a </loc>\n"]
        )
        try:
            file = entities_of(start + content)
        except InputError as error:
            assert error.source == "f"
            continue
        files[file.format] += 1
        assert len(trees(file)) == len(file.document_lines) == file.documents.size
    assert min(files.values()) > 15


@pytest.mark.parametrize("words", [["\ufeff"], ["\ufeffa", "b"], ["\ufeff\ufeffa"], ["a", "\ufeffb"]])
def test_what_looks_like_a_byte_order_mark_stays(words):
    columns = hipe(*(f"{word} O O O O" for word in words))
    # a reader removes the first mark
    markup = "\ufeff" + " ".join(words)
    lines = json.dumps({"tokens": words, "entities": []})
    for format, content in (("hipe", columns), ("quaero", markup), ("jsonl", lines)):
        assert entities_of(content, format=format).words == [words]
