"""Time of span_attribute, compared with EDS-NLP's metric and plain Python sets on the same spans.

    python benchmarks/attributes.py [--runs 5] [--without-edsnlp]

Writes results/attributes.md and results/attributes.json beside this file, prints the table, and says whether each goal
is met; the exit status is always 0.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import random
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from spanometer.measures import SpanAttribute
from spanometer.spans.attributes import Attributes
from spanometer.version import __version__
from tags import Cases, Goal, Timings, measure_cases, report_goals, shown, table, times

HERE = Path(__file__).resolve().parent
PACKAGES = ("numpy", "scipy", "pyarrow", "edsnlp", "spacy")
DOCUMENTS, SPANS, TOKENS = 20_000, 5, 40
ASKED = {"attributes": {"negated": True, "carrier": ["DIS", "SYMP"]}, "default_values": {"negated": False}}
CARRIERS = ("PATIENT", "FATHER", "MOTHER")
OURS = {
    "ties": "`span_attribute`, from arrays",
    "edsnlp": '`average_precision="edsnlp"`',
    "edsnlp-0.20": '`average_precision="edsnlp-0.20"`',
}

Side = list[list[dict[str, Any]]]


def corpus(seed: int = 0) -> tuple[Side, Side]:
    """Create both sides: spans in text order; the system is right three times out of four and has scores."""
    generator = random.Random(seed)
    references, predictions = [], []
    for _ in range(DOCUMENTS):
        sides: Side = [[], []]
        for start in sorted(generator.sample(range(TOKENS - 1), SPANS)):
            bounds = {"start": start, "end": start + 1, "label": generator.choice(("DIS", "SYMP"))}
            gold = {"negated": generator.random() < 0.3, "carrier": generator.choice(CARRIERS)}
            found = {
                "negated": gold["negated"] ^ (generator.random() < 0.25),
                "carrier": gold["carrier"] if generator.random() < 0.75 else generator.choice(CARRIERS),
            }
            scores = {name: {value: generator.random()} for name, value in found.items()}
            sides[0].append({**bounds, "attributes": gold})
            sides[1].append({**bounds, "attributes": found, "scores": scores})
        references.append(sides[0])
        predictions.append(sides[1])
    return references, predictions


def plain_sets(references: Side, predictions: Side) -> dict[str, int]:
    """Compute tp, support and positives of all attributes with plain sets of items, without average precision."""
    sides = []
    for side in (references, predictions):
        items = set()
        for number, document in enumerate(side):
            for span in document:
                for name, labels in ASKED["attributes"].items():
                    value = span["attributes"].get(name)
                    if value and (labels is True or span["label"] in labels):
                        items.add((number, span["start"], span["end"], name, value))
        sides.append(items)
    reference, predicted = sides
    return {"tp": len(reference & predicted), "support": len(reference), "positives": len(predicted)}


def edsnlp_case(references: Side, predictions: Side) -> Callable[[], dict[str, float]]:
    """Return a function that runs EDS-NLP's metric on documents that are created beforehand."""
    import spacy
    from edsnlp.metrics.span_attribute import SpanAttributeMetric
    from spacy.tokens import Doc, Span

    for name in ASKED["attributes"]:
        Span.set_extension(name, default=None, force=True)
    Span.set_extension("prob", default={}, force=True)
    vocabulary, words = spacy.blank("xx").vocab, ["word"] * TOKENS

    def document(spans: list[dict[str, Any]]) -> Doc:
        doc, group = Doc(vocabulary, words=words), []
        for span in spans:
            found = Span(doc, span["start"], span["end"], label=span["label"])
            for name, value in span["attributes"].items():
                found._.set(name, value)
            found._.prob = span.get("scores", {})
            group.append(found)
        doc.spans["all"] = group
        return doc

    docs = [[document(spans) for spans in side] for side in (references, predictions)]
    metric = SpanAttributeMetric(span_getter={"all": True}, **ASKED)
    return lambda: metric(*docs)["micro"]


def cases(with_edsnlp: bool) -> Cases:
    dicts = corpus()
    sides = [Attributes.from_dicts(side) for side in dicts]
    turned = Attributes.from_dicts([document[::-1] for document in dicts[1]])
    columns = [pa.chunked_array([side.to_arrow()]) for side in sides]

    def scored(references: Attributes, predictions: Attributes, **options: Any) -> dict[str, float]:
        measure = SpanAttribute(**ASKED, **options)
        return measure.score(measure.counts(references, predictions))["micro"]

    found: Cases = {name: lambda name=name: scored(sides[0], sides[1], average_precision=name) for name in OURS}
    found["turned"] = lambda: scored(sides[0], turned)
    found["columns"] = lambda: scored(*(Attributes.from_arrow(column) for column in columns))
    found["dicts"] = lambda: scored(*(Attributes.from_dicts(side) for side in dicts))
    found["plain sets"] = lambda: plain_sets(*dicts)
    if with_edsnlp:
        found["EDS-NLP"] = edsnlp_case(*dicts)
    return found


def require_same(timings: Timings) -> None:
    """Stop unless all cases have counted the same items, and EDS-NLP has our average precision."""
    ours = timings.values["edsnlp"]
    for name, values in timings.values.items():
        for key in ("tp", "support", "positives"):
            if values[key] != ours[key]:
                sys.exit(f"{name}: {key} is {values[key]}, not {ours[key]}")
    if "EDS-NLP" in timings.values and not math.isclose(timings.values["EDS-NLP"]["ap"], ours["ap"], rel_tol=1e-9):
        sys.exit(f"EDS-NLP: ap is {timings.values['EDS-NLP']['ap']}, not {ours['ap']}")


def report(timings: Timings, goals: list[Goal]) -> list[str]:
    """Return a table of all cases compared with ours."""
    goals.append(Goal("from arrays, seconds", timings["ties"], 0.15))
    if "EDS-NLP" in timings.seconds:
        goals.append(Goal("EDS-NLP, times ours from arrays", timings.ratio("EDS-NLP", "ties"), 1, at_least=True))
    names = {
        **OURS,
        "turned": "the predicted spans of each document in another order",
        "columns": "from Arrow columns",
        "dicts": "from dicts",
        "plain sets": "plain Python sets, from dicts, without average precision",
        "EDS-NLP": "EDS-NLP, `SpanAttributeMetric`, from documents",
    }
    rows = []
    for name, text in names.items():
        if name in timings.seconds:
            values = timings.values[name]
            ap = f"{values['ap']:.6f}" if "ap" in values else "-"
            rows.append((text, shown(timings[name]), times(timings.ratio(name, "ties")), ap))
    ours = timings.values["ties"]
    return [
        f"{DOCUMENTS:,} documents with {SPANS} spans and 2 attributes each, at random (seeded). Without the default "
        f"value of one attribute, all tools count {ours['support']:,} items in the reference, "
        f"{ours['positives']:,} in the prediction and {ours['tp']:,} in both. ap is the average precision of `micro`.",
        "",
        *table(("", "time", "times ours", "ap"), rows),
    ]


def versions() -> dict[str, str]:
    """Return the versions of the installed packages."""
    found = {"spanometer": __version__}
    for name in PACKAGES:
        if name in ("edsnlp", "spacy") and name not in sys.modules:
            continue
        found[name] = version(name)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each case (default: %(default)s)")
    parser.add_argument("--without-edsnlp", action="store_true", help="leave EDS-NLP out")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error("--runs must be 1 or more")

    named = cases(not arguments.without_edsnlp)
    # the input stays: without this each case would pay for going through all documents of the others
    gc.collect()
    gc.freeze()
    timings = measure_cases(named, arguments.runs)
    require_same(timings)
    goals: list[Goal] = []
    body = report(timings, goals)
    lines = [
        "# Attributes: time",
        "",
        "Written by `python benchmarks/attributes.py`; see [how it is measured](../README.md).",
        "",
        f"Medians of {arguments.runs} runs after a warm-up run, all cases in turn, in one process; ratios "
        f"compare medians. Python {platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} processors; {', '.join(f'{name} {number}' for name, number in versions().items())}.",
        "",
        *body,
        *report_goals(goals),
    ]
    print("\n".join(lines))
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    (results / "attributes.md").write_text("\n".join(lines), encoding="utf-8")
    raw = {"seconds": timings.seconds, "versions": versions()}
    (results / "attributes.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
