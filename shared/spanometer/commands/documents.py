"""Files of documents with spans: exports of annotation tools, outputs of systems, JSON lines; and their scores."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from ..analysis.scores.report import Report
from ..counts.statistics import Resampling
from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted, fitted
from ..documents.matching import matched
from ..documents.pairing import Pairing, pair
from ..documents.sides import by_annotator, require_one_annotator
from ..documents.writer import Writer
from ..exceptions import InputError, mention, setting
from ..options import check_options, option, options_of, reused_option, takes, text
from ..plots import plot_precision_recall
from ..plots.figure import require_format
from ..readers.folders import files_of
from ..readers.formats import AUTO, Format, formats_of, reading_options
from ..readers.json.answer_lines import AnswerLines
from ..readers.json.document_lines import DocumentLines
from ..readers.reading import read_documents
from ..readers.source import Limits
from ..spans.spans import Spans
from ..tags.decoding import Decoding, LabelDecoding
from .corpus import Corpus, Pair, ScoredFiles, SeveralFiles, by_role, default_names, require_system
from .inputs import (
    ChosenLabels,
    ComparedWords,
    Input,
    Side,
    detected,
    located,
    read_with,
    side_of,
)
from .measures import SuitingMeasures, require_used
from .options import read_options
from .tag_files import ChanceParts, TagLayout

Documents = TypeVar("Documents", bound="DocumentLayout")
TagKind = TypeVar("TagKind", bound=Input)

_FORMAT_OPTIONS = reading_options("spans")
_OF_TAGS = ("documents", "outside")
_OF_LAYOUT = (*options_of(LabelDecoding), "spans_key", *options_of(AnswerLines))

_TOKENS = Writer(write=iter, unit="token", needs_text=False, discontinuous=True, annotators=True)
"""What holds all spans of tokens."""

_PAIRING = tuple(Pairing.__dataclass_fields__)


@dataclass(frozen=True, kw_only=True)
@takes(
    {
        name: declared
        for name, declared in _FORMAT_OPTIONS.items()
        if name not in (*options_of(LabelDecoding), "spans_key")
    }
)
class DocumentLayout(Limits, LabelDecoding, Input):
    """How files of documents are read, whatever their format."""

    title: ClassVar[str] = "documents with spans"
    content: ClassVar[str] = "spans"
    input: ClassVar[str] = "spans"
    remedy: ClassVar[str] = "Use measures of spans."

    format: str = option(
        AUTO,
        help="form of the files",
        choices=(AUTO, *dict.fromkeys([*formats_of("spans"), *formats_of("tags")])),
    )
    spans_key: str = reused_option(DocumentLines, "spans_key")
    answer_key: str | None = reused_option(AnswerLines, "answer_key")
    text_key: str | None = reused_option(AnswerLines, "text_key")
    documents: str | None = reused_option(TagLayout, "documents")
    outside: str | None = reused_option(TagLayout, "outside")
    annotator: str | None = text("NAME", "whose spans to read, if a file has those of several annotators")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        check_options(self)

    def read(self, path: str, column: str | None = None) -> DocumentFile:
        """Read a file of any format that has spans, those of one annotator; a file of tags if a column is named."""
        return require_one_annotator(self.read_whole(path, column))

    def read_whole(self, path: str, column: str | None = None) -> DocumentFile:
        """Read a file of any format that has spans, with the options that this format has."""
        found = self.format_of(path) if column is None else None
        own = (*options_of(Decoding), *_OF_TAGS) if found is None else found.options
        options = {name: getattr(self, name) for name in own}
        key = getattr(path, "key", None)
        several = key is None and files_of(path) is not None
        if key is not None:
            options["answer_key"] = key
        return read_with(
            read_documents,
            path,
            # each file of a folder shows its own
            format=self.format if found is None or several else found.name,
            annotator=self.annotator,
            **options,
            column=column,
            prefix=self.prefix,
            limits=self.limits,
        )

    def format_of(self, path: str) -> Format | None:
        """Return the format of a file; None for files of tags."""
        if getattr(path, "key", None) is not None:
            return formats_of("spans")["answers"]
        if self.spans_key != _FORMAT_OPTIONS["spans_key"].default and self.format in (AUTO, "jsonl"):
            return formats_of("spans")["jsonl"]
        if self.format != AUTO and self.format not in formats_of("tags"):
            return formats_of("spans")[self.format]
        # JSON lines of tags and of documents have one name
        return detected(path, self.encoding, "spans", None if self.format == AUTO else self.format)

    def require_taken(self, paths: Sequence[str], *, tags: bool = False) -> None:
        """Raise an `InputError` for an option of formats that none of some files has; with `tags` one is of tags."""
        formats = [self.format_of(path) for path in paths]
        taken = {name for found in formats if found is not None for name in found.options}
        if not tags and None not in formats:
            for name in sorted({*options_of(LabelDecoding), *_OF_TAGS} - taken):
                if getattr(self, name) != options_of(self)[name].default:
                    raise InputError(f"{mention(name)} is for tags, and no file has any.", "Leave it out.", option=name)
        for name, declared in _FORMAT_OPTIONS.items():
            if name not in (*taken, *options_of(Decoding)) and getattr(self, name) != declared.default:
                owners = [format.name for format in formats_of("spans").values() if name in format.options]
                raise InputError(
                    f"{setting(name)} is for the formats {', '.join(owners)}, and there is no such file.",
                    f"Leave out {setting(name)}, or name the format with {setting('format', owners[0])}.",
                )


def read_source(
    options: argparse.Namespace, path: str, documents: type[Documents], tags: type[TagKind]
) -> Documents | TagKind:
    """Return how a file is read: as documents if its format or the options say so, or as tags.

    Raises:
        InputError: for options of the other kind.
    """
    of_documents = read_options(documents, options)
    source = read_options(tags, options) if of_documents.format_of(path) is None else of_documents
    require_used(options, source)
    return source


@dataclass(frozen=True, kw_only=True)
class CarriedDocuments(DocumentLayout):
    """Documents of one file, whose spans of characters are carried to tokens."""

    tokenizer: str | None = reused_option(Pairing, "tokenizer")
    to_tokens: str = reused_option(Pairing, "to_tokens")
    trim: str = reused_option(Pairing, "trim")

    @property
    def carrying(self) -> Pairing:
        """How spans are carried."""
        return Pairing(to_tokens=self.to_tokens, trim=self.trim, tokenizer=self.tokenizer)

    def read_in_tokens(self, path: str) -> tuple[DocumentFile, Fitted]:
        """Read a file, and return its documents with the spans in tokens too.

        Raises:
            InputError: also for documents without tokens, and for spans that have none.
        """
        self.require_taken([path])
        file = self.read(path)
        carried = fitted(replace(file, stated=None), _TOKENS, {}, self.carrying)
        if carried.losses:
            raise InputError(f"{'; '.join(map(str, carried.losses))}.", source=file.source)
        return file, carried


@dataclass(frozen=True, kw_only=True)
class DocumentSeries(DocumentLayout, Pairing, ChosenLabels, SeveralFiles):
    """Files of documents with spans, one a side, or one file of several annotators."""

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Read all sides; one file of references has those of several annotators."""
        if annotators == 0:
            require_system(paths, "a system's spans", "Give PREDICTION.")
        of_reference, of_systems = self.columns
        self.require_taken(paths, tags=(of_reference or of_systems) is not None)
        people = {}
        if len(paths) == 1:
            people = by_annotator(self.read_whole(paths[0]))
        elif annotators == 1:
            people = by_annotator(self.read_whole(paths[0]), "Give more references.")
        rest = paths[1:] if people else paths
        if people and annotators is not None:
            annotators = len(people)
        default = [*people, *default_names(rest, None)] if people else default_names(paths, annotators)
        columns = [of_reference, *[of_systems] * len(paths)]
        read = [self.read(path, column) for path, column in zip(rest, columns, strict=False)]
        files = by_role([*people.values(), *read], default, names, annotators)
        return Corpus(files=files, reading={"pairing": self.pairing, **self.chosen})

    @property
    def columns(self) -> tuple[str | None, str | None]:
        """The tag columns of the first side and of the others; None if content tells them."""
        return None, None

    @property
    def pairing(self) -> Pairing:
        """How the sides are brought together."""
        return Pairing(**{name: getattr(self, name) for name in _PAIRING})


@dataclass(frozen=True, kw_only=True)
class DocumentInput(DocumentSeries, ChanceParts, ScoredFiles):
    """Two files of documents with spans, of any formats, scored by measures of spans."""

    reference_column: str | None = text("COLUMN", "tag column of the reference")
    prediction_column: str | None = text("COLUMN", "tag column of the system")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.require_drawable()

    @property
    def columns(self) -> tuple[str | None, str | None]:
        """The tag columns of the reference and of the systems."""
        return self.reference_column, self.prediction_column

    def pair(self, corpus: Corpus, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference into one unit, which the signature names."""
        references, predictions = corpus.reference, corpus.systems[name]
        answered = any(file.answers is not None for file in corpus.systems.values())
        answers = any(file.answers is not None for file in (references, predictions)) or not answered
        paired = pair(references, predictions, self.pairing if answers else self.pairing.of_spans)
        both: tuple[Spans, Spans] = self.of(paired.references, paired.predictions)
        defined, undefined = measures.of(*both) if isinstance(measures, SuitingMeasures) else (measures, [])
        return Pair(
            references=both[0],
            predictions=both[1],
            measures=defined,
            reading={"input": "spans", **paired.choices, **self.signed()},
            shown=side_of(predictions, paired, remarks=undefined),
            size=paired.size if paired.grounded else None,
        )


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
    ) -> Corpus:
        """Read the reference and the systems, whose documents are brought in the order of the reference."""
        require_system(paths, "the system's spans", "Give PREDICTION.")
        formats = list(map(self._format_of, paths))
        references, *systems = map(self._read, paths, formats)
        for predictions in systems:
            unit = "token" if references.in_tokens and predictions.in_tokens else "character"
            pair(references, predictions, Pairing(unit=unit, ignore_words=self.ignore_words))
        files = [references, *(matched(references, predictions)[1] for predictions in systems)]
        columns = [file.attribute_columns() for file in files]
        # words and texts are many, and their work is done
        files = [replace(file, words=None, stated=None) for file in files]
        named = by_role(files, default_names(paths, annotators), names, annotators)
        return Corpus(
            files=named,
            given=dict(zip(named, columns, strict=True)),
            shown=[
                Side(
                    f"{file.source}, {name}",
                    {"file": file.source, "format": name, "attributes": list(attributes.names)},
                    file.left_out,
                )
                for file, name, attributes in zip(files, formats, columns, strict=True)
            ],
            located=lambda sides: located({**sides, "": files[0]}),
        )

    def _format_of(self, path: str) -> str:
        """Name the format of a file; one in which nothing shows it is JSON lines if it can be."""
        names = (None, "jsonl") if self.format == AUTO else ("jsonl",)
        shown = next(filter(None, (detected(path, self.encoding, "spans", name) for name in names)), None)
        return "columns" if shown is None else shown.name

    def _read(self, path: str, format: str) -> DocumentFile:
        return require_one_annotator(
            read_with(read_documents, path, format=format if format == "jsonl" else AUTO, limits=self.limits)
        )

    def completed(self, report: Report, corpus: Corpus, pair: Pair, resampling: Resampling | None) -> Report:
        """Return a report that says which spans only one side has, and draw its scores if a picture is asked for."""
        results = []
        for result in report.results:
            measure: Any = result.measure
            results.append(replace(result, notes=[*result.notes, *measure.unmatched(result.counted)]))
            if self.plot is not None:
                plot_precision_recall(measure.curves(result.counted), self.plot)
        return replace(report, results=tuple(results))
