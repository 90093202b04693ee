"""Official scores compared with ours: `spanometer score --protocol NAME` on files that the official scorer has scored.

    python -m experiments.official DIR > docs/protocols/equal.md

DIR has a folder `protocols` with artificial files, and with the output of the official scorers for them in
`expected.tsv`: system, key, value as printed and, for some, with all digits. For some scorers published tables are
compared instead. A row is equal if it is printed in the same way and, if all digits are known, differs by at most 1e-9.
"""

import contextlib
import csv
import io
import json
import sys
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from spanometer import read, score
from spanometer.commands.main import main as spanometer
from spanometer.protocols.protocol import names
from spanometer.spans.spans import Spans

from .examples import read_faireval
from .inputs import DATA, decimals, published_rows, spans_of

_PRECISE = 9
"""Values with at least this many decimals are compared as numbers."""

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Row:
    """A row of an official scorer's output, and our value.

    Attributes:
        system, key: the system and the key of the value.
        printed: the value as the scorer prints it.
        full: the value with all digits; empty if they are unknown.
        ours: our value, as we print it and with all digits; None if there is none.
        reason: the recorded reason why our value is not equal, if there is one.
    """

    system: str
    key: str
    printed: str
    full: str
    ours: tuple[str, float] | None
    reason: str | None = None

    @property
    def equal(self) -> bool:
        """Whether our value is the same."""
        if self.ours is None:
            return False
        text, value = self.ours
        alike = text.lower() in (self.printed.lower(), f"{self.printed}.0") or (
            decimals(self.printed) >= _PRECISE and _near(value, self.printed)
        )
        return (alike or self.full == self.printed) and (not self.full or _near(value, self.full))

    @property
    def fault(self) -> bool:
        """Whether our value differs because of a fault of the scorer."""
        return self.ours is not None and (self.reason or "").startswith("Fault:")


def _near(value: float, text: str) -> bool:
    if isnan(value):
        return isnan(float(text))
    return any(abs(scale * value - float(text)) <= _TOLERANCE for scale in (1, 100))


@cache
def _declared() -> dict[str, dict[str, Any]]:
    """Read the files of each protocol, and the reasons."""
    return tomllib.loads(DATA.joinpath("protocols.toml").read_text(encoding="utf-8"))


def rows_of(protocol: str, data: Path, *, first: int | None = None) -> list[Row]:
    """Score the files of a protocol, and compare our value with each row of the official output.

    Args:
        protocol: its name; if it has several folders of files, `@` and the folder follow.
        data: the folder of the corpora.
        first: the number of systems to score; all by default.
    """
    declared = _declared()[protocol]
    name = protocol.partition("@")[0]
    folder = data / "protocols" / declared.get("folder", name)
    rows: list[Row] = []
    expected = _published(declared) if "published" in declared else _expected(folder, declared)
    for system, lines in list(expected.items())[:first]:
        if "published" in declared:
            ours = _of_sides(name, *_published_sides(declared["published"], system, data))
        elif "project" in declared:
            ours = _of_project(name, folder / declared["project"], declared["annotators"], system)
        else:
            files = [
                folder / declared[side].format(system=system) for side in ("reference", "system") if side in declared
            ]
            ours = _scores(name, files, declared.get("options", []))
        for key, printed, *full in lines:
            place = f"{system}:{key}"
            full = [printed] if _fits(place, declared.get("full", [])) else full
            own = declared.get("renamed", {}).get(key, key).removeprefix(declared.get("prefix", ""))
            row = Row(system, key, printed, full[0] if full else "", ours.get(own))
            reasons = (why for pattern, why in declared.get("reasons", {}).items() if _fits(place, [pattern]))
            rows.append(row if row.equal else replace(row, reason=next(reasons, None)))
    return rows


def _expected(folder: Path, declared: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Read the rows of the protocol by system."""
    rows: dict[str, list[list[str]]] = {}
    if "values" in declared:
        for place, value in declared["values"].items():
            system, key = place.split(":", 1)
            rows.setdefault(system, []).append([key, value])
        return rows
    with (folder / "expected.tsv").open(encoding="utf-8", newline="") as lines:
        for system, *values in list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
            place = f"{system}:{values[0]}"
            if not _fits(place, declared.get("keys", ["*"])) or _fits(place, declared.get("left_out", [])):
                continue
            if values[1].startswith("["):
                # a number for each pair of annotators
                for pair, number in zip(_pairs(declared["annotators"]), json.loads(values[1]), strict=True):
                    rows.setdefault(f"{pair}, {system}", []).append([values[0], str(number)])
                continue
            # a row of several numbers begins with the label
            numbers = zip(declared["columns"], values[1].split(",")[1:], strict=True) if "columns" in declared else ()
            rows.setdefault(system, []).extend([list(each) for each in numbers] or [values])
    return rows


def _published(declared: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Read the rows of a published table by system. A system is a corpus, or a case with a column for each number."""
    rows: dict[str, list[list[str]]] = {}
    for row in published_rows(declared["published"]):
        if not all(_fits(row[column], [pattern]) for column, pattern in declared.get("where", {}).items()):
            continue
        if "published" in row:
            label = "" if row["row"] == "overall" else f"{row['row']} "
            key = f"{row['table']} {label}{row['column']}"
            rows.setdefault(row["corpus"], []).append([key, row["published"]])
            continue
        for key, columns in declared["numbers"].items():
            if all(row[column] for column in columns):
                rows.setdefault(row["case"], []).append([key, str(sum(int(row[column]) for column in columns))])
    return rows


def _published_sides(table: str, system: str, data: Path) -> list[Spans]:
    """Read both sides of a corpus or a case of a published table."""
    if table == "faireval_tables":
        return [read_faireval(data / "faireval" / side / f"{system}.csv") for side in ("target", "system")]
    (case,) = (row for row in published_rows(table) if row["case"] == system)
    return [spans_of(case[side]) for side in ("gold", "predicted")]


def _pairs(annotators: Sequence[str]) -> list[str]:
    return [",".join(pair) for pair in combinations(annotators, 2)]


def _of_project(protocol: str, path: Path, annotators: Sequence[str], system: str) -> dict[str, tuple[str, float]]:
    """Score a pair of annotators, in all documents or in one; the scores of a project are the means over its pairs.

    Args:
        protocol: the name of the protocol.
        path: the export that has all annotators, who are numbered from 1.
        annotators: their names.
        system: `PAIR`, `PAIR, document NUMBER` or `project`.
    """
    if system == "project":
        scores = [_of_project(protocol, path, annotators, pair) for pair in _pairs(annotators)]
        means = {key: sum(each[key][1] for each in scores) / len(scores) for key in scores[0]}
        return {key: (str(value), value) for key, value in means.items()}
    pair, _, document = system.partition(", ")
    sides = [read(path).of(str(1 + annotators.index(name))) for name in pair.split(",")]
    if document:
        sides = [side.take(np.array([int(document.split()[1])])) for side in sides]
    return _of_sides(protocol, *sides)


def _of_sides(protocol: str, references: Any, predictions: Any) -> dict[str, tuple[str, float]]:
    """Score two sides that have been read already."""
    with warnings.catch_warnings():
        # neither side may have spans
        warnings.simplefilter("ignore")
        official = score(references, predictions, protocol=protocol).official
    return {} if official is None else {**official.values, **official.of_labels}


def _scores(protocol: str, files: Sequence[Path], options: Sequence[str]) -> dict[str, tuple[str, float]]:
    """Score files as the command line does; if it raises an error for them, there are no scores."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        # a label map may name labels that no file has
        warnings.simplefilter("ignore")
        status = spanometer(["score", *map(str, files), "--protocol", protocol, "--json", *options])
    keys = {} if status else json.loads(output.getvalue())["official"]["keys"]
    return {
        key: (each["printed"], float("nan") if each["value"] is None else each["value"]) for key, each in keys.items()
    }


def _fits(place: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(place, pattern) for pattern in patterns)


def table(data: Path) -> Iterator[str]:
    """Write a Markdown table of all protocols, and below it the rows that are not equal with their reasons."""
    heads = ("protocol", "rows", "equal", "fault of the scorer", "other differences")
    yield from (f"| {' | '.join(heads)} |", "| --- | ---: | ---: | ---: | ---: |")
    differing: dict[str | None, dict[str, list[Row]]] = {}
    scored: dict[str, list[Row]] = {}
    for name in names():
        keys = [key for key in _declared() if key.partition("@")[0] == name]
        scored[name] = rows = [row for key in keys for row in rows_of(key, data)]
        yield f"| [{name}]({name}.md) | {_numbers(rows)} |"
        for row in rows:
            if not row.equal:
                differing.setdefault(row.reason, {}).setdefault(name, []).append(row)
    equal = sum(all(row.equal for row in rows) for rows in scored.values())
    complete = sum(all(row.equal or row.fault for row in rows) for rows in scored.values())
    yield f"| all | {_numbers([row for rows in scored.values() for row in rows])} |"
    yield ""
    yield (
        f"For {equal} of {len(scored)} protocols, Spanometer prints the same numbers as the official scorer in every "
        f"row. For {complete - equal} other protocols, all differences come from faults of the official scorer."
    )
    yield from ("", "## Why rows differ", "")
    yield "The number in parentheses is the number of rows that differ."
    yield ""
    for reason, protocols in differing.items():
        counts = ", ".join(f"**{name}** ({len(rows):,})" for name, rows in protocols.items())
        first = next(iter(protocols.values()))[0]
        example = ""
        if first.ours is not None:
            example = (
                f" In file `{first.system}`, `{first.key}` is {first.printed} in the official scorer and "
                f"{first.ours[0]} in Spanometer."
            )
        yield f"- {counts}: {reason or 'NOT EXPLAINED.'}{example}"


def _numbers(rows: Sequence[Row]) -> str:
    """Return the numbers of all rows, of equal rows, of rows with a fault of the scorer, and of the others."""
    equal, faults = sum(row.equal for row in rows), sum(row.fault for row in rows)
    return " | ".join(f"{number:,}" for number in (len(rows), equal, faults, len(rows) - equal - faults))


def main(arguments: Sequence[str]) -> int:
    """Print the page of the documentation; the exit status is 1 if a row differs without a reason."""
    lines = [DATA.joinpath("official.md").read_text(encoding="utf-8"), *table(Path(arguments[0]))]
    print("\n".join(lines))
    return int(any("NOT EXPLAINED" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
