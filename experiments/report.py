"""All published tables with our values: `python -m experiments`.

    result = reproduce(folder="data")
    print(result.to_markdown())

Some tables need corpora that are not in the package; without its corpus a table is missing. A value that is not
equal to the published value at its printed precision has a mark, and a reason if `data/differences.tsv` has one.
"""

import os
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from spanometer.exceptions import InputError, counted
from spanometer.tables.result import to_markdown
from spanometer.tables.table import Part, Precision, Table

from . import chance
from .inputs import DATA, Inputs, MissingCorpus, published_rows
from .tables import MARKS, NEAR, Cell, PublishedTable

DECLARED: dict[str, dict[str, Any]] = tomllib.loads(DATA.joinpath("tables.toml").read_text(encoding="utf-8"))
"""The title, source and notes of each table, and the function that yields its cells and notes from the inputs.

If a table lacks a corpus, the cells that were yielded before are shown.
"""

TABLES: dict[str, list[str]] = {
    group: [name for name in DECLARED if DECLARED[name].get("asked_as", name) == group]
    for group in (about.get("asked_as", name) for name, about in DECLARED.items())
}
"""The tables that can be asked for; one name may give several tables."""

FIGURE = "chance_figure1"
"""The table that has a picture."""

ANY = "any"
"""Stands for any value of ours."""


@dataclass(frozen=True)
class Reproduction:
    """Published tables with our values.

    Attributes:
        tables: the tables, in the order of `TABLES`.
    """

    tables: tuple[PublishedTable, ...]

    @property
    def unexplained(self) -> list[tuple[PublishedTable, Cell]]:
        """All cells that are not equal and have no reason, each with its table."""
        return [(table, cell) for table in self.tables for cell in table.unexplained]

    @property
    def by_source(self) -> dict[str, list[PublishedTable]]:
        """The tables by paper or program, if they have published values or lack a corpus."""
        groups: dict[str, list[PublishedTable]] = {}
        for table in self.tables:
            if table.compared or table.missing:
                groups.setdefault(table.source, []).append(table)
        return groups

    def summary(self) -> Table:
        """Return a table with the number of tables from each source, and of their values by mark."""
        groups = {**self.by_source, "all": [table for tables in self.by_source.values() for table in tables]}
        rows = []
        for source, tables in groups.items():
            counts = map(sum, zip(*(table.counts for table in tables), strict=True))
            rows.append([source, *(f"{number:,}" for number in (len(tables), *counts))])
        return Table("published in", ["tables", "values", *MARKS.values()], rows)

    @property
    def verdict(self) -> str:
        """A sentence that says whether every difference has a reason."""
        values = counted(len(self.unexplained), "value")
        return f"{values} without a reason." if self.unexplained else "Every difference is listed below."

    def to_markdown(self) -> str:
        """Write the summary and the cells that are not equal, by source. The output is the same in every run."""
        blocks = [DATA.joinpath("reproduction.md").read_text(encoding="utf-8"), _markdown(self.summary(), self.verdict)]
        for source, tables in self.by_source.items():
            parts = [(table, list(table.parts())) for table in tables]
            if any(part for _, part in parts):
                blocks.append(f"## {source}\n")
            blocks += [f"### {table.title}\n\n{_markdown(*part)}" for table, part in parts if part]
        return re.sub(r"docs/(\w+\.md)", r"[\1](\1)", "\n".join(blocks))

    def to_tsv(self) -> str:
        """Write a line for each cell; lines that begin with # describe the tables."""
        heads = ("table", "row", "column", "published", "ours", "difference", "mark", "counterexample")
        about = (" ".join([f"# {table.name}: {table.title}. {table.source}.", *table.notes]) for table in self.tables)
        cells = (("\t".join([table.name, *cell.record()])) for table in self.tables for cell in table.cells)
        return "\n".join([*about, "\t".join(heads), *cells, ""])


def _markdown(*parts: Part) -> str:
    return to_markdown(parts, Precision())


def reproduce(names: Sequence[str] = (), *, folder: str | os.PathLike[str] | None = None) -> Reproduction:
    """Compute the tables.

    Args:
        names: names from `TABLES`; all by default. The decoding experiment is run only if it is named, because it takes
            half a minute; otherwise a stored run is shown.
        folder: the folder of the corpora, with the file names of `inputs`. If it is not set, or a file is missing, the
            tables that need it are missing.

    Raises:
        InputError: if a table is unknown, if the folder does not exist, or if a corpus has unexpected content.
    """
    if unknown := [name for name in names if name not in TABLES]:
        raise InputError(f"unknown table {unknown[0]!r}.", f"The tables are {', '.join(TABLES)}.")
    path = None if folder is None else Path(folder)
    if path is not None and not path.is_dir():
        raise InputError(f"{str(path)!r} is not a folder.", "Name the folder of the corpora.")
    inputs = Inputs(path, tuple(names))
    chosen = [name for name in TABLES if not names or name in names]
    return Reproduction(tuple(make(name, inputs) for group in chosen for name in TABLES[group]))


def make(name: str, inputs: Inputs) -> PublishedTable:
    """Compute a table, with the known reasons for cells that are not equal."""
    about = DECLARED[name]
    module, _, function = about["values"].partition(":")
    values = getattr(import_module(f"experiments.{module}"), function)
    parts, missing = list[Cell | str](), None
    try:
        parts.extend(values(*about.get("arguments", ()), inputs))
    except MissingCorpus as error:
        missing = str(error)
    cells = tuple(replace(part, reason=reason_for(name, part)) for part in parts if isinstance(part, Cell))
    notes = [*about.get("notes", ()), *(part for part in parts if isinstance(part, str))]
    return PublishedTable(name, about["title"], about["source"], cells, tuple(notes if cells else ()), missing)


@cache
def known_differences() -> dict[tuple[str, str, str], tuple[str, str]]:
    """Read the reasons by table, row and column (empty for any), each with the value of ours that it explains.

    The value has the printed precision. It is a number, `yes`, `no`, `ANY`, or `NEAR`, which means any value that
    differs by one unit of the last printed digit.
    """
    return {
        (row["table"], *place): (row["reason"], row["ours"])
        for row in published_rows("differences")
        for place in product(row["row"].split(" / "), row["column"].split(" / "))
    }


def reason_for(table: str, cell: Cell) -> str | None:
    """Return the most specific reason why a cell is not equal; None if it is equal, or if no reason is known."""
    places = ((cell.row, cell.column), (cell.row, ""), ("", cell.column), ("", ""))
    known = [known_differences().get((table, *place)) for place in places if cell.equal is False]
    return next((entry[0] for entry in known if entry is not None and _explains(entry[1], cell)), None)


def _explains(ours: str, cell: Cell) -> bool:
    if ours == NEAR:
        return cell.mark == NEAR
    if ours in (ANY, "yes", "no") or isinstance(cell.ours, bool):
        return ours in (ANY, cell.texts()[1])
    return abs(cell.ours - float(ours)) <= 0.5 * 10.0**-cell.digits + 1e-9


def draw(result: Reproduction, folder: str | os.PathLike[str]) -> None:
    """Write the figures of the tables as PNG into a folder.

    Raises:
        InputError: if matplotlib is missing.
    """
    from spanometer.plots import plot_placement

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for table in result.tables:
        if table.name == FIGURE:
            plot_placement(chance.figure1_placement(), str(target / f"{FIGURE}.png"))
