"""The input of the benchmarks: the CoNLL-2003 test tags, repeated many times, and spans made from them or at random."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa

from spanometer.spans.spans import Spans, pair_from_tags
from spanometer.tags.tags import list_arrays

FILE = "conll03_test_tags.tsv"
REPEATS = 20
SPANS, DOCUMENTS = 100_000, 10_000

Lists = list[list[str]]


def data_file() -> Path:
    """Return the CoNLL-2003 file, in the folder that SPANOMETER_DATA names or in ../shared/data beside the project."""
    default = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    file = Path(os.environ.get("SPANOMETER_DATA", default)) / FILE
    if not file.is_file():
        sys.exit(f"{FILE} is not there: set SPANOMETER_DATA to the folder that holds it, or put it in ../shared/data")
    return file


def tag_lists(repeats: int = REPEATS) -> tuple[Lists, Lists]:
    """Return reference and predicted tags as lists; each repeat is read again, so that it has its own strings."""
    text = data_file().read_text(encoding="utf-8")
    references, predictions = [], []
    for _ in range(repeats):
        for block in text.split("\n\n"):
            rows = [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
            if rows:
                references.append([reference for reference, _ in rows])
                predictions.append([prediction for _, prediction in rows])
    return references, predictions


def tag_columns(repeats: int = REPEATS, batch: int = 0) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return the tags as Arrow columns, in one chunk or in chunks of `batch` rows, as `datasets` writes them."""
    columns = []
    for side in tag_lists(1):
        array = pa.concat_arrays(list_arrays(side))
        whole = pa.concat_arrays([array] * repeats)
        chunks = [whole[first : first + batch] for first in range(0, len(whole), batch)] if batch else [whole]
        columns.append(pa.chunked_array([pa.concat_arrays([chunk]) for chunk in chunks]))
    return columns[0], columns[1]


def tag_columns_of_size(tokens: int) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return as many whole sentences as fit into this number of tokens."""
    base = tag_columns(1)
    size = len(base[0].chunk(0).flatten())
    long = tag_columns(tokens // size + 1)
    ends = long[0].chunk(0).offsets.to_numpy()
    sentences = int(np.searchsorted(ends, tokens, side="right")) - 1
    return tuple(pa.chunked_array([pa.concat_arrays([side.chunk(0)[:sentences]])]) for side in long)


def one_and_many(kind: str) -> dict[str, tuple[Spans, Spans]]:
    """Create 100,000 reference spans and their predictions, in one document and, the same spans, in 10,000 documents.

    Args:
        kind: `flat`, the spans of the CoNLL-2003 tags, with neighbouring sentences joined to documents; or `nested`,
            chains of five spans of one label, each inside the previous one, two chains in each document. In the
            predictions, a tenth of the spans are missing and a tenth of the ends are moved.
    """
    references, predictions, lengths = _flat() if kind == "flat" else _nested()
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    sides = {"many": [], "one": []}
    for document, start, end, label in (references, predictions):
        sides["many"].append(_spans(document, start, end, label, lengths))
        base = offsets[document]
        sides["one"].append(_spans(np.zeros_like(document), base + start, base + end, label, offsets[-1:]))
    return {name: (pair[0], pair[1]) for name, pair in sides.items()}


def _flat() -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...], np.ndarray]:
    spans = pair_from_tags(*tag_columns())[:2]
    sentences = int(spans[0].document[SPANS])
    cuts = np.linspace(0, sentences, DOCUMENTS + 1).astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(spans[0].lengths)))
    sides = []
    for side in spans:
        kept = side.document < sentences
        sentence, start, end, label = (column[kept] for column in (side.document, side.start, side.end, side.label))
        document = np.searchsorted(cuts, sentence, side="right") - 1
        shift = offsets[sentence] - offsets[cuts[document]]
        sides.append((document, start + shift, end + shift, label))
    return sides[0], sides[1], np.diff(offsets[cuts])


def _nested() -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...], np.ndarray]:
    rng = np.random.default_rng(0)
    depth, room = 5, 20
    chains = SPANS // depth
    size = np.sort(rng.permuted(np.tile(np.arange(1, room + 1), (chains, 1)), axis=1)[:, :depth])[:, ::-1]
    outer = np.concatenate((np.full((chains, 1), room), size[:, :-1]), axis=1)
    start = np.cumsum(rng.integers(0, outer - size + 1), axis=1)
    chain = np.arange(chains)[:, None]
    in_document = chains // DOCUMENTS
    start = start + chain % in_document * room
    document = np.broadcast_to(chain // in_document, start.shape)
    label = np.broadcast_to(rng.integers(0, 4, (chains, 1)), start.shape)
    reference = tuple(column.ravel() for column in (document, start, start + size, label))
    kept = rng.random(SPANS) >= 0.1
    moved = (rng.random(SPANS) < 0.1) & (reference[2] % room != 0)
    predicted = (reference[0], reference[1], reference[2] + moved, reference[3])
    return reference, tuple(column[kept] for column in predicted), np.full(DOCUMENTS, in_document * room)


def _spans(document: np.ndarray, start: np.ndarray, end: np.ndarray, label: np.ndarray, lengths: np.ndarray) -> Spans:
    """Create spans by the public functions, which sort them and remove duplicates."""
    order = np.argsort(document, kind="stable")
    names = pa.DictionaryArray.from_arrays(pa.array(label[order], pa.int32()), ["LOC", "MISC", "ORG", "PER"])
    columns = [pa.array(start[order], pa.int64()), pa.array(end[order], pa.int64()), names.cast(pa.string())]
    offsets = np.searchsorted(document[order], np.arange(len(lengths) + 1)).astype(np.int32)
    values = pa.StructArray.from_arrays(columns, names=["start", "end", "label"])
    return Spans.from_arrow(pa.ListArray.from_arrays(pa.array(offsets), values), lengths=lengths)
