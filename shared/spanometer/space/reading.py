"""What a Space's page reads: pasted texts, up to a limit, as spans or entities with their words."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ..errors import InputError, printable, require_same_documents
from ..readers.annotated_file import require_same_tokens
from ..readers.columns import read_columns  # noqa: F401 (a format that the page reads)
from ..readers.json_lines import read_tag_lines  # noqa: F401 (another)
from ..readers.tag_file import TagFile, read, tag_lists
from ..spans.entities import Entities
from ..spans.markup import from_markup
from ..spans.markup_columns import require_same_words
from ..spans.spans import Spans, pair_from_tags

MAX_BYTES = 5_000_000
MAX_DOCUMENTS = 5_000
MAX_TOKENS = 200_000
MAX_MARKUP_BYTES = 1_000_000
"""What a page takes at the most; trees cost more than tags."""

_REMEDY = "Score it on your own machine, which has no limits: pip install spanometer."
_SIDES = {"references": "reference", "predictions": "prediction"}


@dataclass(frozen=True, eq=False)
class Corpus:
    """Both sides of a corpus, with the words to show.

    Attributes:
        words: of each document.
        references, predictions: the spans of both sides.
        reading: what the signature says of how they were read.
        notes: what the reader should know about the input.
        trees: for entity trees the entities of both sides, of which the spans are the types; otherwise None.
    """

    words: Sequence[Sequence[str]]
    references: Spans
    predictions: Spans
    reading: dict[str, Any]
    notes: tuple[str, ...] = ()
    trees: tuple[Entities, Entities] | None = None


def read_upload(path: str | os.PathLike[str]) -> str:
    """The text of an uploaded file, plain or gzipped.

    Raises:
        InputError: for a file that is too large or is no UTF-8 text.
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
        raise too_much(name, f"more than {MAX_BYTES:,} bytes")
    if b"\0" in data:
        raise InputError("a NUL byte: this is not a text file.", "Upload a text with columns.", source=name)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        problem = f"the byte 0x{data[error.start]:02x} is not UTF-8."
        raise InputError(problem, "Save the file as UTF-8.", source=name, line=line) from None


def read_tags(reference: str, prediction: str, *, scheme: str | None = None, repair: str = "conlleval") -> Corpus:
    """Both sides from texts in the manner of CoNLL: a token and its tag a line, blank lines between sentences.

    Args:
        reference: the reference; where `prediction` is empty it has three columns or more, the last but one the
            reference's tags, the last one the prediction's.
        prediction: the same tokens with the prediction's tags.
        scheme: of the tags, or None, which tells it from both sides.
        repair: what becomes of illegal tags.

    Raises:
        InputError: names the text and the line.
    """
    files = _tag_files(reference, prediction)
    sides = dict(zip(("references", "predictions"), files, strict=True))
    try:
        references, predictions, known = pair_from_tags(*(file.tags[0] for file in files), scheme=scheme, repair=repair)
    except InputError as error:
        raise sides[error.side].locate(error) if error.side in sides else error from None
    words, notes = _words(files)
    return Corpus(words, references, predictions, {"scheme": known, "repair": repair}, notes)


def _tag_files(reference: str, prediction: str) -> tuple[TagFile, TagFile]:
    if not reference.strip():
        raise InputError("the reference is empty.", "Paste a token and its tag a line, or click an example.")
    if prediction.strip():
        files = tuple(
            _read(text, (None,), name) for text, name in ((reference, "reference"), (prediction, "prediction"))
        )
        require_same_tokens(*files)
        return files[0], files[1]
    both = _read(reference, (-2, -1), "reference")
    if both.words is None:
        raise InputError(
            "the prediction is empty, and the reference's text has no third column with its tags.",
            "Paste the prediction into its box, or one text with token, reference tag and predicted tag a line.",
        )
    return both.select(0), both.select(1)


def _read(text: str, columns: tuple[int | None, ...], name: str) -> TagFile:
    data = encoded(text, name, MAX_BYTES)
    file = read(io.BytesIO(data), columns=columns, words=True, name=name)
    _require_few(file.lengths, name)
    return file


def _words(files: tuple[TagFile, TagFile]) -> tuple[list[list[str]], tuple[str, ...]]:
    """The words of the first side that has any, else the tokens' numbers; and where the sides differ in them."""
    known = [None if file.words is None else tag_lists(file.words) for file in files]
    if known[0] is not None and known[1] is not None:
        pairs = zip(chain.from_iterable(known[0]), chain.from_iterable(known[1]), strict=True)
        found = next((pair for pair in enumerate(pairs, start=1) if pair[1][0] != pair[1][1]), None)
        note: tuple[str, ...] = ()
        if found is not None:
            number, (word, other) = found
            shown = f"{_short(word)} in the reference, {_short(other)} in the prediction"
            note = (f"The two sides do not have the same words (token {number}: {shown}). Only tags are compared.",)
        return known[0], note
    for words in known:
        if words is not None:
            return words, ()
    numbers = [[str(number) for number in range(1, length + 1)] for length in files[0].lengths.tolist()]
    return numbers, ("There are no words in the text; tokens are shown by their numbers.",)


def read_trees(reference: str, prediction: str, *, entity_types: Sequence[str]) -> Corpus:
    """Both sides from texts in QUAERO's markup, one document a line.

    Args:
        reference: the reference.
        prediction: the same words with the prediction's markup.
        entity_types: the first dotted parts of the tags that are entities.

    Raises:
        InputError: names the text and the line.
    """
    texts = {"reference": reference, "prediction": prediction}
    sides = {}
    for name, text in texts.items():
        if not text.strip():
            raise InputError(f"the {name} is empty.", "Paste a text with markup, or click an example.")
        encoded(text, name, MAX_MARKUP_BYTES)
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        annotations = []
        for number, line in lines:
            try:
                annotations.append(from_markup(line, entity_types=entity_types, first_line=number))
            except InputError as error:
                raise error.in_file(name, error.line, column=error.column) from None
        sides[name] = annotations
    require_same_documents(len(sides["reference"]), len(sides["prediction"]))
    for document, pair in enumerate(zip(sides["reference"], sides["prediction"], strict=True)):
        require_same_words(*pair, document=document)
    words = [annotation.words for annotation in sides["reference"]]
    lengths = np.array([len(line) for line in words], dtype=np.int64)
    _require_few(lengths, "the text")
    entities = [[annotation.entities for annotation in side] for side in sides.values()]
    references, predictions = (Entities.from_dicts(documents, lengths=lengths) for documents in entities)
    spans = [Spans.from_dicts(_typed_spans(documents), lengths=lengths) for documents in entities]
    reading = {"input": "markup", "entity_types": ",".join(sorted(entity_types))}
    return Corpus(words, spans[0], spans[1], reading, (), (references, predictions))


def _typed_spans(documents: list[list[dict[str, Any]]]) -> list[list[dict[str, Any]]]:
    """A span for each type of each entity."""
    return [
        [
            {"start": entity["start"], "end": entity["end"], "label": type_}
            for entity in entities
            for type_ in entity["types"]
        ]
        for entities in documents
    ]


def flat_trees(spans: Spans) -> Entities:
    """Spans as entities of one type without components."""
    documents = [
        [{"start": span["start"], "end": span["end"], "types": [span["label"]]} for span in document]
        for document in spans.to_dicts()
    ]
    return Entities.from_dicts(documents, lengths=spans.lengths)


def encoded(text: str, name: str, limit: int) -> bytes:
    """A text in UTF-8.

    Raises:
        InputError: where it is too long or no text.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise InputError("the text holds half a character.", "Copy it again.", source=name) from None
    if len(data) > limit:
        raise too_much(name, f"{len(data):,} bytes, more than {limit:,}")
    return data


def _require_few(lengths: np.ndarray, name: str) -> None:
    if len(lengths) > MAX_DOCUMENTS:
        raise too_much(name, f"{len(lengths):,} sentences, more than {MAX_DOCUMENTS:,}")
    if lengths.sum() > MAX_TOKENS:
        raise too_much(name, f"{int(lengths.sum()):,} tokens, more than {MAX_TOKENS:,}")


def too_much(name: str, found: str) -> InputError:
    """The error that a text is larger than a page takes, with what was found."""
    return InputError(f"{found}: too much for this page.", _REMEDY, source=name)


def _short(word: str) -> str:
    return repr(printable(word if len(word) <= 40 else f"{word[:37]}..."))
