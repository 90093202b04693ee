"""Results that print as the commands print them, and export tables: CSV, Markdown, LaTeX, HTML and data frames."""

import csv
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, dataclass_transform

from ..exceptions import InputError, all_of, printable, require_choice
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
        raise InputError(f"this result has no table of the kind {kind!r}.", f"{all_of('kind', groups, 'The')}.")
    return next(iter(groups.values()), []) if kind is None else groups[kind]


def grid(tables: Iterable[Table], precision: Precision | None = None) -> tuple[list[str], Iterator[list[Any]]]:
    """Join tables of the same kind; returns the columns, and an iterator over rows. Missing values are None.

    Args:
        tables: tables of the same kind.
        precision: how numbers are rounded and scaled; None leaves them unchanged.
    """
    keyed = [(table, table.keys or [re.sub(r"\W+", "_", head) for head in table.heads]) for table in tables]
    heads: dict[str, None] = {}
    for table, keys in keyed:
        filled = {name for record in _records(table, keys, None) for name, value in record.items() if value is not None}
        named = (name for key in keys if key for name in (key, f"{key}_low", f"{key}_high") if name in filled)
        heads.update(dict.fromkeys([*table.about, table.names or table.title, *named]))
    records = (record for table, keys in keyed for record in _records(table, keys, precision))
    return list(heads), ([record.get(name) for name in heads] for record in records)


def _records(table: Table, keys: Sequence[str], precision: Precision | None) -> Iterator[dict[str, Any]]:
    """Yield the values of each row by key, with the bounds of intervals."""
    for name, *cells in filter(None, table.rows):
        record = {**table.about, table.names or table.title: _plain(name, None)}
        for key, cell in zip(keys, cells, strict=True):
            if key:
                record[key] = _plain(cell, precision)
            if key and isinstance(cell, Number) and cell.interval is not None:
                for end, value in zip(("low", "high"), cell.interval, strict=True):
                    record[f"{key}_{end}"] = _plain(Number(value, cell.kind), precision)
        yield record


def _plain(cell: Cell, precision: Precision | None) -> Any:
    """Convert a cell to a number or a text; None for an empty cell."""
    if not isinstance(cell, Number):
        text = styled(cell)[0]
        return None if text in ("", EMPTY) else text.strip()
    if precision is None:
        return cell.value
    value, *_ = precision.scaled(cell)
    if precision.digits is not None and cell.kind in ("score", "plain"):
        return f"{value:.{precision.digits}f}"
    # multiplying by 100 adds meaningless digits
    return float(f"{value:.15g}") if isinstance(value, float) and value != cell.value else value


@dataclass(frozen=True)
class _Markup:
    """How cells are written in a markup language.

    Attributes:
        text, number: functions that escape a text, and a written number.
        bold, interval: the templates of bold texts and of intervals.
        styles: whether texts and numbers with a bold style are bold, besides the best number of a column.
    """

    text: Callable[[str], str]
    number: Callable[[str], str]
    bold: str
    interval: str
    styles: bool = False

    def piece(self, piece: Piece) -> str:
        """Write a text, in bold if that is its style."""
        text, style = styled(piece)
        return self.bold % self.text(text) if "bold" in style and text else self.text(text)

    def cell(self, cell: Cell, precision: Precision) -> str:
        """Write a cell: a number with its interval, or a text."""
        if not isinstance(cell, Number):
            return self.piece(cell) if self.styles else self.text(styled(cell)[0].strip())
        point, *bounds = map(self.number, precision.texts(cell))
        shown = self.bold % point if cell.best or (self.styles and cell.style == "bold") else point
        return shown + (self.interval % ", ".join(bounds) if bounds else "")

    def heads(self, table: Table) -> list[str]:
        """Write the headers of all columns."""
        return [self.text(head.replace("\n", " ")) for head in (table.title, *table.heads)]

    def rows(self, table: Table, precision: Precision) -> list[list[str] | None]:
        """Write the cells of all rows; None means a line between rows."""
        return [None if row is None else [self.cell(cell, precision) for cell in row] for row in table.rows]


def _markdown(text: str) -> str:
    """Escape a text for Markdown, except underscores within words."""
    kept = {match.start() for match in _WORDS.finditer(text)}
    return _MARKDOWN.sub(lambda match: match[0] if match.start() in kept else f"\\{match[0]}", printable(text))


def latex(text: str) -> str:
    """Escape a text for LaTeX."""
    return "".join(_LATEX.get(char, char) for char in printable(text))


def _latex_number(text: str) -> str:
    """Convert the hyphen of a number to a minus, and remove the space after commas."""
    text = latex(text)
    return f"${text[0]}${text[1:]}" if text[:1] in ("-", "+") else text


def _html(text: str) -> str:
    return escape(printable(text))


_IN_MARKDOWN = _Markup(_markdown, _markdown, "**%s**", r" \[%s\]")
_IN_LATEX = _Markup(latex, _latex_number, r"\textbf{%s}", " [%s]")
_IN_HTML = _Markup(_html, _html, "<b>%s</b>", " <small>[%s]</small>", styles=True)


def to_markdown(parts: Iterable[Part], precision: Precision) -> str:
    """Write tables as Markdown's pipe tables, other lines as paragraphs, and copyable lines as code."""
    blocks = []
    for part in parts:
        if isinstance(part, Table):
            heads = _IN_MARKDOWN.heads(part)
            rule = ["---"] * part.left + ["---:"] * (len(heads) - part.left)
            rows = filter(None, (heads, rule, *_IN_MARKDOWN.rows(part, precision)))
            blocks.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
        elif isinstance(part, Copyable):
            blocks += map(_code, part.texts)
        elif not isinstance(part, list) and part:
            blocks.append(_IN_MARKDOWN.piece(part))
    return "\n\n".join(blocks) + "\n"


def _code(text: str) -> str:
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks}{printable(text)}{ticks}"


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
            lines += _latex_table(part, precision, half=intervals == "plus-minus")
        elif part:
            texts = part.texts if isinstance(part, Copyable) else ["".join(styled(cell)[0] for cell in _cells(part))]
            lines += [f"% {printable(text)}" for text in texts]
        elif lines:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _latex_table(table: Table, precision: Precision, *, half: bool) -> list[str]:
    """Write the lines of a table; if `half` is True, half of each interval follows a plus-minus sign."""

    def cell(cell: Cell) -> str:
        if not half or not isinstance(cell, Number) or cell.interval is None:
            return _IN_LATEX.cell(cell, precision)
        low, high = cell.interval
        width = precision.text(Number((high - low) / 2, cell.kind))
        return f"{_IN_LATEX.cell(replace(cell, interval=None), precision)} $\\pm$ {_latex_number(width)}"

    columns = "l" * table.left + "r" * (1 + len(table.heads) - table.left)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    for cells in (_IN_LATEX.heads(table), None, *(None if row is None else list(map(cell, row)) for row in table.rows)):
        line = r"\midrule" if cells is None else " & ".join(cells) + r" \\"
        # a bracket or an asterisk would be an argument of the line break before it
        lines.append(f"{{}}{line}" if line.startswith(("[", "*")) else line)
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def to_html(parts: Iterable[Part], precision: Precision) -> str:
    """Write parts as HTML for a notebook: numbers are right-aligned, copyable lines are small."""
    blocks: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            blocks.append(_html_table(part, precision))
        elif isinstance(part, Copyable):
            blocks += [f'<div style="{_SMALL}"><code>{_html(line)}</code></div>' for line in part.folded()]
        elif part:
            blocks.append(f"<div>{''.join(map(_IN_HTML.piece, _cells(part)))}</div>")
    return f"<div>{''.join(blocks)}</div>"


def _html_table(table: Table, precision: Precision) -> str:
    def row(tag: str, cells: Sequence[str]) -> str:
        styles = [_NAMES] * table.left + [_NUMBERS] * (len(cells) - table.left)
        shown = (f'<{tag} style="{style}">{cell}</{tag}>' for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(shown)}</tr>"

    heads = ["<br>".join(map(_html, head.split("\n"))) for head in (table.title, *table.heads)]
    rows = (row("td", cells) for cells in _IN_HTML.rows(table, precision) if cells is not None)
    return f"<table><thead>{row('th', heads)}</thead><tbody>{''.join(rows)}</tbody></table>"


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
        import pandas

        heads, rows = grid(of_kind(by_kind(self.tables()), table))
        return pandas.DataFrame(list(rows), columns=heads)

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
        self, table: str | None = None, *, digits: int | None = None, percent: bool = False, intervals: str = "brackets"
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
        shown: list[Part] = [part for part in self.parts() if part and not isinstance(part, list)]
        if kind is None:
            return shown
        return [*of_kind(by_kind(self.tables()), kind), *(part for part in shown if isinstance(part, Copyable))]
