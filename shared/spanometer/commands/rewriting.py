"""What `repair`, `convert` and `transform` share: they write a file again with other tags."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

from ..errors import InputError, printable, require_choice
from .inputs import COLUMN_HELP, STANDARD_INPUT, add_form_options, called, read_columns

if TYPE_CHECKING:
    from ..readers import TagFile
    from ..tags.tags import Tags

SCHEME_HELP = "IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU or BMES"


def add_file_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Declare the file and how it is read."""
    parser.add_argument("file", metavar="FILE", help="file of tags, plain or gzipped; - is standard input")
    group = parser.add_argument_group("reading")
    group.add_argument(
        "--column", metavar="COLUMN", action="append", help=f"tag column: {COLUMN_HELP}; may be given more than once"
    )
    add_form_options(group)
    return group


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Declare where the text goes."""
    group = parser.add_argument_group("output").add_mutually_exclusive_group()
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="write to OUT, which must not exist yet; standard output by default. What was gzipped stays so; "
        "an OUT that ends in .gz is gzipped in any case",
    )
    group.add_argument(
        "--in-place", action="store_true", help="replace FILE, all at once when everything is written; keeps its mode"
    )
    parser.add_argument("--force", action="store_true", help="let -o replace a file")


def require_target(scheme: str) -> None:
    """Raise an `InputError` unless there is a scheme of that name to write."""
    from ..tags.schemes import SCHEMES

    require_choice("to", scheme, tuple(SCHEMES))


def rewrite(options: argparse.Namespace, change: Callable[[Tags], Tags], how: str) -> int:
    """Change the tags of a file and write it where the options say.

    Args:
        options: the options of the command.
        change: makes the new tags of a column.
        how: what was done, for the message.
    """
    from ..readers import Rewriter, Source

    _check(options)
    # the input is closed before the output takes its place, which some systems demand
    with contextlib.ExitStack() as writing, _opened(options.file) as stream:
        file = read_columns(options, stream)
        rewriter = Rewriter(file, [_changed(file, tags, change) for tags in file.tags], outside=options.outside)
        if any(rewriter.changes) or not options.in_place:
            stream.seek(0)
            with Source.open(stream, file.source) as source:
                output = writing.enter_context(_output(options, packed=source.packed))
                for block in rewriter.blocks(source):
                    output.write(block)
    if options.in_place or _names_file(options):
        print(_message(options, file, rewriter.changes, how))
    return 0


def _check(options: argparse.Namespace) -> None:
    """Refuse options that do not go together, before anything is read."""
    if options.in_place and options.file == STANDARD_INPUT:
        raise InputError("standard input cannot be replaced.", "Leave out --in-place: standard output gets the text.")
    if options.force and not _names_file(options):
        raise InputError("--force lets -o replace a file, and there is no -o.", "Name the file with -o.")
    if _names_file(options) and os.path.isdir(options.output):
        raise InputError("this is a folder.", "Name a file.", source=options.output)


def _names_file(options: argparse.Namespace) -> bool:
    return options.output not in (None, STANDARD_INPUT)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """The file as a stream that can be read twice: held in memory where it is none on a disk."""
    from ..readers import open_file

    if path == STANDARD_INPUT:
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    with open_file(path, path) as stream:
        yield stream if stream.seekable() else io.BytesIO(stream.read())


def _changed(file: TagFile, tags: Tags, change: Callable[[Tags], Tags]) -> Tags:
    """The new tags of a column; errors about tokens are said of the file's lines."""
    try:
        return change(tags)
    except InputError as error:
        raise (error if error.document is None else file.locate(error)) from None


@contextlib.contextmanager
def _output(options: argparse.Namespace, *, packed: bool) -> Iterator[BinaryIO]:
    """Where the text goes, packed as the input is."""
    from ..readers.output import creating, packing, replacing

    if options.in_place:
        target: contextlib.AbstractContextManager[BinaryIO] = replacing(options.file)
    elif not _names_file(options):
        sys.stdout.flush()
        # nobody reads gzip on a screen
        packed = packed and not sys.stdout.isatty()
        target = contextlib.nullcontext(sys.stdout.buffer)
    else:
        packed = packed or options.output.endswith(".gz")
        regular = options.force and os.path.isfile(options.output)
        target = replacing(options.output) if regular else creating(options.output)
    with target as stream, packing(stream, packed=packed) as output:
        yield output
    if not options.in_place and not _names_file(options):
        sys.stdout.buffer.flush()


def _message(options: argparse.Namespace, file: TagFile, changes: tuple[int, ...], how: str) -> str:
    tokens = sum(len(tags.codes) for tags in file.tags)
    place = options.output if _names_file(options) else called(options.file)
    return f"{printable(place)}: {sum(changes):,} of {tokens:,} tags changed ({how})."
