"""Time of gamma, and disorders of best alignments, compared with pygamma-agreement on the same units.

    python benchmarks/gamma.py [--peer PYTHON] [--processes 2]

PYTHON is the interpreter of an environment with pygamma-agreement, which needs other versions of our requirements.
Without it, its rows are left out; so are the rows of its example files if SPANOMETER_DATA does not name the folder of
the corpora. Writes results/gamma.md beside this file, prints it, and says whether each goal is met; the exit status is
always 0.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import random
import subprocess
import time
from dataclasses import replace
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from spanometer.alignment.overlaps import SideSpans, lay_out
from spanometer.measures import Gamma
from spanometer.spans.spans import Spans
from tags import Goal, report_goals, shown, table, times

HERE = Path(__file__).resolve().parent
PACKAGES = ("spanometer", "numpy", "scipy")
SAMPLES = 30
LABELS = ("Adj", "Noun", "Prep", "Verb")
BESIDE = ((2, 200), (3, 200))
"""The numbers of annotators, and of units of each, that pygamma-agreement can handle too."""

ALONE = ((2, 5_000, 60), (5, 200, 300))
"""The numbers of annotators, of units of each, and the seconds that they may take."""

Unit = tuple[int, int, int, str]


def units_of(annotators: int, number: int) -> list[Unit]:
    """Create units of annotators who mostly agree: boundaries move, labels change, units are missing or added."""
    generator = random.Random(0)
    position, truth = 0, []
    for _ in range(number):
        position += generator.randint(0, 9)
        end = position + generator.randint(2, 17)
        truth.append((position, end, generator.choice(LABELS)))
        position = end
    found = []
    for annotator in range(annotators):
        for start, end, label in truth:
            if generator.random() < 0.1:
                start, end = (max(0, bound + generator.randint(-30, 30)) for bound in (start, start))
                end = start + generator.randint(2, 17)
            moved = max(0, start + generator.randint(-2, 2))
            other = label if generator.random() < 0.8 else generator.choice(LABELS)
            found.append((annotator, moved, max(moved + 1, end + generator.randint(-2, 2)), other))
    return sorted(set(found))


def ours(units: list[Unit], measure: Gamma) -> dict[str, float]:
    length, labels = max(end for _, _, end, _ in units), tuple(sorted({label for *_, label in units}))
    offsets = np.array([0, length])
    start = time.perf_counter()
    sides = [_side(units, number, labels, offsets) for number in _annotators(units)]
    score = measure.score(measure.count_sides(sides, labels, offsets))
    return {
        "seconds": time.perf_counter() - start,
        "gamma": score["gamma"],
        "disorder": score["observed_disorder"],
    }


def _annotators(units: list[Unit]) -> list[int]:
    return sorted({annotator for annotator, *_ in units})


def _side(units: list[Unit], number: int, labels: tuple[str, ...], offsets: np.ndarray) -> SideSpans:
    own = [{"start": s, "end": e, "label": label} for annotator, s, e, label in units if annotator == number]
    return lay_out(Spans.from_dicts([own], lengths=[int(offsets[-1])]), labels, offsets)


def theirs(python: str, units: list[Unit], samples: int) -> dict[str, Any]:
    """Return the time and the values of pygamma-agreement; without samples only its best alignment."""
    asked = json.dumps({"units": units, "samples": samples})
    command = [python, "-W", "ignore", str(HERE / "gamma_peer.py")]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "disorder": _disorder(found["aligned"], len(units) / len(_annotators(units)))}


def _disorder(aligned: list[list[Any]], mean_units: float) -> float:
    """Compute the disorder of an alignment in double precision, by the paper's definition."""

    def apart(one: Any, other: Any) -> float:
        if one is None or other is None:
            return 1.0
        bounds = abs(one[0] - other[0]) + abs(one[1] - other[1])
        position = (bounds / (one[1] - one[0] + other[1] - other[0])) ** 2
        return 3 * float(position) + (one[2] != other[2])

    pairs = [list(combinations(unitary, 2)) for unitary in aligned]
    return sum(sum(apart(*pair) for pair in some) / len(some) for some in pairs) / mean_units


def example_files() -> dict[str, list[Unit]]:
    """Read the units of pygamma-agreement's example files."""
    found = {}
    for path in sorted(Path(os.environ.get("SPANOMETER_DATA", "nowhere"), "gamma").glob("*.csv")):
        with path.open(newline="") as file:
            rows = [row for row in csv.reader(file) if row]
        names = sorted({row[0] for row in rows})
        found[path.name] = [
            (names.index(name), int(float(start)), int(float(end)), label) for name, label, start, end in rows
        ]
    return found


def examples(python: str) -> tuple[list[list[Any]], Goal]:
    """Return a row for each example file, and the goal for all of them."""
    rows, differing = [], 0
    for name, units in example_files().items():
        own, peer = ours(units, Gamma(samples=1))["disorder"], theirs(python, units, 0)["disorder"]
        differing += abs(own - peer) > 1e-9
        rows.append(
            [name, len(_annotators(units)), len(units), f"{own:.10f}", f"{peer:.10f}", f"{abs(own - peer):.0e}"]
        )
    return rows, Goal("example files with disorders that differ by more than 1e-9", differing, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", metavar="PYTHON", help="Python with pygamma-agreement")
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    # pygamma-agreement's default
    measure = Gamma(sampler="statistical", samples=SAMPLES)
    ours(units_of(3, 20), measure)
    rows, goals = [], []
    for annotators, number in BESIDE:
        units = units_of(annotators, number)
        found = ours(units, measure)
        row = [f"{annotators} × {number:,}", "statistical", 1, shown(found["seconds"]), f"{found['gamma']:.4f}"]
        if arguments.peer:
            peer = theirs(arguments.peer, units, SAMPLES)
            ratio = peer["seconds"] / found["seconds"]
            apart = abs(peer["disorder"] - found["disorder"])
            row += [shown(peer["seconds"]), f"{peer['gamma']:.4f}", times(ratio), f"{apart:.1e}"]
            goals.append(Goal(f"{annotators} × {number:,}: pygamma-agreement's time to ours", ratio, 20, at_least=True))
        rows.append(row + ["", "", "", ""][: 9 - len(row)])
    for annotators, number, most in ALONE:
        found = ours(units_of(annotators, number), replace(measure, sampler="shift", processes=arguments.processes))
        row = [f"{annotators} × {number:,}", "shift", arguments.processes, shown(found["seconds"])]
        rows.append([*row, f"{found['gamma']:.4f}", "", "", "", ""])
        goals.append(Goal(f"{annotators} × {number:,}, seconds", found["seconds"], most))
    beside: list[str] = []
    if arguments.peer and example_files():
        found_examples, goal = examples(arguments.peer)
        heads = ("its example file", "annotators", "units", "disorder", "of its alignment", "differ by")
        beside = [*table(heads, found_examples), ""]
        goals.append(goal)
    head = ("annotators × units", "sampler", "processes", "time", "gamma")
    head = (*head, "pygamma-agreement", "its gamma", "ratio", "disorders differ by")
    lines = [
        "# Gamma: time",
        "",
        "Written by `python benchmarks/gamma.py`; see [how it is measured](../README.md).",
        "",
        f"Gamma with {SAMPLES} random annotations, on random units. Each case runs once, after a small warm-up "
        f"run. Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} "
        f"processors; {', '.join(f'{name} {version(name)}' for name in PACKAGES)}. Load average of the last "
        f"15 minutes: {os.getloadavg()[2]:.1f}. pygamma-agreement computes in single precision, so we compute the "
        "disorder of its best alignment again in double precision.",
        "",
        *table(head, rows),
        "",
        *beside,
        *report_goals(goals),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    (HERE / "results" / "gamma.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
