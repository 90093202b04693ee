"""What commands share that read files: options that say how, and the reading, with a progress bar."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

from ..errors import InputError, counted, printable

if TYPE_CHECKING:
    from tqdm import tqdm

    from ..readers import TagFile

STANDARD_INPUT = "-"

COLUMN_HELP = "number from 1 (-1 is the last) or name; the last by default; in JSON lines a key, by default tags"


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help with room for the options' names."""

    def __init__(self, prog: str) -> None:
        """Move the texts to the right."""
        super().__init__(prog, max_help_position=32)


def add_side_options(group: argparse._ArgumentGroup) -> None:
    """Declare which columns of two sides hold the tags."""
    group.add_argument("--column", metavar="COLUMN", help=f"tag column of both sides: {COLUMN_HELP}")
    group.add_argument("--reference-column", metavar="COLUMN", help="tag column of the reference")
    group.add_argument("--prediction-column", metavar="COLUMN", help="tag column of the system")


def add_form_options(group: argparse._ArgumentGroup, *more: str) -> None:
    """Declare how files are built; a command may know more forms."""
    formats = ("auto", "columns", "jsonl", *more)
    group.add_argument("--format", choices=formats, default="auto", help="form of the files; auto by default")
    group.add_argument(
        "--documents",
        metavar="KEY",
        help="what begins a document, in place of the blank line: the KEY of comments '# KEY = ...'; or "
        "--documents=-DOCSTART-",
    )
    group.add_argument("--outside", metavar="TAG", help="read TAG as O, for example _")


def add_scheme_option(group: argparse._ArgumentGroup, *names: str) -> None:
    """Declare the option that names the tags' scheme."""
    group.add_argument(
        *(names or ("--scheme",)),
        dest="scheme",
        metavar="SCHEME",
        type=str.upper,
        help="IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU or BMES; inferred from the prefixes by default",
    )


def read_sides(options: argparse.Namespace, words: bool | int | str = False) -> tuple[TagFile, TagFile]:
    """Both sides, from two files or two columns of one; with the words of the reference where they are asked for."""
    from ..readers import require_same_tokens

    reference_column = options.reference_column or options.column
    prediction_column = options.prediction_column or options.column
    if options.prediction is None:
        if options.reference_column is None or options.prediction_column is None:
            raise InputError(
                "with one file, both of its columns must be named.",
                "Give --reference-column and --prediction-column, or a second file.",
            )
        both = read_file(options, options.reference, [reference_column, prediction_column], words)
        references, predictions = both.select(0), both.select(1)
        if references.columns == predictions.columns:
            raise InputError(
                f"the reference and the prediction are the same column ({references.columns[0]}).",
                "Name two columns.",
                source=both.source,
            )
    else:
        if options.reference == options.prediction == STANDARD_INPUT:
            raise InputError("both files are standard input.", "Name one of them.")
        references = read_file(options, options.reference, [reference_column], words)
        predictions = read_file(options, options.prediction, [prediction_column])
        require_same_tokens(references, predictions)
    return references, predictions


def read_file(
    options: argparse.Namespace,
    path: str,
    columns: Sequence[str | None],
    words: bool | int | str = False,
    stream: BinaryIO | None = None,
) -> TagFile:
    """A file as its options say it is built; from a stream, where that is open already."""
    from ..readers import read

    with reading_bar(path) as bar:
        return read(
            stream or stream_or_path(path),
            columns=columns,
            words=words,
            format=options.format,
            documents=options.documents,
            outside=options.outside,
            name=called(path),
            progress=bar.update,
        )


def read_several(options: argparse.Namespace, paths: Sequence[str], what: str) -> list[TagFile]:
    """A tag column of each file (`options.column`), or several of one file (`options.columns`), each by itself.

    Args:
        options: the command line.
        paths: the files.
        what: whose columns these are, for errors.
    """
    if options.columns is not None:
        columns = [column.strip() for column in options.columns.split(",")]
        if len(paths) > 1:
            raise InputError("--columns takes apart one file.", "Give one file, or --column for all of them.")
        if options.column is not None:
            raise InputError("--column and --columns name columns.", "Leave out one of them.")
        whole = read_file(options, paths[0], columns)
        files = [whole.select(place) for place in range(len(columns))]
        if len({file.columns[0] for file in files}) < len(files):
            raise InputError("one column is named twice.", "Name each column once.", source=whole.source)
        return files
    if len(paths) == 1:
        raise InputError(
            f"with one file, the columns of {what} must be named.",
            "Give them with --columns 2,3,4, or more files.",
        )
    if paths.count(STANDARD_INPUT) > 1:
        raise InputError("two files are standard input.", "Name all but one.")
    return [read_file(options, path, [options.column]) for path in paths]


def located(options: argparse.Namespace, error: InputError, file: TagFile) -> InputError:
    """An error about one of several tag columns, said of its line; of one file's columns also which of them it is."""
    found = file.locate(error)
    if options.columns is None:
        return found
    problem = f"{printable(file.columns[0])}: {error.problem}"
    return InputError(problem, error.remedy, source=found.source, line=found.line, position=found.position)


def named(written: str | None, default: Sequence[str], what: str) -> list[str]:
    """The names that are given with commas between, or those that stand in for them; no two alike.

    Args:
        written: the names.
        default: as many as there are to be.
        what: what has the names, `annotator` or `system`.
    """
    if written is None:
        return list(default)
    names = [name.strip() for name in written.split(",")]
    if len(names) != len(default):
        raise InputError(
            f"{counted(len(names), 'name')}, {counted(len(default), what)}.", f"Give each {what} one name."
        )
    if not all(names):
        article = "an" if what[0] in "aeiou" else "a"
        raise InputError(f"{article} {what} has an empty name.", f"Give each {what} a name.")
    if len(set(names)) < len(names):
        raise InputError(f"two {what}s have one name.", f"Give each {what} a name of its own.")
    return names


def read_columns(options: argparse.Namespace, stream: BinaryIO | None = None) -> TagFile:
    """The tag columns that `--column` names (the last one, where it names none) of `options.file`."""
    file = read_file(options, options.file, options.column or [None], stream=stream)
    if file.layout is not None:
        twice = len(set(file.layout.columns)) < len(file.columns)
    else:
        twice = len(set(file.columns)) < len(file.columns)
    if twice:
        raise InputError("one column is named twice.", "Name each column once.", source=file.source)
    return file


def reading_bar(path: str) -> tqdm:
    """A progress bar of the bytes of a file; one that is read at once has none."""
    from tqdm import tqdm

    return tqdm(
        desc=f"reading {printable(os.path.basename(path))}",
        total=os.path.getsize(path) if path != STANDARD_INPUT and os.path.isfile(path) else None,
        unit="B",
        unit_scale=True,
        delay=1,
        leave=False,
        disable=None,
    )


def stream_or_path(path: str) -> BinaryIO | str:
    """What a reader opens."""
    return sys.stdin.buffer if path == STANDARD_INPUT else path


def names_of(paths: Sequence[str]) -> list[str]:
    """Names of annotators or systems from those of their files, as short as they can be told apart."""
    bare = [os.path.basename(path).removesuffix(".gz") if path != STANDARD_INPUT else called(path) for path in paths]
    for names in ([os.path.splitext(name)[0] for name in bare], bare, list(paths)):
        if len(set(names)) == len(paths):
            return names
    # one file given twice
    return [f"{name} ({number})" for number, name in enumerate(bare, start=1)]


def called(path: str) -> str:
    """What messages call a file."""
    return "standard input" if path == STANDARD_INPUT else path
