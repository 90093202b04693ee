"""WebAnno TSV 3."""

import csv
from collections import Counter

import pytest

from spanometer.exceptions import InputError
from spanometer.readers.formats import detect, formats_of, read_as

HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Span|value\n\n\n"


def read(path, **given):
    known = {name: value for format in formats_of("spans").values() for name, value in format.options.items()}
    return read_as("spans", path, options={**known, **given})


def spans(found):
    return [(span["start"], span["end"], span["label"]) for span in found.spans.to_dicts()[0]]


def table(*rows, text="One 😊 two"):
    """Tokens One (0-3), the emoji (4-6 in UTF-16) and two (7-10)."""
    tokens = [("1-1", "0-3", "One"), ("1-2", "4-6", "😊"), ("1-3", "7-10", "two")]
    lines = ["\t".join([*token, *cells, ""]) for token, cells in zip(tokens, rows, strict=True)]
    return HEAD + f"#Text={text}\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["_", "_", "_"], []),
        (["_", "A", "A"], [(4, 5, "A"), (6, 9, "A")]),
        (["_", "A[1]", "A[1]"], [(4, 9, "A")]),
        (["A[1]|B[2]", "A[1]|B[2]", "B[2]"], [(0, 5, "A"), (0, 9, "B")]),
        (["A|B", "_", "*"], [(0, 3, "A"), (0, 3, "B"), (6, 9, "Span")]),
        ([r"A\|B", r"\_", r"a\[1\]"], [(0, 3, "A|B"), (4, 5, "_"), (6, 9, "a[1]")]),
        ([r"A\[x\][1]", r"A\[x\][1]", "_"], [(0, 5, "A[x]")]),
        (["1[3]", "_", "_"], [(0, 3, "1")]),
    ],
)
def test_cells(file, cells, expected):
    path = file(table(*([cell] for cell in cells)))
    assert detect(path).name == "webanno"
    found = read(path)
    assert spans(found) == expected
    assert found.documents.texts == ("One 😊 two",)
    assert found.documents.tokens.start.tolist() == [0, 4, 6]


@pytest.mark.parametrize("cell", ["x||y", "x|", "|y"])
def test_empty_stacked_labels_are_refused(file, cell):
    with pytest.raises(InputError, match="the label is empty"):
        read(file(table([cell], ["_"], ["_"])))


def test_sentences_and_lines(file):
    rows = "#Text=One\n1-1\t0-3\tOne\tA[1]\t\n\n#Text=two\n#Text=three\n2-1\t5-8\ttwo\tA[1]\t\n2-2\t9-14\tthree\t_\t\n"
    found = read(file(HEAD + rows))
    assert found.documents.texts == ("One  two\nthree",)
    assert spans(found) == [(0, 8, "A")]


def test_parts_of_tokens(file):
    rows = "#Text=abcd\n1-1\t0-4\tabcd\tX[1]\t\n1-1.1\t2-4\tcd\tY\t\n1-1.2\t3-3\t\tZ\t\n"
    found = read(file(HEAD + rows))
    assert spans(found) == [(0, 4, "X"), (2, 4, "Y")]
    assert len(found.left_out) == 1
    assert found.documents.tokens.lengths.tolist() == [1]


LAYERS = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.Plain|\n#T_SP=a.Rich|kind|value\n#T_CH=a.Link|relation|type\n\n"
    "#Text=One\n1-1\t0-3\tOne\t*\tk\tv\t*->1-1\tt[1]\t\n"
)


@pytest.mark.parametrize(
    ("given", "label"),
    [
        ({"layer": "Plain"}, "Plain"),
        ({"layer": "a.Rich"}, "v"),
        ({"layer": "Rich", "feature": "kind"}, "k"),
        ({"layer": "Link"}, "Link"),
        ({"layer": "Link", "feature": "type"}, "t"),
    ],
)
def test_layers(file, given, label):
    assert spans(read(file(LAYERS), **given)) == [(0, 3, label)]


def test_names_of_layers_and_features(file):
    """A layer is declared once, and can be named without its package; a feature has its whole name."""
    with pytest.raises(InputError, match="the layer 'Rich' is declared twice"):
        read(file(LAYERS.replace("a.Plain|", "a.Rich|")))
    dotted = file(LAYERS.replace("kind|value", "x.kind|y.value"))
    with pytest.raises(InputError, match=r"several features: 'x\.kind', 'y\.value'"):
        read(dotted, layer="Rich")
    with pytest.raises(InputError, match="no feature 'kind'"):
        read(dotted, layer="Rich", feature="kind")
    assert spans(read(dotted, layer="Rich", feature="y.value")) == [(0, 3, "v")]


@pytest.mark.parametrize(
    ("cells", "given", "expected"),
    [
        (["*->1-1\t*[1]", "*->1-1\t*[1]", "*->1-2\t*[1]"], {}, [(0, 5, "Link"), (6, 9, "Link")]),
        (["*->1-1\ta[1]", "*->1-2\tb[1]", "*->1-2\tb[1]"], {"feature": "type"}, [(0, 3, "a"), (4, 9, "b")]),
        (["x->1-1\t*[1]", "x->1-1\t*[1]", "*->1-2\t*[1]"], {"feature": "relation"}, [(0, 5, "x"), (6, 9, "Link")]),
        (
            ["*->1-1|*->2-1\ta[1]|b[2]", "*->1-1|*->2-1\ta[1]|b[2]", "*->2-1\tb[2]"],
            {"feature": "type"},
            [(0, 5, "a"), (0, 9, "b")],
        ),
        (["_\ta[1]", "_\ta[1]", "_\t_"], {"feature": "type"}, [(0, 3, "a"), (4, 5, "a")]),
    ],
)
def test_rows_of_one_link_are_one_mention_of_a_chain(file, cells, given, expected):
    text = table(*([cell] for cell in cells)).replace("#T_SP=webanno.custom.Span|value", "#T_CH=a.Link|relation|type")
    assert spans(read(file(text), **given)) == expected


def test_real_exports(data):
    """All files of the format's own suite: the spans that were counted, but for empty and doubled ones."""
    exports = data / "exports"
    with open(exports / "expected.tsv", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["file"].startswith("webanno_tsv/")]
    given = {"GUM_news": {"feature": "entity"}, "simpleSpanDiff": {"feature": "PosValue"}}
    read_files = 0
    for row in rows:
        path = exports / row["file"]
        if "REFUSED" in row["note"]:
            with pytest.raises(InputError):
                read_as("spans", path, format="webanno", options={})
            continue
        if "SlotFeature" in row["file"]:
            # two layers: 2 spans of one, 1 of the other
            assert [len(read(path, layer=name).spans) for name in ("SimpleSpan", "SimpleLinkHost")] == [2, 1]
            continue
        known = {} if "curator" in path.name else given
        options = next((options for part, options in known.items() if part in row["file"]), {})
        found = read(path, **options)
        listed = Counter(found.spans.labels[code] for code in found.spans.label)
        twice = sum(int(note.rpartition(": ")[2].rstrip(".")) for note in found.notes if "Repeated spans" in note)
        assert sum(listed.values()) + len(found.left_out) + twice == int(row["spans"]), row["file"]
        read_files += 1
    assert read_files > 18
