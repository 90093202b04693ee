"""Files of spans with attributes and of entity trees, and Parquet files: how they are read, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import Report
from ..analysis.scores.streams import Reading
from ..counts.statistics import Resampling
from ..documents.arguments import TagArguments
from ..documents.document_file import DocumentFile
from ..documents.matching import differing_document, matched, require_same_tokens
from ..documents.pairing import Pairing, pair
from ..documents.sides import require_one_annotator
from ..exceptions import InputError
from ..options import check_options, option, options_of, text
from ..plots import plot_precision_recall
from ..plots.figure import require_format
from ..readers.columns.hipe import LEVELS
from ..readers.entities import read_entities
from ..readers.formats import AUTO, formats_of
from ..readers.reading import read_documents
from ..readers.source import Limits
from ..readers.text.markup import EntityTypes
from ..readers.text.quaero import DOCUMENTS
from ..tags.decoding import Decoding, LabelDecoding
from ..tags.schemes import SCHEMES, canonical
from .corpus import CorpusFiles, Pair, ScoredFiles, by_role, default_names, require_system
from .inputs import ChosenLabels, ComparedWords, ShownFile, detected, located, read_with

_INPUTS = {"quaero": "markup", "jsonl": "entities"}
"""Formats whose content the modules take too, and its name in the modules."""


@dataclass(frozen=True, kw_only=True)
class AttributeInput(Limits, ComparedWords, ScoredFiles):
    """Files of spans with attributes: a reference and systems, scored by measures of attributes."""

    title: ClassVar[str] = "spans with attributes"
    content: ClassVar[str] = "attributes"
    input: ClassVar[str] = "attributes"
    remedy: ClassVar[str] = "Ask for span_attribute alone."

    format: str = option("auto", help="form of the files", choices=("auto", "jsonl"))
    plot: str | None = text("PNG", "write a picture of precision and recall (.png, .svg or .pdf); needs matplotlib")

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        if self.plot is not None:
            require_format(self.plot)

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read the reference and the systems, with documents in the order of the reference."""
        require_system(paths, "the system's spans", "Give PREDICTION.")
        formats = list(map(self._format_of, paths))
        references, *systems = map(self._read, paths, formats)
        for predictions in systems:
            unit = "token" if references.in_tokens and predictions.in_tokens else "character"
            pair(references, predictions, Pairing(unit=unit, ignore_words=self.ignore_words))
        files = [references, *(matched(references, predictions)[1] for predictions in systems)]
        columns = [file.attribute_columns() for file in files]
        # words and texts are large, and not needed any more
        files = [replace(file, words=None, stated=None) for file in files]
        named = by_role(files, default_names(paths, annotators), names, annotators)
        return CorpusFiles(
            files=named,
            annotations=dict(zip(named, columns, strict=True)),
            shown=[
                ShownFile(
                    f"{file.source}, {name}",
                    {"file": file.source, "format": name, "attributes": list(attributes.names)},
                    file.left_out,
                )
                for file, name, attributes in zip(files, formats, columns, strict=True)
            ],
            located=lambda sides: located({**sides, "": files[0]}),
        )

    def _format_of(self, path: str) -> str:
        """Detect the format of a file; assume JSON lines if its content does not show the format."""
        names = (None, "jsonl") if self.format == AUTO else ("jsonl",)
        shown = next(filter(None, (detected(path, self.encoding, "spans", name) for name in names)), None)
        return "columns" if shown is None else shown.name

    def _read(self, path: str, format: str) -> DocumentFile:
        return require_one_annotator(
            read_with(read_documents, path, format=format if format == "jsonl" else AUTO, limits=self.limits)
        )

    def completed(self, report: Report, corpus: CorpusFiles, pair: Pair, resampling: Resampling | None) -> Report:
        """Note the spans that only one side has, and draw the scores with `--plot`."""
        results = []
        for result in report.results:
            measure: Any = result.measure
            results.append(replace(result, notes=[*result.notes, *measure.unmatched(result.counted)]))
            if self.plot is not None:
                plot_precision_recall(measure.curves(result.counted), self.plot)
        return replace(report, results=tuple(results))


@dataclass(frozen=True, kw_only=True)
class TreeInput(EntityTypes, Decoding, Limits, ComparedWords, ScoredFiles):
    """Files of entity trees, scored by measures of entity trees."""

    title: ClassVar[str] = "entity trees"
    content: ClassVar[str] = "entities"
    input: ClassVar[str] = "entities"
    remedy: ClassVar[str] = (
        "Ask for eter, or name one of HIPE's columns with --column (and --documents document_id --outside _)."
    )

    format: str = option("auto", help="form of the files", choices=("auto", *formats_of("entities")))
    level: str = option("fine", help="types of HIPE's columns", choices=tuple(LEVELS))
    scheme: str | None = option(
        "IOB2",
        help="scheme of the tags in HIPE's columns",
        choices=tuple(SCHEMES),
        optional=True,
        parse=canonical,
        metavar="SCHEME",
    )
    documents: str = option("lines", help="what a document of markup is", choices=DOCUMENTS, metavar="WHAT")

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        EntityTypes.__post_init__(self)

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read the reference and the systems, all of the same documents and tokens."""
        require_system(paths, "the system's entities", "Give PREDICTION.")
        reference = self._read(paths[0])
        # only the columns of words and entities are needed from here on
        files = [replace(reference, words=None)]
        for path in paths[1:]:
            system = self._read(path)
            _require_same_names(reference, system)
            require_same_tokens(reference, system, ignore_words=self.ignore_words)
            _with_lengths(reference, system.lengths)
            files.append(replace(_with_lengths(system, reference.lengths), words=None))
        named = by_role(files, default_names(paths, annotators), names, annotators)
        return CorpusFiles(files=named, reading=self.reading(files))

    def pair(self, corpus: CorpusFiles, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference together."""
        reading = self.reading((corpus.first, corpus.files[f"{SYSTEM}{name}"]))
        return replace(super().pair(corpus, name, measures), reading=reading)

    def reading(self, files: Iterable[DocumentFile]) -> dict[str, str]:
        """Describe the reading for the signature: the options that can change the scores."""
        formats = list(dict.fromkeys(file.format for file in files))
        described = {"input": "+".join(_INPUTS.get(format, format) for format in formats)}
        if "hipe" in formats:
            described.update({name: str(getattr(self, name)) for name in ("level", "scheme", "repair")})
        if "quaero" in formats:
            described.update(entity_types=",".join(sorted(self.first_parts)), documents=self.documents)
        return described

    def _read(self, path: str) -> DocumentFile:
        """Read a file."""
        options = {name: getattr(self, name) for name in options_of(self) if name != "ignore_words"}
        chosen = {name: value for name, value in options.items() if value is not None}
        return read_with(read_entities, path, **chosen)


def _with_lengths(file: DocumentFile, lengths: np.ndarray | None) -> DocumentFile:
    """Give entities without documents' lengths the lengths of the other side, checked."""
    if lengths is None or file.lengths is not None:
        return file
    with located({"": file}):
        return replace(file, entities=file.trees.with_lengths(lengths))


def _require_same_names(reference: DocumentFile, system: DocumentFile) -> None:
    """Compare the names of HIPE's documents: in another order they may have the same lengths."""
    if not reference.format == system.format == "hipe":
        return
    names = (reference.documents.ids or (), system.documents.ids or ())
    for document, (name, predicted) in enumerate(zip(*names, strict=False)):
        if name != predicted:
            states = (f"is {name!r}", f"is {predicted!r}")
            remedy = "Both sides must have the same documents, in the same order."
            raise differing_document(reference, system, document, states, remedy)


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
    ) -> CorpusFiles:
        """Name the files, which workers read."""
        if len(paths) > 1:
            raise InputError(
                "--cluster takes Parquet files with both sides in columns: one name, or one pattern in quotes.",
                'Name them once, as in "data/*.parquet".',
            )
        columns = {REFERENCES: self.references, SYSTEM: self.predictions}
        shown = [ShownFile(f"{paths[0]}, {name}", {"file": paths[0], "column": name}) for name in columns.values()]
        return CorpusFiles(files=dict.fromkeys(columns, paths[0]), annotations=columns, shown=shown)

    def score(
        self, corpus: CorpusFiles, measures: Sequence[Any], resampling: Resampling | None, *, per_document: bool = False
    ) -> tuple[CorpusFiles, dict[str, Report]]:
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
        sums = tally(corpus.first, reading, client=self.cluster)
        how = self.reading(str(reading.decoding.scheme)) if sums.form == "tags" else {"input": sums.form or "nothing"}
        how = {**how, **self.signed()}
        results = tuple(
            replace(MeasureResult.of(measure, sums.counts[name], how), name=name)
            for name, measure in reading.measures.items()
        )
        unit = ("entity", "entities") if sums.form == "entities" else ("span", "spans")
        sizes = sums.documents, sums.tokens, sums.reference_spans, sums.predicted_spans
        return corpus, {"": Report(*sizes, results, unit)}
