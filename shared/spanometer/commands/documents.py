"""Files of documents with spans: exports of annotation tools, outputs of systems, JSON lines; and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..analysis.results import Report
from ..counts.statistics import Resampling
from ..errors import InputError, counted, mention, setting
from ..grounding.grounded import AnswerCounts
from ..options import check_options, option, options_of, reused_option, takes
from ..readers.answer_lines import AnswerLines
from ..readers.document_file import DocumentFile
from ..readers.document_lines import DocumentLines
from ..readers.fitting import Fitted, fitted
from ..readers.folders import files_of
from ..readers.formats import AUTO, Format, Writer, formats_of, reading_options
from ..readers.pairing import Paired, Pairing, pair
from ..readers.reading import by_annotator, read_documents, require_one_annotator
from ..readers.source import Limits
from ..readers.tag_file import TagFile
from ..spans.spans import Spans
from ..tags.decoding import Decoding, LabelDecoding
from .corpus import Corpus, SeveralFiles, by_role, default_names, require_system
from .inputs import ChosenLabels, Input, Keyed, PairInput, Scored, Side, detected, read_with, require_distinct
from .measures import SuitingMeasures
from .options import text
from .tag_files import ChanceParts, TagLayout

_FORMAT_OPTIONS = reading_options(DocumentFile)
_OF_TAGS = ("documents", "outside")
_OF_LAYOUT = (*options_of(LabelDecoding), "spans_key", *options_of(AnswerLines))


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
    content: ClassVar[type[DocumentFile]] = DocumentFile
    input: ClassVar[str] = "spans"
    remedy: ClassVar[str] = "Use measures of spans."

    format: str = option(
        AUTO,
        help="form of the files",
        choices=(AUTO, *dict.fromkeys([*formats_of(DocumentFile), *formats_of(TagFile)])),
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
        several = files_of(path) is not None and not isinstance(path, Keyed)
        if isinstance(path, Keyed):
            options["answer_key"], path = path.key, path.path
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

    def format_of(self, path: str) -> Format[Any] | None:
        """Return the format of a file; None for files of tags."""
        if isinstance(path, Keyed):
            return formats_of(DocumentFile)["answers"]
        if self.spans_key != _FORMAT_OPTIONS["spans_key"].default and self.format in (AUTO, "jsonl"):
            return formats_of(DocumentFile)["jsonl"]
        if self.format != AUTO and self.format not in formats_of(TagFile):
            return formats_of(DocumentFile)[self.format]
        # JSON lines of tags and of documents have one name
        return detected(path, self.encoding, DocumentFile, None if self.format == AUTO else self.format)

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
                owners = [format.name for format in formats_of(DocumentFile).values() if name in format.options]
                raise InputError(
                    f"{setting(name)} is for the formats {', '.join(owners)}, and there is no such file.",
                    f"Leave out {setting(name)}, or name the format with {setting('format', owners[0])}.",
                )


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
        carried = fitted(replace(file, attributes=None), _TOKENS, {}, self.carrying)
        if carried.losses:
            raise InputError(f"{'; '.join(map(str, carried.losses))}.", source=file.source)
        return file, carried


_TOKENS = Writer(write=iter, unit="token", needs_text=False, discontinuous=True, annotators=True)
"""What holds all spans of tokens."""


@dataclass(frozen=True, kw_only=True)
class DocumentSeries(DocumentLayout, Pairing, ChosenLabels, SeveralFiles):
    """Files of documents with spans, one a side, or one file of several annotators."""

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Read all sides; one file of references has those of several annotators."""
        if annotators == 0:
            require_system(paths, "a system's spans", "Give PREDICTION.")
        require_distinct(paths)
        self.require_taken(paths)
        people = {}
        if len(paths) == 1:
            people = by_annotator(self.read_whole(paths[0]))
        elif annotators == 1:
            people = by_annotator(self.read_whole(paths[0]), "Give more references.")
        rest = paths[1:] if people else paths
        if people and annotators is not None:
            annotators = len(people)
        default = [*people, *default_names(rest, None)] if people else default_names(paths, annotators)
        files = by_role([*people.values(), *map(self.read, rest)], default, names, annotators)
        return Corpus(
            files=files,
            given=files,
            shown=list(map(side_of, files.values())),
            reading={"pairing": self.pairing, **self.chosen},
        )

    @property
    def pairing(self) -> Pairing:
        """How the sides are brought together."""
        return Pairing(**{name: getattr(self, name) for name in _PAIRING})


@dataclass(frozen=True, kw_only=True)
class DocumentInput(DocumentSeries, ChanceParts, PairInput):
    """Two files of documents with spans, of any formats, scored by measures of spans."""

    reference_column: str | None = text("COLUMN", "tag column of the reference")
    prediction_column: str | None = text("COLUMN", "tag column of the system")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.require_drawable()

    def score(
        self,
        paths: Sequence[str],
        measures: Sequence[Any],
        resampling: Resampling | None,
        *,
        per_document: bool = False,
    ) -> Scored:
        """Read all sides and score each system in one unit, which the signature names."""
        if len(paths) == 1:
            raise InputError("there is no file with the system's spans.", "Give PREDICTION.")
        require_distinct(paths)
        self.require_one_system(paths)
        self.require_taken(paths, tags=(self.reference_column or self.prediction_column) is not None)
        references = self.read(paths[0], self.reference_column)
        systems = [self.read(path, self.prediction_column) for path in paths[1:]]
        answered = any(file.answers is not None for file in systems)
        sides, reports = [], []
        for predictions in systems:
            answers = any(file.answers is not None for file in (references, predictions)) or not answered
            paired = pair(references, predictions, self.pairing if answers else self.pairing.of_spans)
            reading = {"input": "spans", **paired.choices, **self.signed()}
            both: tuple[Spans, Spans] = self.of(paired.references, paired.predictions)
            defined, undefined = measures.of(*both) if isinstance(measures, SuitingMeasures) else (measures, [])
            report = Report.of(*both, defined, reading, resampling=resampling, per_document=per_document)
            report = replace(report, tokens=paired.size) if paired.grounded else report
            reports.append(self.with_parts(report, *both, defined, reading, resampling))
            sides.append(side_of(predictions, paired, remarks=undefined).beside(*both, defined))
        return Scored(side_of(references), sides, reports)


_PAIRING = tuple(Pairing.__dataclass_fields__)


def side_of(
    file: DocumentFile,
    paired: Paired | None = None,
    grounded: AnswerCounts | None = None,
    remarks: Sequence[str] = (),
) -> Side:
    """Return a file as commands show it: what it has, what moved to fit the unit, and what is left out."""
    if paired is not None and file.answers is not None:
        grounded = paired.grounded["predictions"]
    unit = "tokens" if file.in_tokens else "characters"
    notes = [*file.notes, *(() if paired is None else paired.notes), *remarks]
    left_out = [*file.left_out, *(() if paired is None else paired.left_out)]
    described: dict[str, Any] = {"file": file.source}
    if file.answers is None:
        described.update(spans=len(file.spans), unit=unit)
        text = f"{file.source}, {counted(len(file.spans), 'span')} of {unit}"
    else:
        described.update(answers=len(file.answers), **({} if grounded is None else grounded.total))
        text = f"{file.source}, {counted(len(file.answers), 'answer')}"
        text += "" if grounded is None else f" with {grounded.summary}"
    described.update(notes=notes, left_out=left_out)
    return Side("; ".join([text, *(note.rstrip(".") for note in notes)]), described, left_out)
