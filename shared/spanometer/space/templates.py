"""HTML made from the templates that lie beside this module; its texts are no templates of Gradio's either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..exceptions import InputError, spell_python
from ..tables.table import Table
from ..web.templates import Section, shortened
from ..web.templates import render as fill

# Gradio fills templates between these marks, also in values
_TEMPLATE_MARKS = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "@": "&#64;"})

_HERE = Path(__file__).parent

SHOWN_ROWS = 200
"""How many rows a table shows; everything is scored."""

_SHOWN_WORDS = 60


def read_file(name: str) -> str:
    """Read a file that lies beside this module: a style, a script or data."""
    return (_HERE / name).read_text(encoding="utf-8")


def render(template: str, **values: Any) -> str:
    """Fill a template.

    Args:
        template: the name of the file.
        values: of the template. Nothing in their texts is markup, a script or a template of Gradio's.
    """
    return fill(template, folder=_HERE, **values).translate(_TEMPLATE_MARKS)


def excerpt(words: Sequence[str]) -> str:
    """Join the first words of a text or a span."""
    return " ".join(map(shortened, words[:_SHOWN_WORDS])) + (" …" if len(words) > _SHOWN_WORDS else "")


def first_rows(title: str, table: Table, note: str = "") -> Section:
    """Make a section of a table's first rows."""
    rows = table.rows
    cut = f" Shown: the first {SHOWN_ROWS:,} of {len(rows):,} rows. All are scored." if len(rows) > SHOWN_ROWS else ""
    shown_table = Table(table.title, table.heads, rows[:SHOWN_ROWS], left=table.left)
    return Section(title, [shown_table] if rows else [], f"{note}{cut}" if rows else "There are none.")


def error_message(error: InputError, spell: Callable[[str, str | None], str] = spell_python) -> str:
    """Write an error as HTML: its place, its problem and its remedy.

    Args:
        error: the error.
        spell: names an option as the page does, see `errors.spelled`.
    """
    problem, remedy = error.texts(spell)
    # the name of a file stays as it is; "prediction" begins a sentence
    place = error.place if "." in (error.source or "") else f"{error.place[:1].upper()}{error.place[1:]}"
    return render("error.html", place=place, problem=problem, remedy=remedy)
