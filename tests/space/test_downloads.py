"""What a reader takes along from a page: the call, the files, and the way to the other Spaces."""

import csv
import io
import json
import re

import evaluate
import pytest

import spanometer
from page_answers import Reader, answer, examples, headline, respond_to
from spanometer.measures import ALL_MEASURES
from spanometer.space.forms import page_of
from spanometer.space.texts import texts, titled

# options other than the defaults, as the controls give them
OPTIONS = {
    "sl_icm": {"token_probabilities": "from word frequencies in the text", "matching": "optimal", "log_base": 10.0},
    "intersection_f": {"cap": True, "zero_division": "nan"},
    "chance_kappa_f1": {"level": "span", "n_simulations": 0},
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


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("name", ALL_MEASURES)
def test_the_call_makes_the_pages_score(name, changed, monkeypatch):
    example = examples(page_of(name).kind.input)[0]
    options = OPTIONS.get(name, {"average": "macro", "repair": "discard", "scheme": "IOB2"}) if changed else {}
    html = answer(name, example.reference, example.prediction, **options)
    load = evaluate.load
    monkeypatch.setattr(evaluate, "load", lambda space, *more: load(spanometer.path(space.split("/")[1]), *more))
    variables = as_arguments(name, example)
    *head, last = call_in(html).partition(f"\n{name}.compute")
    exec(head[0], variables)
    result = eval(f"{name}.compute{last}".replace("\n", " "), variables)
    headed = result["micro"]["f"] if name == "span_attribute" else result[ALL_MEASURES[name].headline]
    assert f"{headed:.4f}".replace("-", "−") == headline(html)
    assert [option for option in options if option != "token_probabilities" and f" {option}=" not in last] in (
        [],
        # the page's own first value, or the module's default
        ["n_simulations"],
    )


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
    assert len(titled()) == len(ALL_MEASURES) + len(texts()["apps"])
    monkeypatch.setenv("SPACE_ID", "someone/link_f")
    assert titled()["Span F1"] == "https://huggingface.co/spaces/someone/span_f"
    assert 'evaluate.load("someone/span_f")' in call_in(answer("span_f", "a B-X\n", "a B-X\n"))
