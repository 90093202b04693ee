"""Time of scoring Parquet files by two Dask workers, compared with one process with one thread.

    python benchmarks/clusters.py [--millions 100] [--files 8] [--rounds 1]

Writes random tags to Parquet files in a temporary folder (1 MB for each million tokens), scores them alternately in
both ways, checks that the counts are equal, and writes results/clusters.md beside this file; --no-table only prints.
Needs the extra `dask`, and a machine with two idle cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

from spanometer.analysis.scores.streams import Reading, Tally
from spanometer.integrations.dask import count_part, plan, tally

HERE = Path(__file__).resolve().parent
WORKERS = 2
GOAL = 1.4
MEMORY = 1 << 30
NAMES = ("O", *(f"{prefix}-{label}" for label in ("LOC", "MISC", "ORG", "PER") for prefix in "BI"))
MEASURES = ("span_f",)
ROW_GROUP = 100_000


def write(folder: Path, tokens: int, files: int) -> int:
    """Write files of sentences of 5 to 24 tokens.

    One tag in five is not O, and a tenth of the system's tags are random.
    """
    generator = np.random.default_rng(0)
    written = 0
    for number in range(files):
        lengths = generator.integers(5, 25, size=int(tokens / files / 14.5))
        offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        size = int(offsets[-1])
        references = np.where(generator.random(size) < 0.8, 0, generator.integers(1, len(NAMES), size))
        predictions = np.where(generator.random(size) < 0.1, generator.integers(0, len(NAMES), size), references)
        columns = {
            side: pa.ListArray.from_arrays(
                offsets, pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int8)), NAMES).cast(pa.string())
            )
            for side, codes in (("references", references), ("predictions", predictions))
        }
        pq.write_table(pa.table(columns), folder / f"part-{number:03}.parquet", row_group_size=ROW_GROUP)
        written += size
    return written


def reading() -> Reading:
    return Reading.of(MEASURES, scheme="IOB2")


def alone(folder: str) -> None:
    """Score in one process with one thread, and print the seconds and the counts."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    begun = time.perf_counter()
    found: Tally | None = None
    for part in plan(folder, reading()):
        counted = count_part(part, reading())
        found = counted if found is None else (found + counted).condensed()
    print(time.perf_counter() - begun, peak(), found.counts["span_f"].total(), sep="|")


def peak() -> int:
    """Return the peak memory of the process in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def run_alone(folder: Path) -> tuple[float, int, str]:
    """Return seconds, peak memory and counts of one process."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [sys.executable, __file__, "--alone", str(folder)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **threads},
    )
    seconds, memory, counts = done.stdout.strip().split("|")
    return float(seconds), int(memory), counts


def run_cluster(client: Client, folder: Path) -> tuple[float, str]:
    """Return seconds and counts of the workers of a running cluster."""
    begun = time.perf_counter()
    found = tally(folder, reading(), client=client, progress=False)
    return time.perf_counter() - begun, str(found.counts["span_f"].total())


def measure(folder: Path, tokens: int, rounds: int) -> str:
    """Run both ways alternately, and return the page about them."""
    times: dict[str, list[float]] = {"alone": [], "workers": []}
    memory_alone = 0
    before = os.getloadavg()[0]
    address = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, memory_limit=MEMORY, **address) as cluster,
        Client(cluster) as client,
    ):
        # workers import what they need when they are first asked, and one process before its clock runs
        first = plan(folder, reading())[:1]
        client.run(count_part, replace(first[0], groups=first[0].groups[:1]), reading())
        for _ in range(rounds):
            seconds, memory, expected = run_alone(folder)
            times["alone"].append(seconds)
            memory_alone = max(memory_alone, memory)
            seconds, found = run_cluster(client, folder)
            times["workers"].append(seconds)
            if found != expected:
                sys.exit(f"other counts: {found}, {expected}")
        memory = max(client.run(peak).values())
    one, several = (statistics.median(times[name]) for name in ("alone", "workers"))
    ratio = one / several
    load = os.getloadavg()[0]
    size = sum(file.stat().st_size for file in folder.iterdir())
    rows = (
        ("one process, one thread", one, memory_alone),
        (f"{WORKERS} Dask workers, one thread each", several, memory),
    )
    lines = [
        "# Parquet files on a cluster",
        "",
        f"{tokens:,} tokens per side, {', '.join(MEASURES)}; {len(list(folder.iterdir()))} files, {size / 1e6:,.0f} "
        f"MB, row groups of {ROW_GROUP:,} documents. The tags are random (seeded). Medians of {rounds} run(s) of "
        "each, in turn. The counts are the same to the last bit. A worker may use 1 GiB; the table shows the peak of a "
        "process.",
        "",
        "| | seconds | million tokens a second | peak memory a process |",
        "|---|---|---|---|",
        *(
            f"| {name} | {took:.2f} | {tokens / took / 1e6:.1f} | {held / 2**20:,.0f} MiB |"
            for name, took, held in rows
        ),
        "",
        f"{ratio:.2f} times as fast (goal: {GOAL}, {'met' if ratio >= GOAL else 'missed'}); memory of a worker under "
        f"1 GiB: {'met' if memory < MEMORY else 'missed'}.",
        "",
        f"{os.cpu_count()} cores ({platform.machine()}), load {before:.1f} before the runs and {load:.1f} after them; "
        + ", ".join(
            [f"Python {platform.python_version()}", *(f"{n} {version(n)}" for n in ("pyarrow", "numpy", "distributed"))]
        )
        + ".",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--millions", type=float, default=100)
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--no-table", action="store_true")
    parser.add_argument("--alone", metavar="FOLDER")
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return
    with tempfile.TemporaryDirectory(prefix="spanometer-") as folder:
        # in a process of its own: on Linux a process begins with the peak of the one that starts it
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as writer:
            tokens = writer.submit(write, Path(folder), int(options.millions * 1e6), options.files).result()
        page = measure(Path(folder), tokens, options.rounds)
    print(page)
    if not options.no_table:
        (HERE / "results" / "clusters.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
