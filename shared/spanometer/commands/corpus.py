"""The files of several sides, read for a command, as the functions of `analysis` accept them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeVar

from ..analysis.agreement.annotators import ANNOTATOR
from ..analysis.agreement.disagreements import Disagreements
from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.errors.errors import Errors
from ..analysis.errors.examples import Context, context_of_documents
from ..documents.document_file import DocumentFile
from ..documents.joining import differing_document, matched, require_same_tokens, require_same_words
from ..documents.pairing import Pairing, pair
from ..documents.sides import AnsweredTexts, answers_together, by_annotator, require_one_annotator
from ..exceptions import InputError, counted, mention
from ..grounding.reading import ground_strings
from ..options import made
from ..spans.mentions import Mentions
from ..tables.table import Part, heading
from .input_files import InputFiles
from .inputs import (
    InputPath,
    ShownFile,
    detected,
    documents_in,
    headlines,
    located,
    named,
    names_of,
    side_of,
    size_of,
)

Located = Callable[[Mapping[str, Any]], Any]
Result = TypeVar("Result", Errors, Disagreements)

_MENTIONS = "the mentions of the reference"


@dataclass(frozen=True, eq=False, kw_only=True)
class CorpusFiles:
    """Several sides of one corpus.

    Attributes:
        content: the kind of content, see `CONTENTS`.
        files: the file of each side, by its name in errors: `references`, `system NAME` or `annotator NAME`.
        reading: the arguments of functions that read the sides.
        annotations: the argument for each side; by default its entity trees or its file.
        shown: the description of each side's file.
        context: a function that returns the words and lines of the first side; None if the files have them.
        located: a context manager that adds the place in a file to errors about a side.
    """

    content: str
    files: Mapping[str, Any]
    reading: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)
    shown: Sequence[ShownFile] = ()
    context: Callable[[], Context] | None = None
    located: Located = nullcontext

    def __post_init__(self) -> None:
        """Derive the annotations and descriptions from the files."""
        if not self.annotations:
            annotations = {name: file if file.entities is None else file.entities for name, file in self.files.items()}
            object.__setattr__(self, "annotations", annotations)
        if not self.shown:
            object.__setattr__(self, "shown", tuple(map(side_of, self.files.values())))

    @property
    def first(self) -> Any:
        """The file of the first side."""
        return next(iter(self.files.values()))

    @property
    def reference(self) -> Any:
        """The reference, as functions accept it."""
        return self.annotations[REFERENCES]

    @property
    def systems(self) -> dict[str, Any]:
        """The systems by name, as functions accept them."""
        return self._of_role(SYSTEM)

    @property
    def annotators(self) -> dict[str, Any]:
        """The annotators by name, as functions accept them."""
        return self._of_role(ANNOTATOR)

    @property
    def documents(self) -> str:
        """The number of documents in words; empty if results state it."""
        return documents_in(self.first) if self.first.tags else ""

    @property
    def sides(self) -> list[tuple[str, ShownFile]]:
        """The descriptions of the sides' files, with their names."""
        names = ["reference" if name == REFERENCES else _bare(name) for name in self.files]
        return list(zip(names, self.shown, strict=True))

    def described(self, role: str = "systems") -> dict[str, Any]:
        """Describe the files for JSON: the annotators, or the reference and, under the key `role`, the systems."""
        shown = [side.described for side in self.shown]
        if REFERENCES not in self.files:
            return {"files": shown}
        return {"reference": shown[0], role: dict(zip(self.systems, shown[1:], strict=True))}

    def heading(
        self, documents: int, tokens: int | None, unit: str = "token", more: Mapping[str, str] = MappingProxyType({})
    ) -> list[Part]:
        """Return the lines above a result: files, size of the corpus, items that were left out, and `more`."""
        return heading([*headlines(self.sides, self.size(documents, tokens, unit)), *more.items()])

    def size(self, documents: int, tokens: int | None, unit: str = "token") -> str:
        """Write the size of the corpus in words."""
        return size_of(self.documents or documents, tokens, unit)

    def in_context(self, result: Result) -> Result:
        """Add the words and lines of the first side to a result, if it does not have them."""
        return result if self.context is None else result.with_context(self.context())

    @contextmanager
    def placing_errors(self) -> Iterator[None]:
        """Replace the document in errors about a side by the line of its file."""
        with self.located(self.files):
            yield

    def _of_role(self, role: str) -> dict[str, Any]:
        return {_bare(name): side for name, side in self.annotations.items() if name.startswith(role)}


def read_corpus(
    source: InputFiles,
    content: str,
    paths: Sequence[str],
    names: str | None = None,
    *,
    annotators: int | None = None,
    words: Any = False,
) -> CorpusFiles:
    """Read all sides of a corpus.

    Args:
        source: how the files are read.
        content: the kind of content to read, see `CONTENTS`.
        paths: the files.
        names: the names of annotators or systems, separated by commas; by default the names of the files.
        annotators: the number of files, from the first, that are annotators; systems follow. 0 means one reference,
            None means that all files are annotators.
        words: whether the words of the first side are needed.

    Raises:
        InputError: if files cannot be read, or if their documents differ; the error names file and line.
    """
    return _READERS[content](source, paths, names, annotators, words)


def _read_tags(
    source: InputFiles, paths: Sequence[str], names: str | None, annotators: int | None, words: Any
) -> CorpusFiles:
    """Read sides of tags, with the words of the first side."""
    if annotators == 1:
        raise InputError(
            "a file of tags has only one reference.", "Give two or more reference files, with --references 2."
        )
    read = read_tag_sides(source, paths, annotators, words)
    if annotators == 0 and len(read) < 2:
        raise InputError("there is no file with a system's tags.", "Give PREDICTION, or two columns with --column 2,3.")
    default = default_names(paths, annotators) if len(paths) > 1 else [file.columns[0] for file in read]
    files = by_role(read, default, names, annotators)
    return CorpusFiles(
        content="tags",
        files=files,
        annotations={name: source.annotation_in(file) for name, file in files.items()},
        reading={**source.decoding, **source.chosen},
        context=lambda: context_of_documents(read[0], kept=source.kept(read[0])),
        located=source.located,
    )


def read_tag_sides(
    source: InputFiles, paths: Sequence[str], annotators: int | None, words: bool | int | str
) -> list[DocumentFile]:
    """Read all sides, each as a separate file with the same words; if `words` is True, the first side has words."""
    words = (words and source.words_column) or words
    numbers = source.token_probability_column
    if listed := _columns_of_one(source, paths, annotators):
        whole = source.read_tags(paths[0], listed, words, numbers, distinct=True)
        return [whole.select(place) for place in range(len(listed))]
    compared = False if source.ignore_words else words or True
    layers = source.layer_columns
    if layers and len(paths) == 1:
        sides = layers[: len(layers) // 2], layers[len(layers) // 2 :]
        first, other = (source.read_tags(paths[0], side, words or compared, numbers) for side in sides)
        return [first, replace(other, words=None)]
    of_first = layers or [source.reference_column or source.one_column]
    of_others = layers or [source.prediction_column or source.one_column]
    first = source.read_tags(paths[0], of_first, words or compared, numbers)
    files = [first if words else replace(first, words=None)]
    for path in paths[1:]:
        file = _read_system_tags(source, path, of_others, compared, first)
        (require_same_tokens if annotators == 0 else require_same_words)(first, file)
        files.append(replace(file, words=None))
    return files


def _read_system_tags(
    source: InputFiles, path: str, columns: Sequence[str | None], words: Any, reference: DocumentFile
) -> DocumentFile:
    """Read a system's tags. If no line in the file begins a document, its documents are those of the reference."""
    try:
        return source.read_tags(path, columns, words)
    except InputError as error:
        # a pipe can be read only once
        if error.option != "documents" or not os.path.isfile(path):
            raise
        file = replace(source, documents=None).read_tags(path, columns, words)
        if len(file.tags[0].codes) != len(reference.tags[0].codes):
            raise
        return file.in_documents_of(reference)


def _columns_of_one(source: InputFiles, paths: Sequence[str], annotators: int | None) -> Sequence[str]:
    """Return the names of the sides' columns if one file has all sides, otherwise nothing."""
    pair = tuple(column for column in (source.reference_column, source.prediction_column) if column is not None)
    if source.layer_columns and any((source.column, pair)):
        raise InputError(
            f"{mention('layer_columns')} already names the columns of all files.",
            "Leave out the other options for columns.",
        )
    if source.columns and len(paths) > 1:
        raise InputError("several columns need a single file.", "Give one file, or name one --column for all files.")
    if source.columns and pair:
        raise InputError("--column already names the columns of all sides.", "Leave out the other options for columns.")
    of_both = annotators == 0 and len(source.layer_columns) > 1 and len(source.layer_columns) % 2 == 0
    if len(paths) > 1 or source.columns or of_both:
        return source.columns
    if len(pair) < 2:
        # a file that cannot be read has no columns
        source.read_tags(paths[0], (None,))
        what = "its annotators" if annotators is None else "the reference and the systems"
        remedy = "Give more files." if source.layer_columns else "Name them, as in --column 2,3, or give more files."
        raise InputError(f"a single file needs the names of the columns of {what}.", remedy)
    return pair


def _read_documents(
    source: InputFiles, paths: Sequence[str], names: str | None, annotators: int | None, words: Any
) -> CorpusFiles:
    """Read sides of documents with spans.

    If there is only one file of references, it has the spans of several annotators.
    """
    if annotators == 0:
        _require_system(paths, "a system's spans", "Give PREDICTION.")
    people = {}
    if len(paths) == 1:
        people = by_annotator(source.read_all_spans(paths[0]), chosen=source.annotator)
    elif annotators == 1:
        people = by_annotator(source.read_all_spans(paths[0]), "Give more references.", chosen=source.annotator)
    rest = paths[1:] if people else paths
    if people and annotators is not None:
        annotators = len(people)
    default = [*people, *default_names(rest, None)] if people else default_names(paths, annotators)
    columns = [source.reference_column, *[source.prediction_column] * len(paths)]
    read = [source.read_spans(path, column) for path, column in zip(rest, columns, strict=False)]
    files = by_role([*people.values(), *read], default, names, annotators)
    return CorpusFiles(content="spans", files=files, reading={**vars(source.pairing), **source.chosen})


def _read_trees(
    source: InputFiles, paths: Sequence[str], names: str | None, annotators: int | None, words: Any
) -> CorpusFiles:
    """Read the entity trees of a reference and of systems, which must have the same documents and tokens."""
    _require_system(paths, "the system's entities", "Give PREDICTION.")
    reference = source.read_trees(paths[0])
    # only the columns of words and entities are needed from here on
    files = [replace(reference, words=None)]
    for path in paths[1:]:
        system = source.read_trees(path)
        _require_same_names(reference, system)
        require_same_tokens(reference, system, ignore_words=source.ignore_words)
        _with_lengths(reference, system)
        files.append(replace(_with_lengths(system, reference), words=None))
    sides = by_role(files, default_names(paths, annotators), names, annotators)
    return CorpusFiles(content="entities", files=sides, reading=source.reading_of_trees(files))


def _with_lengths(file: DocumentFile, other: DocumentFile) -> DocumentFile:
    """Add the document lengths of the other side to entities without lengths, and check that they fit."""
    if other.lengths is None or file.lengths is not None:
        return file
    with located({"": file}):
        return replace(file, entities=file.trees.with_lengths(other.lengths))


def _require_same_names(reference: DocumentFile, system: DocumentFile) -> None:
    """Compare the names of HIPE's documents, because documents in another order can have the same lengths."""
    if not reference.format == system.format == "hipe":
        return
    names = (reference.documents.ids or (), system.documents.ids or ())
    for document, (name, predicted) in enumerate(zip(*names, strict=False)):
        if name != predicted:
            states = (f"is {name!r}", f"is {predicted!r}")
            remedy = "Both sides must have the same documents, in the same order."
            raise differing_document(reference, system, document, states, remedy)


def _read_attributes(
    source: InputFiles, paths: Sequence[str], names: str | None, annotators: int | None, words: Any
) -> CorpusFiles:
    """Read a reference and systems with attributes; documents get the order of the reference."""
    _require_system(paths, "the system's spans", "Give PREDICTION.")
    shown = [source.format_of(path) or detected(path, source.encoding, "spans", "jsonl") for path in paths]
    formats = ["columns" if format is None else format.name for format in shown]
    references, *systems = (
        require_one_annotator(source.read_all_spans(path, shown=format))
        for path, format in zip(paths, shown, strict=True)
    )
    for predictions in systems:
        unit = "token" if references.in_tokens and predictions.in_tokens else "character"
        pair(references, predictions, Pairing(unit=unit, ignore_words=source.ignore_words))
    files = [references, *(matched(references, predictions)[1] for predictions in systems)]
    columns = [file.attribute_columns() for file in files]
    # words and texts are large, and not needed any more
    files = [replace(file, words=None, stated=None) for file in files]
    sides = by_role(files, default_names(paths, annotators), names, annotators)
    return CorpusFiles(
        content="attributes",
        files=sides,
        annotations=dict(zip(sides, columns, strict=True)),
        shown=[
            ShownFile.of(file, name, format=name, attributes=list(attributes.names))
            for file, name, attributes in zip(files, formats, columns, strict=True)
        ],
        located=lambda files_of: located({**files_of, "": files[0]}),
    )


def _read_strings(
    source: InputFiles, paths: Sequence[str], names: str | None, annotators: int | None, words: Any
) -> CorpusFiles:
    """Read the mentions of a reference, and each system's answers as strings."""
    policy = source.string_policy
    if len(paths) == 1:
        raise InputError(
            "there is no file with answers.", "Give PREDICTION, or name the key of the answers with --answer-key."
        )
    if source.mentions_key is not None:
        paths = [InputPath.of(paths[0], source.mentions_key), *paths[1:]]
    (_, reference), *systems = read_answers(source, paths).items()
    files = {REFERENCES: replace(reference, answers=None), **dict(systems)}
    if source.mentions_key is not None:
        files[_MENTIONS] = reference
    elif reference.answers is not None:
        reference.require_spans()
    read = answers_in_order(source, files)
    if source.mentions_key is None:
        gold, shown = Mentions.of_spans(read.references, read.texts), side_of(reference)
    else:
        gold = _mentions(source, read.answers.pop(_MENTIONS), reference)
        shown = ShownFile(
            f"{reference.source}, {counted(len(gold), 'mention')}",
            {"file": reference.source, "mentions": len(gold), "notes": list(reference.notes), "left_out": []},
        )
    results = (
        ground_strings(read.texts, answers, policy=policy, **source.answer_reading) for answers in read.answers.values()
    )
    grounded = [replace(each, choices={**read.decoding, **each.choices}) for each in results]
    sides = [side_of(file, grounded=each) for (_, file), each in zip(systems, grounded, strict=True)]
    named_files = by_role([file for _, file in (("", reference), *systems)], default_names(paths, 0), names, 0)
    return CorpusFiles(
        content="strings",
        files=named_files,
        annotations=dict(zip(named_files, (gold, *grounded), strict=True)),
        shown=[shown, *sides],
    )


def _mentions(source: InputFiles, rows: Sequence[Any], reference: DocumentFile) -> Mentions:
    """Read the mentions of a file; raise an `InputError` with the line for other values."""
    try:
        return Mentions.from_pairs(rows)
    except InputError as error:
        # documents that only one side has may be left out, so that others have their numbers
        raise (error if source.scored_documents != "same" else reference.locate(error)) from None


def read_answers(source: InputFiles, paths: Sequence[str]) -> dict[str, DocumentFile]:
    """Read a reference, and the answers of systems."""
    return {
        REFERENCES: source.read_spans(paths[0]),
        **dict(zip(names_of(paths[1:]), map(source.read_spans, paths[1:]), strict=True)),
    }


def answers_in_order(source: InputFiles, files: Mapping[str, DocumentFile]) -> AnsweredTexts:
    """Bring texts, spans and answers into the same order; the first file is the reference."""
    own = ("asked_labels", "aliases", "answer_format", "scored_documents")
    return answers_together(files, made(Pairing, {name: getattr(source, name) for name in own}))


_READERS = {
    "tags": _read_tags,
    "spans": _read_documents,
    "entities": _read_trees,
    "attributes": _read_attributes,
    "strings": _read_strings,
}


def by_role(files: Iterable[Any], default: Sequence[str], names: str | None, annotators: int | None) -> dict[str, Any]:
    """Map the name of each side (reference, system or annotator) to its file; errors use the names.

    Args:
        files: the files of the sides, see `read_corpus`.
        default: the names of the files if `names` is None.
        names: the names from the command line, separated by commas.
        annotators: the number of files that are annotators.
    """
    rest = iter(files)
    if annotators is None:
        return dict(zip((f"{ANNOTATOR}{name}" for name in named(names, default, "annotator")), rest, strict=True))
    first = max(annotators, 1)
    if annotators == 0:
        sides = {REFERENCES: next(rest)}
    else:
        sides = dict(zip((f"{ANNOTATOR}{name}" for name in default[:first]), islice(rest, first), strict=True))
    systems = named(names, default[first:], "system")
    return {**sides, **dict(zip((f"{SYSTEM}{name}" for name in systems), rest, strict=True))}


def default_names(paths: Sequence[str], annotators: int | None) -> list[str]:
    """Name sides after their files; annotators (or the reference) and systems get different names."""
    if annotators is None:
        return names_of(paths)
    first = max(annotators, 1)
    people, systems = names_of(paths[:first]), names_of(paths[first:])
    return [*people, *(systems if annotators == 0 or set(people).isdisjoint(systems) else names_of(paths)[first:])]


def _require_system(files: Sequence[object], what: str, remedy: str) -> None:
    """Raise an `InputError` if there is no file of a system."""
    if len(files) < 2:
        raise InputError(f"there is no file with {what}.", remedy)


def _bare(name: str) -> str:
    return name.removeprefix(ANNOTATOR).removeprefix(SYSTEM)
