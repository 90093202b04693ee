"""Columns in the manner of CoNLL."""

import gzip
import io
import itertools
import random

import numpy as np
import pytest

from spanometer.analysis.policies.repairs import policy_spread
from spanometer.exceptions import InputError
from spanometer.readers import read, read_parts, source, tag_lists
from spanometer.spans.conversion import repair_tags
from spanometer.spans.spans import pair_from_tags
from spanometer.tags.decoding import Validation
from tag_files import TWO, TWO_COLUMNS, tags


def test_tags_only(file):
    read_file = read(file("B-PER\nI-PER\nO\n\nO\nB-LOC\n"), words=True)
    assert tag_lists(read_file.tags[0]) == TWO and read_file.words is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.rstrip("\n"),
        lambda text: text + "\n",
        lambda text: "\n\n" + text + "\n \n\t\n",
        lambda text: text.replace("\n\n", "\n \t \n"),
        lambda text: text.replace("\n\n", "\n\n\n\n"),
        lambda text: text.replace("\n\n", "\n-DOCSTART- -X-\n"),
        lambda text: "-DOCSTART- -X- O O\n\n" + text,
        lambda text: "# a comment of several words\n" + text,
        lambda text: text.replace("\n\n", "\n\n# id 2\tdomain=dev\n"),
        lambda text: text.replace("slept", "# key = value and more\nslept"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", " _ _ "),
    ],
)
def test_layout_does_not_change_the_tags(file, change):
    path = file(change(TWO_COLUMNS))
    assert tags(path) == TWO
    assert tag_lists(read(path, words=True).words) == [["Ada", "Lovelace", "slept"], ["in", "Rome"]]


def test_quotes_are_plain_characters(file):
    read_file = read(file('"\tO\nsaid\tO\n\'\tB-X\n""\tO\n'), words=True)
    lists = [["O", "O", "B-X", "O"]], [['"', "said", "'", '""']]
    assert (tag_lists(read_file.tags[0]), tag_lists(read_file.words)) == lists


def test_other_white_space_is_data(file):
    word = "a\u00a0b\u2028c\u0085\x0b\x0c"
    read_file = read(file(f"{word} B-X\n\u00a0 O\n"), words=True)
    assert tag_lists(read_file.words) == [[word, "\u00a0"]]


@pytest.mark.parametrize(
    ("column", "expected"), [(1, "a"), ("1", "a"), (2, "b"), (3, "c"), (-1, "c"), ("-1", "c"), ("-3", "a"), (None, "c")]
)
def test_columns_by_number(file, column, expected):
    path = file("B-a B-b B-c\n")
    assert tags(path, column) == [[f"B-{expected}"]]


@pytest.mark.parametrize(
    "head",
    [
        "# columns: token reference system\n",
        "# columns: token reference system\n# written by hand\n\n",
        "# about\n# token\treference\tsystem\n",
        "# token reference system\n",
        "token\treference\tsystem\n",
        "TOKEN\treference\tsystem\n\n",
        "mot\treference\tsystem\n",
    ],
)
def test_columns_by_name(file, head):
    path = file(head + "Ada\tB-PER\tO\n\nRome\tO\tB-LOC\n")
    assert tags(path, "reference") == [["B-PER"], ["O"]]
    assert tags(path, "system") == [["O"], ["B-LOC"]]
    assert read(path, columns=["system"]).columns == ("system",)
    if not head.startswith("mot"):
        assert tags(path, 2) == [["B-PER"], ["O"]]


def test_names_are_used_to_find_the_words(file):
    path = file("# columns: id token ner\n1\tAda\tB-PER\n2\tslept\tO\n")
    assert tag_lists(read(path, words=True).words) == [["Ada", "slept"]]
    assert tag_lists(read(path, words="id").words) == [["1", "2"]]
    assert tag_lists(read(path, words=2).words) == [["Ada", "slept"]]


def test_several_columns_in_one_pass(file):
    read_file = read(file("Ada O B-PER\n"), columns=[-1, 2, "3"], words=True)
    assert [tag_lists(column) for column in read_file.tags] == [[["B-PER"]], [["O"]], [["B-PER"]]]
    assert read_file.columns == ("column 3", "column 2", "column 3")
    assert tag_lists(read_file.words) == [["Ada"]]
    assert tag_lists(read_file.select(1).tags[0]) == [["O"]]


def test_no_words_where_all_columns_are_tags(file):
    assert read(file("O\tO\nB-X\tO\n"), words=True).words is None
    assert read(file("O\tO\nB-X\tO\n"), columns=[1, 2], words=True).words is None


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("middle", ["", " _ _"])
def test_the_token_hash_is_data(file, separator, middle):
    rows = ["# O", "a O", "# B-X", "#tag I-X", "", "#1 O", "## O", "b O"]
    path = file("\n".join(row.replace(" ", f"{middle} ", 1) for row in rows).replace(" ", separator))
    assert tags(path) == [["O", "O", "B-X", "I-X"], ["O", "O", "O"]]
    assert tag_lists(read(path, words=True).words) == [["#", "a", "#", "#tag"], ["#1", "##", "b"]]


def test_comments_as_wide_as_the_rows(file):
    assert tags(file("# token tag\n# id = 3\n_ _ _ O\n\n# id = 4\n_ _ _ B-X\n")) == [["O"], ["B-X"]]
    assert tags(file("a\tO\t_\n# key = value\t\t\nb\tO\t_\n"), 2) == [["O", "O"]]
    path = file("#\texample.org [2009]\t\t\n1\ta\tO\tO\n\n#\texample.org [2009]\t\t\n1\t#\tB-X\tO\n")
    assert tags(path, 3) == [["O"], ["B-X"]]


def test_every_line_of_a_tag_file_that_begins_with_hash_is_a_comment(file):
    assert tags(file("# a b\nO\n#comment\n# O\nB-X\n")) == [["O", "B-X"]]


def test_documents_by_comment(file):
    head = "# document_id = 1\n# more = x\na\t_\n\nb\tO\n# document_id = 2\nc\tB-X\n# document_ids = 3\nd\tO\n"
    read_file = read(file(head), documents="document_id", outside="_")
    assert tag_lists(read_file.tags[0]) == [["O", "O"], ["B-X", "O"]]
    assert (read_file.line(1), read_file.line(0, 1)) == (7, 5)


def test_documents_by_docstart(file):
    path = file("-DOCSTART- O\n\na O\n\nb O\n\n-DOCSTART- O\n\nc B-X\n-DOCSTARTS- O\n")
    assert tags(path, documents="-DOCSTART-") == [["O", "O"], ["B-X", "O"]]
    assert tags(path, documents="-DOCSTART-", boundary="-X-") == [["O"] * 3, ["O", "B-X", "O"]]


@pytest.mark.parametrize(("tag", "outside"), [("O", None), ("B-X", None), ("_", "_"), ("NOUN", None)])
def test_the_first_token_may_equal_the_key_of_documents(file, tag, outside):
    path = file(f"# doc = 1\ndoc {tag}\na {tag}\n\n# doc = 2\nb {tag}\n")
    assert read(path, documents="doc", outside=outside).tags[0].lengths.tolist() == [2, 1]


WAYS = ["conlleval", "discard", "bes", "drop,skip,drop+skip,drop,skip,drop+skip,drop,drop"]


@pytest.mark.parametrize(("scheme", "repair"), [("IOB1", "conlleval"), *(("IOBES", way) for way in WAYS)])
def test_larger_documents_do_not_move_spans(file, scheme, repair):
    """A span ends with its sentence also in a larger document, and so for illegal tags and all repair policies."""
    names = ["O", *(f"{prefix}-{label}" for prefix in ("BI" if scheme == "IOB1" else "BIES") for label in "XY")]
    chosen = map(random.Random(scheme).choice, [names, ["\n", "\n\n", "\n\n# doc = 2\n"]] * 400)
    path = file(f"# doc = 1\n{''.join(f'a {tag}{next(chosen)}' for tag in chosen)}")
    small, large, results = read(path), read(path, documents="doc"), []
    for each in (small, large, small.in_documents_of(large)):
        tags, spans = each.tags[0], each.decoded(scheme=scheme, repair=repair).spans
        lines = [(each.line(number, start), end - start, label) for number, start, end, label in spans.rows()]
        illegal = [(each.line(pair.document, pair.position), str(pair)) for pair in Validation(tags, scheme=scheme)]
        written = repair_tags(tags, repair=repair, scheme=scheme).codes.tolist()
        spread = None if scheme == "IOB1" else policy_spread(tags, tags, scheme=scheme).to_dict()["measures"]
        results += [(lines, illegal, written, spread)]
    assert results[0] == results[1] == results[2] and len(large.document_lines) < len(small.document_lines)


def test_hipe_documents_have_no_sentences(file):
    """As HIPE's scorer skips blank lines, spans do not end there, also if only the other file names its documents."""
    rows = "TOKEN\tNE-COARSE-LIT\n# document_id = 1\na\tB-X\n\nb\tI-X\n"
    named = read(file(rows), documents="document_id", columns=[2])
    bare = read(file(rows.replace("# document_id = 1\n", ""), "bare"), columns=[2])
    for each in (named, bare.in_documents_of(named)):
        assert list(each.decoded(scheme="IOB2").spans.rows()) == [(0, 0, 2, "X")]


def test_boundary(file):
    path = file("-DOCSTART- O\na B-X\n-X- O\nb O\n\nc O\n-X-- O\n")
    lists = [["O", "B-X"], ["O"], ["O", "O"]], [["B-X", "O", "O"], ["O", "O"]]
    assert (tags(path, boundary="-X-"), tags(path)) == lists
    assert tags(file("a B-X\n— O\nb O\n"), boundary="—") == [["B-X"], ["O"]]


def test_outside(file):
    assert tags(file("a _\nb B-X\nc O\n"), outside="_") == [["O", "B-X", "O"]]
    assert tags(file("a o\nb b-x\nc i-x-y\n"), outside="o") == [["O", "B-x", "I-x-y"]]


def slow_read(text):
    """One line after the other, as the rules say, for files with a tag column of tags."""
    documents, current = [], []
    for line in text.split("\n"):
        cells = line.strip(" \t\r").split()
        if not cells or cells[0] == "-DOCSTART-":
            documents.append(current)
            current = []
        elif not line.startswith("#") or (len(cells) == 3 and cells[-1][:2] in ("O", "B-", "I-")):
            current.append(cells)
    return [document for document in [*documents, current] if document]


@pytest.mark.parametrize("block_size", [1, 7, 64, 1 << 20])
def test_blocks_make_no_difference(file, monkeypatch, block_size):
    monkeypatch.setattr(source, "BLOCK_SIZE", block_size)
    generator = random.Random(block_size)
    words = ["a", "é", "#", "#tag", "-", "-DOC-", "漢字", "O", "[", "{"]
    for _ in range(60):
        rows = ["x _ O"]
        for _ in range(generator.randrange(40)):
            row = f"{generator.choice(words)} _ {generator.choice(['O', 'B-X', 'I-é', 'B-#'])}"
            others = ["", " ", "\t", "-DOCSTART- -X- O", "# some comment of many words", "# some comment of many words"]
            rows.append(generator.choice([*others, *[row] * 18]))
        text = generator.choice(["\n", "\r\n"]).join(rows) + generator.choice(["", "\n", "\n\n"])
        text = generator.choice([text, text.replace(" ", "\t"), text.replace("_ ", "_   ")])
        if "_\t" not in text:
            text = text.replace("\t", " ")
        read_file = read(file(text), words=True)
        expected = slow_read(text)
        assert tag_lists(read_file.tags[0]) == [[cells[-1] for cells in document] for document in expected]
        assert tag_lists(read_file.words) == [[cells[0] for cells in document] for document in expected]
        numbered = text.split("\n")
        shown = [numbered[line - 1].split()[-1] for line in read_file.token_lines]
        assert shown == [cells[-1] for document in expected for cells in document]


PIECES = [b"\n", b"\n\n", b" ", b"\t", b"O", b"B-X", b"#", b"# ", b"-DOCSTART-", b"\r", b"\xc3\xa9", b"\xff"]
PIECES += [b"\0", b"[", b'"', b"]", b'{"tags":', b"}", b",", b"token", b"="]
PIECES += [b"# columns:", b"\xef\xbb\xbf", b"\x1f\x8b"]


def test_any_bytes_are_read_or_refused():
    generator = random.Random(5)
    weights = [6, 3, 6, 4, 8, 5] + [1] * (len(PIECES) - 6)
    read_files = 0
    for _ in range(2_500):
        content = b"".join(generator.choices(PIECES, weights, k=generator.randrange(30)))
        if generator.random() < 0.1:
            content = gzip.compress(content)[: generator.choice([None, -3, 10])]
        columns = [generator.choice([None, 1, 2, -1, "token"])]
        try:
            read_file = read(io.BytesIO(content), columns=columns, words=generator.random() < 0.5, name="f")
        except InputError as error:
            assert error.source == "f"
            continue
        read_files += 1
        tags = read_file.tags[0]
        assert tags.offsets[-1] == len(tags.codes) and (tags.codes < len(tags.names)).all()
        assert len(read_file.document_lines) == len(tags.lengths) and (np.diff(read_file.document_lines) > 0).all()
        assert read_file.words is None or len(read_file.words.codes) == len(tags.codes)
    assert read_files > 250


@pytest.mark.parametrize(
    ("name", "documents", "tokens", "spans"),
    [
        ("multiconer_es_dev.conll", 800, 13_931, 1_176),
        ("multiconer_es_dev_system.conll", 800, 13_931, None),
        ("conll03_test_tags.tsv", 3_453, 46_435, 5_682),
    ],
)
def test_corpora(data, name, documents, tokens, spans):
    tags = read(data / name).tags[0]
    assert (len(tags.lengths), tags.lengths.sum()) == (documents, tokens)
    assert spans is None or len(pair_from_tags(tags, tags)[0]) == spans


def test_no_token_of_multiconer_is_lost(data):
    words = read(data / "multiconer_es_train.conll", words=True).words
    counts = dict(zip(words.names, np.bincount(words.codes).tolist(), strict=True))
    assert (len(words.codes), counts["#"], counts["#willpower"]) == (266_735, 156, 1)


PARTED = (
    "# columns: word tag\n-DOCSTART- O\n\n# a\nAda B-PER\n\n\nin O\n# b b b\nRome B-LOC\n-DOCSTART- O\n\n \t\n"
    "# id = c\n# O\nx O\n" + "long O\n" * 30 + "\nB I-X\n"
)


@pytest.mark.parametrize("size", [1, 2, 7, 16, 64, 1 << 20])
@pytest.mark.parametrize("change", [str, lambda text: text.replace("\n", "\r\n"), lambda text: text.rstrip("\n")])
def test_parts_together_are_the_file(file, monkeypatch, size, change):
    path = file(change(PARTED))
    whole = read(path, columns=["tag"], words=True)
    monkeypatch.setattr(source, "BLOCK_SIZE", size)
    parts = list(read_parts(path, columns=["tag"], words=True))
    assert len(parts) > 1 or size > len(PARTED)
    for name in ("tags", "words"):
        columns = [getattr(part, name) for part in (whole, *parts)]
        lists = [tag_lists(column[0] if name == "tags" else column) for column in columns]
        assert list(itertools.chain.from_iterable(lists[1:])) == lists[0]
    for name in ("document_lines", "token_lines"):
        assert np.concatenate([getattr(part, name) for part in parts]).tolist() == getattr(whole, name).tolist()
    assert whole.comments == tuple(itertools.chain.from_iterable(part.comments for part in parts))
    assert whole.comments == ((1, "# columns: word tag"), (4, "# a"), (9, "# b b b"), (14, "# id = c"))
    assert whole.docstart_lines == (2, 11) == tuple(itertools.chain(*(part.docstart_lines for part in parts)))


def test_parts_agree_on_whether_there_are_words(file, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 1)
    # the one word of the second part looks like a tag
    assert [tag_lists(part.words) for part in read_parts(file("a O\n\nB O\n"), words=True)] == [[["a"]], [["B"]]]
    assert [part.words for part in read_parts(file("B-X O\n\nI-X O\n"), words=True)] == [None, None]
