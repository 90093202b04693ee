"""Logits from NumPy's .npz files."""

from __future__ import annotations

import io
import os
import re
import zipfile
import zlib
from lzma import LZMAError
from typing import BinaryIO

import numpy as np

from ..exceptions import InputError
from ..tags.viterbi import Legality, Scores
from .source import open_file

_DAMAGED = (ValueError, EOFError, OSError, RuntimeError, MemoryError, zlib.error, LZMAError, zipfile.BadZipFile)
"""What damaged files raise, also zip files of a kind that Python does not read, and shapes larger than the memory."""

_REMEDY = (
    "Save them with numpy.savez(path, *arrays, labels=labels), an array of shape (tokens, labels) for each document, "
    "or numpy.savez(path, logits=padded, lengths=lengths, labels=labels)."
)


def read_logits(path: str | os.PathLike[str], *, scheme: str | None = None) -> tuple[list[np.ndarray], list[str]]:
    """Read logits and the labels that they stand for.

    The file has `labels`, the tags as strings, and either `logits` of shape (documents, tokens, labels) with `lengths`,
    the documents' numbers of tokens, or an array of shape (tokens, labels) for each document, under names that are
    ordered by the numbers in them (`arr_0`, `arr_1`, ... as `numpy.savez` names them).

    Returns:
        An array of shape (tokens, labels) for each document, and the labels.

    Raises:
        InputError: names the file: for what cannot be read or has other shapes, and for NaN and the like in logits.
    """
    name = os.fspath(path)
    with open_file(name, name) as stream:
        try:
            # an archive is read from its end
            return _read(stream if stream.seekable() else io.BytesIO(stream.read()), scheme)
        except InputError as error:
            raise error.placed(source=name) from None


def _read(stream: BinaryIO, scheme: str | None) -> tuple[list[np.ndarray], list[str]]:
    try:
        loaded = np.load(stream, allow_pickle=False)
        arrays = None if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded.files}
    except _DAMAGED:
        raise InputError("this is not an .npz file of numbers and strings.", _REMEDY) from None
    if arrays is None:
        raise InputError("this is one array.", _REMEDY)
    labels = arrays.pop("labels", None)
    if labels is None or labels.ndim != 1 or labels.dtype.kind != "U":
        raise InputError("the file has no list of strings 'labels'.", _REMEDY)
    if "logits" in arrays:
        documents = _parts(arrays["logits"], arrays.get("lengths"))
    else:
        documents = [arrays[key] for key in sorted(arrays, key=_natural)]
    Scores.read(documents, len(Legality.of(labels.tolist(), scheme).labels))
    return documents, labels.tolist()


def _parts(logits: np.ndarray, lengths: np.ndarray | None) -> list[np.ndarray]:
    """Cut the padding off logits."""
    if logits.ndim != 3:
        raise InputError(f"'logits' has the shape {logits.shape}.", _REMEDY)
    if lengths is None:
        return list(logits)
    if lengths.shape != logits.shape[:1] or lengths.dtype.kind not in "iu":
        raise InputError(
            f"'lengths' of shape {lengths.shape} and type {lengths.dtype} does not fit {len(logits)} documents.",
            "Give one whole number for each document.",
        )
    beyond = (lengths < 0) | (lengths > logits.shape[1])
    if beyond.any():
        document = int(np.argmax(beyond))
        raise InputError(
            f"the length {lengths[document]} is not within the {logits.shape[1]} tokens of 'logits'.",
            "Give each document's number of tokens.",
            document=document,
        )
    return [tokens[:length] for tokens, length in zip(logits, lengths.tolist(), strict=True)]


def _natural(key: str) -> list[tuple[str, int]]:
    """Make a key to sort by in which numbers count as numbers."""
    return [(text, int(number or -1)) for text, number in re.findall(r"(\D*)(\d*)", key)]
