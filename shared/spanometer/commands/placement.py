"""Show where spans lie at random.

Where the spans of an annotation begin when their number and lengths are kept
and they are placed at random in a document: the model behind chance_kappa_f1.
The example is Figure 1 of its paper.

Example:
  spanometer placement --tokens 100 --lengths 1,5,10,15 --plot figure1.png
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..exceptions import InputError, counted
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.placement import Placement, place
from ..options import options_of
from ..plots import plot_placement
from ..tables.table import Cell, Part, Table
from .options import add_options, read_options
from .output import OUTPUT_FLAGS, PlotOutput

_OPTIONS = ("placement", "method", "uniform_threshold")
"""The options of the measure that are about single documents."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("--tokens", metavar="N", type=int, required=True, help="length of the document")
    parser.add_argument(
        "--lengths", metavar="LENGTHS", required=True, help="lengths of the spans in tokens, with commas between"
    )
    others = options_of(ChanceKappaF1).keys() - set(_OPTIONS)
    add_options(parser.add_argument_group("model"), {"": ChanceKappaF1}, leave_out=others)
    add_options(parser.add_argument_group("output"), {"": PlotOutput}, called=OUTPUT_FLAGS)


def run(options: argparse.Namespace) -> int:
    """Place the spans and show where they begin."""
    output = read_options(PlotOutput, options)
    measure = read_options(ChanceKappaF1, options)
    if options.tokens < 1:
        raise InputError(f"a document of {options.tokens} tokens.", "Give --tokens a number of at least 1.")
    placed = place(options.tokens, _lengths(options.lengths), **{name: getattr(measure, name) for name in _OPTIONS})
    if output.plot is not None:
        plot_placement(placed, output.plot)
    output.write(lambda: _described(placed), lambda: _parts(placed))
    return 0


def _lengths(written: str) -> list[int]:
    try:
        return [int(length) for length in written.split(",")]
    except ValueError:
        raise InputError(
            f"{written!r} is not a list of lengths.", "Write whole numbers with commas, --lengths 1,5,10."
        ) from None


def _described(placed: Placement) -> dict[str, Any]:
    spans = [
        {"length": length, "count": count, "starts": starts.tolist()}
        for length, count, starts in zip(placed.lengths, placed.counts, placed.starts, strict=True)
    ]
    return {"tokens": placed.tokens, "spans": spans, "coverage": placed.coverage.tolist()}


def _parts(placed: Placement) -> Iterator[Part]:
    annotated = sum(length * count for length, count in zip(placed.lengths, placed.counts, strict=True))
    rows: list[list[Cell]] = []
    for length, count, starts in zip(placed.lengths, placed.counts, placed.starts, strict=True):
        middle = starts[len(starts) // 2]
        flat = (abs(starts - middle) <= 1e-9 * middle).nonzero()[0]
        cells = [f"{count:,}", f"{len(starts):,}", f"{starts[0]:.6f}", f"{middle:.6f}"]
        rows.append([(str(length), "cyan"), *cells, f"{flat[0] + 1:,}", f"{flat[-1] + 1:,}"])
    spans, tokens = counted(sum(placed.counts), "span"), counted(annotated, "token")
    yield (f"{spans} of {tokens} in a document of {placed.tokens:,}", "bold")
    heads = ("spans", "starts", "at the ends", "in the middle", "the same from", "to token")
    yield from ("", Table("length", heads, rows), "")
    yield "Probabilities that a span begins at a token; tokens from 1. The plot and --json have all of them."
