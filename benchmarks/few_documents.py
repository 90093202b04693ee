"""Reliability of intervals and p-values for few documents, by simulation.

    python benchmarks/few_documents.py [--trials 1000]

Creates a population of documents with a reference and two equally good systems, and draws corpora from it. Counts how
often the intervals of F1 contain the value of the population, also for a label that few documents have, and how often
each test calls the difference significant. Writes results/few_documents.md beside this file, and prints it.
"""

from __future__ import annotations

import argparse
import platform
import random
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from agreement_coverage import POPULATION, documents

import spanometer
from spanometer.counts.statistics import Resampling
from spanometer.measures import SpanF
from spanometer.spans.spans import Spans
from tags import table

HERE = Path(__file__).resolve().parent
SIZES = (5, 8, 12, 20, 30, 100)
CONFIDENCE = 0.95
LEVEL = 0.05
N_RESAMPLES = 1000
RARE = "RARE"
HAVE_LABEL = ((2, 4), (5, 9), (10, 19), (20, 39), (40, 80))
"""The ranges of the number of documents with the rare label."""


def population(labels: tuple[str, ...]) -> list[Spans]:
    sides, lengths = documents(random.Random(1), (0.0, 0.3, 0.3), labels)
    return [Spans.from_dicts(side, lengths=lengths) for side in sides]


def whole(trials: int) -> list[list[object]]:
    """Compute the coverage for F1, and the proportion of p-values below the level for systems that do not differ."""
    sides = population(("PER", "PER", "ORG"))
    truth = spanometer.score(*sides[:2], measures=["span_f"])["span_f"].f1
    rows = []
    for size in SIZES:
        generator = np.random.default_rng(size)
        held, below = [], []
        for trial in range(trials):
            drawn = generator.integers(POPULATION, size=size)
            reference, *outputs = (side.take(drawn) for side in sides)
            systems = dict(zip(("one", "other"), outputs, strict=True))
            options = {"n_resamples": N_RESAMPLES, "n_permutations": 1000, "seed": trial}
            found = spanometer.compare(reference, systems, measures=["span_f"], **options).measures["span_f"]
            low, high = found.systems["one"].intervals["f1"]
            pair = found.pairs[0]
            held.append(low <= truth <= high)
            below.append([pair.p_randomisation < LEVEL, pair.p_bootstrap < LEVEL])
        shares = [np.mean(held), *np.mean(below, axis=0)]
        rows.append([size, *(f"{100 * share:.1f} %" for share in shares)])
    return rows


def of_label(trials: int) -> list[list[object]]:
    """Compute the coverage for F1 of a rare label in 100 documents, by the number of documents with the label."""
    held: dict[tuple[int, int], list[bool]] = {bounds: [] for bounds in HAVE_LABEL}
    for share in (200, 60, 30, 15, 8, 4):
        sides = population((RARE, *["PER"] * share))[:2]
        measure = SpanF()
        truth = measure.score_per_label(measure.counts(*sides))[RARE]["f1"]
        generator = np.random.default_rng(share)
        for trial in range(trials):
            drawn = generator.integers(POPULATION, size=100)
            counts = measure.counts(*(side.take(drawn) for side in sides))
            number = counts.documents_by_label().get(RARE, 0)
            bounds = next((bounds for bounds in HAVE_LABEL if bounds[0] <= number <= bounds[1]), None)
            if bounds is not None:
                resampling = Resampling(confidence=CONFIDENCE, n_resamples=N_RESAMPLES, seed=trial)
                low, high = measure.label_intervals(counts, resampling)[RARE]["f1"]
                held[bounds].append(low <= truth <= high)
    return [
        [f"{first} to {last}", f"{100 * np.mean(of_bounds):.1f} %", len(of_bounds)]
        for (first, last), of_bounds in held.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=1000)
    trials = parser.parse_args().trials
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_sizes, of_labels = whole(trials), of_label(trials)
    lines = [
        "# Intervals and p-values over few documents",
        "",
        "Written by `python benchmarks/few_documents.py`; see [how it is measured](../README.md).",
        "",
        f"{trials:,} corpora for each row, drawn from {POPULATION:,} documents with a reference and two equally "
        f"good systems. Intervals of {100 * CONFIDENCE:g} % for `span_f` (BCa, {N_RESAMPLES:,} resamples). "
        f"Coverage is the share of intervals that contain the true value. "
        f"{100 * LEVEL:g} % of the p-values should be below {LEVEL:g}. Python {platform.python_version()}, spanometer "
        f"{version('spanometer')}, numpy {version('numpy')}.",
        "",
        *table(["documents", "coverage", "p_randomisation below .05", "p_bootstrap below .05"], of_sizes),
        "",
        "A rare label in corpora of 100 documents:",
        "",
        *table(["documents with the label", "coverage", "corpora"], of_labels),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    (HERE / "results" / "few_documents.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
