"""The page `errors`: it takes the files of a reference and of systems, and gives the report of errors."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..analysis.error_analysis import errors
from ..errors import InputError, counted, printable
from ..readers.bioc import read_bioc  # noqa: F401 (a format that the page reads)
from ..readers.columns import read_columns  # noqa: F401 (another)
from ..readers.conllu import read_conllu  # noqa: F401 (another)
from ..readers.doccano import read_doccano  # noqa: F401 (another)
from ..readers.document_file import DocumentFile
from ..readers.document_lines import read_document_lines  # noqa: F401 (another)
from ..readers.gliner import read_gliner  # noqa: F401 (another)
from ..readers.json_lines import read_tag_lines  # noqa: F401 (another)
from ..readers.label_studio import read_label_studio  # noqa: F401 (another)
from ..readers.prodigy import read_prodigy  # noqa: F401 (another)
from ..readers.pubtator import read_pubtator  # noqa: F401 (another)
from ..readers.reading import read_documents, require_one_annotator
from ..readers.spacy_json import read_spacy_json  # noqa: F401 (another)
from ..readers.system_output import read_system_output  # noqa: F401 (another)
from ..readers.webanno import read_webanno  # noqa: F401 (another)
from ..web.error_report import ReportOptions, error_report
from .app import launch_options
from .corpus import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, megabytes, too_much
from .templates import error_message, render

_MOST_SYSTEMS = 5

_PREFIX = f"spanometer-errors-{os.getpid()}-"
_KEPT = 3600
"""How many seconds files are kept for their users."""

_HINT = "CoNLL columns with the tag in the last one, JSON lines, exports of annotation tools, outputs of systems"


def launch() -> None:
    """Serve the page: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
    blocks = build()
    blocks.queue(max_size=30, default_concurrency_limit=2)
    blocks.launch(**launch_options())


def build() -> gr.Blocks:
    """Return the page."""
    with gr.Blocks(title="Errors: Spanometer", analytics_enabled=False, delete_cache=(_KEPT, _KEPT)) as blocks:
        gr.HTML(render("error_heading.html", hint=_HINT, limits=_limits()), padding=False)
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
        make.click(
            _answer,
            [reference, systems, train],
            [shown, taken],
            show_progress="minimal",
            trigger_mode="always_last",
            api_visibility="private",
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
    gold = _read(reference)
    found = errors(gold, {name: _read(path) for name, path in _named(systems).items()})
    known = None if not train else _read(train, scored=False)
    title = f"Errors of {', '.join(found.systems)} against {gold.source}"
    heading = [("size", found.size), *([] if known is None else [("training", known.source)])]
    return error_report(found, ReportOptions(title=title, heading=heading, train=known))


def _answer(reference: str | None, systems: Sequence[str] | None, train: str | None) -> tuple[str, Any]:
    """Return the report inside a frame and as a file, or what is wrong in words."""
    try:
        report = report_of(reference, systems, train)
    except InputError as error:
        return error_message(error), gr.File(visible=False)
    path = _fresh_folder() / "report.html"
    path.write_text(report, encoding="utf-8")
    return render("error_frame.html", report=report), gr.File(str(path), visible=True)


def _fresh_folder() -> Path:
    """Return a new folder for a report; those of more than an hour ago are deleted."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if time.time() - folder.stat().st_mtime > _KEPT:
            shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=_PREFIX))


def _read(path: str, *, scored: bool = True) -> DocumentFile:
    """Read a file; one that is scored has limits of its own."""
    name = printable(os.path.basename(path))
    if os.path.getsize(path) > MAX_BYTES:
        raise too_much(name, f"more than {megabytes(MAX_BYTES)}")
    # packed files are larger than they look
    file = require_one_annotator(read_documents(path, name=name, limits={"max_size": MAX_BYTES / 1e6}))
    documents, lengths = file.documents.size, file.lengths
    if scored and documents > MAX_DOCUMENTS:
        raise too_much(name, f"{counted(documents, 'document')}, more than {MAX_DOCUMENTS:,}")
    if scored and file.in_tokens and lengths is not None and lengths.sum() > MAX_TOKENS:
        raise too_much(name, f"{counted(int(lengths.sum()), 'token')}, more than {MAX_TOKENS:,}")
    return file


def _named(paths: Sequence[str]) -> dict[str, str]:
    """Return paths by names that differ."""
    named: dict[str, str] = {}
    for path in paths:
        bare = printable(os.path.splitext(os.path.basename(path))[0])
        taken = sum(name == bare or name.startswith(f"{bare} (") for name in named)
        named[f"{bare} ({taken + 1})" if taken else bare] = path
    return named


def _limits() -> str:
    size = f"{MAX_DOCUMENTS:,} sentences or documents, {MAX_TOKENS:,} tokens, {_MOST_SYSTEMS} systems"
    return f"{size}; {megabytes(MAX_BYTES)} for each file, a training set too"
