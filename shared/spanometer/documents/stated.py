"""Spans in the order of a file, with their attributes and stated texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import (
    arrow_array,
    code_type,
    null_bitmap,
    offsets_by,
    offsets_of,
    ordered_codes,
    run_bounds,
    take_segments,
)
from ..exceptions import InputError, shown
from ..spans.annotations import end_to_end
from ..spans.attributes import Attributes
from ..spans.spans import Spans

_DOUBTFUL = 0.5
"""If more than this share of stated texts differs from the text, reading fails."""

_BLANKS = re.compile(r"(?:\s|\\n)+")
_AT_ONCE = 1 << 12
"""At most this many texts are Python strings at a time, which take several times the memory."""

TEXT_TYPE = pa.binary()
"""Bytes, because a text may have half of a surrogate pair."""

NO_ATTRIBUTES: Mapping[str, Any] = {"attributes": {}}


@dataclass(frozen=True, eq=False)
class StatedSpans:
    """The spans of a file with their attributes and stated texts.

    Attributes:
        spans: the spans in the order of the file, with repeated ones.
        attributes: for each span, an index into `values`.
        values: the distinct attributes, `{"attributes": {...}, "scores": {...}}`; the first one has no attributes, and
            scores are optional.
        texts: the stated text of each span, or null; None if the file states none.
    """

    spans: Spans
    attributes: np.ndarray
    values: Sequence[Mapping[str, Any]] = (NO_ATTRIBUTES,)
    texts: pa.ChunkedArray | None = None

    @classmethod
    def of(cls, spans: Spans) -> StatedSpans:
        """Wrap spans without stated texts and attributes."""
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
        """List the document of each span with attributes or scores (the `key`)."""
        has = np.array([bool(value.get(key)) for value in self.values])
        return list(self.spans.document[has[self.attributes]].tolist())

    def take(self, documents: np.ndarray) -> StatedSpans:
        """Select the spans of some documents, in this order."""
        _, items = take_segments(offsets_by(self.spans.document, self.spans.documents), documents)
        return replace(self.picked(items), spans=self.spans.take(documents))

    def picked(self, items: np.ndarray) -> StatedSpans:
        """Select some spans, in this order."""
        texts = None if self.texts is None else self.texts.take(arrow_array(items))
        return replace(self, spans=self.spans.picked(items), attributes=self.attributes[items], texts=texts)

    def columns(self) -> Attributes:
        """Read the attributes of all spans as columns; discontinuous spans have their outermost bounds.

        Raises:
            InputError: the errors of `Attributes.from_dicts`.
        """
        spans = self.spans
        present, codes = np.unique(self.attributes, return_inverse=True)
        anywhere = {"start": 0, "end": 1, "label": "_"}
        try:
            distinct = Attributes.from_dicts([[{**anywhere, **self.values[code]} for code in present.tolist()]])
        except InputError as error:
            span = int(np.argmax(codes == error.span))
            document = int(spans.document[span])
            index = span - int(np.searchsorted(spans.document, document))
            raise error.placed(document=document, span=index) from None
        named, label = np.unique(spans.label, return_inverse=True)
        return replace(
            distinct.picked(codes),
            document=spans.document,
            start=spans.start,
            end=spans.end,
            label=label.astype(code_type(len(named))),
            labels=tuple(spans.labels[code] for code in named.tolist()),
            documents=spans.documents,
        )

    def beside(self, texts: Sequence[str]) -> Iterator[tuple[int, str, str]]:
        """Yield the document, the stated text and the covered text of each span with a stated text."""
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
        """Yield, for each pair of boundaries that both sides have, the document and the text that each side states."""
        if self.texts is None or other.texts is None:
            return
        offsets = offsets_by(self.spans.document, self.spans.documents)
        for first, last in zip(*run_bounds(offsets[:-1] // _AT_ONCE), strict=True):
            spans = [side.spans.between(first, last) for side in (self, other)]
            columns = ([getattr(some, name) for some in spans] for name in ("document", "start", "end"))
            of_one, of_other = np.split(ordered_codes(*map(np.concatenate, columns)), [len(spans[0])])
            _, here, there = np.intersect1d(of_one, of_other, return_indices=True)
            texts = self._texts_between(first, last, here), other._texts_between(first, last, there)
            for document, text, stated in zip(spans[0].document[here].tolist(), *texts, strict=True):
                if text is not None and stated is not None:
                    yield first + document, text, stated

    def _texts_between(self, first: int, last: int, chosen: np.ndarray) -> Iterator[str | None]:
        """Yield the stated texts of chosen spans of the documents from `first` to `last` (exclusive)."""
        here = slice(*np.searchsorted(self.spans.document, [first, last]).tolist())
        return iter(()) if self.texts is None else strings_of(self.texts[here].take(arrow_array(chosen)))


def stated_arrays(texts: Iterable[str | None]) -> Iterator[pa.Array]:
    """Make Arrow arrays of stated texts; `pa.array` would import pandas if it is installed."""
    each = iter(texts)
    while some := list(islice(each, _AT_ONCE)):
        encoded = [b"" if text is None else str(text).encode("utf-8", "surrogatepass") for text in some]
        missing, ends = np.array([text is None for text in some]), offsets_of(list(map(len, encoded)))
        buffers = [null_bitmap(missing), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
        yield pa.Array.from_buffers(pa.large_binary(), len(some), buffers).cast(TEXT_TYPE)


def strings_of(texts: pa.ChunkedArray) -> Iterator[str | None]:
    """Yield the strings of stated texts."""
    for first in range(0, len(texts), _AT_ONCE):
        for text in texts[first : first + _AT_ONCE].to_pylist():
            yield None if text is None else text.decode("utf-8", "surrogatepass")


def alike(stated: str | None, covered: str) -> bool:
    """Compare a stated text with the covered text, ignoring blanks: some tools merge blanks or escape newlines."""
    return stated == covered or (stated is not None and _BLANKS.sub(" ", stated) == _BLANKS.sub(" ", covered))


def compared(
    stated: Iterable[tuple[int, str, str]],
    place: Callable[[int], str],
    differ: str = "differ from the text at their offsets",
) -> list[str]:
    """Compare stated texts of spans with the covered texts.

    Args:
        stated: the document, the stated text and the covered text of each span.
        place: describes the place of a document.
        differ: the problem of texts that differ.

    Returns:
        A sentence if some differ.

    Raises:
        InputError: if most differ.
    """
    number = differing = 0
    first = ""
    for document, text, covered in stated:
        number += 1
        if not alike(text, covered):
            differing += 1
            first = first or f"{place(document)}: {shown(text)} is stated, but the text has {shown(covered)}"
    if not differing:
        return []
    remark = f"{differing:,} of {number:,} stated texts of spans {differ} ({first})."
    if differing > number * _DOUBTFUL:
        raise InputError(remark, "Check that the offsets belong to this text, and check their unit.")
    return [remark]
