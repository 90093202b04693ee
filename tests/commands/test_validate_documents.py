"""`spanometer validate` of documents with spans."""

import json

import pytest

import spanometer

TEXT = "Ada 💃 woke"


def lines(*spans, text=TEXT, **more):
    keys = ("start", "end", "label", "text")
    rows = [dict(zip(keys, span, strict=False)) for span in spans]
    return json.dumps({"id": "a", "text": text, "spans": rows, **more}) + "\n"


@pytest.mark.parametrize(
    ("span", "arguments", "kinds", "said"),
    [
        ((0, 3, "A", "Ada"), ["--tokenizer", "words", "--known-labels", "A,B"], [], None),
        ((2, 2, "A"), [], ["empty"], "the span of 'A' from 2 to 2 is empty."),
        ((3, 1, "A"), [], ["reversed"], "ends before it begins."),
        ((0, 11, "A"), [], ["outside"], "is not inside the text (0 to 10)."),
        ((-1, 3, "A"), [], ["outside"], "is not inside the text (0 to 10)."),
        ((3, 10, "A"), [], ["padded"], "is padded with white space: ' 💃 woke'."),
        ((0, 3, "A", "Bo"), [], ["stated text"], "has the stated text 'Bo', but the text there is 'Ada'."),
        ((0, 2, "A"), ["--tokenizer", "words"], ["off tokens"], "begins or ends within a token."),
        ((0, 3, "C"), ["--known-labels", "A,B"], ["label"], "has an unknown label."),
        ((0, 3, "A\tB"), [], ["label name"], "cannot be scored: the label 'A\\tB' has control characters."),
        ((0, 3, " A"), [], ["label name"], "cannot be scored: the label ' A' has outer blanks."),
        ((4, 5, "A"), ["--offset-unit", "utf-16"], ["inside character"], "begins or ends inside a character."),
    ],
)
def test_each_kind_of_problem(run, file, span, arguments, kinds, said):
    path = file("a.jsonl", lines(span))
    status, output, error = run("validate", path, *arguments)
    assert (status, error) == (int(bool(kinds)), "")
    if said is not None:
        first, last = output.splitlines()
        assert first.startswith(f"{path}:1: document 'a': the span of {span[2]!r} from {span[0]} to {span[1]} ")
        assert first.endswith(said)
        assert last.startswith(f"{path}: 1 problem in 1 of 1 document, with 1 span: ") and last.endswith(": 1.")
    else:
        assert output == f"{path}: no problems with 1 span in 1 document.\n"
    found = json.loads(run("validate", path, *arguments, "--json")[1])
    assert [problem["kind"] for problem in found["problems"]] == kinds
    assert found["counts"] == dict.fromkeys(kinds, 1)


def test_all_at_once(run, file):
    """Counted by hand: a span twice, one of them off the file's tokens; a document that is called as another."""
    spans = [(0, 3, "A"), (0, 3, "A"), (0, 3, "B"), (3, 10, "A"), (2, 2, "B")]
    first = lines(*spans, tokens=[[0, 3], [4, 5], [6, 10]])
    path = file("a.jsonl", first + lines() + lines((9, 99, "A")).replace('"a"', '"b"'))
    status, output, _ = run("validate", path, "--json")
    found = json.loads(output)
    assert (status, found["documents"], found["spans"], found["affected_documents"]) == (1, 3, 6, 3)
    assert found["counts"] == {"empty": 1, "outside": 1, "twice": 1, "padded": 1, "off tokens": 1, "document": 1}
    places = [(problem["line"], problem["kind"], problem["start"]) for problem in found["problems"]]
    expected = [(1, "twice", 0), (1, "padded", 3), (1, "off tokens", 3), (1, "empty", 2)]
    assert places == [*expected, (2, "document", None), (3, "outside", 9)]


def test_spans_of_tokens(run, file):
    row = {
        "tokens": ["Ada", "woke"],
        "spans": [{"start": 1, "end": 3, "label": "A"}, {"start": 0, "end": 2, "label": "A"}],
    }
    status, output, _ = run("validate", file("a.jsonl", json.dumps(row) + "\n"))
    assert status == 1
    assert "the span of 'A' from 1 to 3 is not inside the text (0 to 2)." in output and "1 problem in 1" in output


def test_unit_that_nothing_tells(run, file):
    export = file("a.jsonl", json.dumps({"text": TEXT, "label": [[6, 9, "A"]]}) + "\n")
    status, output, _ = run("validate", export)
    assert status == 1 and "the file does not state the unit of its offsets" in output
    assert run("validate", export, "--offset-unit", "codepoint")[0] == 0


def test_what_is_no_export(file, run):
    tags = file("a.conll", "Ada\tB-A\n")
    assert run("validate", tags)[0] == 0
    tasks = file("c.jsonl", '{"text": "Ada", "_input_hash": 1, "spans": [], "answer": "ignore"}\n')
    assert run("validate", tasks)[2] == "left out: line 1: a task with the answer 'ignore'.\n"


def test_samples(run, data):
    """What the table of expected counts calls empty and untrimmed; counted without the project."""
    exports = data / "exports"
    with open(exports / "expected.tsv", encoding="utf-8") as table:
        head, *rows = [line.rstrip("\n").split("\t") for line in table]
    for row in (dict(zip(head, row, strict=False)) for row in rows):
        folder = row["file"].split("/")[0]
        if folder not in ("brat", "label_studio", "label_studio_min", "webanno_tsv") or "tsv2" in row["file"]:
            continue
        status, output, error = run("validate", exports / row["file"], "--json")
        if status == 2:
            # nothing says which of several layers or features is meant
            assert "Name one with --" in error
            continue
        counts = json.loads(output)["counts"]
        assert counts.get("empty", 0) == int(row["empty"]), row["file"]
        assert counts.get("padded", 0) == int(row["untrimmed"]), row["file"]
        assert counts.get("stated text", 0) == int(row["text_differs"]), row["file"]


LOST = {
    "a.ann": ("T1\tPER 0 3\tAda\nT2\tPER\tAda\n", 2, "an annotation without offsets, or with a type of several words."),
    "langextract.jsonl": (
        json.dumps(
            {
                "text": "Ada woke",
                "extractions": [
                    {
                        "extraction_class": "PER",
                        "extraction_text": "Ada",
                        "char_interval": {"start_pos": 0, "end_pos": 3},
                    },
                    {"extraction_class": "PER", "extraction_text": "Bo", "char_interval": None},
                ],
            }
        ),
        1,
        "'Bo' of 'PER', which has no offsets.",
    ),
    "label_studio.json": (
        json.dumps(
            {
                "data": {"text": "Ada woke"},
                "annotations": [
                    {
                        "result": [
                            {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}},
                            {"type": "labels", "value": {"start": 4, "end": 8, "labels": []}},
                        ]
                    }
                ],
            }
        ),
        1,
        "a span without a label at 4.",
    ),
}


@pytest.mark.parametrize("name", LOST)
def test_spans_that_are_left_out_are_problems(run, file, name):
    content, line, text = LOST[name]
    path = file(name, content)
    status, output, complaint = run("validate", path)
    assert (status, complaint) == (1, "")
    assert f"{path}:{line}: " in output
    assert text in output
    assert "1 problem in 1 of 1 document, with 2 spans: spans without a place or a label, left out: 1." in output
    found = json.loads(run("validate", path, "--json")[1])
    assert (found["counts"], found["left_out"]) == ({"lost": 1}, [])
    # whoever reads the file is told of them as before
    (left_out,) = spanometer.read(path).left_out
    assert left_out.endswith(text)


def test_spans_of_a_folder_that_are_left_out_name_their_file(run, file, tmp_path):
    (tmp_path / "folder").mkdir()
    file("folder/a.ann", LOST["a.ann"][0])
    status, output, _ = run("validate", tmp_path / "folder")
    assert status == 1
    assert ":2: a.ann: an annotation without offsets, or with a type of several words" in output
