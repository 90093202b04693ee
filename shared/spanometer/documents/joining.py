"""Joining of several files into one, and matching of the documents of two sides with checks of tokens and words."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from ..arrays import offsets_of, place_of
from ..exceptions import InputError, clause_for, counted, first_of, only_difference, require_kind, setting, shown
from ..spans.annotations import end_to_end
from ..spans.entities import Entities
from ..spans.spans import Spans
from ..spans.texts import Documents, Tokens, places_of
from ..tags.schemes import LabelChoice
from .document_file import DocumentFile, unannotated
from .layers import FileParts, LineRuns, Words, joined_tags
from .stated import StatedSpans

Value = TypeVar("Value")
Joined = TypeVar("Joined")
_WithKeys = Sequence[tuple[DocumentFile, Sequence[str]]]
"""Files with the keys of their documents: names or texts."""

_KINDS: tuple[tuple[str, Callable[[DocumentFile], Any]], ...] = (
    ("tags", lambda file: bool(file.tags)),
    ("token offsets", lambda file: file.in_tokens),
    ("names of annotators", lambda file: bool(file.annotators)),
    ("answers of a language model", lambda file: file.answers is not None),
    ("texts", lambda file: file.documents.texts is not None),
    ("words", lambda file: file.words is not None),
)
"""Fields that either all files must have, or none."""


def read_together(path: Any, files: Mapping[str, str], read: Callable[[str], DocumentFile]) -> DocumentFile:
    """Read files one by one, and join them.

    Raises:
        InputError: if a file cannot be read, or if files have different kinds of annotation.
    """
    parts = {name: read(file) for name, file in files.items()}
    _require_one_form(list(parts.values()))
    return joined_files(os.fspath(path), parts)


def _require_one_form(files: Sequence[DocumentFile]) -> None:
    """Raise an `InputError` if a file has other fields, other columns or another format than the first file."""
    first, *others = files
    for other in others:
        if other.columns != first.columns:
            here, there = (" and ".join(file.columns) for file in (other, first))
            chosen = clause_for("column", f" with {setting('column')}")
            problem = f"the column of tags is {here!r}, but in {first.source} the column is {there!r}."
            raise InputError(
                problem,
                f"Give all files the same columns, or choose a column that all files have{chosen}.",
                source=other.source,
            )
        if first.entities is not None and other.format != first.format:
            problem = f"this file has the format {other.format}, but {first.source} has the format {first.format}."
            raise InputError(problem, "Give files with the same format.", source=other.source)
        for kind, has in _KINDS:
            if has(other) != has(first):
                having, lacking = (first, other) if has(first) else (other, first)
                problem = f"this file has no {kind}, but {having.source} has {kind}."
                raise InputError(
                    problem, f"Give only files with {kind}, or only files without {kind}.", source=lacking.source
                )


def joined_files(source: str, files: Mapping[str, DocumentFile]) -> DocumentFile:
    """Join the documents of several files with the same kinds of annotation.

    Args:
        source: what errors call all files together.
        files: the files by name; names of documents are created from these names.
    """
    first, *_ = parts = list(files.values())
    documents = [part.documents for part in parts]
    sizes = [each.size for each in documents]
    stated = [part.stated or StatedSpans.of(part.spans) for part in parts]
    missing = [part.missing or Spans.none(part.documents.size) for part in parts]
    return DocumentFile(
        source=source,
        format="several files" if first.entities is None else first.format,
        documents=Documents(
            size=sum(sizes),
            ids=_names_of(files, first, documents),
            texts=_joined((each.texts for each in documents), _chained),
            tokens=_joined((each.tokens for each in documents), Tokens.end_to_end),
        ),
        document_lines=np.concatenate([part.document_lines for part in parts]),
        line_runs=_joined((part.line_runs for part in parts), LineRuns.end_to_end),
        places=tuple(chain.from_iterable(part.places or [""] * part.documents.size for part in parts)),
        parts=FileParts(tuple(files), tuple(part.source for part in parts), np.repeat(np.arange(len(parts)), sizes)),
        words=_joined((part.words for part in parts), lambda words: Words.of(joined_tags(words))),
        tags=tuple(map(joined_tags, zip(*(part.tags for part in parts), strict=True))),
        columns=first.columns,
        read_tags=_joined((part.read_tags for part in parts), joined_tags),
        numbers=_joined((part.numbers for part in parts), np.concatenate),
        layout=first.layout,
        sentences=any(part.sentences for part in parts),
        spans=end_to_end([part.spans for part in parts]),
        missing=end_to_end(missing) if any(map(len, missing)) else None,
        in_tokens=first.in_tokens,
        annotators=tuple(chain.from_iterable(part.annotators or () for part in parts)) or None,
        stated=StatedSpans.end_to_end(stated) if any(part.stated is not None for part in parts) else None,
        entities=_joined((part.entities for part in parts), _joined_entities),
        answers=_joined((part.answers for part in parts), _chained),
        decoding=_decoding([part.decoding for part in parts if part.decoding]),
        left_out=tuple(f"{name}: {text}" for name, part in files.items() for text in part.left_out),
        notes=tuple(f"{name}: {text}" for name, part in files.items() for text in part.notes),
    )


def with_empty(file: DocumentFile, others: DocumentFile) -> DocumentFile:
    """Append documents of another file, without their annotation."""
    size = others.documents.size
    documents, words = others.documents, others.words
    # the file's other documents have words, so these need words too; tokens only matter where there are spans
    if words is None and file.words is not None and file.documents.size:
        words = Words.of([text.split() for text in documents.texts or [""] * size])
    if documents.tokens is None and file.documents.tokens is not None and file.documents.size:
        documents = replace(documents, tokens=Tokens.from_lists([[]] * size))
    lengths = documents.lengths
    if file.in_tokens:
        of_tokens = documents.tokens or words
        lengths = None if of_tokens is None else of_tokens.lengths
    empty = replace(
        others,
        documents=documents,
        words=words,
        columns=file.columns,
        in_tokens=file.in_tokens,
        spans=Spans.none(size, lengths),
        stated=None,
        tags=(),
        annotators=None if not file.annotators else (file.annotators[0],) * size,
        answers=None if file.answers is None else (None,) * size,
        decoding={},
    )
    joined = joined_files(file.source, {"": file, "others": empty})
    names = _joined((part.documents.ids for part in (file, others)), _chained)
    kept = {name: getattr(file, name) for name in ("format", "left_out", "notes", "tokenizer")}
    return replace(joined, documents=replace(joined.documents, ids=names), parts=None, read_tags=None, **kept)


def _joined(values: Iterable[Value | None], join: Callable[[list[Value]], Joined]) -> Joined | None:
    """Join the values of all files; None if a file has no value."""
    items = list(values)
    present = [value for value in items if value is not None]
    return join(present) if len(present) == len(items) else None


def _chained(parts: Iterable[Iterable[Value]]) -> tuple[Value, ...]:
    return tuple(chain.from_iterable(parts))


def _joined_entities(parts: Sequence[Entities]) -> Entities:
    column = pa.chunked_array([part.to_arrow() for part in parts])
    return Entities.from_arrow(column, lengths=_joined((part.lengths for part in parts), np.concatenate))


def _names_of(files: Iterable[str], first: DocumentFile, documents: Sequence[Documents]) -> tuple[str, ...] | None:
    """Name the documents of all files: by file if each file has one document, otherwise by file and document."""
    if first.tags or (first.entities is not None and first.comment_text):
        # names in comments come from the corpus, and are compared
        return _joined((each.ids for each in documents), _chained)
    if all(each.size == 1 for each in documents):
        return tuple(files)
    each_ids = [each.ids or range(each.size) for each in documents]
    return tuple(f"{file}/{name}" for file, names in zip(files, each_ids, strict=True) for name in names)


def _decoding(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Join the decodings of all files: they have the same options, but can have different schemes."""
    schemes = dict.fromkeys(str(decoding["scheme"]) for decoding in parts)
    shared = {name: value for decoding in parts for name, value in decoding.items()}
    return {**shared, "scheme": "+".join(schemes)} if parts else {}


_BLOCK = 1 << 20
"""The number of words that are compared at a time."""

SCORED_DOCUMENTS = {
    "same": "all files must have the same documents",
    "shared": "documents that are in all files",
    "reference": "documents of the reference; a document missing from a system counts as having no predictions",
    "reference_with_spans": "documents in which the reference has at least one span with a scored label",
    "all": "all documents; a document missing from a file counts as having no spans",
}
"""The policies for documents that are missing on some sides, with explanations."""


def matched(references: DocumentFile, predictions: DocumentFile) -> tuple[DocumentFile, DocumentFile]:
    """Put the documents of both sides in the order of the reference.

    Documents are matched by name if both sides have the same names; otherwise by text if no text is repeated; otherwise
    in order. If both sides have the same texts under different names, as in two projects of one tool, texts are used.

    Raises:
        InputError: if a document is missing on one side, or if documents have different names and no texts or words
            show that they are the same.
    """
    ids, others = references.documents.ids, predictions.documents.ids
    texts, other_texts = references.documents.texts, predictions.documents.texts
    same_texts = texts is not None and other_texts is not None and _permuted(texts, other_texts)
    if ids is not None and others is not None and (ids == others or set(ids) == set(others)):
        _require_unique(references)
        _require_unique(predictions)
        by_name = predictions if ids == others else predictions.take(places_of(others, ids))
        # two projects may number the same texts differently
        if not same_texts or by_name.documents.texts == texts:
            return references, by_name
    if same_texts and texts != other_texts:
        return references, predictions.take(places_of(other_texts or (), texts or ()))
    sizes = references.documents.size, predictions.documents.size
    named = ids is not None and others is not None
    shown = all(side.documents.texts is not None or side.words is not None for side in (references, predictions))
    if sizes[0] != sizes[1] or (named and not shown and sizes[0] > 1):
        called = [", ".join([own.source, *own.names]) for own in (references, predictions)]
        states = [f"{name!r} has {counted(size, 'document')}" for name, size in zip(called, sizes, strict=True)]
        same_sizes = f"{', and '.join(states)}, but the documents differ."
        problem = same_sizes if sizes[0] == sizes[1] else f"{', but '.join(states)}."
        raise InputError(
            problem + _missing(ids, others, *called),
            "Both sides must annotate the same documents, with the same names or in the same order."
            + clause_for(
                "scored_documents",
                f" To count a missing document as empty, set {setting('scored_documents', 'reference')}. To leave the "
                f"document out, set {setting('scored_documents', 'shared')}.",
            ),
        )
    return references, predictions


def annotated_documents(files: Mapping[str, DocumentFile], references: Collection[str]) -> dict[str, DocumentFile]:
    """Match all sides with the first one, and remove documents without annotation in a reference from all sides.

    Unannotated parts of the other sides are annotated as parts without spans.
    """
    first, sides = next(iter(files.values())), {}
    kept = np.arange(first.documents.size)
    for name, file in files.items():
        sides[name] = matched(first, file if name in references else replace(file, missing=None))[1]
        kept = np.setdiff1d(kept, unannotated(sides[name].missing))
    return {name: side.take(kept) for name, side in sides.items()}


def _require_unique(file: DocumentFile) -> None:
    with locating_errors({"": file}):
        file.documents.require_unique()


def _permuted(texts: Sequence[str], others: Sequence[str]) -> bool:
    """Check whether both sides have the same texts, each once."""
    return len(set(texts)) == len(texts) == len(others) and set(texts) == set(others)


def _missing(ids: Sequence[str] | None, others: Sequence[str] | None, source: str, other_source: str) -> str:
    if ids is None or others is None:
        return ""
    only = (source, _lacking(ids, others)), (other_source, _lacking(others, ids))
    return next((f" Documents only in {where!r}: {names}." for where, names in only if names), "")


def _lacking(names: Iterable[str], others: Iterable[str]) -> str:
    """List the names that are not among the others; empty if there are none."""
    known = set(others)
    return first_of([repr(name) for name in names if name not in known])


def scored_documents(
    files: Mapping[str, DocumentFile], policy: str, choice: LabelChoice | None = None
) -> tuple[dict[str, DocumentFile], dict[str, list[str]]]:
    """Select the documents to score, the same on all sides, in the order of the first side.

    Documents are the same if they have the same name or, if the sides have no name in common, the same text.

    Args:
        files: the sides; the first one is the reference.
        policy: one of `SCORED_DOCUMENTS`.
        choice: the scored labels, for `reference_with_spans`.

    Returns:
        The sides, and for each side sentences about documents that were removed or are missing.

    Raises:
        InputError: if the sides have no document in common, or if a name or text is repeated on one side.
    """
    if policy == "same":
        return dict(files), {}
    names = [file.documents.ids for file in files.values()]
    texts = [file.documents.texts for file in files.values()]
    for column in (names, texts):
        keys = [each for each in column if each is not None]
        of_all = set(keys[0]).intersection(*keys) if len(keys) == len(files) else set()
        lacks_all = policy != "shared" and any(not each for each in keys)
        if of_all or (len(keys) == len(files) and lacks_all):
            sides = list(zip(files.values(), keys, strict=True))
            wanted = _wanted(sides, of_all, policy, choice or LabelChoice())
            chosen = {name: _filled(*side, wanted, sides) for name, side in zip(files, sides, strict=True)}
            return chosen, {name: _differences(*side, wanted) for name, side in zip(files, sides, strict=True)}
    problem = f"{' and '.join(dict.fromkeys(file.source for file in files.values()))} share no document."
    raise InputError(problem, "A document must have the same name or the same text in all files.")


def _wanted(sides: _WithKeys, of_all: Collection[str], policy: str, choice: LabelChoice) -> list[str]:
    """List the keys of the documents to score."""
    keys = sides[0][1]
    if policy == "reference_with_spans":
        scored = choice.of(*(file.spans for file, _ in sides), warn=False)[0]
        return [keys[document] for document in np.unique(scored.document).tolist()]
    if policy == "all":
        return list(dict.fromkeys(chain.from_iterable(keys for _, keys in sides)))
    return [key for key in keys if policy == "reference" or key in of_all]


def _filled(file: DocumentFile, keys: Sequence[str], wanted: Sequence[str], sides: _WithKeys) -> DocumentFile:
    """Select the wanted documents of a side; copy missing documents from another side, without spans."""
    if len(set(keys)) < len(keys):
        _require_unique(file)
        problem = "two documents without names have the same text."
        raise InputError(problem, "Give each document a different name.", source=file.source)
    own = list(keys)
    for other, others in sides:
        lacking = set(wanted).difference(own)
        added = [key for key in others if key in lacking]
        if added:
            file = with_empty(file, other.take(places_of(others, added)))
            own += added
    return file.take(places_of(own, wanted))


def _differences(file: DocumentFile, keys: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Describe the removed and the missing documents of a side."""
    kept, own = set(wanted), set(keys)
    names = [file.documents.name(place) for place, key in enumerate(keys) if key not in kept]
    missing = [shown(key) for key in wanted if key not in own]
    changes = {"left out": names, "missing, counted as empty": missing}
    return [f"{counted(len(each), 'document')} {what}: {first_of(each)}." for what, each in changes.items() if each]


def located(error: InputError, files: Mapping[str, DocumentFile]) -> InputError:
    """Replace the documents in an error, also in its second place, by lines of files.

    Args:
        error: the error.
        files: the files by side; the key "" is for errors without a side.
    """
    file = files.get(error.side or "")
    if file is None or (error.side is None and error.document is None):
        return error
    in_file = file.locate(error)
    return in_file if in_file.other is None else in_file.placed(other=located(in_file.other, files))


@contextmanager
def locating_errors(files: Mapping[str, DocumentFile]) -> Iterator[None]:
    """Replace the document in an error by the line of its file, see `located`."""
    try:
        yield
    except InputError as error:
        raise located(error, files) from None


@contextmanager
def naming_documents(file: DocumentFile | None) -> Iterator[None]:
    """Let errors about spans use the names and the unit of a file's documents."""
    try:
        yield
    except InputError as error:
        if file is None or error.document is None or error.source is not None:
            raise
        where = [*([] if error.side is None else [error.side]), file.documents.name(error.document)]
        unit = "token" if file.in_tokens else "character"
        named = error.placed(side=None, document=None, source=", ".join(where), unit=unit)
        if error.option == "join_fragments":
            joins = f" To join fragments with only white space between them, use {setting('join_fragments', True)}."
            named.remedy += clause_for("join_fragments", joins)
        raise named from None


def require_same_tokens(references: DocumentFile, predictions: DocumentFile, *, ignore_words: bool = False) -> None:
    """Raise an `InputError` unless both files have the same documents, document lengths and words.

    Lengths and words are compared only if both files have them; words are not compared if `ignore_words` is True.
    """
    for side, file in (("references", references), ("predictions", predictions)):
        require_kind(
            file, DocumentFile, "the result of spanometer.read", "Read the file with spanometer.read.", side=side
        )
    require_same_files(references, predictions)
    sizes = [len(file.document_lines) for file in (references, predictions)]
    common = min(sizes)
    first, second = references.lengths, predictions.lengths
    if first is not None and second is not None and (first[:common] != second[:common]).any():
        document = int(np.argmax(first[:common] != second[:common]))
        moved = first.sum() == second.sum()
        advice = "Check that the documents end at the same tokens." if moved else "Use the same tokenizer for both."
        sizes_here = [f"has {counted(int(lengths[document]), 'token')}" for lengths in (first, second)]
        remedy = f"Both sides must annotate the same tokens. {advice}"
        raise differing_document(references, predictions, document, sizes_here, remedy)
    if sizes[0] != sizes[1]:
        shorter, longer = sorted((references, predictions), key=lambda file: len(file.document_lines))
        raise InputError(
            f"the document that begins here has no counterpart in {shorter.source}: got "
            f"{counted(sizes[1], 'predicted document')}, but {counted(sizes[0], 'reference document')}.",
            "Both sides must annotate the same documents, in the same order.",
            source=longer.source_of(common),
            line=longer.line(common),
        )
    if not ignore_words:
        require_same_words(references, predictions)


def differing_document(
    references: DocumentFile, predictions: DocumentFile, document: int, states: Sequence[str], remedy: str
) -> InputError:
    """Create the error about a document that differs; `states` has a verb and its object for each side."""
    return InputError(
        f"the reference document that begins here {states[0]}, but the predicted document "
        f"({predictions.source_of(document)}, line {predictions.line(document)}) {states[1]}.",
        remedy,
        source=references.source_of(document),
        line=references.line(document),
    )


def require_same_files(references: DocumentFile, predictions: DocumentFile) -> None:
    """Raise an `InputError` if each side is several files, and their names or numbers of documents differ."""
    reference, predicted = references.parts, predictions.parts
    if reference is None or predicted is None:
        return
    names = (references.source, reference.names), (predictions.source, predicted.names)
    for (here, own), (there, others) in (names, names[::-1]):
        if lacking := _lacking(own, others):
            problem = f"this folder has a file {lacking}, but the folder {there!r} has no such file."
            raise InputError(problem, "Use the same file names in both folders.", source=here)
    sizes = [np.bincount(side.file, minlength=len(side.names)) for side in (reference, predicted)]
    if (sizes[0] != sizes[1]).any():
        file = int(np.argmax(sizes[0] != sizes[1]))
        raise InputError(
            f"this file has {counted(int(sizes[0][file]), 'document')}, but {predicted.sources[file]!r} has "
            f"{int(sizes[1][file]):,}.",
            "Both sides must annotate the same documents.",
            source=reference.sources[file],
        )


def require_same_words(references: DocumentFile, predictions: DocumentFile) -> None:
    """Raise an `InputError`, with files, lines and words, for the first word that differs.

    Nothing is compared if a file has no words, or if lengths differ.
    """
    require_same_files(references, predictions)
    reference, predicted = references.lengths, predictions.lengths
    if reference is None or predicted is None or references.words is None or predictions.words is None:
        return
    if not np.array_equal(reference, predicted):
        return
    pair = _first_difference(references.words, predictions.words)
    if pair is None:
        return
    token, word, other_word = pair
    document, position = place_of(offsets_of(reference), token)
    line = predictions.line(document, position)
    error = InputError(
        f"the word here is {shown(word)}, but it is {shown(other_word)} in line {line} of "
        f"{predictions.source_of(document)!r}.{only_difference(word, other_word)}",
        "Both sides must annotate the same words, in the same order. To skip this check, set "
        f"{setting('ignore_words', True)}.",
        document=document,
        position=position,
        option="ignore_words",
    )
    raise references.locate(error)


def _first_difference(words: Words, others: Words) -> tuple[int, str, str] | None:
    """Return the first token with different words, counted over all documents, and both words.

    If all words are equal, return None.
    """
    # compare codes instead of strings: the other side's codes are mapped to this side's, unknown words to -1
    codes = {name: code for code, name in enumerate(words.names)}
    lookup = np.array([codes.get(name, -1) for name in others.names], dtype=np.int32)
    for start in range(0, len(words.codes), _BLOCK):
        block = slice(start, start + _BLOCK)
        differing = lookup[others.codes[block]] != words.codes[block]
        if differing.any():
            token = start + int(np.argmax(differing))
            return token, words.names[words.codes[token]], others.names[others.codes[token]]
    return None
