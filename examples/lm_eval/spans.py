"""Entities that a language model lists, scored by Spanometer: a task of the LM Evaluation Harness.

The answers are grounded in the texts of all records at once, under the policy `strict`: what a model makes up counts as
wrong. Put records of your own, a JSON object a line, in the place of those in records.jsonl.
"""

import json
from functools import partial
from pathlib import Path

import datasets

from spanometer.integrations.language_models import score_answers

LABELS = ["PER", "LOC"]
PROMPT = (
    "List the names of people (PER) and places (LOC) in the text, in their order, as JSON: "
    '[["PER", "name"], ["LOC", "name"]]. Copy names as they are in the text.\n\nText: {text}\nNames:'
)


def records(**_):
    """Return the records: a text, and the spans in it."""
    lines = (Path(__file__).parent / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return {"test": datasets.Dataset.from_list([json.loads(line) for line in lines])}


def prompt(record):
    """Return what the model is asked."""
    return PROMPT.format(text=record["text"])


def target(record):
    """Return the right answer, for examples in the prompt."""
    found = [[span["label"], record["text"][span["start"] : span["end"]]] for span in record["spans"]]
    return f" {json.dumps(found, ensure_ascii=False)}"


def results(record, answers):
    """Keep the record and its answer for each metric."""
    pair = {"text": record["text"], "spans": record["spans"]}, answers[0]
    return {"span_f_f1": pair, "fair_f_f1": pair}


def _score(pairs, **options):
    golds, answers = zip(*pairs, strict=True)
    return score_answers(golds, answers, grounding="strict", asked_labels=LABELS, **options)


span_f_f1 = partial(_score, measure="span_f")
fair_f_f1 = partial(_score, measure="fair_f")
