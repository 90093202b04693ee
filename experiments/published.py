"""The published figures, one file for each table."""

from __future__ import annotations

import csv
from pathlib import Path


def published_rows(name: str) -> list[dict[str, str]]:
    """Read the rows of `data/NAME.tsv`, as printed; its comments say what is known about them."""
    with Path(__file__).with_name("data").joinpath(f"{name}.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def decimals(printed: str) -> int:
    """Count the decimals that a number is printed with."""
    return len(printed.partition(".")[2])
