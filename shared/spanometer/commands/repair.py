"""`spanometer repair`: write a file again with legal tags, as a repair policy makes them."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from .inputs import HelpFormatter, add_scheme_option
from .rewriting import SCHEME_HELP, add_file_options, add_output_options, require_target, rewrite

_POLICIES = ("conlleval", "discard", "bes", "convert")

_DESCRIPTION = """\
Write FILE with legal tags: the spans that a repair policy makes of its tags, in
the same scheme or another. Everything but the tags that change stays byte for
byte the same: words, comments, blank lines, line ends. FILE has one token a
line and a blank line between documents, or is JSON lines of tag lists.
"""

_EPILOG = """\
policies:
  conlleval  a span is a run of tags of one label, however it begins and ends
             (the CoNLL script, and seqeval by default)
  discard    only well-formed spans stay
  bes        only B, E and S count; for IOBES, BILOU and BMES
  convert    as IOB2 first, then conlleval; for schemes with a B

examples:
  spanometer validate system.conll
  spanometer repair system.conll --policy conlleval > mended.conll
  spanometer repair system.conll --policy discard --to IOBES -o mended.conll
  spanometer repair system.conll.gz --policy bes --in-place
"""


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "repair",
        usage="%(prog)s [options] --policy POLICY FILE",
        help="rewrite a file with legal tags",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    add_scheme_option(add_file_options(parser), "--scheme", "--from")
    repairing = parser.add_argument_group("repairing")
    repairing.add_argument(
        "--policy",
        metavar="POLICY",
        choices=_POLICIES,
        required=True,
        help=f"what becomes of illegal tags: {', '.join(_POLICIES)}",
    )
    repairing.add_argument(
        "--to", metavar="SCHEME", type=str.upper, help=f"scheme to write: {SCHEME_HELP}; that of the file by default"
    )
    add_output_options(parser)
    parser.set_defaults(run=run, called={"repair": "policy"})


def run(options: argparse.Namespace) -> int:
    """Read, repair and write."""
    from ..spans.conversion import repair_tags
    from ..tags.decoding import get_repair
    from ..tags.schemes import get_scheme

    get_repair(options.policy, None if options.scheme is None else get_scheme(options.scheme))
    if options.to is not None:
        require_target(options.to)
    change = partial(repair_tags, repair=options.policy, scheme=options.scheme, to=options.to)
    return rewrite(options, change, options.policy + (f", in {options.to}" if options.to else ""))
