"""Files that options name: labels with their new names, names of integer labels, probabilities of words, and logits."""

import io
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from lzma import LZMAError
from typing import Any, BinaryIO

import numpy as np

from ..arrays import first_flagged
from ..exceptions import InputError, shown
from ..tags.tags import read_id2label
from ..tags.viterbi import Legality, Scores
from .source import FileLike, Progress, Source, open_file

_LABELS_REMEDY = "Write a label and its new name on each line, or all labels and new names in one JSON object."


def read_label_map(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a mapping of old labels to new labels.

    The file is one JSON object, or has a line `OLD<tab>NEW` (or `OLD=NEW`, or `OLD NEW`) for each label. Empty lines
    and lines that begin with # are skipped.

    Args:
        path: the file, plain or gzipped.

    Raises:
        InputError: if the file cannot be read, if a line is malformed, or if a label is mapped twice.
    """
    labels: dict[str, str] = {}
    with Source.open(path) as source:
        if source.head.lstrip().startswith(b"{"):
            return _from_json(b"".join(block for _, block in source.blocks()).decode(), source.name)
        for number, line in source.lines():
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            # at the first tab; without a tab, at the first equals sign; otherwise at the first space
            separator = next((mark for mark in ("\t", "=", " ") if mark in text), "\t")
            old, _, new = (part.strip() for part in text.partition(separator))
            if not old or not new:
                raise source.refuse("this line does not have the form OLD NEW.", _LABELS_REMEDY, number)
            if labels.setdefault(old, new) != new:
                raise source.refuse(f"{old!r} is mapped twice.", "Map each label once.", number)
    return labels


def _from_json(text: str, name: str) -> dict[str, str]:
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this is not valid JSON.", _LABELS_REMEDY, source=name) from None
    if not isinstance(labels, Mapping) or not all(isinstance(new, str) for new in labels.values()):
        problem = "the file is not a JSON object with strings as values."
        raise InputError(problem, 'Write {"PER": "PERSON", ...}.', source=name)
    return dict(labels)


def read_label_names(path: str) -> tuple[str, ...]:
    """Read the names of integer labels, in the order of the integers.

    Args:
        path: a text file with one tag on each line, in the order 0, 1, 2 ...; or a JSON file: a list of tags, an object
            that maps integers to tags, or an object with such a list or object under `id2label`, such as a model's
            `config.json`.

    Raises:
        InputError: if the file cannot be read, is empty, or has other content. The error names the file.
    """
    with Source.open(path) as source:
        text = b"".join(block for _, block in source.blocks()).decode().strip()
    remedy = "Write one tag on each line, or a JSON list of tags."
    try:
        if not text.startswith(("{", "[")):
            return read_id2label([line.strip() for line in text.splitlines()])
        value = json.loads(text)
        return read_id2label(value.get("id2label", value) if isinstance(value, dict) else value)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not valid JSON ({error.msg}).", remedy, source=path, line=error.lineno) from None
    except InputError as error:
        raise error.in_file(path).placed(remedy=remedy) from None


_WORDS_REMEDY = "On each line, write a word, a tab, and the word's probability or count."
_RANGE_REMEDY = "Give only probabilities (greater than 0 and at most 1) or only counts (whole numbers of at least 1)."


def read_word_probabilities(
    path: FileLike, *, name: str | None = None, progress: Progress = None, **limits: Any
) -> dict[str, float]:
    """Read the probabilities P(w) of words from a list: each line has a word, a tab (or a space) and a number.

    If all numbers are whole, they are counts, and P(w) is the count divided by the sum of all counts. Otherwise they
    are probabilities, greater than 0 and at most 1. If the first line has no number, it is a heading. Files are UTF-8,
    plain or gzipped. Words are case-sensitive.

    Args:
        path: the file, or an open binary stream.
        name: what errors call it; by default its path.
        progress: a function called with the number of bytes read since the last call.
        limits: `max_line` and `max_size`, see `readers.read`.

    Raises:
        InputError: if a line is malformed, if a number is out of range, or if a word is repeated (the error names the
            line); also if there are no words.
    """
    values: dict[str, float] = {}
    lines: list[int] = []
    are_counts = True
    with Source.open(path, name, progress, empty=True, **limits) as source:
        for line, text in source.lines():
            if not text.strip():
                continue
            word, _, written = text.rpartition("\t" if "\t" in text else " ")
            try:
                value = float(written)
            except ValueError:
                if line == 1:
                    continue
                value = None
            if value is None or not word.strip():
                raise source.refuse(f"{shown(text)} is not a word followed by a number.", _WORDS_REMEDY, line)
            if word in values:
                raise source.refuse(f"the word {shown(word)} is repeated.", "Give every word once.", line)
            values[word] = value
            lines.append(line)
            are_counts = are_counts and written.strip().isdecimal()
        if not values:
            raise source.refuse("the list has no words.", _WORDS_REMEDY)
        for (word, value), line in zip(values.items(), lines, strict=True):
            if not 0 < value <= (math.inf if are_counts else 1.0):
                problem = f"{value:g} is not a valid probability or count of the word {shown(word)}."
                raise source.refuse(problem, _RANGE_REMEDY, line)
    total = float(np.sum(list(values.values()))) if are_counts else 1.0
    return {word: value / total for word, value in values.items()}


_DAMAGED = (ValueError, EOFError, OSError, RuntimeError, MemoryError, zlib.error, LZMAError, zipfile.BadZipFile)
"""Exceptions for damaged files, unsupported zip files, and shapes that do not fit into memory."""

_NPZ_REMEDY = (
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
            return _arrays_in(stream if stream.seekable() else io.BytesIO(stream.read()), scheme)
        except InputError as error:
            raise error.placed(source=name) from None


def _arrays_in(stream: BinaryIO, scheme: str | None) -> tuple[list[np.ndarray], list[str]]:
    try:
        loaded = np.load(stream, allow_pickle=False)
        arrays = None if isinstance(loaded, np.ndarray) else {key: loaded[key] for key in loaded.files}
    except _DAMAGED:
        raise InputError("this is not an .npz file of numbers and strings.", _NPZ_REMEDY) from None
    if arrays is None:
        raise InputError("this is a single array without labels.", _NPZ_REMEDY)
    labels = arrays.pop("labels", None)
    if labels is None or labels.ndim != 1 or labels.dtype.kind != "U":
        raise InputError("the file has no list of strings named 'labels'.", _NPZ_REMEDY)
    if "logits" in arrays:
        documents = _parts(arrays["logits"], arrays.get("lengths"))
    else:
        documents = [arrays[key] for key in sorted(arrays, key=_natural)]
    Scores(documents, len(Legality.of(labels.tolist(), scheme).labels))
    return documents, labels.tolist()


def _parts(logits: np.ndarray, lengths: np.ndarray | None) -> list[np.ndarray]:
    """Split logits by document and remove the padding."""
    if logits.ndim != 3:
        raise InputError(f"'logits' has the shape {logits.shape} instead of (documents, tokens, labels).", _NPZ_REMEDY)
    if lengths is None:
        return list(logits)
    if lengths.shape != logits.shape[:1] or lengths.dtype.kind not in "iu":
        wanted = "an integer type" if lengths.shape == logits.shape[:1] else f"the shape {logits.shape[:1]}"
        problem = f"'lengths' has the shape {lengths.shape} and the type {lengths.dtype}, but needs {wanted}."
        raise InputError(problem, "Give one integer for each document.")
    if (document := first_flagged((lengths < 0) | (lengths > logits.shape[1]))) is not None:
        problem = f"the given length is {lengths[document]}, but it must be between 0 and {logits.shape[1]}."
        raise InputError(problem, "Give the number of tokens of each document.", document=document)
    return [tokens[:length] for tokens, length in zip(logits, lengths.tolist(), strict=True)]


def _natural(key: str) -> list[tuple[str, int]]:
    """Return a sort key that orders numbers by value."""
    return [(text, int(number or -1)) for text, number in re.findall(r"(\D*)(\d*)", key)]
