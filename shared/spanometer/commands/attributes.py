"""Files of spans with attributes, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from ..analysis.results import MeasureResult, Report
from ..counts.statistics import Resampling
from ..errors import InputError
from ..options import check_options, option
from ..plots import plot_precision_recall
from ..plots.figure import require_format
from ..readers.annotated_file import require_same_tokens
from ..readers.attribute_lines import AttributeFile, read_attributes
from ..readers.formats import formats_of
from ..readers.source import Limits
from .inputs import ComparedWords, Input, PairInput, Scored, Side, located, read_with, require_distinct
from .options import text


@dataclass(frozen=True, kw_only=True)
class AttributeSeries(Limits, ComparedWords, Input):
    """Files of spans with attributes: a reference and systems."""

    title: ClassVar[str] = "spans with attributes"
    content: ClassVar[type[AttributeFile]] = AttributeFile
    input: ClassVar[str] = "attributes"
    remedy: ClassVar[str] = "Ask for span_attribute alone."

    format: str = option("auto", help="form of the files", choices=("auto", *formats_of(AttributeFile)))

    def read(self, paths: Sequence[str]) -> list[AttributeFile]:
        """Read the reference and one or more systems, all of the same documents and tokens."""
        if len(paths) == 1:
            raise InputError("there is no file with the system's spans.", "Give PREDICTION.")
        require_distinct(paths)
        reader = partial(read_attributes, words=not self.ignore_words, **self.limits)
        references, *systems = (read_with(reader, path) for path in paths)
        for predictions in systems:
            require_same_tokens(references, predictions)
        return [references, *systems]


@dataclass(frozen=True, kw_only=True)
class AttributeInput(AttributeSeries, PairInput):
    """Files of spans with attributes, scored by measures of these."""

    plot: str | None = text("PNG", "write a picture of precision and recall (.png, .svg or .pdf); needs matplotlib")

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        if self.plot is not None:
            require_format(self.plot)

    def score(
        self,
        paths: Sequence[str],
        measures: Sequence[Any],
        resampling: Resampling | None,
        *,
        per_document: bool = False,
    ) -> Scored:
        """Read all sides and score them; errors about spans name the files' lines. Scores are by attribute."""
        if self.plot is not None and len(paths) > 2:
            raise InputError("--plot draws one system.", "Leave it out, or give one PREDICTION.")
        references, *systems = self.read(paths)
        reports = [self._report(references, predictions, measures, resampling) for predictions in systems]
        return Scored(side_of(references), list(map(side_of, systems)), reports)

    def _report(
        self,
        references: AttributeFile,
        predictions: AttributeFile,
        measures: Sequence[Any],
        resampling: Resampling | None,
    ) -> Report:
        results = []
        with located({"references": references, "predictions": predictions, "": references}):
            for measure in measures:
                counts = measure.counts(references.attributes, predictions.attributes)
                result = MeasureResult.of(measure, counts, {}, resampling)
                results.append(replace(result, notes=[*result.notes, *measure.unmatched(counts)]))
                if self.plot is not None:
                    plot_precision_recall(measure.curves(counts), self.plot)
        sizes = len(references.attributes), len(predictions.attributes)
        return Report(references.attributes.documents, None, *sizes, tuple(results))


def side_of(file: AttributeFile) -> Side:
    """Return a file as commands show it."""
    described = {"file": file.source, "format": "jsonl", "attributes": list(file.attributes.names)}
    return Side(f"{file.source}, jsonl", described)
