"""Folders, and patterns with wildcards."""

import gzip
import json

import pytest

import spanometer
from spanometer.documents.layers import tag_lists
from spanometer.exceptions import InputError
from spanometer.readers import read, read_entities
from spanometer.readers.formats import files_of
from spanometer.spans.spans import Spans


@pytest.fixture
def folder(tmp_path):
    def write(name, **files):
        for file, text in files.items():
            path = tmp_path / name / file.replace("__", "/").replace("_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


A, B = "Ada B-PER\nL I-PER\n\nx O\n", "y B-LOC\n"


def test_names_of_files(folder, tmp_path):
    path = folder("f", b_conll=A, a_conll=A, deep__c_conll=A, _hidden="")
    assert files_of(path) == {"a": f"{path}/a.conll", "b": f"{path}/b.conll", "deep/c": f"{path}/deep/c.conll"}
    assert files_of(f"{path}/*.conll") == {"a": f"{path}/a.conll", "b": f"{path}/b.conll"}
    assert files_of(f"{path}/[ab]*") == {"a": f"{path}/a.conll", "b": f"{path}/b.conll"}
    assert files_of(f"{path}/*/c.conll") == {"deep": f"{path}/deep/c.conll"}
    assert files_of(path / "a.conll") is None and files_of(tmp_path / "nothing") is None
    # endings tell files apart
    assert list(files_of(folder("g", a_conll=A, a_txt=A))) == ["a.conll", "a.txt"]
    # a file may be called as a pattern
    (tmp_path / "a[1].conll").write_text(B)
    assert tag_lists(read(tmp_path / "a[1].conll").tags[0]) == [["B-LOC"]]


def test_tags(folder):
    found = read(folder("f", a_conll=A, b_conll=B), words=True)
    assert tag_lists(found.tags[0]) == [["B-PER", "I-PER"], ["O"], ["B-LOC"]]
    assert tag_lists(found.words) == [["Ada", "L"], ["x"], ["y"]]
    assert (found.document_lines.tolist(), found.token_lines.tolist()) == ([1, 4, 1], [1, 2, 4, 1])
    assert found.parts.names == ("a", "b")


def test_spans_end_with_sentences_if_some_files_have_a_column_of_documents(folder):
    tables = {"a_tsv": "doc\tword\ttag\n1\tu\tB-X\n\n1\tv\tI-X\n", "b_tsv": "word\ttag\nw\tB-X\nx\tI-X\n"}
    spans = Spans.from_tags(read(folder("f", **tables)).tags[0], scheme="IOB2")
    assert list(spans.rows()) == [(0, 0, 1, "X"), (0, 1, 2, "X"), (1, 0, 2, "X")]


def test_commands(run, folder, complaint):
    gold, system = folder("gold", a_conll=A, b_conll=B), folder("system", b_txt="y B-PER\n", a_txt=A)
    for pair in ((gold, system), (gold, f"{system}/*.txt"), (f"{gold}/*", f"{system}/*")):
        status, output, _ = run("score", *pair, "--measures", "span_f", "--score-only")
        assert (status, output) == (0, "0.5000\n")
    assert run("compare", gold, gold, system)[0] == 0
    assert run("agree", gold, system)[0] == 0
    assert run("validate", gold)[0] == 0


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def row(name, start=0, **more):
    return {"id": name, "text": "Ada wrote", "spans": [{"start": start, "end": 3, "label": "PER"}], **more}


def test_documents(folder):
    one = spanometer.read(folder("one", a_jsonl=lines(row("1")), b_jsonl=lines(row("1"))))
    assert one.documents.ids == ("a", "b")
    several = spanometer.read(folder("several", a_jsonl=lines(row("1"), row("2")), b_jsonl=lines(row("1"))))
    assert several.documents.ids == ("a/1", "a/2", "b/1")
    assert [len(document) for document in several.spans.to_dicts()] == [1, 1, 1]
    unnamed = spanometer.read(folder("unnamed", a_jsonl=lines(row(None), row(None)), b_jsonl=lines(row(None))))
    assert unnamed.documents.ids == ("a/0", "a/1", "b/0")


def test_files_of_several_formats(folder, run):
    """Tags against JSON lines and brat, file by file."""
    gold = folder("gold", a_conll="Ada B-PER\nwrote O\n", b_conll="Ada O\nwrote B-X\n")
    system = folder("system", a_jsonl=lines(row("1")), b_ann="T1\tX 4 9\twrote\n", b_txt="Ada wrote")
    found = spanometer.read(f"{system}/*[ln]")
    assert found.documents.ids == ("a", "b")
    status, output, _ = run("score", gold, f"{system}/*[ln]", "--measures", "span_f", "--score-only")
    assert (status, output) == (0, "1.0000\n")


def test_what_goes_along(folder):
    fragments = {"fragments": [[0, 3], [4, 9]], "label": "E"}
    rows = [row("1", annotator="ann"), {**row("2", annotator="ben"), "spans": [fragments]}]
    found = spanometer.read(folder("f", a_jsonl=lines(rows[0]), b_jsonl=lines(rows[1])))
    assert found.names == ("ann", "ben")
    assert found.of("ben").spans.to_dicts() == [[{"label": "E", "fragments": [[0, 3], [4, 9]]}]]
    assert found.of("ben").locate(InputError("x", document=0)).source.endswith("b.jsonl")
    assert spanometer.read(found.source, annotator="ann").documents.size == 1
    assert spanometer.read(found.source, tokenizer="words").documents.tokens.lengths.tolist() == [2, 2]


def test_attributes_of_some_files(folder):
    with_attributes = row("1")
    with_attributes["spans"][0]["attributes"] = {"negated": True}
    found = spanometer.read(folder("f", a_jsonl=lines(with_attributes), b_jsonl=lines(row("2"))))
    assert [of_one[0]["attributes"] for of_one in found.attribute_columns().to_dicts()] == [{"negated": True}, {}]


def test_a_folder_of_brat_is_read_as_before(folder):
    found = spanometer.read(folder("f", a_ann="T1\tX 0 3\tAda\n", a_txt="Ada", b_ann="", b_txt="x"))
    assert (found.documents.ids, found.parts) == (("a", "b"), None)


def test_entity_trees_of_other_formats(folder):
    trees = lines({"id": "x", "entities": [{"start": 0, "end": 1, "types": ["A"], "components": []}]})
    path = folder("f", a_jsonl=trees, b_jsonl=trees * 2)
    found = read_entities(path)
    assert found.documents.ids == ("a/x", "b/x", "b/x")
    assert found.trees.documents == 3


# files that are written again

ILLEGAL = "x O\ny I-LOC\n"


def contents(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_repair(folder, run, complaint, tmp_path):
    """The scheme is that of all files: alone, the second would be IO, and legal."""
    packed = folder("f", a_conll=A, b_conll=ILLEGAL, deep__c_conll=B) / "deep" / "d.conll.gz"
    packed.write_bytes(gzip.compress(ILLEGAL.encode()))
    path, out = tmp_path / "f", tmp_path / "out"
    before = contents(path)
    command = ("convert", path, "--repair", "conlleval")
    assert complaint(*command) == (
        f"spanometer: {path}: several files cannot be written to standard output. Write to a new folder with -o, or "
        "replace the files with --in-place."
    )
    assert run(*command, "-o", out) == (0, f"{out}: 2 of 8 tags changed (conlleval).\n", "")
    found = contents(out)
    assert found.keys() == before.keys()
    fixed = ILLEGAL.replace("I-LOC", "B-LOC").encode()
    assert (found["b.conll"], gzip.decompress(found["deep/d.conll.gz"])) == (fixed, fixed)
    assert (found["a.conll"], found["deep/c.conll"]) == (A.encode(), B.encode())
    assert contents(path) == before
    assert "the folder exists already" in complaint(*command, "-o", out)
    some = tmp_path / "some"
    assert run("convert", f"{path}/*.conll", "--repair", "conlleval", "-o", some)[0] == 0
    assert contents(some) == {name: found[name] for name in ("a.conll", "b.conll")}
    assert run(*command, "--in-place") == (0, f"{path}: 2 of 8 tags changed (conlleval).\n", "")
    assert contents(path) == found
