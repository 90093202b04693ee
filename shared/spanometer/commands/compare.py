"""`spanometer compare`: several systems on the same documents, and whether their differences are chance."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted, printable
from ..version import __version__
from .inputs import (
    COLUMN_HELP,
    HelpFormatter,
    add_form_options,
    add_scheme_option,
    located,
    named,
    names_of,
    read_several,
)
from .measuring import add_measure_options, add_own_options, add_tree_options, chosen_measures
from .trees import TREE_FORMATS, hold_trees, how_read, left_out, read_trees, tree_reading

if TYPE_CHECKING:
    from rich.table import Table

    from ..analysis.comparison import Comparison, MeasureComparison

_DESCRIPTION = """\
Compare systems on the same documents: the scores and ranks of each, with
confidence intervals, and for each pair the difference, its interval, and
p-values of paired approximate randomisation and of the paired bootstrap,
corrected over the pairs by Holm's method. Files as in spanometer score; the
first is the reference. HIPE's columns and QUAERO's markup are scored by eter.
"""

_EPILOG = """\
examples:
  spanometer compare gold.conll old.conll new.conll
  spanometer compare gold.conll old.conll new.conll --measure span_f,link_f --plot scores.png
  spanometer compare all.tsv --columns 2,3,4 --names old,new --json
"""

_SHOWN = {"eter": ("eter", "ser", "ser_types", "ser_components")}
"""The values in tables of measures that have too many for their intervals; JSON has all."""


@dataclass(frozen=True)
class _Inputs:
    """What was read.

    Attributes:
        lines: what the head says of each side, by name.
        described: the same for JSON.
    """

    lines: Sequence[tuple[str, str]]
    described: Mapping[str, Any]


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        usage="%(prog)s [options] REFERENCE SYSTEM SYSTEM [SYSTEM ...]",
        help="compare systems: intervals, paired tests, ranks",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("reference", metavar="REFERENCE", help="file with the reference tags")
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="file with the tags of one system")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--names", metavar="NAMES", help="the systems' names, with commas between")
    reading.add_argument("--column", metavar="COLUMN", help=f"tag column of all files: {COLUMN_HELP}")
    reading.add_argument(
        "--columns", metavar="COLUMNS", help="of one file: the reference's column and each system's, with commas"
    )
    add_form_options(reading, *TREE_FORMATS)
    add_scheme_option(reading)
    reading.add_argument(
        "--repair",
        metavar="POLICY",
        default="conlleval",
        help="what becomes of illegal tags: conlleval (default), discard, bes, convert or raise",
    )
    add_measure_options(parser.add_argument_group("scoring"), default="span_f, or eter for entity trees")
    single = parser.add_argument_group("options of single measures")
    add_own_options(single, words=False, simulations=False)
    add_tree_options(single, "eter: ")
    _add_draw_options(parser.add_argument_group("intervals and tests"))
    output = parser.add_argument_group("output")
    output.add_argument("--plot", metavar="PNG", help="write a picture (.png, .svg or .pdf); needs matplotlib")
    output.add_argument("--json", action="store_true", help="one JSON object in place of tables")
    output.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, compare and show."""
    if options.plot is not None:
        from ..plots.figure import require_format

        require_format(options.plot)
    paths = [options.reference, *options.systems]
    if hold_trees(options, paths, (options.column, options.columns)):
        # readers of trees know the option under this name
        options.called = {"format": "format"}
        found, inputs = _compare_trees(options, paths)
    else:
        found, inputs = _compare_tags(options, paths)
    if options.plot is not None:
        from ..plots import plot_comparison

        plot_comparison(found, options.plot)
    if options.json:
        print(json.dumps({"spanometer": __version__, **inputs.described, **found.to_dict()}, indent=2, allow_nan=False))
    else:
        _show(options, found, inputs)
    return 0


def _add_draw_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--confidence", metavar="LEVEL", type=float, default=0.95, help="level of the intervals, by default 0.95"
    )
    group.add_argument(
        "--interval-method", metavar="METHOD", default="bca", help="of the intervals: bca (default) or percentile"
    )
    group.add_argument(
        "--resamples", metavar="N", type=int, default=1000, help="corpora that are drawn, by default 1000"
    )
    group.add_argument(
        "--permutations",
        metavar="N",
        type=int,
        default=10_000,
        help="times that outputs are swapped at random, by default 10000",
    )
    group.add_argument(
        "--seed", dest="draw_seed", metavar="N", type=int, default=0, help="of draws and swaps, by default 0"
    )


def _draws(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "confidence": options.confidence,
        "interval_method": options.interval_method,
        "n_resamples": options.resamples,
        "n_permutations": options.permutations,
        "seed": options.draw_seed,
    }


def _compare_tags(options: argparse.Namespace, paths: Sequence[str]) -> tuple[Comparison, _Inputs]:
    """The comparison of tags; errors about tokens are said of the files' lines."""
    from ..analysis.comparison import REFERENCES, SYSTEM, compare
    from ..measures.eter import Eter
    from ..measures.registry import ALL_MEASURES
    from ..measures.span_f import SpanF
    from ..readers import require_same_tokens

    measures = chosen_measures(options, [SpanF.name], ALL_MEASURES)
    if any(measure.name == Eter.name for measure in measures):
        raise InputError(
            f"{Eter.name} scores entity trees, and these files are read as tags.",
            "Give HIPE's columns or markup, with --format hipe or quaero.",
        )
    reference, *systems = read_several(options, paths, "the reference and the systems")
    default = names_of(options.systems) if options.columns is None else [file.columns[0] for file in systems]
    names = named(options.names, default, "system")
    for system in systems:
        require_same_tokens(reference, system)
    files = {REFERENCES: reference, **{f"{SYSTEM}{name}": file for name, file in zip(names, systems, strict=True)}}
    try:
        found = compare(
            reference.tags[0],
            {name: file.tags[0] for name, file in zip(names, systems, strict=True)},
            measures=measures,
            scheme=options.scheme,
            repair=options.repair,
            **_draws(options),
        )
    except InputError as error:
        file = files.get(error.side or "")
        raise (error if file is None else located(options, error, file)) from None
    sides = [reference, *systems]
    lines = [
        (name, f"{printable(file.source)}, {printable(file.columns[0])}")
        for name, file in zip(("reference", *names), sides, strict=True)
    ]
    described = [{"file": file.source, "column": file.columns[0]} for file in sides]
    return found, _Inputs(lines, _described(described, names))


def _compare_trees(options: argparse.Namespace, paths: Sequence[str]) -> tuple[Comparison, _Inputs]:
    """The comparison of entity trees."""
    from ..analysis.comparison import compare_entities
    from ..analysis.significance import PairedResampling
    from ..measures.eter import Eter
    from ..measures.registry import ALL_MEASURES

    for name in ("column", "columns", "outside"):
        if getattr(options, name) is not None:
            raise InputError(
                f"--{name} is for files of tags; --format {options.format} reads entity trees.",
                "Leave out one of them.",
            )
    # of types here, not of a measure
    level, options.level = options.level, None
    measures = chosen_measures(options, [Eter.name], ALL_MEASURES)
    for measure in measures:
        if measure.name != Eter.name:
            raise InputError(
                f"{measure.name} scores spans, and these files hold entity trees.",
                "Ask for eter, or name one of HIPE's columns with --column (and --documents=document_id --outside=_).",
            )
    names = named(options.names, names_of(options.systems), "system")
    reading = tree_reading(options, level)
    reference, *systems = read_trees(paths, format=options.format, reading=reading)
    draws = _draws(options)
    found = compare_entities(
        reference.entities,
        {name: system.entities for name, system in zip(names, systems, strict=True)},
        measures,
        PairedResampling(**draws),
        how_read((reference, *systems), reading),
    )
    sides = list(zip(("reference", *names), (reference, *systems), strict=True))
    lines = [(name, str(side)) for name, side in sides]
    lines += [line for name, side in sides for line in left_out({name: side})]
    return found, _Inputs(lines, _described([side.to_dict() for _, side in sides], names))


def _described(sides: Sequence[dict[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """The files, for JSON."""
    return {"reference": sides[0], "systems": dict(zip(names, sides[1:], strict=True))}


def _show(options: argparse.Namespace, found: Comparison, inputs: _Inputs) -> None:
    from rich.text import Text

    from .tables import copyable, page, show

    console = page(color=not options.no_color)
    size = counted(found.documents, "document")
    if found.tokens is not None:
        size += f", {counted(found.tokens, 'token')}"
    lines = [*inputs.lines, ("size", size)]
    width = max(len(printable(name)) for name, _ in lines)
    for name, text in lines:
        show(console, Text.assemble((f"{printable(name):<{width}}", "bold"), f"  {text}"))
    for name, result in found.measures.items():
        show(console, "", _systems(name, result), "", _pairs(name, result))
    show(console, "", *map(Text, _legend(found)), "")
    show(console, *(copyable(result.signature) for result in found.measures.values()))


def _systems(name: str, result: MeasureComparison) -> Table:
    """A row for each system: values with their intervals, the rank, and in how many corpora it has it."""
    from rich.text import Text

    from .tables import empty_table, head

    measure = result.measure
    keys = _SHOWN.get(measure.name, measure.keys)
    table = empty_table(printable(name), (*map(head, keys), "rank", "stability"), labels=True)
    for system, values in result.systems.items():
        cells = [
            Text(_with_interval(values.scores[key], values.intervals[key]), "bold" if key == measure.headline else "")
            for key in keys
        ]
        stability = f"{values.rank_shares[values.rank - 1]:.1%}"
        table.add_row(Text(printable(system), "cyan"), *cells, Text(str(values.rank)), Text(stability))
    return table


def _pairs(name: str, result: MeasureComparison) -> Table:
    """A row for each pair: the difference with its interval, and the p-values."""
    from rich.text import Text

    from .tables import empty_table

    headline = result.measure.headline
    title = headline if headline.startswith(name) else f"{name} {headline}"
    heads = ("difference", "randomisation\np", "corrected", "", "bootstrap\np", "corrected")
    table = empty_table(printable(title), heads, labels=True)
    for pair in result.pairs:
        one, other = map(printable, pair.systems)
        p_values = [pair.p_randomisation, pair.p_randomisation_holm, pair.p_bootstrap, pair.p_bootstrap_holm]
        cells = list(map(_p_value, p_values))
        cells.insert(2, f"{pair.mark:<3}")
        difference = _with_interval(pair.difference, pair.interval, sign="+")
        table.add_row(Text(f"{one} - {other}", "cyan"), *map(Text, (difference, *cells)))
    return table


def _with_interval(value: float, bounds: tuple[float, float], sign: str = "") -> str:
    """`0.9303 [0.9231, 0.9371]`."""
    point, low, high = (f"{number:{sign}.4f}" for number in (value, *bounds))
    return f"{point} [{low}, {high}]"


def _p_value(value: float) -> str:
    """A p-value with four decimals; below that, that it is."""
    return "<0.0001" if value < 0.00005 else f"{value:.4f}"


def _legend(found: Comparison) -> list[str]:
    """What the columns and the marks mean."""
    from ..analysis.comparison import LEVELS

    confidence = f"{100 * found.resampling.confidence:g}"
    marks = ", ".join(f"{mark} p < {f'{level:g}'.lstrip('0')}" for mark, level in LEVELS.items())
    directions = dict.fromkeys(
        f"{result.measure.headline}, {'higher' if result.measure.higher_is_better else 'lower'} is better"
        for result in found.measures.values()
    )
    return [
        f"[ , ]: {confidence} % confidence intervals. Ranks are by {'; '.join(directions)}.",
        "stability: the share of resampled corpora in which the system has this rank.",
        f"{marks}: p of paired approximate randomisation, corrected over a measure's pairs (Holm).",
    ]
