"""`spanometer score --cluster`: Parquet files scored by the workers of a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InputError, printable

if TYPE_CHECKING:
    from ..analysis.results import Report
    from ..measures.base import Measure

_FILES_OF_TEXT = ("column", "words_column", "documents", "outside", "corpus_probabilities")


class ParquetSide:
    """A side that is a column of Parquet files, as it is shown."""

    def __init__(self, paths: str, column: str) -> None:
        self.paths = paths
        self.column = column

    def __str__(self) -> str:
        """The files and the column, on one line."""
        return f"{printable(self.paths)}, {printable(self.column)}"

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        return {"file": self.paths, "column": self.column}


def add_cluster_options(group: argparse._ArgumentGroup) -> None:
    """Declare where the work is done."""
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="score Parquet files on the Dask cluster whose scheduler has this address (tcp://host:8786), or with all "
        "cores of this machine (local); needs Dask",
    )
    group.add_argument(
        "--lengths-column", metavar="COLUMN", help="of Parquet files with spans: the documents' numbers of tokens"
    )


def score_on_cluster(options: argparse.Namespace, measures: Sequence[Measure]) -> tuple[Report, dict[str, ParquetSide]]:
    """The report on Parquet files, and what its sides are called."""
    from ..analysis.batches import Reading
    from ..analysis.results import Report
    from ..integrations.dask import tally
    from ..measures.result import MeasureResult

    _require_options(options)
    columns = (options.reference_column or "references", options.prediction_column or "predictions")
    reading = Reading.of(measures, options.scheme, options.repair, *columns, options.lengths_column)
    found = tally(options.reference, reading, client=options.cluster)
    tags = {"scheme": str(reading.scheme), "repair": options.repair}
    how = tags if found.form == "tags" else {"input": found.form or "nothing"}
    results = tuple(MeasureResult.of(measure, found.counts[measure.name], how) for measure in measures)
    unit = ("entity", "entities") if found.form == "entities" else ("span", "spans")
    sizes = found.documents, found.tokens, found.reference_spans, found.predicted_spans
    report = Report(*sizes, results, unit)
    return report, {
        name: ParquetSide(options.reference, column)
        for name, column in zip(("reference", "prediction"), columns, strict=True)
    }


def _require_options(options: argparse.Namespace) -> None:
    """Refuse what is for files of text."""
    if options.prediction is not None:
        raise InputError(
            "--cluster takes Parquet files with both sides in columns: one name, or one pattern in quotes.",
            'Name them once, as in "data/*.parquet".',
        )
    if options.confidence is not None:
        raise InputError(
            "--confidence needs the counts of each document, and --cluster keeps their sums.", "Leave out one of them."
        )
    for name in _FILES_OF_TEXT:
        if getattr(options, name) is not None:
            raise InputError(
                f"--{name.replace('_', '-')} is for files of text; --cluster reads Parquet.", "Leave out one of them."
            )
    if options.format != "auto":
        raise InputError(
            f"--format {options.format} is for files of text; --cluster reads Parquet.", "Leave out one of them."
        )
