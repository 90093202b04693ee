"""The published figures, one file for each table."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from spanometer.counts.counts import Column, Counts
from spanometer.spans.spans import Spans

from .tables import Cell

DATA = Path(__file__).with_name("data")


def published_rows(name: str) -> list[dict[str, str]]:
    """Read the rows of `data/NAME.tsv`, as printed; comments in the file explain them."""
    with DATA.joinpath(f"{name}.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def decimals(printed: str) -> int:
    """Return the number of decimals of a printed number."""
    return len(printed.partition(".")[2])


def compared(
    row: Mapping[str, str], name: str, values: Mapping[str, float], *, digits: int | None = None
) -> Iterator[Cell]:
    """Yield a cell for each of our values, with the column of the same name in a published row.

    Args:
        row: the row as printed; `!` marks a number that is in doubt.
        name: the name of the row.
        values: our values, by column.
        digits: the number of printed decimals, if it is the same for all.
    """
    for column, ours in values.items():
        printed = row[column].rstrip("!")
        published = float(printed) if digits or decimals(printed) else int(printed)
        yield Cell(name, column, published, ours, decimals(printed) if digits is None else digits)


def spans_of(written: str, *, inclusive: bool = False) -> Spans:
    """Read documents of spans, separated by ` | `, such as `0-2:A 3-4`.

    The default label is X, and `-` means no spans.
    """
    documents = []
    for document in written.split(" | "):
        parts = (re.split("[-:]", span) for span in document.split() if span != "-")
        documents.append(
            [
                {"start": int(start), "end": int(end) + inclusive, "label": label[0] if label else "X"}
                for start, end, *label in parts
            ]
        )
    return Spans.from_dicts(documents)


def counts_of(numbers: Mapping[str, float]) -> Counts:
    """Create counts of one document and label from printed numbers."""
    one = np.zeros(1, dtype=np.int64)
    return Counts({name: Column(one, one, np.array([number])) for name, number in numbers.items()}, ("X",), 1)
