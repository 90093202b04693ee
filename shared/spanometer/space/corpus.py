"""The corpus of a page: both sides of pasted texts, up to a limit, as spans or entities with their words."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..documents.places_in_files import require_same_tokens
from ..documents.tag_file import TagFile, tag_lists
from ..exceptions import InputError, printable, require_same_documents
from ..readers.columns.columns import read_columns  # noqa: F401 (a format that the page reads)
from ..readers.columns.reading import read
from ..readers.json.tag_lines import read_tag_lines  # noqa: F401 (another)
from ..readers.source import Source
from ..readers.text.markup import Annotation, from_markup
from ..readers.text.markup_columns import require_same_words
from ..spans.entities import Entities
from ..spans.spans import Spans, as_tags, pair_from_tags
from ..tags.decoding import reading_of
from ..tags.tags import Tags
from .limits import MAX_BYTES, MAX_DOCUMENTS, MAX_TOKENS, encoded, megabytes, too_much

MAX_MARKUP_BYTES = 1_000_000
"""How much markup a page takes: trees cost more than tags."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """Both sides of a corpus, with the words to show.

    Attributes:
        words: of each document.
        references, predictions: the spans of both sides.
        reading: what the signature says about how they were read.
        notes: what the user should know about the input.
        trees: for entity trees the entities of both sides, whose types are the spans; otherwise None.
        tags: for tags those of both sides; otherwise None.
    """

    words: Sequence[Sequence[str]]
    references: Spans
    predictions: Spans
    reading: dict[str, Any]
    notes: tuple[str, ...] = ()
    trees: tuple[Entities, Entities] | None = None
    tags: tuple[Tags, Tags] | None = None


def read_upload(path: str | os.PathLike[str]) -> str:
    """Return the text of an uploaded file, plain or gzipped.

    Raises:
        InputError: for a file that is too large, empty, or not UTF-8 text.
    """
    name = printable(os.path.basename(os.fspath(path)))
    with open(path, "rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.open(path) as stream:
                data = stream.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error):
            raise InputError("the gzip data is damaged.", "Pack or download the file again.", source=name) from None
    if len(data) > MAX_BYTES:
        raise too_much(name, f"more than {megabytes(MAX_BYTES)}")
    with Source.open(io.BytesIO(data), name) as source:
        text = b"".join(block for _, block in source.blocks()).decode()
        # blocks end in a newline, whether the file does or not
        return text.removesuffix("\n") if source.unended else text


def read_tags(
    reference: str, prediction: str, *, scheme: str | None = None, repair: str = "conlleval", prefix: bool = True
) -> Corpus:
    """Read both sides from CoNLL-like texts: a token and its tag on a line, blank lines between sentences.

    Args:
        reference: the reference. If `prediction` is empty, it has three columns or more: the last but one are the tags
            of the reference, the last one those of the prediction.
        prediction: the same tokens with the prediction's tags.
        scheme: of the tags, or None, which detects it from both sides.
        repair: how to handle illegal tags.
        prefix: whether tags have prefixes, see `Spans.from_tags`.

    Raises:
        InputError: names the text and the line.
    """
    files = _tag_files(reference, prediction)
    sides = dict(zip(("references", "predictions"), files, strict=True))
    try:
        references, predictions, known = pair_from_tags(
            *(file.tags[0] for file in files), scheme=scheme, repair=repair, prefix=prefix
        )
    except InputError as error:
        raise sides[error.side].locate(error) if error.side in sides else error from None
    words, notes = _words(files)
    tags = [as_tags(file.tags[0], prefix=prefix) for file in files]
    reading = reading_of(known, repair, prefix=prefix)
    return Corpus(words, references, predictions, reading, notes, tags=(tags[0], tags[1]))


def _tag_files(reference: str, prediction: str) -> tuple[TagFile, TagFile]:
    if not reference.strip():
        raise InputError("the reference is empty.", "Paste a token and its tag a line, or click an example.")
    if prediction.strip():
        files = _read(reference, (None,), "reference"), _read(prediction, (None,), "prediction")
        try:
            require_same_tokens(*files)
        except InputError as error:
            if error.option == "ignore_words":
                error.remedy = "Paste the same words on both sides, or tags alone, one a line."
            raise
        return files
    both = _read(reference, (-2, -1), "reference")
    if both.words is None:
        raise InputError(
            "the prediction is empty, and the reference's text has no third column with its tags.",
            "Paste the prediction into its box, or one text with token, reference tag and predicted tag a line.",
        )
    return both.select(0), both.select(1)


def _read(text: str, columns: tuple[int | None, ...], name: str) -> TagFile:
    file = read(io.BytesIO(encoded(text, name, MAX_BYTES)), columns=columns, words=True, name=name)
    _require_few(file.lengths, name)
    return file


def _words(files: tuple[TagFile, TagFile]) -> tuple[Sequence[Sequence[str]], tuple[str, ...]]:
    """Return the words of the first side that has any, or else the tokens' numbers; and what to note about them."""
    known = next((file.words for file in files if file.words is not None), None)
    if known is not None:
        return tag_lists(known), ()
    numbers = [[str(number) for number in range(1, length + 1)] for length in files[0].lengths.tolist()]
    return numbers, ("There are no words in the text; tokens are shown by their numbers.",)


def read_trees(reference: str, prediction: str, *, entity_types: Collection[str]) -> Corpus:
    """Read both sides from texts in QUAERO's markup, one document a line.

    Args:
        reference: the reference.
        prediction: the same words with the prediction's markup.
        entity_types: the first dotted parts of the tags that are entities.

    Raises:
        InputError: names the text and the line.
    """
    texts = {"reference": reference, "prediction": prediction}
    sides = [_annotations(text, name, entity_types) for name, text in texts.items()]
    require_same_documents(*map(len, sides))
    for document, (first, second) in enumerate(zip(*sides, strict=True)):
        require_same_words(first, second, document=document)
    words = [annotation.words for annotation in sides[0]]
    lengths = np.array([len(line) for line in words], dtype=np.int64)
    _require_few(lengths, "the text")
    documents = [[annotation.entities for annotation in side] for side in sides]
    trees = tuple(Entities.from_dicts(side, lengths=lengths) for side in documents)
    spans = [Spans.from_dicts([_typed_spans(entities) for entities in side], lengths=lengths) for side in documents]
    reading = {"input": "markup", "entity_types": ",".join(sorted(entity_types))}
    return Corpus(words, spans[0], spans[1], reading, (), (trees[0], trees[1]))


def _annotations(text: str, name: str, entity_types: Collection[str]) -> list[Annotation]:
    """Return the annotation of each line that is not blank."""
    if not text.strip():
        raise InputError(f"the {name} is empty.", "Paste a text with markup, or click an example.")
    encoded(text, name, MAX_MARKUP_BYTES)
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip():
                found.append(from_markup(line, entity_types=entity_types, first_line=number))
        except InputError as error:
            raise error.in_file(name, error.line, column=error.column) from None
    return found


def _typed_spans(entities: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a span for each type of each entity."""
    return [
        {"start": entity["start"], "end": entity["end"], "label": name}
        for entity in entities
        for name in entity["types"]
    ]


def flat_trees(spans: Spans) -> Entities:
    """Return spans as entities of one type without components."""
    documents = [
        [{"start": span["start"], "end": span["end"], "types": [span["label"]]} for span in document]
        for document in spans.to_dicts()
    ]
    return Entities.from_dicts(documents, lengths=spans.lengths)


def _require_few(lengths: np.ndarray, name: str) -> None:
    if len(lengths) > MAX_DOCUMENTS:
        raise too_much(name, f"{len(lengths):,} sentences, more than {MAX_DOCUMENTS:,}")
    if lengths.sum() > MAX_TOKENS:
        raise too_much(name, f"{int(lengths.sum()):,} tokens, more than {MAX_TOKENS:,}")
