"""`spanometer score` on spans with attributes."""

import gzip
import io
import json
import re

import pytest

import spanometer
from spanometer import InputError
from spanometer.measures import SpanAttribute
from spanometer.readers import detect
from spanometer.spans.attributes import Attributes


def span(start, label, scores=None, **attributes):
    found = {"start": start, "end": start + 1, "label": label, "attributes": attributes}
    return found if scores is None else {**found, "scores": scores}


# the published example, in two documents
GOLD = [
    [span(4, "SYMP", neg=True), span(8, "DIS", neg=False, carrier="FATHER")],
    [],
    [span(12, "DIS", neg=False, carrier="PATIENT")],
]
SYSTEM = [
    [span(4, "SYMP", neg=True), span(8, "DIS", neg=False, carrier="PATIENT")],
    [],
    [span(12, "DIS", neg=True, carrier="PATIENT", scores={"neg": 0.5})],
]
EXAMPLE = ("--attribute", "neg", "--attribute", "carrier=DIS", "--default", "neg=false")


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


@pytest.fixture
def pair(file):
    return file("gold.jsonl", lines(GOLD)), file("system.jsonl", lines(SYSTEM))


@pytest.fixture
def answer(run):
    """The JSON object of a run that goes well."""

    def call(*arguments):
        status, output, complaint = run("score", *arguments, "--json")
        assert (status, complaint) == (0, "")
        return json.loads(output)

    return call


def scores_of(answer, *arguments):
    return answer(*arguments)["measures"]["span_attribute"]["scores"]


def rows(output):
    return {cells[0]: cells[1:] for cells in map(str.split, output.splitlines()) if len(cells) == 8}


def test_tables(run, pair):
    status, output, complaint = run("score", *pair, *EXAMPLE)
    assert (status, complaint) == (0, "")
    assert output.splitlines()[:3] == [
        f"reference   {pair[0]}, jsonl",
        f"prediction  {pair[1]}, jsonl",
        "size        3 documents, 3 reference spans, 3 predicted spans",
    ]
    found = rows(output)
    assert found.pop("span_attribute") == ["f", "p", "r", "tp", "support", "positives", "ap"]
    assert found == {
        # three items at 1.0, of which two are right, of three in the reference; the wrong negation comes last
        "micro": ["0.5714", "0.5000", "0.6667", "2", "3", "4", "0.4444"],
        "neg": ["0.6667", "0.5000", "1.0000", "1", "1", "2", "1.0000"],
        "carrier": ["0.5000", "0.5000", "0.5000", "1", "2", "2", "0.2500"],
    }
    signature = output.splitlines()[-1]
    assert signature.startswith("span_attribute|attributes:neg,carrier=DIS|default_values:neg=False|include_falsy:no|")
    assert "\x1b" not in output


def test_json(answer, pair):
    found = answer(*pair, *EXAMPLE)
    measure = SpanAttribute(attributes={"neg": True, "carrier": ["DIS"]}, default_values={"neg": False})
    counts = measure.counts(Attributes.from_dicts(GOLD), Attributes.from_dicts(SYSTEM))
    of_measure = found.pop("measures")["span_attribute"]
    assert of_measure["scores"] == measure.score(counts)
    assert of_measure["counts"] == {
        "tp": 2,
        "support": 3,
        "positives": 4,
        "unmatched_references": 0,
        "unmatched_predictions": 0,
    }
    assert of_measure["signature"].endswith(f"|v:{spanometer.__version__}")
    assert found == {
        "spanometer": spanometer.__version__,
        "reference": {"file": pair[0], "format": "jsonl", "attributes": ["carrier", "neg"]},
        "prediction": {"file": pair[1], "format": "jsonl", "attributes": ["carrier", "neg"]},
        "documents": 3,
        "tokens": None,
        "reference_spans": 3,
        "predicted_spans": 3,
    }


def test_options_reach_the_measure(answer, pair):
    plain = scores_of(answer, *pair)
    assert list(plain) == ["micro", "carrier", "neg"]
    assert list(scores_of(answer, *pair, "--attribute", "neg")) == ["micro", "neg"]
    assert list(scores_of(answer, *pair, "--micro-key", "all")) == ["all", "carrier", "neg"]
    assert scores_of(answer, *pair, "--include-falsy")["neg"]["support"] == plain["neg"]["support"] + 2
    assert scores_of(answer, *pair, "--default", 'carrier="PATIENT"')["carrier"]["support"] == 1
    assert scores_of(answer, *pair, "--default", "neg=true", "--default", "carrier=0")["neg"]["support"] == 0
    assert scores_of(answer, *pair, "--attribute", "carrier=SYMP", "--zero-division", "nan")["carrier"]["f"] is None
    assert scores_of(answer, *pair, "--average-precision", "edsnlp-0.20")["neg"]["ap"] == 0
    assert scores_of(answer, *pair, "--average-precision", "edsnlp")["micro"]["ap"] != plain["micro"]["ap"]
    assert scores_of(answer, *pair, "--attribute", "neg=SYMP, DIS")["neg"]["positives"] == 2


def test_names_that_no_span_has(complaint, pair):
    found = complaint("score", *pair, "--attribute", "neg", "--attribute", "typo")
    assert found == (
        "spanometer: no span has the attribute 'typo', which --attribute names. The attributes are 'carrier', 'neg'."
    )
    found = complaint("score", *pair, "--attribute", "neg=DIS,SYM")
    assert "no span has the label 'SYM', which --attribute names. The labels are 'DIS', 'SYMP'." in found
    found = complaint("score", *pair, "--default", "typo=1")
    assert "no span has the attribute 'typo', which --default names. The attributes are 'carrier', 'neg'." in found


def test_values_that_differ_in_type_alone(complaint, pair, file):
    system = file("types.jsonl", lines([SYSTEM[0], SYSTEM[1], [span(12, "DIS", neg=1, carrier="PATIENT")]]))
    found = complaint("score", pair[0], system)
    assert f"{system}, line 3, span 0: 'neg' is 1 here and True in {pair[0]}, line 1, span 0: values" in found
    assert "differ in type alone (int and bool)" in found
    assert "in --default: values that differ" in complaint("score", *pair, "--default", "neg=0")


def test_on_mismatch(answer, complaint, run, pair, file):
    more = file("more.jsonl", lines([SYSTEM[0], [span(3, "X", neg=True)], SYSTEM[2]]))
    problem = complaint("score", pair[0], more)
    assert f"{more}, line 2, span 0: the span from 3 to 4 with the label 'X' is not among the references." in problem
    assert "--on-mismatch" in problem
    assert scores_of(answer, pair[0], more, "--on-mismatch", "count")["neg"]["positives"] == 3
    found = answer(pair[0], more, "--on-mismatch", "count")["measures"]["span_attribute"]
    assert [found["counts"][f"unmatched_{side}"] for side in ("references", "predictions")] == [0, 1]
    assert found["notes"] == ["1 predicted span not in the reference."]
    assert "1 predicted span not in the reference." in run("score", pair[0], more, "--on-mismatch", "count")[1]
    problem = complaint("score", more, pair[0])
    assert f"{more}, line 2, span 0: the span from 3 to 4 with the label 'X' is not among the predictions." in problem


def test_forms_of_lines(answer, pair, file):
    expected = scores_of(answer, *pair)
    for key in ("spans", "entities"):
        content = "\n\n".join(json.dumps({"id": "x", key: document, "tokens": ["a"] * 13}) for document in GOLD)
        gold = file(f"{key}.jsonl.gz", gzip.compress(content.encode()))
        assert scores_of(answer, gold, pair[1]) == expected
        assert detect(gold).content is Attributes
    # told by the content, and with nothing in the name
    assert scores_of(answer, file("gold", lines(GOLD)), file("system", lines(SYSTEM))) == expected
    assert scores_of(answer, *pair, "--format", "jsonl") == expected
    assert scores_of(answer, *pair, "--measure", "span_attribute") == expected


def test_standard_input(run, pair, monkeypatch, answer):
    expected = scores_of(answer, *pair)

    class Input:
        buffer = io.BytesIO(lines(GOLD).encode())

    monkeypatch.setattr("sys.stdin", Input)
    assert scores_of(answer, "-", pair[1]) == expected


def test_nothing_to_tell_by(answer, complaint, file):
    empty = file("empty.jsonl", "[]\n[]\n")
    assert detect(empty) is None
    assert scores_of(answer, empty, empty, "--measure", "span_attribute") == {
        "micro": dict.fromkeys(SpanAttribute.keys, 0)
    }
    # of a first document without spans nothing is told
    late = file("late.jsonl", "[]\n" * 3 + lines(GOLD))
    assert detect(late).content is Attributes
    # the other side tells
    none = file("none.jsonl", "[]\n" * len(GOLD))
    system = file("system.jsonl", lines(SYSTEM))
    for sides, counted in (((none, system), (0, 4)), ((system, none), (4, 0))):
        found = scores_of(answer, *sides, "--on-mismatch", "count")["micro"]
        assert (found["support"], found["positives"]) == counted


def test_tags_are_still_tags(run, file):
    tags = file("tags.jsonl", '["B-A", "O"]\n')
    status, output, _ = run("score", tags, tags)
    assert status == 0
    assert "span_attribute" not in output


def test_plot(run, complaint, pair, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curves.svg"
    assert run("score", *pair, "--plot", picture)[0] == 0
    text = picture.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "'curves.txt' is not the name of a picture" in complaint("score", *pair, "--plot", "curves.txt")


def test_names_are_shown_as_text(run, file):
    path = file("a.jsonl", lines([[span(0, "A", **{"x\u202ey": True})]]))
    output = run("score", path, path)[1]
    assert "\u202e" not in output
    assert r"x\u202ey" in output


# errors

GOOD = json.dumps(GOLD[0])
BAD_LINES = {
    "no JSON": ("[{", "line 2: this is not JSON"),
    "a number": ("3", "line 2: a number is not a document"),
    "another key": ('{"items": []}', "line 2: the object has no 'spans' or 'entities'; its keys: 'items'"),
    "no list": ('{"spans": {}}', "line 2: 'spans' is a JSON object, not a list of spans"),
    "no dict": ("[3]", "line 2: span 0 has no 'start', 'end' and 'label'"),
    "attributes of another form": (
        '[{"start": 0, "end": 1, "label": "A", "attributes": [3]}]',
        "line 2: the attributes of span 0 are no object",
    ),
    "no label": ('[{"start": 0, "end": 1, "attributes": {}}]', "line 2: span 0 has no 'start', 'end' and 'label'"),
    "a float": ('[{"start": 0.5, "end": 1, "label": "A", "attributes": {}}]', "line 2, span 0: the start 0.5"),
    "turned around": (
        '[{"start": 2, "end": 1, "label": "A", "attributes": {}}]',
        "line 2, span 0: the end 1 is not after",
    ),
    "an object": (json.dumps([span(0, "A", x={"y": 1})]), "line 2, span 0: .* cannot be a value of 'x'"),
    "NaN": ('[{"start": 0, "end": 1, "label": "A", "attributes": {"x": NaN}}]', "line 2, span 0: the value of 'x' is"),
    "past 64 bits": (json.dumps([span(0, "A", x=2**70)]), "line 2, span 0: the value .* of 'x' is out of range"),
    "a surrogate": (json.dumps([span(0, "A", x="\ud800")]), "line 2, span 0: .* cannot be stored as UTF-8"),
    "scores by value": (
        json.dumps([span(0, "A", {"x": {"true": 1}}, x=True)]),
        "line 2, span 0: the scores of 'x' have",
    ),
}


@pytest.mark.parametrize("wrong", BAD_LINES)
def test_bad_lines(complaint, pair, file, wrong):
    content, said = BAD_LINES[wrong]
    bad = file("bad.jsonl", f"{GOOD}\n{content}\n{GOOD}\n")
    for sides in ((pair[0], bad), (bad, pair[0])):
        assert re.search(rf"{re.escape(bad)}, {said}", complaint("score", *sides))
    with pytest.raises(InputError) as raised:
        spanometer.read(bad).attribute_columns()
    assert (raised.value.source, raised.value.line) == (bad, 2)


def test_other_numbers_of_documents(complaint, pair, file):
    short = file("short.jsonl", "\n" + lines(GOLD[:2]))
    assert f"{pair[0]}: 3 documents here, 2 documents in {short}." in complaint("score", pair[0], short)
    assert f"{short}: 2 documents here, 3 documents in {pair[0]}." in complaint("score", short, pair[0])


def test_spans_without_attributes_or_characters(answer, pair, file):
    bare = {"start": 20, "end": 21, "label": "A"}
    gold, system = (
        file(f"{name}.jsonl", lines([[*side[0], bare, {**bare, "start": 21}], *side[1:]]))
        for name, side in (("gold", GOLD), ("system", SYSTEM))
    )
    # what has no character is left out
    found = answer(gold, system, *EXAMPLE)
    assert found["measures"]["span_attribute"]["scores"] == scores_of(answer, *pair, *EXAMPLE)
    assert (found["reference_spans"], found["predicted_spans"]) == (4, 4)


BAD_OPTIONS = {
    "no name": (("--attribute", "=A"), "--attribute: '=A' names no attribute"),
    "no label": (("--attribute", "neg=A,"), "names no attribute or an empty label"),
    "twice": (("--attribute", "neg=A", "--attribute", "neg"), "--attribute: 'neg' is given twice"),
    "no value": (("--default", "neg"), "--default: 'neg' is not of the form NAME=VALUE"),
    "no JSON": (("--default", "carrier=PATIENT"), "'PATIENT' is not JSON. Write true, false"),
    "a list": (("--default", "neg=[1]"), "cannot be a value of 'neg'"),
    "NaN": (("--default", "neg=NaN"), "is NaN"),
    "two defaults": (("--default", "neg=1", "--default", "neg=2"), "--default: 'neg' is given twice"),
    "precision": (("--average-precision", "sklearn"), "invalid value for --average-precision: 'sklearn'"),
    "mismatch": (("--on-mismatch", "skip"), "invalid value for --on-mismatch: 'skip'"),
    "micro key": (("--micro-key", "neg"), "'neg' is an attribute, and the key of all attributes together"),
    "average": (("--average", "macro"), "--average is an option of other measures"),
    "zero division": (("--zero-division", "0.5"), "invalid value for --zero-division: '0.5'"),
    "labels": (("--per-label",), "--per-label is for measures of tags and entities"),
    "another measure": (
        ("--measure", "span_f"),
        "span_f scores spans, not spans with attributes",
    ),
    "two measures": (
        ("--measure", "span_attribute,span_f"),
        "span_f scores spans, not spans with attributes",
    ),
    "another option": (("--cap",), "--cap is an option of intersection_f, which is not computed"),
    "a column": (
        ("--measure", "span_attribute", "--column", "ner"),
        "--column is for tags, not for spans with",
    ),
    "a policy": (
        ("--measure", "span_attribute", "--repair", "bes"),
        "--repair is not for spans with attributes",
    ),
    "a format": (("--measure", "span_attribute", "--format", "hipe"), "invalid value for --format: 'hipe'"),
}


@pytest.mark.parametrize("wrong", BAD_OPTIONS)
def test_bad_options(complaint, pair, wrong):
    options, said = BAD_OPTIONS[wrong]
    assert said in complaint("score", *pair, *options)


def test_options_of_attributes_on_tags(complaint, file):
    tags = file("tags.conll", "B-A\nO\n")
    for options in (["--attribute", "neg"], ["--default", "neg=1"], ["--include-falsy"], ["--micro-key", "x"]):
        assert f"{options[0]} is an option of span_attribute, which is not computed" in complaint(
            "score", tags, tags, *options
        )
    assert "--plot shows the parts of --by-chance" in complaint("score", tags, tags, "--plot", "a.png")


def test_one_file(complaint, pair):
    assert "there is no file with the system's spans. Give PREDICTION." in complaint("score", pair[0])
    assert "two files are standard input" in complaint("score", "-", "-", "--measure", "span_attribute")


def test_words_of_documents_with_attributes(run, file):
    """They are compared, and ignored when asked, whatever reads the file: documents of tokens are read as such."""
    spans = [{"start": 0, "end": 1, "label": "A", "attributes": {"neg": True}}]
    gold, system = (
        file(f"{name}.jsonl", json.dumps({"tokens": [word, "b"], "unit": "token", "spans": spans}) + "\n")
        for name, word in (("gold", "a"), ("system", "x"))
    )
    status, _, error = run("score", gold, system, "--measure", "span_attribute")
    assert (status, "the word is 'a' here and 'x' in" in error) == (2, True)
    status, output, error = run("score", gold, system, "--measure", "span_attribute", "--ignore-words")
    assert (status, error) == (0, "")
    assert "1 reference span, 1 predicted span" in output


def brat_folder(tmp_path, documents):
    """A folder of brat's files: `home` and its attribute `neg`, if it is true, of each document."""
    folder = tmp_path / "brat"
    folder.mkdir()
    for name, negated in documents.items():
        (folder / f"{name}.txt").write_text("Ada went home")
        attribute = "A1\tneg T1\n" if negated else ""
        (folder / f"{name}.ann").write_text(f"T1\tLOC 9 13\thome\n{attribute}")
    return str(folder)


def scored_line(name, score, **more):
    spans = [{"start": 9, "end": 13, "label": "LOC", "attributes": {"neg": True}, "scores": {"neg": score}, **more}]
    return {"id": name, "text": "Ada went home", "spans": spans}


def test_scores_beside_another_format(scores, lines, tmp_path):
    """Ranked a .9, b .8, c .7 of which a and c are right: (1 / 1 + 2 / 3) / 2; without scores 2 of 3."""
    gold = brat_folder(tmp_path, {"a": True, "b": False, "c": True})
    second = scored_line("b", 0.8)
    # an empty span is left out with its score
    second["spans"] = [*scored_line("b", 1.0, end=9)["spans"], *second["spans"]]
    system = lines("system.jsonl", scored_line("c", 0.7), second, scored_line("a", 0.9))
    answer = scores("score", gold, system)
    assert [answer[side]["format"] for side in ("reference", "prediction")] == ["brat", "jsonl"]
    found = answer["measures"]["span_attribute"]["scores"]
    assert found["neg"]["ap"] == pytest.approx(5 / 6, abs=1e-15)
    assert found["neg"]["p"] == pytest.approx(2 / 3, abs=1e-15)


def test_scores_that_only_the_last_of_many_documents_has(scores, lines, tmp_path):
    """It is wrong, and the last of 1,200, as no score is 1.0; without its score it would share their rank."""
    names = [f"{number:04}" for number in range(1200)]
    gold = brat_folder(tmp_path, {name: name != names[-1] for name in names})
    rows = [scored_line(name, None) for name in names[:-1]]
    found = scores("score", gold, lines("system.jsonl", *rows, scored_line(names[-1], 0.5)))
    assert found["measures"]["span_attribute"]["scores"]["neg"]["ap"] == 1.0


def test_scores_that_are_none_name_file_and_line(complaint, lines, tmp_path):
    gold = brat_folder(tmp_path, {"a": True, "b": False})
    system = lines("system.jsonl", scored_line("a", 0.7), scored_line("b", "high"))
    assert f"{system}, line 2, span 0: the score 'high' (of type str) of 'neg' is not a number." in complaint(
        "score", gold, system
    )


def test_scores_of_something_else_are_no_scores_of_attributes(run, lines, tmp_path):
    gold = brat_folder(tmp_path, {"a": True})
    row = scored_line("a", ["of", "labels"])
    del row["spans"][0]["attributes"]
    status, output, error = run("score", gold, lines("system.jsonl", row), "--measure", "span_f")
    assert (status, error) == (0, "")
    assert "1.0000" in output


def test_scores_cannot_be_converted(run, complaint, lines, tmp_path):
    command = "convert", lines("system.jsonl", scored_line("a", 0.7)), "--to", "jsonl"
    assert "jsonl cannot hold all of it: spans with scores of their attributes, without these: 1" in complaint(*command)
    status, output, error = run(*command, "--lossy")
    assert status == 0
    assert json.loads(output)["spans"] == [{"start": 9, "end": 13, "label": "LOC", "attributes": {"neg": True}}]
    assert "without these: 1" in error
