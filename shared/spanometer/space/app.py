"""The page of a measure, made with Gradio (the extra `space`)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..errors import InputError
from ..web.files import read_file as read_shared_file
from .attributes import MAX_SPANS
from .chance import TITLES
from .corpus import MAX_BYTES, MAX_DOCUMENTS, MAX_MARKUP_BYTES, MAX_TOKENS, megabytes, read_upload
from .examples import Example, examples_of
from .pages import Control, Page, page_of, spaces
from .results import respond
from .templates import error_message, read_file, render

_HOME = "https://github.com/spanometer/spanometer"
_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
_MONOSPACE = ("ui-monospace", "Consolas", "monospace")

_CHANGED = "() => document.dispatchEvent(new Event('sm-changed'))"
"""Tells `page.js` that a text has changed."""

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
    blocks = build(name)
    blocks.queue(max_size=30, default_concurrency_limit=2)
    blocks.launch(**launch_options())


def launch_options() -> dict[str, Any]:
    """Return how to serve a page: without sharing, nothing from other servers, fonts of the user's own machine."""
    theme = gr.themes.Default(font=_FONTS, font_mono=_MONOSPACE, primary_hue="teal", secondary_hue="teal").set(
        # Gradio's own are too pale to be read by everybody
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        button_primary_background_fill="*primary_800",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_800",
        button_primary_background_fill_hover_dark="*primary_700",
    )
    return {
        "theme": theme,
        "css": read_file("page.css") + read_shared_file("marks.css"),
        "js": read_file("page.js"),
        "share": False,
        "ssr_mode": False,
        "footer_links": [],
        "max_file_size": MAX_BYTES,
        "show_error": False,
    }


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
        gr.HTML(render("heading.html", page=page, home=_HOME), padding=False)
        with gr.Row():
            reference, upload_reference = _box("Reference", _HINTS[page.input][0], examples[0].reference)
            prediction, upload_prediction = _box("Prediction", _HINTS[page.input][1], examples[0].prediction)
        gr.Markdown("Examples to click:", elem_classes="sm-muted")
        with gr.Row():
            buttons = [gr.Button(example.name, size="sm", min_width=140) for example in examples]
        score = gr.Button("Score", variant="primary", elem_id="score")
        with gr.Accordion("Options", open=True, elem_id="options"):
            with gr.Row():
                options = [_component(control) for control in page.controls]
            only_differing = gr.Checkbox(
                label=f"Show only {'values' if page.input == 'attributes' else 'sentences'} that differ",
                visible=page.input != "entities",
                elem_id="only_differing",
            )
        results = gr.HTML(elem_id="results", padding=False)
        with gr.Row():
            charts = [gr.Plot(label=title, elem_classes="sm-chart", format="png") for title in TITLES if page.charts]
        gr.HTML(render("footing.html", limits=_limits(page), home=_HOME, page=page, spaces=spaces()), padding=False)

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
        gr.on([reference.change, prediction.change], None, js=_CHANGED, api_visibility="private", queue=False)
    return blocks


def _box(side: str, hint: str, text: str) -> tuple[gr.Textbox, gr.UploadButton]:
    """Make the box of a side, with a button to upload a file into it."""
    name = side.lower()
    with gr.Column(min_width=280):
        return (
            gr.Textbox(text, label=side, info=hint, lines=9, max_lines=9, elem_id=name, elem_classes="sm-mono"),
            gr.UploadButton(f"Upload a file: {name}", size="sm", elem_id=f"upload-{name}"),
        )


def _component(control: Control) -> Any:
    """Make the Gradio component of a control."""
    shared: dict[str, Any] = {
        "value": control.value,
        "label": control.label,
        "info": control.info or None,
        "elem_id": control.name,
        "min_width": 200,
    }
    if control.choices:
        return (gr.Radio if len(control.choices) <= 4 else gr.Dropdown)(list(control.choices), **shared)
    if control.bounds is not None:
        low, high = control.bounds
        return gr.Number(minimum=low, maximum=high, precision=0 if control.whole else None, **shared)
    if isinstance(control.value, bool):
        return gr.Checkbox(**shared)
    return gr.Textbox(lines=2 if control.lines else 1, max_lines=3 if control.lines else 1, **shared)


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
        html = render("answer.html", html=found.html, texts=" ".join(map(_checksum, (reference, prediction))))
        # Gradio wants a single output as it is
        return (html, *plots) if plots else html

    return answer


def _checksum(text: str | None) -> str:
    """Return the checksum of a text as its box has it, which `page.js` computes too."""
    lines = (text or "").replace("\r\n", "\n").replace("\r", "\n")
    return str(zlib.adler32(lines.encode(errors="replace")))


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
