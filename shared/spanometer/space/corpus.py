"""The corpus of a page: both sides of pasted texts, up to a maximum size."""

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..alignment.overlaps import Alignment
from ..analysis.scores.report import Report, score_table
from ..analysis.scores.score import string_measure
from ..documents.document_file import DocumentFile
from ..documents.joining import located, locating_errors, require_same_tokens
from ..exceptions import InputError
from ..grounding.policies import NAMED_STRINGS
from ..grounding.reading import AnswerReading, ground_strings
from ..readers.columns.columns import read_columns  # noqa: F401 (a format that the page reads)
from ..readers.formats import AUTO, read_as
from ..readers.json.lines import read_document_lines, read_tag_lines  # noqa: F401 (two more)
from ..readers.source import Source
from ..readers.text.markup import EntityTypes
from ..readers.text.markup_files import read_quaero  # noqa: F401 (another)
from ..spans.entities import Entities
from ..spans.mentions import Mentions
from ..spans.spans import Spans, as_tags, pair_from_tags
from ..tags.decoding import LabelDecoding
from ..tags.tags import Tags
from ..web.templates import Section
from .grounding_page import answer_notes, parsed
from .limits import MAX_BYTES, MAX_MARKUP_BYTES, MAX_SPANS, encoded, require_at_most, require_size, upload_name
from .texts import texts


@dataclass(frozen=True, eq=False)
class PageCorpus:
    """Both sides of a corpus.

    Attributes:
        files: the texts of both sides after reading.
        sides: the annotations to score: spans, entity trees, spans with attributes, or mentions.
        spans: the spans of both sides; for trees, a span for each type of an entity; empty for attributes and mentions.
        words: the words of each document, for display.
        reading: the reading options that the signature names.
        notes: notes on the input for the user.
        tags: the tags of both sides, if the texts have tags.
        sections: tables that only this kind of input has.
        literals: the input as the snippet spells it, if the snippet contains it.
    """

    files: Sequence[DocumentFile]
    sides: Sequence[Any]
    spans: Sequence[Spans] = ()
    words: Sequence[Sequence[str]] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: Sequence[str] = ()
    tags: Sequence[Tags] = ()
    sections: Sequence[Section] = ()
    literals: Mapping[str, Any] = field(default_factory=dict)

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


def read_tags(reference: str, prediction: str, reading: LabelDecoding, suffix: bool = False) -> PageCorpus:
    """Read both sides from CoNLL-like texts: a token and its tag on each line, blank lines between sentences.

    Args:
        reference: the reference. If `prediction` is empty, it must have three or more columns; the last two are the
            tags of the reference and of the prediction.
        prediction: the same tokens with the tags of the prediction.
        reading: how tags are read.
        suffix: whether prefixes follow the labels, as in `PER-B`.

    Raises:
        InputError: if a text cannot be read; the error names the line.
    """
    if prediction.strip() or not reference.strip():
        files = _read("spans", {"reference": reference, "prediction": prediction}, words=True)
    else:
        (both,) = _read("spans", {"reference": reference}, columns=(-2, -1), words=True)
        if both.words is None:
            raise InputError(
                "the prediction is empty, and the reference has no third column with predicted tags.",
                "Paste the prediction, or a reference with token, reference tag and predicted tag on each line.",
            )
        files = [both.select(0), both.select(1)]
    tags = [file.tags[0] for file in files]
    with locating_errors(dict(zip(("references", "predictions"), files, strict=True))):
        tags = [side.suffixes_as_prefixes() for side in tags] if suffix else tags
        *spans, scheme = pair_from_tags(*tags, **vars(reading))
    words = next((list(file.words) for file in files if file.words is not None), None)
    notes = []
    if words is None:
        words = [[str(number) for number in range(1, length + 1)] for length in tags[0].lengths.tolist()]
        notes = ["The text has only tags, so tokens are shown by their numbers."]
    decoded = [as_tags(side, prefix=reading.prefix) for side in tags]
    return PageCorpus(files, spans, spans, words, reading.reading(scheme), notes, decoded)


def read_trees(reference: str, prediction: str, reading: EntityTypes) -> PageCorpus:
    """Read both sides from texts in QUAERO's markup, one document on each line; see `read_tags`."""
    sides = {"reference": reference, "prediction": prediction}
    files = _read("entities", sides, entity_types=reading.first_parts)
    spans = [Spans.from_dicts(map(_typed_spans, file.trees.to_dicts()), lengths=file.lengths) for file in files]
    kinds = {"input": "markup", "entity_types": ",".join(sorted(reading.first_parts))}
    return PageCorpus(files, [file.trees for file in files], spans, list(files[0].words or ()), kinds)


def read_attributes(reference: str, prediction: str) -> PageCorpus:
    """Read both sides from JSON lines of spans with attributes; see `read_tags`."""
    files = _read("attributes", {"reference": reference, "prediction": prediction})
    for file in files:
        require_at_most(MAX_SPANS, len(file.spans), "spans", file.source)
    notes = [f"Left out of the {file.source}: {item}" for file in files for item in file.left_out]
    words = next((list(file.words) for file in files if file.words is not None), [])
    return PageCorpus(files, [file.attribute_columns() for file in files], words=words, notes=notes)


_RULES = "Projects read answers and compare strings in different ways. ~: the policy is only similar to the project's."


def read_mentions(text: str, answer: str, reference: str, reading: AnswerReading) -> PageCorpus:
    """Read the mentions of an answer and of its reference; a section has the scores by the rules of projects."""
    read, right = parsed({"text": text, "answer": answer, "reference": reference}, reading)
    pairs = [[(item.label, item.mention) for item in right.items]]
    references, literals = Mentions.from_pairs(pairs), {"text": text, "answer": answer, "references": pairs}
    grounded = [ground_strings([text], [read], policy=name, **reading.answer_reading) for name in NAMED_STRINGS]
    results = {
        str(each.policy): Report.of(references, each.mentions, [string_measure(each, {})], {}).results[0]
        for each in grounded
    }
    sections = [Section("Rules of projects", [score_table("policy", results)], _RULES)]
    # the first policy is the default
    sides, notes = (references, grounded[0].mentions), list(answer_notes(read, text))
    return PageCorpus((), sides, reading=grounded[0].choices, notes=notes, sections=sections, literals=literals)


_FORMATS = {"spans": ("tags", AUTO), "entities": ("entities", "quaero"), "attributes": ("spans", "jsonl")}
"""The content and the format of each kind of input, see `read_as`."""


def _read(kind: str, sides: Mapping[str, str], **options: Any) -> Sequence[DocumentFile]:
    """Read the texts of the sides, up to a maximum size. Tags and trees must have the same tokens on both sides."""
    content, format = _FORMATS[kind]
    limit, files = MAX_MARKUP_BYTES if kind == "entities" else MAX_BYTES, []
    for name, text in sides.items():
        if not text.strip():
            raise InputError(f"the {name} is empty.", texts()["inputs"][kind]["remedy"])
        file = read_as(content, io.BytesIO(encoded(text, name, limit)), format=format, name=name, options=options)
        require_size(file, name)
        files.append(file)
    try:
        if kind != "attributes" and len(files) > 1:
            require_same_tokens(*files)
    except InputError as error:
        if error.option == "ignore_words":
            error.remedy = "Paste the same words on both sides, or only tags, one on each line."
        raise
    return files


def _typed_spans(entities: Sequence[Any]) -> list[dict[str, Any]]:
    """Return a span for each type of each entity."""
    bounds = [({"start": entity["start"], "end": entity["end"]}, entity["types"]) for entity in entities]
    return [{**span, "label": name} for span, types in bounds for name in types]


def _flat_trees(spans: Spans) -> Entities:
    """Convert spans to entities that have one type and no components."""
    bounds, types = (spans.document, spans.start, spans.end), (np.arange(len(spans) + 1), spans.label, spans.labels)
    return Entities(*bounds, *types, Spans.none(len(spans)), spans.documents, spans.lengths)


READERS: dict[str, Any] = {"entities": read_trees, "attributes": read_attributes, "mentions": read_mentions}
"""The readers of texts, by the kind of input; `read_tags` reads all others."""
