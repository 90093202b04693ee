"""The examples of the pages."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from .templates import read_file


@cache
def examples_of(kind: str) -> dict[str, dict[str, str]]:
    """Read the examples of a kind of input: by name the texts that a click puts into the fields.

    Args:
        kind: of input, see `Measure.input`; or `answers` of language models, or `teams` of annotators.
    """
    declared = tomllib.loads(read_file("examples.toml"))
    text = partial(_text, [line.split() for line in declared["sentences"].splitlines()])
    return {example.pop("name"): {field: text(value) for field, value in example.items()} for example in declared[kind]}


def _text(rows: Sequence[Sequence[str]], value: Any) -> str:
    """Write an example's text: its own, or the chosen columns of the rows."""
    if isinstance(value, str):
        return value.strip()
    return "".join(" ".join(row[column] for column in value if row) + "\n" for row in rows if value)
