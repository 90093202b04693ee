"""Time of `eter`: from ten thousand to a million entities, and ten thousand in one document.

    python benchmarks/eter.py [--runs 3]

Writes results/eter.md and results/eter.json beside this file, prints the table, and says whether each goal is met; the
exit status is always 0.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from random import Random

import evaluate
import pyarrow as pa

import spanometer
from spanometer.measures import Eter
from spanometer.spans.entities import ENTITIES, Entities
from tags import Cases, Goal, Timings, measure_cases, report_goals, shown, table

HERE = Path(__file__).resolve().parent
PACKAGES = ("spanometer", "evaluate", "datasets", "pyarrow", "numpy", "scipy")

ENTITIES_PER_DOCUMENT = 10
DOCUMENTS = (1_000, 10_000, 100_000)
"""The numbers of documents; there are ten times as many entities."""

ONE_DOCUMENT = 10_000
"""The number of entities in the one document."""

FORMS_DOCUMENTS = 1_000
"""The number of documents that are also scored with `evaluate`, as dictionaries and as markup."""

NATIONS, TOWNS = ("loc.adm.nat", "loc.adm.reg"), ("loc.adm.town", "loc.phys.geo", "loc.oro")
PERSONS, GROUPS = ("pers.ind", "pers.coll"), ("org.ent", "org.adm")
OTHERS = ("time.date.abs", "time.date.rel", "amount", "prod.media", "prod.object", "event")
TYPES = (*NATIONS, *TOWNS, *PERSONS, *GROUPS, *OTHERS, "func.ind", "func.coll")
COMPONENTS = ("name", "name.first", "name.last", "kind", "qualifier", "title", "val", "unit", "day", "month", "year")

Entity = dict[str, object]


class Writer:
    """Creates documents of entities like an annotator's, and a system's output for them, with a seed.

    A document has about ten words for each entity. A tenth of the outermost entities are functions that contain another
    entity (also as a component), which can contain a third. One entity in twenty is metonymic.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def document(self, entities: int) -> list[Entity]:
        """Create a reference document with this number of entities."""
        found: list[Entity] = []
        position = 0
        while len(found) < entities:
            position += self.random.randrange(2, 16)
            # without the outer ones where there is no room for all
            tree = self.tree(position)[len(found) - entities :]
            found += tree
            position = tree[0]["end"]
        return found

    def tree(self, start: int) -> list[Entity]:
        """Create an entity and the entities inside it, the outermost first."""
        kind = self.random.random()
        if kind < 0.1:
            inner = self.tree(start + 2)
            end = inner[0]["end"]
            components = [_part(start, start + 1, "kind"), _part(inner[0]["start"], end, inner[0]["types"][0])]
            return [_entity(start, end, [self.random.choice(("func.ind", "func.coll"))], components), *inner]
        length = self.random.choice((1, 1, 1, 2, 2, 2, 3, 4, 6))
        types = [self.random.choice(TYPES[:-2])]
        if self.random.random() < 0.05:
            types.append(self.random.choice([type_ for type_ in TYPES[:-2] if type_ != types[0]]))
        components = [
            _part(start + at, start + at + 1, self.random.choice(COMPONENTS))
            for at in range(length)
            if self.random.random() < 0.75
        ]
        return [_entity(start, start + length, types, components)]

    def output(self, document: list[Entity]) -> list[Entity]:
        """Create a system's output: a third of the entities have an error, some are missing, some are invented."""
        found = []
        for entity in document:
            start, end = entity["start"], entity["end"]
            types, components = list(entity["types"]), [dict(part) for part in entity["components"]]
            chance = self.random.random()
            if chance < 0.1:
                continue
            if chance < 0.18:
                types[0] = self.random.choice([type_ for type_ in TYPES if type_ not in types])
            elif chance < 0.26:
                # one word more, before or behind
                start, end = (start - 1, end) if self.random.random() < 0.5 else (start, end + 1)
            elif chance < 0.36 and components:
                components[self.random.randrange(len(components))]["label"] = self.random.choice(COMPONENTS)
            elif chance < 0.42 and components:
                del components[self.random.randrange(len(components))]
            elif chance < 0.46:
                types = types[:1]
            found.append(_entity(start, end, types, components))
            if chance > 0.95:
                found += self.tree(end + 1)
        return found


def _entity(start: int, end: int, types: list[str], components: list[Entity]) -> Entity:
    return {"start": start, "end": end, "types": types, "components": components}


def _part(start: int, end: int, label: str) -> Entity:
    return {"start": start, "end": end, "label": label}


@dataclass
class Columns:
    """Both sides as Arrow columns."""

    references: pa.ChunkedArray
    predictions: pa.ChunkedArray

    def read(self) -> tuple[Entities, Entities]:
        """Convert both sides to entities."""
        return Entities.from_arrow(self.references), Entities.from_arrow(self.predictions)

    def part(self, documents: int) -> Columns:
        """Return the first documents."""
        return Columns(self.references.slice(0, documents), self.predictions.slice(0, documents))


def documents_of(writer: Writer, documents: int) -> tuple[list[list[Entity]], list[list[Entity]]]:
    """Create documents of both sides as Python objects."""
    references = [writer.document(ENTITIES_PER_DOCUMENT) for _ in range(documents)]
    return references, [writer.output(document) for document in references]


def corpus(documents: int) -> Columns:
    """Create a corpus as columns; at most a thousand documents are dictionaries at a time."""
    writer = Writer(0)
    sides: tuple[list[pa.ListArray], list[pa.ListArray]] = ([], [])
    for _ in range(0, documents, 1_000):
        for arrays, side in zip(sides, documents_of(writer, 1_000), strict=True):
            arrays += ENTITIES.arrays(side)
    return Columns(*map(pa.chunked_array, sides))


def one_document(entities: int, *, tied: bool = False) -> Columns:
    """Create one document.

    If `tied`, both sides also have an entity over the whole document, which overlaps all others.
    """
    writer = Writer(1)
    reference = writer.document(entities - tied)
    prediction = writer.output(reference)
    if tied:
        end = max(entity["end"] for entity in reference + prediction)
        for side in (reference, prediction):
            side.insert(0, _entity(0, end, ["prod.media"], []))
    return Columns(*(pa.chunked_array(ENTITIES.arrays([side])) for side in (reference, prediction)))


def stages(name: str, columns: Columns) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the cases of reading the columns, of counting, of scoring, and of all together."""
    measure = Eter()
    sides = columns.read()
    counts = measure.counts(*sides)
    yield f"{name} read", lambda: len(columns.read()[0])
    yield f"{name} count", lambda: len(measure.counts(*sides).labels)
    yield f"{name} score", lambda: measure.score(counts)
    yield f"{name} all", lambda: measure.score(measure.counts(*columns.read()))


def markup(document: list[Entity]) -> str:
    """Write a reference document of a `Writer` as markup; its entities and components do not cross."""
    tags = [(entity["start"], entity["end"], "+".join(entity["types"])) for entity in document]
    parts = (part for entity in document for part in entity["components"] if part["label"] in COMPONENTS)
    tags += [(part["start"], part["end"], part["label"]) for part in parts]
    words = ["word"] * (max((end for _, end, _ in tags), default=0) + 1)
    # from the innermost tags out
    for start, end, name in sorted(tags, key=lambda tag: (tag[0], -tag[1]))[::-1]:
        words[start] = f"<{name}> {words[start]}"
        words[end - 1] += f" </{name}>"
    return " ".join(words)


def forms_cases() -> Cases:
    """Return the cases of the module with `evaluate`, from dictionaries and from markup, and of reading both."""
    references, predictions = documents_of(Writer(2), FORMS_DOCUMENTS)
    # markup cannot write entities that cross, as outputs have them
    written = list(map(markup, references))
    modules = {form: evaluate.load(spanometer.path("eter"), form) for form in ("entities", "markup")}
    dictionaries = {"predictions": predictions, "references": references}
    same = {"predictions": written, "references": written}
    return {
        "dictionaries to Arrow": lambda: [len(ENTITIES.arrays(side)) for side in (references, predictions)],
        "evaluate entities": lambda: modules["entities"].compute(**dictionaries),
        "evaluate markup": lambda: modules["markup"].compute(**same),
    }


def report_corpora(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of corpora of growing size."""
    rows = []
    per_entity = {}
    for documents in DOCUMENTS:
        entities = documents * ENTITIES_PER_DOCUMENT
        per_entity[entities] = timings[f"{documents} all"] / entities
        rows.append(
            (
                f"{entities:,}",
                f"{documents:,}",
                *(shown(timings[f"{documents} {stage}"]) for stage in ("read", "count", "score", "all")),
                f"{per_entity[entities] * 1e6:.2f} µs",
                f"{timings.values[f'{documents} all']['eter']:.4f}",
            )
        )
    growth = per_entity[1_000_000] / per_entity[10_000]
    goals.append(Goal("time per entity, 1,000,000 to 10,000 entities", growth, 3))
    return [
        "## Corpora",
        "",
        f"{ENTITIES_PER_DOCUMENT} reference entities per document. About a third of the predicted entities have an "
        "error. Read: from both Arrow columns to entities. Count: alignments of entities, components and slots. Score: "
        "the rates. All: these three steps.",
        "",
        *table(("entities", "documents", "read", "count", "score", "all", "per entity", "ETER"), rows),
    ]


def report_documents(timings: Timings) -> list[str]:
    """Return a table of one document with ten thousand entities."""
    rows = [
        (
            text,
            *(shown(timings[f"{name} {stage}"]) for stage in ("read", "count", "score", "all")),
            f"{timings[f'{name} all'] / ONE_DOCUMENT * 1e6:.2f} µs",
            f"{timings.values[f'{name} all']['eter']:.4f}",
        )
        for name, text in (("document", "as in the corpora"), ("tied", "with an entity over all of it on both sides"))
    ]
    return [
        f"## One document of {ONE_DOCUMENT:,} entities",
        "",
        "In the second row, both sides also have an entity from the first to the last word, so all entities are one "
        "group in the assignment.",
        "",
        *table(("", "read", "count", "score", "all", "per entity", "ETER"), rows),
    ]


def report_forms(timings: Timings) -> list[str]:
    """Return a table of the module with `evaluate`."""
    entities = FORMS_DOCUMENTS * ENTITIES_PER_DOCUMENT
    rows = [
        (text, shown(timings[name]), f"{timings[name] / entities * 1e6:.2f} µs")
        for name, text in (
            ("dictionaries to Arrow", "both sides from dictionaries to Arrow"),
            ("evaluate entities", "`compute`, configuration `entities`"),
            ("evaluate markup", "`compute`, configuration `markup` (the reference against itself)"),
        )
    ]
    return [
        "## Under `evaluate`",
        "",
        f"{entities:,} entities in {FORMS_DOCUMENTS:,} documents, with the time for storing and reading.",
        "",
        *table(("", "time", "per entity"), rows),
    ]


def preamble(runs: int) -> list[str]:
    """Return the text on how it was measured."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**30
    return [
        "# ETER: time",
        "",
        "Written by `python benchmarks/eter.py`; see [how it is measured](../README.md).",
        "",
        f"Medians of {runs} runs after a warm-up run, all cases in turn, in one process with a peak of {peak:.1f} GiB. "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} "
        f"processors; {versions}. Load average of the last 15 minutes: {os.getloadavg()[2]:.1f}. Above 1, other work "
        "ran at the same time, and a figure may be twice as large as on an idle machine.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="counted runs of each case (default: %(default)s)")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be 1 or more")

    whole = corpus(max(DOCUMENTS))
    cases: Cases = {}
    for documents in DOCUMENTS:
        cases.update(stages(str(documents), whole.part(documents)))
    cases.update(stages("document", one_document(ONE_DOCUMENT)))
    cases.update(stages("tied", one_document(ONE_DOCUMENT, tied=True)))
    cases.update(forms_cases())
    timings = measure_cases(cases, arguments.runs)
    goals: list[Goal] = []
    lines = [*report_corpora(timings, goals), *report_documents(timings), *report_forms(timings)]
    lines = [*preamble(arguments.runs), *lines, *report_goals(goals)]
    print("\n".join(lines))
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "eter.md").write_text("\n".join(lines), encoding="utf-8")
    raw = {"seconds": timings.seconds, "versions": {name: version(name) for name in PACKAGES}}
    (results / "eter.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
