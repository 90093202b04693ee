"""Parquet files with both sides in columns, counted on a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..analysis.comparison.systems import REFERENCES, SYSTEM
from ..analysis.scores.batches import Reading
from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import Report
from ..counts.statistics import Resampling
from ..documents.arguments import TagArguments
from ..exceptions import InputError
from ..options import option, text
from ..tags.decoding import LabelDecoding
from .corpus import Corpus, ScoredFiles
from .inputs import ChosenLabels, Side


@dataclass(frozen=True, kw_only=True)
class ParquetInput(LabelDecoding, ChosenLabels, ScoredFiles):
    """Parquet files with both sides in columns: tags, spans or entity trees."""

    title: ClassVar[str] = "Parquet files"
    input: ClassVar[str] = "spans"
    also: ClassVar[Sequence[str]] = ("entities", "attributes", "strings")
    remedy: ClassVar[str] = "Choose other measures."

    cluster: str | None = text(
        "ADDRESS",
        "score Parquet files on the Dask cluster whose scheduler has this address (tcp://host:8786), or with all cores "
        "of this machine (local); needs Dask",
    )
    references: str = option(
        "references", help="column of the reference", kind=str, flag="reference-column", metavar="COLUMN"
    )
    predictions: str = option(
        "predictions", help="column of the system", kind=str, flag="prediction-column", metavar="COLUMN"
    )
    lengths: str | None = text("COLUMN", "column of the documents' numbers of tokens, for spans", flag="lengths-column")

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Name the files, which workers read."""
        if len(paths) > 1:
            raise InputError(
                "--cluster takes Parquet files with both sides in columns: one name, or one pattern in quotes.",
                'Name them once, as in "data/*.parquet".',
            )
        columns = {REFERENCES: self.references, SYSTEM: self.predictions}
        shown = [Side(f"{paths[0]}, {column}", {"file": paths[0], "column": column}) for column in columns.values()]
        return Corpus(files=dict.fromkeys(columns, paths[0]), given=columns, shown=shown)

    def score(
        self, corpus: Corpus, measures: Sequence[Any], resampling: Resampling | None, *, per_document: bool = False
    ) -> tuple[Corpus, dict[str, Report]]:
        """Let the workers count, and score the sums of their counts."""
        if resampling is not None:
            raise InputError(
                "--confidence needs the counts of each document, and --cluster keeps their sums.",
                "Leave out one of them.",
            )
        from ..integrations.dask import tally

        columns = self.references, self.predictions
        decoding: TagArguments = {"scheme": self.scheme, "repair": self.repair, "prefix": self.prefix}
        reading = Reading.of(measures, *columns, self.lengths, **decoding, **self.chosen)
        found = tally(corpus.first, reading, client=self.cluster)
        how = self.reading(str(reading.decoding.scheme)) if found.form == "tags" else {"input": found.form or "nothing"}
        how = {**how, **self.signed()}
        results = tuple(MeasureResult.of(measure, found.counts[measure.name], how) for measure in measures)
        unit = ("entity", "entities") if found.form == "entities" else ("span", "spans")
        sizes = found.documents, found.tokens, found.reference_spans, found.predicted_spans
        return corpus, {"": Report(*sizes, results, unit)}
