"""Score systems that find entity trees by their error rates.

ETER with its insertions, deletions and substitutions, the slot error rate (SER)
of types, of components and of both, and MUC's error rate. Lower is better.
Files are HIPE's columns, QUAERO's inline markup, or JSON lines with a list of
entities each, plain or gzipped; or folders of them, or patterns in quotes, of
which files are paired by their names; - is standard input.

Examples:
  spanometer eter gold.tsv system.tsv
  spanometer eter gold.tsv system.tsv --level coarse --per-label
  spanometer eter gold.txt one.txt two.txt --format quaero --alpha 0.3 --json
  spanometer eter gold.jsonl one.jsonl two.jsonl --sweep --plot figure6.png
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import score_cells
from ..arrays import plain
from ..exceptions import InputError, printable
from ..measures.eter import AlphaSweep, Eter, alpha_sweep
from ..options import options_of
from ..plots import plot_sweep
from ..tables.table import Cell, Copyable, Part, Table, amount, head, number
from .corpus import CorpusFiles
from .inputs import input_paths
from .measures import add_interval_options, chosen_resampling, require_used
from .options import add_options, add_systems, read_options, switch
from .output import OUTPUT_FLAGS, PlotOutput
from .scored_files import TreeInput

_RATES = ("eter", "insertions", "deletions", "substitution_cost", "root_error", "component_error")
_ERRORS = {
    "type_substitutions": "type",
    "subtype_substitutions": "subtype",
    "boundary_substitutions": "boundary",
    "component_insertions": "component\ninserted",
    "component_deletions": "component\ndeleted",
    "component_label_substitutions": "component\nlabel",
    "component_boundary_substitutions": "component\nboundary",
}
"""The errors in aligned entities, and their names in tables."""

_SLOTS = {
    "slots of types": (("types",), ("ser_types",)),
    "slots of components": (("components",), ("ser_components",)),
    "all slots": (("types", "components"), ("ser", "muc_error")),
}
"""The tables of slots, as Table 3 of the paper has them: which slots, and which rates."""

_SLOT_ERRORS = {"references": "slots", "deletions": "deleted", "insertions": "inserted", "substitutions": "substituted"}

_NAME_WIDTH = 16
"""Heads of columns are broken if systems' names are longer."""


@dataclass(frozen=True, kw_only=True)
class EterOutput(PlotOutput):
    """How error rates are shown."""

    per_label: bool = switch("also the scores and the kinds of errors of each type, for each system")
    sweep: bool = switch("also ETER for alpha 0, 0.1 and so on to 1; --plot draws it")

    def __post_init__(self) -> None:
        """Raise an `InputError` for a picture without a sweep."""
        super().__post_init__()
        if self.plot is not None and not self.sweep:
            raise InputError("--plot draws the sweep.", "Add --sweep, or leave out --plot.")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    reading = add_systems(parser, nargs="+", what="entities")
    add_options(reading, {"": TreeInput})
    scoring = parser.add_argument_group("scoring")
    add_options(scoring, {"": Eter})
    add_interval_options(scoring, {})
    add_options(parser.add_argument_group("output"), {"": EterOutput}, called=OUTPUT_FLAGS)


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    output = read_options(EterOutput, options)
    measure = read_options(Eter, options)
    resampling = chosen_resampling(options)
    source = read_options(TreeInput, options)
    require_used(options, source, measure, resampling)
    corpus = source.corpus(input_paths([options.reference, *options.systems]), options.names, annotators=0)
    corpus, reports = source.score(corpus, [measure], resampling)
    sweep = None
    if output.sweep:
        others = {name: getattr(measure, name) for name in options_of(measure) if name != "alpha"}
        sweep = alpha_sweep(corpus.reference, corpus.systems, **others)
    if sweep is not None and output.plot is not None:
        plot_sweep(sweep, output.plot)
    results = {name: _with_muc(*report.results) for name, report in reports.items()}
    output.write(
        lambda: _described(corpus, results, sweep, per_label=output.per_label),
        lambda: _parts(corpus, results, sweep, per_label=output.per_label),
    )
    return 0


def _with_muc(result: MeasureResult) -> MeasureResult:
    """Add MUC's ERR to the scores of a result."""
    measure: Any = result.measure
    return replace(result, scores={**result.scores, "muc_error": measure.muc_error(result.counted)})


def _described(
    corpus: CorpusFiles, results: Mapping[str, MeasureResult], sweep: AlphaSweep | None, *, per_label: bool
) -> dict[str, Any]:
    files = corpus.described()
    systems = {
        name: {**files["systems"][name], **result.to_dict(per_label=per_label)} for name, result in results.items()
    }
    size = {"documents": corpus.reference.documents, "tokens": _tokens(corpus)}
    described = {**size, **files, "systems": systems}
    if sweep is not None:
        alphas = [f"{alpha:.1f}" for alpha in sweep.alphas.tolist()]
        described["sweep"] = {
            name: plain(dict(zip(alphas, rates.tolist(), strict=True))) for name, rates in sweep.rates.items()
        }
    return described


def _tokens(corpus: CorpusFiles) -> int | None:
    lengths = corpus.reference.lengths
    return None if lengths is None else int(lengths.sum())


def _parts(
    corpus: CorpusFiles, results: Mapping[str, MeasureResult], sweep: AlphaSweep | None, *, per_label: bool
) -> Iterator[Part]:
    documents = corpus.reference.documents
    yield from corpus.heading(documents, _tokens(corpus))
    yield ""
    for table in _tables(results):
        yield from (table, "")
    notes = (result.without_interval(documents) for result in results.values())
    for note in dict.fromkeys(filter(None, notes)):
        yield from (f"nan–nan: {note}.", "")
    yield Copyable(*(result.signature for result in results.values()))
    if per_label:
        for name, result in results.items():
            for table in _label_tables(name, result):
                yield from ("", table)
    if sweep is not None:
        yield from ("", _sweep_table(sweep))


def _tables(results: Mapping[str, MeasureResult]) -> list[Table]:
    """Make rows for each system: ETER and its parts, errors in aligned entities, and slots with SER and ERR."""
    rates = {name: score_cells(result.measure, result.scores, _RATES) for name, result in results.items()}
    errors = {name: _errors(result.counts) for name, result in results.items()}
    tables = [_table("system", map(head, _RATES), rates), _table("in aligned entities", _ERRORS.values(), errors)]
    for title, (parts, keys) in _SLOTS.items():
        rows = {}
        for name, result in results.items():
            sums = [sum(result.counts[f"slot_{part}_{error}"] for part in parts) for error in _SLOT_ERRORS]
            rows[name] = [*map(amount, sums), *score_cells(result.measure, result.scores, keys, headline=keys[0])]
        tables.append(_table(title, (*_SLOT_ERRORS.values(), *map(head, keys)), rows))
    confidence = next(iter(results.values())).confidence
    if confidence is not None:
        keys = ("eter", "ser", "ser_types", "ser_components")
        intervals = {
            name: score_cells(result.measure, result.scores, keys, result.intervals) for name, result in results.items()
        }
        tables.append(_table(f"{100 * confidence:g} % intervals", map(head, keys), intervals))
    return tables


def _errors(counts: Mapping[str, int | float]) -> list[Cell]:
    return [amount(counts[key]) for key in _ERRORS]


def _label_tables(name: str, result: MeasureResult) -> list[Table]:
    """Make a row for each type: the scores, and the errors in aligned entities."""
    keys = (*_RATES, "ser")
    rates = {
        label: [*score_cells(result.measure, values, keys), amount(values["support"])]
        for label, values in result.per_label.items()
    }
    errors = {label: _errors(counts) for label, counts in result.label_counts.items()}
    return [
        _table(name, (*map(head, keys), "support"), rates, style=""),
        _table(f"{name}, in aligned entities", _ERRORS.values(), errors, style=""),
    ]


def _sweep_table(sweep: AlphaSweep) -> Table:
    """Make a row for each weight, with ETER in a column for each system."""
    rows: dict[str, list[Cell]] = {
        f"{alpha:.1f}": [number(values[index]) for values in sweep.rates.values()]
        for index, alpha in enumerate(sweep.alphas.tolist())
    }
    return _table("alpha", ["\n".join(wrap(printable(name), _NAME_WIDTH)) for name in sweep.rates], rows)


def _table(title: str, heads: Iterable[str], rows: Mapping[str, Sequence[Cell]], *, style: str = "cyan") -> Table:
    """Make a table with a row for each name."""
    return Table(title, list(heads), [[(name, style), *cells] for name, cells in rows.items()])
