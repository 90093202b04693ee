"""Time of errors compared with `span_f` on the same tags, and of matching in one document.

    python benchmarks/errors.py [--runs 5]

Writes results/errors.md beside this file, prints it, and says whether each goal is met; the exit status is always 0.
Processor time of one process is measured.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from inputs import tag_columns, tag_lists

import spanometer
from spanometer.alignment.matched_spans import MatchedSpans
from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.errors.errors import Errors
from spanometer.measures import SpanF
from spanometer.spans.spans import Spans, pair_from_tags
from tags import Cases, Goal, Timings, shown, table, times, write_processor_times

PACKAGES = ("spanometer", "pyarrow", "numpy", "scipy")
CHAINS = (10_000, 100_000)


def told(references: object, predictions: object) -> float:
    """Compute what `errors` shows of a system: kinds by label, their costs, both matrices."""
    found = spanometer.errors(references, predictions, confidence=None).only
    _ = found.per_label, found.confusion("overlap"), found.confusion("exact")
    return found.costs.score


def scored(references: object, predictions: object, **options: object) -> float:
    """Compute F1 of `span_f` as users do."""
    return spanometer.score(references, predictions, measures="span_f", **options).measures["span_f"].scores["f1"]


def written(found: Errors) -> float:
    """Write all tables as text, and convert every pair to Python rows."""
    return float(len(str(found)) + len(found.only.matched.to_arrow().to_pylist()))


def chain(spans: int) -> Alignment:
    """Create one document of spans of two tokens, predicted one token later, so that each span overlaps two others."""
    rows = [{"start": 2 * at, "end": 2 * at + 2, "label": "A"} for at in range(spans)]
    moved = [{**row, "start": row["start"] + 1, "end": row["end"] + 1} for row in rows]
    return Alignment(Spans.from_dicts([rows]), Spans.from_dicts([moved]))


def of_corpus() -> Cases:
    lists, columns = tag_lists(), tag_columns()
    spans = pair_from_tags(*columns)[:2]
    found = spanometer.errors(*columns)
    return {
        "lists span_f": lambda: scored(*lists),
        "lists errors": lambda: told(*lists),
        "columns span_f": lambda: scored(*columns),
        "columns errors": lambda: told(*columns),
        "spans span_f": lambda: SpanF().score(SpanF().counts(*spans))["f1"],
        "spans matched": lambda: float((MatchedSpans(Alignment(*spans)).kind == 0).sum()),
        "columns span_f with intervals": lambda: scored(*columns, confidence=0.95),
        "columns errors with intervals": lambda: spanometer.errors(*columns).only.costs.score,
        "writing": lambda: written(found),
    }


def of_chains() -> Cases:
    return {f"chain {size}": lambda size=size: _matched_anew(size) for size in CHAINS}


_CHAINS: dict[int, Alignment] = {}


def _matched_anew(size: int) -> float:
    """Match one long chain without cached results."""
    alignment = _CHAINS.setdefault(size, chain(size))
    alignment.matched.clear()
    return float(len(MatchedSpans(alignment)))


def report(timings: Timings, goals: list[Goal]) -> Iterator[str]:
    same = {timings.values[f"{form} {what}"] for form in ("lists", "columns") for what in ("span_f", "errors")}
    if len(same) > 1:
        sys.exit(f"different F1: {same}")
    rows: list[Iterable[object]] = []
    for text, name, base in (
        ("from lists of tags", "lists errors", "lists span_f"),
        ("from Arrow columns", "columns errors", "columns span_f"),
        ("from Arrow columns, 1,000 drawn corpora", "columns errors with intervals", "columns span_f with intervals"),
        ("matching alone, from spans", "spans matched", "spans span_f"),
    ):
        rows.append((text, shown(timings[base]), shown(timings[name]), times(timings.ratio(name, base))))
    rows.append(("writing: tables as text, all pairs as rows", "", shown(timings["writing"]), ""))
    goals.append(Goal("errors to span_f, from lists", timings.ratio("lists errors", "lists span_f"), 2))
    goals.append(Goal("errors to span_f, from Arrow columns", timings.ratio("columns errors", "columns span_f"), 2))
    yield from (
        "## Errors beside span_f",
        "",
        "928,700 tokens in 69,060 sentences. Errors: kinds for each label, their costs, and both confusion matrices.",
        "",
    )
    yield from table(("", "span_f", "errors", "ratio"), rows)
    small, large = (timings[f"chain {size}"] / size for size in CHAINS)
    goals.append(Goal("time per span, a chain of 100,000 to one of 10,000", large / small, 3))
    yield from (
        "## One document in which all spans overlap",
        "",
        "Each predicted span overlaps two reference spans, so all pairs are one group.",
        "",
    )
    sizes = [
        (f"{size:,}", shown(timings[f"chain {size}"]), f"{timings[f'chain {size}'] / size * 1e6:.2f} µs")
        for size in CHAINS
    ]
    yield from table(("spans", "matching", "per span"), sizes)


def main() -> None:
    write_processor_times("errors", "Errors", __doc__, PACKAGES, lambda: {**of_corpus(), **of_chains()}, report)


if __name__ == "__main__":
    main()
