"""The page of a measure, made with Gradio (the extra `space`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..exceptions import InputError
from .attributes import MAX_SPANS
from .chance import TITLES
from .corpus import MAX_MARKUP_BYTES, read_upload
from .examples import Example, examples_of
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, megabytes
from .pages import Page, page_of, spaces
from .results import respond
from .serving import CHANGED, answered, component, footing, serve
from .templates import error_message, render
from .texts import HOME

_HINTS = {
    "spans": (
        "A token and its tag a line; a blank line between sentences.",
        "The same tokens. Empty if the first text has both: token, reference, prediction.",
    ),
    "entities": ("One document a line, with QUAERO's markup.", "The same words with the prediction's markup."),
    "attributes": (
        "A document a line: a JSON list of spans, or an object with spans and tokens.",
        "The same spans with the prediction's attributes, and scores if there are any.",
    ),
}
"""The hints of the boxes of both sides, by the kind of the input."""


def launch(name: str) -> None:
    """Serve the page of a measure: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
    serve(build(name))


def build(name: str) -> gr.Blocks:
    """Return the page of a measure.

    Args:
        name: of the measure, such as `"link_f"`.

    Raises:
        InputError: for an unknown measure.
    """
    page = page_of(name)
    examples = examples_of(page.input)
    with gr.Blocks(title=f"{page.title}: Spanometer", analytics_enabled=False) as blocks:
        gr.HTML(render("heading.html", page=page, home=HOME), padding=False)
        with gr.Row():
            reference, upload_reference = _box("Reference", _HINTS[page.input][0], examples[0].reference)
            prediction, upload_prediction = _box("Prediction", _HINTS[page.input][1], examples[0].prediction)
        gr.Markdown("Examples to click:", elem_classes="sm-muted")
        with gr.Row():
            buttons = [gr.Button(example.name, size="sm", min_width=140) for example in examples]
        score = gr.Button("Score", variant="primary", elem_id="score")
        with gr.Accordion("Options", open=True, elem_id="options"):
            with gr.Row():
                options = [component(control) for control in page.controls]
            only_differing = gr.Checkbox(
                label=f"Show only {'values' if page.input == 'attributes' else 'sentences'} that differ",
                visible=page.input != "entities",
                elem_id="only_differing",
            )
        results = gr.HTML(elem_id="results", padding=False)
        with gr.Row():
            charts = [gr.Plot(label=title, elem_classes="sm-chart", format="png") for title in TITLES if page.charts]
        gr.HTML(footing(page.title, _limits(page), spaces()), padding=False)

        call: dict[str, Any] = {
            "fn": _answer(page),
            "inputs": [reference, prediction, only_differing, *options],
            "outputs": [results, *charts],
            "show_progress": "minimal",
            "trigger_mode": "always_last",
            "api_visibility": "private",
        }
        score.click(**call)
        for option in (only_differing, *options):
            option.input(**call)
        for box, upload in ((reference, upload_reference), (prediction, upload_prediction)):
            outputs = [box, results, *charts]
            upload.upload(_uploaded(page), upload, outputs, show_progress="minimal", api_visibility="private")
        for example, button in zip(examples, buttons, strict=True):
            button.click(
                _filled(example),
                None,
                [reference, prediction],
                show_progress="hidden",
                api_visibility="private",
                queue=False,
            ).then(**call)
        blocks.load(**call)
        gr.on([reference.change, prediction.change], None, js=CHANGED, api_visibility="private", queue=False)
    return blocks


def _box(side: str, hint: str, text: str) -> tuple[gr.Textbox, gr.UploadButton]:
    """Make the box of a side, with a button to upload a file into it."""
    name = side.lower()
    with gr.Column(min_width=280):
        return (
            gr.Textbox(text, label=side, info=hint, lines=9, max_lines=9, elem_id=name, elem_classes="sm-mono"),
            gr.UploadButton(f"Upload a file: {name}", size="sm", elem_id=f"upload-{name}"),
        )


def _limits(page: Page) -> str:
    documents = f"{MAX_DOCUMENTS:,} {'sentences' if page.input == 'spans' else 'documents'}"
    size = f"{MAX_SPANS:,} spans" if page.input == "attributes" else f"{MAX_TOKENS:,} tokens"
    return f"{documents}, {size}, {megabytes(MAX_MARKUP_BYTES if page.input == 'entities' else MAX_BYTES)}"


def _answer(page: Page) -> Callable[..., Any]:
    """Return what is called with the texts and the values of the controls."""
    names = [control.name for control in page.controls]

    def answer(reference: str, prediction: str, only_differing: bool, *values: Any) -> Any:
        given = dict(zip(names, values, strict=True))
        found = respond(page, reference or "", prediction or "", given, only_differing=bool(only_differing))
        plots = _plots(page, [chart.figure for chart in found.charts])
        html = answered(found.html, button="Score", reference=reference, prediction=prediction)
        # Gradio wants a single output as it is
        return (html, *plots) if plots else html

    return answer


def _uploaded(page: Page) -> Callable[[str], Any]:
    """Return what is called with an uploaded file: it gives the text for its box, or the results what is wrong."""

    def uploaded(path: str) -> Any:
        try:
            return read_upload(path), gr.skip(), *(gr.skip() for _ in _plots(page))
        except InputError as error:
            return gr.skip(), error_message(error), *_plots(page)

    return uploaded


def _plots(page: Page, figures: Sequence[Any] = ()) -> list[Any]:
    """Return the plots of a page; those without a figure are hidden."""
    titles = TITLES if page.charts else ()
    return [gr.Plot(figure, visible=figure is not None) for figure, _ in zip_longest(figures, titles)]


def _filled(example: Example) -> Callable[[], tuple[str, str]]:
    return lambda: (example.reference, example.prediction)
