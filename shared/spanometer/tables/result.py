"""Results that print as commands print them, and export as tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from ..exceptions import require_choice
from .exports import INTERVALS, by_kind, of_kind, to_csv, to_frame, to_html, to_latex, to_markdown
from .table import Copyable, Part, Precision, Table


class Result(ABC):
    """A result: it prints as text, shows as HTML in notebooks, and exports as tables.

    Its tables have kinds; tables of one kind are joined in CSV and data frames.
    """

    @abstractmethod
    def parts(self) -> Iterable[Part]:
        """List the lines, tables and signatures that are printed."""

    def tables(self) -> Sequence[Table]:
        """List all tables, also tables that are only printed on request."""
        return [part for part in self.parts() if isinstance(part, Table)]

    def __str__(self) -> str:
        """Write the text that the command line prints."""
        from .screen import text_of

        return text_of(self.parts()).rstrip("\n")

    def __repr__(self) -> str:
        """Write the same text as `str`."""
        return str(self)

    def _repr_html_(self) -> str:
        """Write HTML for notebooks."""
        return to_html(self.parts(), Precision())

    def to_frame(self, table: str | None = None) -> Any:
        """Convert tables of one kind to one pandas data frame, with numbers as they are.

        An interval takes two columns, `<key>_low` and `<key>_high`.

        Args:
            table: the kind of tables; by default the first one.

        Raises:
            InputError: for an unknown kind.
        """
        return to_frame(of_kind(by_kind(self.tables()), table))

    def to_csv(self, table: str | None = None, *, digits: int | None = None, percent: bool = False) -> str:
        """Write tables of one kind as one CSV table.

        Args:
            table: the kind of tables; by default the first one, as in `to_frame`.
            digits: the decimals of scores; by default all.
            percent: whether scores that are shares are in percent.

        Raises:
            InputError: for an unknown kind.
        """
        return to_csv(of_kind(by_kind(self.tables()), table), Precision(digits=digits, percent=percent))

    def to_markdown(self, table: str | None = None, *, digits: int | None = None, percent: bool = False) -> str:
        """Write tables as Markdown, each with the best values in bold; the signatures below.

        Args:
            table: the kind of tables; by default all that are printed.
            digits: the decimals of scores, by default 4, in percent 2.
            percent: whether scores that are shares are in percent.

        Raises:
            InputError: for an unknown kind.
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
        r"""Write tables for LaTeX (`\usepackage{booktabs}`), the best of several systems in bold.

        The signatures follow as comments.

        Args:
            table: the kind of tables; by default all that are printed.
            digits: the decimals of scores, by default 4, in percent 2.
            percent: whether scores that are shares are in percent.
            intervals: `brackets`: both bounds; `plus-minus`: half their distance, which hides that the intervals of BCa
                are longer on one side.

        Raises:
            InputError: for an unknown kind.
        """
        require_choice("intervals", intervals, INTERVALS)
        return to_latex(self._exported(table), Precision(digits=digits, percent=percent), intervals=intervals)

    def _exported(self, kind: str | None) -> list[Part]:
        """Choose the tables of a kind, or all that are printed, with the signatures and notes."""
        if kind is not None:
            signatures = (part for part in self.parts() if isinstance(part, Copyable))
            return [*of_kind(by_kind(self.tables()), kind), *signatures]
        return [part for part in self.parts() if part and not isinstance(part, list)]
