"""Time of the modules as they come from the Hub, compared with those of the package.

    python benchmarks/hub.py [--runs 9]

Both are loaded with `evaluate.load` from a folder, one from the checkout and one from the output of
`python -m tools.hub build`, each in its own process, and score the same lists of tags alternately. Writes
results/hub.md beside this file, prints the table, and says whether the goal is met; the exit status is always 0.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import inputs

HERE = Path(__file__).resolve().parent
NAMES = ("span_f", "token_f", "link_f", "bcubed", "intersection_f", "sl_icm", "chance_kappa_f1", "unitizing_alpha")
GOAL = 1.1
"""The goal: the largest ratio of the times."""


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=9, help="rounds that are counted (9)")
    parser.add_argument("--work", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(Path(options.work))
        return
    import spanometer
    from tools.hub.building import build

    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), NAMES)
        checkout = Path(spanometer.path("span_f")).parent
        seconds = measure({"package": checkout, "Hub": Path(folder)}, options.runs)
    lines = [
        "# Modules from the Hub: time",
        "",
        "Written by `python benchmarks/hub.py`; see [how it is measured](../README.md).",
        "",
        f"Fastest of {options.runs} runs after a warm-up run, both sides in turn, because the fastest run suffers "
        "least from other work. The times are seconds of `compute` on lists of 928,700 tags per side.",
        "",
        "| module | package | Hub | Hub / package |",
        "|---|---|---|---|",
    ]
    ratios = []
    for name in NAMES:
        package, hub = (min(seconds[side, name]) for side in ("package", "Hub"))
        ratios.append(hub / package)
        lines.append(f"| `{name}` | {package:.3f} | {hub:.3f} | {hub / package:.2f} |")
    total = sum(min(seconds["Hub", name]) for name in NAMES) / sum(min(seconds["package", name]) for name in NAMES)
    lines.append(f"| all | | | {total:.2f} |")
    met = "met" if max(ratios) <= GOAL else "MISSED"
    lines.append(f"\nGoal: at most {GOAL} times the package's time in every module: {met} ({max(ratios):.2f}).")
    text = "\n".join(lines) + "\n"
    (HERE / "results" / "hub.md").write_text(text, encoding="utf-8")
    print(text, end="")


def measure(folders: dict[str, Path], runs: int) -> dict[tuple[str, str], list[float]]:
    """Measure both sides by module, alternately, so that both have the same machine load.

    The first round is not counted.
    """
    seconds: dict[tuple[str, str], list[float]] = {}
    workers = {
        side: subprocess.Popen(
            [sys.executable, __file__, "--work", str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for side, folder in folders.items()
    }
    for number in range(runs + 1):
        for name in NAMES:
            answers = {side: _ask(worker, name) for side, worker in workers.items()}
            assert len({json.dumps(answer["value"]) for answer in answers.values()}) == 1, name
            if number:
                for side, answer in answers.items():
                    seconds.setdefault((side, name), []).append(answer["seconds"])
        print(f"round {number} of {runs}", file=sys.stderr)
    for worker in workers.values():
        worker.communicate()
    return seconds


def _ask(worker: subprocess.Popen[str], name: str) -> Any:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(f"{name}\n")
    worker.stdin.flush()
    return json.loads(worker.stdout.readline())


def work(folder: Path) -> None:
    """Score in a process of the benchmark: read the names of modules, and write the times."""
    import cases

    out, sys.stdout = sys.stdout, sys.stderr
    references, predictions = inputs.tag_lists()
    modules = {name: cases.evaluate_module(folder / name) for name in NAMES}
    for line in sys.stdin:
        module = modules[line.strip()]
        gc.collect()
        start = time.perf_counter()
        value = module.compute(references=references, predictions=predictions)
        print(json.dumps({"seconds": time.perf_counter() - start, "value": value}), file=out, flush=True)


if __name__ == "__main__":
    main()
