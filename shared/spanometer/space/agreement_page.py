"""The page `agreement`: it takes the files of annotators, and shows how well they agree, and where they do not."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..exceptions import InputError
from .agreement import MAX_FILES, MAX_SPANS, Answer, controls, respond
from .documents import FORMATS
from .examples import team_examples
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, encoded, megabytes
from .serving import FILES_KEPT, KEPT, answered, app_heading, component, connect, footing, fresh_folder, serve
from .templates import error_message
from .texts import texts, titled

_NAMES = ("A", "B", "C")
"""The annotators of pasted texts, and the ids of their boxes."""


def launch() -> None:
    """Serve the page: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
    serve(build())


def build() -> gr.Blocks:
    """Return the page."""
    title = texts()["apps"]["agreement"]["title"]
    examples = team_examples()
    names = [control.name for control in controls()]
    with gr.Blocks(title=f"{title}: Spanometer", analytics_enabled=False, delete_cache=(KEPT, KEPT)) as blocks:
        gr.HTML(
            app_heading("agreement", f"Files: {FORMATS}. One for each annotator, or one of several."), padding=False
        )
        files = gr.File(
            label="Files of the annotators", type="filepath", file_count="multiple", elem_id="files", height=140
        )
        gr.Markdown("Or texts, if there are no files; examples to click:", elem_classes="sm-muted")
        with gr.Row():
            buttons = [gr.Button(example["name"], size="sm", min_width=140) for example in examples]
        with gr.Row():
            boxes = [_box(name, text) for name, text in zip(_NAMES, examples[0]["texts"], strict=True)]
        start = gr.Button("Compare", variant="primary", elem_id="start")
        with gr.Accordion("Options", open=True, elem_id="options"), gr.Row():
            options = [component(control) for control in controls()]
        results = gr.HTML(elem_id="results", padding=False)
        taken = gr.File(label="All of it, to take along", visible=False, file_count="multiple", elem_id="taken")
        gr.HTML(footing(title, _limits(), titled(), FILES_KEPT), padding=False)

        def answer(paths: Sequence[str] | None, *given: Any) -> tuple[str, Any]:
            pasted, values = given[: len(_NAMES)], dict(zip(names, given[len(_NAMES) :], strict=True))
            found = answer_of(paths or (), pasted, values)
            boxed = {} if paths else dict(zip(_NAMES, pasted, strict=True))
            html = answered(found.html, button="Compare", **boxed)
            return html, gr.File(_written(found), visible=bool(found.files))

        call = connect(
            blocks,
            answer,
            [files, *boxes, *options],
            [results, taken],
            start=start,
            options=options,
            boxes=boxes,
            filled=[files, *boxes],
            examples={button: [None, *example["texts"]] for button, example in zip(buttons, examples, strict=True)},
        )
        # one file of several can be taken away as well
        gr.on([files.upload, files.clear, files.delete], **call)
    return blocks


def answer_of(paths: Sequence[str], pasted: Sequence[str | None], values: dict[str, Any]) -> Answer:
    """Return the results of files, or of pasted texts if there are none."""
    if paths:
        return respond(paths, values)
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name, text in zip(_NAMES, pasted, strict=True):
                if (text or "").strip():
                    Path(folder, f"{name}.txt").write_bytes(encoded(text or "", name, MAX_BYTES))
        except InputError as error:
            return Answer(error_message(error))
        return respond(sorted(map(str, Path(folder).iterdir())), values)


def _box(name: str, text: str) -> gr.Textbox:
    with gr.Column(min_width=250):
        return gr.Textbox(text, label=f"Annotator {name}", lines=7, max_lines=7, elem_id=name, elem_classes="sm-mono")


def _written(found: Answer) -> list[str] | None:
    """Write the files to take along, and return their paths."""
    if not found.files:
        return None
    folder = fresh_folder()
    for name, text in found.files.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    return [str(folder / name) for name in found.files]


def _limits() -> str:
    size = f"{MAX_FILES} files, {MAX_DOCUMENTS:,} documents, {MAX_TOKENS:,} tokens each, {MAX_SPANS:,} spans"
    return f"{size}; {megabytes(MAX_BYTES)} for each file"
