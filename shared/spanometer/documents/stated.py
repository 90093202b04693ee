"""Spans in the order of a file, with their attributes and the span texts that the file gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import arrow_array, null_bitmap, offsets_by, offsets_of, ordered_codes, sorted_codes, take_segments
from ..exceptions import InputError, shown
from ..spans.annotations import end_to_end
from ..spans.attributes import Attributes, items_of
from ..spans.spans import Spans

_DOUBTFUL = 0.5
"""If more than this proportion of a file's span texts differ from the text, reading fails."""

_BLANKS = re.compile(r"(?:\s|\\n)+")
_AT_ONCE = 1 << 12
"""The maximum number of texts that are Python strings at a time, because these take several times the memory."""

TEXT_TYPE = pa.binary()
"""Bytes instead of strings, because a text can have a lone surrogate."""

NO_ATTRIBUTES: Mapping[str, Any] = {"attributes": {}}


@dataclass(frozen=True, eq=False)
class StatedSpans:
    """The spans of a file with their attributes and the span texts that the file gives.

    Attributes:
        spans: the spans in the order of the file, including duplicates.
        attributes: for each span, an index into `values`.
        values: the distinct attributes, `{"attributes": {...}, "scores": {...}}`. The first has no attributes; scores
            are optional.
        texts: the text of each span in the file, or null; None if the file gives no span texts.
    """

    spans: Spans
    attributes: np.ndarray
    values: Sequence[Mapping[str, Any]] = (NO_ATTRIBUTES,)
    texts: pa.ChunkedArray | None = None

    @classmethod
    def of(cls, spans: Spans) -> StatedSpans:
        """Wrap spans without span texts and attributes."""
        return cls(spans, np.zeros(len(spans), dtype=np.int32))

    @classmethod
    def end_to_end(cls, parts: Sequence[StatedSpans]) -> StatedSpans:
        """Concatenate the spans of several files."""
        texts = None
        if any(part.texts is not None for part in parts):
            columns = (part.texts or pa.chunked_array([pa.nulls(len(part.spans), TEXT_TYPE)]) for part in parts)
            texts = pa.chunked_array([chunk for column in columns for chunk in column.chunks], TEXT_TYPE)
        base = offsets_of([len(part.values) for part in parts])
        codes = np.concatenate([part.attributes + first for part, first in zip(parts, base, strict=False)])
        # code 0 of each file means no attributes
        codes[np.isin(codes, base)] = 0
        values = [value for part in parts for value in part.values]
        return cls(end_to_end([part.spans for part in parts]), codes, values, texts)

    @property
    def has_attributes(self) -> bool:
        """Whether any span has attributes."""
        return len(self.values) > 1

    def documents_with(self, key: str) -> list[int]:
        """List the document of each span that has `key`: attributes or scores."""
        has = np.array([bool(value.get(key)) for value in self.values])
        return list(self.spans.document[has[self.attributes]].tolist())

    def take(self, documents: np.ndarray) -> StatedSpans:
        """Select documents in the given order."""
        _, items = take_segments(offsets_by(self.spans.document, self.spans.documents), documents)
        return replace(self.picked(items), spans=self.spans.take(documents))

    def picked(self, items: np.ndarray) -> StatedSpans:
        """Select spans in the given order."""
        texts = None if self.texts is None else self.texts.take(arrow_array(items))
        return replace(self, spans=self.spans.picked(items), attributes=self.attributes[items], texts=texts)

    def columns(self) -> Attributes:
        """Return the spans with their attributes; discontinuous spans have their outer boundaries.

        Raises:
            InputError: see `Attributes.from_dicts`.
        """
        spans = self.spans
        present, codes = np.unique(self.attributes, return_inverse=True)
        items = []
        for code in present.tolist():
            try:
                items.append(items_of(self.values[code]))
            except InputError as error:
                span = int(np.argmax(self.attributes == code))
                document = int(spans.document[span])
                raise error.placed(document=document, span=span - spans.items(0, document).stop) from None
        label, labels = sorted_codes(spans.label, spans.labels)
        label = label.astype(spans.label.dtype)
        columns = spans.document, spans.start, spans.end, label, labels, spans.documents
        return Attributes.of(items, codes, *columns)

    def beside(self, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield for each span with a text in the file: the document, this text, and the text that the span covers."""
        if self.texts is None:
            return
        for first in range(0, len(self.spans), _AT_ONCE):
            here = slice(first, first + _AT_ONCE)
            some = self.spans.picked(here)
            columns = some.document.tolist(), strings_of(self.texts[here]), some.covered(texts)
            for document, text, covered in zip(*columns, strict=True):
                if text is not None:
                    yield document, text, covered

    def beside_stated(self, other: StatedSpans) -> Iterator[tuple[int, str, str]]:
        """Yield the document and the span texts of both files for each pair of spans with equal boundaries."""
        if self.texts is None or other.texts is None:
            return
        columns = ([getattr(side.spans, name) for side in (self, other)] for name in ("document", "start", "end"))
        of_one, of_other = np.split(ordered_codes(*map(np.concatenate, columns)), [len(self.spans)])
        _, here, there = np.intersect1d(of_one, of_other, return_indices=True)
        texts, others = self.texts.take(arrow_array(here)), other.texts.take(arrow_array(there))
        rows = zip(self.spans.document[here].tolist(), strings_of(texts), strings_of(others), strict=True)
        for document, text, stated in rows:
            if text is not None and stated is not None:
                yield document, text, stated


def stated_arrays(texts: Iterable[str | None]) -> Iterator[pa.Array]:
    """Convert span texts to Arrow arrays, without importing pandas."""
    each = iter(texts)
    while some := list(islice(each, _AT_ONCE)):
        encoded = [b"" if text is None else str(text).encode("utf-8", "surrogatepass") for text in some]
        missing, ends = np.array([text is None for text in some]), offsets_of(list(map(len, encoded)))
        buffers = [null_bitmap(missing), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
        yield pa.Array.from_buffers(pa.large_binary(), len(some), buffers).cast(TEXT_TYPE)


def strings_of(texts: pa.ChunkedArray) -> Iterator[str | None]:
    """Yield span texts as strings."""
    for first in range(0, len(texts), _AT_ONCE):
        for text in texts[first : first + _AT_ONCE].to_pylist():
            yield None if text is None else text.decode("utf-8", "surrogatepass")


def alike(stated: str | None, covered: str) -> bool:
    """Check whether a span text equals the covered text, except for runs of whitespace.

    Some tools merge whitespace or escape newlines.
    """
    return stated == covered or (stated is not None and _BLANKS.sub(" ", stated) == _BLANKS.sub(" ", covered))


def compared(
    stated: Iterable[tuple[int, str, str]],
    place: Callable[[int], str],
    differ: str = "differ from the text at their offsets",
) -> list[str]:
    """Compare the span texts of a file with the texts that the spans cover.

    Args:
        stated: the document, the span text in the file and the covered text of each span.
        place: a function that describes where a document is.
        differ: describes the problem of texts that differ.

    Returns:
        A sentence if some texts differ, otherwise nothing.

    Raises:
        InputError: if most texts differ.
    """
    number = differing = 0
    first = ""
    for document, text, covered in stated:
        number += 1
        if not alike(text, covered):
            differing += 1
            first = first or f"({place(document)}) is {shown(text)}, but its offsets point to {shown(covered)}"
    if not differing:
        return []
    remark = f"{differing:,} of {number:,} span texts {differ}. The first {first}."
    if differing > number * _DOUBTFUL:
        raise InputError(
            remark, "Check that the offsets belong to this text, and that the offsets count characters, not bytes."
        )
    return [remark]
