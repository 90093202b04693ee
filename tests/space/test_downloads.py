"""What a reader takes along from a page: the call, the files, and the way to the other Spaces."""

import csv
import io
import json
import re
from types import SimpleNamespace

import evaluate
import pytest

import spanometer
from page_answers import Reader, answer, answer_to, examples_on, headline, respond_to, text_of
from spanometer.measures import ALL_MEASURES
from spanometer.measures.registry import PAGE_MEASURES
from spanometer.space.forms import page_of
from spanometer.space.texts import texts, titled

# options other than the defaults, as the controls give them
OPTIONS = {
    "sl_icm": {"token_probabilities": "from word frequencies in the text", "matching": "optimal", "log_base": 10.0},
    "intersection_f": {"cap": True, "zero_division": "nan"},
    "chance_kappa_f1": {"level": "span", "n_simulations": 0},
    "seqeval": {"mode": "strict", "scheme": "IOB2", "zero_division": "0"},
    "eter": {"alpha": 0.25, "entity_types": "func, pers, loc, org, time"},
    "span_attribute": {"attributes": "neg=SYMP+DIS", "default_values": "neg=false", "include_falsy": True},
}


def call_in(html):
    return "".join(Reader(re.search(r"<code>(.*?)</code>", html, re.DOTALL)[1]).text)


def as_arguments(name, example):
    """Both sides of an example, and the words, as the module takes them."""
    sides = {"references": example.reference, "predictions": example.prediction}
    if page_of(name).kind.input == "entities":
        return {side: text.strip().split("\n") for side, text in sides.items()}
    if page_of(name).kind.input == "attributes":
        files = {
            side: spanometer.read(io.BytesIO(text.strip().encode()), format="jsonl") for side, text in sides.items()
        }
        return {side: file.attribute_columns().to_dicts() for side, file in files.items()}
    columns = {
        side: [[row.split() for row in part.split("\n")] for part in text.strip().split("\n\n")]
        for side, text in sides.items()
    }
    words = [[row[0] for row in part] for part in columns["references"]]
    return {"tokens": words, **{side: [[row[1] for row in part] for part in parts] for side, parts in columns.items()}}


@pytest.fixture(autouse=True)
def modules_of_the_checkout(monkeypatch):
    """The modules of this checkout instead of those on the Hub."""
    load = evaluate.load
    monkeypatch.setattr(evaluate, "load", lambda space, *more: load(spanometer.path(space.split("/")[1]), *more))


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("name", [*ALL_MEASURES, "seqeval"])
def test_the_call_makes_the_pages_score(name, changed):
    example = examples_on(name)[0]
    options = OPTIONS.get(name, {"average": "macro", "repair": "discard", "scheme": "IOB2"}) if changed else {}
    html = answer(name, example.reference, example.prediction, **options)
    variables = as_arguments(name, example)
    *head, last = call_in(html).partition(f"\n{name}.compute")
    exec(head[0], variables)
    result = eval(f"{name}.compute{last}".replace("\n", " "), variables)
    headed = result["micro"]["f"] if name == "span_attribute" else result[PAGE_MEASURES[name].headline]
    assert f"{headed:.4f}".replace("-", "−") == headline(html)
    assert [option for option in options if option != "token_probabilities" and f" {option}=" not in last] in (
        [],
        # the page's own first value, or the module's default
        ["n_simulations"],
    )


def test_the_numbers_of_seqeval():
    """The page's scores, also of labels, are those that the module and seqeval give; the files have them all."""
    reference, prediction = "a B-X\nb I-X\nc O\n\nd B-Y\n", "a B-X\nb I-X\nc I-Y\n\nd B-Y\n"
    for options, expected in (
        ({}, {"precision": 2 / 3, "recall": 1.0, "f1": 0.8}),
        ({"mode": "strict", "scheme": "IOB2"}, {"precision": 1.0, "recall": 1.0, "f1": 1.0}),
    ):
        found = respond_to("seqeval", reference, prediction, **options)
        assert list(found.files) == ["seqeval.json"]
        data = json.loads(found.files["seqeval.json"])
        tags = as_arguments("seqeval", SimpleNamespace(reference=reference, prediction=prediction))
        del tags["tokens"]
        assert data["scores"] == evaluate.load("spanometer/seqeval").compute(**tags, **options)
        assert {key: data["scores"][f"overall_{key}"] for key in expected} == pytest.approx(expected)
        assert headline(found.html) == f"{expected['f1']:.4f}" and "accuracy" in found.html
        assert data["signature"].startswith("seqeval|") and data["signature"] in found.html
        assert "Errors on the page of seqeval" in found.html
        labels = text_of(found.html.partition("By label")[2])
        assert "label precision recall f1 number X 1.0000 1.0000 1.0000 1 Y" in labels
    suffixes = [re.sub("([BI])-(.)", r"\2-\1", text) for text in (reference, prediction)]
    assert headline(respond_to("seqeval", *suffixes, suffix=True).html) == "0.8000"


@pytest.mark.parametrize("changed", [{}, {"fold": "squad", "copies": "set", "answer_format": "json"}])
@pytest.mark.parametrize("example", examples_on("mention_f"), ids=lambda example: example.name)
def test_the_call_of_mention_f_runs_as_it_is_printed(example, changed):
    if changed and example.name == "marked and rewritten":
        changed = {**changed, "answer_format": "links"}
    html = answer_to("mention_f", example, **changed)
    head, call, last = call_in(html).partition("mention_f.compute")
    variables = {}
    exec(head, variables)
    result = eval(call + last, variables)
    assert f"{result['f1']:.4f}" == headline(html)
    parts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
    assert parts == {key: f"{result[key]:.4f}" for key in ("precision", "recall")}


def test_the_result_as_files():
    found = respond_to("span_f", "a B-X\nb B-Y\n\nc B-X\n", "a B-X\nb O\n\nc B-Z\n", confidence="0.9")
    html, files = found.html, found.files
    result = json.loads(files["span_f.json"])
    assert result["scores"] == {"precision": 0.5, "recall": 1 / 3, "f1": 0.4}
    assert result["per_label"]["X"]["support"] == 2 and result["counts"]["both"] == 1
    assert result["signature"] in html and list(result["intervals"]) == ["precision", "recall", "f1"]
    rows = list(csv.reader(io.StringIO(files["span_f_scores.csv"])))
    assert rows[0][:4] == ["measure", "precision", "precision_low", "precision_high"]
    assert rows[1][:4] == ["span_f", "0.5", *map(str, result["intervals"]["precision"])]
    labels = {row["label"]: row for row in csv.DictReader(io.StringIO(files["span_f_labels.csv"]))}
    assert float(labels["Y"]["f1"]) == 0 and {"X", "Y", "Z", "micro avg"} <= labels.keys()


def test_no_number_is_null_in_json():
    files = respond_to("span_f", "a O\n", "a O\n", zero_division="nan").files
    assert json.loads(files["span_f.json"])["scores"]["f1"] is None


def test_spaces_of_the_running_namespace(monkeypatch):
    assert titled()["Span F1"] == "https://huggingface.co/spaces/spanometer/span_f"
    assert len(titled()) == len(PAGE_MEASURES) + len(texts()["apps"])
    assert {"seqeval", "Mention F1", "From answers to spans"} <= titled().keys()
    monkeypatch.setenv("SPACE_ID", "someone/link_f")
    assert titled()["Span F1"] == "https://huggingface.co/spaces/someone/span_f"
    assert 'evaluate.load("someone/span_f")' in call_in(answer("span_f", "a B-X\n", "a B-X\n"))
