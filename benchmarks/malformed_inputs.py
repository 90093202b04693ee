"""Malformed inputs for every metric module, many more than in the tests: how they are handled, as a table.

    python benchmarks/malformed_inputs.py [--inputs 10000] [--seed 0] [--processes 2] [--module span_f]

Needs the extra `test`. An input is a valid one with one or two random changes, see `tests/malformed.py`.
An outcome is an `InputError` with a place, a documented result, or a failure. Failures are any other exception, an
undocumented result, or a module that keeps data or does not score the valid input correctly afterwards.

Writes results/malformed_inputs.md beside this file unless modules are named, prints the table, and lists the
failures; if there are any, the exit status is 1.
"""

from __future__ import annotations

import argparse
import multiprocessing
import platform
import random
import sys
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

from spanometer.version import __version__
from tags import table

HERE = Path(__file__).resolve().parent
CHECKED = 10
"""After this many inputs the valid input is scored, which takes ten times as long as an error."""

PACKAGES = ("numpy", "pyarrow", "datasets", "evaluate")

sys.path.insert(0, str(HERE.parent / "tests"))
import malformed  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=10_000, help="how many for each module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2, help="how many modules at a time")
    parser.add_argument("--module", action="append", help="only this one; may be repeated")
    options = parser.parse_args()
    names = options.module or malformed.module_names()
    rows, failures = [], []
    with multiprocessing.get_context("spawn").Pool(options.processes, maxtasksperchild=1) as pool:
        tasks = [(name, options.inputs, options.seed) for name in names]
        for row, failed in tqdm(pool.imap(tried, tasks), total=len(tasks), disable=None):
            rows.append(row)
            failures += failed
            print(" ".join(row), *failed, sep="\n", file=sys.stderr, flush=True)
    text = report(rows, options.seed)
    if not options.module:
        (HERE / "results" / "malformed_inputs.md").write_text(text, encoding="utf-8")
    print(text)
    return 1 if failures else 0


def tried(task: tuple[str, int, int]) -> tuple[list[str], list[str]]:
    """Try malformed inputs on a module; returns the row of the table, and the failures."""
    name, inputs, seed = task
    began = time.process_time()
    subjects = malformed.subjects_of(name)
    found: Counter[str] = Counter()
    failures = []
    generator = random.Random(f"{seed} {name}")
    for number in range(inputs):
        subject, recipe = generator.choice(subjects), malformed.random_recipe(generator)
        try:
            found[subject.check(recipe, afterwards=number % CHECKED == 0)] += 1
        except Exception as error:
            found["failed"] += 1
            failures.append(f"{subject} {recipe}: {type(error).__name__}: {str(error)[:300]}")
            # what a failed call has left
            subject.module = malformed.Subject(name, subject.configuration).module
    forms = ", ".join(subject.configuration for subject in subjects)
    outcomes = [f"{found[outcome]:,}" for outcome in ("refused", "scored", "failed")]
    return [f"`{name}`", forms, f"{inputs:,}", *outcomes, f"{time.process_time() - began:.0f} s"], failures


def report(rows: list[list[str]], seed: int) -> str:
    """Return the table and the text on how it was made."""
    head = ["module", "forms of input", "inputs", "refused", "scored", "failed", "processor time"]
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return "\n".join(
        [
            "# Malformed inputs",
            "",
            "Written by `python benchmarks/malformed_inputs.py`; see [how it is measured](../README.md).",
            "",
            f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; spanometer {__version__}, "
            f"{packages}; seed {seed}, {len(malformed.NAMES)} kinds of changes and odd objects.",
            "",
            *table(head, rows),
            "*Refused*: an `InputError` that names a place or an option. *Scored*: a result with the keys, types and",
            "ranges that the card documents. *Failed*: anything else. One object takes all inputs of a module in one",
            f"form. After each input it kept nothing, and after each {CHECKED}th input it scored a valid input like a",
            "new object, to the last digit.",
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
