"""The published figures that come with the package, one file for each table."""

from __future__ import annotations

import csv
from importlib import resources


def published_rows(name: str) -> list[dict[str, str]]:
    """The rows of `published/NAME.tsv`, as printed; its comments say what is known about them."""
    with (resources.files("spanometer") / "data" / "published" / f"{name}.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def decimals(printed: str) -> int:
    """How many decimals a number is printed with."""
    return len(printed.partition(".")[2])
