"""Columns of markup, with one string for each document, as entities over the words that both sides have in common."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from ...arrays import batches, is_utf8, read_documents
from ...exceptions import InputError, counted, on_side, require_same_documents, shown
from ...spans.entities import ENTITY_TYPES, Entities, entities_arrays
from .markup import Annotation, from_markup

_REMEDY = "Pass one string with markup for each document, for example '<pers.ind> Ada </pers.ind> sings'."
_AT_ONCE = 1000
"""The number of documents that are read at a time."""

_SAME_WORDS = "Both sides must annotate the same words. Use the same tokenizer for both."


def markup_arrays(documents: Iterable[str], first_document: int = 0) -> list[pa.StringArray]:
    """Convert documents with markup to Arrow arrays of strings, without parsing the markup.

    Args:
        documents: one string for each document.
        first_document: the number of the first document, for errors.

    Returns:
        An array for each thousand documents.

    Raises:
        InputError: if a document is not a string.
    """
    rows = read_documents(documents, _REMEDY)
    return [_markup_array(part, first_document + first) for first, part in batches(rows)]


def _markup_array(documents: Sequence[Any], first_document: int) -> pa.StringArray:
    for number, text in enumerate(documents):
        if not isinstance(text, str):
            raise InputError(
                f"{shown(text)} (of type {type(text).__name__}) is not a document with markup.",
                _REMEDY,
                document=first_document + number,
            )
        if not is_utf8(text):
            character = next(char for char in text if not is_utf8(char))
            raise InputError(
                f"the character {character!r} cannot be stored as UTF-8.",
                "Read the text with its own encoding.",
                document=first_document + number,
            )
    array = pa.array(documents, pa.string())
    if isinstance(array, pa.ChunkedArray):
        raise InputError("a thousand documents have more than 2 GiB of text.", "Pass smaller documents.")
    return array


def pair_from_markup(
    references: pa.ChunkedArray, predictions: pa.ChunkedArray, *, entity_types: Collection[str] = ENTITY_TYPES
) -> tuple[Entities, Entities]:
    """Read the entities of both sides, and the documents' lengths, from columns of markup.

    Args:
        references, predictions: columns with one string for each document.
        entity_types: the first dotted parts of tags that are entities, see `markup.from_markup`.

    Raises:
        InputError: if markup is malformed (the error names document, line and column), or if the sides have different
            numbers of documents or different words.
    """
    require_same_documents(len(references), len(predictions))
    pairs = _annotations(references, predictions, entity_types)
    lengths: list[int] = []
    arrays: tuple[list[pa.ListArray], list[pa.ListArray]] = (entities_arrays([]), entities_arrays([]))
    # in batches, so that few documents are dictionaries at a time
    while some := list(islice(pairs, _AT_ONCE)):
        lengths += [len(reference.words) for reference, _ in some]
        for parts, of_side in zip(arrays, zip(*some, strict=True), strict=True):
            parts.extend(entities_arrays([annotation.entities for annotation in of_side]))
    reference, prediction = (Entities.from_arrow(pa.chunked_array(parts), lengths=lengths) for parts in arrays)
    return reference, prediction


def _annotations(
    references: pa.ChunkedArray, predictions: pa.ChunkedArray, entity_types: Collection[str]
) -> Iterator[tuple[Annotation, Annotation]]:
    for document, texts in enumerate(zip(references, predictions, strict=True)):
        reference, prediction = (
            on_side(side, from_markup, text.as_py(), entity_types=entity_types, document=document)
            for side, text in zip(("references", "predictions"), texts, strict=True)
        )
        require_same_words(reference, prediction, document)
        yield reference, prediction


def require_same_words(reference: Annotation, prediction: Annotation, document: int | None = None) -> None:
    """Raise an `InputError` about the first difference unless both annotations have the same words."""
    if reference.words == prediction.words:
        return
    if len(reference.words) != len(prediction.words):
        problem = (
            f"{counted(len(prediction.words), 'predicted word')}, {counted(len(reference.words), 'reference word')}."
        )
        raise InputError(problem, _SAME_WORDS, document=document)
    pairs = zip(reference.words, prediction.words, strict=True)
    position, (word, other) = next((number, pair) for number, pair in enumerate(pairs) if pair[0] != pair[1])
    raise InputError(
        f"the word is {shown(other)} in the prediction and {shown(word)} in the reference.",
        _SAME_WORDS,
        document=document,
        position=position,
    )
