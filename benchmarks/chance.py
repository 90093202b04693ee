"""Time of the chance level: a corpus, one long document, and the paper's formula compared with ours.

    python benchmarks/chance.py [--runs 5]

Writes results/chance.md and results/chance.json beside this file, prints the table, and says whether each goal is met;
the exit status is always 0.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import inputs
import numpy as np

from spanometer.measures import ChanceKappaF1, UnitizingAlpha
from spanometer.measures.placement import place, sample
from spanometer.spans.spans import Spans, pair_from_tags
from tags import Cases, Goal, Timings, measure_cases, report_goals, shown, table, times

HERE = Path(__file__).resolve().parent
PACKAGES = ("spanometer", "numpy", "scipy")
PAPER_SECONDS = 23
"""The paper's estimate for CoNLL-2003, in MATLAB on a laptop of 2017."""

TOKENS, SPANS = 100_000, 1_000
SUBSETS = (2, 4, 6, 8, 10, 12, 14, 16)
SUBSET_TOKENS = 200
DRAWS = 1_000


def starts_by_subsets(tokens: int, lengths: Sequence[int]) -> list[np.ndarray]:
    """Compute each span's start probabilities by the paper's formula, a sum over all subsets of the other spans.

    The spans of a subset are on the left of the span, in any order, and the others on its right. The number of free
    tokens on the left follows from the start; the ways to distribute them among the gaps are binomial coefficients.
    """
    free, count = tokens - sum(lengths), len(lengths)
    gap = np.arange(free + 1, dtype=float)
    # orders of t spans among g free tokens: (g + 1) (g + 2) ... (g + t)
    orders = [np.ones(free + 1)]
    for number in range(1, count + 1):
        orders.append(orders[-1] * (gap + number))
    total = orders[count][free]
    found = []
    for place_, length in enumerate(lengths):
        others = [*lengths[:place_], *lengths[place_ + 1 :]]
        ways = np.zeros(tokens - length + 1)
        for number in range(count):
            both = orders[number] * orders[count - 1 - number][::-1] / total
            for subset in combinations(others, number):
                first = sum(subset)
                ways[first : first + free + 1] += both
        found.append(ways)
    return found


def starts_by_excess(tokens: int, lengths: Sequence[int]) -> list[np.ndarray]:
    """Compute the same start probabilities by `placement.place`."""
    placed = place(tokens, lengths)
    by_length = dict(zip(placed.lengths, placed.starts, strict=True))
    return [by_length[length] for length in lengths]


def long_document(seed: int = 0) -> tuple[Spans, Spans]:
    """Create one document with randomly placed spans on each side, with lengths drawn from the CoNLL-2003 reference."""
    reference = pair_from_tags(*inputs.tag_lists(1))[0]
    generator = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        lengths = generator.choice(reference.end - reference.start, SPANS)
        starts = sample(TOKENS, lengths, 1, generator=generator)[0]
        document = [
            {"start": start, "end": start + length, "label": "X"}
            for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)
        ]
        sides.append(Spans.from_dicts([document], lengths=[TOKENS]))
    return sides[0], sides[1]


def scored(measure: ChanceKappaF1 | UnitizingAlpha, sides: tuple[Spans, Spans]) -> Callable[[], object]:
    """Return a function that aligns, counts and scores."""
    return lambda: measure.score(measure.counts(*sides))


def corpus_cases() -> Cases:
    """Return the cases of CoNLL-2003 and of the long document."""
    lists = inputs.tag_lists(1)
    sides = pair_from_tags(*lists)[:2]
    long = long_document()
    cases: Cases = {"decoding": lambda: pair_from_tags(*lists)[2]}
    for name, measure in (
        ("exact", ChanceKappaF1()),
        ("span", ChanceKappaF1(level="span")),
        ("auto", ChanceKappaF1(method="auto")),
        ("uniform", ChanceKappaF1(method="uniform")),
        ("independent", ChanceKappaF1(placement="independent")),
        ("alpha 2016", UnitizingAlpha()),
        ("alpha 1995", UnitizingAlpha(variant="1995")),
    ):
        cases[f"corpus {name}"] = scored(measure, sides)
        cases[f"long {name}"] = scored(measure, long)
    cases["corpus simulations"] = scored(ChanceKappaF1(n_simulations=DRAWS), sides)
    return cases


def subset_cases(generator: np.random.Generator) -> tuple[Cases, dict[int, float]]:
    """Return the cases of the paper's formula and ours for the starts of k spans, and the largest difference."""
    cases: Cases = {}
    differences = {}
    for count in SUBSETS:
        # different lengths, so that ours cannot do with fewer distributions
        lengths = generator.permutation(np.arange(1, count + 1)).tolist()
        cases[f"subsets {count}"] = lambda lengths=lengths: len(starts_by_subsets(SUBSET_TOKENS, lengths))
        cases[f"ours {count}"] = lambda lengths=lengths: len(starts_by_excess(SUBSET_TOKENS, lengths))
        pairs = zip(starts_by_subsets(SUBSET_TOKENS, lengths), starts_by_excess(SUBSET_TOKENS, lengths), strict=True)
        differences[count] = max(float(np.abs(one - other).max()) for one, other in pairs)
    return cases, differences


def sampling_cases(generator: np.random.Generator) -> Cases:
    """Return the cases of drawing random arrangements of one document."""
    cases: Cases = {}
    for tokens, count in ((20, 3), (100, 10), (TOKENS, SPANS)):
        lengths = generator.integers(1, 5, count).tolist()
        draws = DRAWS if tokens < TOKENS else DRAWS // 10
        cases[f"sample {tokens} {count} {draws}"] = lambda tokens=tokens, lengths=lengths, draws=draws: float(
            sample(tokens, lengths, draws, generator=np.random.default_rng(0)).mean()
        )
    return cases


def report_corpora(timings: Timings, goals: list[Goal]) -> list[str]:
    goals.append(Goal("CoNLL-2003, exact chance after decoding, seconds", timings["corpus exact"], 0.3))
    goals.append(Goal(f"{TOKENS:,} tokens, {SPANS:,} spans per side, exact, seconds", timings["long exact"], 5))
    goals.append(Goal("the same, what was aimed at", timings["long exact"], 2))
    names = {
        "exact": "`chance_kappa_f1`, exact",
        "span": "the same, span level",
        "auto": "`method=auto`",
        "uniform": "`method=uniform`",
        "independent": "`placement=independent`",
        "alpha 2016": "`unitizing_alpha`, 2016",
        "alpha 1995": "`unitizing_alpha`, 1995",
    }
    rows = []
    for name, text in names.items():
        values = [timings.values[f"{where} {name}"] for where in ("corpus", "long")]
        key = "alpha" if name.startswith("alpha") else "chance_f1"
        rows.append(
            (
                text,
                shown(timings[f"corpus {name}"]),
                f"{values[0][key]:.6f}",
                shown(timings[f"long {name}"]),
                f"{values[1][key]:.6f}",
            )
        )
    simulated = timings.values["corpus simulations"]
    return [
        "## A corpus and a long document",
        "",
        "The time includes aligning, counting and scoring of decoded spans. CoNLL-2003: 3,453 sentences, reference "
        f"against Flair (decoding both sides takes {shown(timings['decoding'])}). The paper reports {PAPER_SECONDS} s "
        f"for this corpus, in MATLAB on a laptop of 2017. Long: one document of {TOKENS:,} tokens with {SPANS:,} "
        "spans of one label per side. Their lengths are drawn from the lengths in CoNLL-2003. Values: chance F1, or "
        "alpha.",
        "",
        *table(("", "CoNLL-2003", "value", "long", "value"), rows),
        f"{DRAWS:,} simulations of the whole of CoNLL-2003 take {shown(timings['corpus simulations'])} in all "
        f"(standard deviation {simulated['chance_f1_std']:.4f}, p-value {simulated['p_value']:.4f}).",
        "",
    ]


def report_subsets(timings: Timings, differences: dict[int, float], goals: list[Goal]) -> list[str]:
    goals.append(Goal("the two formulas, largest difference, times 1e-12", max(differences.values()) / 1e-12, 1))
    rows = [
        (
            count,
            f"{2 ** (count - 1):,}",
            shown(timings[f"subsets {count}"]),
            shown(timings[f"ours {count}"]),
            times(timings.ratio(f"subsets {count}", f"ours {count}")),
            f"{differences[count]:.0e}",
        )
        for count in SUBSETS
    ]
    return [
        "## The paper's formula and ours",
        "",
        f"We compute where k spans of 1, 2, ... k tokens begin in {SUBSET_TOKENS} tokens, in two ways. Proposition 2 "
        "of the paper is a sum over all subsets of the other spans; we wrote it plainly, with one NumPy addition for "
        "each subset. Ours is `placement.place`.",
        "",
        *table(("k", "subsets a span", "Proposition 2", "ours", "ratio", "largest difference"), rows),
    ]


def report_sampling(timings: Timings) -> list[str]:
    """Return a table of arrangements per second."""
    rows = []
    for name in timings.seconds:
        if name.startswith("sample "):
            tokens, count, draws = map(int, name.split()[1:])
            rows.append(
                (f"{tokens:,}", f"{count:,}", f"{draws:,}", shown(timings[name]), f"{draws / timings[name]:,.0f}")
            )
    return [
        "## Sampling",
        "",
        "`placement.sample` draws arrangements without overlap; all arrangements are equally likely.",
        "",
        *table(("tokens", "spans", "arrangements", "time", "a second"), rows),
    ]


def preamble(runs: int) -> list[str]:
    """Return the text on how it was measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        "# Chance: time",
        "",
        "Written by `python benchmarks/chance.py`; see [how it is measured](../README.md).",
        "",
        f"Medians of {runs} runs after a warm-up run, all cases in turn, in one process; ratios compare "
        f"medians. Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} processors; {versions}.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each case (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be 1 or more")

    generator = np.random.default_rng(0)
    subsets, differences = subset_cases(generator)
    timings = measure_cases({**corpus_cases(), **subsets, **sampling_cases(generator)}, arguments.runs)
    goals: list[Goal] = []
    lines = [
        *report_corpora(timings, goals),
        *report_subsets(timings, differences, goals),
        *report_sampling(timings),
    ]
    lines = [*preamble(arguments.runs), *lines, *report_goals(goals)]
    print("\n".join(lines))
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "chance.md").write_text("\n".join(lines), encoding="utf-8")
    raw = {"seconds": timings.seconds, "differences": differences}
    raw["versions"] = {name: version(name) for name in PACKAGES}
    (results / "chance.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
