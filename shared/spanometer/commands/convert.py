"""Write a file again in another tag scheme.

Its tags must be legal (spanometer repair makes them so), and the way back gives
the same file. Everything but the tags that change stays byte for byte the same:
words, comments, blank lines, line ends. FILE has one token a line and a blank
line between documents, or is JSON lines of tag lists. IO cannot part adjacent
spans of one label: if there are any, that is an error.

Examples:
  spanometer convert gold.conll --to IOBES > gold.iobes.conll
  spanometer convert gold.conll --from IOB1 --to IOB2 --in-place
  spanometer convert gold.jsonl.gz --column ner --to BILOU -o bilou.jsonl.gz
"""

from __future__ import annotations

import argparse
from functools import partial

from ..spans.conversion import convert_tags
from .options import add_options, read_options
from .rewritten import SchemeChange, add_file_options, add_target_options, rewrite


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    called = {"scheme": "--from --scheme"}
    add_options(add_file_options(parser), {"": SchemeChange}, leave_out=("repair",), required=("to",), called=called)
    add_target_options(parser)


def run(options: argparse.Namespace) -> int:
    """Read, convert and write."""
    source = read_options(SchemeChange, options)
    change = partial(convert_tags, to=str(source.to), scheme=source.scheme)
    return rewrite(options, source, change, f"to {source.to}")
