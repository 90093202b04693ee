"""The published figures that come with the package, one file for each table."""

from __future__ import annotations

import csv
from importlib import resources


def published_rows(name: str) -> list[dict[str, str]]:
    """Read the rows of `published/NAME.tsv`, as printed; its comments say what is known about them."""
    with (resources.files("spanometer") / "data" / "published" / f"{name}.tsv").open(encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def published_properties() -> dict[str, dict[str, bool]]:
    """Read Table 1 of the SL-ICM paper: for each metric, whether it has a tick at each formal property."""
    return {
        row.pop("metric"): {name: tick == "y" for name, tick in row.items()} for row in published_rows("sl_icm_table1")
    }


def decimals(printed: str) -> int:
    """Count the decimals that a number is printed with."""
    return len(printed.partition(".")[2])
