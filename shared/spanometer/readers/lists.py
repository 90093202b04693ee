"""Lists: labels with their new names, names of integer labels, and words with probabilities or counts."""

import json
import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, ItemsView, Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..arrays import string_array
from ..exceptions import InputError, shown
from ..tags.tags import read_id2label
from .source import Source

_LABELS_REMEDY = "Write a label and its new name on each line, or all in one JSON object."


def read_label_map(path: str | os.PathLike[str], *, name: str | None = None) -> dict[str, str]:
    """Read a mapping of old labels to new labels.

    The file is one JSON object, or has a line `OLD<tab>NEW` (or `OLD=NEW`, or `OLD NEW`) for each label. Empty lines
    and lines that begin with # are skipped.

    Args:
        path: the file, plain or gzipped.
        name: what errors call it; by default its path.

    Raises:
        InputError: if the file cannot be read, if a line is malformed, or if a label is mapped twice.
    """
    with Source.open(path, name) as source:
        text = b"".join(block for _, block in source.blocks()).decode()
        if text.lstrip().startswith("{"):
            return _from_json(text, source.name)
        labels: dict[str, str] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            old, new = _pair(line)
            if not old or not new:
                raise source.refuse("this line does not have the form OLD NEW.", _LABELS_REMEDY, number)
            if labels.setdefault(old, new) != new:
                raise source.refuse(f"{old!r} is mapped twice.", "Map each label once.", number)
        return labels


def _pair(line: str) -> tuple[str, str]:
    """Split a line at the first tab; without a tab, at the first equals sign; otherwise at the first space."""
    text = line.strip()
    separator = next((mark for mark in ("\t", "=", " ") if mark in text), "\t")
    old, _, new = text.partition(separator)
    return old.strip(), new.strip()


def _from_json(text: str, name: str) -> dict[str, str]:
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this is not JSON.", _LABELS_REMEDY, source=name) from None
    if not isinstance(labels, Mapping) or not all(isinstance(new, str) for new in labels.values()):
        raise InputError("this is not a JSON object of strings.", 'Write {"PER": "PERSON", ...}.', source=name)
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
    try:
        if not text.startswith(("{", "[")):
            return read_id2label([line.strip() for line in text.splitlines()])
        value = json.loads(text)
        return read_id2label(value.get("id2label", value) if isinstance(value, dict) else value)
    except json.JSONDecodeError as error:
        remedy = "Write one tag on each line, or a JSON list of tags."
        raise InputError(f"this is not JSON ({error.msg}).", remedy, source=path, line=error.lineno) from None
    except InputError as error:
        raise error.in_file(path) from None


_AT_ONCE = 1 << 16
"""The maximum number of words that are Python strings at a time."""

_WORDS_REMEDY = "Write a word, a tab, and the word's probability or count on each line."


class WordProbabilities(Mapping[str, float]):
    """The probabilities of words as columns.

    For millions of words a dict would take twenty times the size of the file.
    """

    def __init__(self, words: pa.LargeStringArray, values: np.ndarray) -> None:
        """Store words, in ascending order, and their probabilities."""
        self._words, self._values = words, values

    def __len__(self) -> int:
        """Count the words."""
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        """Yield each word, in ascending order."""
        for first in range(0, len(self), _AT_ONCE):
            yield from self._words.slice(first, _AT_ONCE).to_pylist()

    def __getitem__(self, word: object) -> float:
        """Look up the probability of a word."""
        if isinstance(word, str):
            place = bisect_left(range(len(self)), word, key=lambda place: str(self._words[place]))
            if place < len(self) and str(self._words[place]) == word:
                return float(self._values[place])
        raise KeyError(word)

    def items(self) -> ItemsView[str, float]:
        """List each word with its probability."""
        return _Items(self)

    def probabilities(self) -> Iterator[float]:
        """Yield the probability of each word, in the order of the words."""
        for first in range(0, len(self), _AT_ONCE):
            yield from self._values[first : first + _AT_ONCE].tolist()


class _Items(ItemsView[str, float]):
    """Iterates over words with probabilities without looking up each word."""

    def __init__(self, mapping: WordProbabilities) -> None:
        super().__init__(mapping)
        self._of = mapping

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self._of, self._of.probabilities(), strict=True)


def read_word_probabilities(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> WordProbabilities:
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
    chunks: list[pa.LargeStringArray] = []
    lines, probabilities = array("i"), array("d")
    counted = True
    with Source.open(path, name, progress, **limits) as source:
        for first, block in source.blocks():
            words: list[str] = []
            for line, text in enumerate(block.decode().split("\n"), first):
                row = text.removesuffix("\r")
                if not row.strip():
                    continue
                word, _, written = row.rpartition("\t" if "\t" in row else " ")
                value = _number(written)
                if value is None and line == 1:
                    continue
                if value is None or not word.strip():
                    raise source.refuse(f"{shown(row)} is not a word and a number.", _WORDS_REMEDY, line)
                words.append(word)
                probabilities.append(value)
                lines.append(line)
                counted = counted and written.strip().isdecimal()
            chunks.append(string_array(words).cast(pa.large_string()))
        if not probabilities:
            raise source.refuse("the list has no words.", _WORDS_REMEDY)
        column, values = pa.concat_arrays(chunks), np.asarray(probabilities)
        del chunks
        order = pa.compute.array_sort_indices(column)
        ascending = column.take(order)
        # the sort is stable: the second of two equal words comes second
        twice = np.asarray(order)[1:][np.asarray(pa.compute.equal(ascending[1:], ascending[:-1]).cast(pa.uint8())) != 0]
        if len(twice):
            place = int(twice.min())
            raise source.refuse(
                f"the word {shown(str(column[place]))} is repeated.", "Give every word once.", lines[place]
            )
        fits = (values > 0) & (values <= (np.inf if counted else 1.0))
        if not fits.all():
            place = int(np.argmin(fits))
            raise _out_of_range(source, str(column[place]), probabilities[place], lines[place])
    return WordProbabilities(ascending, values[np.asarray(order)] / (values.sum() if counted else 1.0))


def _number(text: str) -> float | None:
    with suppress(ValueError):
        return float(text)
    return None


def _out_of_range(source: Source, word: str, value: float, line: int) -> InputError:
    problem = f"{value:g} is not a valid probability or count of {shown(word)}."
    remedy = "Probabilities must be greater than 0 and at most 1. Counts must be whole numbers from 1 up, on all lines."
    return source.refuse(problem, remedy, line)
