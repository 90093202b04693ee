"""The most memory that commands take for large files of every kind, as a table.

    python benchmarks/file_memory.py [--megabytes 48] [--case NAME ...]

Makes the files (seeded, no data needed) in a temporary folder, runs each command in a process of its own, and takes
the largest resident set that the system reports. What is allowed is three times the larger file and 200 MB.

Writes results/file_memory.md beside this file unless cases are named, and prints the table; if a command fails or takes
more than is allowed the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import count
from pathlib import Path

from tqdm import tqdm

from spanometer.version import __version__
from tags import table

HERE = Path(__file__).resolve().parent
DISTINCT = 5000
"""How many documents are made; they are repeated until a file is large enough."""

LABELS = ("PER", "LOC", "ORG", "PROD", "WORK", "TIME")
ALLOWED = 200
REPORTER = (
    "import resource, subprocess, sys; run = subprocess.run(sys.argv[1:], capture_output=True, text=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, run.returncode, run.stderr[-300:])"
)

Document = tuple[list[str], list[tuple[int, int, str]]]
"""The words of a document, and the spans: first token, the one after the last, label."""


def documents(side: str) -> list[Document]:
    """Return documents with the same words for both sides; the system lacks some spans, and names others otherwise."""
    words, noise = random.Random(0), random.Random(side)
    vocabulary = ["".join(words.choices("aeinrstluodé", k=words.randint(2, 11))) for _ in range(40_000)]
    found = []
    for _ in range(DISTINCT):
        row = [vocabulary[min(int(words.paretovariate(0.6)), len(vocabulary)) - 1] for _ in range(words.randint(8, 35))]
        spans = []
        for start in range(words.randrange(4), len(row) - 3, 7):
            span = (start, start + words.randint(1, 3), words.choice(LABELS))
            kind = noise.random() if side == "system" else 1.0
            spans += [] if kind < 0.05 else [(*span[:2], noise.choice(LABELS)) if kind < 0.1 else span]
        found.append((row, spans))
    return found


def tags(document: Document) -> list[str]:
    """Return IOB2 tags."""
    words, spans = document
    row = ["O"] * len(words)
    for start, end, label in spans:
        row[start:end] = [f"B-{label}"] + [f"I-{label}"] * (end - start - 1)
    return row


def characters(document: Document) -> tuple[str, list[tuple[int, int]], list[tuple[int, int, str]]]:
    """Return the text, the bounds of its words, and the spans in characters."""
    words, spans = document
    bounds, place = [], 0
    for word in words:
        bounds.append((place, place + len(word)))
        place += len(word) + 1
    return " ".join(words), bounds, [(bounds[start][0], bounds[end - 1][1], label) for start, end, label in spans]


def dicts(spans: list[tuple[int, int, str]], **more: object) -> list[dict[str, object]]:
    return [{"start": start, "end": end, "label": label, **more} for start, end, label in spans]


def row(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def columns(document: Document, number: int) -> str:
    return "".join(f"{word} {tag}\n" for word, tag in zip(document[0], tags(document), strict=True)) + "\n"


def tag_lines(document: Document, number: int) -> str:
    return row({"tokens": document[0], "tags": tags(document)})


def attributes(document: Document, number: int) -> str:
    # the spans must be the same on both sides: one for each sixth token
    draw = random.Random(f"{document[1]} {number}")
    spans = [(start, start + 2, "SYMP") for start in range(0, len(document[0]) - 2, 6)]
    found = [
        {**span, "attributes": {"negated": draw.random() < 0.5, "certainty": draw.choice(("low", "high"))}}
        for span in dicts(spans)
    ]
    return row({"tokens": document[0], "spans": found})


def trees(document: Document, number: int) -> str:
    entities = [
        {
            "start": start,
            "end": end,
            "types": [label],
            "components": [{"start": start, "end": start + 1, "label": "name"}],
        }
        for start, end, label in document[1]
    ]
    return row({"tokens": document[0], "entities": entities})


def markup(document: Document, number: int) -> str:
    words = list(document[0])
    for start, end, _ in document[1]:
        words[start] = f"<pers.ind> <name> {words[start]}"
        words[end - 1] += " </name> </pers.ind>"
    return " ".join(words) + "\n"


def hipe(document: Document, number: int) -> str:
    head = "TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\n" if number == 0 else ""
    rows = "".join(f"{word}\t{tag}\t{tag}\n" for word, tag in zip(document[0], tags(document), strict=True))
    return f"{head}# document_id = d{number}\n{rows}\n"


def texts(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    return row({"id": str(number), "text": text, "spans": dicts(spans)})


def tokens(document: Document, number: int) -> str:
    return row({"id": str(number), "unit": "token", "tokens": document[0], "spans": dicts(document[1])})


def doccano(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    return row({"id": number, "text": text, "label": spans})


def prodigy(document: Document, number: int) -> str:
    text, bounds, spans = characters(document)
    found = [{"text": text[start:end], "start": start, "end": end, "id": at} for at, (start, end) in enumerate(bounds)]
    hashes = {"_input_hash": number, "_task_hash": number, "answer": "accept"}
    return row({"text": text, **hashes, "tokens": found, "spans": dicts(spans)})


def label_studio(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    result = [
        {
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
        }
        for start, end, label in spans
    ]
    task = {"id": number, "data": {"text": text}, "annotations": [{"id": number, "result": result}]}
    return ("[" if number == 0 else ",") + row(task)


def pubtator(document: Document, number: int) -> str:
    text, _, spans = characters(document)
    rows = "".join(f"{number}\t{start}\t{end}\t{text[start:end]}\t{label}\n" for start, end, label in spans)
    return f"{number}|t|{text}\n{number}|a|\n{rows}\n"


FORMS: dict[str, tuple[str, Callable[[Document, int], str], str]] = {
    "columns": ("conll", columns, ""),
    "tag lines": ("tags.jsonl", tag_lines, ""),
    "attributes": ("attributes.jsonl", attributes, ""),
    "trees": ("trees.jsonl", trees, ""),
    "markup": ("quaero.txt", markup, ""),
    "HIPE": ("hipe.tsv", hipe, ""),
    "texts": ("texts.jsonl", texts, ""),
    "tokens": ("tokens.jsonl", tokens, ""),
    "Doccano": ("doccano.jsonl", doccano, ""),
    "Prodigy": ("prodigy.jsonl", prodigy, ""),
    "Label Studio": ("label_studio.json", label_studio, "]\n"),
    "PubTator": ("pubtator.txt", pubtator, ""),
}
"""The end of the name, what writes a document, and what comes last."""

_FEW = "--resamples 100 --permutations 100"
CASES = [
    *(("score {gold} {system}", form) for form in FORMS if form not in ("trees", "markup", "HIPE")),
    *(("eter {gold} {system}", form) for form in ("trees", "markup", "HIPE")),
    ("score {gold} {system} --confidence 0.95 --resamples 100", "columns"),
    ("agree {gold} {system}", "columns"),
    (f"compare {{gold}} {{system}} {{system}} {_FEW}", "columns"),
    (f"compare {{gold}} {{system}} {{system}} {_FEW}", "texts"),
    ("errors {gold} {system}", "columns"),
    ("spread {gold} {system}", "columns"),
    ("validate {gold}", "columns"),
    ("validate {gold}", "texts"),
    ("advise {gold}", "columns"),
    ("advise {gold} --spans spans", "tokens"),
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
    options = parser.parse_args()
    cases = [case for case in CASES if options.case is None or {case[0].split()[0], case[1]} & set(options.case)]
    rows, failures = [], []
    with tempfile.TemporaryDirectory() as folder:
        made = dict.fromkeys(form for _, form in cases)
        for form in tqdm(made, desc="files", disable=None):
            made[form] = written(Path(folder), form, options.megabytes * 1_000_000)
        for command, form in tqdm(cases, disable=None):
            peak, problem = measured(command, made[form], Path(folder))
            larger = max(path.stat().st_size for path in made[form].values()) / 1e6
            allowed = 3 * larger + ALLOWED
            shown = command.format(gold="GOLD", system="SYSTEM", out="FILE")
            rows.append([f"`{shown}`", form, f"{larger:.0f}", f"{peak:.0f}", f"{allowed:.0f}"])
            failures += [f"{shown}, {form}: {problem or 'takes too much'}"] if problem or peak > allowed else []
            print(*rows[-1], problem, file=sys.stderr, flush=True)
    text = report(rows)
    if options.case is None:
        (HERE / "results" / "file_memory.md").write_text(text, encoding="utf-8")
    print(text, *failures, sep="\n")
    return 1 if failures else 0


def written(folder: Path, form: str, size: int) -> dict[str, Path]:
    """Write both sides of a form; return their paths."""
    ending, write, last = FORMS[form]
    found, length = {}, None
    for side in ("gold", "system"):
        found[side] = folder / f"{side}.{ending}"
        with open(found[side], "w", encoding="utf-8") as file:
            for number, document in repeated(documents(side)):
                file.write(write(document, number))
                if number + 1 == length or (length is None and number % 100 == 0 and file.tell() >= size):
                    length = number + 1
                    break
            file.write(last)
    return found


def repeated(made: list[Document]) -> Iterator[tuple[int, Document]]:
    for number in count():
        yield number, made[number % len(made)]


def measured(command: str, paths: dict[str, Path], folder: Path) -> tuple[float, str]:
    """Return the largest resident set of a command in MB, and what went wrong."""
    out = folder / "out"
    out.unlink(missing_ok=True)
    words = command.format(**paths, out=out).split()
    run = [sys.executable, "-c", REPORTER, sys.executable, "-m", "spanometer", *words]
    peak, status, problem = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split(" ", 2)
    return int(peak) * 1024 / 1e6, problem.strip() if int(status) else ""


def report(rows: list[list[str]]) -> str:
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pyarrow"))
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    return f"""# Memory of commands

Written by `python benchmarks/file_memory.py`; see [how it is measured](../README.md).

{system}; spanometer {__version__}, {versions}. Sizes in MB (10^6 bytes): the larger file,
the largest resident set of the process, interpreter and libraries (60 to 80) included, and what is allowed, three times
the file and {ALLOWED}.

{chr(10).join(table(["command", "form of the files", "larger file", "peak", "allowed"], rows))}"""


if __name__ == "__main__":
    sys.exit(main())
