"""Tables: CSV with a header, columns that tell documents apart, spans a row, Parquet; JSON arrays; encodings."""

import json
import random
import re
import tracemalloc

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanometer
from spanometer.documents.layers import tag_lists
from spanometer.exceptions import InputError
from spanometer.readers import read, read_parts

TABLE = 'Sentence #,Word,POS,Tag\nSentence: 1,Ada,NNP,B-PER\n,"Love,lace",NNP,I-PER\nSentence: 2,"x ""y""",N,O\n'


def tags(file):
    return tag_lists(file.tags[0])


def test_csv(file):
    found = read(file(TABLE, "a.csv"), words=True)
    assert tags(found) == [["B-PER", "I-PER"], ["O"]]
    assert tag_lists(found.words) == [["Ada", "Love,lace"], ['x "y"']]
    assert (found.columns, found.documents.ids) == (("Tag",), ("Sentence: 1", "Sentence: 2"))
    assert found.token_lines.tolist() == [2, 3, 4]


@pytest.mark.parametrize("column", ["Tag", 4, -1])
@pytest.mark.parametrize("words", ["Word", 2])
def test_columns_by_name_and_number(file, column, words):
    found = read(file(TABLE, "a.csv"), columns=[column], words=words)
    assert tags(found) == [["B-PER", "I-PER"], ["O"]]
    assert tag_lists(found.words)[0] == ["Ada", "Love,lace"]


def test_documents_that_empty_rows_end(file):
    found = read(file("\ufeffword;tag\r\nAda;B-PER\r\n;\r\nx;O\r\n\r\ny;O\r\n", "a.csv"), words=True)
    assert tags(found) == [["B-PER"], ["O"], ["O"]]
    assert found.document_lines.tolist() == [2, 4, 6]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("index", ["", "7,"], ids=["plain", "pandas index"])
@pytest.mark.parametrize("token", ["token", "mot"])
def test_a_column_of_documents(file, delimiter, index, token):
    text = re.sub("(?m)^(?=.)", index, f"doc,{token},tag\na,Ada,B-PER\na,L,I-PER\n\nb,x,I-PER\na,y,O\n")
    path = file(text.replace("7,", ",", 1).replace(",", delimiter), "a.tsv")
    found = read(path)
    assert tags(found) == [["B-PER", "I-PER"], ["I-PER"], ["O"]]
    assert (found.documents.ids, found.tags[0].reading) == (("a", "b", "a"), {"documents": "doc"})
    assert delimiter != "\t" or list(map(tags, read_parts(path))) == [tags(found)]


def test_documents_over_many_blocks(file):
    """Against a loop over the lines."""
    chance = random.Random(2)
    rows = [(f"d{number}" if chance.random() < 0.7 else "", "O") for number in range(2000) for _ in range(90)]
    rows[0] = ("d0", "O")
    path = file("doc\ttoken\ttag\n" + "".join(f"{doc}\tword\t{tag}\n" for doc, tag in rows), "a.tsv")
    assert path.stat().st_size > 1 << 20
    sizes = []
    for doc, _ in rows:
        sizes += [0] if doc and f"d{len(sizes) - 1}" != doc else []
        sizes[-1] += 1
    assert read(path, documents="doc").tags[0].lengths.tolist() == sizes


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("word,tag\n" + f"{'a' * 100},O\n" * 12_000 + "b,O,X\n", "line 12002: this line has 3 columns"),
        ("word,tag\n" + f"{'a' * 100},O\n" * 12_000 + '"b,O\n', "line 12002: this row is not valid CSV"),
    ],
)
def test_malformed_csv(file, text, problem):
    with pytest.raises(InputError, match=problem):
        read(file(text, "a.csv"), format="csv")


def test_csv_over_many_blocks(file):
    """Against a loop over the lines, with little more held than a block."""
    chance = random.Random(3)
    sizes, lines = [0], ["word,tag"]
    for _ in range(8000):
        if chance.random() < 0.1:
            lines += chance.choice([[""], [",", ""]])
            sizes += [0] if sizes[-1] else []
        else:
            lines.append("a" * 3000 + ",O")
            sizes[-1] += 1
    path = file("\n".join([*lines, "b,B-X"]), "a.csv")
    tracemalloc.start()
    found = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sizes[-1] += 1
    assert found.tags[0].lengths.tolist() == sizes
    assert (
        found.token_lines.tolist() == [number for number, line in enumerate([*lines, "b,B-X"], 1) if len(line) > 3][1:]
    )
    assert peak < path.stat().st_size


@pytest.mark.parametrize(
    "text", ["1,000 B-NUM\n", ", O\nx O\n", "a,b O\nc,d B-X\n", "He said, well\nI say, no\n", "B-a,b\nO\n", "x,y,z O\n"]
)
def test_words_with_commas_are_no_table(file, text):
    path = file(text, "a.conll")
    try:
        found = read(path)
    except InputError as error:
        assert "csv" not in error.problem
        return
    assert found.format == ""


# tables of spans


SPANS = "doc_id,start,end,label,text\na,0,12,PER,Ada Lovelace\nb,,,,\na,4.0,12.0,LAST,\n"


def dicts(found):
    return found.spans.to_dicts()


A = [{"start": 0, "end": 12, "label": "PER"}, {"start": 4, "end": 12, "label": "LAST"}]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_spans(file, delimiter):
    found = spanometer.read(file(SPANS.replace(",", delimiter), "spans.csv"))
    assert dicts(found) == [A, []]
    assert (found.documents.ids, found.documents.texts) == (("a", "b"), None)
    assert found.document_lines.tolist() == [2, 3]


def test_rows_of_a_document_apart(file):
    """Against a dict of lists."""
    chance = random.Random(4)
    documents, first, rows = {}, {}, ["doc,start,end,label,text"]
    for number in range(3000):
        name, start, label = f"d{chance.randrange(400)}", 10 * number, chance.choice("XYZ")
        documents.setdefault(name, []).append({"start": start, "end": start + 3, "label": label})
        rows.append(f"{name},{start},{start + 3},{label},t{number}")
        first.setdefault(name, len(rows))
    found = spanometer.read(file("\n".join(rows), "spans.csv"))
    assert found.documents.ids == tuple(documents)
    assert (dicts(found), found.document_lines.tolist()) == (list(documents.values()), list(first.values()))
    covered = {name: {span["start"]: f"t{span['start'] // 10}" for span in row} for name, row in documents.items()}
    texts = ["".join(f"{start:<9}." for start in range(0, 30_000, 10)) for _ in documents]
    stated = list(found.stated.beside(texts))
    assert stated == [
        (number, said, f"{start:<9}."[:3]) for number, row in enumerate(covered.values()) for start, said in row.items()
    ]


def test_texts_of_the_other_side(file):
    rows = [{"id": "b", "text": "x", "spans": []}, {"id": "a", "text": "Ada Lovelace wrote", "spans": A[:1]}]
    gold = spanometer.read(file("".join(f"{json.dumps(row)}\n" for row in rows), "gold.jsonl"))
    system = spanometer.read(file(SPANS, "spans.csv"))
    report = spanometer.score(gold, system)
    assert (report.results[0].scores["precision"], report.results[0].scores["recall"]) == (0.5, 1.0)


# Parquet


@pytest.fixture
def parquet(tmp_path):
    def write(rows, name="a.parquet", metadata=None):
        table = pa.Table.from_pylist(rows)
        pq.write_table(table.replace_schema_metadata(metadata), tmp_path / name)
        return tmp_path / name

    return write


def test_parquet_of_tags(parquet):
    rows = [{"tokens": ["Ada", "x"], "tags": ["B-PER", "O"]}, {"tokens": ["y"], "tags": ["O"]}]
    found = read(parquet(rows), words=True)
    assert tags(found) == [["B-PER", "O"], ["O"]]
    assert tag_lists(found.words) == [["Ada", "x"], ["y"]]


def test_names_of_labels_that_datasets_writes(tmp_path):
    datasets = pytest.importorskip("datasets")
    labels = datasets.List(datasets.ClassLabel(names=["O", "B-PER"]))
    rows = {"tokens": [["Ada", "x"]], "ner_tags": [[1, 0]]}
    features = datasets.Features({"tokens": datasets.List(datasets.Value("string")), "ner_tags": labels})
    datasets.Dataset.from_dict(rows, features=features).to_parquet(tmp_path / "a.parquet")
    assert tags(read(tmp_path / "a.parquet", columns=["ner_tags"])) == [["B-PER", "O"]]


def test_damaged_parquet(parquet):
    chance = random.Random(4)
    path = parquet([{"id": str(number), "text": "Ada", "spans": A[:0]} for number in range(20)])
    whole = path.read_bytes()
    refused = 0
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(3):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(bytes(data))
        try:
            spanometer.read(path)
        except InputError:
            refused += 1
    assert refused


# arrays


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    "rows", [[["B-PER", "O"], ["O"]], [{"tags": ["B-PER", "O"]}, {"tags": ["O"]}]], ids=["lists", "objects"]
)
def test_arrays(file, rows, indent):
    found = read(file(json.dumps(rows, indent=indent), "a.json"))
    assert tags(found) == [["B-PER", "O"], ["O"]]
    assert (found.document_lines[1] > 1) == (indent is not None)


def test_one_object_over_many_lines(file):
    assert tags(read(file('{\n"tags": [\n"O"\n]\n}\n', "a.json"))) == [["O"]]


def test_an_array_longer_than_what_is_looked_at(file):
    rows = [["B-PER", "O"] * 100] * 2000
    for indent in (None, 0):
        path = file(json.dumps(rows, indent=indent), "a.json")
        assert path.stat().st_size > 1 << 20
        found = read(path)
        assert len(found.tags[0].offsets) == 2001


def test_spans_on_one_line_are_a_document(file):
    spans = [{"start": 0, "end": 1, "label": "A"}, {"start": 1, "end": 2, "label": "A"}]
    for lines, documents in ((spans, 1), ([spans, []], 2)):
        found = spanometer.read(file(f"{json.dumps(lines)}\n", "a.jsonl"), spans_key="entities")
        assert (found.spans.documents, found.in_tokens) == (documents, True)


# encodings


ROWS = "Zoë B-PER\n💃 O\n"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("utf-8", "utf-8"),
        ("utf-8", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("UTF-16-LE", "utf-16-le"),
        ("utf_8_sig", "utf-8"),
    ],
)
def test_encodings(file, encoding, written):
    found = read(file(ROWS.encode(written), "a.conll"), words=True, encoding=encoding)
    assert tag_lists(found.words) == [["Zoë", "💃"]]


def test_characters_over_the_ends_of_blocks(file):
    text = "💃ë B-PER\n" * 200_000
    path = file(("x" + text).encode("utf-16"), "a.conll")
    found = read(path, words=True, encoding="utf-16")
    assert found.words.names == ("x💃ë", "💃ë") and len(found.words.codes) == 200_000
