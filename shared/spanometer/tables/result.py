"""Results that print as the commands print them, and can be exported as tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from ..exceptions import require_choice
from .exports import INTERVALS, by_kind, of_kind, to_csv, to_frame, to_html, to_latex, to_markdown
from .table import Copyable, Part, Precision, Table


class Result(ABC):
    """A result. It prints as text, shows as HTML in notebooks, and can be exported as tables.

    Each table has a kind; tables of the same kind are joined in CSV and data frames.
    """

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
