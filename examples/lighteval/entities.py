"""Entities that a language model lists, scored by Spanometer: a task of LightEval.

lighteval accelerate "model_name=..." "spanometer_entities|0" --custom-tasks examples/lighteval/entities.py

The answers are grounded in the texts of all records at once, under the policy `strict`: what a model makes up counts as
wrong. Put records of your own, a JSON object a line, in the place of those in records/test.jsonl.
"""

import json
from pathlib import Path

from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc

from spanometer.integrations.lighteval import answer_metric

LABELS = ["PER", "LOC"]
PROMPT = (
    "List the names of people (PER) and places (LOC) in the text, in their order, as JSON: "
    '[["PER", "name"], ["LOC", "name"]]. Copy names as they are in the text.\n\nText: {text}\nNames:'
)


def prompt(record, task_name=None):
    """Return what the model is asked, with the text and its spans as the gold."""
    gold = json.dumps({"text": record["text"], "spans": record["spans"]})
    return Doc(task_name=task_name, query=PROMPT.format(text=record["text"]), choices=[gold], gold_index=0)


TASKS_TABLE = [
    LightevalTaskConfig(
        name="spanometer_entities",
        prompt_function=prompt,
        hf_repo=str(Path(__file__).parent / "records"),
        hf_subset="default",
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=512,
        stop_sequence=["\n\n"],
        metrics=[
            answer_metric("span_f", grounding="strict", asked_labels=LABELS),
            answer_metric("fair_f", grounding="strict", asked_labels=LABELS),
        ],
    )
]
