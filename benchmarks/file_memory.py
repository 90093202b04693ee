"""Peak memory of commands for large files of every kind, as a table.

    python benchmarks/file_memory.py [--megabytes 48] [--case NAME ...]

Creates the files (with a seed, without data) in a temporary folder, runs each command in its own process, and measures
the largest resident set that the system reports. The limit is three times the larger file plus 200 MB; for nested
spans it is 500 MB, and a command may instead raise an error about the number of their pairs.

Writes results/file_memory.md beside this file unless cases are named, and prints the table. If a command fails or
exceeds its limit, the exit status is 1.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from memory_forms import FORMS, plain_size, word_list, written
from tqdm import tqdm

from spanometer.version import __version__
from tags import table

HERE = Path(__file__).resolve().parent
ALLOWED = 200
ALLOWED_NESTED = 500
REFUSED = "pairs of overlapping"
HEADER = ["command", "form of the files", "larger file", "peak", "allowed"]
SIDES = ("gold", "system", "third")
REPORTER = (
    "import resource, subprocess, sys; run = subprocess.run(sys.argv[1:], capture_output=True, text=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, run.returncode, run.stderr[-300:])"
)

_OTHERS = ("trees", "markup", "HIPE", "answers", "nested spans")
# long documents, whose level of chance would take many minutes
_LONG = [name for name, form in FORMS.items() if form.together > 1]
_DOCUMENTS = (*(form for form in _LONG if "BioC" not in form), "CoNLL-U", "spaCy DocBin")
_ANY_SPANS = ("span_f", "token_f", "link_f", "bcubed", "semeval_f", "fair_f", "matched_f", "sl_icm", "gamma")
_FEW = "--n-resamples 100 --n-permutations 100"
CASES = [
    *(("score {gold} {system}", form) for form in FORMS if form not in (*_OTHERS, *_LONG)),
    *(("score {gold} {system} --measures span_f", form) for form in _LONG),
    *(("eter {gold} {system}", form) for form in ("trees", "markup", "HIPE")),
    ("score {gold} {system} --grounding strict --measures span_f", "answers"),
    ("score {gold} {system} --measures sl_icm(token_probabilities=@{words})", "columns"),
    ("score {gold} {third} {system} --references 2", "columns"),
    ("score {gold} {third} {system} --references 2", "texts"),
    ("score {gold} {system} --confidence 0.95 --n-resamples 100", "columns"),
    ("agree {gold} {system}", "columns"),
    ("agree {gold} {system} {third}", "columns"),
    ("agree {gold} {system} {third}", "texts"),
    ("agree {gold} {system} {third} --disagreements -o {out}.csv", "columns"),
    ("consensus {gold} {system} {third} -o {out}", "columns"),
    ("consensus {gold} {system} {third} -o {out}", "texts"),
    (f"compare {{gold}} {{system}} {{system}} {_FEW}", "columns"),
    (f"compare {{gold}} {{system}} {{system}} {_FEW}", "texts"),
    ("errors {gold} {system}", "columns"),
    ("errors {gold} {system}", "texts"),
    *((f"score {{gold}} {{system}} --measures {name}", "nested spans") for name in _ANY_SPANS),
    ("errors {gold} {system}", "nested spans"),
    ("agree {gold} {system} {third} --measures chance_kappa_f1(placement=independent)", "nested spans"),
    ("consensus {gold} {system} {third} -o {out}", "nested spans"),
    ("spread {gold} {system}", "columns"),
    ("validate {gold}", "columns"),
    ("validate {gold}", "texts"),
    *(("validate {gold}", form) for form in _DOCUMENTS),
    ("advise {gold}", "columns"),
    ("advise {gold} --spans-key spans --format jsonl", "tokens"),
    ("convert {gold} -o {out} --to IOBES", "columns"),
    ("convert {gold} -o {out} --to doccano", "texts"),
    ("convert {gold} -o {out} --to IOB2 --tokenizer words --lossy", "texts"),
    ("transform {gold} -o {out} --apply label_noise", "columns"),
    ("transform {gold} -o {out} --as-spans --apply label_noise", "columns"),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=48, help="size of the larger file")
    parser.add_argument("--case", action="append", help="only commands, or forms, of this name; may be repeated")
    parser.add_argument("--update", action="store_true", help="with --case: replace these rows of the table")
    options = parser.parse_args()
    cases = [case for case in CASES if options.case is None or {case[0].split()[0], *case} & set(options.case)]
    rows, failures = {}, []
    with tempfile.TemporaryDirectory() as name:
        for form in tqdm(dict.fromkeys(form for _, form in cases), disable=None):
            folder = Path(name) / "files"
            folder.mkdir()
            commands = [command for command, of_form in cases if of_form == form]
            sides = [side for side in SIDES if any(f"{{{side}}}" in command for command in commands)]
            paths = written(folder, form, options.megabytes * 1_000_000, sides)
            if any("{words}" in command for command in commands):
                paths["words"] = folder / "words.tsv"
                word_list(paths["words"], options.megabytes * 1_000_000)
            larger = max(map(plain_size, paths.values())) / 1e6
            allowed = ALLOWED_NESTED if form == "nested spans" else 3 * larger + ALLOWED
            for command in commands:
                peak, problem = measured(command, paths, folder)
                refused = form == "nested spans" and REFUSED in problem
                problem = "" if refused else problem
                cells = [
                    shown(command) + " (refused)" * refused,
                    form,
                    f"{larger:.0f}",
                    f"{peak:.0f}",
                    f"{allowed:.0f}",
                ]
                rows[command, form] = cells
                failures += [f"{cells[0]}, {form}: {problem or 'takes too much'}"] if problem or peak > allowed else []
                print(*cells, problem, file=sys.stderr, flush=True)
            shutil.rmtree(folder)
    results = HERE / "results" / "file_memory.md"
    known = {} if options.case is None else rows_of(results)
    ordered = [rows.get(case, known.get((shown(case[0]), case[1]))) for case in CASES]
    if options.case is None or options.update:
        results.write_text(report([row for row in ordered if row]), encoding="utf-8")
    print(*table(HEADER, list(rows.values())), *failures, sep="\n")
    return 1 if failures else 0


def shown(command: str) -> str:
    return f"`{command.format(**{side: side.upper() for side in SIDES}, words='WORDS', out='FILE')}`"


def rows_of(results: Path) -> dict[tuple[str, str], list[str]]:
    """Return the rows of the existing table, by command and form."""
    lines = [line for line in results.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {(row[0].removesuffix(" (refused)"), row[1]): row for row in found}


def measured(command: str, paths: dict[str, Path], folder: Path) -> tuple[float, str]:
    """Return the largest resident set of a command in MB, and its error if there is one."""
    out = folder / "out"
    for file in folder.glob("out*"):
        file.unlink()
    words = command.format(**paths, out=out).split()
    run = [sys.executable, "-c", REPORTER, sys.executable, "-m", "spanometer", *words]
    peak, status, problem = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split(" ", 2)
    return int(peak) * 1024 / 1e6, problem.strip() if int(status) else ""


def report(rows: list[list[str]]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pyarrow"))
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return f"""# Memory of commands

Written by `python benchmarks/file_memory.py`; see [how it is measured](../README.md).

{system}; spanometer {__version__}, {versions}. Sizes are in MB (10^6 bytes). Peak: the largest
resident set of the process, with interpreter and libraries (60 to 80). Allowed: three times the larger file and
{ALLOWED}, or {ALLOWED_NESTED} for 3,000 nested spans. Other input, such as a list of words, may take more.

{chr(10).join(table(HEADER, rows))}"""


if __name__ == "__main__":
    sys.exit(main())
