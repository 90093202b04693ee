"""Mentions as frozen columns: labels and strings without positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..arrays import is_list, name_codes, strings
from ..exceptions import counted
from .arrow import DocumentColumns, ItemKind, string_codes, structs
from .spans import Spans

MENTION_TYPE = pa.struct([("label", pa.string()), ("text", pa.string())])

MENTION_REMEDY = (
    "Write a document as a list, and each mention in it as ['PER', 'Ann'] or {'label': 'PER', 'text': 'Ann'}."
)


@dataclass(frozen=True, eq=False)
class Mentions(DocumentColumns):
    """One side's mentions, in the original order; a document can have the same mention several times.

    Create objects with `from_pairs` or `from_arrow`; the constructor does not check the columns.

    Attributes:
        document: the document of each mention, int32, ascending.
        label: the index of each mention's label in `labels`.
        labels: the sorted label names.
        text: the index of each mention's string in `texts`, int32.
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
        """Show sizes instead of columns."""
        size = f"{counted(len(self), 'mention')}, {counted(self.documents, 'document')}"
        return f"Mentions({size}, labels {', '.join(self.labels) or 'none'})"

    @classmethod
    def from_pairs(cls, documents: Iterable[Iterable[Any]]) -> Mentions:
        """Read mentions: pairs of a label and a text, or dicts with the keys `label` and `text`.

        Other keys are ignored, so you can also pass spans that have a `text`.

        Raises:
            InputError: if a mention has another form or is empty.
        """
        return cls.from_arrow(pa.chunked_array(MENTIONS.arrays(documents)))

    @classmethod
    def from_arrow(cls, column: pa.Array | pa.ChunkedArray) -> Mentions:
        """Read an Arrow column of lists of `MENTION_TYPE`, which `MENTIONS.arrays` and `to_arrow` create.

        Raises:
            InputError: if the column has another type, if a value is null, if a text is empty, or if a label is no
                valid name.
        """
        rows = MENTIONS.items(column)
        label, labels = rows.names(rows.values.field("label"), owner="mention")
        text, texts = string_codes(rows.values.field("text"))
        blank = np.array([not each.strip() for each in texts], dtype=bool)
        rows.refuse(blank[text], "the text is empty.", "Leave out mentions without a text.")
        return cls(rows.parent, label, labels, text, texts, len(column))

    @classmethod
    def of(cls, document: np.ndarray, labels: Sequence[str], texts: Sequence[str], documents: int) -> Mentions:
        """Create mentions from the document (ascending), label and text of each mention."""
        wordings = {wording: code for code, wording in enumerate(dict.fromkeys(texts))}
        text = np.fromiter(map(wordings.__getitem__, texts), np.int32, len(texts))
        return cls(document.astype(np.int32), *name_codes(labels), text, tuple(wordings), documents)

    @classmethod
    def of_spans(cls, spans: Spans, texts: Sequence[str]) -> Mentions:
        """Convert spans of characters to mentions; fragments are joined by a space.

        Spans without any word (empty or only whitespace) are left out.
        """
        wordings = list(spans.covered(texts))
        kept = np.flatnonzero([bool(wording.strip()) for wording in wordings])
        labels = [spans.labels[code] for code in spans.label[kept].tolist()]
        return cls.of(spans.document[kept], labels, [wordings[span] for span in kept.tolist()], spans.documents)

    def to_pairs(self) -> list[list[tuple[str, str]]]:
        """Convert the mentions of each document to pairs, as `from_pairs` reads them."""
        return [[(mention["label"], mention["text"]) for mention in row] for row in self.to_dicts()]

    def _structs(self) -> pa.StructArray:
        return structs(MENTION_TYPE, strings(self.label, self.labels), strings(self.text, self.texts))


def _as_mapping(mention: Any) -> Any:
    if is_list(mention) and len(mention) == 2:
        return {"label": mention[0], "text": mention[1]}
    return mention


MENTIONS = ItemKind(MENTION_TYPE, "a pair of label and text", "mentions", MENTION_REMEDY, prepare=_as_mapping)
