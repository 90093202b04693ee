"""Readers: what a file says, and what is said of a file that cannot be read."""

import gzip
import io
import itertools
import json
import random

import numpy as np
import pytest

from spanometer.errors import InputError
from spanometer.measures import SpanF
from spanometer.readers import read, read_parts, require_same_tokens, source, tag_lists
from spanometer.spans.spans import pair_from_tags

TWO = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
TWO_COLUMNS = "Ada B-PER\nLovelace I-PER\nslept O\n\nin O\nRome B-LOC\n"


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""
    numbers = itertools.count()

    def write(content, name=None):
        path = tmp_path / (name or f"{next(numbers)}.conll")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def tags(path, column=None, **options):
    return tag_lists(read(path, columns=[column], **options).tags[0])


def refused(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert caught.value.source == options.get("name", str(path))
    return caught.value


# columns


def test_columns_by_blanks(file):
    assert tags(file(TWO_COLUMNS)) == TWO


def test_columns_by_tabs(file):
    path = file("Ada\tB-PER\nLovelace\tI-PER\nslept\tO\n\nin\tO\nNew York\tB-LOC\n")
    assert tags(path) == TWO
    assert tag_lists(read(path, words=True).words) == [["Ada", "Lovelace", "slept"], ["in", "New York"]]


def test_runs_of_blanks(file):
    assert tags(file("  Ada     B-PER  \nLovelace I-PER\nslept \t O\n\nin O\nRome\tB-LOC")) == TWO


def test_tags_only(file):
    read_file = read(file("B-PER\nI-PER\nO\n\nO\nB-LOC\n"), words=True)
    assert tag_lists(read_file.tags[0]) == TWO
    assert read_file.words is None


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
def test_same_tags_in_other_clothes(file, change):
    path = file(change(TWO_COLUMNS))
    assert tags(path) == TWO
    assert tag_lists(read(path, words=True).words) == [["Ada", "Lovelace", "slept"], ["in", "Rome"]]


def test_quotes_are_plain_characters(file):
    read_file = read(file('"\tO\nsaid\tO\n\'\tB-X\n""\tO\n'), words=True)
    assert tag_lists(read_file.words) == [['"', "said", "'", '""']]
    assert tag_lists(read_file.tags[0]) == [["O", "O", "B-X", "O"]]


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


@pytest.mark.parametrize("column", [0, 4, -4, "4"])
def test_no_such_column(file, column):
    error = refused(file("\nB-a B-b B-c\n"), columns=[column])
    assert error.line == 2
    assert error.problem == f"column {column} does not exist: the rows have 3 columns."


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


def test_names_in_a_file_of_blanks(file):
    path = file("# word pos ner\nAda NNP B-PER\n")
    assert tags(path, "ner") == [["B-PER"]]
    assert tags(path, "pos") == [["NNP"]]


def test_unknown_and_ambiguous_names(file):
    path = file("# columns: token a a\nAda\tO\tO\n")
    assert refused(path, columns=["b"]).problem == "unknown column 'b': the columns are token, a, a."
    assert refused(path, columns=["a"]).problem == "two columns are called 'a': the columns are token, a, a."
    assert "does not name its columns" in refused(file("Ada O\n"), columns=["ner"]).problem


def test_several_columns_in_one_pass(file):
    read_file = read(file("Ada O B-PER\n"), columns=[-1, 2, "3"], words=True)
    assert [tag_lists(column) for column in read_file.tags] == [[["B-PER"]], [["O"]], [["B-PER"]]]
    assert read_file.columns == ("column 3", "column 2", "column 3")
    assert tag_lists(read_file.words) == [["Ada"]]
    assert tag_lists(read_file.select(1).tags[0]) == [["O"]]


def test_no_words_where_all_columns_are_tags(file):
    assert read(file("O\tO\nB-X\tO\n"), words=True).words is None
    assert read(file("O\tO\nB-X\tO\n"), columns=[1, 2], words=True).words is None


# lines that begin with '#'


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("middle", ["", " _ _"])
def test_the_token_hash_is_data(file, separator, middle):
    rows = ["# O", "a O", "# B-X", "#tag I-X", "", "#1 O", "## O", "b O"]
    text = "\n".join(row.replace(" ", f"{middle} ", 1) for row in rows).replace(" ", separator)
    path = file(text)
    assert tags(path) == [["O", "O", "B-X", "I-X"], ["O", "O", "O"]]
    assert tag_lists(read(path, words=True).words) == [["#", "a", "#", "#tag"], ["#1", "##", "b"]]


def test_a_file_of_hashtags(file):
    assert tags(file("# nothing but hashtags\n#one B-X\n#two O\n")) == [["B-X", "O"]]


def test_comments_as_wide_as_the_rows(file):
    path = file("# token tag\n# id = 3\n_ _ _ O\n\n# id = 4\n_ _ _ B-X\n")
    assert tags(path) == [["O"], ["B-X"]]
    path = file("a\tO\t_\n# key = value\t\t\nb\tO\t_\n")
    assert tags(path, 2) == [["O", "O"]]
    path = file("#\texample.org [2009]\t\t\n1\ta\tO\tO\n\n#\texample.org [2009]\t\t\n1\t#\tB-X\tO\n")
    assert tags(path, 3) == [["O"], ["B-X"]]


def test_every_line_of_a_tag_file_that_begins_with_hash_is_a_comment(file):
    assert tags(file("# a b\nO\n#comment\n# O\nB-X\n")) == [["O", "B-X"]]


def test_a_comment_is_no_boundary(file):
    assert tags(file("a O\n# a comment here\nb O\n\n# another one\n\nc O\n")) == [["O", "O"], ["O"]]


@pytest.mark.parametrize("row", ["# B-X", "#tag _", "# _ _ _ O"])
def test_a_broken_row_is_no_comment(file, row):
    error = refused(file(f"a _ O\n{row}\nb _ O\n"))
    assert error.line == 2
    assert "where line 1 has 3" in error.problem


# documents


def test_documents_by_comment(file):
    head = "# document_id = 1\n# more = x\na\t_\n\nb\tO\n# document_id = 2\nc\tB-X\n# document_ids = 3\nd\tO\n"
    path = file(head)
    assert tags(path, documents="document_id", outside="_") == [["O", "O"], ["B-X", "O"]]
    read_file = read(path, documents="document_id", outside="_")
    assert read_file.line(1) == 7
    assert read_file.line(0, 1) == 5


def test_documents_by_docstart(file):
    path = file("-DOCSTART- O\n\na O\n\nb O\n\n-DOCSTART- O\n\nc B-X\n-DOCSTARTS- O\n")
    assert tags(path, documents="-DOCSTART-") == [["O", "O"], ["B-X", "O"]]


def test_documents_that_never_begin(file):
    assert "'# document_id = ...'" in refused(file("a O\n"), documents="document_id").problem
    assert "-DOCSTART-" in refused(file("a O\n"), documents="-DOCSTART-").problem


def test_outside(file):
    assert tags(file("a _\nb B-X\nc O\n"), outside="_") == [["O", "B-X", "O"]]


# lines


def test_lines_of_tokens(file):
    read_file = read(file("# c\n\na O\nb O\n\n\nc O\n# d = e\nd O\n"))
    assert read_file.token_lines.tolist() == [3, 4, 7, 9]
    assert read_file.document_lines.tolist() == [3, 7]
    located = read_file.locate(InputError("p", "r", side="references", document=1, position=1))
    assert str(located) == f"{read_file.source}, line 9: p\nr"


def test_require_same_tokens(file):
    one, two = file("a O\n\nb O\nc O\n"), file("O\n\n\nO\n")
    with pytest.raises(InputError) as caught:
        require_same_tokens(read(one), read(two))
    assert caught.value.source == str(one)
    assert caught.value.line == 3
    assert f"has 2 tokens, the predicted one ({two}, line 4) has 1 token." in caught.value.problem
    with pytest.raises(InputError) as caught:
        require_same_tokens(read(two), read(file("O\n")))
    assert (caught.value.source, caught.value.line) == (str(two), 4)
    assert "1 predicted document, 2 reference documents" in caught.value.problem
    require_same_tokens(read(two), read(file("B-X\n\nB-Y\n")))


# what cannot be read


def test_varying_columns(file):
    error = refused(file("# c\na O\nb\n"))
    assert error.line == 3
    assert error.problem == "1 column (separated by blanks), where line 2 has 2."
    error = refused(file("a\tO\n\nb\tO\tO\n"))
    assert error.line == 3
    assert error.problem == "3 columns (separated by tabs), where line 1 has 2."


def test_empty_cell(file):
    error = refused(file("a\tO\n\nb\t \n"))
    assert error.line == 3
    assert error.problem == "column 2 has an empty cell."


def test_binary(file):
    error = refused(file(b"a O\nb \0O\n"))
    assert error.line == 2
    assert "NUL" in error.problem


def test_invalid_utf_8(file):
    error = refused(file(b"a O\n\nb\xe9 O\n"))
    assert error.line == 3
    assert error.problem == "the byte 0xe9 is not UTF-8."


def test_utf_16(file):
    assert "UTF-16" in refused(file("a O\n".encode("utf-16"))).problem


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "the file is empty."),
        (gzip.compress(b"", mtime=0), "the file is empty."),
        ("\ufeff", "the file has no rows of tags."),
        ("\n \n\n", "the file has no rows of tags."),
        ("# only\n# comments\n", "the file has no rows of tags."),
        ("-DOCSTART- O\n", "the file has no rows of tags."),
        ("token\ttag\n", "the file has no rows of tags."),
        (b"PK\x03\x04...", "this is a zip archive."),
        ("a O\rb B-X\r\rc O\r", "the lines end in a carriage return alone."),
        ("# id 1\ra O\r", "the lines end in a carriage return alone."),
    ],
)
def test_nothing_to_read(file, content, problem):
    assert refused(file(content)).problem == problem


def test_missing_file_and_folder(tmp_path):
    assert "no such file" in refused(tmp_path / "none.conll").problem
    assert "directory" in refused(tmp_path).problem


def test_damaged_gzip(file):
    packed = gzip.compress(TWO_COLUMNS.encode() * 1000)
    assert "gzip" in refused(file(packed[:-20])).problem
    assert "gzip" in refused(file(packed[:30] + b"xxxxxxxx" + packed[38:])).problem


# JSON lines


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    "content",
    [
        lines(*TWO),
        lines(*TWO).replace("\n", "\r\n\r\n"),
        "\ufeff" + lines(*TWO).rstrip("\n"),
        lines(*({"id": 3, "tags": row} for row in TWO)),
        lines(TWO[0], {"tags": TWO[1]}),
    ],
)
def test_json_lines(file, content):
    assert tags(file(content)) == TWO
    assert tags(file(content, "a.jsonl")) == TWO
    assert tags(file(content, "a.txt"), format="jsonl") == TWO
    assert tags(file(gzip.compress(content.encode()), "a.gz")) == TWO


def test_json_lines_by_key(file):
    path = file(lines({"tokens": ["a", "b"], "gold": ["O", "B-X"], "system": ["O", "O"]}, {"gold": [], "system": []}))
    read_file = read(path, columns=["gold", "system"])
    assert [tag_lists(column) for column in read_file.tags] == [[["O", "B-X"], []], [["O", "O"], []]]
    assert read(path, columns=["gold"], words=True).words is None


def test_json_lines_with_words(file):
    path = file(lines({"tokens": ["a", "b"], "tags": ["O", "B-X"]}, {"tokens": [], "tags": []}))
    assert tag_lists(read(path, words=True).words) == [["a", "b"], []]
    assert tag_lists(read(path, words="tokens").words) == [["a", "b"], []]
    assert read(file(lines(*TWO)), words=True).words is None


def test_json_lines_are_told_by_content_not_by_a_bracket(file):
    assert tags(file("[ O\nx B-X\n")) == [["O", "B-X"]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('["O"]\n["O",\n', "this is not JSON (Expecting value"),
        ('["O"]\n{"tag": ["O"]}\n', "the object has no 'tags'; its keys: 'tag'."),
        ('["O"]\n{"tags": "O"}\n', "'tags' is a string, not a list of tags."),
        ('["O"]\n3\n', "a number is not a document."),
        ('["O"]\n["O", 1]\n', "1 (of type int) is not a tag."),
        ('["O"]\n["O", null]\n', "None is not a tag."),
        ('["O"]\n[["O"]]\n', "['O'] (of type list) is not a tag."),
        ('["O"]\n["\\ud800"]\n', "'\\ud800'"),
        ('["O"]\n' + "[" * 200_000 + "\n", "this JSON cannot be read"),
    ],
)
def test_bad_json_lines(file, content, problem):
    error = refused(file(content, "a.jsonl"))
    assert error.line == 2
    assert error.problem.startswith(problem)


def test_json_lines_of_different_length(file):
    error = refused(file(lines({"tags": ["O"], "other": ["O", "O"]})), columns=["tags", "other"])
    assert error.line == 1
    assert error.problem == "'tags' has 1 items, 'other' has 2."


def test_options_that_json_lines_do_not_have(file):
    path = file(lines(*TWO))
    assert "no column 2" in refused(path, columns=[2]).problem
    assert "this line is a list" in refused(path, columns=["ner"]).problem
    assert "outside=... is for the format columns; this is jsonl." in str(refused(path, outside="_"))
    assert "no list of words 'w'" in refused(path, words="w").problem
    assert refused(file("\n", "b.jsonl")).problem == "the file has no documents."


def test_format_is_checked(file):
    with pytest.raises(InputError, match="'auto', 'columns', 'jsonl'"):
        read(file(TWO_COLUMNS), format="conll")


# streams, blocks, size


def test_streams(file):
    stream = io.BytesIO(gzip.compress(TWO_COLUMNS.encode()))
    read_file = read(stream, name="standard input")
    assert tag_lists(read_file.tags[0]) == TWO
    assert read_file.source == "standard input"
    assert not stream.closed


def test_progress_counts_the_bytes_of_the_file(file):
    for path in (file(TWO_COLUMNS * 100), file(gzip.compress(TWO_COLUMNS.encode() * 100))):
        steps = []
        read(path, progress=steps.append)
        assert sum(steps) == path.stat().st_size


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
            kind = generator.random()
            if kind < 0.15:
                rows.append(generator.choice(["", " ", "\t", "-DOCSTART- -X- O"]))
            elif kind < 0.25:
                rows.append("# some comment of many words")
            else:
                rows.append(f"{generator.choice(words)} _ {generator.choice(['O', 'B-X', 'I-é', 'B-#'])}")
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


def test_errors_far_into_a_file_name_their_lines(file, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 16)
    head = "a O\n\n" * 50
    assert refused(file(head + "b\n")).line == 101
    assert refused(file(head.encode() + b"b \xff\n")).line == 101
    assert refused(file(head.replace(" ", "\t") + "b\t\n")).line == 101


def test_a_long_line_is_read_in_one_go(file, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 4096)
    word = "w" * 3_000_000
    assert tag_lists(read(file(f"{word} B-X\na O\n"), words=True).words) == [[word, "a"]]


PIECES = [
    b"\n",
    b"\n\n",
    b" ",
    b"\t",
    b"O",
    b"B-X",
    b"#",
    b"# ",
    b"-DOCSTART-",
    b"\r",
    b"\xc3\xa9",
    b"\xff",
    b"\0",
    b"[",
]
PIECES += [b'"', b"]", b'{"tags":', b"}", b",", b"token", b"=", b"# columns:", b"\xef\xbb\xbf", b"\x1f\x8b"]


def test_any_bytes_are_read_or_refused():
    generator = random.Random(5)
    weights = [6, 3, 6, 4, 8, 5] + [1] * (len(PIECES) - 6)
    read_files = 0
    for _ in range(5_000):
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
        assert tags.offsets[-1] == len(tags.codes)
        assert (tags.codes < len(tags.names)).all()
        assert len(read_file.document_lines) == len(tags.lengths)
        assert (np.diff(read_file.document_lines) > 0).all()
        if read_file.words is not None:
            assert len(read_file.words.codes) == len(tags.codes)
    assert read_files > 500


# the corpora


@pytest.mark.parametrize(
    ("name", "documents", "tokens", "spans"),
    [
        ("multiconer_es_dev.conll", 800, 13_931, 1_176),
        ("multiconer_es_dev_system.conll", 800, 13_931, None),
        ("conll03_test_tags.tsv", 3_453, 46_435, 5_682),
    ],
)
def test_corpora(data, name, documents, tokens, spans):
    read_file = read(data / name)
    assert len(read_file.tags[0].lengths) == documents
    assert read_file.tags[0].lengths.sum() == tokens
    if spans is not None:
        first, _, _ = pair_from_tags(read_file.tags[0], read_file.tags[0])
        assert len(first) == spans


def test_no_token_of_multiconer_is_lost(data):
    read_file = read(data / "multiconer_es_train.conll", words=True)
    assert read_file.tags[0].lengths.sum() == 266_735
    words = np.array(read_file.words.names, dtype=object)[read_file.words.codes]
    assert (words == "#").sum() == 156
    assert (words == "#willpower").sum() == 1


HIPE = {
    "NE-COARSE-LIT": (1217, 397, 383),
    "NE-COARSE-METO": (62, 27, 50),
    "NE-FINE-LIT": (1114, 446, 486),
    "NE-FINE-METO": (62, 31, 50),
    "NE-FINE-COMP": (439, 188, 271),
    "NE-NESTED": (23, 35, 59),
}
"""Official counts of exact matches: true positives, false positives, false negatives."""


@pytest.mark.parametrize("column", HIPE)
def test_hipe_counts_are_the_official_ones(data, column):
    reference, predicted = (
        read(data / name, columns=[column], documents="document_id", outside="_")
        for name in ("hipe2020_test_fr.tsv", "hipe2020_team1_bundle3_fr_1.tsv")
    )
    require_same_tokens(reference, predicted)
    assert len(reference.document_lines) == 43
    counts = SpanF().counts(*pair_from_tags(reference.tags[0], predicted.tags[0])[:2])
    assert (counts.both, counts.predicted - counts.both, counts.reference - counts.both) == HIPE[column]


def test_json_lines_longer_than_the_first_block(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(json.dumps(["B-A", "I-A", "O"] * 400_000) + "\n", encoding="utf-8")
    assert read(path).tags[0].lengths.tolist() == [1_200_000]


# in parts


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
    assert (
        whole.docstart_lines == tuple(itertools.chain.from_iterable(part.docstart_lines for part in parts)) == (2, 11)
    )


def test_parts_agree_on_whether_there_are_words(file, monkeypatch):
    monkeypatch.setattr(source, "BLOCK_SIZE", 1)
    # the one word of the second part looks like a tag
    assert [tag_lists(part.words) for part in read_parts(file("a O\n\nB O\n"), words=True)] == [[["a"]], [["B"]]]
    assert [part.words for part in read_parts(file("B-X O\n\nI-X O\n"), words=True)] == [None, None]


def test_width_of_rows(file):
    assert read(file("a b O\n"), columns=[3]).layout.width == 3
