"""A process of the benchmark: reads the names of cases, one on each line, runs them, and writes the times."""

from __future__ import annotations

import gc
import json
import sys
import time

import cases
import decoding_cases

PROCESSES = {**cases.PROCESSES, **decoding_cases.PROCESSES}


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr
    chosen = PROCESSES[sys.argv[1]]()
    print(json.dumps(list(chosen)), file=out, flush=True)
    for line in sys.stdin:
        gc.collect()
        start = time.perf_counter(), time.process_time()
        value = chosen[line.strip()]()
        seconds, processor = time.perf_counter() - start[0], time.process_time() - start[1]
        print(json.dumps({"seconds": seconds, "processor": processor, "value": value}), file=out, flush=True)


if __name__ == "__main__":
    main()
