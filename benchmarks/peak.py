"""One measurement of memory in its own process: how much a case raises the peak memory of the process.

    python benchmarks/peak.py write FILE REPEATS    write the Arrow file that is mapped
    python benchmarks/peak.py mapped NAME FILE      score from the file, memory-mapped
    python benchmarks/peak.py lists NAME REPEATS    `evaluate`'s compute, from lists

The case runs once before, on two sentences, so that libraries are loaded completely. The answer is in bytes. `above` is
the peak above the memory that the process had after the imports (and, for lists, with the lists); pages of the mapped
file count as memory of the case. `arrow` is the size of the input in Arrow.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from functools import partial

import inputs
import pyarrow as pa
from cases import compute, encode, evaluate_module, from_columns, measures

BATCH = 1000


def write(file: str, repeats: int) -> None:
    """Write both columns as an Arrow stream in batches as `datasets` writes them."""
    references, predictions = inputs.tag_columns(repeats, batch=BATCH)
    table = pa.table({"references": references, "predictions": predictions})
    with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def mapped(file: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return both columns of the file, memory-mapped."""
    table = pa.ipc.open_stream(pa.memory_map(file)).read_all()
    return table["references"], table["predictions"]


def peak() -> int:
    """Return the peak memory of the process in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def held() -> int:
    """Return the current memory of the process in bytes; if the system does not report it, the peak so far."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return peak()


def nbytes(columns: tuple[pa.ChunkedArray, pa.ChunkedArray]) -> int:
    """Return the number of bytes of offsets and tags."""
    return sum(column.nbytes for column in columns)


def main() -> None:
    form, name, argument = sys.argv[1:]
    if form == "write":
        write(name, int(argument))
        return
    small = tuple(pa.chunked_array([pa.array([["B-PER", "I-PER", "O"], ["O", "B-LOC"]])]) for _ in range(2))
    small_lists = tuple(side.to_pylist() for side in small)
    if form == "mapped":
        case = encode if name == "floor" else partial(from_columns, measures()[name]())
        case(small)
        before = held()
        columns = mapped(argument)
        arrow = nbytes(columns)
        case(columns)
        above = peak() - before
    else:
        import spanometer

        case = partial(compute, evaluate_module(spanometer.path(name)))
        case(small_lists)
        lists = inputs.tag_lists(int(argument))
        before = held()
        case(lists)
        above = peak() - before
        arrow = nbytes(inputs.tag_columns(int(argument)))
    print(json.dumps({"above": above, "arrow": arrow}))


if __name__ == "__main__":
    main()
