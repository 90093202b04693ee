"""`spanometer eter`: error rates of systems that find entity trees."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import HelpFormatter, named, names_of
from .measuring import add_average_options, add_interval_options, add_tree_options, chosen_measures, chosen_resampling
from .trees import Trees, add_entity_types_option, how_read, left_out, read_trees

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from ..analysis.sweep import AlphaSweep
    from ..counts.resampling import Resampling
    from ..measures.eter import Eter
    from ..measures.result import MeasureResult

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
"""The errors in aligned entities, and what they are called in tables."""

_SLOTS = {
    "slots of types": (("types",), ("ser_types",)),
    "slots of components": (("components",), ("ser_components",)),
    "all slots": (("types", "components"), ("ser", "muc_error")),
}
"""The tables of slots, as Table 3 of the paper has them: which slots, and which rates."""

_SLOT_ERRORS = {
    "references": "slots",
    "deletions": "deleted",
    "insertions": "inserted",
    "substitutions": "substituted",
}

_NAME_WIDTH = 16
"""Heads of columns are broken where systems' names are longer."""

_DESCRIPTION = """\
Entity tree error rates of one or more systems: ETER with its insertions,
deletions and substitutions, the slot error rate (SER) of types, of components
and of both, and MUC's error rate. Lower is better. Files are HIPE's columns,
QUAERO's inline markup, or JSON lines with a list of entities each; plain or
gzipped; - is standard input.
"""

_EPILOG = """\
examples:
  spanometer eter gold.tsv system.tsv
  spanometer eter gold.tsv system.tsv --level coarse --per-label
  spanometer eter gold.txt one.txt two.txt --format quaero --alpha 0.3 --json
  spanometer eter gold.jsonl one.jsonl two.jsonl --sweep --plot figure6.png
"""


@dataclass(frozen=True, eq=False)
class _Scored:
    """One system, scored.

    Attributes:
        name: the system's.
        trees: its output.
        result: ETER and SER.
        muc_error: MUC's ERR.
        label_counts: the counts of each label.
    """

    name: str
    trees: Trees
    result: MeasureResult
    muc_error: float
    label_counts: Mapping[str, Mapping[str, int | float]]


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "eter",
        usage="%(prog)s [options] REFERENCE PREDICTION [PREDICTION ...]",
        help="error rates of entity trees",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference's entities")
    parser.add_argument("predictions", metavar="PREDICTION", nargs="+", help="file with the entities of one system")
    _add_reading_options(parser.add_argument_group("reading"))
    scoring = parser.add_argument_group("scoring")
    add_tree_options(scoring)
    add_average_options(scoring)
    add_interval_options(scoring)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--per-label", action="store_true", help="also the scores and the kinds of errors of each type, for each system"
    )
    output.add_argument("--sweep", action="store_true", help="also ETER for alpha 0, 0.1 and so on to 1")
    output.add_argument(
        "--plot", metavar="PNG", help="with --sweep: write a picture of it (.png, .svg or .pdf); needs matplotlib"
    )
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run, called={"format": "format"})


def run(options: argparse.Namespace) -> int:
    """Read, score and show."""
    if options.plot is not None:
        _require_plot(options)
    (measure,) = _measures(options)
    resampling = chosen_resampling(options)
    names = named(options.names, names_of(options.predictions), "system")
    reading = {name: getattr(options, name) for name in ("level", "scheme", "repair", "documents", "entity_types")}
    paths = [options.reference, *options.predictions]
    reference, *outputs = read_trees(paths, format=options.format, reading=reading)
    systems = [
        _scored(name, measure, reference, output, how_read((reference, output), reading), resampling)
        for name, output in zip(names, outputs, strict=True)
    ]
    sweep = _sweep(measure, reference, systems) if options.sweep else None
    if sweep is not None and options.plot is not None:
        from ..plots import plot_sweep

        plot_sweep(sweep, options.plot)
    if options.json:
        print(json.dumps(_to_json(options, reference, systems, sweep), indent=2, allow_nan=False))
    else:
        _show(options, reference, systems, sweep)
    return 0


def _add_reading_options(group: argparse._ArgumentGroup) -> None:
    formats = ("auto", "hipe", "quaero", "jsonl")
    group.add_argument("--format", choices=formats, default="auto", help="form of the files; auto by default")
    group.add_argument("--names", metavar="NAMES", help="the systems' names, with commas between")
    group.add_argument("--level", metavar="LEVEL", default="fine", help="hipe: fine (default) or coarse types")
    group.add_argument(
        "--scheme", metavar="SCHEME", type=str.upper, default="IOB2", help="hipe: scheme of the tags, IOB2 by default"
    )
    group.add_argument(
        "--repair",
        metavar="POLICY",
        default="conlleval",
        help="hipe: what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )
    group.add_argument(
        "--documents",
        metavar="WHAT",
        default="lines",
        help="quaero: what is a document: lines (default), blank (what stands between blank lines) or file",
    )
    add_entity_types_option(group)


def _require_plot(options: argparse.Namespace) -> None:
    from ..plots.figure import require_format

    if not options.sweep:
        raise InputError("--plot draws the sweep.", "Add --sweep, or leave out --plot.")
    require_format(options.plot)


def _measures(options: argparse.Namespace) -> list[Eter]:
    from ..measures.eter import Eter

    options.measure = None
    return chosen_measures(options, [Eter.name], {Eter.name: Eter})


def _scored(
    name: str,
    measure: Eter,
    reference: Trees,
    output: Trees,
    reading: Mapping[str, Any],
    resampling: Resampling | None,
) -> _Scored:
    from ..measures.result import MeasureResult

    counts = measure.counts(reference.entities, output.entities)
    by_label = {column: sums.tolist() for column, sums in counts.per_label().items()}
    label_counts = {
        label: {column: sums[code] for column, sums in by_label.items()} for code, label in enumerate(counts.labels)
    }
    result = MeasureResult.of(measure, counts, reading, resampling)
    return _Scored(name, output, result, measure.muc_error(counts), label_counts)


def _sweep(measure: Eter, reference: Trees, systems: Sequence[_Scored]) -> AlphaSweep:
    from ..analysis.sweep import alpha_sweep

    return alpha_sweep(
        reference.entities,
        {system.name: system.trees.entities for system in systems},
        type_cost=measure.type_cost,
        subtype_cost=measure.subtype_cost,
        span_cost=measure.span_cost,
        average=measure.average,
        zero_division=measure.zero_division,
    )


def _to_json(
    options: argparse.Namespace, reference: Trees, systems: Sequence[_Scored], sweep: AlphaSweep | None
) -> dict[str, Any]:
    from ..measures.result import plain

    found = {
        "spanometer": __version__,
        "documents": reference.entities.documents,
        "tokens": _tokens(reference),
        "reference": reference.to_dict(),
        "systems": {system.name: _system_to_json(system, per_label=options.per_label) for system in systems},
    }
    if sweep is not None:
        alphas = [f"{alpha:.1f}" for alpha in sweep.alphas.tolist()]
        found["sweep"] = {
            name: plain(dict(zip(alphas, rates.tolist(), strict=True))) for name, rates in sweep.rates.items()
        }
    return found


def _system_to_json(system: _Scored, *, per_label: bool) -> dict[str, Any]:
    from ..measures.result import plain

    entry = system.result.to_dict(per_label=per_label)
    entry["scores"].update(plain({"muc_error": system.muc_error}))
    for label, values in entry.get("per_label", {}).items():
        values["counts"] = plain(system.label_counts[label])
    return {**system.trees.to_dict(), **entry}


def _tokens(trees: Trees) -> int | None:
    return None if trees.entities.lengths is None else int(trees.entities.lengths.sum())


def _show(options: argparse.Namespace, reference: Trees, systems: Sequence[_Scored], sweep: AlphaSweep | None) -> None:
    from .tables import copyable, page, show

    console = page(color=not options.no_color)
    show(console, *_head(reference, systems), "")
    for table in _tables(systems):
        show(console, table, "")
    show(console, *map(copyable, dict.fromkeys(system.result.signature for system in systems)))
    if options.per_label:
        for system in systems:
            for table in _label_tables(system):
                show(console, "", table)
    if sweep is not None:
        show(console, "", _sweep_table(sweep))


def _head(reference: Trees, systems: Sequence[_Scored]) -> list[Any]:
    """What was read, and what was not."""
    from rich.text import Text

    size = counted(reference.entities.documents, "document")
    tokens = _tokens(reference)
    lines = [("reference", str(reference)), *((printable(system.name), str(system.trees)) for system in systems)]
    lines.append(("size", size if tokens is None else f"{size}, {counted(tokens, 'token')}"))
    lines += left_out({"reference": reference, **{system.name: system.trees for system in systems}})
    width = max(len(name) for name, _ in lines)
    return [Text.assemble((f"{name:<{width}}", "bold"), f"  {text}") for name, text in lines]


def _tables(systems: Sequence[_Scored]) -> list[Table]:
    """A row for each system: ETER and its parts, the errors in aligned entities, and the slots with SER and ERR."""
    from .tables import amount, head, score_cells

    rates = {system.name: score_cells(system.result.scores, _RATES, "eter") for system in systems}
    errors = {system.name: [amount(system.result.counts[key]) for key in _ERRORS] for system in systems}
    tables = [_table("system", map(head, _RATES), rates), _table("in aligned entities", _ERRORS.values(), errors)]
    for title, (parts, keys) in _SLOTS.items():
        rows: dict[str, list[str | Text]] = {}
        for system in systems:
            counts, scores = system.result.counts, {**system.result.scores, "muc_error": system.muc_error}
            sums = [sum(counts[f"slot_{part}_{name}"] for part in parts) for name in _SLOT_ERRORS]
            rows[system.name] = [*map(amount, sums), *score_cells(scores, keys, keys[0])]
        tables.append(_table(title, (*_SLOT_ERRORS.values(), *map(head, keys)), rows))
    if any(system.result.intervals for system in systems):
        tables.append(_interval_table(systems))
    return tables


def _interval_table(systems: Sequence[_Scored]) -> Table:
    """The bounds of the rates' confidence intervals: a row for each system."""
    from .tables import head, interval_cells

    keys = ("eter", "ser", "ser_types", "ser_components")
    rows = {system.name: interval_cells(system.result, keys)[1:] for system in systems}
    return _table(f"{100 * (systems[0].result.confidence or 0):g} % intervals", map(head, keys), rows)


def _label_tables(system: _Scored) -> list[Table]:
    """A row for each type: the scores, and the errors in aligned entities."""
    from .tables import amount, head, score_cells

    keys = (*_RATES, "ser")
    rates: dict[str, list[str | Text]] = {
        label: [*score_cells(values, keys, keys[0]), f"{values['support']:,}"]
        for label, values in system.result.per_label.items()
    }
    errors = {label: [amount(counts[key]) for key in _ERRORS] for label, counts in system.label_counts.items()}
    return [
        _table(system.name, (*map(head, keys), "support"), rates, style=""),
        _table(f"{system.name}, in aligned entities", _ERRORS.values(), errors, style=""),
    ]


def _sweep_table(sweep: AlphaSweep) -> Table:
    """ETER: a row for each weight, a column for each system."""
    from .tables import number

    heads = ["\n".join(wrap(printable(name), _NAME_WIDTH)) for name in sweep.rates]
    rows = {
        f"{alpha:.1f}": [number(values[index]) for values in sweep.rates.values()]
        for index, alpha in enumerate(sweep.alphas.tolist())
    }
    return _table("alpha", heads, rows)


def _table(title: str, heads: Iterable[str], rows: Mapping[str, Sequence[str | Text]], *, style: str = "cyan") -> Table:
    """A row for each name."""
    from rich.text import Text

    from .tables import empty_table

    table = empty_table(printable(title), heads, labels=True)
    for name, cells in rows.items():
        table.add_row(Text(printable(name), style), *cells)
    return table
