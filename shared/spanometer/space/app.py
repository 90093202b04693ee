"""The page of a Space, made with Gradio (the extra `space`): one for each measure.

The modules `space_*.py` lie beside each other and beside the rest of the package, not in a sub-package: they
have no `__init__` that would import all of them, and can be copied one by one, into folders or flat.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..errors import InputError, require_choice
from .attributes import MAX_SPANS
from .examples import Example, examples_of
from .html import STYLE, error_message
from .pages import PAGES, Option, Page
from .reading import MAX_BYTES, MAX_DOCUMENTS, MAX_MARKUP_BYTES, MAX_TOKENS, read_upload
from .results import respond

_HOME = "https://github.com/spanometer/spanometer"
_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
_MONOSPACE = ("ui-monospace", "Consolas", "monospace")

# Gradio's radio buttons are strangers to each other: without this no arrow key moves between them, and no screen reader
# says what they are about
_RADIOS = """() => {
  for (const group of document.querySelectorAll("fieldset")) {
    const title = group.querySelector("[data-testid=block-info]");
    if (!title) continue;
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", title.innerText);
    const join = () => {
      for (const radio of group.querySelectorAll("input[type=radio]"))
        if (radio.name !== group.id) radio.name = group.id;
    };
    join();
    // they are given new names when their value changes
    new MutationObserver(join).observe(group, { subtree: true, childList: true, attributeFilter: ["name"] });
  }
}"""


def build(name: str) -> gr.Blocks:
    """The page of a measure.

    Args:
        name: of the measure, such as `"link_f"`.

    Raises:
        InputError: where there is no page of that name.
    """
    require_choice("name", name, tuple(PAGES))
    page = PAGES[name]
    with gr.Blocks(title=f"{page.title}: Spanometer", analytics_enabled=False) as blocks:
        gr.HTML(_heading(page), padding=False)
        boxes, uploads = _inputs(page)
        examples = _examples(page)
        options, only_differing = _options(page)
        score = gr.Button("Score", variant="primary", elem_id="score")
        results = gr.HTML(elem_id="results", padding=False)
        gr.HTML(_footing(page), padding=False)

        inputs = [*boxes, only_differing, *options]
        answer = _answer(page)
        call: dict[str, Any] = {
            "fn": answer,
            "inputs": inputs,
            "outputs": results,
            "show_progress": "minimal",
            "trigger_mode": "always_last",
            "api_visibility": "private",
        }
        score.click(**call)
        for option in (only_differing, *options):
            option.input(**call)
        for box, upload in zip(boxes, uploads, strict=True):
            upload.upload(_uploaded, upload, [box, results], show_progress="minimal", api_visibility="private")
        for example, button in examples:
            button.click(
                _filled(example), None, boxes, show_progress="hidden", api_visibility="private", queue=False
            ).then(**call)
        blocks.load(**call)
    return blocks


def launch(name: str) -> None:
    """Serve the page of a measure: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
    blocks = build(name)
    blocks.queue(max_size=30, default_concurrency_limit=2)
    blocks.launch(**launch_options())


def launch_options() -> dict[str, Any]:
    """How a page is served: no sharing, nothing from other servers, fonts of the reader's own machine."""
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
        "css": STYLE,
        "js": _RADIOS,
        "share": False,
        "ssr_mode": False,
        "footer_links": [],
        "max_file_size": MAX_BYTES,
        "show_error": False,
    }


def _heading(page: Page) -> str:
    cited, address = page.paper
    return (
        f'<div class="sm"><h1 style="font-size:1.6rem;font-weight:700;margin:.2rem 0">{page.title}</h1>'
        f"<p>{page.intro}</p>"
        f'<p><a href="{address}" rel="noopener" target="_blank">The paper: {cited}</a> · '
        f'<a href="{_HOME}/blob/main/metrics/{page.name}/README.md" rel="noopener" target="_blank">The metric\'s card'
        "</a></p></div>"
    )


def _footing(page: Page) -> str:
    most = MAX_MARKUP_BYTES if page.markup else MAX_BYTES
    counted = f"{MAX_DOCUMENTS:,} {'documents' if page.markup or page.attributes else 'sentences'}"
    counted += f", {MAX_SPANS:,} spans" if page.attributes else f", {MAX_TOKENS:,} tokens"
    return (
        f'<div class="sm sm-muted"><p>Up to {counted}, {most // 1_000_000} MB. '
        f'The texts are scored on this Space\'s server and not kept. For more, <a href="{_HOME}" rel="noopener" '
        'target="_blank">run it yourself</a>.</p></div>'
    )


def _examples(page: Page) -> list[tuple[Example, gr.Button]]:
    """A button for each example."""
    gr.HTML('<p class="sm sm-muted" style="margin:0">Examples to click:</p>', padding=False)
    with gr.Row():
        return [(example, gr.Button(example.name, size="sm", min_width=140)) for example in examples_of(page.name)]


def _inputs(page: Page) -> tuple[list[gr.Textbox], list[gr.UploadButton]]:
    """The boxes of both sides, each with a button to upload a file into it."""
    example = examples_of(page.name)[0]
    if page.markup:
        info = ("One document a line, with QUAERO's markup.", "The same words with the prediction's markup.")
    elif page.attributes:
        info = (
            "A document a line: a JSON list of spans, or an object with spans and tokens.",
            "The same spans with the prediction's attributes, and scores if there are any.",
        )
    else:
        info = (
            "A token and its tag a line; a blank line between sentences.",
            "The same tokens. Empty if the first text has both: token, reference, prediction.",
        )
    boxes, uploads = [], []
    with gr.Row():
        for side, text, hint in zip(
            ("Reference", "Prediction"), (example.reference, example.prediction), info, strict=True
        ):
            with gr.Column(min_width=280):
                box = gr.Textbox(
                    text,
                    label=side,
                    info=hint,
                    lines=9,
                    max_lines=9,
                    elem_id=side.lower(),
                    elem_classes="sm-mono",
                )
                uploads.append(
                    gr.UploadButton(f"Upload a file: {side.lower()}", size="sm", elem_id=f"upload-{side.lower()}")
                )
                boxes.append(box)
    return boxes, uploads


def _uploaded(path: str) -> tuple[Any, Any]:
    """The text of an uploaded file for its box, or what is wrong with it for the results."""
    try:
        return read_upload(path), gr.skip()
    except InputError as error:
        return gr.skip(), error_message(error)


def _options(page: Page) -> tuple[list[Any], gr.Checkbox]:
    with gr.Accordion("Options", open=True, elem_id="options"):
        with gr.Row():
            components = [_component(option) for option in page.options]
        only_differing = gr.Checkbox(
            False,
            label=f"Show only {'values' if page.attributes else 'sentences'} that differ",
            visible=not page.markup,
            elem_id="only_differing",
        )
    return components, only_differing


def _component(option: Option) -> Any:
    shared: dict[str, Any] = {
        "label": option.label,
        "info": option.info or None,
        "elem_id": option.name,
        "min_width": 200,
    }
    if option.choices:
        kind = gr.Radio if len(option.choices) <= 4 else gr.Dropdown
        return kind(list(option.choices), value=option.default, **shared)
    if option.bounds is not None:
        low, high = option.bounds
        return gr.Number(option.default, minimum=low, maximum=high, precision=0 if option.whole else None, **shared)
    if isinstance(option.default, bool):
        return gr.Checkbox(option.default, **shared)
    return gr.Textbox(option.default, max_lines=1, **shared)


def _answer(page: Page) -> Callable[..., str]:
    """What is called with the texts and the options of the page."""
    names = [option.name for option in page.options]

    def answer(reference: str, prediction: str, only_differing: bool, *values: Any) -> str:
        given = dict(zip(names, values, strict=True))
        return respond(page, reference or "", prediction or "", given, only_differing=bool(only_differing))

    return answer


def _filled(example: Example) -> Callable[[], tuple[str, str]]:
    return lambda: (example.reference, example.prediction)
