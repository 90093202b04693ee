"""HTML made from the templates that lie beside this module; its texts are no templates of Gradio's either."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..exceptions import InputError, spell_python
from ..web.templates import render as fill

# Gradio fills templates between these, also in what it is given
_TEMPLATE_MARKS = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "@": "&#64;"})

_HERE = Path(__file__).parent


def read_file(name: str) -> str:
    """Read a file that lies beside this module: a style, a script or data."""
    return (_HERE / name).read_text(encoding="utf-8")


def render(template: str, **values: Any) -> str:
    """Fill a template.

    Args:
        template: the name of the file.
        values: what the template shows. Nothing in their texts is markup, a script or a template of Gradio's.
    """
    return fill(template, folder=_HERE, **values).translate(_TEMPLATE_MARKS)


def error_message(error: InputError, spell: Callable[[str, str | None], str] = spell_python) -> str:
    """Write an error as HTML: what is wrong and what to do, in words.

    Args:
        error: the error.
        spell: how the page calls options, see `errors.spelled`.
    """
    problem, remedy = error.texts(spell)
    # the name of a file stays as it is; "prediction" begins a sentence
    place = error.place if "." in (error.source or "") else f"{error.place[:1].upper()}{error.place[1:]}"
    return render("error.html", place=place, problem=problem, remedy=remedy)
