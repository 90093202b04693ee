"""Time of Viterbi decoding, compared with plain NumPy and pytorch-crf on the same logits, and of `policy_spread`.

    python benchmarks/decoding.py [--runs 5] [--only viterbi sizes spread] [--without-torch]

Writes results/decoding.md and results/decoding.json beside this file, prints the tables, and says whether each goal is
met; the exit status is always 0. With --only or --without-torch it only prints.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from decoding_cases import SIZES

from tags import Goal, Timings, measure_time, report_goals, shown, table, times

HERE = Path(__file__).resolve().parent
SECTIONS = ("viterbi", "sizes", "spread")
PACKAGES = ("numpy", "scipy", "pyarrow")
TORCH_PACKAGES = ("torch", "pytorch-crf")
LABELS = {9: "9 labels (IOB2, 4 types)", 33: "33 labels (IOBES, 8 types)"}
TOLERANCE = 1e-9
"""The relative tolerance for the total scores of all paths."""

CASES = {
    "viterbi list": "**`spanometer.tags.viterbi.decode`**, a list of arrays, one call",
    "viterbi padded": "`spanometer.tags.viterbi.decode`, padded batches of 128 sentences as they come",
    "viterbi small": "`spanometer.tags.viterbi.decode`, padded batches of 32 sentences as they come",
    "plain list": "plain NumPy, one sentence at a time",
    "torchcrf sorted": "pytorch-crf, batches of 128 sentences sorted by length",
    "torchcrf padded": "pytorch-crf, batches of 128 sentences as they come",
    "torchcrf small": "pytorch-crf, batches of 32 sentences as they come",
}
SPREAD = {
    "lists": "**`policy_spread`**, from lists of tags, span_f",
    "tags": "`policy_spread`, from encoded tags, span_f",
    "all measures": "`policy_spread`, from encoded tags, all six measures of the tag family",
    "with logits": "`policy_spread`, from encoded tags, span_f, and decoding the logits in three ways",
    "once": "for comparison: one policy (conlleval) over the whole file, decoded and scored by span_f",
}


def report_viterbi(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of the implementations side by side."""
    tokens, lines = 0, []
    for labels, title in LABELS.items():
        cases = [case for case in CASES if f"{case} {labels}" in timings.seconds]
        totals = {case: timings.values[check_of(case, labels)] for case in cases}
        ours = totals["viterbi list"]
        for case, total in totals.items():
            if not math.isclose(total["score"], ours["score"], rel_tol=TOLERANCE):
                raise SystemExit(f"{case} at {labels} labels does not find the best paths: {totals}")
        tokens = ours["tokens"]
        rows = []
        for case in cases:
            seconds = timings[f"{case} {labels}"]
            rows.append(
                (
                    CASES[case],
                    shown(seconds),
                    f"{tokens / seconds:,.0f}",
                    times(timings.ratio(f"{case} {labels}", f"viterbi list {labels}")),
                )
            )
        lines += [
            *table((title, "median", "tokens a second", "times the first"), rows),
            f"Scores of the best paths, summed: {ours['score']:.6f} by all (to {TOLERANCE:g}; all paths legal).",
            "",
        ]
        speed = tokens / timings[f"viterbi list {labels}"] / 1e6
        if labels == 9:
            goals.append(Goal("viterbi.decode at 9 labels, million tokens a second", speed, 1, True))
    return [
        "## Viterbi",
        "",
        f"{tokens:,} tokens in {ours['sentences']:,} sentences with the lengths of the CoNLL-2003 test set, repeated. "
        "The logits are random (normal, float32).",
        "",
        *lines,
    ]


def report_sizes(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of batches of every size, compared with pytorch-crf if it ran."""
    kinds = [
        (f"{kind} {{}} {labels}", f"{labels} labels{text}")
        for labels in LABELS
        for kind, text in (("plain", ""), ("scored", ", transition scores"))
    ]
    peer = any(case.startswith("torchcrf_sizes") for case in timings.seconds)
    rows, ratios = [], []
    for size in SIZES:
        row = [f"{size:,}"]
        for case in (kind.format(size) for kind, _ in kinds):
            row.append(shown(timings[f"sizes {case}"]))
            if peer:
                ours, theirs = (timings.values[f"{tool} check {case}"] for tool in ("sizes", "torchcrf_sizes"))
                if not math.isclose(ours["score"], theirs["score"], rel_tol=TOLERANCE):
                    raise SystemExit(f"{case}: not the same best paths: {ours}, {theirs}")
                ratios.append(timings.ratio(f"torchcrf_sizes {case}", f"sizes {case}"))
                row.append(times(ratios[-1]))
        rows.append(tuple(row))
    if peer:
        goals.append(
            Goal("pytorch-crf's time in batches of 1 to 4,000 sentences, times ours, the least", min(ratios), 1, True)
        )
    columns = [column for _, title in kinds for column in ((title, "pytorch-crf, times ours") if peer else (title,))]
    example = timings.values[f"sizes check {kinds[0][0].format(1)}"]
    return [
        "## Batches by size",
        "",
        f"{example['tokens']:,} tokens in {example['sentences']:,} sentences in their order, padded before the "
        "measured time. The table shows the processor time of `spanometer.tags.viterbi.decode` for the whole corpus, "
        "and how many times as long pytorch-crf takes on the same batches.",
        "",
        *table(("sentences a batch", *columns), rows),
    ]


def check_of(case: str, labels: int) -> str:
    """Return the name of the case that checks another case."""
    process, name = case.split()
    return f"{process} check {name} {labels}"


def report_spread(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of the grid of policies on one file."""
    values = {case: timings.values[f"spread {case}"] for case in SPREAD if case != "once"}
    found = values["lists"]
    if any(other != found for other in values.values()):
        raise SystemExit(f"the cases do not agree: {values}")
    rows = [
        (text, shown(timings[f"spread {case}"]), times(timings.ratio(f"spread {case}", "spread once")))
        for case, text in SPREAD.items()
    ]
    goals.append(Goal("policy_spread, the whole grid on 46,435 tokens, seconds", timings["spread lists"], 2))
    return [
        "## The spread of repair policies",
        "",
        f"46,435 tokens, the CoNLL-2003 test tags in IOBES, with 100 illegal pairs in {found['affected']} sentences; "
        f"{found['policies']:,} policies. span_f's F1 is {found['worst']:.6f} to {found['best']:.6f}, "
        f"and {found['conlleval']:.6f} with conlleval.",
        "",
        *table(("", "median", "times one policy"), rows),
    ]


def preamble(runs: int, packages: Sequence[str]) -> list[str]:
    """Return the text on how it was measured."""
    from spanometer import __version__

    versions = ", ".join([f"spanometer {__version__}", *(f"{name} {version(name)}" for name in packages)])
    return [
        "# Decoding: time",
        "",
        "Written by `python benchmarks/decoding.py`; see [how it is measured](../README.md).",
        "",
        f"Medians of {runs} runs after a warm-up run, all cases in turn; ratios compare medians. "
        "Each case uses one thread. "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} processors; "
        f"{versions}.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each case (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="only these sections; nothing is written")
    parser.add_argument("--without-torch", action="store_true", help="leave out pytorch-crf; nothing is written")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be 1 or more")

    torch = not arguments.without_torch
    packages = (*PACKAGES, *TORCH_PACKAGES) if torch else PACKAGES
    goals: list[Goal] = []
    lines: list[str] = []
    raw: dict[str, object] = {}
    for section, names, report, clock in (
        ("viterbi", ("viterbi", "plain", *(["torchcrf"] if torch else [])), report_viterbi, "seconds"),
        ("sizes", ("sizes", *(["torchcrf_sizes"] if torch else [])), report_sizes, "processor"),
        ("spread", ("spread",), report_spread, "seconds"),
    ):
        if section in (arguments.only or SECTIONS):
            timings = measure_time(names, arguments.runs, clock)
            raw[section] = {case: seconds for case, seconds in timings.seconds.items() if " check " not in case}
            lines += report(timings, goals)
    lines = [*preamble(arguments.runs, packages), *lines, *report_goals(goals)]
    print("\n".join(lines))
    if torch and arguments.only is None:
        results = HERE / "results"
        (results / "decoding.md").write_text("\n".join(lines), encoding="utf-8")
        raw["versions"] = {name: version(name) for name in packages}
        (results / "decoding.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
