"""Write a file with repaired tags, in another tag scheme, or in another format.

Between tag schemes, only the tags change. Illegal tags need --repair. Spans
that the target format cannot represent are an error; with --lossy they are
listed and left out. Tags need tokens: if FILE has none, add --tokenizer.

Examples:
  spanometer convert system.conll --repair conlleval > fixed.conll
  spanometer convert gold.conll --to IOBES > gold.iobes.conll
  spanometer convert export.jsonl --to IOB2 --tokenizer words -o gold.conll
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from typing import Any

from ..exceptions import InputError, counted, printable
from ..spans.conversion import convert_tags, repair_tags
from ..tags.schemes import SCHEMES
from .input_files import ONE_FILE, InputFiles, add_reading
from .inputs import InputPath, called
from .options import add_options, read_options, refuse
from .rewritten import Target, WrittenAs, rewrite


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("file", metavar="FILE", help="file with tags or spans, plain or gzipped; - is standard input")
    add_reading(parser, ONE_FILE)
    output = parser.add_argument_group("output")
    add_options(output, WrittenAs, optional=("to",))
    add_options(output, Target, called={"output": "-o --output"})


def run(options: argparse.Namespace) -> int:
    """Read, convert and write."""
    # options that exclude each other are refused before anything is read
    read_options(Target, options, file=options.file)
    path = options.file = InputPath.of(options.file)
    written, source = read_options(WrittenAs, options), read_options(InputFiles, options)
    if options.repair is None:
        source = replace(source, repair="raise")
    of_tags = source.names_columns or source.format_of(path) is None
    if written.to is None and (not of_tags or options.repair is None):
        remedy = ", or a policy for illegal tags with --repair." if of_tags else "."
        raise InputError("there is nothing to change.", f"Name a scheme or a format with --to{remedy}")
    if of_tags and (written.to is None or written.to in SCHEMES):
        return _rewrite(options, source, written)
    return _write(options, source, written)


def _rewrite(options: argparse.Namespace, source: InputFiles, written: WrittenAs) -> int:
    """Write tags again, legal or in another scheme."""
    source.require_effect(options, "tags", [options.file])
    refuse(options, ["lossy"], "tags that stay tags")
    repairs = options.repair is not None
    change: Any = partial(repair_tags, repair=source.repair) if repairs else convert_tags
    how = [*([source.repair] if repairs else []), *([] if written.to is None else [f"to {written.to}"])]
    return rewrite(options, source, partial(change, scheme=source.scheme, to=written.to), ", ".join(how))


def _write(options: argparse.Namespace, source: InputFiles, written: WrittenAs) -> int:
    """Write documents in another format."""
    writing = written.writing(options, source)
    if source.columns:
        raise InputError(f"cannot write several tag columns as {written.to}.", "Name one with --column.")
    source.require_effect(options, "spans", [options.file])
    file = source.read_all_spans(options.file, source.one_column)
    prepared = writing.prepare(file, source.pairing)
    writing.write(prepared)
    if writing.target.names_file:
        size = f"{counted(file.documents.size, 'document')}, {counted(len(prepared.file.spans), 'span')}"
        print(f"{printable(options.output)}: {size} (from {printable(called(options.file))}, as {written.to}).")
    return 0
