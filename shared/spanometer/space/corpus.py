"""The corpus of a page: both sides of pasted texts, up to a maximum size."""

import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

from ..alignment.overlaps import Alignment
from ..documents.document_file import DocumentFile
from ..documents.joining import located, locating_errors, require_same_tokens
from ..exceptions import InputError
from ..readers.columns.columns import read_columns  # noqa: F401 (a format that the page reads)
from ..readers.formats import read_as
from ..readers.json.lines import (
    read_document_lines,  # noqa: F401 (another)
    read_tag_lines,  # noqa: F401 (another)
)
from ..readers.reading import read, read_entities
from ..readers.source import Source
from ..readers.text.markup import EntityTypes
from ..readers.text.markup_files import read_quaero  # noqa: F401 (another)
from ..spans.entities import Entities
from ..spans.spans import Spans, as_tags, pair_from_tags
from ..tags.decoding import LabelDecoding, reading_of
from ..tags.tags import Tags
from .limits import MAX_BYTES, MAX_MARKUP_BYTES, MAX_SPANS, encoded, require_at_most, require_size, upload_name
from .texts import texts


@dataclass(frozen=True, eq=False)
class PageCorpus:
    """Both sides of a corpus.

    Attributes:
        files: the texts of both sides after reading.
        sides: the annotations to score: spans, entity trees, or spans with attributes.
        spans: the spans of both sides; for trees, a span for each type of an entity; empty for attributes.
        words: the words of each document, for display.
        reading: the reading options that the signature names.
        notes: notes on the input for the user.
        tags: the tags of both sides, if the texts have tags.
    """

    files: Sequence[DocumentFile]
    sides: Sequence[Any]
    spans: Sequence[Spans] = ()
    words: Sequence[Sequence[str]] = ()
    reading: dict[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    tags: Sequence[Tags] = ()

    @cached_property
    def alignment(self) -> Alignment:
        """The alignment of the spans."""
        return Alignment(*self.spans)

    @cached_property
    def trees(self) -> Sequence[Entities]:
        """The entities of both sides; a span of tags becomes a tree with one node."""
        return self.sides if isinstance(self.sides[0], Entities) else [_flat_trees(spans) for spans in self.spans]

    def unlabelled(self) -> Self:
        """Return a copy in which all spans have the same label."""
        spans = [side.unlabelled() for side in self.spans]
        return replace(self, sides=spans, spans=spans)

    def locate(self, error: InputError) -> InputError:
        """Replace the document in an error by the line of a text."""
        references, predictions = self.files
        return located(error, {"references": references, "predictions": predictions, "": references})


def read_upload(path: str | os.PathLike[str]) -> str:
    """Read the text of an uploaded file, plain or gzipped.

    Raises:
        InputError: if the file is too large, is empty, or is not UTF-8 text.
    """
    name = upload_name(path)
    # packed files are larger than they look
    with Source.open(path, name, max_size=MAX_BYTES / 1e6) as source:
        text = b"".join(block for _, block in source.blocks()).decode()
        # blocks end in a newline, whether the file does or not
        return text.removesuffix("\n") if source.unended else text


def read_tags(reference: str, prediction: str, reading: LabelDecoding) -> PageCorpus:
    """Read both sides from CoNLL-like texts: a token and its tag on each line, blank lines between sentences.

    Args:
        reference: the reference. If `prediction` is empty, it must have three or more columns; the last two are the
            tags of the reference and of the prediction.
        prediction: the same tokens with the tags of the prediction.
        reading: how tags are read.

    Raises:
        InputError: if a text cannot be read; the error names the line.
    """
    files = _tag_files(reference, prediction)
    decoding: dict[str, Any] = {"repair": reading.repair, "prefix": reading.prefix}
    tags = [file.tags[0] for file in files]
    with locating_errors(dict(zip(("references", "predictions"), files, strict=True))):
        *spans, scheme = pair_from_tags(*tags, scheme=reading.scheme, **decoding)
    words = next((list(file.words) for file in files if file.words is not None), None)
    notes = []
    if words is None:
        words = [[str(number) for number in range(1, length + 1)] for length in tags[0].lengths.tolist()]
        notes = ["The text has only tags, so tokens are shown by their numbers."]
    decoded = [as_tags(side, prefix=reading.prefix) for side in tags]
    return PageCorpus(files, spans, spans, words, reading_of(scheme, **decoding), notes, decoded)


def _tag_files(reference: str, prediction: str) -> Sequence[DocumentFile]:
    columns = (None,) if prediction.strip() or not reference.strip() else (-2, -1)
    reader = partial(read, columns=columns, words=True)
    if len(columns) == 1:
        return _read_both("spans", (reference, prediction), reader)
    both = _read("spans", reference, "reference", reader)
    if both.words is None:
        raise InputError(
            "the prediction is empty, and the reference has no third column with predicted tags.",
            "Paste the prediction, or a reference with token, reference tag and predicted tag on each line.",
        )
    return both.select(0), both.select(1)


def read_trees(reference: str, prediction: str, reading: EntityTypes) -> PageCorpus:
    """Read both sides from texts in QUAERO's markup, one document on each line; see `read_tags`."""
    reader = partial(read_entities, format="quaero", entity_types=reading.first_parts)
    files = _read_both("entities", (reference, prediction), reader, MAX_MARKUP_BYTES)
    spans = [Spans.from_dicts(map(_typed_spans, file.trees.to_dicts()), lengths=file.lengths) for file in files]
    kinds = {"input": "markup", "entity_types": ",".join(sorted(reading.first_parts))}
    return PageCorpus(files, [file.trees for file in files], spans, list(files[0].words or ()), kinds)


def read_attributes(reference: str, prediction: str) -> PageCorpus:
    """Read both sides from JSON lines of spans with attributes; see `read_tags`."""
    reader = partial(read_as, "spans", format="jsonl", options={})
    texts = {"reference": reference, "prediction": prediction}
    files = [_read("attributes", text, name, reader) for name, text in texts.items()]
    for name, file in zip(texts, files, strict=True):
        require_at_most(MAX_SPANS, len(file.spans), "spans", name)
    notes = [
        f"Left out of the {name}: {item}" for name, file in zip(texts, files, strict=True) for item in file.left_out
    ]
    words = next((list(file.words) for file in files if file.words is not None), [])
    return PageCorpus(files, [file.attribute_columns() for file in files], words=words, notes=notes)


def _read_both(
    kind: str, texts: Sequence[str], reader: Callable[..., DocumentFile], limit: int = MAX_BYTES
) -> Sequence[DocumentFile]:
    """Read the texts of both sides, which must have the same tokens."""
    names = ("reference", "prediction")
    files = [_read(kind, text, name, reader, limit) for name, text in zip(names, texts, strict=True)]
    try:
        require_same_tokens(*files)
    except InputError as error:
        if error.option == "ignore_words":
            error.remedy = "Paste the same words on both sides, or only tags, one on each line."
        raise
    return files


def _read(kind: str, text: str, name: str, reader: Callable[..., DocumentFile], limit: int = MAX_BYTES) -> DocumentFile:
    """Read a text; raise an `InputError` if it is too large."""
    if not text.strip():
        raise InputError(f"the {name} is empty.", texts()["inputs"][kind]["remedy"])
    file = reader(io.BytesIO(encoded(text, name, limit)), name=name)
    require_size(file, name)
    return file


def _typed_spans(entities: Sequence[Any]) -> list[dict[str, Any]]:
    """Return a span for each type of each entity."""
    bounds = [({"start": entity["start"], "end": entity["end"]}, entity["types"]) for entity in entities]
    return [{**span, "label": name} for span, types in bounds for name in types]


def _flat_trees(spans: Spans) -> Entities:
    """Convert spans to entities that have one type and no components."""
    documents = [
        [{"start": span["start"], "end": span["end"], "types": [span["label"]]} for span in document]
        for document in spans.to_dicts()
    ]
    return Entities.from_dicts(documents, lengths=spans.lengths)


_Reader = Callable[..., PageCorpus]
READERS: dict[str, _Reader] = {"spans": read_tags, "entities": read_trees, "attributes": read_attributes}
"""The readers of texts, by the kind of input."""
