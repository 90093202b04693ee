"""How pages are served with Gradio (the extra `space`), and what they share."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

# before Gradio is imported: nothing is sent anywhere
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from ..web.templates import read_file as read_shared_file
from .controls import Control
from .limits import MAX_BYTES
from .templates import read_file, render
from .texts import HOME, texts

KEPT = 3600
"""How many seconds files are kept for their users."""

FILES_KEPT = "Files are read on this Space's server, and deleted after an hour."

CHANGED = "() => document.dispatchEvent(new Event('sm-changed'))"
"""Tells `page.js` that a text has changed."""

_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
_MONOSPACE = ("ui-monospace", "Consolas", "monospace")
_PREFIX = f"spanometer-{os.getpid()}-"


def serve(blocks: gr.Blocks) -> None:
    """Serve a page: on this machine only, unless the environment (`GRADIO_SERVER_NAME`) says other."""
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


def component(control: Control) -> Any:
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


def connect(
    blocks: gr.Blocks,
    answer: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Any,
    *,
    start: gr.Button,
    options: Sequence[Any],
    boxes: Sequence[gr.Textbox],
    filled: Sequence[Any],
    examples: Mapping[gr.Button, Sequence[Any]],
) -> dict[str, Any]:
    """Call a function when a page is loaded, at its button, when an option is set and when an example is clicked.

    Args:
        blocks: the page.
        answer, inputs, outputs: the function, and the components with its arguments and its results.
        start: the button.
        options: the components of options.
        boxes: those with texts.
        filled: the components that examples fill.
        examples: for the button of each example what it fills in.

    Returns:
        The call, for further events.
    """
    call: dict[str, Any] = {
        "fn": answer,
        "inputs": inputs,
        "outputs": outputs,
        "show_progress": "minimal",
        "trigger_mode": "always_last",
        "api_visibility": "private",
    }
    start.click(**call)
    for option in options:
        # half a name in a text box is not an option yet
        (option.submit if isinstance(option, gr.Textbox) else option.input)(**call)
    for button, values in examples.items():
        button.click(
            lambda values=values: values, None, filled, show_progress="hidden", api_visibility="private", queue=False
        ).then(**call)
    blocks.load(**call)
    gr.on([box.change for box in boxes], None, js=CHANGED, api_visibility="private", queue=False)
    return call


def app_heading(name: str, note: str = "") -> str:
    """Return the heading of a page without a measure, with a note below."""
    return render("app_heading.html", app=texts()["apps"][name], note=note)


def footing(own: str, limits: str, spaces: Mapping[str, str], kept: str = "") -> str:
    """Return what is below a page: the other Spaces by their titles, what the page takes, and what is kept."""
    kept = kept or "The texts are scored on this Space's server and not kept."
    return render("footing.html", own=own, limits=limits, spaces=spaces, kept=kept, home=HOME)


def answered(html: str, *, button: str, **boxes: str | None) -> str:
    """Return results with the boxes (by their ids) whose texts they belong to, and the button that makes new ones."""
    return render(
        "answer.html", html=html, button=button, boxes=" ".join(boxes), texts=" ".join(map(_checksum, boxes.values()))
    )


def _checksum(text: str | None) -> str:
    """Return the checksum of a text as its box has it, which `page.js` computes too."""
    lines = (text or "").replace("\r\n", "\n").replace("\r", "\n")
    return str(zlib.adler32(lines.encode(errors="replace")))


def fresh_folder() -> Path:
    """Return a new folder for files to take along; those of more than an hour ago are deleted."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        if time.time() - folder.stat().st_mtime > KEPT:
            shutil.rmtree(folder, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=_PREFIX))
