"""Display and serving of forms with Gradio (the extra `space`)."""

import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

# set before Gradio is imported, so that it sends nothing
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..exceptions import InputError
from ..options import Option
from ..web.templates import read_file as read_shared_file
from .forms import Box, Fields, Form, Response
from .limits import MAX_BYTES
from .texts import HOME, error_message, read_file, render, titled

KEPT = 3600
"""The number of seconds for which files are kept for their users."""

_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
_MONOSPACE = ("ui-monospace", "Consolas", "monospace")
_PREFIX = f"spanometer-{os.getpid()}-"
_QUIET = {"show_progress": "hidden", "api_visibility": "private", "queue": False}
_BUSY = {"show_progress": "minimal", "api_visibility": "private"}


def launch(form: Form) -> None:
    """Serve a page, only on this machine unless the environment variable `GRADIO_SERVER_NAME` says otherwise.

    Nothing is shared or requested from other servers, and the fonts are those of the user's machine.
    """
    blocks = build(form)
    blocks.queue(max_size=30, default_concurrency_limit=2)
    theme = gr.themes.Default(font=_FONTS, font_mono=_MONOSPACE, primary_hue="teal", secondary_hue="teal").set(
        # Gradio's own colours have too little contrast
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        button_primary_background_fill="*primary_800",
        button_primary_background_fill_hover="*primary_700",
        button_primary_background_fill_dark="*primary_800",
        button_primary_background_fill_hover_dark="*primary_700",
    )
    blocks.launch(
        theme=theme,
        css=read_file("page.css") + read_shared_file("marks.css"),
        js=read_file("page.js"),
        share=False,
        ssr_mode=False,
        footer_links=[],
        max_file_size=MAX_BYTES,
        show_error=False,
    )


def build(form: Form) -> gr.Blocks:
    """Create the page of a form.

    A page with text boxes responds when it is loaded, when an option is set, when an example is clicked and when files
    are chosen. A page that only takes files responds when its button is clicked, and clears its results when the files
    change.
    """
    first = next(iter(form.examples.values()), {})
    with gr.Blocks(title=f"{form.title}: Spanometer", analytics_enabled=False, delete_cache=(KEPT, KEPT)) as blocks:
        gr.HTML(form.heading, padding=False)
        fields: dict[str, Any] = {}
        if form.uploads:
            with gr.Row():
                for field in form.uploads:
                    several = "multiple" if field.several else "single"
                    fields[field.name] = gr.File(
                        label=field.label, type="filepath", file_count=several, elem_id=field.name, height=140
                    )
        files = list(fields.values())
        if form.boxes:
            with gr.Row():
                boxes = {box.name: (box, *_box(box, first[box.name])) for box in form.boxes}
            fields |= {name: component for name, (_, component, _) in boxes.items()}
        if form.examples:
            gr.Markdown(form.hint, elem_classes="sm-muted")
            with gr.Row():
                examples = [(gr.Button(name, size="sm", min_width=140), form.examples[name]) for name in form.examples]
        start = gr.Button(form.button, variant="primary", elem_id="start")
        options = {}
        if form.fields.options:
            with gr.Accordion("Options", open=True, elem_id="options"), gr.Row():
                initial = {**form.fields.initial, **first}
                options = {
                    name: _component(form.fields, option, initial[name]) for name, option in form.fields.options.items()
                }
        fields |= options
        with gr.Row(visible=bool(form.charts)):
            charts = [gr.Plot(label=title, elem_classes="sm-chart", format="png") for title in form.charts]
        results = gr.HTML(elem_id="results", padding=False)
        taken = gr.File(label="Downloads", visible=False, file_count="multiple", elem_id="taken")
        if form.below:
            gr.HTML(form.below, padding=False)
        own = {"own": form.title, "spaces": titled(), "limits": form.limits, "kept": form.kept, "home": HOME}
        gr.HTML(render("footing.html", **own), padding=False)

        outputs = [results, *charts, taken]
        answer = {"fn": partial(_answer, form, list(fields)), "inputs": list(fields.values()), "outputs": outputs}
        answer |= {"trigger_mode": "always_last", **_BUSY}
        triggers = [start.click, *(event for option in options.values() for event in _settings(option))]
        if not form.boxes:
            gr.on([file.change for file in files], lambda: _outputs(form, Response("")), None, outputs, **_QUIET)
            for button, values in examples:
                button.click(lambda values=values: _outputs(form, form.response(values)), None, outputs, **_BUSY)
            gr.on(triggers, **answer)
            return blocks
        # one of several files can also be removed
        triggers += [event for file in files for event in (file.upload, file.clear, file.delete)]
        for box, component, upload in boxes.values():
            if upload is not None:
                upload.upload(partial(_uploaded, form, box), upload, [component, *outputs], **_BUSY)
        for button, values in examples:
            chosen = list(values.values())
            filled = button.click(lambda chosen=chosen: chosen, None, [fields[name] for name in values], **_QUIET)
            filled.then(
                None, js="() => document.querySelector('#start').click()", api_visibility="private", queue=False
            )
        # one listener for all events, so that responses keep the order of the events
        gr.on([*triggers, blocks.load], **answer)
        # notify `page.js` of a changed text
        changed = "() => document.dispatchEvent(new Event('sm-changed'))"
        gr.on([fields[name].change for name in boxes], None, js=changed, api_visibility="private", queue=False)
    return blocks


def _box(box: Box, text: str) -> tuple[gr.Textbox, gr.UploadButton | None]:
    """Create a text box and, if it accepts files, a button to upload a file into it."""
    with gr.Column(min_width=250):
        look: dict[str, Any] = {"lines": 9, "max_lines": 9, "elem_id": box.name, "elem_classes": "sm-mono"}
        field = gr.Textbox(text, label=box.label, info=box.info or None, **look)
        if box.read is None:
            return field, None
        return field, gr.UploadButton(f"Upload a file: {box.name}", size="sm", elem_id=f"upload-{box.name}")


def _settings(option: Any) -> Sequence[Any]:
    """Return the events that set an option."""
    if not isinstance(option, gr.Textbox):
        return (option.input,)
    # not on every key, because a half-typed name is not a value; in boxes of several lines Enter begins a new line
    return (option.submit, option.blur) if option.lines > 1 else (option.submit,)


def _component(fields: Fields, option: Option, value: Any) -> Any:
    """Create the Gradio component of an option."""
    info, choices = fields.info(option), fields.choices(option)
    shared: dict[str, Any] = {"value": value, "label": option.label, "info": info, "elem_id": option.name}
    shared["min_width"] = 200
    if choices:
        return (gr.Radio if len(choices) <= 5 else gr.Dropdown)(choices, **shared)
    if option.kind in (int, float):
        precision = 0 if option.kind is int else None
        return gr.Number(minimum=option.low, maximum=option.high, precision=precision, **shared)
    if isinstance(option.default, bool):
        return gr.Checkbox(**shared)
    return gr.Textbox(lines=2 if option.repeat else 1, max_lines=3 if option.repeat else 1, **shared)


def _answer(form: Form, names: Sequence[str], *values: Any) -> Any:
    """Return the outputs for the values of all fields."""
    inputs = dict(zip(names, values, strict=True))
    output = form.response(inputs)
    # results for files belong to no text box
    of_files = any(inputs[upload.name] for upload in form.uploads)
    texts = {} if of_files else {box.name: inputs[box.name] for box in form.boxes}
    named = {"boxes": " ".join(texts), "texts": " ".join(map(_checksum, texts.values())), "button": form.button}
    return _outputs(form, Response(render("answer.html", html=output.html, **named), output.charts, output.files))


def _uploaded(form: Form, box: Box, path: str) -> Any:
    """Write the text of an uploaded file into its box, or an error into the results."""
    try:
        text = box.read(path) if box.read is not None else ""
        return text, *(gr.skip() for _ in (form.button, *form.charts, "taken"))
    except InputError as error:
        return gr.skip(), *_outputs(form, Response(error_message(error)))


def _outputs(form: Form, response: Response) -> Sequence[Any]:
    """Return the values of the outputs; charts without a figure and an empty list of files are hidden."""
    plots = [gr.Plot(figure, visible=figure is not None) for figure, _ in zip_longest(response.charts, form.charts)]
    return response.html, *plots, gr.File(_written(response), visible=bool(response.files))


def _written(response: Response) -> list[str] | None:
    """Write the files to download into a new folder; delete folders that are older than an hour."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if time.time() - folder.stat().st_mtime > KEPT:
            shutil.rmtree(folder, ignore_errors=True)
    if not response.files:
        return None
    fresh = Path(tempfile.mkdtemp(prefix=_PREFIX))
    for name, text in response.files.items():
        (fresh / name).write_text(text, encoding="utf-8", errors="replace")
    return [str(fresh / name) for name in response.files]


def _checksum(text: str | None) -> str:
    """Compute the checksum of a text in a box, the same as `page.js`."""
    lines = (text or "").replace("\r\n", "\n").replace("\r", "\n")
    return str(zlib.adler32(lines.encode(errors="replace")))
