"""Results that print as the commands print them, and export tables: CSV, Markdown, LaTeX, HTML and data frames."""

import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, dataclass_transform

from ..exceptions import InputError, printable, require_choice
from .table import EMPTY, Cell, Copyable, Number, Part, Precision, Table, styled
from .table import Text as Piece

INTERVALS = ("brackets", "plus-minus")
"""How LaTeX shows intervals: as both bounds, or as half their distance."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "·": r"\textperiodcentered{}",
    "±": r"\textpm{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}
"""Special characters in LaTeX."""

_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~&#$]")
_WORDS = re.compile(r"(?<=[^\W_])_(?=[^\W_])")

_NUMBERS = "text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap"
_NAMES = "text-align: left"
_SMALL = "font-size: smaller; opacity: 0.75; overflow-wrap: anywhere"


def to_csv(tables: Iterable[Table], precision: Precision) -> str:
    """Write tables of the same kind as one CSV table (RFC 4180, but with newlines), which pandas can read.

    An interval becomes two columns, `<key>_low` and `<key>_high`. Without `digits`, numbers are written with all
    digits; NaN is written as `nan`.
    """
    text = io.StringIO()
    heads, rows = grid(tables, precision)
    csv.writer(text, lineterminator="\n").writerows([heads, *rows])
    return text.getvalue()


def to_frame(tables: Iterable[Table]) -> Any:
    """Convert tables of the same kind to a data frame, with a column for each key and two more for each interval."""
    import pandas

    heads, rows = grid(tables)
    return pandas.DataFrame(list(rows), columns=heads)


def by_kind(parts: Iterable[Part]) -> dict[str, list[Table]]:
    """Group the tables among parts by kind; tables without a kind are grouped by title."""
    groups: dict[str, list[Table]] = {}
    for part in parts:
        if isinstance(part, Table):
            groups.setdefault(part.kind or part.title, []).append(part)
    return groups


def of_kind(groups: Mapping[str, list[Table]], kind: str | None) -> list[Table]:
    """Return the tables of a kind, by default the first kind; raise an `InputError` if there are none."""
    if kind is not None and kind not in groups:
        listed = ", ".join(map(repr, groups)) or "none"
        raise InputError(f"{kind!r} is not a kind of table of this result.", f"The kinds are: {listed}.")
    return next(iter(groups.values()), []) if kind is None else groups[kind]


def grid(tables: Iterable[Table], precision: Precision | None = None) -> tuple[list[str], Iterator[list[Any]]]:
    """Join tables of the same kind; returns the columns, and an iterator over rows. Missing values are None.

    Args:
        tables: tables of the same kind.
        precision: how numbers are rounded and scaled; None leaves them unchanged.
    """
    keyed = [(table, ["", *(table.keys or [re.sub(r"\W+", "_", head) for head in table.heads])]) for table in tables]
    heads: dict[str, None] = {}
    for table, keys in keyed:
        bounded: set[str] = set()
        for row in filter(None, table.rows):
            bounded.update(name for name, value in _record(table, keys, row, None).items() if value is not None)
        first = [*table.about, table.names or table.title]
        shown = [name for key in keys[1:] if key for name in (key, f"{key}_low", f"{key}_high") if name in bounded]
        heads.update(dict.fromkeys([*first, *shown]))
    records = (_record(table, keys, row, precision) for table, keys in keyed for row in filter(None, table.rows))
    return list(heads), ([record.get(name) for name in heads] for record in records)


def _record(table: Table, keys: Sequence[str], row: Sequence[Cell], precision: Precision | None) -> dict[str, Any]:
    record: dict[str, Any] = {**table.about, table.names or table.title: _plain(row[0], None)}
    for key, cell in zip(keys[1:], row[1:], strict=True):
        if not key:
            continue
        record[key] = _plain(cell, precision)
        if isinstance(cell, Number) and cell.interval is not None:
            low, high = cell.interval
            for end, value in (("low", low), ("high", high)):
                record[f"{key}_{end}"] = _plain(Number(value, cell.kind), precision)
    return record


def _plain(cell: Cell, precision: Precision | None) -> Any:
    """Convert a cell to a number or a text; None for an empty cell."""
    if not isinstance(cell, Number):
        text = styled(cell)[0]
        return None if text in ("", EMPTY) else text.strip()
    if precision is None:
        return cell.value
    (value,) = precision.scaled(Number(cell.value, cell.kind))
    if precision.digits is not None and cell.kind in ("score", "plain"):
        return f"{value:.{precision.digits}f}"
    # multiplying by 100 adds meaningless digits
    return float(f"{value:.15g}") if isinstance(value, float) and value != cell.value else value


def to_markdown(parts: Iterable[Part], precision: Precision) -> str:
    """Write tables as Markdown's pipe tables, other lines as paragraphs, and copyable lines as code."""
    blocks = []
    for part in parts:
        if isinstance(part, Table):
            blocks.append("\n".join(_markdown_table(part, precision)))
        elif isinstance(part, Copyable):
            blocks += map(_code, part.texts)
        elif not isinstance(part, list) and part:
            text, style = styled(part)
            blocks.append(_bold(_markdown(text), "bold" in style, "**"))
    return "\n\n".join(blocks) + "\n"


def _markdown_table(table: Table, precision: Precision) -> list[str]:
    rows = [[_markdown_cell(cell, precision) for cell in row] for row in table.rows if row is not None]
    heads = [_markdown(head.replace("\n", " ")) for head in (table.title, *table.heads)]
    rule = ["---"] * table.left + ["---:"] * (len(heads) - table.left)
    return [f"| {' | '.join(line)} |" for line in (heads, rule, *rows)]


def _markdown_cell(cell: Cell, precision: Precision) -> str:
    if isinstance(cell, Number):
        point, *bounds = map(_markdown, precision.texts(cell))
        return _bold(point, cell.best, "**") + (rf" \[{', '.join(bounds)}\]" if bounds else "")
    return _markdown(styled(cell)[0].strip())


def _markdown(text: str) -> str:
    """Escape a text for Markdown, except underscores within words."""
    kept = {match.start() for match in _WORDS.finditer(text)}
    return _MARKDOWN.sub(lambda match: match[0] if match.start() in kept else f"\\{match[0]}", printable(text))


def _code(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks}{printable(text)}{ticks}"


def _bold(text: str, bold: bool, mark: str) -> str:
    return f"{mark}{text}{mark}" if bold and text else text


def to_latex(parts: Iterable[Part], precision: Precision, *, intervals: str = "brackets") -> str:
    """Write tables for LaTeX (booktabs), with the best value of a column in bold; other lines become comments.

    Args:
        parts: tables and lines.
        precision: how numbers are written.
        intervals: how intervals are shown, see `INTERVALS`.
    """
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += _latex_table(part, precision, intervals)
        elif part:
            texts = part.texts if isinstance(part, Copyable) else ["".join(styled(cell)[0] for cell in _cells(part))]
            lines += [f"% {printable(text)}" for text in texts]
        elif lines:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _latex_table(table: Table, precision: Precision, intervals: str) -> list[str]:
    columns = "l" * table.left + "r" * (1 + len(table.heads) - table.left)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    heads = [latex(head.replace("\n", " ")) for head in (table.title, *table.heads)]
    rows = [None if row is None else [_latex_cell(cell, precision, intervals) for cell in row] for row in table.rows]
    for cells in (heads, None, *rows):
        line = r"\midrule" if cells is None else " & ".join(cells) + r" \\"
        # a bracket or an asterisk would be an argument of the line break before it
        lines.append(f"{{}}{line}" if line.startswith(("[", "*")) else line)
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _latex_cell(cell: Cell, precision: Precision, intervals: str) -> str:
    if not isinstance(cell, Number):
        return latex(styled(cell)[0].strip())
    point, *bounds = (_latex_number(text) for text in precision.texts(cell))
    shown = rf"\textbf{{{point}}}" if cell.best else point
    if not bounds:
        return shown
    if intervals == "plus-minus":
        low, high = cell.interval or (0.0, 0.0)
        half = precision.text(Number((high - low) / 2, cell.kind))
        return f"{shown} $\\pm$ {_latex_number(half)}"
    return f"{shown} [{', '.join(bounds)}]"


def _latex_number(text: str) -> str:
    """Convert the hyphen of a number to a minus, and remove the space after commas."""
    text = latex(text)
    return f"${text[0]}${text[1:]}" if text[:1] in ("-", "+") else text


def latex(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_LATEX.get(char, char) for char in printable(text))


def to_html(parts: Iterable[Part], precision: Precision) -> str:
    """Write parts as HTML for a notebook: numbers are right-aligned, copyable lines are small."""
    blocks: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            blocks.append(_html_table(part, precision))
        elif isinstance(part, Copyable):
            lines = (f'<div style="{_SMALL}"><code>{escape(printable(line))}</code></div>' for line in part.folded())
            blocks += lines
        elif part:
            pieces = (_html_text(cell) for cell in _cells(part))
            blocks.append(f"<div>{''.join(pieces)}</div>")
    return f"<div>{''.join(blocks)}</div>"


def _html_table(table: Table, precision: Precision) -> str:
    def cell(tag: str, place: int, content: str) -> str:
        return f'<{tag} style="{_NAMES if place < table.left else _NUMBERS}">{content}</{tag}>'

    heads = ["<br>".join(escape(printable(line)) for line in head.split("\n")) for head in (table.title, *table.heads)]
    rows = []
    for row in table.rows:
        if row is not None:
            cells = [_html_cell(item, precision) for item in row]
            rows.append(f"<tr>{''.join(cell('td', place, text) for place, text in enumerate(cells))}</tr>")
    head = "".join(cell("th", place, text) for place, text in enumerate(heads))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _html_cell(cell: Cell, precision: Precision) -> str:
    if not isinstance(cell, Number):
        return _html_text(cell)
    point, *bounds = map(escape, precision.texts(cell))
    shown = f"<b>{point}</b>" if cell.best or cell.style == "bold" else point
    return f"{shown} <small>[{', '.join(bounds)}]</small>" if bounds else shown


def _html_text(piece: Piece) -> str:
    text, style = styled(piece)
    shown = escape(printable(text))
    return f"<b>{shown}</b>" if "bold" in style else shown


def _cells(part: Piece | list[Piece]) -> list[Piece]:
    return part if isinstance(part, list) else [part]


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False, field_specifiers=(field,))
class Result(ABC):
    """A result. It prints as text, shows as HTML in notebooks, and can be exported as tables.

    Each table has a kind; tables of the same kind are joined in CSV and data frames. Subclasses are frozen dataclasses.
    """

    def __init_subclass__(cls, *, eq: bool = False, kw_only: bool = True) -> None:
        """Make the subclass a frozen dataclass."""
        super().__init_subclass__()
        dataclass(cls, frozen=True, repr=False, eq=eq, kw_only=kw_only)

    @abstractmethod
    def parts(self) -> Iterable[Part]:
        """Return the lines, tables and signatures that are printed."""

    def tables(self) -> Sequence[Table]:
        """Return all tables, including those that are printed only on request."""
        return [part for part in self.parts() if isinstance(part, Table)]

    def __str__(self) -> str:
        """Return the text that the command line prints."""
        from .screen import text_of

        return text_of(self.parts()).rstrip("\n")

    def __repr__(self) -> str:
        """Return the same text as `str`."""
        return str(self)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        return to_html(self.parts(), Precision())

    def to_frame(self, table: str | None = None) -> Any:
        """Convert the tables of one kind to a pandas data frame; numbers are not rounded.

        An interval becomes two columns, `<key>_low` and `<key>_high`.

        Args:
            table: the kind of tables; by default the first one.

        Raises:
            InputError: if there is no such kind.
        """
        return to_frame(of_kind(by_kind(self.tables()), table))

    def to_csv(self, table: str | None = None, *, digits: int | None = None, percent: bool = False) -> str:
        """Write the tables of one kind as one CSV table.

        Args:
            table: the kind of tables; by default the first one, as in `to_frame`.
            digits: the number of decimals of scores; by default all.
            percent: whether proportions are written as percentages.

        Raises:
            InputError: if there is no such kind.
        """
        return to_csv(of_kind(by_kind(self.tables()), table), Precision(digits=digits, percent=percent))

    def to_markdown(self, table: str | None = None, *, digits: int | None = None, percent: bool = False) -> str:
        """Write tables as Markdown, with the best values in bold and the signatures at the end.

        Args:
            table: the kind of tables; by default all that are printed.
            digits: the number of decimals of scores; by default 4, or 2 in percent.
            percent: whether proportions are written as percentages.

        Raises:
            InputError: if there is no such kind.
        """
        return to_markdown(self._exported(table), Precision(digits=digits, percent=percent))

    def to_latex(
        self,
        table: str | None = None,
        *,
        digits: int | None = None,
        percent: bool = False,
        intervals: str = "brackets",
    ) -> str:
        r"""Write tables for LaTeX (`\usepackage{booktabs}`), with the best of several systems in bold.

        The signatures follow as comments.

        Args:
            table: the kind of tables; by default all that are printed.
            digits: the number of decimals of scores; by default 4, or 2 in percent.
            percent: whether proportions are written as percentages.
            intervals: `brackets` shows both bounds. `plus-minus` shows half their distance, which hides that BCa
                intervals are not symmetric.

        Raises:
            InputError: if there is no such kind.
        """
        require_choice("intervals", intervals, INTERVALS)
        return to_latex(self._exported(table), Precision(digits=digits, percent=percent), intervals=intervals)

    def _exported(self, kind: str | None) -> list[Part]:
        """Return the tables of a kind, or all that are printed, with the signatures and notes."""
        if kind is not None:
            signatures = (part for part in self.parts() if isinstance(part, Copyable))
            return [*of_kind(by_kind(self.tables()), kind), *signatures]
        return [part for part in self.parts() if part and not isinstance(part, list)]
