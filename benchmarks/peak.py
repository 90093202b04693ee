"""One measurement of memory, in a process of its own: how far a case raises the process's peak.

    python benchmarks/peak.py write FILE REPEATS    write the Arrow file that is mapped
    python benchmarks/peak.py mapped NAME FILE      score from the file, memory-mapped
    python benchmarks/peak.py lists NAME REPEATS    `evaluate`'s compute, from lists

What runs once before, on two sentences, belongs to the imports: libraries load parts of themselves when first used.
The answer is in bytes: `above`, the peak above what the process held when the imports, and for lists the lists, were
in memory (the pages of the mapped file that are read count as the case's own); and `arrow`, the size of the input in
Arrow.
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
    """Both columns as an Arrow stream in the batches that `datasets` writes."""
    references, predictions = inputs.tag_columns(repeats, batch=BATCH)
    table = pa.table({"references": references, "predictions": predictions})
    with pa.OSFile(file, "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def mapped(file: str) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Both columns of the file, memory-mapped."""
    table = pa.ipc.open_stream(pa.memory_map(file)).read_all()
    return table["references"], table["predictions"]


def peak() -> int:
    """The most bytes that the process has held so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def held() -> int:
    """The bytes that the process holds now; where the system does not tell, the most so far."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return peak()


def nbytes(columns: tuple[pa.ChunkedArray, pa.ChunkedArray]) -> int:
    """Bytes of offsets and tags."""
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
