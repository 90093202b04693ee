"""Every command beside every format."""

import json
from importlib.util import find_spec

import pytest

WORDS = ["Ada", "Lovelace", "wrote", "in", "Rome"]
TEXT = " ".join(WORDS)
SPANS = [(0, 12, "PER"), (22, 26, "LOC")]
TOKENS = [(0, 3), (4, 12), (13, 18), (19, 21), (22, 26)]


def span(start, end, label, **more):
    return {"start": start, "end": end, "label": label, **more}


REGION = [
    {"type": "labels", "from_name": "label", "value": {"start": a, "end": b, "text": TEXT[a:b], "labels": [name]}}
    for a, b, name in SPANS
]
FILES = {
    "columns": "Ada\tB-PER\nLovelace\tI-PER\nwrote\tO\nin\tO\nRome\tB-LOC\n",
    "tags.jsonl": json.dumps({"tokens": WORDS, "tags": ["B-PER", "I-PER", "O", "O", "B-LOC"]}),
    "jsonl": json.dumps({"text": TEXT, "spans": [span(*one) for one in SPANS]}),
    "doccano": json.dumps({"text": TEXT, "label": SPANS, "Comments": []}),
    "label_studio": json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": [{"result": REGION}]}]),
    "prodigy": json.dumps(
        {
            "text": TEXT,
            "_input_hash": 1,
            "answer": "accept",
            "tokens": [{"text": TEXT[a:b], "start": a, "end": b, "id": n} for n, (a, b) in enumerate(TOKENS)],
            "spans": [span(*one) for one in SPANS],
        }
    ),
    "gliner": json.dumps([span(*one, text=TEXT[one[0] : one[1]], score=0.9) for one in SPANS]),
    "pipeline": json.dumps([{"entity_group": name, "score": 1, "start": a, "end": b} for a, b, name in SPANS]),
    "conllu": "\n".join(
        f"{n}\t{word}\t_\t_\t_\t_\t0\t_\t_\tname={tag}"
        for n, (word, tag) in enumerate(zip(WORDS, ["B-PER", "I-PER", "O", "O", "B-LOC"], strict=True), 1)
    )
    + "\n",
    "pubtator": f"1|t|{TEXT[:12]}\n1|a|{TEXT[13:]}\n"
    + "".join(f"1\t{a}\t{b}\t{TEXT[a:b]}\t{name}\n" for a, b, name in SPANS),
    "webanno": "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.NER|value\n\n\n#Text="
    + TEXT
    + "\n"
    + "".join(
        f"1-{n}\t{a}-{b}\t{TEXT[a:b]}\t{value}\t\n"
        for n, ((a, b), value) in enumerate(zip(TOKENS, ["PER[1]", "PER[1]", "_", "_", "LOC"], strict=True), 1)
    ),
    "markup": "[Ada Lovelace](PER) wrote in [Rome](LOC)\n",
}
WITHOUT_TEXT = {"gliner", "pipeline"}
WITH_TOKENS = {"columns", "tags.jsonl", "prodigy", "conllu", "webanno"}
LONGER = "lengthened_spans"
OF_TAGS = {"columns", "tags.jsonl"}


@pytest.fixture
def path(file):
    return lambda name: file(name if name.endswith("jsonl") else f"{name}.txt", FILES[name] + "\n")


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("reference", ["columns", "jsonl", "prodigy"])
def test_score_compare_agree(run, path, reference, name):
    gold, system = path(reference), path(name)
    status, output, error = run("score", gold, system, "--measure", "span_f", "--score-only")
    assert (status, output, error) == (0, "1.0000\n", "")
    status, output, _ = run("compare", gold, system, path("doccano"), "--json")
    assert status == 0
    systems = json.loads(output)["measures"]["span_f"]["systems"]
    assert [found["scores"]["f1"] for found in systems.values()] == [1, 1]
    if name != reference:
        status, output, _ = run("agree", gold, system, "--json")
        assert (status, json.loads(output)["mean_f1"]) == (0, 1)


@pytest.mark.parametrize("name", FILES)
def test_validate_and_convert(run, path, tmp_path, name):
    status, output, error = run("validate", path(name))
    assert (status, error) == (0, "")
    assert output.endswith("no problems with 2 spans in 1 document.\n") or name in OF_TAGS
    status, _, error = run("convert", path(name), "--to", "jsonl", "-o", tmp_path / "out")
    assert (status, error) == (0, "")
    status, output, _ = run("score", path("columns"), tmp_path / "out", "--measure", "span_f", "--score-only")
    assert (status, output) == (0, "1.0000\n")


@pytest.mark.parametrize("name", FILES)
def test_advise_transform_spread(run, complaint, path, name):
    """Those that count tokens say what is missing."""
    tokens = [] if name in WITH_TOKENS else ["--tokenizer", "words"]
    if name in WITHOUT_TEXT:
        assert "the documents have no text" in complaint("advise", path(name), *tokens)
    else:
        status, output, error = run("advise", path(name), *tokens, "--json")
        assert (status, error) == (0, "")
        assert json.loads(output)["statistics"]["mean_length"] == 1.5
        if tokens:
            assert "with --tokenizer words" in complaint("advise", path(name))
    if name in {"jsonl", "doccano", "label_studio"} | OF_TAGS:
        status, output, error = run("transform", path(name), "--apply", LONGER, *tokens)
        assert (status, error) == (0, f"{LONGER}: 1 span touched.\n")
        # Ada Lovelace wrote; Rome is the last word
        assert '"end": 18' in output or "[0, 18" in output or output.count("I-PER") == 2
    else:
        assert "cannot be written. Convert the file first" in complaint("transform", path(name), "--apply", LONGER)
    if name in OF_TAGS:
        assert run("spread", path(name), path(name), "--scheme", "IOB2")[0] == 0
    else:
        assert "spans leave nothing to repair" in complaint("spread", path("columns"), path(name))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["advise", "jsonl", "--words-column", "1"], "--words-column is for files of tags, not for"),
        (["advise", "columns", "--tokenizer", "words"], "--tokenizer is for documents with spans, not for"),
        (["validate", "columns", "--annotator", "ann"], "--annotator is for documents with spans, not for"),
        (["convert", "columns", "--to", "IOBES", "--tokenizer", "words"], "not for tags that stay such"),
        (
            ["transform", "columns", "--apply", LONGER, "--trim", "blanks"],
            "--trim is for documents with spans, not for",
        ),
        (["transform", "jsonl", "--apply", "illegal_tags", "--tokenizer", "words"], "illegal_tags is for tags"),
        (["transform", "jsonl", "--apply", LONGER, "--in-place"], "--in-place is for tags"),
        pytest.param(
            ["transform", "doccano", "--apply", LONGER, "--tokenizer", "regex:...."],
            "begin or end within a token",
            marks=pytest.mark.skipif(find_spec("regex") is None, reason="regex is not installed (the extra text)"),
        ),
    ],
)
def test_options_of_other_files(complaint, path, arguments, said):
    assert said in complaint(*(path(argument) if argument in FILES else argument for argument in arguments))


def test_spans_with_attributes(run, file):
    """They are scored by their attributes as before, and are spans for every other command."""
    rows = [span(0, 2, "PER", attributes={"alive": True}), span(4, 5, "LOC", attributes={})]
    tokens = file("a.jsonl", json.dumps({"tokens": WORDS, "spans": rows}) + "\n")
    characters = [span(*one, attributes={"alive": one[2] == "PER"}) for one in SPANS]
    text = file("b.jsonl", json.dumps({"text": TEXT, "spans": characters}) + "\n")
    for path in (tokens, text):
        status, output, _ = run("score", path, path, "--json")
        assert (status, list(json.loads(output)["measures"])) == (0, ["span_attribute"])
    status, output, _ = run("agree", tokens, text, "--json")
    assert (status, json.loads(output)["mean_f1"]) == (0, 1)
    status, output, _ = run("convert", text, "--to", "jsonl")
    assert (status, json.loads(output)["spans"]) == (0, characters)
    assert json.loads(run("convert", tokens, "--to", "jsonl")[1])["spans"] == [rows[0], span(4, 5, "LOC")]
    assert run("validate", text)[0] == 0
