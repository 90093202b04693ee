"""The page `errors`: it takes the files of a reference and of systems, and gives the report of errors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..analysis.errors.find import errors
from ..documents.sides import require_one_annotator
from ..exceptions import InputError, counted
from ..web.error_report import ReportOptions, error_report
from .documents import FORMATS, named, read_file
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, megabytes, too_much
from .serving import FILES_KEPT, KEPT, app_heading, footing, fresh_folder, serve
from .templates import error_message, render
from .texts import texts, titled

_MOST_SYSTEMS = 5


def launch() -> None:
    """Serve the page: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
    serve(build())


def build() -> gr.Blocks:
    """Return the page."""
    with gr.Blocks(title="Errors: Spanometer", analytics_enabled=False, delete_cache=(KEPT, KEPT)) as blocks:
        gr.HTML(app_heading("errors", f"Files: {FORMATS}."), padding=False)
        with gr.Row():
            reference = gr.File(label="Reference", type="filepath", elem_id="reference", height=140)
            systems = gr.File(
                label="Predictions of one or more systems",
                type="filepath",
                file_count="multiple",
                elem_id="systems",
                height=140,
            )
            train = gr.File(label="Training set (optional)", type="filepath", elem_id="train", height=140)
        make = gr.Button("Make the report", variant="primary", elem_id="make")
        taken = gr.File(label="The report, to keep and to send", visible=False, elem_id="report")
        shown = gr.HTML(elem_id="results", padding=False)
        gr.HTML(footing(texts()["apps"]["errors"]["title"], _limits(), titled(), FILES_KEPT), padding=False)
        make.click(
            _answer,
            [reference, systems, train],
            [shown, taken],
            show_progress="minimal",
            trigger_mode="always_last",
            api_visibility="private",
        )
        # a report of other files must not stay
        gr.on(
            [files.change for files in (reference, systems, train)],
            lambda: ("", gr.File(visible=False)),
            None,
            [shown, taken],
            show_progress="hidden",
            api_visibility="private",
            queue=False,
        )
    return blocks


def report_of(reference: str | None, systems: Sequence[str] | None, train: str | None = None) -> str:
    """Return the report of errors as HTML.

    Args:
        reference: the path of the reference's file.
        systems: those of the systems' files.
        train: that of a training set's file.

    Raises:
        InputError: for files that cannot be read or compared, that are missing, and for too many or too large ones.
    """
    if not reference or not systems:
        missing = "the reference" if not reference else "a system's predictions"
        raise InputError(f"there is no file with {missing}.", "Upload a file on each side.")
    if len(systems) > _MOST_SYSTEMS:
        raise too_much("the predictions", f"{counted(len(systems), 'system')}, more than {_MOST_SYSTEMS}")
    gold = require_one_annotator(read_file(reference))
    found = errors(gold, {name: require_one_annotator(read_file(path)) for name, path in named(systems).items()})
    known = None if not train else require_one_annotator(read_file(train, scored=False))
    title = f"Errors of {', '.join(found.systems)} against {gold.source}"
    heading = [("size", found.size), *([] if known is None else [("training", known.source)])]
    return error_report(found, ReportOptions(title=title, heading=heading, train=known))


def _answer(reference: str | None, systems: Sequence[str] | None, train: str | None) -> tuple[str, Any]:
    """Return the report inside a frame and as a file, or what is wrong in words."""
    try:
        report = report_of(reference, systems, train)
    except InputError as error:
        return error_message(error), gr.File(visible=False)
    path = fresh_folder() / "report.html"
    path.write_text(report, encoding="utf-8")
    return render("error_frame.html", report=report), gr.File(str(path), visible=True)


def _limits() -> str:
    size = f"{MAX_DOCUMENTS:,} sentences or documents, {MAX_TOKENS:,} tokens, {_MOST_SYSTEMS} systems"
    return f"{size}; {megabytes(MAX_BYTES)} for each file, a training set too"
