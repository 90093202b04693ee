"""The files that commands read: a common set of options, and detection of their content."""

import argparse
import os
import stat
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Self, TypeVar
from weakref import finalize

import numpy as np

from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted, fitted
from ..documents.layers import Writer
from ..documents.pairing import Pairing
from ..documents.sides import require_one_annotator
from ..exceptions import InputError, mention, printable, setting
from ..grounding.policies import NAMED, NAMED_STRINGS, PLACES, GroundingPolicy, StringPolicy
from ..grounding.reading import AnswerReading
from ..measures.mention_f import MentionF
from ..options import made, option, options_of, reused_option, text
from ..readers.columns.hipe import LEVELS
from ..readers.formats import AUTO, Format, detect, files_of, formats_of, reading_options
from ..readers.option_files import read_label_map, read_label_names
from ..readers.reading import read, read_documents, read_entities
from ..readers.source import Limits, open_file, spooled
from ..readers.text.markup import EntityTypes
from ..spans.annotations import Layers
from ..tags.decoding import Decoding, LabelDecoding
from ..tags.schemes import LabelChoice, label_map_in
from ..tags.tags import Tags
from .options import STANDARD_INPUT, add_options, name_list, names_in, read_options, refuse_others, switch
from .output import progress_bar

File = TypeVar("File")

CONTENTS = {
    "attributes": "spans with attributes",
    "entities": "entity trees",
    "spans": "documents with spans",
    "tags": "tags",
    "strings": "answers that are compared as strings",
}
"""The kinds of content of files (see `readers.detect`), and what errors call them. Answers become spans or strings."""

_DETECTED = ("attributes", "entities")
"""The kinds of content that are detected before spans and tags."""

SERIES = ("spans", "tags")
"""The kinds of content for which files can have several annotators."""

INPUTS = {**{content: content for content in CONTENTS}, "tags": "spans", "strings": MentionF.input}
"""The kinds of input of the measures for each kind of content, see `Measure.input`."""

_FORMAT_OPTIONS = reading_options("spans")
_OF_TAGS = ("scheme", "repair", "documents", "outside", "boundary")
"""The options for reading tags as spans, besides options for documents."""

_TOKENS = Writer(write=iter, unit="token", needs_text=False, discontinuous=True, annotators=True)
"""A format that can represent all spans of tokens."""


def detected(path: str, encoding: str, content: str | None = None, name: str | None = None) -> Format | None:
    """Detect the format of a file from its beginning, see `readers.detect`."""
    opened = InputPath.of(path)
    return detect(opened.start, content, name, encoding=encoding)


class InputPath(str):
    """The path of an input file, with its copy and its key.

    Attributes:
        copy: a copy of a file that can be read only once (a pipe, standard input); None for other files.
        key: the key of a language model's answers, if it is set.
    """

    copy: BinaryIO | None = None
    key: str | None = None
    _opened: str | None = None

    @classmethod
    def of(cls, path: str, key: str | None = None) -> Self:
        """Create it; copy a file that can be read only once, so that its format can be detected before it is read."""
        named = cls(path)
        named.key = key
        if isinstance(path, InputPath):
            named.copy, named._opened = path.copy, path
        elif path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
            with open_file(path, path) if path != STANDARD_INPUT else nullcontext(sys.stdin.buffer) as stream:
                named.copy = spooled(stream)
            finalize(named, named.copy.close)
        return named

    @property
    def start(self) -> str | BinaryIO:
        """The path, or the copy, rewound to its start."""
        if self.copy is None:
            return str(self)
        self.copy.seek(0)
        return self.copy


def input_paths(paths: Sequence[str], keys: str | None = None, *, systems: int = 1) -> list[InputPath]:
    """Return the files of several sides; the files of systems are repeated for each key of answers.

    Args:
        paths: the files.
        keys: the keys, separated by commas.
        systems: the index of the first file of a system. If there is none, the file of the reference also has the
            answers.

    Raises:
        InputError: if two files are standard input or the same pipe, or if keys are wrong.
    """
    pipes = [pipe for pipe in map(_pipe, paths) if pipe is not None]
    for path in paths:
        if pipes.count(_pipe(path)) > 1:
            what = "standard input" if path == STANDARD_INPUT else path
            raise InputError(f"{what} is given twice, but can be read only once.", "Give different files.")
    opened = list(map(InputPath.of, paths))
    if keys is None:
        return opened
    names, answers = distinct_names(keys, "answer_key", "key"), opened[systems:] or opened[:1]
    return [*opened[:systems], *(InputPath.of(path, key) for path in answers for key in names)]


def _pipe(path: str) -> object:
    """Return the identity of a file that can be read only once; None for other files."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == STANDARD_INPUT else os.stat(path)
    except (AttributeError, OSError, ValueError):
        # standard input may be no file, as in a test
        return STANDARD_INPUT if path == STANDARD_INPUT else None
    regular = (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)) and path != STANDARD_INPUT
    return None if regular else (status.st_dev, status.st_ino)


def read_with(reader: Callable[..., File], path: str, **options: Any) -> File:
    """Read a file or standard input, with a progress bar."""
    opened, what = InputPath.of(path), f"reading {printable(os.path.basename(path))}"
    size = os.path.getsize(path) if path != STANDARD_INPUT and os.path.isfile(path) else None
    with progress_bar(desc=what, total=size, unit="B", unit_scale=True) as bar:
        return reader(opened.start, name=called(path), progress=bar.update, **options)


def called(path: str) -> str:
    """Return the name of a file in messages."""
    return "standard input" if path == STANDARD_INPUT else path


def distinct_names(text: str, option: str, noun: str) -> list[str]:
    """Split names or keys that are separated by commas; raise an `InputError` if one is empty or repeated."""
    names = list(names_in(text))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"{mention(option)} has an empty or repeated {noun}.", f"Give each {noun} once.")
    return names


def _label_map(text: str) -> dict[str, str]:
    return read_label_map(text) if os.path.isfile(text) or "=" not in text else label_map_in(text)


@dataclass(frozen=True, kw_only=True)
class ChosenLabels(LabelChoice):
    """Options for selecting and renaming labels; the map can be in a file.

    Attributes:
        label_map: rename labels. MAP is a file, or a list such as geo=LOC,per=PER. Each line of the file has an old and
            a new label, or the file is a JSON object {OLD: NEW}. An old label can be a tag such as B-geo.
    """

    label_map: Mapping[str, str] | None = reused_option(
        LabelChoice, "label_map", help="", metavar="MAP", parse=_label_map
    )


class TagColumns(LabelDecoding):
    """Options for the layout of tag files, and for the columns to read.

    Attributes:
        id2label: file with the tag of each integer: one tag on each line, or a model's config.json.
        ignore_index: with --id2label: ignore tokens with the integer tag N in the first file.
        documents: where documents begin (default in files of tags: after blank lines). KEY is:
            - "-DOCSTART-": at each line that begins with -DOCSTART- (only in files of tags)
            - another word, such as newdoc: at each comment line '# newdoc = ...' (only in files of tags)
            - lines: at each line (texts with inline markup; default)
            - blank: after blank lines (texts with inline markup)
            - file: only at the start of the file (texts with inline markup)
        outside: the tag of tokens outside all spans, such as _ (default: O). If TAG is `o`, the prefixes b- and i- are
            read as B- and I-. If TAG is `nothing`, every tag is a label, even O.
        boundary: lines that begin with WORD separate documents, as in --boundary=-X- (default: -DOCSTART-).
        column: column of the tags, for all files: a name, or a number (1 is the first column, -1 the last; default:
            -1). If one file has the reference and the systems, name all their columns, reference first: 2,3.
        reference_column: column of the reference's tags.
        prediction_column: column of the system's tags.
        layer_columns: read nested spans from these columns. Write commas between the names, as in
            NE-FINE-LIT,NE-NESTED. If one file has the reference and the system, name the reference's columns first,
            then the system's.
        layers_apart: with --layer-columns: match only spans that come from the same column.
        words_column: column of the words, for sl_icm with word probabilities.
        token_probability_column: column with token probabilities in the reference file, for sl_icm. Write _ if
            a token has no probability.
    """

    id2label: Any = option(None, metavar="FILE", parse=read_label_names)
    ignore_index: int | None = option(-100, kind=int, metavar="N")
    documents: str | None = text("KEY")
    outside: str | None = text("TAG")
    boundary: str | None = text("WORD")
    column: tuple[str, ...] = name_list("COLUMN", common=True)
    reference_column: str | None = text("COLUMN")
    prediction_column: str | None = text("COLUMN")
    layer_columns: tuple[str, ...] = name_list("COLUMNS")
    layers_apart: bool = switch()
    words_column: str | None = text("COLUMN")
    token_probability_column: str | None = text("COLUMN")


class InputFiles(
    TagColumns,
    Limits,
    EntityTypes,
    ChosenLabels,
    Pairing,
    declared={name: _FORMAT_OPTIONS[name] for name in _FORMAT_OPTIONS if name not in options_of(Decoding)},
):
    """Options for reading files with any content. Each command has some of them; the others have their defaults.

    Attributes:
        format: format of the files.
        annotator: read only the spans of these annotators, separated by commas. By default, `score` reads the
            curator's spans if there is a curator, and `agree` reads the spans of all annotators except the curator.
        level: entity types to read from HIPE columns.
        mentions_key: key of the mentions in the reference's JSON lines, for --grounding policies that compare only
            strings. A mention is an object with label and text.

    Raises:
        InputError: if a value is not allowed.
    """

    format: str = option(
        AUTO,
        common=True,
        choices={AUTO: "detected"}
        | {name: kind.mark for content in ("spans", "entities", "tags") for name, kind in formats_of(content).items()},
    )
    spans_key: str
    answer_key: str | None
    text_key: str | None
    annotator: tuple[str, ...] = name_list("NAMES", flag="annotators")
    level: str = option("fine", choices=tuple(LEVELS))
    grounding: Any = option(
        None,
        help=f"{options_of(AnswerReading)['grounding'].help}. POLICY is a name below, or your own "
        "list: one action for each case, in the order of the cases.\n"
        f"- policies that find positions: {', '.join(NAMED)}. Cases: {', '.join(PLACES)}. Example: "
        "empty,keep,exact,whole,first,drop,drop,keep\n"
        f"- policies that compare only strings: {', '.join(NAMED_STRINGS)}. Cases: {', '.join(StringPolicy.places)}",
        offered=([(*NAMED, *NAMED_STRINGS)], GroundingPolicy.choices(), StringPolicy.choices()),
        metavar="POLICY",
        topic="answers",
    )
    mentions_key: str | None = text("KEY", topic="answers")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        LabelChoice.__post_init__(self)
        EntityTypes.__post_init__(self)
        if not self.describes_strings:
            self.pairing  # noqa: B018 (it is checked when it is made)

    @property
    def pairing(self) -> Pairing:
        """The options for pairing the sides."""
        values = vars(self) if self.grounding is not None else {**vars(self), "grounding": AnswerReading.grounding}
        return made(Pairing, values)

    @property
    def describes_strings(self) -> bool:
        """Whether the policy is for strings."""
        return StringPolicy.describes(self.grounding or "")

    @property
    def string_policy(self) -> StringPolicy:
        """The policy for strings."""
        return StringPolicy.of("strict-strings" if self.grounding is None else self.grounding)

    @property
    def decoding(self) -> dict[str, Any]:
        """The options for decoding, as functions accept them."""
        return {name: getattr(self, name) for name in options_of(LabelDecoding)}

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns into which one file is split; empty if one column is named, or none."""
        return self.column if len(self.column) > 1 else ()

    @property
    def one_column(self) -> str | None:
        """The only column that is named; None means the last column."""
        if self.columns:
            problem = f"{mention('column')} gives several columns, but this command reads one."
            raise InputError(problem, "Choose one with --column.")
        return next(iter(self.column), None)

    @property
    def names_columns(self) -> bool:
        """Whether tag columns are named."""
        return any((self.column, self.layer_columns, self.reference_column, self.prediction_column))

    def format_of(self, path: str) -> Format | None:
        """Detect the format of documents with spans; None for files of tags."""
        if getattr(path, "key", None) is not None:
            return formats_of("spans")["answers"]
        if self.spans_key != _FORMAT_OPTIONS["spans_key"].default and self.format in (AUTO, "jsonl"):
            return formats_of("spans")["jsonl"]
        if self.format != AUTO and self.format not in formats_of("tags"):
            return formats_of("spans").get(self.format)
        # JSON lines of tags and of documents have one name
        shown = detected(path, self.encoding, "spans", None if self.format == AUTO else self.format)
        if shown is None and (self.grounding, self.asked_labels) != (None, None) and not self.names_columns:
            # its reader raises an error that lists the keys
            return detected(path, self.encoding, "spans", "answers")
        return shown

    def content_of(self, paths: Sequence[str], contents: Collection[str] = SERIES, inputs: Collection[str] = ()) -> str:
        """Choose the kind of content that is read.

        Args:
            paths: the files, see `InputPath.of`.
            contents: the kinds of content that the command accepts.
            inputs: the kinds of input of the measures that are named.
        """
        if "strings" in contents and (self.describes_strings or MentionF.input in inputs):
            return "strings"
        contents = [each for each in _DETECTED if each in contents and each in inputs][:1] or contents
        possible = [each for each in contents if self.format == AUTO or self.format in formats_of(each)]
        if not possible:
            names = (AUTO, *dict.fromkeys(name for each in contents for name in formats_of(each)))
            raise options_of(self)["format"].refusal(self.format, f"Use one of {', '.join(map(repr, names))}.")
        if len(possible) == 1:
            return possible[0]
        # spans with attributes can also be scored as spans
        others = [each for each in possible if each in _DETECTED and not (each == "attributes" and "spans" in inputs)]
        for content in others if not self.names_columns else ():
            if any(detected(path, self.encoding, content) for path in paths):
                return content
        return "spans" if any(self.format_of(path) for path in paths) else "tags"

    def require_effect(self, options: argparse.Namespace, content: str, paths: Sequence[str]) -> None:
        """Raise an `InputError` for a reading option that has no effect for files with this kind of content."""
        names = {*options_of(Limits), "format", *_OPTIONS_OF[content]}
        if content in ("spans", "strings"):
            formats = list(map(self.format_of, paths))
            names |= {name for format in formats if format is not None for name in format.options}
            if None in formats or self.reference_column or self.prediction_column:
                names |= {*_OF_TAGS, "prefix", "column", *OF_SCORES}
        declared = options_of(InputFiles)
        refuse_others(options, LabelChoice, [declared[name] for name in names & declared.keys()], CONTENTS[content])

    def read_tags(
        self, path: str, columns: Sequence[str | None], words: bool | int | str = False, numbers: str | None = None
    ) -> DocumentFile:
        """Read tag columns of a file; raise an `InputError` for a column that is named twice."""
        options = {name: getattr(self, name) for name in ("format", "documents", "outside", "boundary")}
        file = read_with(read, path, columns=columns, words=words, numbers=numbers, **options, **self.limits)
        named: Sequence[object] = file.columns if file.layout is None else file.layout.columns
        if len(set(named)) < len(named):
            raise InputError("a column is named twice.", "Name each column once.", source=file.source)
        return file

    def read_columns(self, path: str) -> DocumentFile:
        """Read the named tag columns of a file; if none is named, read the last column."""
        return self.read_tags(path, self.column or [None])

    def read_spans(self, path: str, column: str | None = None) -> DocumentFile:
        """Read the spans of one annotator from a file of any format; if a column is named, the file has tags."""
        return require_one_annotator(self.read_all_spans(path, column))

    def read_all_spans(self, path: str, column: str | None = None, shown: Format | None = None) -> DocumentFile:
        """Read the spans of all annotators from a file, with the options that its format has."""
        shown = self.format_of(path) if column is None and shown is None else shown
        options = {name: getattr(self, name) for name in (_OF_TAGS if shown is None else shown.options)}
        options |= {"column": self.one_column if column is None and shown is None else column, "format": self.format}
        options["annotator"] = self.annotator[0] if len(self.annotator) == 1 else None
        key = getattr(path, "key", None)
        if key is not None:
            options["answer_key"] = key
        # each file of a folder is detected separately
        if shown is not None and (key is not None or files_of(path) is None):
            options["format"] = shown.name
        try:
            return read_with(read_documents, path, prefix=self.prefix, limits=self.limits, **options)
        except InputError as error:
            if shown is not None or self.grounding is None:
                raise
            key = setting("answer_key", "KEY")
            answers = f"If the file has answers of a language model, name the key of the answers: {key}."
            raise error.placed(remedy=f"{error.remedy} {answers}".strip()) from None

    def read_trees(self, path: str) -> DocumentFile:
        """Read the entity trees of a file."""
        names = ("format", "level", "scheme", "repair", "documents", "entity_types")
        options = {name: value for name in names if (value := getattr(self, name)) is not None}
        return read_with(read_entities, path, **options, **self.limits)

    def read_in_tokens(self, path: str, *, attributes: bool = True) -> tuple[DocumentFile, Fitted]:
        """Read a file, convert its spans to tokens as well, and list what is lost on standard error.

        Args:
            path: the file.
            attributes: whether the attributes of spans are kept.

        Raises:
            InputError: if documents have no tokens, or if spans have no tokens (with some policies); see also
                `read_all_spans`.
        """
        file = self.read_spans(path)
        carried = fitted(replace(file, stated=None), _TOKENS, {}, self.pairing)
        if carried.losses:
            raise InputError(f"{'; '.join(map(str, carried.losses))}.", carried.remedy, source=file.source)
        for note in (*file.notes, *carried.notes, *(f"left out: {loss}" for loss in file.left_out)):
            print(printable(note), file=sys.stderr)
        if file.has_attributes and not attributes:
            print("lost: the attributes of spans", file=sys.stderr)
        return file, carried

    def kept(self, references: DocumentFile) -> np.ndarray:
        """Flag the tokens of a reference that are not left out."""
        return ~references.tags[0].has_number(None if self.id2label is None else self.ignore_index)

    def annotation_in(self, file: DocumentFile) -> Tags | Layers:
        """Return the tags of a file; if there are layers, return all of them."""
        return Layers(file.tags, file.columns, self.layers_apart) if self.layer_columns else file.tags[0]


OF_SCORES = ("reference_column", "prediction_column")
"""The options that name one column for each of two sides."""

_OPTIONS_OF: dict[str, Collection[str]] = {
    "attributes": ("ignore_words",),
    "entities": (*options_of(EntityTypes), *options_of(Decoding), "level", "documents", "ignore_words"),
    "spans": (*options_of(Pairing), *options_of(ChosenLabels), "annotator"),
    "tags": (*options_of(TagColumns), *options_of(ChosenLabels), "ignore_words"),
    "strings": options_of(AnswerReading).keys() - {"offsets"} | {"scored_documents", "mentions_key"},
}
"""The reading options for each kind of content, besides those of all files and of single formats."""


def add_reading(parser: argparse.ArgumentParser, names: Collection[str]) -> None:
    """Add some of the reading options to a parser, in groups by content."""
    tags, trees = {*options_of(Limits), "format", *_OPTIONS_OF["tags"]}, {*options_of(EntityTypes), "level"}
    groups = {
        "reading": tags,
        "reading documents with spans": options_of(InputFiles).keys() - tags - trees,
        "reading entity trees": trees,
    }
    for title, of_group in groups.items():
        left_out = options_of(InputFiles).keys() - (of_group & set(names))
        add_options(parser, title, InputFiles, leave_out=left_out)


ONE_FILE = (
    *(*options_of(Limits), *_FORMAT_OPTIONS),
    *("format", "prefix", "documents", "outside", "boundary", "column", "annotator", "tokenizer", "to_tokens", "trim"),
)
"""The options for reading one file, tags or documents."""

OF_SEVERAL = tuple(
    options_of(InputFiles).keys()
    - {*OF_SCORES, *options_of(EntityTypes), "level", "mentions_key", "words_column", "token_probability_column"}
    - {"layers_apart", "reference_labels", "reference_label_map"}
)
"""The options for reading files of several annotators, tags or documents."""


def read_source(options: argparse.Namespace, path: InputPath) -> tuple[InputFiles, bool]:
    """Read the options for one file, and check whether it is read as tags, which is so if it shows no other content.

    Raises:
        InputError: if an option has no effect.
    """
    source = read_options(InputFiles, options)
    content = source.content_of([path])
    source.require_effect(options, content, [path])
    return source, content == "tags"
