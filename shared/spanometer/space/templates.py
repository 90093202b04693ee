"""The files that lie beside the pages' modules, and HTML made from them: every text from outside is escaped."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from ..exceptions import InputError, printable, spell_python

# Gradio fills templates between these, also in what it is given
_TEMPLATE_MARKS = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "@": "&#64;"})

_LONGEST = 120


def read_file(name: str) -> str:
    """Return the text of a file that lies beside this module: a template, a style, a script or data."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def render(template: str, **values: Any) -> str:
    """Fill a template.

    Args:
        template: the name of the file.
        values: what the template shows. Nothing in their texts is markup, a script or a template of Gradio's.
    """
    html: str = _ENVIRONMENT.get_template(template).render(**values)
    return html.translate(_TEMPLATE_MARKS)


def error_message(error: InputError, spell: Callable[[str, str | None], str] = spell_python) -> str:
    """Return an error as HTML: what is wrong and what to do, in words.

    Args:
        error: the error.
        spell: how the page calls options, see `errors.spelled`.
    """
    problem, remedy = error.texts(spell)
    # the name of a file stays as it is
    place = error.place if error.source else f"{error.place[:1].upper()}{error.place[1:]}"
    return render("error.html", place=place, problem=problem, remedy=remedy)


def shortened(text: str) -> str:
    """Cut off a word or a label that is longer than any should be."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def shown(text: str) -> str:
    """Return a name or a value on one line: shortened, control characters as escapes."""
    return printable(shortened(text))


def number(value: float) -> str:
    """Return a score with four decimals, a count without; `undefined` for NaN."""
    if isinstance(value, int):
        return f"{value:,}"
    return "undefined" if math.isnan(value) else f"{value:.4f}".replace("-", "−")


_ENVIRONMENT = Environment(
    loader=FunctionLoader(read_file), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
)
_ENVIRONMENT.filters.update(number=number, shortened=shortened, shown=shown)
