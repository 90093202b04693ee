"""Files of documents with spans on the command line."""

import json

import pytest

from spanometer.measures.registry import ALL_MEASURES

CONLL = "Ada B-PER\nLovelace I-PER\nwrote O\n. O\n\nIn O\nRome B-LOC\n"
TEXTS = ["Ada Lovelace wrote.", "In Rome"]
SPANS = [[[0, 12, "PER"]], [[3, 7, "LOC"]]]


def doccano(texts=TEXTS, spans=SPANS):
    rows = zip(texts, spans, strict=True)
    return "".join(
        json.dumps({"id": n, "text": text, "label": found, "Comments": []}) + "\n"
        for n, (text, found) in enumerate(rows)
    )


def lines(texts=TEXTS, spans=SPANS, **more):
    keys = ("start", "end", "label")
    return "".join(
        json.dumps({"text": text, "spans": [dict(zip(keys, span, strict=True)) for span in found], **more}) + "\n"
        for text, found in zip(texts, spans, strict=True)
    )


def studio(texts=TEXTS, spans=SPANS):
    def region(text, start, end, label):
        value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
        return {"type": "labels", "from_name": "label", "value": value}

    return json.dumps(
        [
            {
                "id": number,
                "data": {"text": text},
                "annotations": [{"completed_by": 1, "result": [region(text, *span) for span in found]}],
            }
            for number, (text, found) in enumerate(zip(texts, spans, strict=True))
        ]
    )


FORMS = {"conll": CONLL, "doccano.jsonl": doccano(), "spans.jsonl": lines(), "studio.json": studio()}


def test_spans_that_are_off_the_tokens(run, file):
    gold = file("gold.conll", CONLL)
    system = file("system.jsonl", doccano(spans=[[[0, 7, "PER"]], [[3, 7, "LOC"], [2, 3, "LOC"]]]))
    status, output, _ = run("score", gold, system, "--to-tokens", "expand", "--measures", "span_f")
    assert status == 0
    assert "predictions: 1 span moved by 5 characters to fit tokens" in output
    assert "left out" in output and "from character 2 to 3 in document '1' has no token" in output.replace(
        "document 1", "document '1'"
    )
    assert "|unit:token|to_tokens:expand|" in output
    status, output, _ = run("score", gold, system, "--unit", "character", "--measures", "span_f", "--score-only")


def test_annotators(run, file):
    both = lines(annotator="ada") + lines(annotator="bob", spans=[[], []])
    path, gold = file("both.jsonl", both), file("gold.conll", CONLL)
    status, output, _ = run("score", gold, path, "--annotators", "bob", "--measures", "span_f")
    assert status == 0 and "0.0000" in output


def test_agreement_of_annotators_of_one_file(run, file):
    both = lines(annotator="ada") + lines(annotator="bob", spans=[[[0, 12, "PER"]], []])
    status, output, _ = run("agree", file("both.jsonl", both), "--json")
    found = json.loads(output)
    # 16 characters of one, 12 of the other, 12 of both: 2 · 12 / 28
    assert (status, found["annotators"], found["mean_f1"]) == (0, ["ada", "bob"], pytest.approx(6 / 7))
    assert "|unit:character|" in found["signatures"]["chance_kappa_f1"]
    output = run("agree", file("both.jsonl", both))[1]
    assert "2 documents, 26 characters" in output


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("command", ["agree", "compare"])
def test_what_was_moved_and_lost_is_said(run, file, command):
    gold = file("gold.conll", CONLL)
    moved = file("moved.jsonl", doccano(spans=[[[0, 7, "PER"]], [[3, 7, "LOC"], [2, 3, "LOC"]]]))
    status, _, error = run(command, gold, moved, file("same.jsonl", doccano()), "--to-tokens", "expand")
    assert status == 0
    assert "moved: 1 span moved by 5 characters to fit tokens" in error
    assert "moved: the span of 'LOC' from character 2 to 3" in error


def test_options_of_one_side(run, file):
    gold = file("gold.conll", CONLL.replace("Ada", "💃"))
    system = file("system.jsonl", doccano(["💃 Lovelace wrote.", "In Rome"], [[[2, 10, "PER"]], []]))
    shifted = [
        "--unit",
        "character",
        "--measures",
        "span_f",
        "--score-only",
        "--no-match-labels",
    ]
    unit = ["--offset-unit", "codepoint"]
    assert run("score", gold, system, *unit, "--outside", "_", *shifted)[:2] == (0, "0.0000\n")
    gold = file(
        "gold.conll", CONLL.replace("Ada B-PER", "💃 O").replace("Lovelace I", "Lovelace B").replace("LOC", "X")
    )
    assert run("score", gold, system, *unit, *shifted)[:2] == (0, "0.6667\n")


@pytest.mark.parametrize("form", FORMS)
def test_standard_input(run, file, standard_input, form):
    standard_input(FORMS[form].encode())
    arguments = ["-", file("gold.jsonl", doccano()), "--measures", "span_f", "--score-only"]
    assert run("score", *arguments)[:2] == (0, "1.0000\n")


def test_fragments_over_a_line_end(run, tmp_path):
    for side, offsets in (("gold", "0 4;5 9"), ("system", "0 9")):
        (folder := tmp_path / side).mkdir()
        (folder / "a.txt").write_text("back\npain")
        (folder / "a.ann").write_text(f"T1\tX {offsets}\tback pain\n")
    paths = [str(tmp_path / side) for side in ("gold", "system")]
    wanted = ("score", *paths, "--measures", "span_f", "--score-only")
    assert float(run(*wanted)[1]) == 0
    assert float(run(*wanted, "--join-fragments")[1]) == 1
    assert (
        "references: Fragments with only white space between them were joined in 1 span"
        in run(*wanted[:5], "--join-fragments")[1]
    )


@pytest.mark.parametrize(
    ("name", "content", "left_out"),
    [
        (
            "table.csv",
            "document,start,end,label\na,0,3,A\n",
            "chance_kappa_f1, unitizing_alpha left out: the documents' lengths are not known",
        ),
        (
            "nested.jsonl",
            json.dumps(
                {"text": "Ada", "spans": [{"start": 0, "end": end, "label": "A"} for end in (2, 3)]},
            ),
            "intersection_f, chance_kappa_f1, unitizing_alpha left out: spans of one label overlap",
        ),
        (
            "apart.jsonl",
            json.dumps({"text": "Ada", "spans": [{"label": "A", "fragments": [[0, 1], [2, 3]]}]}),
            "chance_kappa_f1, unitizing_alpha left out: some spans are discontinuous",
        ),
    ],
)
def test_measures_that_are_not_defined(run, file, name, content, left_out):
    """All leaves them out, and the system's line says so; who names them is told why not."""
    gold, system = file(f"gold_{name}", content), file(f"system_{name}", content)
    _, output, _ = run("score", gold, system, "--measures", "all")
    assert left_out in output
    scored = json.loads(run("score", gold, system, "--measures", "all", "--json")[1])
    names = left_out.partition(" left out")[0].split(", ")
    defined = [measure for measure, kind in ALL_MEASURES.items() if kind.input == "spans" and kind.quick]
    assert list(scored["measures"]) == [measure for measure in defined if measure not in names]
    assert scored["prediction"]["notes"] == [f"{left_out}."]
