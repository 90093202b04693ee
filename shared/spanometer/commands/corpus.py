"""The files of several sides, read for a command, as the functions of `analysis` accept them."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

from ..analysis.agreement.annotators import ANNOTATOR
from ..analysis.agreement.disagreements import Disagreements
from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.errors.errors import Errors
from ..analysis.errors.examples import Context, context_of_documents
from ..documents.document_file import DocumentFile
from ..documents.joining import differing_document, matched, require_same_tokens, require_same_words
from ..documents.pairing import Pairing
from ..documents.sides import answers_together, by_annotator, files_together, require_one_annotator
from ..exceptions import InputError, counted, mention, printable
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
        columns: the columns of one file that has all sides; errors name them.
    """

    content: str
    files: Mapping[str, Any]
    reading: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)
    shown: Sequence[ShownFile] = ()
    context: Callable[[], Context] | None = None
    columns: Sequence[str] = ()

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
    def placing_errors(self, more: Mapping[str, DocumentFile] = MappingProxyType({})) -> Iterator[None]:
        """Replace the document in errors about a side by the line of its file; `more` are further names of files.

        Functions that get files do this themselves.
        """
        try:
            yield
        except InputError as error:
            if self.content not in ("tags", "attributes"):
                raise
            files = {"": self.first, **self.files, **more}
            if self.columns and (file := files.get(error.side or "")) is not None:
                error = error.placed(problem=f"{printable(file.columns[0])}: {error.problem}")
            with located(files):
                raise error from None

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
    files: CorpusFiles = getattr(_Sides(source, paths, names, annotators, words), f"read_{content}")()
    return files


@dataclass(frozen=True)
class _Sides:
    """The files of a corpus, see `read_corpus` for the attributes."""

    source: InputFiles
    paths: Sequence[str]
    names: str | None
    annotators: int | None
    words: Any

    def by_role(self, files: Iterable[Any], default: Sequence[str] = ()) -> dict[str, Any]:
        """Map the name of each side (reference, system or annotator) to its file; errors use the names.

        Args:
            files: the files of the sides.
            default: the names without `--names`; by default sides are named after their files.
        """
        default = default or default_names(self.paths, self.annotators)
        if self.annotators is None:
            sides = [f"{ANNOTATOR}{name}" for name in named(self.names, default, "annotator")]
        else:
            first = max(self.annotators, 1)
            people = [f"{ANNOTATOR}{name}" for name in default[:first]] if self.annotators else [REFERENCES]
            sides = people + [f"{SYSTEM}{name}" for name in named(self.names, default[first:], "system")]
        return dict(zip(sides, files, strict=True))

    def read_tags(self) -> CorpusFiles:
        """Read sides of tags, with the words of the first side."""
        source = self.source
        if self.annotators == 1:
            raise InputError(
                "a file of tags has only one reference.", "Give two or more reference files, with --references 2."
            )
        read = read_tag_sides(source, self.paths, self.annotators, self.words)
        if self.annotators == 0:
            _require_system(read, "a system's tags", "Give PREDICTION, or two columns with --column 2,3.")
        files = self.by_role(read, () if len(self.paths) > 1 else [file.columns[0] for file in read])
        return CorpusFiles(
            content="tags",
            files=files,
            annotations={name: source.annotation_in(file) for name, file in files.items()},
            reading={**source.decoding, **source.chosen},
            context=lambda: context_of_documents(read[0], kept=source.kept(read[0])),
            columns=source.columns,
        )

    def read_spans(self) -> CorpusFiles:
        """Read sides of documents with spans.

        If there is only one file of references, it has the spans of several annotators.
        """
        source, paths = self.source, self.paths
        if self.annotators == 0:
            _require_system(paths, "a system's spans", "Give PREDICTION.")
        people, default, of_role = {}, [], self
        if len(paths) == 1 or self.annotators == 1:
            remedy = ["Give more references."] if len(paths) > 1 else []
            people = by_annotator(source.read_all_spans(paths[0]), *remedy, chosen=source.annotator)
            paths = paths[1:]
            default = [*people, *names_of(paths)]
            of_role = self if self.annotators is None else replace(self, annotators=len(people))
        columns = [source.reference_column, *[source.prediction_column] * len(paths)]
        read = [source.read_spans(path, column) for path, column in zip(paths, columns, strict=False)]
        files = of_role.by_role([*people.values(), *read], default)
        return CorpusFiles(content="spans", files=files, reading={**vars(source.pairing), **source.chosen})

    def read_entities(self) -> CorpusFiles:
        """Read the entity trees of a reference and of systems, which must have the same documents and tokens."""
        _require_system(self.paths, "the system's entities", "Give PREDICTION.")
        reference = self.source.read_trees(self.paths[0])
        # only the columns of words and entities are needed from here on
        files = [replace(reference, words=None)]
        for path in self.paths[1:]:
            system = self.source.read_trees(path)
            _require_same_names(reference, system)
            require_same_tokens(reference, system, ignore_words=self.source.ignore_words)
            _with_lengths(reference, system)
            files.append(replace(_with_lengths(system, reference), words=None))
        return CorpusFiles(content="entities", files=self.by_role(files), reading=self.source.reading_of_trees(files))

    def read_attributes(self) -> CorpusFiles:
        """Read a reference and systems with attributes; documents get the order of the reference."""
        source, paths = self.source, self.paths
        _require_system(paths, "the system's spans", "Give PREDICTION.")
        shown = [source.format_of(path) or detected(path, source.encoding, "spans", "jsonl") for path in paths]
        formats = ["columns" if format is None else format.name for format in shown]
        references, *systems = (
            require_one_annotator(source.read_all_spans(path, shown=format))
            for path, format in zip(paths, shown, strict=True)
        )
        for predictions in systems:
            unit = "token" if references.in_tokens and predictions.in_tokens else "character"
            pairing = Pairing(unit=unit, ignore_words=source.ignore_words)
            files_together({"references": references, "predictions": predictions}, pairing)
        files = [references, *(matched(references, predictions)[1] for predictions in systems)]
        columns = [file.attribute_columns() for file in files]
        # words and texts are large, and not needed any more
        files = [replace(file, words=None, stated=None) for file in files]
        sides = self.by_role(files)
        return CorpusFiles(
            content="attributes",
            files=sides,
            annotations=dict(zip(sides, columns, strict=True)),
            shown=[
                ShownFile.of(file, name, format=name, attributes=list(attributes.names))
                for file, name, attributes in zip(files, formats, columns, strict=True)
            ],
        )

    def read_strings(self) -> CorpusFiles:
        """Read the mentions of a reference, and each system's answers as strings."""
        source, paths, key = self.source, self.paths, self.source.mentions_key
        policy = source.string_policy
        if key is not None:
            paths = [InputPath.of(paths[0], key), *paths[1:]]
        (_, reference), *systems = read_answers(source, paths).items()
        files = {REFERENCES: replace(reference, answers=None), **dict(systems)}
        if key is not None:
            files[_MENTIONS] = reference
        elif reference.answers is not None:
            reference.require_spans()
        paired, answers = answers_in_order(source, files)
        texts = paired.documents.texts or ()
        if key is None:
            gold, shown = Mentions.of_spans(paired.spans, texts), side_of(reference)
        else:
            try:
                gold = Mentions.from_pairs(answers.pop(_MENTIONS))
            except InputError as error:
                # documents that only one side has may be left out, so that others have their numbers
                raise (error if source.scored_documents != "same" else reference.locate(error)) from None
            described = {"file": reference.source, "mentions": len(gold), "notes": list(reference.notes)}
            text = f"{reference.source}, {counted(len(gold), 'mention')}"
            shown = ShownFile(text, {**described, "left_out": []})
        results = (
            ground_strings(texts, of_system, policy=policy, **source.answer_reading) for of_system in answers.values()
        )
        grounded = [replace(each, choices={**paired.decoding, **each.choices}) for each in results]
        sides = self.by_role([reference, *(file for _, file in systems)])
        return CorpusFiles(
            content="strings",
            files=sides,
            annotations=dict(zip(sides, (gold, *grounded), strict=True)),
            shown=[shown, *(side_of(file, grounded=of) for (_, file), of in zip(systems, grounded, strict=True))],
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


def read_answers(source: InputFiles, paths: Sequence[str]) -> dict[str, DocumentFile]:
    """Read a reference, and the answers of systems."""
    _require_system(paths, "answers", "Give PREDICTION, or name the key of the answers with --answer-key.")
    return {
        REFERENCES: source.read_spans(paths[0]),
        **dict(zip(names_of(paths[1:]), map(source.read_spans, paths[1:]), strict=True)),
    }


def answers_in_order(
    source: InputFiles, files: Mapping[str, DocumentFile]
) -> tuple[DocumentFile, dict[str, Sequence[Any]]]:
    """Bring texts, spans and answers into the same order; the first file is the reference."""
    own = ("asked_labels", "aliases", "answer_format", "scored_documents")
    return answers_together(files, made(Pairing, {name: getattr(source, name) for name in own}))


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
