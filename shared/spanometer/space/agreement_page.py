"""The page `agreement`: it takes the files of annotators, and shows how well they agree, and where they do not."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..exceptions import InputError
from .agreement import FIELDS, MAX_FILES, MAX_SPANS, respond
from .documents import FILES_KEPT, FORMATS
from .examples import team_examples
from .forms import Answer, Box, Form, Upload
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, encoded, megabytes
from .templates import error_message
from .texts import app_heading, texts

_NAMES = ("A", "B", "C")
"""The annotators of pasted texts, and the ids of their boxes."""


def form() -> Form:
    """Make the form: files or texts of annotators, and the options."""
    size = f"{MAX_FILES} files, {MAX_DOCUMENTS:,} documents, {MAX_TOKENS:,} tokens each, {MAX_SPANS:,} spans"
    return Form(
        title=texts()["apps"]["agreement"]["title"],
        heading=app_heading("agreement", f"Files: {FORMATS}. One for each annotator, or one of several."),
        button="Compare",
        respond=_answer,
        limits=f"{size}; {megabytes(MAX_BYTES)} for each file",
        kept=FILES_KEPT,
        uploads=[Upload("files", "Files of the annotators", several=True)],
        boxes=[Box(name, f"Annotator {name}") for name in _NAMES],
        controls=FIELDS.controls,
        hint="The texts count if there are no files. Examples to click:",
        examples={
            example["name"]: {"files": None, **dict(zip(_NAMES, example["texts"], strict=True))}
            for example in team_examples()
        },
        taken="All of it, to take along",
    )


def _answer(given: Mapping[str, Any]) -> Answer:
    """Answer to files, or to pasted texts if there are none."""
    if given["files"]:
        return respond(given["files"], given)
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in _NAMES:
                if (given[name] or "").strip():
                    Path(folder, f"{name}.txt").write_bytes(encoded(given[name], name, MAX_BYTES))
        except InputError as error:
            return Answer(error_message(error))
        return respond(sorted(map(str, Path(folder).iterdir())), given)
