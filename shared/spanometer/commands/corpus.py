"""The files of several sides, read for a command, as the functions of `analysis` accept them."""

import argparse
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self

from ..analysis.comparison.comparison import REFERENCES, SYSTEM
from ..analysis.errors.examples import context_of_documents
from ..documents.document_file import DocumentFile
from ..documents.joining import differing_document, locating_errors, matched, require_same_tokens, require_same_words
from ..documents.pairing import Pairing
from ..documents.sides import ANNOTATOR, answers_together, by_annotator, files_together, require_one_annotator
from ..exceptions import InputError, counted, mention, printable
from ..grounding.reading import ground_strings
from ..measures.registry import NAMED_MEASURES, options_by_name
from ..readers.formats import formats_of
from ..spans.mentions import Mentions
from .input_files import SERIES, InputFiles, InputPath, called, detected, distinct_names, input_paths
from .options import read_options
from .output import ShownFile, documents_in, headlines

_MENTIONS = "the mentions of the reference"

_SYSTEM_FILES = {
    "tags": ("tags", "Give PREDICTION, or two columns with --column 2,3."),
    "entities": ("entities", "Give PREDICTION."),
    "strings": ("answers", "Give PREDICTION, or name the key of the answers with --answer-key."),
}
"""What a system's file has, if not spans, and the remedy if there is no such file."""


def named(written: str | None, default: Sequence[str], what: str) -> list[str]:
    """Return the names of sides, which are separated by commas, or the default names. All names must differ.

    Args:
        written: the names.
        default: the default names, one for each side.
        what: the noun for a side, `annotator` or `system`.
    """
    if written is None:
        return list(default)
    names = distinct_names(written, "names", "name")
    if len(names) != len(default):
        problem = f"got {counted(len(names), 'name')} for {counted(len(default), what)}."
        raise InputError(problem, f"Give one name for each {what}.")
    return names


def names_of(paths: Sequence[str]) -> list[str]:
    """Name annotators or systems after their files, by the shortest names that are distinct."""
    bare = [os.path.basename(os.path.normpath(called(path))).removesuffix(".gz") for path in paths]
    stems = [os.path.splitext(name)[0] for name in bare]
    keys = [getattr(path, "key", None) or "" for path in paths]
    candidates = [stems, bare, list(paths)]
    if any(keys):
        # nested keys differ mostly after the dot
        short = [key.partition(".")[2] or key or stem for key, stem in zip(keys, stems, strict=True)]
        candidates = [short, [f"{stem} {key}".strip() for key, stem in zip(keys, stems, strict=True)]]
    # one file given twice
    candidates.append([f"{name} ({number})" for number, name in enumerate(bare, start=1)])
    return next(names for names in candidates if len(set(names)) == len(paths))


@dataclass(frozen=True, eq=False, kw_only=True)
class Corpus:
    """Several sides of one corpus: the files that a command line names and, after `read`, their annotations.

    Attributes:
        source: how files are read.
        content: the kind of content, see `CONTENTS`.
        paths: the files.
        names: the names of annotators or systems, separated by commas; by default the names of the files.
        annotator_files: the number of files, from the first, that are annotators; systems follow. 0 means one
            reference, None means that all files are annotators.
        files: the file of each side, by its name in errors: `references`, `system NAME` or `annotator NAME`.
        annotations: the argument of functions for each side.
        reading: the arguments of functions that read the sides; how they were read, if they are no tags or spans.
        shown: the description of each side's file.
    """

    source: Any
    content: str
    paths: Sequence[str] = ()
    names: str | None = None
    annotator_files: int | None = 0
    files: Mapping[str, Any] = field(default_factory=dict)
    annotations: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    shown: Mapping[str, ShownFile] = field(default_factory=dict)

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
        return [("reference" if name == REFERENCES else _bare(name), side) for name, side in self.shown.items()]

    def described(self, role: str = "systems") -> dict[str, Any]:
        """Describe the files for JSON: the annotators, or the reference and, under the key `role`, the systems."""
        shown = [side.described for side in self.shown.values()]
        if REFERENCES not in self.files:
            return {"files": shown}
        return {"reference": shown[0], role: dict(zip(self.systems, shown[1:], strict=True))}

    def lines(self, documents: int, tokens: int | None, unit: str = "token") -> list[tuple[str, str]]:
        """Return the lines above a result: files, size of the corpus and items that were left out."""
        return headlines(self.sides, self.documents or documents, tokens, unit)

    def in_context(self, result: Any) -> Any:
        """Add the words and lines of the first side to a result, if files do not have them."""
        if self.content != "tags":
            return result
        return result.with_context(context_of_documents(self.first, kept=self.source.kept(self.first)))

    @contextmanager
    def placing_errors(self, **more: DocumentFile) -> Iterator[None]:
        """Replace the document in errors about a side by the line of its file; `more` are further names of files.

        Functions that get files do this themselves.
        """
        try:
            yield
        except InputError as error:
            if self.content not in ("tags", "attributes"):
                raise
            files = {"": self.first, **self.files, **more}
            if self.source.columns and (file := files.get(error.side or "")) is not None:
                error = error.placed(problem=f"{printable(file.columns[0])}: {error.problem}")
            with locating_errors(files):
                raise error from None

    def reading_of_trees(self, *files: DocumentFile) -> dict[str, str]:
        """Describe for the signature how entity trees were read: the options that can change scores."""
        formats = list(dict.fromkeys(file.format for file in files))
        # the modules accept the content of two formats, too, and use this name for it
        described = {"input": "+".join({"quaero": "markup", "jsonl": "entities"}.get(name, name) for name in formats)}
        defaults = {key: value for name in formats for key, value in formats_of("entities")[name].options.items()}
        values = {**vars(self.source), "entity_types": ",".join(sorted(self.source.first_parts))}
        of_trees = [key for key in ("level", "scheme", "repair", "entity_types", "documents") if key in defaults]
        return described | {key: str(defaults[key] if values[key] is None else values[key]) for key in of_trees}

    def _of_role(self, role: str) -> dict[str, Any]:
        return {_bare(name): side for name, side in self.annotations.items() if name.startswith(role)}

    @classmethod
    def of(cls, options: argparse.Namespace, annotators: int | None = None, contents: Collection[str] = SERIES) -> Self:
        """Choose the kind of content from the measures, the reading options and the files that a command line names.

        Raises:
            InputError: if a reading option has no effect.
        """
        files = options.files if annotators is None else [options.reference, *options.systems]
        paths = input_paths(files, options.answer_key, systems=0 if annotators is None else annotators or 1)
        source = read_options(InputFiles, options)
        named = options_by_name(getattr(options, "measures", None) or [], NAMED_MEASURES)
        content = source.content_of(paths, contents, {NAMED_MEASURES[name].input for name in named})
        source.require_effect(options, content, paths)
        return cls(source=source, content=content, paths=paths, names=options.names, annotator_files=annotators)

    def read(self, *, words: Any = False) -> Self:
        """Read all sides; `words` says whether the words of the first side are needed.

        Raises:
            InputError: if files cannot be read, or if their documents differ; the error names file and line.
        """
        if self.content == "tags":
            return self.read_tags(words)
        if self.annotator_files == 0:
            require_system(self.content, self.paths)
        corpus: Self = getattr(self, f"read_{self.content}")()
        return corpus

    def with_sides(self, files: Sequence[DocumentFile], default: Sequence[str] = (), **columns: Sequence[Any]) -> Self:
        """Name the sides (reference, systems, annotators); errors use these names.

        Args:
            files: the file of each side.
            default: the names without `--names`; by default sides are named after their files.
            columns: `annotations` and `shown` of each side, if they are not the file and its description.
        """
        first = len(files) if self.annotator_files is None else max(self.annotator_files, 1)
        people, systems = default[:first], default[first:]
        if not default:
            people, systems = names_of(self.paths[:first]), names_of(self.paths[first:])
            if self.annotator_files and not set(people).isdisjoint(systems):
                systems = names_of(self.paths)[first:]
        if self.annotator_files is None:
            people = named(self.names, people, "annotator")
        else:
            systems = named(self.names, systems, "system")
        sides = [REFERENCES] if self.annotator_files == 0 else [f"{ANNOTATOR}{name}" for name in people]
        sides += [f"{SYSTEM}{name}" for name in systems]
        of_sides = {"files": files, "annotations": files, "shown": map(ShownFile.of, files), **columns}
        by_name: dict[str, Any] = {key: dict(zip(sides, column, strict=True)) for key, column in of_sides.items()}
        return replace(self, **by_name)

    def read_tags(self, words: Any) -> Self:
        """Read sides of tags, with the words of the first side."""
        source = self.source
        if self.annotator_files == 1:
            remedy = "If the first two files are references, set --references 2. Otherwise, leave out --references."
            raise InputError("--references needs at least two reference files, got 1.", remedy)
        files = read_tag_sides(source, self.paths, self.annotator_files, words)
        if self.annotator_files == 0:
            require_system("tags", files)
        default = () if len(self.paths) > 1 else [file.columns[0] for file in files]
        corpus = replace(self, reading={**source.decoding, **source.chosen})
        return corpus.with_sides(files, default, annotations=list(map(source.annotation_in, files)))

    def read_spans(self) -> Self:
        """Read sides of documents with spans.

        If there is only one file of references, it has the spans of several annotators.
        """
        source, paths = self.source, self.paths
        people, default, corpus = {}, [], self
        if len(paths) == 1 or self.annotator_files == 1:
            more = [source.scored_documents, *(["Give more references."] if len(paths) > 1 else [])]
            people = by_annotator(source.read_all_spans(paths[0]), *more, chosen=source.annotator)
            paths = paths[1:]
            default = [*people, *names_of(paths)]
            corpus = self if self.annotator_files is None else replace(self, annotator_files=len(people))
        columns = [source.reference_column, *[source.prediction_column] * len(paths)]
        files = [*people.values(), *map(source.read_spans, paths, columns)]
        return replace(corpus, reading={**vars(source.pairing), **source.chosen}).with_sides(files, default)

    def read_entities(self) -> Self:
        """Read the entity trees of a reference and of systems, which must have the same documents and tokens."""
        reference = self.source.read_trees(self.paths[0])
        # only the columns of words and entities are needed from here on
        files = [replace(reference, words=None)]
        for path in self.paths[1:]:
            system = self.source.read_trees(path)
            _require_same_names(reference, system)
            require_same_tokens(reference, system, ignore_words=self.source.ignore_words)
            _with_lengths(reference, system)
            files.append(replace(_with_lengths(system, reference), words=None))
        corpus = replace(self, reading=self.reading_of_trees(*files))
        return corpus.with_sides(files, annotations=[file.trees for file in files])

    def read_attributes(self) -> Self:
        """Read a reference and systems with attributes; documents get the order of the reference."""
        source, paths = self.source, self.paths
        formats = [source.format_of(path) or detected(path, source.encoding, "spans", "jsonl") for path in paths]
        read = (source.read_all_spans(path, shown=format) for path, format in zip(paths, formats, strict=True))
        references, *systems = map(require_one_annotator, read)
        for predictions in systems:
            unit = "token" if references.in_tokens and predictions.in_tokens else "character"
            pairing = Pairing(unit=unit, ignore_words=source.ignore_words)
            files_together({"references": references, "predictions": predictions}, pairing)
        files = [references, *(matched(references, predictions)[1] for predictions in systems)]
        columns = [file.attribute_columns() for file in files]
        # words and texts are large, and not needed any more
        files = [replace(file, words=None, stated=None) for file in files]
        names = ["columns" if format is None else format.name for format in formats]
        sides = zip(files, names, columns, strict=True)
        shown = [ShownFile.by(file, name, format=name, attributes=list(each.names)) for file, name, each in sides]
        return self.with_sides(files, annotations=columns, shown=shown)

    def read_strings(self) -> Self:
        """Read the mentions of a reference, and each system's answers as strings."""
        source, paths, key = self.source, self.paths, self.source.mentions_key
        if key is not None:
            paths = [InputPath.of(paths[0], key), *paths[1:]]
        (_, reference), *systems = read_answers(source, paths).items()
        files = {REFERENCES: replace(reference, answers=None), **dict(systems)}
        if key is not None:
            files[_MENTIONS] = reference
        elif reference.answers is not None:
            reference.require_spans()
        paired, answers = answers_together(files, replace(source, grounding=None).pairing)
        texts = paired.documents.texts or ()
        if key is None:
            gold, shown = Mentions.of_spans(paired.spans, texts), ShownFile.of(reference)
        else:
            try:
                gold = Mentions.from_pairs(answers.pop(_MENTIONS))
            except InputError as error:
                # documents that only one side has may be left out, so that others have their numbers
                raise (error if source.scored_documents != "same" else reference.locate(error)) from None
            described = {"mentions": len(gold), "notes": list(reference.notes), "left_out": []}
            shown = replace(ShownFile.by(reference, counted(len(gold), "mention"), **described), left_out=())
        reading: Any = {"policy": source.string_policy, **source.answer_reading}
        grounded = [ground_strings(texts, of_system, **reading) for of_system in answers.values()]
        of_systems = [file for _, file in systems]
        return replace(self, reading={**paired.decoding, **grounded[0].choices}).with_sides(
            [reference, *of_systems],
            annotations=[gold, *(strings.mentions for strings in grounded)],
            shown=[shown, *map(ShownFile.of, of_systems, grounded)],
        )


def read_tag_sides(
    source: InputFiles, paths: Sequence[str], annotators: int | None, words: bool | int | str
) -> list[DocumentFile]:
    """Read all sides, each as a separate file with the same words; if `words` is True, the first side has words."""
    words = (words and source.words_column) or words
    numbers = source.token_probability_column
    if listed := _columns_of_one(source, paths, annotators):
        whole = source.read_tags(paths[0], listed, words, numbers)
        return [whole.select(place) for place in range(len(listed))]
    compared = False if source.ignore_words else words or True
    layers = source.layer_columns
    of_first: Sequence[str | None] = layers or [source.reference_column or source.one_column]
    of_others: Sequence[str | None] = layers or [source.prediction_column or source.one_column]
    others = paths[1:]
    if layers and not others:
        of_first, of_others, others = layers[: len(layers) // 2], layers[len(layers) // 2 :], paths
    first = source.read_tags(paths[0], of_first, words or compared, numbers)
    files = [first if words else replace(first, words=None)]
    for path in others:
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
    of_all = "layer_columns" if source.layer_columns else "column"
    if (source.layer_columns and source.column) or ((source.layer_columns or source.columns) and pair):
        names = ("column", "reference_column", "prediction_column")
        others = [mention(name) for name in names if name != of_all and getattr(source, name) is not None]
        raise InputError(f"{mention(of_all)} already names all columns.", f"Leave out {' and '.join(others)}.")
    if source.columns and len(paths) > 1:
        remedy = "Name one column for all files, or give one file."
        raise InputError("--column can name several columns only if there is one file.", remedy)
    of_both = annotators == 0 and len(source.layer_columns) > 1 and len(source.layer_columns) % 2 == 0
    if len(paths) > 1 or source.columns or of_both:
        return source.columns
    if len(pair) < 2:
        # a file that cannot be read has no columns
        source.read_tags(paths[0], (None,))
        each = "each annotator" if annotators is None else "the reference and one file for each system"
        remedy = f"Give one file for {each}{'' if source.layer_columns else ', or columns of one file: --column 2,3'}."
        raise InputError("got one file, but this command needs at least two.", remedy)
    return pair


def _with_lengths(file: DocumentFile, other: DocumentFile) -> DocumentFile:
    """Add the document lengths of the other side to entities without lengths, and check that they fit."""
    if other.lengths is None or file.lengths is not None:
        return file
    with locating_errors({"": file}):
        return replace(file, entities=file.trees.with_lengths(other.lengths))


def _require_same_names(reference: DocumentFile, system: DocumentFile) -> None:
    """Compare the names of HIPE's documents, because documents in another order can have the same lengths."""
    if not reference.format == system.format == "hipe":
        return
    names = (reference.documents.ids or (), system.documents.ids or ())
    for document, (name, predicted) in enumerate(zip(*names, strict=False)):
        if name != predicted:
            states = (f"has the name {name!r}", f"has the name {predicted!r}")
            remedy = "Both sides must have the same documents, in the same order."
            raise differing_document(reference, system, document, states, remedy)


def read_answers(source: InputFiles, paths: Sequence[str]) -> dict[str, DocumentFile]:
    """Read a reference, and the answers of systems."""
    require_system("strings", paths)
    return dict(zip([REFERENCES, *names_of(paths[1:])], map(source.read_spans, paths), strict=True))


def require_system(content: str, files: Sequence[object]) -> None:
    """Raise an `InputError` if there is no file of a system."""
    if len(files) < 2:
        what, remedy = _SYSTEM_FILES.get(content, ("spans", "Give PREDICTION."))
        raise InputError(f"you gave no file with a system's {what}.", remedy)


def require_two_systems(flag: str, systems: Collection[str]) -> None:
    """Raise an `InputError` unless an option that compares two systems has two."""
    if len(systems) != 2:
        raise InputError(f"{flag} compares two systems, not {len(systems)}.", "Give three files: REFERENCE OLD NEW.")


def require_drawable(systems: Collection[str]) -> None:
    """Raise an `InputError` if there are several systems."""
    if len(systems) > 1:
        raise InputError(f"{mention('plot')} can draw only one system.", "Give one PREDICTION, or remove --plot.")


def _bare(name: str) -> str:
    return name.removeprefix(ANNOTATOR).removeprefix(SYSTEM)
