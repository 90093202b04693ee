"""Coverage of the confidence intervals of agreement, by simulation.

    python benchmarks/agreement_coverage.py [--trials 400]

Creates a population of documents with three annotators, draws corpora from it, and checks how often the intervals of
each corpus contain the values of the population. Writes results/agreement_coverage.md beside this file, and prints it.
"""

from __future__ import annotations

import argparse
import platform
import random
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import spanometer
from spanometer.spans.spans import Spans
from tags import table

HERE = Path(__file__).resolve().parent
POPULATION = 20_000
SIZES = (25, 50, 150)
CONFIDENCE = 0.95
N_RESAMPLES = 500
NOISE = (0.1, 0.2, 0.4)
"""The probability with which each annotator gets a span wrong."""

Unit = dict[str, Any]


def documents(
    generator: random.Random, noises: Sequence[float] = NOISE, labels: Sequence[str] = ("PER", "PER", "ORG")
) -> tuple[list[list[list[Unit]]], list[int]]:
    """Create documents of 10 to 30 tokens, each with its own noise.

    The spans have 1 to 4 tokens and are moved, renamed or missing in the noise.
    """
    annotators: list[list[list[Unit]]] = [[] for _ in noises]
    lengths = []
    for _ in range(POPULATION):
        length, hard = generator.randint(10, 30), generator.random() < 0.3
        truth, token = [], generator.randint(0, 3)
        while (end := token + generator.randint(1, 4)) <= length:
            truth.append((token, end, generator.choice(labels)))
            token = end + generator.randint(1, 8)
        for own, noise in zip(annotators, noises, strict=True):
            wrong = min(1.0, noise * (2 if hard else 0.5))
            own.append([unit for span in truth if (unit := _seen(span, wrong, length, generator))])
        lengths.append(length)
    return annotators, lengths


def _seen(span: tuple[int, int, str], wrong: float, length: int, generator: random.Random) -> Unit | None:
    """Return a span as an annotator sees it, or None; ends move by at most one token, so spans never overlap."""
    start, end, label = span
    if generator.random() < wrong:
        error = generator.choice(("missing", "label", "boundary"))
        if error == "missing":
            return None
        if error == "label":
            label = "ORG" if label == "PER" else "PER"
        elif end - start > 1:
            end -= 1
        elif end < length:
            end += generator.random() < 0.5
    return {"start": start, "end": end, "label": label}


def values_of(sides: list[Spans], **options: Any) -> spanometer.analysis.agreement.agreement.Agreement:
    return spanometer.agreement(sides, confidence=CONFIDENCE, n_resamples=N_RESAMPLES, **options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=400)
    trials = parser.parse_args().trials
    annotators, lengths = documents(random.Random(0))
    population = [Spans.from_dicts(own, lengths=lengths) for own in annotators]
    truth = spanometer.agreement(population)
    keys = ("mean_f1", "mean_kappa_f1", "team_kappa_f1", "alpha")
    pairs = ((0, 1), (0, 2), (1, 2))
    rows = []
    for size in SIZES:
        for method in ("bca", "percentile"):
            generator = np.random.default_rng(size)
            held: dict[str, list[bool]] = {}
            for trial in range(trials):
                drawn = generator.integers(POPULATION, size=size)
                options = {"interval_method": method, "seed": trial}
                found = values_of([side.take(drawn) for side in population], **options)
                bounds = {key: (found.interval(key), getattr(truth, key)) for key in keys}
                bounds |= {
                    f"kappa_f1 {pair}": (found.interval("kappa_f1", *pair), truth.kappa_f1[pair]) for pair in pairs
                }
                for key, (interval, value) in bounds.items():
                    low, high = interval or (np.nan, np.nan)
                    held.setdefault(key.partition(" ")[0], []).append(bool(low <= value <= high))
            rows.append([size, method, *(f"{np.mean(held[key]):.3f}" for key in ("kappa_f1", *keys))])
    head = ("documents", "method", "kappa_f1 of pairs", *keys)
    lines = [
        "# Agreement: coverage of the intervals",
        "",
        "Written by `python benchmarks/agreement_coverage.py`; see [how it is measured](../README.md).",
        "",
        f"We drew {trials} corpora from {POPULATION:,} documents of three annotators. The table shows how often an "
        f"interval of {100 * CONFIDENCE:g} % contains the true value ({N_RESAMPLES} resamples). The standard error is "
        f"about {(0.05 * 0.95 / trials) ** 0.5:.3f}. The true values: "
        f"{', '.join(f'{key} {getattr(truth, key):.4f}' for key in keys)}. Python {platform.python_version()}, "
        f"spanometer {version('spanometer')}, numpy {version('numpy')}.",
        "",
        *table(head, rows),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    (HERE / "results" / "agreement_coverage.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
