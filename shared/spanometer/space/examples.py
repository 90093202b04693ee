"""The examples of the pages."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

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
    rows = _rows()
    return tuple(
        Example(example["name"], _columns(rows, example["reference"]), _columns(rows, example["prediction"]))
        for example in given["examples"]
    )


def _rows() -> list[list[str]]:
    """Return the lines of the sentences, cut into columns."""
    sentences: str = tomllib.loads(read_file("examples.toml"))["spans"]["sentences"]
    return [line.split() for line in sentences.splitlines()]


def _columns(rows: Sequence[Sequence[str]], chosen: Sequence[int]) -> str:
    """Return some columns of rows as text, nothing if none is chosen."""
    return "".join(" ".join(row[column] for column in chosen if row) + "\n" for row in rows if chosen)


@cache
def answer_examples() -> tuple[dict[str, str], ...]:
    """Return the examples of answers of language models: name, text, answer, labels and aliases."""
    given = tomllib.loads(read_file("examples.toml"))["answers"]
    return tuple({key: value.strip() for key, value in example.items()} for example in given)


@cache
def team_examples() -> tuple[dict[str, Any], ...]:
    """Return the examples of annotators: name, and the texts of three."""
    return tuple(
        {
            "name": example["name"],
            "texts": [text.lstrip() for text in example.get("texts", ())]
            or [_columns(_rows(), columns) for columns in example["columns"]],
        }
        for example in tomllib.loads(read_file("examples.toml"))["teams"]
    )
