"""The table of systems against several references, and the lines that explain it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import counted
from ..tables.table import EMPTY, Cell, Number, Table
from .report_tables import kind_of

if TYPE_CHECKING:
    from .several_references import AgainstReferences, ReferenceScore

WAYS = ("mean", "best", "best_by_document")
"""How the scores against several references become one."""


def against_table(found: AgainstReferences, name: str, key: str) -> Table:
    """Return a row for each system and annotator, the annotators' mean, and each system on their terms."""
    result = found.measures[name]
    kind = kind_of(result.measure, key)
    nowhere: list[Cell] = [EMPTY] * len(found.references)

    def cells(values: Mapping[str, ReferenceScore], columns: tuple[str, ...], *, signed: bool = False) -> list[Cell]:
        of_columns = [values.get(column) for column in columns]
        return [
            EMPTY if one is None else Number(one.scores[key], kind, "", _known(one.intervals.get(key)), signed)
            for one in of_columns
        ]

    rows: list[list[Cell] | None] = [
        [(row, "cyan"), *cells(result.against[row], found.references), *cells(result.together[row], WAYS)]
        for row in (*found.systems, *found.references)
    ]
    rows += [None, ["annotators", *nowhere, *cells(result.ceiling, WAYS)]]
    for system in found.systems:
        rows.append([f"{system}, on their terms", *nowhere, *cells(result.same_terms[system], WAYS)])
        rows.append([f"{system} minus annotators", *nowhere, *cells(result.differences[system], WAYS, signed=True)])
    title = key if name.startswith(key) else f"{name} {key}"
    return Table(
        title,
        (*found.references, "mean", "best", "best by\ndocument"),
        rows,
        kind="against",
        names="scored",
        keys=(*found.references, *WAYS),
        about={"measure": name, "key": key},
        confidence=found.confidence,
    )


def _known(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    return None if bounds is None or bounds[0] != bounds[0] else bounds


def notes(found: AgainstReferences) -> list[str]:
    """Return what rows and columns mean."""
    lines = [
        "mean: of the scores against each annotator. best: against the one who gives the best score. best by document: "
        "against the one who gives the best score in each document.",
        f"annotators: the mean of theirs, each scored against {counted(len(found.references) - 1, 'other')}. on their "
        "terms: a system against all annotators but one, the mean over the one left out.",
    ]
    if found.confidence is not None and found.documents < 2:
        lines.append(f"intervals need two documents or more, and there is {counted(found.documents, 'document')}")
    return lines
