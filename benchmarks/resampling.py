"""Processor time of intervals and comparisons for 69,060 sentences, compared with SciPy's and sacreBLEU's functions.

    python benchmarks/resampling.py [--runs 3]

Writes results/resampling.md and results/resampling.json beside this file, prints the table, and says whether each goal
is met; the exit status is always 0. Without sacreBLEU its rows are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import resource
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import inputs
import numpy as np
from scipy import stats

from spanometer.analysis.comparison.compare import compare
from spanometer.counts.statistics import Resampling, joined_values
from spanometer.measures import MEASURES
from spanometer.spans.spans import Spans, pair_from_tags
from tags import Cases, Goal, Timings, measure_cases, report_goals, shown, table

HERE = Path(__file__).resolve().parent
PACKAGES = ("spanometer", "numpy", "scipy")
METHODS = ("bca", "percentile")
RESAMPLES = 1_000
PEER_RESAMPLES = 50
"""The number of resampled corpora for SciPy and sacreBLEU, which need more memory for more.

Their times are extrapolated.
"""

LIMIT = 2.0
"""The goal: seconds for 1,000 resampled corpora with any measure whose counts are sums."""

LOST = 0.02
"""The proportion of spans that the second system lacks."""


def second_system(first: Spans) -> Spans:
    """Return the first system's output without some of its spans, with a seed."""
    kept = np.flatnonzero(np.random.default_rng(0).random(len(first)) >= LOST)
    lists = [[] for _ in range(first.documents)]
    for span in kept.tolist():
        label = first.labels[first.label[span]]
        lists[first.document[span]].append(
            {"start": int(first.start[span]), "end": int(first.end[span]), "label": label}
        )
    return Spans.from_dicts(lists, lengths=first.lengths)


def numbers_of(references: Spans, system: Spans) -> np.ndarray:
    """Return right, predicted and reference spans of each sentence, shape (sentences, 3)."""
    counts = MEASURES["span_f"]().counts(references, system)
    names = ("both", "predicted", "reference")
    sums = joined_values(counts.per_document())
    columns = [sums[name].sum(axis=1) for name in names]
    return np.stack(columns, axis=1)


def f1(sums: np.ndarray) -> np.ndarray:
    """Compute F1 from sums, shape (..., 3)."""
    return 2 * sums[..., 0] / (sums[..., 1] + sums[..., 2])


def interval_cases(references: Spans, system: Spans) -> Cases:
    """Return the cases of intervals of each measure."""
    cases: Cases = {}
    for name, kind in MEASURES.items():
        measure = kind()
        counts = measure.counts(references, system)
        for method in METHODS:
            resampling = Resampling(n_resamples=RESAMPLES, interval_method=method)
            cases[f"{name} {method}"] = lambda m=measure, c=counts, r=resampling: m.intervals(c, r)
    return cases


def comparison_cases(references: Spans, one: Spans, other: Spans) -> Cases:
    """Return the cases of a whole comparison, including counting."""
    systems = {"one": one, "other": other}
    return {
        "compare span_f": lambda: compare(references, systems, n_permutations=RESAMPLES),
        "compare span_f 10000": lambda: compare(references, systems),
        "compare all": lambda: compare(references, systems, measures=tuple(MEASURES)),
    }


def peer_cases(first: np.ndarray, second: np.ndarray) -> Cases:
    """Return the cases of SciPy's and sacreBLEU's functions on the numbers of the sentences of both systems."""
    sentences = np.arange(len(first))
    both = np.concatenate([first, second])

    def score(documents: np.ndarray, axis: int = -1) -> np.ndarray:
        return f1(both[documents].sum(axis=axis % documents.ndim))

    def difference(one: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        return score(one, axis) - score(other, axis)

    options = {"n_resamples": PEER_RESAMPLES, "vectorized": True, "batch": 5}
    cases: Cases = {
        "scipy bootstrap": lambda: stats.bootstrap((sentences,), score, method="percentile", **options),
        "scipy permutation_test": lambda: stats.permutation_test(
            (sentences, sentences + len(first)), difference, permutation_type="samples", **options
        ),
    }
    if importlib.util.find_spec("sacrebleu"):
        from sacrebleu import significance
        from sacrebleu.metrics.base import Score

        class F1:
            """The part of a metric that their functions need."""

            def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> np.ndarray:
                return second

            def _aggregate_and_compute(self, numbers: Any) -> Score:
                return self._compute_score_from_stats(np.asarray(numbers).sum(axis=0))

            def _compute_score_from_stats(self, numbers: np.ndarray) -> Score:
                return Score("F1", f1(numbers))

        baseline = {"F1": (first, F1()._aggregate_and_compute(first))}
        arguments = (baseline, "other", sentences, None, {"F1": F1()}, PEER_RESAMPLES)
        cases["sacrebleu bootstrap"] = lambda: significance._paired_bs_test(*arguments, seed=1)
        cases["sacrebleu randomisation"] = lambda: significance._paired_ar_test(*arguments, seed=1)
    return cases


def ours_alone(references: Spans, one: Spans, other: Spans) -> Cases:
    """Return the cases of our functions alone: the bootstrap of one system, and a comparison by one test only."""
    systems = {"one": one, "other": other}
    return {
        "bootstrap": lambda: compare(references, systems, interval_method="percentile", n_permutations=1),
        "randomisation": lambda: compare(
            references, systems, interval_method="percentile", n_resamples=1, n_permutations=RESAMPLES
        ),
    }


def report_intervals(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of each measure with both methods."""
    rows = []
    for name in MEASURES:
        rows.append((f"`{name}`", *(shown(timings[f"{name} {method}"]) for method in METHODS)))
        goals += [Goal(f"{name}, {method}, seconds", timings[f"{name} {method}"], LIMIT) for method in METHODS]
    return [
        "## Intervals",
        "",
        f"{RESAMPLES:,} resamples. The intervals of all main scores are computed from counts.",
        "",
        *table(("measure", *METHODS), rows),
    ]


def report_comparison(timings: Timings) -> list[str]:
    """Return a table of two systems, compared with the other libraries."""
    rows = [
        (f"`span_f`, {RESAMPLES:,} resamples, {RESAMPLES:,} permutations", shown(timings["compare span_f"])),
        (f"`span_f`, {RESAMPLES:,} resamples, 10,000 permutations", shown(timings["compare span_f 10000"])),
        (f"all {len(MEASURES)} measures, the same", shown(timings["compare all"])),
    ]
    peers = {
        "scipy bootstrap": ("`scipy.stats.bootstrap`, one system, percentile", "bootstrap"),
        "scipy permutation_test": ("`scipy.stats.permutation_test`, samples", "randomisation"),
        "sacrebleu bootstrap": ("sacreBLEU, paired bootstrap", "bootstrap"),
        "sacrebleu randomisation": ("sacreBLEU, paired approximate randomisation", "randomisation"),
    }
    beside = []
    for case, (text, ours) in peers.items():
        if case in timings.seconds:
            seconds = timings[case] * RESAMPLES / PEER_RESAMPLES
            ratio = f"{seconds / timings[ours]:.1f}"
            beside.append((text, shown(seconds), shown(timings[ours]), ratio))
    return [
        "## A comparison of two systems",
        "",
        "The time includes counting, intervals and both tests. "
        f"The second system lacks {LOST:.0%} of the spans of the first system.",
        "",
        *table(("", "time"), rows),
        "## Beside other routines",
        "",
        f"{RESAMPLES:,} draws of F1 from the same numbers of each sentence. The others' time is measured for "
        f"{PEER_RESAMPLES} draws and multiplied by {RESAMPLES // PEER_RESAMPLES}, because sacreBLEU holds all draws in "
        "memory. Spanometer also counts both systems from spans, by label, and gives intervals of precision and "
        "recall. SciPy's bootstrap scores one system. Randomisation is fast because it skips sentences where the "
        "systems are equal.",
        "",
        *table(("", "theirs", "ours", "ratio"), beside),
    ]


def preamble(runs: int) -> list[str]:
    """Return the text on how it was measured."""
    packages = (*PACKAGES, *(["sacrebleu"] if importlib.util.find_spec("sacrebleu") else []))
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30
    return [
        "# Intervals and comparisons: time",
        "",
        "Written by `python benchmarks/resampling.py`; see [how it is measured](../README.md).",
        "",
        "69,060 sentences, 928,700 tokens: the CoNLL-2003 test tags, repeated twenty times. "
        f"Processor time, because other work ran at the same time; all cases use one thread. Medians of {runs} runs "
        f"after a warm-up run, all cases in turn, in one process with a peak of {peak:.1f} GiB."
        f" Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} "
        f"processors; {versions}. Load average of the last 15 minutes: {os.getloadavg()[2]:.1f}. The machine was busy, "
        "and a figure may be off by up to half.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each case (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be 1 or more")

    references, one, _ = pair_from_tags(*inputs.tag_columns())
    other = second_system(one)
    cases = {
        **interval_cases(references, one),
        **comparison_cases(references, one, other),
        **ours_alone(references, one, other),
        **peer_cases(numbers_of(references, one), numbers_of(references, other)),
    }
    timings = measure_cases(cases, arguments.runs, time.process_time)
    goals: list[Goal] = []
    lines = [*report_intervals(timings, goals), *report_comparison(timings)]
    lines = [*preamble(arguments.runs), *lines, *report_goals(goals)]
    print("\n".join(lines))
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "resampling.md").write_text("\n".join(lines), encoding="utf-8")
    raw = {"seconds": timings.seconds, "versions": {name: version(name) for name in PACKAGES}}
    (results / "resampling.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
