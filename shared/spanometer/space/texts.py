"""The texts and examples of the pages, and where their Spaces are."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from ..measures.registry import ALL_MEASURES
from .templates import read_file, render

HOME = "https://github.com/spanometer/spanometer"


@cache
def texts() -> dict[str, Any]:
    """Read the texts of the pages: titles, intros, labels, and names of scores."""
    return tomllib.loads(read_file("pages.toml"))


def app_title(name: str) -> str:
    """Look up the title of a page without a measure."""
    return str(texts()["apps"][name]["title"])


def app_heading(name: str, note: str = "") -> str:
    """Write the heading of a page without a measure, with a note below."""
    return render("app_heading.html", app=texts()["apps"][name], note=note)


def space_of(name: str) -> str:
    """Name a Space, in the namespace of the running Space (from the Hub's environment variable)."""
    namespace, slash, _ = os.environ.get("SPACE_ID", "").partition("/")
    return f"{namespace if slash else 'spanometer'}/{name}"


def address(name: str) -> str:
    """Write the address of a Space."""
    return f"https://huggingface.co/spaces/{space_of(name)}"


def titled() -> dict[str, str]:
    """List the addresses of the Spaces by their titles."""
    measures = {name: {} for name in ALL_MEASURES} | texts()["measures"]
    measures = {name: own for name, own in measures.items() if "shows" not in own}
    return {measure_title(name): address(name) for name in measures} | {
        own["title"]: address(name) for name, own in texts()["apps"].items()
    }


def measure_title(name: str) -> str:
    """Look up the title of a measure's page; without one, write its name as a title."""
    return str(texts()["measures"].get(name, {}).get("title", name.replace("_", " ").capitalize()))


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
