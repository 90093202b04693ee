"""Write a file again in another tag scheme, or in another format.

From tags to another scheme of tags, the file stays byte for byte the same but
for the tags that change: words, comments, blank lines, line ends. The tags must
be legal (spanometer repair makes them so), and the way back gives the same
file. IO cannot part adjacent spans of one label: if there are any, that is an
error.

Every format that spanometer score reads can be written as tags of a scheme
(words and tags, with a tab between), or as jsonl (JSON lines of documents with
spans), brat (a folder), doccano, label_studio or spacy. What the target cannot
hold is listed, with the documents, and refused unless --lossy asks for what is
left. Tags need tokens: those of FILE, or --tokenizer; --to-tokens says what
becomes of spans that begin or end within one.

Examples:
  spanometer convert gold.conll --to IOBES > gold.iobes.conll
  spanometer convert gold.conll --from IOB1 --to IOB2 --in-place
  spanometer convert gold.jsonl.gz --column ner --to BILOU -o bilou.jsonl.gz
  spanometer convert project.json --annotator 3 --to jsonl -o gold.jsonl
  spanometer convert export.jsonl --to IOB2 --tokenizer words --to-tokens expand
  spanometer convert annotated/ --to doccano --lossy -o doccano.jsonl
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import partial

from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted, printable
from ..options import replaced_option, reused_option
from ..spans.conversion import convert_tags, repair_tags
from ..tags.schemes import SCHEMES
from .documents import CarriedDocuments, DocumentLayout
from .inputs import InputPath, called
from .measures import require_used
from .options import add_options, read_options
from .rewritten import SchemeChange, TagColumns, Target, WrittenAs, add_target_options, rewrite


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


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument(
        "file", metavar="FILE", help="file of any format that has spans, plain or gzipped; - is standard input"
    )
    called = {"scheme": "--from --scheme"}
    add_options(parser.add_argument_group("reading"), {"": Conversion}, required=("to",), called=called)
    add_target_options(parser)


def run(options: argparse.Namespace) -> int:
    """Read, convert and write."""
    # options that exclude each other are refused before anything is read
    read_options(Target, options, file=options.file)
    options.file = InputPath.of(options.file)
    conversion = read_options(Conversion, options)
    if conversion.to in SCHEMES and conversion.format_of(options.file) is None:
        return _rewrite(options, conversion)
    return _write(options, conversion)


def _rewrite(options: argparse.Namespace, conversion: Conversion) -> int:
    """Write tags again in another scheme."""
    source = read_options(SchemeChange, options)
    require_used(options, source)
    change = partial(convert_tags, to=str(conversion.to), scheme=source.scheme)
    if options.repair is not None:
        change = partial(repair_tags, to=conversion.to, scheme=source.scheme, repair=source.repair)
    return rewrite(options, source, change, f"to {conversion.to}")


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
