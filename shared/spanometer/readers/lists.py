"""Lists: labels with their new names, names of integer labels, and words with probabilities or counts."""

import json
import math
import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import numpy as np

from ..exceptions import InputError, shown
from ..tags.tags import read_id2label
from .source import Source

_LABELS_REMEDY = "Write a label and its new name on each line, or all labels and new names in one JSON object."


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
    labels: dict[str, str] = {}
    with Source.open(path, name) as source:
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
        raise InputError("this is not JSON.", _LABELS_REMEDY, source=name) from None
    if not isinstance(labels, Mapping) or not all(isinstance(new, str) for new in labels.values()):
        raise InputError(
            "the file is not a JSON object with strings as values.", 'Write {"PER": "PERSON", ...}.', source=name
        )
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


_WORDS_REMEDY = "Write a word, a tab, and the word's probability or count on each line."
_RANGE_REMEDY = "Give only probabilities (greater than 0 and at most 1) or only counts (whole numbers of at least 1)."


def read_word_probabilities(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
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
    counted = True
    with Source.open(path, name, progress, **limits) as source:
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
                raise source.refuse(f"{shown(text)} is not a word and a number.", _WORDS_REMEDY, line)
            if word in values:
                raise source.refuse(f"the word {shown(word)} is repeated.", "Give every word once.", line)
            values[word] = value
            lines.append(line)
            counted = counted and written.strip().isdecimal()
        if not values:
            raise source.refuse("the list has no words.", _WORDS_REMEDY)
        for (word, value), line in zip(values.items(), lines, strict=True):
            if not 0 < value <= (math.inf if counted else 1.0):
                problem = f"{value:g} is not a valid probability or count of {shown(word)}."
                raise source.refuse(problem, _RANGE_REMEDY, line)
    total = float(np.sum(list(values.values()))) if counted else 1.0
    return {word: value / total for word, value in values.items()}
