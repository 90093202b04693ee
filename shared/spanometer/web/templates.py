"""The renderer of all HTML: templates of Jinja2, in which every text from outside is escaped."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..exceptions import InputError, printable
from ..readers.writing import writing
from ..tables.exports import to_html
from ..tables.table import Part, Precision, Table
from ..version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent

_LONGEST = 120


@dataclass(frozen=True)
class Section:
    """A section of a report: tables, and a note below them.

    Attributes:
        title: its heading.
        tables: the tables.
        note: the text below them.
        name: of its file as CSV.
        links: where cells of each table lead, by row and column.
    """

    title: str
    tables: Sequence[Table] = ()
    note: str = ""
    name: str = "table"
    links: Sequence[Mapping[tuple[int, int], str]] = ()


def require_html(path: str | os.PathLike[str]) -> None:
    """Raise an `InputError` unless a path is the name of a page."""
    if os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise InputError(f"{os.fspath(path)!r} is not the name of a page.", "End the name in .html.")


def write_page(path: str | os.PathLike[str], page: Callable[[], str]) -> None:
    """Write a page into a file, replacing an existing file; check the name before the page is made."""
    require_html(path)
    with writing(path, replace=True) as stream:
        stream.write(page().encode())


def render(template: str, *, folder: Path = _HERE, **values: Any) -> str:
    """Fill a template.

    Args:
        template: the name of its file.
        folder: the folder of the template; its templates can use the templates beside this module.
        values: of the template. Nothing in their texts is markup or a script.
    """
    html: str = _environment(folder).get_template(template).render(**values)
    return html


def read_file(name: str) -> str:
    """Read a file that lies beside this module: a style or a script."""
    return (_HERE / name).read_text(encoding="utf-8")


def shortened(text: str) -> str:
    """Cut off a word or a label that is longer than any should be."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def shown(text: str) -> str:
    """Write a name or a value on one line: shortened, control characters as escapes."""
    return printable(shortened(text))


def number(value: float) -> str:
    """Write a score with four decimals, a count without; `undefined` for NaN."""
    if isinstance(value, int):
        return f"{value:,}"
    return "undefined" if math.isnan(value) else f"{value:.4f}".replace("-", "−")


@cache
def _environment(folder: Path) -> Environment:
    # imported when HTML is made, which few commands do
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader([folder, _HERE]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )

    def tables(parts: Iterable[Part], precision: Precision | None = None) -> Markup:
        return Markup(to_html(parts, precision or Precision()))

    environment.filters.update(number=number, printable=printable, shortened=shortened, shown=shown, tables=tables)
    environment.globals.update(version=__version__, read_file=lambda name: Markup(read_file(name)))
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment
