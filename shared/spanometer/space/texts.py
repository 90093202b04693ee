"""The templates, texts and examples of the pages, which are in this folder, and the URLs of their Spaces."""

import os
import tomllib
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..exceptions import InputError, spell_python
from ..measures.registry import PAGE_MEASURES
from ..tables.table import Table
from ..web.templates import Section, shortened
from ..web.templates import render as fill

# Gradio fills templates between these marks, also in values
_TEMPLATE_MARKS = str.maketrans({"{": "&#123;", "}": "&#125;", "$": "&#36;", "`": "&#96;", "@": "&#64;"})

_HERE = Path(__file__).parent

SHOWN_ROWS = 200
"""The maximum number of rows in a table that are shown; everything is scored."""

_SHOWN_WORDS = 60


def read_file(name: str) -> str:
    """Read a style, a script or data from this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def render(template: str, **values: Any) -> str:
    """Fill a template.

    Args:
        template: the name of the file.
        values: the values for the template; their texts are escaped, also for Gradio's templates.
    """
    return fill(template, folder=_HERE, **values).translate(_TEMPLATE_MARKS)


def excerpt(words: Sequence[str]) -> str:
    """Return the first words of a text or a span."""
    return " ".join(map(shortened, words[:_SHOWN_WORDS])) + (" …" if len(words) > _SHOWN_WORDS else "")


def first_rows(title: str, table: Table, note: str = "") -> Section:
    """Return a section with the first rows of a table."""
    rows = table.rows
    cut = f" Shown: the first {SHOWN_ROWS:,} of {len(rows):,} rows. All are scored." if len(rows) > SHOWN_ROWS else ""
    shown_table = Table(table.title, table.heads, rows[:SHOWN_ROWS], left=table.left)
    return Section(title, [shown_table] if rows else [], f"{note}{cut}" if rows else "There are none.")


def error_message(error: InputError, spell: Callable[[str, str | None], str] = spell_python) -> str:
    """Return an error as HTML: its place, the problem and the remedy.

    Args:
        error: the error.
        spell: a function that writes an option as the page names it, see `exceptions.spelled`.
    """
    problem, remedy = error.texts(spell)
    # names of files are not changed; "prediction" begins a sentence
    place = error.place if "." in (error.source or "") else f"{error.place[:1].upper()}{error.place[1:]}"
    return render("error.html", place=place, problem=problem, remedy=remedy)


HOME = "https://github.com/spanometer/spanometer"


@cache
def texts() -> dict[str, Any]:
    """Read the texts of the pages: titles, intros, labels, and names of scores."""
    return tomllib.loads(read_file("pages.toml"))


def space_of(name: str) -> str:
    """Return the name of a Space in the namespace of the running Space (from an environment variable of the Hub)."""
    namespace, slash, _ = os.environ.get("SPACE_ID", "").partition("/")
    return f"{namespace if slash else 'spanometer'}/{name}"


def titled() -> dict[str, str]:
    """Return the URLs of the Spaces by their titles."""
    names = {measure_title(name): name for name in (*PAGE_MEASURES, *texts()["measures"])}
    names |= {app["title"]: name for name, app in texts()["apps"].items()}
    return {title: f"https://huggingface.co/spaces/{space_of(name)}" for title, name in names.items()}


def measure_title(name: str) -> str:
    """Return the title of a measure's page; if it has none, return its name as a title."""
    return str(texts()["measures"].get(name, {}).get("title", name.replace("_", " ").capitalize()))


@cache
def examples_of(kind: str) -> dict[str, dict[str, str]]:
    """Return the examples for a kind of input: by the name of the example, the texts that a click puts into the fields.

    Args:
        kind: the kind of input, see `Measure.input`; or `answers` of language models, or `teams` of annotators.
    """
    declared = tomllib.loads(read_file("examples.toml"))
    text = partial(_text, [line.split() for line in declared["sentences"].splitlines()])
    return {example.pop("name"): {field: text(value) for field, value in example.items()} for example in declared[kind]}


def _text(rows: Sequence[Sequence[str]], value: Any) -> str:
    """Return an example's text: its own text, or the chosen columns of the rows."""
    if isinstance(value, str):
        return value.strip()
    return "".join(" ".join(row[column] for column in value if row) + "\n" for row in rows if value)
