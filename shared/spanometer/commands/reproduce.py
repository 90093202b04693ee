"""`spanometer reproduce`: every published table, ours beside it."""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import TYPE_CHECKING, Any

from ..version import __version__
from .inputs import HelpFormatter

if TYPE_CHECKING:
    from ..reproduction.report import Reproduction

_DESCRIPTION = """\
Make the tables and figures that the measures are published with, and compare
them with the printed values: by default a summary, and each cell that is not
equal at the printed precision with the reason, where it is known. The
decoding experiment is shown from a stored run, unless it is named.

Tables: sl_icm_table1, sl_icm_table3, sl_icm_table4, chance_simulations,
chance_figure1, chance_table10, eter_examples, eter_table3, span_attribute,
decoding.
"""

_EPILOG = """\
corpora, in the folder that --data or SPANOMETER_DATA names; without them the
tables that need one are missing, and it is said:
  multiconer_es_dev.conll    sl_icm_table4, decoding; or es_dev.conll
  multiconer_es_train.conll  decoding; or es_train.conll
  conll03_test_tags.tsv      chance_table10: tags of reference and system

exit status: 0, also where cells differ for reasons that are on record;
1 where a cell differs without one; 2 for wrong options and input.

examples:
  spanometer reproduce --data DIR
  spanometer reproduce sl_icm_table4 --data DIR --all-cells
  spanometer reproduce chance_figure1 --plots figures
  spanometer reproduce --data DIR --all-cells --format markdown > tables.md
"""

_UNEXPLAINED = 1
"""Exit status where a cell differs without a reason on record."""

DATA_VARIABLE = "SPANOMETER_DATA"
"""The environment variable that names the folder of the corpora where no option does."""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "reproduce",
        usage="%(prog)s [options] [TABLE ...]",
        help="make every published table and compare it with the printed one",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("tables", metavar="TABLE", nargs="*", help="tables to make; all by default")
    parser.add_argument("--data", metavar="DIR", help=f"folder of the corpora, instead of {DATA_VARIABLE}")
    parser.add_argument("--hub", action="store_true", help="fetch MultiCoNER from the Hub if the folder lacks it")
    parser.add_argument(
        "--format", choices=("text", "markdown", "json"), default="text", help="form of the output; text by default"
    )
    parser.add_argument("--all-cells", action="store_true", help="all cells, and notes on how they were made")
    parser.add_argument("--plots", metavar="DIR", help="write the figures as PNG into a folder; needs matplotlib")
    parser.add_argument("--no-color", action="store_true", help="plain text (so does NO_COLOR in the environment)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the tables and show them."""
    began = time.perf_counter()
    from ..reproduction.report import draw, reproduce

    if options.plots is not None:
        from ..plots.figure import require_format

        require_format("figure.png")
    folder = options.data if options.data is not None else os.environ.get(DATA_VARIABLE) or None
    found = reproduce(options.tables, folder=folder, hub=options.hub)
    if options.plots is not None:
        draw(found, options.plots)
    if options.format == "json":
        print(json.dumps({"spanometer": __version__, **found.to_dict()}, indent=2, allow_nan=False))
    elif options.format == "markdown":
        print(found.to_markdown(all_cells=options.all_cells))
    else:
        _show(found, options, began)
    return _UNEXPLAINED if found.unexplained else 0


def _show(found: Reproduction, options: argparse.Namespace, began: float) -> None:
    from rich.text import Text

    from ..errors import counted
    from ..reproduction.report import DIFFERENCES, LISTED, NO_REASON, SUMMARY, differences
    from .tables import page, show

    console = page(color=not options.no_color)
    show(
        console,
        Text("Published tables, ours beside them", "bold"),
        "",
        _table(SUMMARY, found.summary(), left=2),
        "",
        Text(found.verdict, "" if not found.unexplained else "bold red"),
    )
    for table in found.tables:
        if not (options.all_cells or table.unequal or table.missing):
            continue
        show(console, "", Text.assemble((table.name, "bold"), f"  {table.title} ({table.source})"))
        if table.missing is not None:
            show(console, f"Missing. {table.missing}")
        if options.all_cells:
            if table.cells:
                columns, rows = table.matrix()
                show(console, "", _table(("ours / published", *columns), rows), "")
            show(console, *table.notes)
        for reason, cells in table.by_reason.items():
            show(console, "", f"{counted(len(cells), 'cell')} not equal. {reason or NO_REASON}")
            if options.all_cells or len(cells) <= LISTED:
                show(console, "", _table(DIFFERENCES, differences(cells)))
    show(console, "", Text(f"Made in {time.perf_counter() - began:.1f} seconds.", "dim"))


def _table(columns: Any, rows: Any, *, left: int = 1) -> Any:
    """A table for the screen; all columns behind the first, or the first few, are set to the right."""
    from rich.text import Text

    from .tables import empty_table

    title, *others = columns
    table = empty_table(title, others)
    for column in table.columns[1:left]:
        column.justify = "left"
    for name, *values in rows:
        table.add_row(Text(name, "cyan"), *map(Text, values))
    return table
