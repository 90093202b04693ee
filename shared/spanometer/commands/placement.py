"""`spanometer placement`: where spans lie at random."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from ..errors import InputError, counted
from ..version import __version__
from .inputs import HelpFormatter

if TYPE_CHECKING:
    from ..measures.placement import Placement

_DESCRIPTION = """\
Where the spans of an annotation begin when their number and lengths are kept
and they are placed at random in a document: the model behind chance_kappa_f1.
The example is Figure 1 of its paper.
"""

_EPILOG = """\
example:
  spanometer placement --tokens 100 --lengths 1,5,10,15 --plot figure1.png
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "placement",
        help="where spans lie at random",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--tokens", metavar="N", type=int, required=True, help="length of the document")
    parser.add_argument(
        "--lengths", metavar="LENGTHS", required=True, help="lengths of the spans in tokens, with commas between"
    )
    parser.add_argument(
        "--placement", metavar="PLACEMENT", default="disjoint", help="disjoint (default) or independent"
    )
    parser.add_argument("--method", metavar="METHOD", default="exact", help="exact (default), uniform or auto")
    parser.add_argument("--plot", metavar="PNG", help="write a picture (.png, .svg or .pdf); needs matplotlib")
    parser.add_argument("--json", action="store_true", help="all probabilities, as one JSON object")
    parser.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Place the spans and show where they begin."""
    from ..measures.placement import place

    if options.plot is not None:
        from ..plots.figure import require_format

        require_format(options.plot)
    if options.tokens < 1:
        raise InputError(f"a document of {options.tokens} tokens.", "Give --tokens a number from 1 up.")
    placed = place(options.tokens, _lengths(options), placement=options.placement, method=options.method)
    if options.plot is not None:
        from ..plots import plot_placement

        plot_placement(placed, options.plot)
    if options.json:
        print(json.dumps(_to_json(placed), indent=2))
    else:
        _show(options, placed)
    return 0


def _lengths(options: argparse.Namespace) -> list[int]:
    try:
        return [int(length) for length in options.lengths.split(",")]
    except ValueError:
        raise InputError(
            f"{options.lengths!r} is no list of lengths.", "Write whole numbers with commas, --lengths 1,5,10."
        ) from None


def _to_json(placed: Placement) -> dict[str, Any]:
    spans = [
        {"length": length, "count": count, "starts": starts.tolist()}
        for length, count, starts in zip(placed.lengths, placed.counts, placed.starts, strict=True)
    ]
    return {"spanometer": __version__, "tokens": placed.tokens, "spans": spans, "coverage": placed.coverage.tolist()}


def _show(options: argparse.Namespace, placed: Placement) -> None:
    from rich.text import Text

    from .tables import empty_table, page, show

    annotated = sum(length * count for length, count in zip(placed.lengths, placed.counts, strict=True))
    spans = sum(placed.counts)
    table = empty_table("length", ("spans", "starts", "at the ends", "in the middle", "the same from", "to token"))
    for length, count, starts in zip(placed.lengths, placed.counts, placed.starts, strict=True):
        middle = starts[len(starts) // 2]
        flat = (abs(starts - middle) <= 1e-9 * middle).nonzero()[0]
        table.add_row(
            Text(str(length), "cyan"),
            f"{count:,}",
            f"{len(starts):,}",
            f"{starts[0]:.6f}",
            f"{middle:.6f}",
            f"{flat[0] + 1:,}",
            f"{flat[-1] + 1:,}",
        )
    title = f"{counted(spans, 'span')} of {counted(annotated, 'token')} in a document of {placed.tokens:,}"
    note = "Probabilities that a span begins at a token; tokens from 1. The plot and --json have all of them."
    show(page(color=not options.no_color), Text(title, "bold"), "", table, "", note)
