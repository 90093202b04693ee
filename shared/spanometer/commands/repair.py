"""Write a file again with legal tags.

These are the tags of the spans that a repair policy makes of its tags, in the
same scheme or another. Everything but the tags that change stays byte for byte
the same: words, comments, blank lines, line ends. FILE has one token a line and
a blank line between documents, or is JSON lines of tag lists. The files of a
folder, or of a pattern in quotes, are written into a new folder OUT, or each is
replaced with --in-place; an error about one leaves all as they are.

policies:
  conlleval  a span is a run of tags of one label, however it begins and ends
             (the CoNLL script, and seqeval by default)
  discard    only well-formed spans stay
  bes        only B, E and S count; for IOBES, BILOU and BMES
  convert    as IOB2 first, then conlleval; for schemes with a B

Examples:
  spanometer validate system.conll
  spanometer repair system.conll --policy conlleval > fixed.conll
  spanometer repair system.conll --policy discard --to IOBES -o fixed.conll
  spanometer repair system.conll.gz --policy bes --in-place
  spanometer repair 'runs/*.conll' --policy conlleval -o fixed
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial

from ..options import option
from ..spans.conversion import repair_tags
from ..tags.decoding import REPAIRS
from .options import add_options, read_options
from .rewritten import SchemeChange, add_file_options, add_target_options, rewrite


@dataclass(frozen=True, kw_only=True)
class RepairInput(SchemeChange):
    """Tag columns that may be illegal."""

    repair: str = option(
        "",
        help="how to handle illegal tags",
        choices=[name for name, repair in REPAIRS.items() if not repair.refuse],
        flag="policy",
        metavar="POLICY",
    )


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    called = {"scheme": "--scheme --from"}
    add_options(add_file_options(parser), {"": RepairInput}, leave_out=("prefix",), required=("repair",), called=called)
    add_target_options(parser)


def run(options: argparse.Namespace) -> int:
    """Read, repair and write."""
    source = read_options(RepairInput, options)
    change = partial(repair_tags, repair=source.repair, scheme=source.scheme, to=source.to)
    return rewrite(options, source, change, source.repair + (f", in {source.to}" if source.to else ""))
