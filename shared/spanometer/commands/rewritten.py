"""Files that are written again with other tags: the options of `repair`, `convert` and `transform`, and the writing."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from ..errors import InputError, printable
from ..options import option
from ..readers.document_file import DocumentFile
from ..readers.fitting import Fitted
from ..readers.formats import writers
from ..readers.output import creating, packing, replacing
from ..readers.rewriter import Rewriter
from ..readers.source import Source, open_file
from ..readers.tag_file import TagFile
from ..readers.writing import write_folder, write_into
from ..spans.spans import as_tags
from ..tags.decoding import LabelDecoding
from ..tags.schemes import SCHEMES, canonical
from ..tags.tags import Tags
from .inputs import STANDARD_INPUT, Piped, called, located
from .options import add_options, read_options, switch, text
from .tag_files import COLUMN, TagLayout


@dataclass(frozen=True, kw_only=True)
class TagColumns(TagLayout, LabelDecoding):
    """Tag columns of one file."""

    column: list[str] | None = option(None, help=f"tag column: {COLUMN}", metavar="COLUMN", repeat=True, parse=list)

    def read_columns(self, path: str, stream: BinaryIO | None = None) -> TagFile:
        """Read the columns that are named; the last one if none is."""
        return self.read_distinct(path, self.column or [None], stream=stream)


@dataclass(frozen=True, kw_only=True)
class SchemeChange(TagColumns):
    """Tag columns that may be written in another scheme."""

    to: str | None = option(
        None,
        help="scheme to write, by default that of the file",
        choices=tuple(SCHEMES),
        optional=True,
        parse=canonical,
        metavar="SCHEME",
    )


def _target(name: str) -> str:
    return name if name in writers() else canonical(name)


@dataclass(frozen=True, kw_only=True)
class WrittenAs:
    """What documents are written as."""

    to: str | None = option(
        None,
        help="what to write: a scheme of tags, or a format",
        choices=(*SCHEMES, *writers()),
        optional=True,
        parse=_target,
        metavar="NAME",
    )
    lossy: bool = switch("write what the format can hold, and list the rest on standard error")

    def target(self, to: str) -> tuple[str, dict[str, Any]]:
        """Return the format that is written for a scheme or a format, and the options of writing it."""
        if to in SCHEMES:
            return "columns", {"scheme": to}
        known = writers()[to].options
        return to, {name: getattr(self, name, default) for name, default in known.items() if name != "scheme"}


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where a text goes.

    Raises:
        InputError: for options that exclude each other, and for a folder.
    """

    output: str | None = text(
        "OUT",
        "write to OUT, which must not exist yet; standard output by default. What was gzipped stays so; an OUT that "
        "ends in .gz is gzipped in any case",
    )
    in_place: bool = switch("replace FILE, all at once when everything is written; keeps its mode")
    force: bool = switch("let -o replace a file")
    file: str

    def __post_init__(self) -> None:
        """Check the options."""
        if self.in_place and self.output is not None:
            raise InputError("--in-place and -o exclude each other.", "Leave out one of them.")
        if self.in_place and self.file == STANDARD_INPUT:
            raise InputError(
                "standard input cannot be replaced.", "Leave out --in-place: standard output gets the text."
            )
        if self.force and not self.names_file:
            raise InputError("--force lets -o replace a file, and there is no -o.", "Name the file with -o.")
        if self.names_file and os.path.isdir(str(self.output)):
            raise InputError("this is a folder.", "Name a file.", source=self.output)

    @property
    def names_file(self) -> bool:
        """Return whether the text goes into a new file."""
        return self.output not in (None, STANDARD_INPUT)

    @contextlib.contextmanager
    def opened(self, *, packed: bool) -> Iterator[BinaryIO]:
        """Open the target, packed as the input is."""
        if self.in_place:
            target: contextlib.AbstractContextManager[BinaryIO] = replacing(self.file)
        elif self.output is None or not self.names_file:
            sys.stdout.flush()
            # nobody reads gzip on a screen
            packed = packed and not sys.stdout.isatty()
            target = contextlib.nullcontext(sys.stdout.buffer)
        else:
            packed = packed or self.output.endswith(".gz")
            regular = self.force and os.path.isfile(self.output)
            target = replacing(self.output) if regular else creating(self.output)
        with target as stream, packing(stream, packed=packed) as output:
            yield output
        if not self.in_place and not self.names_file:
            sys.stdout.buffer.flush()


def add_file_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add the file, and return the group for the options of reading it."""
    parser.add_argument("file", metavar="FILE", help="file of tags, plain or gzipped; - is standard input")
    return parser.add_argument_group("reading")


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """Add where the text goes."""
    add_options(parser.add_argument_group("output"), {"": Target}, called={"output": "-o --output"})


def require_new(options: argparse.Namespace, format: str, inputs: Sequence[str]) -> None:
    """Raise an `InputError` if documents cannot be written where the options say."""
    output = options.output
    if getattr(options, "in_place", None):
        raise InputError("--in-place is for files of tags that stay such.", "Name a new file with -o.")
    if writers()[format].folder and output in (None, STANDARD_INPUT):
        raise InputError(f"{format} is a folder of files.", "Name a new folder with -o.")
    for path in inputs:
        if output is not None and os.path.exists(output) and os.path.exists(path) and os.path.samefile(output, path):
            raise InputError("the input would be replaced.", "Name another file with -o.", source=output)


def write_out(options: argparse.Namespace, prepared: Fitted, format: str, writing: Mapping[str, Any]) -> None:
    """Write documents, as a format can hold them, where the options say."""
    if writers()[format].folder:
        write_folder(options.output, prepared, format, writing)
        return
    with read_options(Target, options, file="").opened(packed=False) as stream:
        write_into(stream, prepared, format, writing)


def say_what_is_lost(file: DocumentFile, prepared: Fitted) -> None:
    """Say on standard error what could not be read, what is lost and what else was done."""
    said = {"left out": file.left_out, "lost": prepared.losses, "note": [*file.notes, *prepared.notes]}
    for kind, found in said.items():
        for each in found:
            print(f"{kind}: {printable(str(each))}", file=sys.stderr)


def rewrite(options: argparse.Namespace, source: TagColumns, change: Callable[[Tags], Tags], how: str) -> int:
    """Change the tags of a file and write it where the options say.

    Args:
        options: the options of the command.
        source: how the file is read.
        change: makes the new tags of a column.
        how: what was done, for the message.

    Returns:
        The exit status.
    """
    path: str = options.file
    target = read_options(Target, options, file=path)
    # the input is closed before the output takes its place, which some systems demand
    with contextlib.ExitStack() as writing, _opened(path) as stream:
        file = source.read_columns(path, stream)
        if file.form:
            raise InputError(
                f"this is {file.form}, and tags are written into columns and JSON lines.",
                "Convert it first.",
                source=file.source,
            )
        with located({"": file}):
            tags = [change(as_tags(column, prefix=source.prefix)) for column in file.tags]
        rewriter = Rewriter(file, tags, outside=source.outside)
        if any(rewriter.changes) or not target.in_place:
            stream.seek(0)
            with Source.open(stream, file.source, **source.limits) as unchanged:
                output = writing.enter_context(target.opened(packed=unchanged.packed))
                for block in rewriter.blocks(unchanged):
                    output.write(block)
    if target.in_place or target.names_file:
        tokens = sum(len(column.codes) for column in file.tags)
        place = printable(target.output if target.output is not None else called(path))
        print(f"{place}: {sum(rewriter.changes):,} of {tokens:,} tags changed ({how}).")
    return 0


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file as a stream that can be read twice: copied into a temporary file if it is not one on a disk."""
    if path == STANDARD_INPUT or isinstance(path, Piped):
        with _spooled(cast(BinaryIO, path.stream) if isinstance(path, Piped) else sys.stdin.buffer) as kept:
            yield kept
        return
    with open_file(path, path) as stream:
        if stream.seekable():
            yield stream
            return
        with _spooled(stream) as kept:
            yield kept


@contextlib.contextmanager
def _spooled(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Copy a stream into a temporary file."""
    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(stream, kept)
        kept.seek(0)
        yield cast(BinaryIO, kept)
