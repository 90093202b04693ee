"""Files of documents with spans, or with answers of language models, whatever their format; and their scores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from ..analysis.comparison.comparison import REFERENCES
from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted, fitted
from ..documents.pairing import Pairing, pair
from ..documents.sides import AnsweredTexts, answers_together, by_annotator, require_one_annotator
from ..documents.writer import Writer
from ..exceptions import InputError, counted, mention, printable, setting
from ..grounding.policies import NAMED_STRINGS, StringPolicy
from ..grounding.reading import AnswerReading
from ..grounding.strings import ground_strings
from ..measures.base import Measure
from ..measures.mention_f import MentionF
from ..measures.registry import ALL_MEASURES
from ..options import check_options, made, option, options_of, reused_option, text, with_options
from ..readers.folders import files_of
from ..readers.formats import AUTO, Format, formats_of, reading_options
from ..readers.json.answer_lines import AnswerLines
from ..readers.json.document_lines import DocumentLines
from ..readers.reading import read_documents
from ..readers.source import Limits
from ..spans.mentions import Mentions
from ..spans.spans import Spans
from ..tags.decoding import Decoding, LabelDecoding
from .corpus import CorpusFiles, Pair, ScoredFiles, SeveralFiles, by_role, default_names, require_system
from .inputs import ChosenLabels, Input, InputPath, ShownFile, detected, names_of, read_with, side_of
from .measures import SuitingMeasures, named_measures, require_used
from .options import read_options
from .tag_files import ChanceParts, TagLayout, TagSeries

Documents = TypeVar("Documents", bound="DocumentLayout")
TagKind = TypeVar("TagKind", bound=Input)

_FORMAT_OPTIONS = reading_options("spans")
_OF_TAGS = ("documents", "outside")

_TOKENS = Writer(write=iter, unit="token", needs_text=False, discontinuous=True, annotators=True)
"""A format that holds all spans of tokens."""

_MENTIONS = "the mentions of the reference"

COMPARED = tuple(StringPolicy().compared)
"""Options of `mention_f` that are part of a policy for strings."""


@dataclass(frozen=True, kw_only=True)
@with_options(
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
        """Read the spans of one annotator from a file of any format; a file of tags if a column is named."""
        return require_one_annotator(self.read_whole(path, column))

    def read_whole(self, path: str, column: str | None = None) -> DocumentFile:
        """Read a file of any format that has spans, with the options that this format has."""
        shown = self.format_of(path) if column is None else None
        own = (*options_of(Decoding), *_OF_TAGS) if shown is None else shown.options
        options = {name: getattr(self, name) for name in own}
        key = getattr(path, "key", None)
        several = key is None and files_of(path) is not None
        if key is not None:
            options["answer_key"] = key
        return read_with(
            read_documents,
            path,
            # each file of a folder shows its own
            format=self.format if shown is None or several else shown.name,
            annotator=self.annotator,
            **options,
            column=column,
            prefix=self.prefix,
            limits=self.limits,
        )

    def format_of(self, path: str) -> Format | None:
        """Detect the format of a file; None for files of tags."""
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
        taken = {name for each in formats if each is not None for name in each.options}
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
    """Choose how a file is read: as documents if its format or the options say so, or as tags.

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
        """The options of carrying spans."""
        return Pairing(to_tokens=self.to_tokens, trim=self.trim, tokenizer=self.tokenizer)

    def read_in_tokens(self, path: str) -> tuple[DocumentFile, Fitted]:
        """Read a file, carry its spans to tokens too, and list the lost spans on standard error.

        Raises:
            InputError: also for documents without tokens, and for spans that have none.
        """
        self.require_taken([path])
        file = self.read(path)
        carried = fitted(replace(file, stated=None), _TOKENS, {}, self.carrying)
        if carried.losses:
            raise InputError(f"{'; '.join(map(str, carried.losses))}.", source=file.source)
        for note in (*file.notes, *carried.notes, *(f"left out: {loss}" for loss in file.left_out)):
            print(printable(note), file=sys.stderr)
        return file, carried


@dataclass(frozen=True, kw_only=True)
class DocumentSeries(DocumentLayout, Pairing, ChosenLabels, SeveralFiles):
    """Files of documents with spans, one a side, or one file of several annotators."""

    reference_column: str | None = field(default=None, init=False)
    prediction_column: str | None = field(default=None, init=False)

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read all sides; one file of references has the spans of several annotators."""
        if annotators == 0:
            require_system(paths, "a system's spans", "Give PREDICTION.")
        of_systems = self.prediction_column
        self.require_taken(paths, tags=(self.reference_column or of_systems) is not None)
        people = {}
        if len(paths) == 1:
            people = by_annotator(self.read_whole(paths[0]))
        elif annotators == 1:
            people = by_annotator(self.read_whole(paths[0]), "Give more references.")
        rest = paths[1:] if people else paths
        if people and annotators is not None:
            annotators = len(people)
        default = [*people, *default_names(rest, None)] if people else default_names(paths, annotators)
        columns = [self.reference_column, *[of_systems] * len(paths)]
        read = [self.read(path, column) for path, column in zip(rest, columns, strict=False)]
        files = by_role([*people.values(), *read], default, names, annotators)
        return CorpusFiles(files=files, reading={"pairing": self.pairing, **self.chosen})

    @property
    def pairing(self) -> Pairing:
        """The options of bringing the sides together."""
        return made(Pairing, vars(self))


SERIES: tuple[type[SeveralFiles], ...] = (DocumentSeries, TagSeries)
"""The kinds of files that may be of several annotators or systems, tags if the content shows nothing else."""


@dataclass(frozen=True, kw_only=True)
class DocumentInput(DocumentSeries, ChanceParts, ScoredFiles):
    """Two files of documents with spans, of any formats, scored by measures of spans."""

    reference_column: str | None = text("COLUMN", "tag column of the reference")
    prediction_column: str | None = text("COLUMN", "tag column of the system")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.require_drawable()

    def pair(self, corpus: CorpusFiles, name: str, measures: Sequence[Any]) -> Pair:
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
class AnswerFiles(DocumentLayout):
    """Spans of a reference, and answers of language models."""

    title: ClassVar[str] = "answers of language models"
    asked_labels: Sequence[str] | None = reused_option(AnswerReading, "asked_labels")
    aliases: Mapping[str, str] | None = reused_option(AnswerReading, "aliases")
    answer_format: str = reused_option(AnswerReading, "answer_format")
    shared_documents: bool = reused_option(Pairing, "shared_documents")

    @property
    def answer_reading(self) -> dict[str, Any]:
        """The options of reading answers, as functions of `grounding` take them."""
        return {"labels": self.asked_labels, "aliases": self.aliases, "format": self.answer_format}

    def together(self, files: Mapping[str, DocumentFile]) -> AnsweredTexts:
        """Bring texts, spans and answers into one order; the reference is the first file."""
        own = ("asked_labels", "aliases", "answer_format", "shared_documents")
        return answers_together(files, Pairing(**{name: getattr(self, name) for name in own}))

    def read_all(self, paths: Sequence[str]) -> dict[str, DocumentFile]:
        """Read the reference and the systems."""
        self.require_taken(paths)
        return {
            REFERENCES: self.read(paths[0]),
            **dict(zip(names_of(paths[1:]), map(self.read, paths[1:]), strict=True)),
        }


@dataclass(frozen=True, kw_only=True)
class StringInput(AnswerFiles, ScoredFiles):
    """Answers that are scored as strings, against the words of the reference's spans, or against mentions."""

    title: ClassVar[str] = "answers as strings"
    input: ClassVar[str] = MentionF.input
    remedy: ClassVar[str] = (
        "A policy for strings finds no places: leave out --measures, or give a policy for spans, --grounding strict."
    )

    grounding: str = option(
        "strict-strings",
        help=f"policy for strings: one of {', '.join(NAMED_STRINGS)}; or an action for each place "
        f"({', '.join(StringPolicy.places)}) with commas between",
        kind=str,
        metavar="POLICY",
    )
    mentions_key: str | None = text(
        "KEY",
        "the key of the reference's mentions in JSON lines, objects with label and text and without offsets, which "
        "strings are scored against",
        topic="answers",
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.policy  # noqa: B018 (it is checked when it is made)

    @property
    def policy(self) -> StringPolicy:
        """The policy."""
        try:
            return StringPolicy.of(self.grounding)
        except InputError as error:
            raise error.placed(option="grounding") from None

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> CorpusFiles:
        """Read the reference's mentions and each system's answers as strings."""
        if len(paths) == 1:
            raise InputError("there is no file with answers.", "Give PREDICTION, or name the key of the answers.")
        if self.mentions_key is not None:
            paths = [InputPath.of(paths[0], self.mentions_key), *paths[1:]]
        (_, reference), *systems = self.read_all(paths).items()
        named = {REFERENCES: replace(reference, answers=None), **dict(systems)}
        if self.mentions_key is not None:
            named[_MENTIONS] = reference
        elif reference.answers is not None:
            reference.require_spans()
        read = self.together(named)
        if self.mentions_key is None:
            gold, shown = Mentions.of_spans(read.references, read.texts), side_of(reference)
        else:
            gold = self._mentions(read.answers.pop(_MENTIONS), reference)
            shown = ShownFile(
                f"{reference.source}, {counted(len(gold), 'mention')}",
                {"file": reference.source, "mentions": len(gold), "notes": list(reference.notes), "left_out": []},
            )
        results = (
            ground_strings(read.texts, answers, policy=self.policy, **self.answer_reading)
            for answers in read.answers.values()
        )
        grounded = [replace(each, choices={**read.decoding, **each.choices}) for each in results]
        sides = [side_of(file, grounded=each) for (_, file), each in zip(systems, grounded, strict=True)]
        files = by_role([file for _, file in (("", reference), *systems)], default_names(paths, 0), names, 0)
        return CorpusFiles(
            files=files,
            annotations=dict(zip(files, (gold, *grounded), strict=True)),
            shown=[shown, *sides],
        )

    def _mentions(self, rows: Sequence[Any], reference: DocumentFile) -> Mentions:
        """Read the mentions of a file; raise an `InputError` with the line for any other value."""
        try:
            return Mentions.from_pairs(rows)
        except InputError as error:
            # documents that only one side has may be left out, so that others have their numbers
            raise (error if self.shared_documents else reference.locate(error)) from None

    def options_beside_policy(self, measure: MentionF) -> dict[str, Any]:
        """List the options of the measure that are no part of a policy."""
        return {name: getattr(measure, name) for name in options_of(MentionF) if name not in COMPARED}

    def pair(self, corpus: CorpusFiles, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference together."""
        answers = corpus.systems[name]
        compared = [replace(measure, **self.policy.compared) for measure in measures]
        pair = super().pair(corpus, name, compared)
        return replace(pair, predictions=answers.mentions, reading=answers.choices)


def are_strings(options: argparse.Namespace) -> bool:
    """Check whether the command line chooses a policy for strings, or their measure."""
    return StringPolicy.describes(options.grounding or "") or MentionF.name in named_measures(options, known_measures())


def known_measures() -> dict[str, type[Measure]]:
    """List all measures by name, with the measure of strings, which is not in the registry."""
    return {**ALL_MEASURES, MentionF.name: MentionF}


def default_measures(kind: type[Input]) -> list[str]:
    """List the names of the measures for a kind of input."""
    return [name for name, measure in known_measures().items() if measure.input == kind.input and measure.by_default]
