"""Make every published table and compare it with the printed one.

It prints a summary in Markdown, then each value that is not equal at the
printed precision, with the reason if there is one. The decoding experiment
comes from a stored run unless you name it.

Tables: sl_icm_table1, sl_icm_table3, sl_icm_table4, chance_simulations,
chance_figure1, chance_table10, eter_examples, eter_table3, span_attribute,
faireval, fair_examples, semeval_cases, mpp, decoding, monotonicity.

corpora, in the folder that --data or SPANOMETER_DATA names:
  multiconer_es_dev.conll    sl_icm_table4, decoding, monotonicity; or es_dev.conll
  multiconer_es_train.conll  decoding; or es_train.conll
  conll03_test_tags.tsv      chance_table10, monotonicity: tags of reference and system
  hipe2020_test_fr.tsv       monotonicity
  faireval/target, /system   faireval: ner_spans.csv and chunk_spans.csv in both
A table without its corpus is listed as missing.

exit status:
  0  every difference has a reason
  1  a value differs without a reason
  2  wrong options or input

Examples:
  python -m experiments sl_icm_table4 --data DIR
  python -m experiments chance_figure1 --plots figures
  python -m experiments --data DIR > docs/reproduction.md
  python -m experiments --data DIR --cells > docs/data/reproduction.tsv
"""

import argparse
import os
import sys

from spanometer.plots.figure import require_format

from .report import draw, reproduce

DATA_VARIABLE = "SPANOMETER_DATA"
"""The environment variable that names the folder of the corpora, if no option does."""


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("tables", metavar="TABLE", nargs="*", help="tables to make; all by default")
    group = parser.add_argument_group("tables")
    group.add_argument("--data", metavar="DIR", help=f"folder of the corpora, instead of {DATA_VARIABLE}")
    group.add_argument(
        "--cells",
        action="store_true",
        help="print all values as a table with tabs, with notes on how they were made",
    )
    group.add_argument("--plots", metavar="DIR", help="write the figures as PNG into a folder; needs matplotlib")


def run(options: argparse.Namespace) -> int:
    """Make the tables and print them."""
    if options.plots is not None:
        require_format("figure.png")
    result = reproduce(options.tables, folder=options.data or os.environ.get(DATA_VARIABLE) or None)
    if options.plots is not None:
        draw(result, options.plots)
    sys.stdout.write(result.to_tsv() if options.cells else result.to_markdown())
    return int(bool(result.unexplained))
