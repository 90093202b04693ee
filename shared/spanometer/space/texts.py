"""The texts of the pages, and where their Spaces are."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from typing import Any

from .templates import read_file, render

HOME = "https://github.com/spanometer/spanometer"


@cache
def texts() -> dict[str, Any]:
    """Read the texts of the pages: titles, intros, labels, and names of scores."""
    return tomllib.loads(read_file("pages.toml"))


def app_title(name: str) -> str:
    """Return the title of a page without a measure."""
    return str(texts()["apps"][name]["title"])


def app_heading(name: str, note: str = "") -> str:
    """Write the heading of a page without a measure, with a note below."""
    return render("app_heading.html", app=texts()["apps"][name], note=note)


def space_of(name: str) -> str:
    """Name a Space, in the namespace of the running Space (from the Hub's environment variable)."""
    namespace, slash, _ = os.environ.get("SPACE_ID", "").partition("/")
    return f"{namespace if slash else 'spanometer'}/{name}"


def address(name: str) -> str:
    """Return the address of a Space."""
    return f"https://huggingface.co/spaces/{space_of(name)}"


def titled() -> dict[str, str]:
    """List the addresses of the Spaces by their titles in `pages.toml`."""
    measures = {name: own for name, own in texts()["measures"].items() if "title" in own and "shows" not in own}
    return {own["title"]: address(name) for name, own in {**measures, **texts()["apps"]}.items()}
