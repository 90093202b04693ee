"""Documents and spans of any file as `datasets`."""

import json

import datasets
import evaluate
import pytest

import spanometer

TEXT = "Ada 💃 wrote."
SPANS = [{"start": 0, "end": 3, "label": "PER"}, {"start": 4, "end": 5, "label": "X"}]
ROWS = [
    {"id": "a", "text": TEXT, "tokens": [[0, 3], [4, 5]], "spans": SPANS},
    {"id": "b", "text": "", "tokens": [], "spans": []},
]


@pytest.fixture
def written(file):
    def write(*rows, name="a.jsonl"):
        return file(name, "".join(f"{json.dumps(row)}\n" for row in rows))

    return write


def test_characters_with_tokens(written):
    dataset = spanometer.load_spans(written(*ROWS))
    assert isinstance(dataset, datasets.Dataset)
    assert list(dataset) == [
        {
            "id": "a",
            "text": TEXT,
            "tokens": [{"text": "Ada", "start": 0, "end": 3}, {"text": "💃", "start": 4, "end": 5}],
            "unit": "character",
            "spans": SPANS,
        },
        {"id": "b", "text": "", "tokens": [], "unit": "character", "spans": []},
    ]


def test_tokens_that_are_made(written):
    row = {"text": TEXT, "spans": SPANS}
    assert spanometer.load_spans(written(row))[0]["tokens"] is None
    loaded = spanometer.load_spans(written(row), tokenizer="words")[0]
    assert [token["text"] for token in loaded["tokens"]] == ["Ada", "💃", "wrote", "."]
    assert loaded["id"] is None


def test_tags(file):
    dataset = spanometer.load_spans(file("a.conll", "Ada B-PER\nL I-PER\n\nx O\n"), scheme="IOB2")
    assert dataset["unit"][0] == "token" and dataset["text"][0] is None
    assert [token["text"] for row in dataset["tokens"] for token in row] == ["Ada", "L", "x"]
    assert dataset["tokens"][0][0]["start"] is None
    assert list(dataset["spans"]) == [[{"start": 0, "end": 2, "label": "PER"}], []]


def test_discontinuous_spans(written):
    row = {"text": TEXT, "spans": [{"fragments": [[0, 3], [6, 11]], "label": "E"}, SPANS[1]]}
    spans = spanometer.load_spans(written(row))[0]["spans"]
    assert {"label": "E", "fragments": [[0, 3], [6, 11]]} in spans and {"label": "X", "fragments": [[4, 5]]} in spans


def test_annotators_and_splits(written):
    rows = [{**ROWS[0], "annotator": name} for name in ("ann", "ben")]
    splits = spanometer.load_spans({"train": written(*rows), "test": written(ROWS[0], name="b.jsonl")})
    assert isinstance(splits, datasets.DatasetDict)
    assert list(splits["train"]["annotator"]) == ["ann", "ben"]
    assert spanometer.load_spans(written(*rows), annotator="ben").num_rows == 1


@pytest.mark.parametrize(
    "rows", [ROWS, [{**ROWS[0], "unit": "token", "spans": [{"start": 0, "end": 2, "label": "A"}]}]]
)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_there_and_back(written, tmp_path, rows, form):
    path = written(*rows)
    target = tmp_path / f"out.{form}"
    dataset = spanometer.load_spans(path)
    dataset.to_json(target, force_ascii=False) if form == "jsonl" else dataset.to_parquet(target)
    first, again = spanometer.read(path), spanometer.read(target)
    assert again.spans.to_dicts() == first.spans.to_dicts()
    assert (again.documents.ids, again.documents.texts) == (first.documents.ids, first.documents.texts)
    assert again.documents.tokens.start.tolist() == first.documents.tokens.start.tolist()
    assert again.in_tokens == first.in_tokens


def test_words_there_and_back(file, tmp_path):
    dataset = spanometer.load_spans(file("a.conll", "Ada B-PER\nL I-PER\n\nx O\n"))
    dataset.to_parquet(tmp_path / "a.parquet")
    again = spanometer.read(tmp_path / "a.parquet")
    assert (again.words, again.in_tokens) == ([["Ada", "L"], ["x"]], True)


def test_what_is_left_out_is_a_warning(file):
    path = file("a.jsonl", '{"label": [[0, 1, "A"]]}\n{"text": "x", "label": [[0, 1, "A"]]}\n')
    with pytest.warns(UserWarning, match="line 1: a document without text"):
        assert spanometer.load_spans(path, format="doccano").num_rows == 1


def test_modules_take_the_rows(written):
    gold = spanometer.load_spans(written(*ROWS)).select_columns(["text", "spans"]).to_list()
    module = evaluate.load(spanometer.path("span_f"), "text")
    assert module.compute(predictions=gold, references=gold)["f1"] == 1.0
