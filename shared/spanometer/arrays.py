"""Arrays taken apart into runs, and runs of numbers laid end to end."""

from __future__ import annotations

import numpy as np

_LARGEST = 2**62


def ranges(first: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The numbers `first[i]` to `first[i] + counts[i] - 1`, for one i after the other, in one array of first's type."""
    ends = np.cumsum(counts, dtype=first.dtype)
    numbers = np.arange(ends[-1] if len(ends) else 0, dtype=first.dtype)
    numbers += np.repeat(first - (ends - counts), counts)
    return numbers


def code_type(codes: int) -> type[np.signedinteger]:
    """The type for codes from 0 to `codes` - 1 and -1: 16 bits, unless there are too many."""
    return np.int16 if codes <= np.iinfo(np.int16).max else np.int32


def begins_run(*keys: np.ndarray) -> np.ndarray:
    """A flag for each position: whether any of the keys differs there from the position before."""
    flags = np.ones(len(keys[0]), dtype=bool)
    flags[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return flags


def ascends(*keys: np.ndarray) -> bool:
    """Whether rows of keys, the first one deciding first, come in order and none of them twice."""
    above = np.zeros(max(len(keys[0]) - 1, 0), dtype=bool)
    for key in reversed(keys):
        above = (key[1:] > key[:-1]) | ((key[1:] == key[:-1]) & above)
    return bool(above.all())


def runs(*keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each run of equal keys begins and ends (exclusive)."""
    flags = begins_run(*keys)
    first = np.flatnonzero(flags)
    return first, np.append(first[1:], len(flags))[: len(first)]


def row_codes(kind: np.ndarray, first: np.ndarray, last: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Codes from 0 of rows of values, the same for rows of one kind and the same values in the same order.

    Args:
        kind: of each row.
        first, last: where each row begins and ends (exclusive) among the values.
        values: of all rows.
    """
    length = last - first
    code = _renumbered(np.unique(kind, return_inverse=True)[1], length)
    rank = np.unique(values, return_inverse=True)[1].ravel()
    for position in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > position)
        # rows that have ended keep their codes: they differ from the others in length
        code[longer] = _renumbered(code[longer], rank[first[longer] + position])
    return _renumbered(code, length)


def _renumbered(code: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Codes from 0 for pairs of a code and a value."""
    pair = code.ravel().astype(np.int64) * (int(value.max(initial=0)) + 1) + value
    return np.unique(pair, return_inverse=True)[1].ravel()


def ordered_codes(*columns: np.ndarray) -> np.ndarray:
    """Codes (int64) of the rows of some integer columns: the same for the same rows, and ordered as the rows are.

    By multiplication where that fits, which takes no sorting.
    """
    code, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    if len(code) == 0:
        return code
    for column in columns:
        low = int(column.min())
        values, width = column.astype(np.int64) - low, int(column.max()) - low + 1
        if size * width > _LARGEST:
            (code, size), (values, width) = _ranked(code), _ranked(values)
        code = code * width + values
        size *= width
    return code


def _ranked(values: np.ndarray) -> tuple[np.ndarray, int]:
    """The values replaced by their ranks from 0, equal ones sharing one, and how many there are."""
    distinct, rank = np.unique(values, return_inverse=True)
    return rank.ravel(), len(distinct)
