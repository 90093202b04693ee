"""Readers and writers of entity trees: what a file says, and what is said of a file that cannot be read."""

import gzip
import io
import json
import random

import datasets
import numpy as np
import pytest

from spanometer.errors import InputError
from spanometer.measures import SpanF
from spanometer.readers import EntityFile, read, read_entities, source, write_entities
from spanometer.spans.entities import Entities
from spanometer.spans.markup import to_markup

NAMES = ["TOKEN", "NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED"]


def entity(start, end, types, *components):
    parts = [{"start": first, "end": last, "label": label} for first, last, label in components]
    return {"start": start, "end": end, "types": types.split("+"), "components": parts}


def hipe(*rows, names=NAMES, head="# document_id = d1\n"):
    lines = ["\t".join(names), *("\t".join(row.split()) for row in rows)]
    return lines[0] + "\n" + head + "".join(f"{line}\n" for line in lines[1:])


def entities_of(content, **options):
    return read_entities(io.BytesIO(content.encode() if isinstance(content, str) else content), name="f", **options)


def refused(content, **options):
    with pytest.raises(InputError) as caught:
        entities_of(content, **options)
    assert caught.value.source == "f"
    assert caught.value.problem
    return caught.value


def written(file, format, **options):
    stream = io.BytesIO()
    write_entities(stream, file.entities, words=file.words, documents=file.documents, format=format, **options)
    return stream.getvalue()


# HIPE

PRESIDENT = hipe(
    "Le            O          O     O               O",
    "président     B-pers.ind O     B-comp.function O",
    "de            I-pers.ind O     I-comp.function O",
    "la            I-pers.ind O     I-comp.function O",
    "France        I-pers.ind O     I-comp.function B-loc.adm.nat",
    "Poincaré      I-pers.ind O     B-comp.name     O",
    "quitte        O          _     O               O",
    "Paris         B-loc.adm.town B-org.adm O       O",
)


def test_hipe_by_hand():
    file = entities_of(PRESIDENT)
    assert file.entities == [
        [
            entity(1, 6, "pers.ind", (1, 5, "function"), (4, 5, "loc.adm.nat"), (5, 6, "name")),
            entity(4, 5, "loc.adm.nat"),
            entity(7, 8, "loc.adm.town+org.adm"),
        ]
    ]
    assert file.words == [["Le", "président", "de", "la", "France", "Poincaré", "quitte", "Paris"]]
    assert (file.format, file.documents, file.left_out) == ("hipe", ("d1",), ())
    assert (file.line(0), file.line(0, 3), file.lengths.tolist()) == (3, 6, [8])
    assert len(file.to_entities()) == 3


def test_metonymic_spans_with_other_bounds_are_entities():
    file = entities_of(hipe("a B-loc B-org O O", "b I-loc O O O", "c O I-org O O"))
    assert file.entities == [[entity(0, 2, "loc"), entity(0, 1, "org"), entity(2, 3, "org")]]


def test_a_metonymic_type_that_repeats_the_literal_one_is_listed():
    file = entities_of(hipe("a O O O O", "b B-loc B-loc O O"))
    assert file.entities == [[entity(1, 2, "loc")]]
    assert [str(each) for each in file.left_out] == ["line 4: the metonymic type 'loc' is the literal type too."]


def test_a_nested_span_of_the_same_bounds_is_a_component():
    file = entities_of(hipe("a B-org O O B-loc"))
    assert file.entities == [[entity(0, 1, "org", (0, 1, "loc")), entity(0, 1, "loc")]]


def test_what_no_literal_entity_encloses():
    file = entities_of(
        hipe(
            "a O     O     B-comp.name O",
            "b B-loc O     B-comp.kind B-pers",
            "c O     O     I-comp.kind I-pers",
            "d B-loc O     I-comp.kind O",
            "e I-loc O     B-name      O",
        )
    )
    assert file.entities == [[entity(1, 3, "pers"), entity(1, 2, "loc"), entity(3, 5, "loc", (4, 5, "name"))]]
    assert [(each.line, each.problem) for each in file.left_out] == [
        (3, "no literal entity encloses the component 'name'."),
        (4, "no literal entity encloses the component 'kind'."),
    ]
    assert len(file.columns["NE-FINE-COMP"]) == 3


def test_entities_end_with_their_documents():
    head = "# document_id = d1\n"
    rows = hipe("a B-loc O O O", head=head) + "# document_id = d2\n" + "b\tI-loc\tO\tB-comp.x\tO\n"
    file = entities_of(rows)
    assert file.entities == [[entity(0, 1, "loc")], [entity(0, 1, "loc", (0, 1, "x"))]]
    assert file.documents == ("d1", "d2")
    assert file.document_lines.tolist() == [3, 5]


def test_names_of_documents():
    text = (
        "TOKEN\tNE-FINE-LIT\n# hipe2022:document_id = a b\n# hipe2022:x = y\na\tO\n# hipe2022:document_id = c\nb\tO\n"
    )
    assert entities_of(text).documents == ("a b", "c")
    # a document without rows is none
    text = hipe("a O O O O").replace("# document_id = d1", "# document_id = d0\n# document_id=d1\t\t")
    assert entities_of(text).documents == ("d1",)
    text = "TOKEN\tNE-FINE-LIT\na\tO\n# document_id = b\nb\tO\n"
    assert entities_of(text).documents == ("", "b")


def test_the_level():
    names = ["TOKEN", "NE-COARSE-LIT", "NE-COARSE-METO", *NAMES[1:]]
    content = hipe("a B-loc B-org B-loc.adm B-org.ent B-comp.name B-pers", names=names)
    assert entities_of(content).entities[0][0] == entity(0, 1, "loc.adm+org.ent", (0, 1, "name"), (0, 1, "pers"))
    assert entities_of(content, level="coarse").entities == [[entity(0, 1, "loc+org")]]
    with pytest.raises(InputError, match="'fine', 'coarse'"):
        entities_of(content, level="all")


def test_columns_that_may_be_missing():
    assert entities_of(hipe("a B-loc", names=["TOKEN", "NE-FINE-LIT"])).entities == [[entity(0, 1, "loc")]]
    swapped = hipe("_ B-comp.x a B-loc", names=["MISC", "NE-FINE-COMP", "TOKEN", "NE-FINE-LIT"])
    assert entities_of(swapped).entities == [[entity(0, 1, "loc", (0, 1, "x"))]]
    assert entities_of(swapped).words == [["a"]]


@pytest.mark.parametrize(
    ("content", "options", "line", "problem"),
    [
        (
            hipe("a O", names=["TOKEN", "NE-COARSE-LIT"]),
            {},
            1,
            "the header has no column NE-FINE-LIT: its columns are TO",
        ),
        (hipe("a O", names=["TOKEN", "NE-FINE-LIT"]), {"level": "coarse"}, 1, "the header has no column NE-COARSE-LIT"),
        (
            hipe("a O", names=["WORD", "NE-FINE-LIT"]),
            {},
            1,
            "the header has no column TOKEN: its columns are WORD, NE-F",
        ),
        ("# c\n\na\tO\n", {"format": "hipe"}, 3, "the header has no column TOKEN: its columns are a, O."),
        ("TOKEN NE-FINE-LIT\na O\n", {"format": "hipe"}, 1, "the header has no column TOKEN: its columns are TOKEN NE"),
        (hipe("a O O O O", "b O O O"), {}, 4, "4 columns (separated by tabs), where line 1 has 5."),
        (hipe("a O O O O") + "b O O O O\n", {}, 4, "1 column (separated by tabs), where line 1 has 5."),
        (hipe("a O O O O") + "b\tO\t\tO\tO\n", {}, 4, "NE-FINE-METO has an empty cell."),
        (hipe("a O O O O", "b O O B-x x"), {}, 4, "in NE-NESTED: 'x' has no prefix of IOB2"),
        (hipe("a O O O O", "b S-x O O O"), {}, 4, "in NE-FINE-LIT: 'S-x' has no prefix of IOB2"),
        (hipe("a O O O O", "b O I-x O O"), {"repair": "raise"}, 4, "in NE-FINE-METO: "),
        (hipe("a O O O O", head=""), {}, None, "no line begins a document: the file has no '# document_id = ...'."),
        (hipe(), {}, None, "the file has no rows of tags."),
        (hipe("a B-x O O O", names=[*NAMES[:4], "TOKEN"]), {}, None, "two columns are called 'TOKEN'"),
        (hipe("a O O O O").encode() + b"b\0\tO\tO\tO\tO\n", {}, 4, "a NUL byte"),
        (hipe("a O O O O").encode() + b"\xe9\tO\tO\tO\tO\n", {}, 4, "the byte 0xe9 is not UTF-8."),
        (gzip.compress(PRESIDENT.encode(), mtime=0)[:-12], {}, None, "the gzip data is damaged"),
        (b"", {}, None, "the file is empty."),
        (b"PK\x03\x04...", {}, None, "this is a zip archive."),
        (b"\x7fELF\x02\x01\x01\0\0\0\0", {}, 1, "neither a header with NE-FINE-LIT or NE-COARSE-LIT, nor JSON lines"),
    ],
)
def test_malformed_columns(content, options, line, problem):
    error = refused(content, **options)
    assert error.line == line
    assert error.problem.startswith(problem)


def test_scheme_and_repair_are_the_decoders():
    content = hipe("a I-loc O O O", "b B-loc O O O", "c I-org O O O")
    assert [each["start"] for each in entities_of(content).entities[0]] == [0, 1, 2]
    assert [each["start"] for each in entities_of(content, repair="discard").entities[0]] == [1]
    single = hipe("a S-loc O O O")
    assert entities_of(single, scheme="IOBES").entities == [[entity(0, 1, "loc")]]


# the same in other clothes

NESTED = "<pers.ind> <name> Ada </name> </pers.ind> slept\n\nin <loc.adm.town+org.adm> Rome </loc.adm.town+org.adm>\n"
LINES = '[{"start": 0, "end": 1, "types": ["loc"]}]\n\n{"id": 7, "entities": []}\n'


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
def test_same_entities_in_other_clothes(content, change):
    plain, changed = entities_of(content), entities_of(change(content.encode()))
    assert changed.format == plain.format
    assert changed.entities == plain.entities
    assert changed.words == plain.words
    assert changed.documents == plain.documents
    assert changed.document_lines.tolist() == plain.document_lines.tolist()


@pytest.mark.parametrize("content", [PRESIDENT * 1, NESTED * 200, LINES * 200])
def test_small_blocks(monkeypatch, content):
    whole = entities_of(content)
    monkeypatch.setattr(source, "BLOCK_SIZE", 300)
    pieces = entities_of(content)
    assert pieces.entities == whole.entities
    assert pieces.document_lines.tolist() == whole.document_lines.tolist()


# QUAERO


def test_a_line_of_markup_is_a_document():
    file = entities_of(NESTED)
    assert file.format == "quaero"
    assert file.entities == [[entity(0, 1, "pers.ind", (0, 1, "name"))], [entity(1, 2, "loc.adm.town+org.adm")]]
    assert file.words == [["Ada", "slept"], ["in", "Rome"]]
    assert file.documents == ("0", "1")
    assert file.document_lines.tolist() == [1, 3]
    assert file.line(1, 1) == 3


def test_what_makes_a_document_of_markup():
    text = "\n<loc> a\n\tb </loc>\n \n\nc\n<org>d</org>\n\n"
    blank = entities_of(text, documents="blank")
    assert blank.entities == [[entity(0, 2, "loc")], [entity(1, 2, "org")]]
    assert blank.document_lines.tolist() == [2, 6]
    whole = entities_of(text, documents="file")
    assert whole.entities == [[entity(0, 2, "loc"), entity(3, 4, "org")]]
    assert whole.document_lines.tolist() == [2]
    error = refused(text)
    assert error.place == "f, line 2, column 1"
    assert "documents='blank'" in str(error)
    with pytest.raises(InputError, match="'lines', 'blank', 'file'"):
        entities_of(text, documents="turns")


@pytest.mark.parametrize("documents", ["lines", "blank", "file"])
def test_malformed_markup_is_located(documents):
    text = "a\n\n b <loc> c </loc>\n\nd <loc>  </loc>\n"
    error = refused(text, documents=documents)
    assert (error.line, error.column) == (5, 3)
    assert error.place == "f, line 5, column 3"
    assert refused("\n\na\n<loc> b </loc>\nd </loc>\n", documents=documents).place == "f, line 5, column 3"


def test_markup_bombs():
    error = refused("a\n" + "<pers>" * 100_000, format="quaero")
    assert (error.line, error.column) == (2, 601)
    assert refused("</pers>" * 100_000).column == 1


def test_entity_types():
    file = entities_of("<drug> <name> a </name> </drug>\n", entity_types=["drug"])
    assert file.entities == [[entity(0, 1, "drug", (0, 1, "name"))]]
    assert "outside all entities" in refused("<drug> a </drug>\n").problem
    assert refused("<drug> a </drug>\n", entity_types="drug").place == "f"


# JSON lines


def test_json_lines():
    first = entity(0, 2, "loc+org", (0, 1, "name"))
    rows = [[first], {"entities": []}, {"id": "x", "entities": [{"start": 3, "end": 4, "types": ["pers"]}]}]
    file = entities_of("".join(json.dumps(row) + "\n" for row in rows))
    assert file.format == "jsonl"
    assert file.entities == [[first], [], [entity(3, 4, "pers")]]
    assert (file.words, file.lengths, file.documents) == (None, None, ("0", "1", "x"))
    file = entities_of(json.dumps({"tokens": ["a", "b"], "entities": [first]}))
    assert (file.words, file.lengths.tolist()) == ([["a", "b"]], [2])
    null = entities_of('[{"start": 3, "end": 4, "types": ["pers"], "components": null}]\n')
    assert null.entities == [[entity(3, 4, "pers")]]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("[", "this is not JSON"),
        ("3", "a number is not a document."),
        ('{"entity": []}', "the object has no 'entities'; its keys: 'entity'."),
        ('{"entities": {}}', "'entities' is a JSON object, not a list of entities."),
        ('{"entities": [], "tokens": ["a"]}', "some lines have tokens, others have none."),
        ("[3]", "3 is not an entity."),
        ('[{"start": 0, "end": 1}]', "{'start': 0, 'end': 1} has no 'types'."),
        ('[{"start": 0, "end": 1, "types": []}]', "an entity has no type."),
        ('[{"start": 1, "end": 1, "types": ["a"]}]', "the end 1 is not after the start 1."),
        ('[{"start": 0, "end": true, "types": ["a"]}]', "the end True"),
        ('[{"start": 0, "end": 1, "types": ["a"], "components": [{}]}]', "component 0:"),
        (
            '[{"start": 0, "end": 1, "types": ["a"], "components": [{"start": 0, "end": 2, "label": "b"}]}]',
            "a component",
        ),
        ('[{"start": 0, "end": 1, "types": ["\\ud800"]}]', "the types"),
    ],
)
def test_malformed_json_lines(row, problem):
    error = refused(f"[]\n\n{row}\n")
    assert error.line == 3
    assert error.problem.startswith(problem)


def test_tokens_are_checked():
    assert refused('{"entities": [], "tokens": [1]}').line == 1
    assert refused('{"entities": [], "tokens": ["a"]}\n[]\n').problem.startswith("some lines have tokens")
    error = refused('{"entities": [], "tokens": []}\n{"entities": [{"start":0,"end":1,"types":["a"]}], "tokens": []}\n')
    assert error.line == 2
    assert "the document has 0 tokens" in error.problem
    # no option of the command line gives lengths
    assert error.remedy == "Ends are exclusive token offsets; check them and the document's tokens."


# which format


def test_formats_are_told_by_content(tmp_path):
    assert entities_of("# c\n\n" + PRESIDENT).format == "hipe"
    assert entities_of("no entity here\n" + NESTED).format == "quaero"
    assert entities_of("[ a ] <loc> b </loc>\n").words == [["[", "a", "]", "b"]]
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b"\n[]\n"))
    assert read_entities(path).format == "jsonl"
    assert read_entities(path).source == str(path)
    error = refused("a b c\n")
    assert (error.line, "format=...: hipe, jsonl or quaero" in str(error)) == (1, True)
    assert entities_of("a b c\n", format="quaero").entities == [[]]
    with pytest.raises(InputError, match="'auto', 'hipe', 'jsonl', 'quaero'"):
        entities_of("", format="conll")
    with pytest.raises(InputError, match="no such file"):
        read_entities(tmp_path / "none")


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (PRESIDENT, {"documents": "blank"}),
        (PRESIDENT, {"entity_types": ["loc"]}),
        (NESTED, {"level": "coarse"}),
        (NESTED, {"scheme": None}),
        (LINES, {"repair": "discard"}),
    ],
)
def test_options_of_other_formats_are_refused(content, options):
    assert f"{next(iter(options))}=... is for the format" in str(refused(content, **options))


@pytest.mark.parametrize("format", ["hipe", "quaero", "jsonl"])
@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfea\0", gzip.compress(b"x" * 100, mtime=0)[:20], b"\0\0\0"])
def test_nothing_that_can_be_read(format, content):
    refused(content, format=format)


PIECES = [
    b"\n",
    b"\t",
    b" ",
    b"O",
    b"B-x",
    b"<loc>",
    b"</loc>",
    b"<name>",
    b"</name>",
    b"[",
    b"]",
    b'{"entities":',
    b"}",
]
PIECES += [b"TOKEN\tNE-FINE-LIT\n", b"# document_id = a\n", b"\r", b"\xff", b"\0", b"\x1f\x8b", b"<", b"a", b"3", b","]


def test_any_bytes_are_read_or_refused():
    generator = random.Random(3)
    weights = [6, 6, 4, 6, 4, 6, 6, 2, 2, 2, 2, 1, 1, 2, 3, 1, 1, 1, 1, 1, 8, 1, 1]
    files = dict.fromkeys(("hipe", "quaero", "jsonl"), 0)
    for _ in range(4_000):
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
        assert len(file.entities) == len(file.document_lines) == len(file.documents)
        file.to_entities()
    assert min(files.values()) > 30


# data sets


@pytest.mark.parametrize("content", [PRESIDENT, NESTED, LINES])
def test_to_dataset(content):
    file = entities_of(content)
    rows = file.to_dataset()
    assert isinstance(rows, datasets.Dataset)
    assert rows["id"][:] == list(file.documents)
    assert rows["entities"][:] == file.entities
    assert ("tokens" in rows.column_names) == (file.words is not None)
    if file.words is not None:
        assert rows["tokens"][:] == file.words
    component = {"start": datasets.Value("int64"), "end": datasets.Value("int64"), "label": datasets.Value("string")}
    assert rows.features["entities"] == datasets.List(
        {
            "start": datasets.Value("int64"),
            "end": datasets.Value("int64"),
            "types": datasets.List(datasets.Value("string")),
            "components": datasets.List(component),
        }
    )
    column = rows.with_format("arrow")["entities"][:]
    assert Entities.from_arrow(column).to_dicts() == file.to_entities().to_dicts()


def test_to_dataset_without_entities():
    rows = entities_of('{"entities": [], "tokens": []}\n').to_dataset()
    assert rows[0] == {"id": "0", "tokens": [], "entities": []}


# writing


def columns_of(content):
    return [line.split("\t") for line in content.decode().splitlines()]


def test_written_columns():
    rows = columns_of(written(entities_of(PRESIDENT), "hipe"))
    coarse = ["NE-COARSE-LIT", "NE-COARSE-METO"]
    assert rows[:2] == [["TOKEN", *coarse, *NAMES[1:]], ["# document_id = d1"]]
    assert rows[3] == ["président", "B-pers", "O", "B-pers.ind", "O", "B-comp.function", "O"]
    assert rows[9] == ["Paris", "B-loc", "B-org", "B-loc.adm.town", "B-org.adm", "O", "O"]


def test_written_markup():
    assert written(entities_of(NESTED), "quaero").decode() == (
        "<pers.ind> <name> Ada </name> </pers.ind> slept\nin <loc.adm.town+org.adm> Rome </loc.adm.town+org.adm>\n"
    )


def test_written_lines():
    rows = [json.loads(line) for line in written(entities_of(PRESIDENT), "jsonl").splitlines()]
    assert [sorted(row) for row in rows] == [["entities", "id", "tokens"]]
    assert written(entities_of(LINES), "jsonl").startswith(b'{"id": "0", "entities": [{"start": 0')


def test_files_are_written_whole_or_not_at_all(tmp_path):
    file = entities_of(PRESIDENT)
    path = tmp_path / "a.tsv.gz"
    write_entities(path, file.entities, words=file.words, format="hipe")
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert read_entities(path).entities == file.entities
    with pytest.raises(InputError, match="exists already"):
        write_entities(path, file.entities, words=file.words, format="quaero")
    write_entities(path, [[entity(0, 1, "loc")]], words=[["a"]], format="quaero", overwrite=True)
    assert read_entities(path).entities == [[entity(0, 1, "loc")]]
    before = path.read_bytes()
    with pytest.raises(InputError, match="crosses"):
        write_entities(
            path, [[entity(0, 2, "loc"), entity(1, 3, "org")]], words=[["a"] * 3], format="quaero", overwrite=True
        )
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.tsv.gz"]


def test_who_must_be_literal_is_and_the_others_take_turns():
    # read back from the columns, of which only the literal one holds components and second types
    entities = [entity(0, 2, "a"), entity(1, 4, "b", (1, 2, "x")), entity(3, 6, "c"), entity(6, 7, "d+e")]
    stream = io.BytesIO()
    write_entities(stream, [entities], words=[["w"] * 7], format="hipe")
    file = entities_of(stream.getvalue())
    assert keys(file.entities) == keys([entities])
    assert [each["label"] for each in file.columns["NE-FINE-LIT"].to_dicts()[0]] == ["b", "d"]
    assert [each["label"] for each in file.columns["NE-FINE-METO"].to_dicts()[0]] == ["a", "c", "e"]


ABCD = [["a", "b", "c", "d"]]


@pytest.mark.parametrize(
    ("entities", "problem"),
    [
        ([entity(0, 1, "a+b+c")], "HIPE's columns cannot give the entity 'a+b+c' (0 to 1)"),
        (
            [entity(0, 3, "a"), entity(1, 4, "b"), entity(2, 3, "c")],
            "in NE-FINE-METO: a span of 'c' overlaps the one before it",
        ),
        ([entity(0, 2, "a", (0, 1, "x")), entity(1, 3, "b", (1, 2, "x"))], "in NE-FINE-LIT: a span of 'b' overlaps"),
        ([entity(0, 2, "a+b"), entity(1, 3, "c+d")], "in NE-FINE-LIT: a span of 'c' overlaps"),
        ([entity(0, 1, "a"), entity(0, 1, "b")], "HIPE's columns cannot give the entity"),
        ([entity(0, 4, "a", (0, 3, "b")), entity(0, 3, "b", (0, 1, "c"))], "in NE-FINE-LIT: a span of 'a' overlaps"),
        (
            [entity(0, 4, "a", (0, 3, "x"), (1, 2, "y"))],
            "in NE-FINE-COMP: a span of 'comp.y' overlaps the one before it",
        ),
        (
            [entity(0, 4, "a", (0, 3, "b"), (1, 2, "c")), entity(0, 3, "b"), entity(1, 2, "c")],
            "in NE-NESTED: a span of 'c' overlaps",
        ),
    ],
)
def test_what_the_columns_cannot_say(entities, problem):
    with pytest.raises(InputError) as caught:
        write_entities(io.BytesIO(), [[], entities], words=ABCD * 2, format="hipe")
    assert caught.value.problem.startswith(problem)
    assert caught.value.document == 1
    write_entities(io.BytesIO(), [[], entities], format="jsonl")


@pytest.mark.parametrize("word", ["", " a", "a ", "a\tb", "a\nb", "a\r", "a\0b", "-DOCSTART-"])
def test_words_that_columns_cannot_hold(word):
    with pytest.raises(InputError) as caught:
        write_entities(io.BytesIO(), [[]], words=[["x", word]], format="hipe")
    assert (caught.value.document, caught.value.position) == (0, 1)


@pytest.mark.parametrize("label", ["a\tb", "a\nb", "a\rb", "a\0b"])
def test_labels_that_columns_cannot_hold(label):
    part = {"start": 0, "end": 1, "label": label}
    for wrong in ({"types": [label]}, {"types": ["loc", label]}, {"components": [part]}):
        stream = io.BytesIO()
        with pytest.raises(InputError) as caught:
            write_entities(stream, [[], [{**entity(0, 1, "loc"), **wrong}]], words=[["x"]] * 2, format="hipe")
        assert caught.value.problem == f"the label {label!r} cannot stand in a column."
        assert (caught.value.document, caught.value.position, stream.getvalue()) == (1, 0, b"")


@pytest.mark.parametrize("format", ["hipe", "quaero", "jsonl"])
@pytest.mark.parametrize(
    ("options", "document"),
    [
        ({"words": ["a"]}, 0),
        ({"words": [None]}, 0),
        ({"words": [["a", 1]]}, 0),
        ({"words": [["\ud800"]]}, 0),
        ({"words": [["a"]], "documents": [3]}, 0),
        ({"words": [["a"]], "documents": ["\ud800"]}, 0),
        ({"words": [["a"]], "documents": "x"}, None),
        ({"words": 3}, None),
        ({"words": "a"}, None),
    ],
)
def test_words_and_names_are_strings_in_lists(format, options, document):
    stream = io.BytesIO()
    with pytest.raises(InputError) as caught:
        write_entities(stream, [[]], format=format, **options)
    assert (caught.value.document, stream.getvalue()) == (document, b"")


@pytest.mark.parametrize(
    "options",
    [
        {"words": [["a"]], "format": "tsv"},
        {"words": None, "format": "hipe"},
        {"words": None, "format": "quaero"},
        {"words": [], "format": "hipe"},
        {"words": [[]], "format": "hipe"},
        {"words": [[]], "format": "quaero"},
        {"words": [["a"]], "documents": [], "format": "jsonl"},
        {"words": [["a"]], "documents": ["a\nb"], "format": "hipe"},
        {"words": [["a b"]], "format": "quaero"},
    ],
)
def test_what_cannot_be_written(options):
    with pytest.raises(InputError):
        write_entities(io.BytesIO(), [[]], **options)


@pytest.mark.parametrize(
    ("entities", "problem"),
    [
        ([[None]], "None is not an entity"),
        ([[{"start": 0}]], "has no 'end'"),
        ([[entity(0, 2, "loc")]], "the document has 1 token"),
        (3, "3 is not a list of documents"),
        (None, "None is not a list of documents"),
        ("x", "'x' is not a list of documents"),
        ([3], "3 is not a document"),
        ([[], []], "1 item in words, 2 documents"),
    ],
)
@pytest.mark.parametrize("format", ["hipe", "quaero", "jsonl"])
def test_wrong_entities_are_refused(entities, problem, format):
    with pytest.raises(InputError, match=problem):
        write_entities(io.BytesIO(), entities, words=[["a"]], format=format)


@pytest.mark.parametrize("words", [["\ufeff"], ["\ufeffa", "b"], ["\ufeff\ufeffa"], ["a", "\ufeffb"]])
@pytest.mark.parametrize("format", ["hipe", "quaero", "jsonl"])
def test_what_looks_like_a_byte_order_mark_stays(words, format):
    for documents in ([words], [["x"], words]):
        for entities in ([], [entity(0, 1, "loc")]):
            stream = io.BytesIO()
            write_entities(stream, [entities] * len(documents), words=documents, format=format)
            file = entities_of(stream.getvalue(), format=format)
            assert (file.words, file.entities) == (documents, [entities] * len(documents))


def random_hipe(generator):
    """A file of random columns, illegal tags and components without entities among them."""
    labels = {1: ("loc.a", "org.b", "pers"), 2: ("loc.a", "org.b"), 3: ("comp.x", "comp.y"), 4: ("loc.a", "pers")}
    content = "\t".join(NAMES) + "\n"
    for document in range(generator.randrange(1, 4)):
        content += f"# document_id = d{document}\n"
        for _ in range(generator.randrange(1, 9)):
            tags = [
                generator.choice(("B-", "I-", "I-")) + generator.choice(labels[column])
                if generator.random() < (0.8, 0.3, 0.4, 0.3)[column - 1]
                else "O"
                for column in range(1, 5)
            ]
            content += "\t".join([generator.choice(("a", "#", "# b", "O", "<loc>")), *tags]) + "\n"
    return content


def obvious(content):
    """Entities of columns, (document, start, end, types, components), and how many spans are left out."""
    documents = []
    for line in content.splitlines()[1:]:
        if line.startswith("# document_id"):
            documents.append([])
        else:
            documents[-1].append(line.split("\t"))
    found, left_out = [], 0
    for number, rows in enumerate(documents):
        literal, metonymic, components, nested = (spans_in([row[column] for row in rows]) for column in range(1, 5))
        trees = [[number, *bounds, [label], []] for *bounds, label in literal]
        roots = list(trees)
        for start, end, label in metonymic:
            same = [root for root in roots if root[1:3] == [start, end]]
            if not same:
                trees.append([number, start, end, [label], []])
            elif same[0][3] == [label]:
                left_out += 1
            else:
                same[0][3].append(label)
        for spans, are_entities in ((nested, True), (components, False)):
            for start, end, label in spans:
                around = [root for root in roots if root[1] <= start and end <= root[2]]
                name = label.removeprefix("comp.")
                if around:
                    around[0][4].append((start, end, name))
                elif not are_entities:
                    left_out += 1
                if are_entities:
                    trees.append([number, start, end, [label], []])
        found += trees
    return sorted((d, s, e, tuple(types), tuple(sorted(parts))) for d, s, e, types, parts in found), left_out


def spans_in(tags):
    spans = []
    for position, tag in enumerate(tags):
        if tag == "O":
            continue
        label = tag[2:]
        if tag[0] == "I" and spans and spans[-1][1] == position and spans[-1][2] == label:
            spans[-1][1] += 1
        else:
            spans.append([position, position + 1, label])
    return spans


def keys(documents):
    return sorted(
        (
            number,
            each["start"],
            each["end"],
            tuple(each["types"]),
            tuple((part["start"], part["end"], part["label"]) for part in each["components"]),
        )
        for number, document in enumerate(documents)
        for each in document
    )


def test_random_columns():
    again = dict.fromkeys(("hipe", "quaero", "jsonl"), 0)
    for seed in range(400):
        generator = random.Random(seed)
        content = random_hipe(generator)
        file = entities_of(content)
        expected, left_out = obvious(content)
        assert keys(file.entities) == expected
        assert len(file.left_out) == left_out
        same = file.to_entities().to_dicts()
        for format in again:
            try:
                data = written(file, format)
            except InputError as error:
                assert format != "jsonl"
                assert error.document is not None
                continue
            again[format] += 1
            twin = entities_of(data, format=format)
            assert twin.to_entities().to_dicts() == same
            assert twin.words == file.words
            assert twin.left_out == ()
    assert again["jsonl"] == 400
    assert again["hipe"] > 130
    assert again["quaero"] > 15


def test_random_markup_in_all_formats():
    into_columns = 0
    for seed in range(300):
        generator = random.Random(seed)
        documents, words = [], []
        for _ in range(generator.randrange(1, 4)):
            words.append([generator.choice("abc<") for _ in range(12)])
            entities = []
            for start in range(0, 12, 4):
                if generator.random() < 0.7:
                    kind = generator.choice(("name", "kind"))
                    entities.append(
                        entity(start, start + 3, generator.choice(("loc.x", "org+loc")), (start, start + 1, kind))
                    )
                    if generator.random() < 0.5:
                        entities.append(entity(start + 1, start + 3, "pers"))
                        entities[-2]["components"].append({"start": start + 1, "end": start + 3, "label": "pers"})
            documents.append(entities)
        for format in ("hipe", "quaero", "jsonl"):
            stream = io.BytesIO()
            write_entities(stream, documents, words=words, format=format)
            file = entities_of(stream.getvalue(), format=format)
            assert (file.format, file.words) == (format, words)
            assert keys(file.entities) == keys(documents)
            into_columns += 1
    assert into_columns == 900


# the corpus

REFERENCE, SYSTEM = "hipe2020_test_fr.tsv", "hipe2020_team1_bundle3_fr_1.tsv"
OFFICIAL = {
    ("coarse", "NE-COARSE-LIT"): (1217, 397, 383),
    ("coarse", "NE-COARSE-METO"): (62, 27, 50),
    ("fine", "NE-FINE-LIT"): (1114, 446, 486),
    ("fine", "NE-FINE-METO"): (62, 31, 50),
    ("fine", "NE-FINE-COMP"): (439, 188, 271),
    ("fine", "NE-NESTED"): (23, 35, 59),
}
"""Official counts of exact matches: true positives, false positives, false negatives."""


@pytest.mark.parametrize(("level", "column"), OFFICIAL)
def test_counts_of_each_column_are_the_official_ones(data, level, column):
    references, predictions = (read_entities(data / name, level=level).columns[column] for name in (REFERENCE, SYSTEM))
    counts = SpanF().counts(references, predictions)
    found = (counts.both, counts.predicted - counts.both, counts.reference - counts.both)
    assert found == OFFICIAL[level, column]


@pytest.mark.parametrize(
    ("name", "level", "entities", "components", "metonymic", "nested", "left_out"),
    [
        (REFERENCE, "fine", 1682, 788, 112, 82, [3825, 5358, 30767, 34522]),
        (REFERENCE, "coarse", 1600, 0, 112, 0, []),
        (SYSTEM, "fine", 1621, 670, 90, 54, None),
        (SYSTEM, "coarse", 1616, 0, 87, 0, []),
    ],
)
def test_the_corpus(data, name, level, entities, components, metonymic, nested, left_out):
    file = read_entities(data / name, level=level)
    assert (len(file.entities), int(file.lengths.sum())) == (43, 40_854)
    flat = [each for document in file.entities for each in document]
    assert len(flat) == entities
    assert sum(len(each["components"]) for each in flat) == components
    assert sum(len(each["types"]) == 2 for each in flat) == metonymic
    assert sum("." in part["label"] for each in flat for part in each["components"]) == nested
    if left_out is None:
        assert len(file.left_out) == 11
    else:
        assert [each.line for each in file.left_out] == left_out
    assert file.documents[0] == "EXP-1798-01-04-a-i0005"
    assert len(set(file.documents)) == 43
    assert file.to_dataset().num_rows == 43


@pytest.mark.parametrize("name", [REFERENCE, SYSTEM])
@pytest.mark.parametrize("level", ["fine", "coarse"])
def test_the_corpus_written_and_read_again(data, name, level):
    file = read_entities(data / name, level=level)
    for format, options in (("hipe", {"level": level}), ("jsonl", {})):
        again = entities_of(written(file, format), **options)
        assert again.to_entities().to_dicts() == file.to_entities().to_dicts()
        assert (again.words, again.documents, again.left_out) == (file.words, file.documents, ())


def test_the_reference_written_into_its_own_columns(data):
    file = read_entities(data / REFERENCE)
    stream = io.BytesIO(written(file, "hipe"))
    for column in ("NE-COARSE-LIT", "NE-COARSE-METO", "NE-FINE-LIT", "NE-FINE-METO", "NE-NESTED"):
        stream.seek(0)
        ours = read(stream, columns=[column], documents="document_id").tags[0]
        theirs = read(data / REFERENCE, columns=[column], documents="document_id", outside="_").tags[0]
        names = np.array(ours.names, dtype=object)[ours.codes]
        assert (names == np.array(theirs.names, dtype=object)[theirs.codes]).all()


def test_the_reference_in_markup(data):
    """All documents but those in which a component of an entity lies inside an entity within it."""
    file = read_entities(data / REFERENCE)
    kept = []
    for document, entities in enumerate(file.entities):
        try:
            to_markup(file.words[document], entities)
        except InputError:
            continue
        kept.append(document)
    assert len(kept) > 20
    subset = EntityFile(
        source="subset",
        format="hipe",
        documents=tuple(file.documents[document] for document in kept),
        entities=[file.entities[document] for document in kept],
        words=[file.words[document] for document in kept],
        document_lines=file.document_lines[kept],
    )
    again = entities_of(written(subset, "quaero"))
    assert again.words == subset.words
    assert again.to_entities().to_dicts() == subset.to_entities().to_dicts()
