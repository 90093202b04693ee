"""Time of reading exports of annotation tools, compared with `json.loads`, and of converting spans to tokens.

    python benchmarks/exports.py [--megabytes 60] [--runs 7]

Real exports (samples of Doccano and Label Studio in the folder `exports` of the data) are repeated, with new ids, up
to this size, in a temporary folder. Everything runs alternately in one process. Writes results/exports.md beside this
file, prints the table, and says whether each goal is met; the exit status is always 0.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import inputs
import numpy as np
import pyarrow as pa

import spanometer
from spanometer.spans.spans import Spans
from spanometer.spans.texts import Tokens
from spanometer.spans.tokenisation import POLICIES, to_tokens

HERE = Path(__file__).resolve().parent
DOCUMENTS, TOKENS, SPANS = 100_000, 30, 10
READING, CARRYING = 2.0, 2.0
"""The goals: the largest ratio of reading to `json.loads`, and the most seconds for a million spans."""

Cases = dict[str, Callable[[], object]]


def main() -> None:
    """Measure, write and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=60, help="size of the files (60)")
    parser.add_argument("--runs", type=int, default=7, help="rounds that are counted (7)")
    options = parser.parse_args()
    exports = inputs.data_file().parent / "exports"
    lines = [
        "# Reading exports of annotation tools: time",
        "",
        "Written by `python benchmarks/exports.py`; see [how it is measured](../README.md).",
        "",
        f"Fastest of {options.runs} rounds, in seconds of processor time; the ratio is the median of the ratios of "
        f"rounds. Files have {options.megabytes} megabytes. The results of `json.loads` are kept in a list, as readers "
        'of files do. In the column "nothing kept" each result is dropped at once, so the garbage collector has '
        "nothing to search.",
        "",
        "| file | documents | json.loads | nothing kept | ours | ours / json.loads |",
        "|---|---|---|---|---|---|",
    ]
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, sample, ending, more in (
            ("Doccano", "doccano/facebook-es.jsonl", "jsonl", {"offset_unit": "utf-16"}),
            ("Label Studio", "label_studio/ner_saude-bruno.json", "json", {}),
        ):
            path = Path(folder) / f"export.{ending}"
            count = repeat(exports / sample, path, options.megabytes * 1_000_000)
            seconds = measure(reading(path, more), options.runs)
            ratio = statistics.median(
                ours / peer for ours, peer in zip(seconds["ours"], seconds["json.loads"], strict=True)
            )
            worst = max(worst, ratio)
            times = " | ".join(f"{min(seconds[case]):.2f}" for case in ("json.loads", "nothing kept", "ours"))
            lines.append(f"| {name} | {count:,} | {times} | {ratio:.2f} |")
    lines += [
        "",
        f"Goal: at most {READING:g} times `json.loads`: {'met' if worst <= READING else 'MISSED'} ({worst:.2f}).",
        "",
        f"A million spans of characters in {DOCUMENTS:,} documents become spans of tokens ({DOCUMENTS * TOKENS:,}), "
        "in seconds:",
        "",
        "| policy | spans on the bounds of tokens | off by one |",
        "|---|---|---|",
    ]
    tokens, on, off = carried()
    slowest = 0.0
    for policy in POLICIES:
        sides = [on] if policy == "strict" else [on, off]
        best = [
            min(measure({policy: partial(to_tokens, side, tokens, policy=policy)}, options.runs)[policy])
            for side in sides
        ]
        slowest = max(slowest, *best)
        lines.append(
            f"| `{policy}` | {' | '.join(f'{value:.2f}' for value in best)} |{' an error |' * (len(best) == 1)}"
        )
    met = "met" if slowest <= CARRYING else "MISSED"
    lines += ["", f"Goal: {CARRYING:g} seconds: {met} ({slowest:.2f})."]
    text = "\n".join(lines) + "\n"
    (HERE / "results" / "exports.md").write_text(text, encoding="utf-8")
    print(text, end="")


def repeat(sample: Path, path: Path, size: int) -> int:
    """Write the documents of a sample repeatedly, with new ids; returns their number."""
    text = sample.read_text(encoding="utf-8")
    in_lines = path.suffix == ".jsonl"
    rows = [json.loads(line) for line in text.splitlines()] if in_lines else json.loads(text)
    number = written = 0
    with path.open("w", encoding="utf-8") as file:
        file.write("" if in_lines else "[")
        while written < size:
            for row in rows:
                begins = "" if in_lines or not number else ","
                number += 1
                written += file.write(begins + json.dumps({**row, "id": number}, ensure_ascii=False) + "\n" * in_lines)
        file.write("" if in_lines else "]")
    return number


def reading(path: Path, more: dict[str, Any]) -> Cases:
    """Return the cases of reading a file: `json.loads` (by line for JSON lines), result stored or not, and ours."""
    if path.suffix == ".json":
        # nothing to leave out: one array is one object
        return {
            "json.loads": lambda: json.loads(path.read_text(encoding="utf-8")),
            "nothing kept": lambda: json.loads(path.read_text(encoding="utf-8")),
            "ours": lambda: spanometer.read(path, **more),
        }
    return {
        "json.loads": lambda: _all_lines(path),
        "nothing kept": lambda: _each_line(path),
        "ours": lambda: spanometer.read(path, **more),
    }


def _all_lines(path: Path) -> list[Any]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _each_line(path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)


def carried() -> tuple[Tokens, Spans, Spans]:
    """Create tokens of one to nine characters, spans of one to three tokens, and the same spans off by one."""
    rng = np.random.default_rng(0)
    width = rng.integers(1, 10, (DOCUMENTS, TOKENS))
    start = np.cumsum(width + 1, axis=1) - (width + 1)
    end = start + width
    tokens = Tokens(np.arange(0, DOCUMENTS * TOKENS + 1, TOKENS), start.ravel(), end.ravel())
    order = rng.permuted(np.tile(np.arange(TOKENS - 3), (DOCUMENTS, 1)), axis=1)
    first = np.sort(order[:, :SPANS], axis=1)
    last = first + rng.integers(0, 3, (DOCUMENTS, SPANS))
    begin, stop = np.take_along_axis(start, first, 1), np.take_along_axis(end, last, 1)
    lengths = end[:, -1]
    return tokens, _spans(begin, stop, lengths), _spans(begin + 1, np.maximum(stop, begin + 2), lengths)


def _spans(start: np.ndarray, end: np.ndarray, lengths: np.ndarray) -> Spans:
    columns = [pa.array(start.ravel()), pa.array(end.ravel()), pa.array(["PER"] * start.size)]
    values = pa.StructArray.from_arrays(columns, names=["start", "end", "label"])
    offsets = pa.array(np.arange(0, start.size + 1, SPANS, dtype=np.int32))
    return Spans.from_arrow(pa.ListArray.from_arrays(offsets, values), lengths=lengths)


def measure(cases: Cases, runs: int) -> dict[str, list[float]]:
    """Measure all cases alternately, so that all have the same machine load; the first round is not counted."""
    seconds: dict[str, list[float]] = {case: [] for case in cases}
    for number in range(runs + 1):
        for case, run in cases.items():
            gc.collect()
            begin = time.process_time()
            kept = run()
            elapsed = time.process_time() - begin
            del kept
            if number:
                seconds[case].append(elapsed)
        print(f"round {number} of {runs}", file=sys.stderr)
    return seconds


if __name__ == "__main__":
    main()
