"""The page `grounding`: it takes a text and an answer of a language model, and shows what policies make of it."""

from __future__ import annotations

from .examples import answer_examples
from .forms import Answer, Box, Form
from .grounding import FIELDS, MAX_ANSWER, MAX_ITEMS, MAX_TEXT, respond, why
from .texts import app_heading, texts


def form() -> Form:
    """Make the form: a text, an answer, and how it is read."""
    return Form(
        title=texts()["apps"]["grounding"]["title"],
        heading=app_heading("grounding"),
        button="Ground",
        respond=lambda given: Answer(respond(given["text"] or "", given["answer"] or "", given)),
        limits=f"{MAX_TEXT:,} characters of text, {MAX_ANSWER:,} of the answer, {MAX_ITEMS} items",
        kept="Text and answer are read on this Space's server and not kept.",
        boxes=[
            Box("text", "Text", "What the model was given to read."),
            Box("answer", "Answer", "What it wrote: JSON, lists, inline marks, lines, in prose or fenced."),
        ],
        controls=FIELDS.controls,
        examples={
            example["name"]: {name: example[name] for name in ("text", "answer", "answer_labels", "aliases")}
            for example in answer_examples()
        },
        below=why(),
    )
