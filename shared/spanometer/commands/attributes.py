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
from .inputs import ComparedWords, PairInput, Side, located, read_with, require_distinct
from .options import text


@dataclass(frozen=True, kw_only=True)
class AttributeInput(Limits, ComparedWords, PairInput):
    """Files of spans with attributes, scored by measures of these."""

    title: ClassVar[str] = "spans with attributes"
    content: ClassVar[type[AttributeFile]] = AttributeFile
    input: ClassVar[str] = "attributes"
    remedy: ClassVar[str] = "Ask for span_attribute alone."

    format: str = option("auto", help="form of the files", choices=("auto", *formats_of(AttributeFile)))
    plot: str | None = text("PNG", "write a picture of precision and recall (.png, .svg or .pdf); needs matplotlib")

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        if self.plot is not None:
            require_format(self.plot)

    def score(
        self, paths: Sequence[str], measures: Sequence[Any], resampling: Resampling | None
    ) -> tuple[Report, dict[str, Side]]:
        """Read both sides and score them; errors about spans name the files' lines. Scores are by attribute."""
        if len(paths) == 1:
            raise InputError("there is no file with the system's spans.", "Give PREDICTION.")
        require_distinct(paths)
        reader = partial(read_attributes, words=not self.ignore_words, **self.limits)
        references, predictions = (read_with(reader, path) for path in paths)
        require_same_tokens(references, predictions)
        results = []
        with located({"references": references, "predictions": predictions, "": references}):
            for measure in measures:
                counts = measure.counts(references.attributes, predictions.attributes)
                result = MeasureResult.of(measure, counts, {}, resampling)
                results.append(replace(result, notes=[*result.notes, *measure.unmatched(counts)]))
                if self.plot is not None:
                    plot_precision_recall(measure.curves(counts), self.plot)
        sizes = len(references.attributes), len(predictions.attributes)
        report = Report(references.attributes.documents, None, *sizes, tuple(results))
        return report, {"reference": _side(references), "prediction": _side(predictions)}


def _side(file: AttributeFile) -> Side:
    described = {"file": file.source, "format": "jsonl", "attributes": list(file.attributes.names)}
    return Side(f"{file.source}, jsonl", described)
