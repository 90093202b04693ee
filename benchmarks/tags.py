"""Time and memory of the tag measures, compared with seqeval, seqscore and nervaluate on the same tags.

    python benchmarks/tags.py [--runs 7] [--only peers scale documents memory]

Writes results/tags.md and results/tags.json beside this file, prints the table, and says whether each goal is met; the
exit status is always 0. With --only it only prints.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECTIONS = ("peers", "scale", "documents", "memory")
OTHERS = ("token_f", "link_f", "bcubed", "intersection_f", "sl_icm")
MEASURES = ("span_f", *OTHERS)
PACKAGES = ("spanometer", "seqeval", "seqscore", "nervaluate", "evaluate", "datasets", "pyarrow", "numpy", "scipy")
REPEATS = 20
MILLIONS = (1, 2, 5, 10)


class Worker:
    """A process that runs cases on request."""

    def __init__(self, name: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        self.cases: list[str] = json.loads(self._answer())

    def run(self, case: str, clock: str = "seconds") -> tuple[float, object]:
        """Return the time of one run by the wall clock (`seconds`) or the processor's (`processor`), and its result."""
        self.process.stdin.write(f"{case}\n")
        self.process.stdin.flush()
        answer = json.loads(self._answer())
        return answer[clock], answer["value"]

    def _answer(self) -> str:
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"a benchmark process ended with status {self.process.wait()}")
        return line

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()


Cases = dict[str, Callable[[], object]]


@dataclass
class Timings:
    """Times and results by case."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)

    def __getitem__(self, case: str) -> float:
        """Return the median time."""
        return statistics.median(self.seconds[case])

    def ratio(self, case: str, to: str) -> float:
        """Return the median time divided by the median time of another case."""
        return self[case] / self[to]


def measure_cases(cases: Cases, runs: int, clock: Callable[[], float] = time.perf_counter) -> Timings:
    """Run all cases alternately in several rounds, so that all have the same machine load; the first round warms up."""
    timings = Timings()
    for number in range(runs + 1):
        for name, case in cases.items():
            gc.collect()
            start = clock()
            timings.values[name] = case()
            if number:
                timings.seconds.setdefault(name, []).append(clock() - start)
        print(f"round {number} of {runs}", file=sys.stderr)
    return timings


def measure_time(names: Sequence[str], runs: int, clock: str = "seconds") -> Timings:
    """Run all cases of these processes alternately in several rounds, so that all have the same machine load.

    Only one process works at a time. The first round warms up and is not counted.
    """
    timings = Timings()
    with ExitStack() as stack:
        workers = {name: stack.enter_context(Worker(name)) for name in names}
        for number in range(runs + 1):
            for name, worker in workers.items():
                for case in worker.cases:
                    seconds, value = worker.run(case, clock)
                    full = f"{name} {case}"
                    timings.values[full] = value
                    if number:
                        timings.seconds.setdefault(full, []).append(seconds)
            print(f"{', '.join(names)}: round {number} of {runs}", file=sys.stderr)
    return timings


def measure_memory(runs: int) -> dict[str, dict[str, float]]:
    """Measure the peak memory of each case, as a multiple of the input's size in Arrow.

    It is the median of several new processes for the same tags as in the other sections, and of one process for ten
    times as many.
    """
    multiples: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for repeats in (REPEATS, 10 * REPEATS):
            file = str(Path(folder) / f"{repeats}.arrow")
            _call("write", file, repeats)
            for form, name in [
                ("mapped", "floor"),
                *((form, name) for form in ("mapped", "lists") for name in MEASURES),
            ]:
                answers = [
                    json.loads(_call(form, name, file if form == "mapped" else repeats))
                    for _ in range(runs if repeats == REPEATS else 1)
                ]
                above = statistics.median(answer["above"] for answer in answers)
                multiples.setdefault(f"{form} {name}", {})[str(repeats)] = above / answers[0]["arrow"]
            print(f"memory: {repeats} repeats", file=sys.stderr)
    return multiples


def _call(*arguments: object) -> str:
    command = [sys.executable, str(HERE / "peak.py"), *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=_environment()).stdout


def _environment() -> dict[str, str]:
    return {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1", **os.environ}


@dataclass
class Goal:
    """A value to reach."""

    text: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return a Markdown table; all columns except the first are numbers."""
    lines = [f"| {' | '.join(header)} |", f"|---|{'---:|' * (len(header) - 1)}"]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]


def shown(seconds: float) -> str:
    """Write a time in milliseconds, or in seconds from one second."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def times(ratio: float) -> str:
    """Write a ratio."""
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def report_peers(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of ours and the other tools on the same tags."""
    floor, compute = "ours floor", "ours compute span_f"
    agreeing = {
        case: timings.values[case]
        for case in (
            "ours columns span_f",
            "ours span_f batched",
            compute,
            "ours compute seqeval",
            "seqeval f1_score",
            "seqeval compute",
            "seqscore score_label_sequences",
            "nervaluate evaluate",
            "nervaluate strict alone",
        )
    }
    if not all(math.isclose(value, agreeing[compute], abs_tol=1e-12) for value in agreeing.values()):
        sys.exit(f"the tools do not agree: {agreeing}")

    def row(text: str, case: str) -> tuple[str, str, str, str]:
        return text, shown(timings[case]), times(timings.ratio(case, floor)), times(timings.ratio(case, compute))

    lists = [
        row("seqeval, `classification_report` and `accuracy_score` behind `evaluate`", "seqeval compute"),
        row("**`seqeval.compute`**, the drop-in for it", "ours compute seqeval"),
        row("seqeval, `f1_score`", "seqeval f1_score"),
        row('seqscore, `score_label_sequences(..., "BIO", repair="conlleval")`', "seqscore score_label_sequences"),
        row('nervaluate, `Evaluator(..., loader="list")`: reading the tags', "nervaluate load"),
        row("nervaluate, its `StrictEvaluation` alone, on what is read", "nervaluate strict alone"),
        row("nervaluate, `Evaluator.evaluate()`: four schemes, by label too", "nervaluate evaluate"),
        row("**`span_f.compute`**", compute),
        row("`span_f.compute(details=True)`: by label too", "ours compute span_f details"),
        *(row(f"`{name}.compute`", f"ours compute {name}") for name in OTHERS),
    ]
    columns = [
        row("dictionary-encoding both columns: the floor", floor),
        *(row(f"`{name}`: decode, count, score", f"ours columns {name}") for name in MEASURES),
        row("the floor, in batches of 1,000 sentences", "ours floor batched"),
        row("`span_f`, in batches of 1,000 sentences", "ours span_f batched"),
    ]
    batched = timings.ratio("ours span_f batched", "ours floor batched")
    goals += [
        Goal(
            "seqeval.compute, the drop-in, times as fast as seqeval behind evaluate",
            timings.ratio("seqeval compute", "ours compute seqeval"),
            30,
            True,
        ),
        Goal("span_f from Arrow columns, times the floor", timings.ratio("ours columns span_f", floor), 2.5),
        Goal("the same in batches of 1,000 sentences", batched, 2.5),
        Goal(
            "span_f.compute from lists, times as fast as seqeval behind evaluate",
            timings.ratio("seqeval compute", compute),
            20,
            True,
        ),
        Goal(
            "the same with details=True",
            timings.ratio("seqeval compute", "ours compute span_f details"),
            20,
            True,
        ),
    ]
    goals += [
        Goal(f"{name}.compute, times span_f.compute", timings.ratio(f"ours compute {name}", compute), 2)
        for name in OTHERS
    ]
    header = ("median", "times the floor", "times `span_f.compute`")
    return [
        "## Against other tools",
        "",
        "928,700 tokens in 69,060 sentences, IOB2, 112,960 reference and 113,640 predicted spans. All tools find the "
        f"same F1, {agreeing[compute]:.6f} (checked to 1e-12).",
        "",
        *table(("from lists of tags", *header), lists),
        *table(("from Arrow columns, without `evaluate`", *header), columns),
    ]


def report_scale(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of the time per token for 1 to 10 million tokens."""
    rows = []
    cases = {
        "floor": "the floor",
        "columns span_f": "`span_f` from Arrow columns",
        "compute span_f": "`span_f.compute` from lists",
        **{name: f"`{name}`: count and score" for name in MEASURES},
    }
    for case, text in cases.items():
        each = [timings[f"scale {case} {million}000000"] / million for million in MILLIONS]
        rows.append((text, *(f"{seconds * 1000:.1f}" for seconds in each), times(each[-1] / each[0])))
        if case != "floor":
            goals.append(
                Goal(f"{text.replace('`', '')}: time per token at 10 million, times at 1", each[-1] / each[0], 2)
            )
    largest = timings.ratio("scale columns span_f 10000000", "scale floor 10000000")
    goals.append(Goal("span_f from Arrow columns at 10 million tokens, times the floor", largest, 2.5))
    return [
        "## Linear in tokens",
        "",
        "Milliseconds for each million tokens.",
        "",
        *table(("", *(f"{million} million" for million in MILLIONS), "last to first"), rows),
    ]


def report_documents(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of one long document compared with many short ones."""
    rows = []
    for kind in ("flat", "nested"):
        for name in MEASURES:
            one, many = (f"documents {name} {kind} {where}" for where in ("one", "many"))
            if not math.isclose(timings.values[one], timings.values[many], rel_tol=1e-9):
                sys.exit(f"{name}: {timings.values[one]} in one document, {timings.values[many]} in many")
            rows.append(
                (f"`{name}`, {kind}", shown(timings[many]), shown(timings[one]), times(timings.ratio(one, many)))
            )
            goals.append(Goal(f"{name}, {kind} spans: one document, times 10,000", timings.ratio(one, many), 2))
    return [
        "## Linear in the spans of a document",
        "",
        "The same 100,000 reference spans and their predictions are counted and scored. Flat: the spans of the tags "
        "above. Nested: chains of five spans of one label, each inside the previous span (`intersection_f` with "
        "`cap=True`).",
        "",
        *table(("", "10,000 documents", "1 document", "ratio"), rows),
    ]


def report_memory(multiples: dict[str, dict[str, float]], goals: list[Goal]) -> list[str]:
    """Return a table of the peak memory as multiples of the input."""
    texts = {"mapped floor": "the floor, from a memory-mapped file"}
    texts.update({f"mapped {name}": f"`{name}` from a memory-mapped file" for name in MEASURES})
    texts.update({f"lists {name}": f"`{name}.compute` from lists" for name in MEASURES})
    rows = []
    for case, text in texts.items():
        small, large = multiples[case].values()
        rows.append((text, times(small), times(large)))
        if case != "mapped floor":
            goals.append(Goal(f"{text.replace('`', '')}: peak memory, times the input", max(small, large), 3))
    return [
        "## Memory",
        "",
        "Peak memory without the imports, as a multiple of the input's size in Arrow (both columns, 12 bytes per "
        "token). From a file: the figure includes the pages of the file that are read. From lists: the figure does "
        "not include the lists, which are several times larger than the Arrow columns.",
        "",
        *table(("", "928,700 tokens", "9,287,000 tokens"), rows),
    ]


def report_goals(goals: Sequence[Goal]) -> list[str]:
    """Return a list of the goals that are met and not met."""
    rows = [
        (
            goal.text,
            times(goal.value),
            f"{'≥' if goal.at_least else '≤'} {goal.limit:g}",
            "met" if goal.met else "MISSED",
        )
        for goal in goals
    ]
    return ["## Goals", "", *table(("", "measured", "goal", ""), rows)]


def preamble(runs: int) -> list[str]:
    """Return the text on how it was measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return [
        "# Tags: time and memory",
        "",
        "Written by `python benchmarks/tags.py`; see [how it is measured](../README.md).",
        "",
        f"Medians of {runs} runs after a warm-up run, all cases in turn; ratios compare medians. "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} processors; "
        f"{versions}.",
        "",
    ]


def write_processor_times(
    name: str,
    title: str,
    about: str,
    packages: Sequence[str],
    cases: Callable[[], Cases],
    report: Callable[[Timings, list[Goal]], Iterable[str]],
) -> None:
    """Run the command line of a benchmark that measures processor time: run its cases, print and write its report.

    Args:
        name: the name of the script and of its report.
        title: the title of the report.
        about: the docstring of the script.
        packages: the packages whose versions are in the report.
        cases: returns the cases.
        report: returns the text about the times.
    """
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each case (default: %(default)s)")
    runs = parser.parse_args().runs
    timings = measure_cases(cases(), runs, time.process_time)
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    preamble = [
        f"# {title}: time",
        "",
        f"Written by `python benchmarks/{name}.py`; see [how it is measured](../README.md).",
        "",
        f"Medians of {runs} runs after a warm-up run, all cases in turn, in one process; processor time. Python "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} processors; "
        f"{versions}. Load average of the last 15 minutes: {os.getloadavg()[2]:.1f}.",
        "",
    ]
    goals: list[Goal] = []
    lines = list(report(timings, goals))
    text = "\n".join([*preamble, *lines, *report_goals(goals)])
    print(text)
    (HERE / "results" / f"{name}.md").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7, help="counted runs of each case (default: %(default)s)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="only these sections; nothing is written")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be 1 or more")

    chosen = arguments.only or SECTIONS
    goals: list[Goal] = []
    lines: list[str] = []
    raw: dict[str, object] = {}
    for section, names, report in (
        ("peers", ("ours", "seqeval", "seqscore", "nervaluate"), report_peers),
        ("scale", ("scale",), report_scale),
        ("documents", ("documents",), report_documents),
    ):
        if section in chosen:
            timings = measure_time(names, arguments.runs)
            raw[section] = timings.seconds
            lines += report(timings, goals)
    if "memory" in chosen:
        raw["memory"] = measure_memory(min(arguments.runs, 3))
        lines += report_memory(raw["memory"], goals)
    lines = [*preamble(arguments.runs), *lines, *report_goals(goals)]
    print("\n".join(lines))
    if arguments.only is None:
        results = HERE / "results"
        results.mkdir(exist_ok=True)
        (results / "tags.md").write_text("\n".join(lines), encoding="utf-8")
        raw["versions"] = {name: version(name) for name in PACKAGES}
        (results / "tags.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
