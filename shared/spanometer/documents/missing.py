"""Unannotated parts of documents, such as spaCy's missing entities, which are not scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..arrays import begins_run, run_bounds
from ..exceptions import counted
from ..spans.spans import Spans
from ..tags.decoding import BARE_LABEL
from .document_file import DocumentFile


def with_missing(file: DocumentFile, places: Iterable[tuple[int, int, int]]) -> DocumentFile:
    """Add unannotated parts (document, start and end, in order), and a note with their number."""
    document, start, end = np.array(list(places), dtype=np.int32).reshape(-1, 3).T
    if not len(document):
        return file
    label = np.zeros(len(document), dtype=np.uint8)
    missing = Spans(document, start, end, label, (BARE_LABEL,), file.documents.size, file.lengths)
    whole = int(_whole(missing).sum())
    sizes = {"document": whole, "place": len(missing) - whole}
    listed = ", ".join(counted(size, noun) for noun, size in sizes.items() if size)
    note = f"In a reference these are not scored, because they have no annotation: {listed}."
    return replace(file, missing=missing, notes=(*file.notes, note))


def runs_of(flags: Iterable[object]) -> list[list[int]]:
    """Return the boundaries of each run of true flags, with exclusive ends."""
    values = np.fromiter(map(bool, flags), dtype=bool)
    runs: list[list[int]] = np.stack(run_bounds(values), axis=1)[values[begins_run(values)]].tolist()
    return runs


def without_missing(references: DocumentFile, predictions: DocumentFile) -> tuple[DocumentFile, DocumentFile]:
    """Remove reference documents without annotation, and predicted spans that overlap an unannotated part.

    Predicted spans in another unit are kept.
    """
    missing = references.missing
    if missing is None:
        return references, predictions
    if predictions.in_tokens == references.in_tokens and predictions.answers is None:
        spans = predictions.spans
        # documents are concatenated, so that places ascend
        base = np.arange(spans.documents) * (max(missing.end.max(initial=0), spans.end.max(initial=0)) + 1)
        starts, ends = base[missing.document] + missing.start, base[missing.document] + missing.end
        first, last = base[spans.document] + spans.start, base[spans.document] + spans.end
        # the first place that ends after the start of a span
        place = np.searchsorted(ends, first, side="right")
        touching = np.append(starts, np.iinfo(np.int64).max)[place] < last
        predictions = replace(predictions, spans=spans.picked(np.flatnonzero(~touching)), stated=None)
    kept = np.setdiff1d(np.arange(references.documents.size), missing.document[_whole(missing)])
    return references.take(kept), predictions.take(kept)


def _whole(missing: Spans) -> np.ndarray:
    """Flag unannotated parts that are whole documents."""
    if missing.lengths is None:
        return np.zeros(len(missing), dtype=bool)
    whole: np.ndarray = (missing.start == 0) & (missing.end == missing.lengths[missing.document])
    return whole
