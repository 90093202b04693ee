"""The formats of files: what a format declares, and how the format of a file is found.

Each format is one module below this folder, which calls `register`; nothing else lists the formats.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cache, cached_property
from itertools import islice
from types import NoneType
from typing import Any, BinaryIO, get_type_hints

from ..arrays import is_integer, ordered
from ..documents.document_file import DocumentFile
from ..documents.joining import read_together
from ..documents.tag_columns import Column
from ..documents.writer import Writer, keywords
from ..exceptions import InputError, mention, require_choice, require_kind, setting, shown
from ..options import CheckedOptions, Option, option, options_of, text
from ..spans.characters import UNITS
from .folders import files_of
from .source import UTF_8, Source

CONTENTS = ("tags", "spans", "attributes", "entities")
"""What formats hold."""

AUTO = "auto"
"""The name of no format: the file shows its own."""

_MOST_NAMES = 10_000
"""How many files of a folder are looked at for its format."""

IN_BROWSERS = ("codepoint", "utf-16", "codepoint-lf", "utf-16-lf")
"""What tools that show texts in a browser may count, which has UTF-16 units, and no carriage returns."""

_LARGEST_GAP = 1_000_000
"""How many characters of a document a file may lack between two of its parts."""


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        name: what options and results call it; formats of different contents may share one, as all JSON lines do.
        content: the layer that it fills, and that files of it show, one of `CONTENTS`.
        mark: how it is recognised, in a few words.
        shows: whether the head of a source shows this format and no other; None if no head does.
        read: reads a source; its keyword arguments are the format's options, unless its second argument `options` is an
            object of a class that declares them, which is passed to `read_folder` too.
        write: makes text of entities, words and names of documents; None if that is not possible. Its keyword
            arguments are options too.
        needs_words: whether documents without words cannot be written.
        read_folder: reads a folder of files, one a document; None if a file has all.
        paths: how the whole paths of these files look, a regular expression.
        writer: how documents with spans are written; None if that is not possible.
        allows: whether a source may be of this format, though others may begin so; None if `shows` tells all.
        may_be_empty: whether an empty file, whose format is named, is a file without spans.
    """

    name: str
    mark: str
    shows: Callable[[Source], object] | None
    read: Callable[..., DocumentFile]
    _: KW_ONLY
    content: str = "spans"
    write: Callable[..., str] | None = None
    needs_words: bool = True
    read_folder: Callable[..., DocumentFile] | None = None
    paths: str = ""
    writer: Writer | None = None
    allows: Callable[[Source], object] | None = None
    may_be_empty: bool = False

    @cached_property
    def reading(self) -> type[Any] | None:
        """The class of the options of reading; None if they are keyword arguments."""
        return get_type_hints(self.read).get("options")

    @property
    def options(self) -> dict[str, Any]:
        """The options of reading and their defaults."""
        if self.reading is None:
            return keywords(self.read)
        return {each.name: each.default for each in fields(self.reading)}

    def read_with(
        self, read: Callable[..., DocumentFile], source: Any, options: Mapping[str, Any], **more: Any
    ) -> DocumentFile:
        """Call one of the functions that read, with the values of options; an `InputError` if these are not allowed."""
        if self.reading is None:
            return read(source, **options, **more)
        return read(source, self.reading(**options), **more)


_registered: list[Format] = []


def register(format: Format) -> None:
    """Add a format to those that files are read in."""
    _registered.append(format)


def formats_of(content: str) -> dict[str, Format]:
    """List the formats of a content by their names."""
    return {format.name: format for format in _all() if format.content == content}


def writers() -> dict[str, Writer]:
    """List the writers of documents with spans, by the names of the formats."""
    return {format.name: format.writer for format in _all() if format.writer is not None}


def reading_options(content: str) -> dict[str, Option]:
    """Collect the options of reading that the formats of a content declare."""
    classes = [format.reading for format in formats_of(content).values() if format.reading is not None]
    return {name: declared for each in classes for name, declared in options_of(each).items()}


def detect(
    path: str | os.PathLike[str] | BinaryIO,
    content: str | None = None,
    name: str | None = None,
    *,
    encoding: str = UTF_8,
) -> Format | None:
    """Find the format of a file that begins as no file of another format does.

    None if several formats are possible, as for tags, and if the file cannot be read: its reader says what is wrong.

    Args:
        path: the file, or the folder.
        content: the layer that its formats fill; by default any.
        name: what its format is called; then it is enough that the file may be of it.
        encoding: of the text.
    """
    candidates = [each for each in _all() if content in (None, each.content) and name in (None, each.name)]
    if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
        walked = os.walk(os.path.abspath(path))
        names = islice((os.path.join(place, name) for place, _, names in walked for name in names), _MOST_NAMES)
        of_folders = [each for each in candidates if each.read_folder is not None]
        folder = next((each for name in names for each in of_folders if re.search(each.paths, name)), None)
        if folder is not None:
            return folder
    try:
        # the files of a folder have the format of the first one
        path = next(iter((files_of(path) or {}).values()), path)
        with Source.open(path, encoding=encoding) as source:
            return _fitting(source, candidates, surely=name is None)
    except InputError:
        return None


def read_as(
    content: str,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str = AUTO,
    name: str | None = None,
    progress: Callable[[int], object] | None = None,
    limits: Mapping[str, Any] | None = None,
    options: Mapping[str, Any],
) -> DocumentFile:
    """Read a file in one of the formats of a content.

    Args:
        content: the layer that is wanted, one of `CONTENTS`.
        path: the file, or an open binary stream; or a folder, or a pattern with wildcards, whose files are read one
            after the other, unless the format is one of folders.
        format: its name, or `auto` for the format that the head of the file shows most surely.
        name: what errors call the file; its path by default.
        progress: called with the number of bytes that were read since the last call.
        limits: those of `Limits`.
        options: those of all formats of the content; only the format that is read may have values other than the
            defaults.

    Raises:
        InputError: if the format is unknown or cannot be recognised, for an option of another format, and as the
            format's reader.
    """
    formats = formats_of(content)
    require_choice("format", format, (AUTO, *formats))
    named = formats.get(format)
    if named and named.read_folder and isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
        own = _own_options(named, formats.values(), options, os.fspath(path))
        return named.read_with(named.read_folder, path, own, **(limits or {}))
    files = files_of(path)
    if files is not None:
        arguments: dict[str, Any] = {"format": format, "progress": progress, "limits": limits, "options": options}
        return read_together(path, files, lambda file: read_as(content, file, **arguments))
    empty = named is not None and named.may_be_empty
    with Source.open(path, name, progress, empty=empty, **(limits or {})) as source:
        chosen = _recognised(source, formats.values()) if format == AUTO else formats[format]
        return chosen.read_with(chosen.read, source, _own_options(chosen, formats.values(), options, source.name))


def _own_options(chosen: Format, formats: Iterable[Format], options: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Collect the options of a format; an `InputError` if those of others have values other than their defaults."""
    own = dict(options)
    for other in formats:
        for name in (options.keys() & other.options.keys()) - chosen.options.keys():
            if own.pop(name, other.options[name]) != other.options[name]:
                problem = f"{setting(name)} is for the format {other.name}; this is {chosen.name}."
                raise InputError(problem, f"Leave out {setting(name)}.", source=source)
    return own


def _all() -> list[Format]:
    _import_formats()
    # several contents have a format of one name; which comes first must not depend on what was imported first
    return sorted(_registered, key=lambda format: (format.name, format.read.__module__))


@cache
def _import_formats() -> None:
    # in a Space the modules are files beside others, and the names of those of this room begin alike
    room = __name__.removesuffix("formats")
    for module in pkgutil.walk_packages([os.path.dirname(__file__)], f"{__package__}."):
        if module.name.startswith(room):
            importlib.import_module(module.name)


def _fitting(source: Source, formats: Collection[Format], *, surely: bool = False) -> Format | None:
    """Find the first format that a source shows, or else, unless `surely` is needed, the first that it may be of."""
    best = next((format for format in formats if format.shows and format.shows(source)), None)
    if best is not None or surely:
        return best
    return next((format for format in formats if format.allows and format.allows(source)), None)


def _recognised(source: Source, formats: Collection[Format]) -> Format:
    best = _fitting(source, formats)
    if best is None:
        marks = ", nor ".join(format.mark for format in formats)
        *names, last = (format.name for format in formats)
        named = f"{setting('format')}: {', '.join(names)} or {last}."
        raise source.refuse(f"neither {marks}.", f"Name the format with {named}", 1)
    return best


@dataclass(frozen=True, kw_only=True)
class TagReading:
    """The options of reading tags, see `readers.read`.

    Raises:
        InputError: for columns that are neither numbers nor names.
    """

    columns: Sequence[Column] = (None,)
    words: bool | int | str = False
    outside: str | None = None
    numbers: Column = None

    def __post_init__(self) -> None:
        """Check the values."""
        remedy = "Give the numbers or names of columns, columns=[-1]."
        columns = ordered(self.columns, "a list of columns", remedy, option="columns")
        for column in columns:
            if not isinstance(column, (str, NoneType)) and not is_integer(column):
                raise InputError(f"{shown(column)} is neither the number nor the name of a column.", remedy)
        columns = [column if isinstance(column, (str, NoneType)) else int(column) for column in columns]
        object.__setattr__(self, "columns", tuple(columns))
        if not isinstance(self.words, (str, int)):
            problem = f"{setting('words', self.words)} is neither the number nor the name of a column."
            raise InputError(problem, "Use True.")
        require_kind(self.outside, (str, NoneType), "a string", f"Give {mention('outside')} as text, or leave it out.")

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The columns of tags, and the column of numbers."""
        return (*self.columns, *(() if self.numbers is None else (self.numbers,)))


@dataclass(frozen=True, kw_only=True)
class ColumnReading(TagReading):
    """The options of reading tags in columns."""

    documents: str | None = None
    boundary: str | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        for name in ("documents", "boundary"):
            remedy = f"Give {mention(name)} as text, or leave it out."
            require_kind(getattr(self, name), (str, NoneType), "a string", remedy)


@dataclass(frozen=True, kw_only=True)
class Offsets(CheckedOptions):
    """The options of reading a format of offsets."""

    offset_unit: str | None = option(
        None, help="unit of the offsets, if the file does not state it", choices=UNITS, optional=True, metavar="UNIT"
    )

    def units(self, *possible: str) -> tuple[str, ...]:
        """Choose the unit that is asked for, or else the possible ones."""
        return possible if self.offset_unit is None else (self.offset_unit,)


@dataclass(frozen=True, kw_only=True)
class LayerReading(CheckedOptions):
    """The options of reading exports of INCEpTION, which have layers.

    Attributes:
        layer: the layer, by its name or the last part of it; by default the only one.
        feature: the feature whose values are the labels; by default `value`, else the only one, else the layer's name
            is the label of all spans.
    """

    layer: str | None = text("NAME", "WebAnno TSV and UIMA CAS: layer of the spans to read")
    feature: str | None = text("NAME", "WebAnno TSV and UIMA CAS: feature of the layer that holds the labels")

    def chosen(
        self, layers: Mapping[str, str], refuse: Callable[[str, str], InputError], have: str = "file has"
    ) -> str | None:
        """Choose the named layer, or the only one, given the short names by the full ones; None if there is none."""
        names = [name for name, short in layers.items() if self.layer in (None, name, short)]
        listed = ", ".join(map(repr, layers.values())) or "none"
        if self.layer is not None and not names:
            raise refuse(f"there is no layer {self.layer!r} of spans.", f"The {have} {listed}.")
        if len(names) > 1:
            raise refuse(f"the {have} several layers: {listed}.", f"Name one with {setting('layer')}.")
        return names[0] if names else None


def blanks_before(source: Source, start: int, reached: int, line: int) -> str:
    """Make blanks for what a file lacks of a text before a part of it.

    Raises:
        InputError: for a part that begins before the end of the one before it, or far behind it.
    """
    if not 0 <= start - reached <= _LARGEST_GAP:
        raise source.refuse(
            f"a part of the text begins at {start}, after one that ends at {reached}.",
            "Parts of a text follow one another; check their offsets.",
            line,
        )
    return " " * (start - reached)
