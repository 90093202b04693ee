"""Repair the tags of a file, or write the file in another tag scheme or format.

Converting to another tag scheme changes only the tags. If the file has illegal
tags, add --repair POLICY. If the target format cannot represent a span, the
conversion fails. With --lossy, the command simplifies the span or leaves it
out, and lists it. To write tags for a file without tokens, add --tokenizer
NAME.

Examples:
  spanometer convert system.conll --repair conlleval > fixed.conll
  spanometer convert gold.conll --to IOBES > gold.iobes.conll
  spanometer convert export.jsonl --to IOB2 --tokenizer words -o gold.conll
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted
from ..documents.joining import locating_errors, read_together
from ..documents.pairing import Pairing
from ..exceptions import InputError, counted, printable, setting, spelled
from ..options import CheckedOptions, text
from ..readers.columns.rewriter import Rewriter
from ..readers.formats import files_of, writers
from ..readers.source import Source
from ..readers.writing import packing, prepare, require_writable, write_folder, writing, writing_folder, written
from ..spans.conversion import convert_tags, repair_tags
from ..spans.spans import as_tags
from ..tags.schemes import SCHEMES, canonical
from ..tags.tags import Tags
from .input_files import ONE_FILE, InputFiles, InputPath, add_reading, called
from .options import STANDARD_INPUT, add_options, read_options, refuse, speller, switch


def _target(name: str) -> str:
    return name if name in writers() else canonical(name)


class Target(CheckedOptions):
    """Where and how the output is written.

    Attributes:
        to: tag scheme or file format to write.
        lossy: simplify or leave out spans that the format cannot represent, and list them.
        output: write to OUT instead of standard output; OUT must not exist. If the name OUT ends in .gz, the output is
            gzipped.
        in_place: overwrite FILE with the result.
        replace: let -o replace an existing file or folder, but never an input file.

    Raises:
        InputError: if options exclude each other, or if the target is a folder.
    """

    to: str | None = text("NAME", choices=(*SCHEMES, *writers()), parse=_target, common=True)
    lossy: bool = switch(common=True)
    output: str | None = text("OUT", common=True)
    in_place: bool = switch(common=True)
    replace: bool = switch(flag="force")
    file: str = ""

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.in_place and self.output is not None:
            raise InputError("--in-place and -o cannot be used together.", "Remove one of them.")
        if self.in_place and self.file == STANDARD_INPUT:
            remedy = "Leave out --in-place to write to standard output."
            raise InputError("--in-place cannot replace standard input.", remedy)
        if self.replace and not self.names_file:
            raise InputError("--force needs -o.", "Name the output file with -o.")

    @property
    def names_file(self) -> bool:
        """Whether the output goes into a new file."""
        return self.output not in (None, STANDARD_INPUT)

    def require_writable(self, *, folder: bool) -> None:
        """Raise an `InputError` if the new file or folder cannot be written, before anything is read."""
        if self.names_file:
            require_writable(str(self.output), replace=self.replace, folder=folder)

    @contextlib.contextmanager
    def opened(self, *, packed: bool = False, together: contextlib.ExitStack | None = None) -> Iterator[BinaryIO]:
        """Open the target, compressed like the input; see `writing`."""
        if self.in_place and not os.path.isfile(self.file):
            raise InputError("this is not a regular file.", "Name a file.", source=self.file)
        path = self.file if self.in_place else str(self.output)
        opening: contextlib.AbstractContextManager[BinaryIO]
        if self.in_place or self.names_file:
            packed = packed or (path.endswith(".gz") and not self.in_place)
            opening = writing(path, replace=self.in_place or self.replace, together=together)
        else:
            sys.stdout.flush()
            # compressed output is useless on a terminal
            packed = packed and not sys.stdout.isatty()
            opening = contextlib.nullcontext(sys.stdout.buffer)
        with opening as stream, packing(stream, packed=packed) as output:
            yield output

    def of_documents(self, source: InputFiles, default: str = "jsonl") -> DocumentTarget:
        """Choose the format of documents; `default` is a format or a tag scheme if none is named.

        Raises:
            InputError: if documents cannot be written there. Nothing has been read then.
        """
        to = self.to or default
        format = "columns" if to in SCHEMES else to
        writer = writers()[format]
        if self.in_place:
            raise InputError("--in-place works only if input and output are tags.", "Write to a new file with -o.")
        self.require_writable(folder=writer.folder)
        if writer.folder and not self.names_file:
            raise InputError(f"the format {format!r} needs a folder, not a file.", "Write to a new folder with -o.")
        # the scheme of the source is the scheme for reading
        values = {**vars(source), "scheme": to if to in SCHEMES else writer.options.get("scheme")}
        return DocumentTarget(self, format, {name: values.get(name, value) for name, value in writer.options.items()})


class DocumentTarget(NamedTuple):
    """Where documents are written, the name of their format, and the options for writing it."""

    target: Target
    format: str
    settings: Mapping[str, Any]

    def write(self, file: DocumentFile, pairing: Pairing, *, noted: bool = False) -> Fitted:
        """Fit documents to the format, list lost and left-out items on standard error, and write the documents.

        Args:
            file: the documents.
            pairing: how they are fitted.
            noted: whether the notes on the file were shown when it was read.
        """
        target, format, settings = self
        file = replace(file, left_out=(), notes=()) if noted else file
        fitted = prepare(file, format, pairing, settings, lossy=target.lossy)
        texts = {"left out": file.left_out, "lost": fitted.losses, "note": [*file.notes, *fitted.notes]}
        for kind, listed in texts.items():
            for each in listed:
                print(f"{kind}: {printable(spelled(str(each), speller({})))}", file=sys.stderr)
        if writers()[format].folder:
            write_folder(str(target.output), fitted, format, settings, replace=target.replace)
            return fitted
        with target.opened() as stream:
            stream.writelines(written(fitted, format, settings))
        return fitted


def rewrite(options: argparse.Namespace, source: InputFiles, change: Callable[[Tags], Tags], how: str) -> None:
    """Change the tags of a file, or of each file of a folder or a pattern, and write the result to the target.

    Args:
        options: the options of the command.
        source: how the file is read.
        change: a function that computes the new tags of a column.
        how: a description of the change, for the message.
    """
    target = read_options(Target, options, file=options.file)
    path = InputPath.of(options.file)
    if source.outside == "nothing":
        nothing = setting("outside", "nothing")
        problem = f"with '{nothing}', every tag is a label, even O, so there is no scheme to convert."
        remedy = f"Remove '{nothing}'. If the tags have no prefixes (PER, O), set {setting('prefix', False)}."
        raise InputError(problem, remedy, source=path)
    files = files_of(path)
    target.require_writable(folder=files is not None)
    if files is not None and not target.names_file and not target.in_place:
        remedy = "Write to a new folder with -o, or replace the files with --in-place."
        raise InputError("several files cannot be written to standard output.", remedy, source=path)
    parts = {file: _read(file, source) for file in (files or {"": path}).values()}
    # if one file has an error, none is written
    corpus = parts[path] if files is None else read_together(path, files, parts.__getitem__)
    with locating_errors({"": corpus}):
        columns = [change(as_tags(column, prefix=source.prefix)) for column in corpus.tags]
    ends = np.cumsum([len(part.document_lines) for part in parts.values()]).tolist()
    rewriters = {
        file: Rewriter(part, [column.between(*documents) for column in columns], outside=source.outside)
        for (file, part), documents in zip(parts.items(), pairwise([0, *ends]), strict=True)
    }
    root = path if os.path.isdir(path) else os.path.commonpath([os.path.dirname(file) or "." for file in parts])
    new = files is not None and target.names_file
    writing_new = writing_folder(str(target.output), replace=target.replace) if new else contextlib.nullcontext()
    with writing_new as folder, contextlib.ExitStack() as together:
        for file, rewriter in rewriters.items():
            of_file = replace(target, file=file)
            if folder is not None:
                of_file = replace(of_file, output=os.path.join(folder, os.path.relpath(file, root)))
                os.makedirs(os.path.dirname(str(of_file.output)), exist_ok=True)
            if rewriter.changed or not target.in_place:
                with (
                    Source.open(InputPath.of(file).start, rewriter.source, **source.limits) as unchanged,
                    of_file.opened(packed=unchanged.packed, together=together) as output,
                ):
                    output.writelines(rewriter.blocks(unchanged))
    if target.in_place or target.names_file:
        changed, tokens = (sum(getattr(each, name) for each in rewriters.values()) for name in ("changed", "tokens"))
        place = printable(target.output if target.output is not None else called(path))
        print(f"{place}: {changed:,} of {counted(tokens, 'tag')} changed ({how}).")


def _read(path: str, source: InputFiles) -> DocumentFile:
    file = source.read_columns(path)
    if file.format:
        problem = f"this is {file.format}. Tags can be written only to JSON lines or to columns with tabs or spaces."
        how = " For an array, use jq -c '.[]'." if file.format == "a single JSON value" else ""
        raise InputError(problem, f"Save the file in one of these two formats first.{how}", source=file.source)
    return file


def declare(parser: argparse.ArgumentParser) -> None:
    """Add the arguments and options."""
    parser.add_argument("file", metavar="FILE", help="file with tags or spans (can be gzipped) or - for standard input")
    add_reading(parser, ONE_FILE)
    add_options(parser, "output", Target)


def run(options: argparse.Namespace) -> None:
    """Read, convert and write."""
    # options that exclude each other are refused before anything is read
    target, source = read_options(Target, options, file=options.file), read_options(InputFiles, options)
    path = options.file = InputPath.of(options.file)
    if options.repair is None:
        source = replace(source, repair="raise")
    of_tags = source.names_columns or source.format_of(path) is None
    if target.to is None and (not of_tags or options.repair is None):
        remedy = ", or a policy for illegal tags with --repair." if of_tags else "."
        raise InputError("the output would be the same as the input.", f"Name a scheme or a format with --to{remedy}")
    if of_tags and (target.to is None or target.to in SCHEMES):
        source.require_effect(options, "tags", [path])
        refuse(options, ["lossy"], "tags that stay tags")
        repairs = options.repair is not None
        change: Any = partial(repair_tags, repair=source.repair) if repairs else convert_tags
        how = [*([source.repair] if repairs else []), *([] if target.to is None else [f"to {target.to}"])]
        rewrite(options, source, partial(change, scheme=source.scheme, to=target.to), ", ".join(how))
        return
    writing = target.of_documents(source)
    if source.columns:
        raise InputError(f"cannot write several tag columns as {target.to}.", "Choose one with --column.")
    source.require_effect(options, "spans", [path])
    file = source.read_all_spans(path, source.one_column)
    fitted = writing.write(file, source.pairing)
    if target.names_file:
        size = f"{counted(file.documents.size, 'document')}, {counted(int(fitted.file.spans.times.sum()), 'span')}"
        print(f"{printable(options.output)}: {size} (from {printable(called(path))}, as {target.to}).")
