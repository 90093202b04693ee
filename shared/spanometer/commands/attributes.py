"""Files of spans with attributes, and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa

from ..analysis.results import MeasureResult, Report
from ..arrays import in_chunks
from ..counts.statistics import Resampling
from ..errors import InputError
from ..options import check_options, option
from ..plots import plot_precision_recall
from ..plots.figure import require_format
from ..readers.annotated_file import require_same_tokens
from ..readers.attribute_lines import AttributeFile, read_attributes, require_same_texts
from ..readers.attributed import AttributedSpans
from ..readers.document_file import DocumentFile
from ..readers.formats import formats_of
from ..readers.matching import matched
from ..readers.pairing import Pairing, pair
from ..readers.reading import read_documents, require_one_annotator
from ..readers.source import Limits
from ..spans.attributes import Attributes, attributes_arrays
from .corpus import Corpus, SeveralFiles, by_role, default_names
from .inputs import ComparedWords, PairInput, Scored, Side, detected, located, read_with, require_distinct
from .options import text


@dataclass(frozen=True, kw_only=True)
class AttributeSeries(Limits, ComparedWords, SeveralFiles):
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
        contents = [found.content for path in paths if (found := detected(path, self.encoding)) is not None]
        if DocumentFile in contents:
            return self._read_documents(paths)
        reader = partial(read_attributes, words=not self.ignore_words, **self.limits)
        references, *systems = (read_with(reader, path) for path in paths)
        for predictions in systems:
            require_same_tokens(references, predictions)
            require_same_texts(references, predictions)
        # words are many, and their work is done
        return [replace(one, words=None, texts=None) for one in (references, *systems)]

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Read the reference and the systems."""
        files = by_role(read := self.read(paths), default_names(paths, annotators), names, annotators)
        return Corpus(
            files=files,
            given={name: file.attributes for name, file in files.items()},
            shown=list(map(side_of, read)),
            located=lambda sides: located({**sides, "": read[0]}),
        )

    def _read_documents(self, paths: Sequence[str]) -> list[AttributeFile]:
        """Read files of documents whose spans have attributes, all in the order of the reference."""
        formats = [detected(path, self.encoding, DocumentFile) for path in paths]
        references, *systems = (
            require_one_annotator(read_with(read_documents, path, limits=self.limits)) for path in paths
        )
        for predictions in systems:
            in_tokens = references.in_tokens and predictions.in_tokens
            unit = "token" if in_tokens else "character"
            pair(references, predictions, Pairing(unit=unit, ignore_words=self.ignore_words))
        files = [references, *(matched(references, one)[1] for one in systems)]
        known = ("columns" if format is None else format.name for format in formats)
        return [_with_attributes(file, format) for file, format in zip(files, known, strict=True)]


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


def _with_attributes(file: DocumentFile, format: str) -> AttributeFile:
    # a system may have found none
    rows = file.require_spans().attributes or AttributedSpans.without_any(file.spans)
    try:
        attributes = Attributes.from_arrow(pa.chunked_array(in_chunks(rows, attributes_arrays)))
    except InputError as error:
        raise file.locate(error) from None
    return AttributeFile(source=file.source, attributes=attributes, document_lines=file.document_lines, format=format)


def side_of(file: AttributeFile) -> Side:
    """Return a file as commands show it."""
    described = {"file": file.source, "format": file.format, "attributes": list(file.attributes.names)}
    return Side(f"{file.source}, {file.format}", described)
