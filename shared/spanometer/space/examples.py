"""The examples of the pages."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from .templates import read_file


@dataclass(frozen=True)
class Example:
    """The texts that a click on an example puts into the two boxes."""

    name: str
    reference: str
    prediction: str


@cache
def examples_of(kind: str) -> tuple[Example, ...]:
    """Return the examples of a kind of input, see `Measure.input`.

    The last example of spans has both sides in one text.
    """
    given = tomllib.loads(read_file("examples.toml"))[kind]
    if kind != "spans":
        return tuple(Example(**example) for example in given)
    rows = [line.split() for line in given["sentences"].splitlines()]
    return tuple(
        Example(example["name"], _columns(rows, example["reference"]), _columns(rows, example["prediction"]))
        for example in given["examples"]
    )


def _columns(rows: Sequence[Sequence[str]], chosen: Sequence[int]) -> str:
    """Return some columns of rows as text, nothing if none is chosen."""
    return "".join(" ".join(row[column] for column in chosen if row) + "\n" for row in rows if chosen)
