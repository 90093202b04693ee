"""`spanometer score` on spans with attributes."""

import gzip
import json

import pytest

from spanometer.measures import SpanAttribute
from spanometer.readers import detect


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
EXAMPLE = ("--measures", "span_attribute(attributes='neg,carrier=DIS', default_values={'neg': False})")
COUNTED = ("--measures", "span_attribute(on_mismatch=count)")


def lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents)


@pytest.fixture
def pair(file):
    return file("gold.jsonl", lines(GOLD)), file("system.jsonl", lines(SYSTEM))


def scores_of(scores, *arguments):
    return scores("score", *arguments)["measures"]["span_attribute"]["scores"]


def test_on_mismatch(scores, run, pair, file):
    more = file("more.jsonl", lines([SYSTEM[0], [span(3, "X", neg=True)], SYSTEM[2]]))
    assert scores_of(scores, pair[0], more, *COUNTED)["neg"]["positives"] == 3
    found = scores("score", pair[0], more, *COUNTED)["measures"]["span_attribute"]
    assert [found["counts"][f"unmatched_{side}"] for side in ("references", "predictions")] == [0, 1]
    assert found["notes"] == ["1 predicted span not in the reference."]
    assert "1 predicted span not in the reference." in run("score", pair[0], more, *COUNTED)[1]


def test_forms_of_lines(scores, pair, file):
    expected = scores_of(scores, *pair)
    for key in ("spans", "entities"):
        content = "\n\n".join(json.dumps({"id": "x", key: document, "tokens": ["a"] * 13}) for document in GOLD)
        gold = file(f"{key}.jsonl.gz", gzip.compress(content.encode()))
        assert scores_of(scores, gold, pair[1]) == expected
        assert detect(gold).content == "attributes"
    # told by the content, and with nothing in the name
    assert scores_of(scores, file("gold", lines(GOLD)), file("system", lines(SYSTEM))) == expected
    assert scores_of(scores, *pair, "--format", "jsonl") == expected
    assert scores_of(scores, *pair, "--measures", "span_attribute") == expected


def test_nothing_to_tell_by(scores, file):
    empty = file("empty.jsonl", "[]\n[]\n")
    assert detect(empty) is None
    assert scores_of(scores, empty, empty, "--measures", "span_attribute") == {
        "micro": dict.fromkeys(SpanAttribute.keys, 0)
    }
    # of a first document without spans nothing is told
    late = file("late.jsonl", "[]\n" * 3 + lines(GOLD))
    assert detect(late).content == "attributes"
    # the other side tells
    none = file("none.jsonl", "[]\n" * len(GOLD))
    system = file("system.jsonl", lines(SYSTEM))
    for sides, counted in (((none, system), (0, 4)), ((system, none), (4, 0))):
        found = scores_of(scores, *sides, *COUNTED)["micro"]
        assert (found["support"], found["positives"]) == counted


def test_tags_are_still_tags(run, file):
    tags = file("tags.jsonl", '["B-A", "O"]\n')
    status, output, _ = run("score", tags, tags)
    assert status == 0
    assert "span_attribute" not in output


def test_plot(run, pair, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curves.svg"
    assert run("score", *pair, "--plot", picture)[0] == 0
    text = picture.read_text(encoding="utf-8")
    assert "<svg" in text


# errors

GOOD = json.dumps(GOLD[0])


def test_spans_without_attributes_or_characters(scores, pair, file):
    bare = {"start": 20, "end": 21, "label": "A"}
    gold, system = (
        file(f"{name}.jsonl", lines([[*side[0], bare, {**bare, "start": 21}], *side[1:]]))
        for name, side in (("gold", GOLD), ("system", SYSTEM))
    )
    # what has no character is left out
    found = scores("score", gold, system, *EXAMPLE)
    assert found["measures"]["span_attribute"]["scores"] == scores_of(scores, *pair, *EXAMPLE)
    assert (found["reference_spans"], found["predicted_spans"]) == (4, 4)


def test_words_of_documents_with_attributes(run, file):
    """They are compared, and ignored when asked, whatever reads the file: documents of tokens are read as such."""
    spans = [{"start": 0, "end": 1, "label": "A", "attributes": {"neg": True}}]
    gold, system = (
        file(f"{name}.jsonl", json.dumps({"tokens": [word, "b"], "unit": "token", "spans": spans}) + "\n")
        for name, word in (("gold", "a"), ("system", "x"))
    )
    status, _, error = run("score", gold, system, "--measures", "span_attribute")
    assert (status, "the word is 'a' here and 'x' in" in error) == (2, True)
    status, output, error = run("score", gold, system, "--measures", "span_attribute", "--ignore-words")
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


def test_scores_of_something_else_are_no_scores_of_attributes(run, lines, tmp_path):
    gold = brat_folder(tmp_path, {"a": True})
    row = scored_line("a", ["of", "labels"])
    del row["spans"][0]["attributes"]
    status, output, error = run("score", gold, lines("system.jsonl", row), "--measures", "span_f")
    assert (status, error) == (0, "")
    assert "1.0000" in output


def test_scores_cannot_be_converted(run, lines):
    command = "convert", lines("system.jsonl", scored_line("a", 0.7)), "--to", "jsonl"
    status, output, error = run(*command, "--lossy")
    assert status == 0
    assert json.loads(output)["spans"] == [{"start": 9, "end": 13, "label": "LOC", "attributes": {"neg": True}}]
    assert "written without the scores: 1" in error
