"""The page `grounding`: it takes a text and an answer of a language model, and shows what policies make of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from .examples import answer_examples
from .grounding import MAX_ANSWER, MAX_ITEMS, MAX_TEXT, controls, respond, why
from .serving import answered, app_heading, component, connect, footing, serve
from .texts import texts, titled

_KEPT = "Text and answer are read on this Space's server and not kept."
_LIMITS = f"{MAX_TEXT:,} characters of text, {MAX_ANSWER:,} of the answer, {MAX_ITEMS} items"


def launch() -> None:
    """Serve the page: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
    serve(build())


def build() -> gr.Blocks:
    """Return the page."""
    title = texts()["apps"]["grounding"]["title"]
    examples = answer_examples()
    names = [control.name for control in controls()]
    with gr.Blocks(title=f"{title}: Spanometer", analytics_enabled=False) as blocks:
        gr.HTML(app_heading("grounding"), padding=False)
        with gr.Row():
            boxes = [
                _box(*told, examples[0])
                for told in (
                    ("text", "Text", "What the model was given to read."),
                    ("answer", "Answer", "What it wrote: JSON, lists, inline marks, lines, in prose or fenced."),
                )
            ]
        gr.Markdown("Examples to click:", elem_classes="sm-muted")
        with gr.Row():
            buttons = [gr.Button(example["name"], size="sm", min_width=140) for example in examples]
        start = gr.Button("Ground", variant="primary", elem_id="start")
        with gr.Accordion("Options", open=True, elem_id="options"), gr.Row():
            options = [component(replace(one, value=examples[0].get(one.name, one.value))) for one in controls()]
        results = gr.HTML(elem_id="results", padding=False)
        gr.HTML(why(), padding=False)
        gr.HTML(footing(title, _LIMITS, titled(), _KEPT), padding=False)

        def answer(text: str, written: str, *values: str) -> str:
            html = respond(text or "", written or "", dict(zip(names, values, strict=True)))
            return answered(html, button="Ground", text=text, answer=written)

        given = ("text", "answer", "answer_labels", "aliases")
        connect(
            blocks,
            answer,
            [*boxes, *options],
            results,
            start=start,
            options=options,
            boxes=boxes,
            filled=[*boxes, *options[:2]],
            examples={
                button: [example[name] for name in given] for button, example in zip(buttons, examples, strict=True)
            },
        )
    return blocks


def _box(name: str, label: str, info: str, example: Mapping[str, str]) -> gr.Textbox:
    with gr.Column(min_width=280):
        return gr.Textbox(
            example[name], label=label, info=info, lines=9, max_lines=9, elem_id=name, elem_classes="sm-mono"
        )
