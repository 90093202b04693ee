"""Rendering of HTML with Jinja2 templates; all texts are escaped."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..exceptions import InputError, printable
from ..tables.result import to_html
from ..tables.table import Part, Precision, Table
from ..version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent

_LONGEST = 120


@dataclass(frozen=True)
class Section:
    """A section of a report: tables, with a note below them.

    Attributes:
        title: its title.
        tables: the tables.
        note: the text below the tables.
        name: the name of its CSV file.
        links: the links of cells in each table, by row and column.
    """

    title: str
    tables: Sequence[Table] = ()
    note: str = ""
    name: str = "table"
    links: Sequence[Mapping[tuple[int, int], str]] = ()


def require_html(path: str | os.PathLike[str]) -> str:
    """Return the path; raise an `InputError` unless the name of the file ends in .html."""
    if os.path.splitext(path)[1].lower() not in (".html", ".htm"):
        raise InputError(f"{os.fspath(path)!r} is not the name of an HTML page.", "Use a name that ends in .html.")
    return os.fspath(path)


def render(template: str, *, folder: Path = _HERE, **values: Any) -> str:
    """Fill a template.

    Args:
        template: the name of the template's file.
        folder: the folder of the template. It can also use the templates in this folder.
        values: the values for the template; their texts are escaped.
    """
    html: str = _environment(folder).get_template(template).render(**values)
    return html


def read_file(name: str) -> str:
    """Read a style or script from this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def shortened(text: str) -> str:
    """Shorten a very long word or label."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def shown(text: str) -> str:
    """Write a name or value on one line: shortened, and with control characters escaped."""
    return printable(shortened(text))


def number(value: float) -> str:
    """Write a score with four decimals, a count without decimals, and NaN as `undefined`."""
    if isinstance(value, int):
        return f"{value:,}"
    return "undefined" if math.isnan(value) else f"{value:.4f}".replace("-", "−")


@cache
def _environment(folder: Path) -> "Environment":
    # imported late, because few commands write HTML
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    loader = FileSystemLoader([folder, _HERE])
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )

    def tables(parts: Iterable[Part], precision: Precision | None = None) -> Markup:
        return Markup(to_html(parts, precision or Precision()))

    environment.filters.update(number=number, printable=printable, shortened=shortened, shown=shown, tables=tables)
    environment.globals.update(version=__version__, read_file=lambda name: Markup(read_file(name)))
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment
