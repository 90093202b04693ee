"""Lists of words with their probabilities or counts, as frequency lists have them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from ..errors import InputError, shown
from .source import Source

_REMEDY = "Write a word and its probability or count a line, with a tab between."


def read_word_probabilities(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    **limits: Any,
) -> dict[str, float]:
    """Read P(w) of words from a list: a line is a word and a number, with a tab (or else a blank) before the number.

    If all numbers are written as whole ones they are counts, and P(w) is a count's share of their sum; else they are
    probabilities, greater than 0 and at most 1. A first line whose last cell is no number is a heading. Files are
    UTF-8, plain or gzipped. Words are taken as they are written: upper and lower case differ.

    Args:
        path: the file, or an open binary stream.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: `max_line` and `max_size`, see `tag_file.read`.

    Raises:
        InputError: for a line of another form, a number out of range, a word that is there twice, and for no words; it
            names the line.
    """
    found: dict[str, float] = {}
    lines: list[int] = []
    counted = True
    with Source.open(path, name, progress, **limits) as source:
        for first, block in source.blocks():
            for line, text in enumerate(block.decode().split("\n"), first):
                row = text.removesuffix("\r")
                if not row.strip():
                    continue
                word, _, written = row.rpartition("\t" if "\t" in row else " ")
                value = _number(written)
                if value is None and line == 1:
                    continue
                if value is None or not word.strip():
                    raise source.refuse(f"{shown(row)} is not a word with a number.", _REMEDY, line)
                if word in found:
                    raise source.refuse(f"the word {shown(word)} is there twice.", "Give every word once.", line)
                found[word] = value
                lines.append(line)
                counted = counted and written.strip().isdecimal()
        most = float("inf") if counted else 1.0
        for line, (word, value) in zip(lines, found.items(), strict=True):
            if not 0 < value <= most:
                raise _out_of_range(source, word, value, line)
        if not found:
            raise source.refuse("the list has no words.", _REMEDY)
    total = sum(found.values()) if counted else 1.0
    return {word: value / total for word, value in found.items()}


def _number(text: str) -> float | None:
    with suppress(ValueError):
        return float(text)
    return None


def _out_of_range(source: Source, word: str, value: float, line: int) -> InputError:
    problem = f"{value:g} is neither the probability nor the count of {shown(word)}."
    remedy = "Probabilities are greater than 0 and at most 1; counts are whole numbers from 1 up, in all lines."
    return source.refuse(problem, remedy, line)
