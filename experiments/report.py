"""Every published table, ours beside it: `python -m experiments`.

    result = reproduce(folder="data")
    print(result.to_markdown())

A table's values are made from what comes with the package, or from corpora that do not. Each value that is not the
published one at its printed precision is marked, with the reason if it is known (`differences`). A table that lacks a
corpus is said to be missing, and the others are made.
"""

from __future__ import annotations

import difflib
import os
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from spanometer.exceptions import InputError
from spanometer.tables.exports import to_markdown
from spanometer.tables.table import Part, Precision, Table

from . import chance, decoding, examples, faireval, monotonicity, sl_icm, table4
from .differences import reason_for
from .inputs import Inputs, MissingCorpus
from .published import DATA
from .tables import Cell, PublishedTable, text_table

Values = Callable[[Inputs], Iterable[Cell | str]]
"""Yields the cells of a table and notes; if it lacks a corpus, the cells that were yielded before are shown."""

TABLES: dict[str, dict[str, Values]] = {
    "sl_icm_table1": {
        "sl_icm_table1": sl_icm.properties,
        "sl_icm_table1_as_printed": sl_icm.properties_as_printed,
    },
    "sl_icm_table3": {"sl_icm_table3": sl_icm.table3},
    "sl_icm_table4": {
        "sl_icm_table4": table4.paper,
        "sl_icm_table4_lengths": table4.correct,
        "sl_icm_table4_conclusions": table4.conclusions,
    },
    "chance_simulations": {"chance_simulations": chance.simulations},
    "chance_figure1": {"chance_figure1": chance.figure1},
    "chance_table10": {"chance_table10": chance.table10, "chance_table10_row_i": chance.row_i},
    "eter_examples": {"eter_examples": examples.eter},
    "eter_table3": {"eter_table3": examples.eter_slots},
    "span_attribute": {"span_attribute": examples.span_attribute},
    "faireval": {
        f"faireval_{corpus}_{table.lower()}": partial(faireval.cells, f"{corpus}_spans", table)
        for corpus in ("ner", "chunk")
        for table in ("Traditional", "Fair", "Weighted", "Confusion")
    },
    "fair_examples": {"fair_hub_example": examples.fair_scores, "fair_overlap": examples.fair_overlap},
    "semeval_cases": {"semeval_cases": examples.semeval},
    "mpp": {"mpp": examples.mpp},
    "decoding": {
        "decoding": decoding.policies,
        "decoding_ways": decoding.ways,
        "decoding_differences": decoding.differences,
    },
    "monotonicity": {
        f"monotonicity_{corpus.lower()}_{change}": partial(monotonicity.cells, corpus, change)
        for corpus in monotonicity.CORPORA
        for change in monotonicity.CHANGES
    },
}
"""What can be reproduced, by name; one name may give several tables, with their titles in `data/tables.toml`."""

FIGURE = "chance_figure1"
"""The table that has a picture."""

_INTRODUCTION = (
    "Published tables beside the values that this package gives: ours / published. A value is equal where it rounds to "
    "the printed one; `±1` is within one unit of the last printed digit, `≠` is neither."
    " Made by `python -m experiments`; its help says what it needs."
)


@dataclass(frozen=True)
class Reproduction:
    """Published tables and ours.

    Attributes:
        tables: in the order of `TABLES`.
    """

    tables: tuple[PublishedTable, ...]

    @property
    def unexplained(self) -> list[tuple[PublishedTable, Cell]]:
        """Return all cells that are not equal and have no reason, each with its table."""
        return [(table, cell) for table in self.tables for cell in table.unexplained]

    def summary(self) -> Table:
        """Count the equal cells of each table."""
        rows = []
        for table in self.tables:
            whole = "" if table.missing is None else " (in part)" if table.cells else " (missing)"
            rows.append([table.name, f"{table.title}{whole}", *map(str, table.summary().values())])
        return text_table("table", ["", "published", "equal", "within one unit", "not equal"], rows, left=2)

    @property
    def verdict(self) -> str:
        """Say whether anything differs that is not on record."""
        number = len(self.unexplained)
        if number == 0:
            return "Nothing differs that is not on record."
        return f"{number:,} cell{' differs' if number == 1 else 's differ'} without a reason on record."

    def sections(self, *, all_cells: bool) -> Iterator[tuple[PublishedTable, list[Part]]]:
        """Yield the tables with cells to show: those that are not equal, or all."""
        for table in self.tables:
            parts = list(table.parts(all_cells=all_cells))
            if all_cells or parts:
                yield table, parts

    def lines(self, *, all_cells: bool) -> Iterator[Part]:
        """Yield the summary and the tables for the screen."""
        yield from (("Published tables, ours beside them", "bold"), "", self.summary(), "")
        yield self.verdict, "bold red" if self.unexplained else ""
        for table, parts in self.sections(all_cells=all_cells):
            yield ""
            yield [(table.name, "bold"), f"  {table.title} ({table.source})"]
            yield from parts

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {
            "tables": [table.to_dict() for table in self.tables],
            "unexplained": [
                {"table": table.name, "row": cell.row, "column": cell.column} for table, cell in self.unexplained
            ],
        }

    def to_markdown(self, *, all_cells: bool = False) -> str:
        """Write the summary, and of each table the cells that are not equal, or all; the same at every run."""
        blocks = ["# Every published table\n", f"{_INTRODUCTION}\n", _markdown(self.summary(), self.verdict)]
        for table, parts in self.sections(all_cells=all_cells):
            blocks += [f"## {table.name}\n", _markdown(f"{table.title} ({table.source}).", *parts)]
        return "\n".join(blocks)


def _markdown(*parts: Part) -> str:
    return to_markdown(parts, Precision())


def reproduce(
    names: Sequence[str] = (), *, folder: str | os.PathLike[str] | None = None, hub: bool = False
) -> Reproduction:
    """Make the tables.

    Args:
        names: of `TABLES`; all by default. The decoding experiment is run if it is named, else a stored run is shown,
            as it takes half a minute.
        folder: the folder of the corpora, with the file names of `inputs`. Without it, or if it lacks one, the tables
            that need it are missing.
        hub: fetch MultiCoNER from the Hub if the folder does not have it.

    Raises:
        InputError: for an unknown table, a folder that does not exist, and a corpus that is not what it should be.
    """
    for name in names:
        if name not in TABLES:
            close = difflib.get_close_matches(name, TABLES, n=1, cutoff=0.4)
            remedy = f"Did you mean {close[0]!r}? " if close else ""
            raise InputError(f"unknown table {name!r}.", f"{remedy}The tables are {', '.join(TABLES)}.")
    path = None if folder is None else Path(folder)
    if path is not None and not path.is_dir():
        raise InputError(f"{str(path)!r} is not a folder.", "Name the folder of the corpora.")
    inputs = Inputs(path, hub, tuple(names))
    chosen = [name for name in TABLES if not names or name in names]
    return Reproduction(tuple(make(name, inputs) for group in chosen for name in TABLES[group]))


def make(name: str, inputs: Inputs) -> PublishedTable:
    """Make a table, with the reasons on record for cells that are not equal."""
    (values,) = (group[name] for group in TABLES.values() if name in group)
    began, parts, missing = time.perf_counter(), list[Cell | str](), None
    try:
        parts.extend(values(inputs))
    except MissingCorpus as error:
        missing = str(error)
    cells = tuple(replace(part, reason=reason_for(name, part)) for part in parts if isinstance(part, Cell))
    about = _declared()[name]
    notes = [*about.get("notes", ()), *(part for part in parts if isinstance(part, str))]
    seconds = time.perf_counter() - began
    return PublishedTable(name, about["title"], about["source"], cells, tuple(notes if cells else ()), missing, seconds)


@cache
def _declared() -> dict[str, dict[str, Any]]:
    """Read the titles, sources and notes of the tables."""
    return tomllib.loads(DATA.joinpath("tables.toml").read_text(encoding="utf-8"))


def draw(result: Reproduction, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the figures of the tables as PNG into a folder, and return their paths.

    Raises:
        InputError: if matplotlib is missing.
    """
    from spanometer.plots import plot_placement

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / f"{table.name}.png" for table in result.tables if table.name == FIGURE]
    for path in paths:
        plot_placement(chance.figure1_placement(), str(path))
    return paths
