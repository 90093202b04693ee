"""`spanometer convert`: write a file again in another tag scheme."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from .inputs import HelpFormatter, add_scheme_option
from .rewriting import SCHEME_HELP, add_file_options, add_output_options, require_target, rewrite

_DESCRIPTION = """\
Write FILE in another tag scheme. Its tags must be legal (spanometer repair
makes them so), and the way back gives the same file. Everything but the tags
that change stays byte for byte the same: words, comments, blank lines, line
ends. FILE has one token a line and a blank line between documents, or is JSON
lines of tag lists.
"""

_EPILOG = """\
IO cannot part adjacent spans of one label; where there are any, that is an
error.

examples:
  spanometer convert gold.conll --to IOBES > gold.iobes.conll
  spanometer convert gold.conll --from IOB1 --to IOB2 --in-place
  spanometer convert gold.jsonl.gz --column ner --to BILOU -o bilou.jsonl.gz
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "convert",
        usage="%(prog)s [options] --to SCHEME FILE",
        help="rewrite a file in another tag scheme",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_scheme_option(add_file_options(parser), "--from", "--scheme")
    parser.add_argument_group("converting").add_argument(
        "--to", metavar="SCHEME", type=str.upper, required=True, help=f"scheme to write: {SCHEME_HELP}"
    )
    add_output_options(parser)
    parser.set_defaults(run=run, called={"scheme": "from"})


def run(options: argparse.Namespace) -> int:
    """Read, convert and write."""
    from ..spans.conversion import convert_tags

    require_target(options.to)
    return rewrite(options, partial(convert_tags, to=options.to, scheme=options.scheme), f"to {options.to}")
