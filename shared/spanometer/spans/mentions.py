"""Mentions: one side's labels and strings of each document, without places, as frozen columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..arrays import is_list, name_codes, offsets_by, strings
from ..exceptions import shown
from .arrow import DocumentColumns, ListItems, span_problem, string_codes, struct_lists, structs
from .spans import Spans

MENTION_TYPE = pa.struct([("label", pa.string()), ("text", pa.string())])

MENTION_REMEDY = "A mention is a pair of strings, ['PER', 'Ann'], or {'label': 'PER', 'text': 'Ann'}."


@dataclass(frozen=True, eq=False)
class Mentions(DocumentColumns):
    """One side's mentions, in the order in which they were given; a document may have the same one several times.

    Make them with `from_pairs` or `from_arrow`; the constructor takes the columns as they are.

    Attributes:
        document: int32, ascending.
        label: codes that index `labels`.
        labels: label names, sorted.
        text: int32, codes that index `texts`.
        texts: the distinct strings.
        documents: the number of documents, with or without mentions.
    """

    document: np.ndarray
    label: np.ndarray
    labels: tuple[str, ...]
    text: np.ndarray
    texts: tuple[str, ...]
    documents: int

    flat: ClassVar[tuple[str, ...]] = ("document", "label", "text")

    def __repr__(self) -> str:
        """Show the sizes, not the columns."""
        return f"Mentions({len(self)} mentions, {self.documents} documents, labels {', '.join(self.labels) or 'none'})"

    @classmethod
    def from_pairs(cls, documents: Iterable[Iterable[Any]]) -> Mentions:
        """Read lists of mentions: pairs of a label and a text, or dicts with these two.

        Spans with their texts are read too; what else a dict has is ignored.

        Raises:
            InputError: for a mention that is not of this form, or empty.
        """
        return cls.from_arrow(pa.chunked_array(mentions_arrays(documents), pa.list_(MENTION_TYPE)))

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Mentions:
        """Read an Arrow column of lists of `MENTION_TYPE`, as made by `mentions_arrays` and `to_arrow`.

        Raises:
            InputError: for a column of another type, for None, for an empty text, and for a label that is no name.
        """
        rows = ListItems.read(column, (field.name for field in MENTION_TYPE), "a mention", "mentions", MENTION_REMEDY)
        rows.refuse_nulls("label", "text")
        label, labels = rows.names(rows.values.field("label"), owner="mention")
        text, texts = string_codes(rows.values.field("text"))
        blank = np.array([not each.strip() for each in texts], dtype=bool)
        rows.refuse(blank[text], "the text is empty.", "Leave out mentions without a text.")
        return cls(rows.parent, label, labels, text, texts, len(column))

    @classmethod
    def of(cls, document: np.ndarray, labels: Sequence[str], texts: Sequence[str], documents: int) -> Mentions:
        """Make mentions from their documents (ascending), labels and texts, of equal number."""
        wordings = {wording: code for code, wording in enumerate(dict.fromkeys(texts))}
        text = np.fromiter(map(wordings.__getitem__, texts), np.int32, len(texts))
        return cls(document.astype(np.int32), *name_codes(labels), text, tuple(wordings), documents)

    @classmethod
    def of_spans(cls, spans: Spans, texts: Sequence[str]) -> Mentions:
        """Read the words of spans of characters; fragments are joined by a blank.

        Spans without a word, of nothing or of blanks alone, are no mentions.
        """
        wordings = list(spans.covered(texts))
        kept = np.flatnonzero([bool(wording.strip()) for wording in wordings])
        labels = [spans.labels[code] for code in spans.label[kept].tolist()]
        return cls.of(spans.document[kept], labels, [wordings[span] for span in kept.tolist()], spans.documents)

    def to_pairs(self) -> list[list[tuple[str, str]]]:
        """List the mentions as pairs, as `from_pairs` takes them."""
        pairs = [
            (self.labels[label], self.texts[text])
            for label, text in zip(self.label.tolist(), self.text.tolist(), strict=True)
        ]
        bounds = offsets_by(self.document, self.documents).tolist()
        return [pairs[first:last] for first, last in pairwise(bounds)]

    def _structs(self) -> pa.StructArray:
        return structs(MENTION_TYPE, strings(self.label, self.labels), strings(self.text, self.texts))


def mentions_arrays(documents: Iterable[Any], first_document: int = 0) -> list[pa.ListArray]:
    """Make Arrow arrays of lists of `MENTION_TYPE` from lists of mentions, one for each thousand documents.

    Args:
        documents: the mentions of each document, see `Mentions.from_pairs`.
        first_document: the number of the first document, for errors.

    Raises:
        InputError: for a document that is not a list, and a mention that is not a label and a text.
    """
    return struct_lists(documents, MENTION_TYPE, _problem, MENTION_REMEDY, first_document, _as_mapping)


def _as_mapping(mention: Any) -> Any:
    if is_list(mention) and len(mention) == 2:
        return {"label": mention[0], "text": mention[1]}
    return mention


def _problem(mention: Any) -> str:
    """Describe the problem of a mention; an empty string if it has none."""
    mapping = _as_mapping(mention)
    if not isinstance(mapping, Mapping) or not {"label", "text"} <= set(mapping):
        return f"{shown(mention)} is not a label and a text."
    return span_problem(mapping, ("label", "text"))
