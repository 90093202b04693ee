"""Logits in NumPy's .npz files."""

import io
import os
import re
import zipfile
import zlib
from lzma import LZMAError
from typing import BinaryIO

import numpy as np

from ..exceptions import InputError, counted
from ..tags.viterbi import Legality, Scores
from .source import open_file

_DAMAGED = (ValueError, EOFError, OSError, RuntimeError, MemoryError, zlib.error, LZMAError, zipfile.BadZipFile)
"""Exceptions for damaged files, unsupported zip files, and shapes that do not fit into memory."""

_REMEDY = (
    "Save the logits with numpy.savez(path, *arrays, labels=labels), with one array of shape (tokens, labels) for each "
    "document. Save padded logits with numpy.savez(path, logits=padded, lengths=lengths, labels=labels)."
)


def read_logits(path: str | os.PathLike[str], *, scheme: str | None = None) -> tuple[list[np.ndarray], list[str]]:
    """Read logits and their labels.

    The array `labels` has the tags as strings. The logits are either one array `logits` of shape (documents, tokens,
    labels) with `lengths`, the number of tokens of each document; or one array of shape (tokens, labels) for each
    document. These arrays are ordered by the numbers in their names (`numpy.savez` uses `arr_0`, `arr_1`, ...).

    Returns:
        An array of shape (tokens, labels) for each document, and the labels.

    Raises:
        InputError: if the file cannot be read, if arrays have other shapes, or if logits are not finite. The error
            names the file.
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
        raise InputError("this is a single array without labels.", _REMEDY)
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
    """Split logits by document and remove the padding."""
    if logits.ndim != 3:
        raise InputError(f"'logits' has the shape {logits.shape} instead of (documents, tokens, labels).", _REMEDY)
    if lengths is None:
        return list(logits)
    if lengths.shape != logits.shape[:1] or lengths.dtype.kind not in "iu":
        problem = f"'lengths' has the shape {lengths.shape} and the type {lengths.dtype}, but 'logits' has "
        problem += f"{counted(len(logits), 'document')}."
        raise InputError(problem, "Give one whole number for each document.")
    beyond = (lengths < 0) | (lengths > logits.shape[1])
    if beyond.any():
        document = int(np.argmax(beyond))
        problem = f"the length is {lengths[document]}, but 'logits' has {counted(logits.shape[1], 'token')}."
        raise InputError(problem, "Give the number of tokens of each document.", document=document)
    return [tokens[:length] for tokens, length in zip(logits, lengths.tolist(), strict=True)]


def _natural(key: str) -> list[tuple[str, int]]:
    """Return a sort key that orders numbers by value."""
    return [(text, int(number or -1)) for text, number in re.findall(r"(\D*)(\d*)", key)]
