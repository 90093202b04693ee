"""Declarations of file formats, detection of a file's format, and lists of the files of a folder or pattern."""

import glob
import importlib
import os
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cache, cached_property, partial
from itertools import chain, islice
from types import NoneType
from typing import Any, Self, get_type_hints

from ..arrays import is_integer, ordered
from ..documents.document_file import DocumentFile, documents_of
from ..documents.joining import read_together
from ..documents.layers import Column, Named, Record, Writer, keywords
from ..exceptions import InputError, mention, require_choice, require_kind, setting, shown
from ..options import CheckedOptions, Option, option, options_of, same
from ..spans.texts import UNITS
from ..tags.decoding import Decoding
from .source import UTF_8, FileLike, Limits, Progress, Source

_WILDCARD = re.compile(r"[*?\[]")
_MOST_FILES = 100_000


def files_of(path: Any) -> dict[str, str] | None:
    """List the files of a folder or of a pattern, sorted by name.

    In a folder, the name of a file is its path without the extension. With a pattern, it is the part of the path that
    the wildcards match.

    Returns:
        The paths by name; None if `path` is a single file or a stream.

    Raises:
        InputError: if there are no files, or too many.
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    folder = os.fspath(path)
    first = _WILDCARD.search(folder)
    if os.path.isdir(folder):
        files = (os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
        named = {file: os.path.relpath(file, folder) for file in files}
        named = {file: name for file, name in named.items() if f"{os.sep}." not in f"{os.sep}{name}"}
        stems = {file: _stem(name) for file, name in named.items()}
        problem = "this folder has no files."
    elif first is not None and not os.path.lexists(folder):
        named = {file: file for file in glob.glob(folder, recursive=True) if os.path.isfile(file)}
        after = len(folder) - max(map(folder.rfind, "*?]")) - 1
        stems = {file: file[first.start() : len(file) - after] for file in named}
        stems = stems if after else {file: _stem(name) for file, name in stems.items()}
        problem = "no file matches this pattern."
    else:
        return None
    if not named:
        raise InputError(problem, "Name a file, a folder, or a pattern in quotes.", source=folder)
    if len(named) > _MOST_FILES:
        raise InputError(f"there are more than {_MOST_FILES:,} files.", "Give fewer files at once.", source=folder)
    # extensions distinguish files with the same name
    names = stems if len(set(stems.values())) == len(stems) else named
    return dict(sorted((name.replace(os.sep, "/"), file) for file, name in names.items()))


def _stem(name: str) -> str:
    return os.path.splitext(name.removesuffix(".gz"))[0]


AUTO = "auto"
"""The value of `format` that stands for detection."""

_MOST_NAMES = 10_000
"""The maximum number of files that are examined to detect the format of a folder."""

IN_BROWSERS = ("codepoint", "utf-16", "codepoint-lf", "utf-16-lf")
"""The units in which browser-based tools may count: browsers use UTF-16 and drop carriage returns."""

_LARGEST_GAP = 1_000_000
"""The maximum gap between two parts of a document, in characters."""


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes:
        name: its name in options and results. Formats with different content can have the same name, such as `jsonl`.
        content: the kind of its content: `tags`, `spans`, `attributes` or `entities`.
        mark: how to recognise it, in a few words.
        shows: checks whether the beginning of a source has this format for certain; None if it can never be certain.
        read: yields the records of a source, or returns a `DocumentFile`. Its keyword arguments are the format's
            options. If it has an argument `options` instead, the class of this argument declares the options, and
            `read_folder` gets it too.
        units, in_tokens, by_name: how records become a `DocumentFile`, see `documents_of`.
        read_folder: reads a folder with one file for each document; None if the format has no such folders.
        paths: a regular expression for the full paths of these files.
        writer: writes documents with spans; None if the format is read-only.
        allows: checks whether a source can have this format, although other formats can begin like it; None if `shows`
            is enough.
        may_be_empty: whether an empty file means "no spans" if the user names the format.
    """

    name: str
    mark: str
    shows: Callable[[Source], object] | None
    read: Callable[..., Iterable[Record | str] | DocumentFile]
    _: KW_ONLY
    units: tuple[str, ...] = ("codepoint",)
    in_tokens: bool = False
    by_name: bool = False
    content: str = "spans"
    read_folder: Callable[..., Iterable[Record | str] | DocumentFile] | None = None
    paths: str = ""
    writer: Writer | None = None
    allows: Callable[[Source], object] | None = None
    may_be_empty: bool = False

    @cached_property
    def reading(self) -> type[Any] | None:
        """The class that declares the reading options; None if they are keyword arguments."""
        return get_type_hints(self.read).get("options")

    @property
    def options(self) -> dict[str, Any]:
        """The reading options with their defaults."""
        if self.reading is None:
            return keywords(self.read)
        return {each.name: each.default for each in fields(self.reading)}

    def read_from(
        self, source: Named, options: Mapping[str, Any], others: Iterable[Self], **limits: Any
    ) -> DocumentFile:
        """Read a source, or a folder with these limits.

        Raises:
            InputError: if a value is not allowed, or if an option of another format does not have its default.
        """
        own = dict(options)
        for other in others:
            for name in sorted((own.keys() & other.options.keys()) - self.options.keys()):
                if not same(own.pop(name), other.options[name]):
                    problem = f"{setting(name)} is not an option of the format {self.name!r}."
                    raise source.refuse(problem, f"Leave out {setting(name)}.")
        read: Callable[..., Any] = self.read
        if self.read_folder is not None and not isinstance(source, Source):
            read = partial(self.read_folder, **limits)
        reading = None if self.reading is None else self.reading(**own)
        content = read(source, **own) if reading is None else read(source, reading)
        if isinstance(content, DocumentFile):
            return content
        units = reading.units(*self.units) if isinstance(reading, Offsets) else self.units
        return documents_of(source, content, units=units, in_tokens=self.in_tokens, by_name=self.by_name)


_registered: list[Format] = []


def register(*declaration: Any, **more: Any) -> None:
    """Add a format, declared by the arguments of `Format`."""
    _registered.append(Format(*declaration, **more))


def formats_of(content: str) -> dict[str, Format]:
    """Return the formats with this kind of content, by name."""
    return {format.name: format for format in _all() if format.content == content}


def writers() -> dict[str, Writer]:
    """Return the writers of documents with spans, by format."""
    return {format.name: format.writer for format in _all() if format.writer is not None}


def reading_options(content: str) -> dict[str, Option]:
    """Return the reading options of all formats with this kind of content."""
    classes = [format.reading for format in formats_of(content).values() if format.reading is not None]
    return {name: declared for each in classes for name, declared in options_of(each).items()}


def detect(
    path: FileLike, content: str | None = None, name: str | None = None, *, encoding: str = UTF_8
) -> Format | None:
    """Detect the format of a file from its beginning.

    Returns None if several formats are possible, as for tags, or if the file cannot be read. In this case the reader
    that is tried next raises the error.

    Args:
        path: the file, or the folder.
        content: consider only formats with this kind of content.
        name: consider only formats with this name; the file need then not show the format for certain.
        encoding: the encoding of the text.
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
            return _fitting(source, candidates, () if name is None else candidates)
    except InputError:
        return None


def read_as(
    content: str,
    path: FileLike,
    *,
    format: str = AUTO,
    name: str | None = None,
    progress: Progress = None,
    options: Mapping[str, Any],
    tags: Mapping[str, Any] | None = None,
) -> DocumentFile:
    """Read a file in one of the formats with this kind of content.

    Args:
        content: the kind of content to read, see `Format`.
        path: the file, or an open binary stream; or a folder or a pattern with wildcards. The files of a folder are
            read in order, unless the folder as a whole is in a format.
        format: the name of the format, or `auto` to detect it.
        name: what errors call the file; by default its path.
        progress: a function called with the number of bytes read since the last call.
        options: the options of `Limits`, and of all formats with this kind of content. Options of other formats must
            have their defaults.
        tags: for spans, the `column` and `prefix` (see `Tags.labels_as_tags`) with which files of tags are decoded,
            too; None if only files of spans are read.

    Raises:
        InputError: if the format is unknown or cannot be detected, if an option of another format is set, or if the
            reader of the format raises it.
    """
    of_tags = formats_of("tags").values() if content == "spans" else ()
    others = [*formats_of(content).values(), *of_tags]
    candidates = others if tags is not None else formats_of(content).values()
    require_choice("format", format, (AUTO, *dict.fromkeys(each.name for each in candidates)))
    named = [each for each in candidates if format in (AUTO, each.name)]
    limits = {limit: value for limit, value in options.items() if limit in options_of(Limits)}
    own = {option: value for option, value in options.items() if option not in limits}
    if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
        whole = named[0] if format != AUTO else detect(path, content, encoding=limits.get("encoding", UTF_8))
        if whole is not None and whole.read_folder is not None:
            return whole.read_from(Named(os.fspath(path)), own, others, **limits)
    files = files_of(path)
    if files is not None:
        arguments: dict[str, Any] = {"format": format, "progress": progress, "options": options, "tags": tags}
        return read_together(path, files, lambda file: read_as(content, file, **arguments))
    empty = format != AUTO and named[0].may_be_empty
    with Source.open(path, name, progress, empty=empty, **limits) as source:
        # tags can begin like spans that are not certain
        possible = of_tags if format == AUTO and tags is not None else named
        chosen = named[0] if len(named) == 1 else _fitting(source, named, possible)
        if chosen is None and format == AUTO:
            marks = ", ".join(each.mark for each in named)
            problem = f"the format was not recognised. The known formats are: {marks}."
            remedy = f"Set {setting('format')} to one of {', '.join(each.name for each in named)}."
            raise source.refuse(problem, remedy, 1)
        chosen = chosen or named[-1]
        if tags is None or chosen.content != "tags":
            return chosen.read_from(source, own, others)
        decoding = {option: own.pop(option) for option in options_of(Decoding) if option in own}
        file = chosen.read_from(source, {**own, "columns": [tags["column"]], "words": True}, others)
        return file.decoded(prefix=tags["prefix"], **decoding)


def _all() -> list[Format]:
    _import_formats()
    # formats with different contents may share a name; their order must not depend on the order of imports
    return sorted(_registered, key=lambda format: (format.name, format.read.__module__))


@cache
def _import_formats() -> None:
    # a Space is flat: the names of this room's modules share a prefix there
    room = __name__.removesuffix("formats")
    for module in pkgutil.walk_packages([os.path.dirname(__file__)], f"{__package__}."):
        if module.name.startswith(room):
            importlib.import_module(module.name)


def _fitting(source: Source, formats: Iterable[Format], possible: Iterable[Format]) -> Format | None:
    """Return the first format that a source certainly has, or the first of the possible formats that it can have."""
    certain = (format for format in formats if format.shows and format.shows(source))
    allowed = (format for format in possible if format.allows and format.allows(source))
    return next(chain(certain, allowed), None)


class TagReading(CheckedOptions):
    """Options for reading tags, see `readers.read`.

    Raises:
        InputError: if a column is neither a number nor a name.
    """

    columns: Sequence[Column] = (None,)
    words: bool | int | str = False
    outside: str | None = None
    numbers: Column = None

    def __post_init__(self) -> None:
        """Check the values."""
        remedy = "Give numbers or names of columns, such as columns=[-1]."
        columns = ordered(self.columns, "a list of columns", remedy, option="columns")
        for column in columns:
            if not isinstance(column, (str, NoneType)) and not is_integer(column):
                raise InputError(f"{shown(column)} is neither the number nor the name of a column.", remedy)
        object.__setattr__(self, "columns", tuple(int(each) if is_integer(each) else each for each in columns))
        require_kind(self.words, (str, int), "the number or name of a column", "Use True for automatic detection.")
        for name in ("outside", "documents", "boundary"):
            remedy = f"Give {mention(name)} as a string, or leave out {mention(name)}."
            require_kind(getattr(self, name, None), (str, NoneType), "a string", remedy)

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The tag columns and the column of numbers."""
        return (*self.columns, *(() if self.numbers is None else (self.numbers,)))


class ColumnReading(TagReading):
    """Options for reading tags in columns."""

    documents: str | None = None
    boundary: str | None = None


class Offsets(CheckedOptions):
    """Options for reading a format with character offsets.

    Attributes:
        offset_unit: unit of the character offsets, if the file does not state the unit.
    """

    offset_unit: str | None = option(None, choices=UNITS, metavar="UNIT")

    def units(self, *possible: str) -> tuple[str, ...]:
        """Return the chosen unit, or all possible units."""
        return possible if self.offset_unit is None else (self.offset_unit,)


def blanks_before(source: Source, start: int, reached: int, line: int) -> str:
    """Return the spaces that fill the gap before a part of a text.

    Raises:
        InputError: if the part overlaps the part before it, or is too far behind it.
    """
    if not 0 <= start - reached <= _LARGEST_GAP:
        problem = f"a part of the text begins at {start}, but the previous part ends at {reached}."
        raise source.refuse(problem, "Check the offsets: the parts must follow one another.", line)
    return " " * (start - reached)
