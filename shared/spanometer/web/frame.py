"""The frame of a report: one file of HTML that needs no network, with its data and the script that shows it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..exceptions import InputError, printable
from ..tables.exports import to_html
from ..tables.table import Part, Precision
from ..version import __version__
from .files import read_file


def require_html(path: str | os.PathLike[str]) -> None:
    """Raise an `InputError` unless a path is the name of a page."""
    if os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise InputError(f"{os.fspath(path)!r} is not the name of a page.", "End it in .html.")


def framed(
    name: str,
    *,
    title: str,
    facts: Sequence[tuple[str, str]],
    sections: Sequence[str],
    signature: str,
    data: Mapping[str, Any],
) -> str:
    """Return a report as HTML; nothing in the texts of the corpus is markup or a script there.

    Args:
        name: of the report's own files: what it has below its sections, and its script.
        title: its heading.
        facts: names and texts below it.
        sections: its parts, as HTML.
        signature: how it was made.
        data: what the script shows, of built-in types.
    """
    listed = "".join(f"<dt>{shown(name)}</dt><dd>{shown(text)}</dd>" for name, text in facts)
    filled = {
        "TITLE": shown(title),
        "STYLE": read_file("marks.css") + read_file("report.css"),
        "HEADING": f'<dl class="er-facts">{listed}</dl>',
        "SECTIONS": "\n".join(sections),
        "FOOTER": f'<p class="er-signature">{shown(signature)}</p><p>Spanometer {__version__}</p>',
        "DATA": _json(data),
        "SCRIPT": read_file("frame.js") + read_file(f"{name}.js"),
    }
    frame = read_file("frame.html").replace("%MAIN%", read_file(f"{name}.html"))
    # in one pass, so that nothing is filled into what was filled in
    return re.sub("%([A-Z]+)%", lambda place: filled[place[1]], frame)


def shown(text: str) -> str:
    """Return a text as HTML."""
    return escape(printable(text))


def section(title: str, parts: Sequence[Part], note: str, precision: Precision) -> str:
    """Return a section with tables, each of which can be scrolled by itself, and a note below."""
    below = f'<p class="sm-muted">{shown(note)}</p>' if note else ""
    opened = f'<div class="sm-scroll" tabindex="0" role="region" aria-label="{shown(title)}">'
    tables = "".join(f"{opened}{to_html([part], precision)}</div>" for part in parts)
    return f"<section><h2>{shown(title)}</h2>{tables}{below}</section>"


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON in which nothing ends a script or begins a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
