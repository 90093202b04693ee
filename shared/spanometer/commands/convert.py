"""Write a file again with legal tags, in another tag scheme, or in another format.

Between tag schemes only tags change; the tags must be legal, unless --repair
says how to read them. Spans that the target cannot hold are listed, and refused
without --lossy. Tags need tokens: those of FILE, or --tokenizer makes some.

Examples:
  spanometer convert system.conll --repair conlleval > fixed.conll
  spanometer convert gold.conll --to IOBES > gold.iobes.conll
  spanometer convert export.jsonl --to IOB2 --tokenizer words -o gold.conll
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted, printable
from ..options import replaced_option, reused_option
from ..spans.conversion import convert_tags, repair_tags
from ..tags.schemes import SCHEMES
from .documents import CarriedDocuments, DocumentLayout
from .inputs import InputPath, called
from .measures import require_used
from .options import add_options, read_options
from .rewritten import TagColumns, Target, WrittenAs, add_target_options, rewrite


@dataclass(frozen=True, kw_only=True)
class Conversion(CarriedDocuments, WrittenAs):
    """A file of any format that has spans, and the options of converting it."""

    column: list[str] | None = reused_option(TagColumns, "column")
    repair: str = replaced_option(
        DocumentLayout, "repair", default="raise", help="how to handle illegal tags, which are refused by default"
    )

    def read_one(self, path: str) -> DocumentFile:
        """Read the documents of all annotators."""
        if self.column is not None and len(self.column) > 1:
            raise InputError(f"two tag columns cannot be written as {self.to}.", "Name one column.")
        self.require_taken([path])
        return self.read_whole(path, None if self.column is None else self.column[0])


@dataclass(frozen=True, kw_only=True)
class RewrittenTags(TagColumns):
    """Tag columns that are written in the place of others."""

    title: ClassVar[str] = "tags that stay such"
    to: str | None = reused_option(WrittenAs, "to")


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument(
        "file", metavar="FILE", help="file of any format that has spans, plain or gzipped; - is standard input"
    )
    add_options(parser.add_argument_group("reading"), {"": Conversion}, optional=("to",))
    add_target_options(parser)


def run(options: argparse.Namespace) -> int:
    """Read, convert and write."""
    # options that exclude each other are refused before anything is read
    read_options(Target, options, file=options.file)
    options.file = InputPath.of(options.file)
    conversion = read_options(Conversion, options)
    of_tags = conversion.format_of(options.file) is None
    if conversion.to is None and (not of_tags or options.repair is None):
        remedy = ", or a policy for illegal tags with --repair." if of_tags else "."
        raise InputError("there is nothing to change.", f"Name a scheme or a format with --to{remedy}")
    if of_tags and (conversion.to is None or conversion.to in SCHEMES):
        return _rewrite(options)
    return _write(options, conversion)


def _rewrite(options: argparse.Namespace) -> int:
    """Write tags again, legal or in another scheme."""
    source = read_options(RewrittenTags, options)
    require_used(options, source)
    repairs = options.repair is not None
    change: Any = partial(repair_tags, repair=source.repair) if repairs else convert_tags
    how = [*([source.repair] if repairs else []), *([] if source.to is None else [f"to {source.to}"])]
    return rewrite(options, source, partial(change, scheme=source.scheme, to=source.to), ", ".join(how))


def _write(options: argparse.Namespace, conversion: Conversion) -> int:
    """Write documents in another format."""
    writing = conversion.writing(options, conversion)
    file = conversion.read_one(options.file)
    prepared = writing.prepare(file, conversion.carrying)
    writing.write(prepared)
    if writing.target.names_file:
        size = f"{counted(file.documents.size, 'document')}, {counted(len(prepared.file.spans), 'span')}"
        print(f"{printable(options.output)}: {size} (from {printable(called(options.file))}, as {conversion.to}).")
    return 0
