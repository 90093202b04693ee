"""Make every published table and compare it with the printed one.

The tables and figures that the measures are published with: by default a
summary, and each cell that is not equal at the printed precision with the
reason, if it is known. The decoding experiment is shown from a stored run,
unless it is named.

Tables: sl_icm_table1, sl_icm_table3, sl_icm_table4, chance_simulations,
chance_figure1, chance_table10, eter_examples, eter_table3, span_attribute,
faireval, fair_examples, semeval_cases, mpp, decoding, monotonicity.

corpora, in the folder that --data or SPANOMETER_DATA names:
  multiconer_es_dev.conll    sl_icm_table4, decoding, monotonicity; or es_dev.conll
  multiconer_es_train.conll  decoding; or es_train.conll
  conll03_test_tags.tsv      chance_table10, monotonicity: tags of reference and system
  hipe2020_test_fr.tsv       monotonicity
  faireval/target, /system   faireval: ner_spans.csv and chunk_spans.csv in both
Without them the tables that need one are listed as missing.

exit status:
  0  also if cells differ for reasons that are on record
  1  if a cell differs without one
  2  for wrong options and input

Examples:
  python -m experiments --data DIR
  python -m experiments sl_icm_table4 --data DIR --all-cells
  python -m experiments chance_figure1 --plots figures
  python -m experiments --data DIR --all-cells --format markdown > tables.md
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass

from spanometer.commands.options import add_options, read_options, switch
from spanometer.commands.output import Output
from spanometer.options import check_options, option, text
from spanometer.plots.figure import require_format

from .report import draw, reproduce

_UNEXPLAINED = 1
"""Exit status if a cell differs without a reason on record."""

DATA_VARIABLE = "SPANOMETER_DATA"
"""The environment variable that names the folder of the corpora if no option does."""


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """Which tables are made, and how they are shown."""

    data: str | None = text("DIR", f"folder of the corpora, instead of {DATA_VARIABLE}")
    hub: bool = switch("fetch MultiCoNER from the Hub if the folder lacks it")
    format: str = option("text", help="form of the output", choices=("text", "markdown", "json"))
    all_cells: bool = switch("all cells, and notes on how they were made")
    plots: str | None = text("DIR", "write the figures as PNG into a folder; needs matplotlib")
    no_color: bool = switch("plain text (so does NO_COLOR in the environment)")

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        if self.plots is not None:
            require_format("figure.png")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("tables", metavar="TABLE", nargs="*", help="tables to make; all by default")
    add_options(parser.add_argument_group("tables"), TableOptions)


def run(options: argparse.Namespace) -> int:
    """Make the tables and show them."""
    began = time.perf_counter()
    chosen = read_options(TableOptions, options)
    result = reproduce(options.tables, folder=chosen.data or os.environ.get(DATA_VARIABLE) or None, hub=chosen.hub)
    if chosen.plots is not None:
        draw(result, chosen.plots)
    if chosen.format == "markdown":
        sys.stdout.write(result.to_markdown(all_cells=chosen.all_cells))
    else:
        made = "", (f"Made in {time.perf_counter() - began:.1f} seconds.", "dim")
        output = Output(json=chosen.format == "json", no_color=chosen.no_color)
        output.write(result.to_dict, lambda: [*result.lines(all_cells=chosen.all_cells), *made])
    return _UNEXPLAINED if result.unexplained else 0
