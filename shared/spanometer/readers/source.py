"""Reading of a text file as unpacked blocks of whole lines, with checks that it is text."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Self, cast

from ..documents.layers import Named
from ..exceptions import InputError, clause_for, mention, require_kind, setting, shown
from ..options import CheckedOptions, option, options_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

BLOCK_SIZE = 1 << 20
_TEXT_SIZE = 1 << 17
"""The size of the parts in which blocks are decoded; larger parts do not fit into the processor's cache."""

_PARTS_OF_CHARACTERS = bytes(range(0x80, 0x100))
"""The bytes that occur inside multi-byte characters."""

_GZIP = b"\x1f\x8b"
UTF_8 = "utf-8"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
PARQUET, ZLIB = "Parquet", "zlib"
_BINARY = {(b"PAR1",): PARQUET, (b"\x78\x01", b"\x78\x9c", b"\x78\xda"): ZLIB}
_PACKED = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstandard"}

_OR_CLUSTER = clause_for("cluster", f", or score it with {setting('cluster', 'local')} (needs Dask)")
_NOT_TEXT = {
    PARQUET: ("this is a Parquet file, not text.", f"Write its tags as JSON lines{_OR_CLUSTER}."),
    ZLIB: (
        "this is zlib data (as in spaCy's .spacy files), not text.",
        "Write the documents as JSON lines of tags: one list of token.ent_iob_-token.ent_type_ for each.",
    ),
}
"""The problem and the remedy for reading binary files as text."""

_ENTITY = b"<!ENTITY"
LINE = "%line"
"""The name of the attribute that has the line of an XML element."""

FileLike = str | os.PathLike[str] | BinaryIO
"""The path of a file, or an open binary stream."""

Progress = Callable[[int], object] | None
"""A function called with the number of bytes read since the last call."""

_MEGABYTE = 1_000_000
_IN_MEMORY = 1 << 24
"""Copies of streams that are larger than this are stored on disk."""


class Limits(CheckedOptions):
    """The encoding of a file, and limits that protect the memory from damaged or malicious files.

    Attributes:
        encoding: encoding of the files, by its Python name, such as cp1252.
        max_line: maximum size of a line, a JSON value or an XML document, in megabytes.
        max_size: maximum size of a file after unpacking, in megabytes.

    Raises:
        InputError: if the encoding is unknown, or if a limit is not a number or too small.
    """

    encoding: str = option(UTF_8, kind=str, metavar="NAME")
    max_line: float = option(16, kind=float, low=1, metavar="MB")
    max_size: float = option(2000, kind=float, low=0, exclusive=True, metavar="MB")

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        try:
            codec = codecs.lookup(self.encoding)
            # some of Python's codecs are not for text
            "a".encode(self.encoding)
        except (LookupError, ValueError):
            remedy = "Give a text encoding, such as 'utf-8', 'cp1252' or 'utf-16'."
            raise InputError(f"unknown encoding {shown(self.encoding)}.", remedy, option="encoding") from None
        object.__setattr__(self, "encoding", UTF_8 if codec.name == "utf-8-sig" else codec.name)

    @property
    def limits(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in options_of(Limits)}


class Source(Named):
    """An open file; create it with `Source.open`.

    Attributes:
        name: what errors call it.
        limits: the limits on its size.
        packed: whether the file is gzipped.
        encoding: the encoding of the file; the blocks of the source are UTF-8.
        marked: whether the text begins with a byte order mark.
        head: the beginning of the text, for detecting the format. It may not be valid text; it is empty for binary
            files.
        binary: `PARQUET` or `ZLIB` for binary files, which `data` reads.
        unended: whether the last line has no line end; known after the last block.
    """

    def __init__(
        self, stream: io.BufferedReader, name: str, progress: Progress, limits: Limits, *, empty: bool
    ) -> None:
        super().__init__(name)
        self.limits = limits
        self.unended = False
        self._raw = stream
        self._progress = progress
        self._reported = 0
        try:
            self.packed = stream.peek(2)[:2] == _GZIP
        except OSError as error:
            raise _unreadable(error, name) from None
        self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")) if self.packed else stream
        self.encoding = limits.encoding
        head = self._read_bytes()
        if not head and not empty:
            raise self.refuse("the file is empty.", "Give a file with annotations.")
        self.binary = next((kind for marks, kind in _BINARY.items() if head.startswith(marks)), "")
        if self.binary:
            self._data, self.marked, self.head = bytearray(head), False, b""
            return
        for mark, kind in _PACKED.items():
            if head.startswith(mark):
                remedy = "Unpack the archive first. Only gzip files can be read without unpacking."
                raise self.refuse(f"this is a {kind} archive.", remedy)
        if self.encoding == UTF_8 and head.startswith(_UTF_16_MARKS):
            remedy = f"Save the file as UTF-8, or set {setting('encoding', 'utf-16')}."
            raise self.refuse("the text is UTF-16.", remedy, 1)
        self._text = self._decoded(head)
        head = next(self._text, b"")
        if b"\n" not in head and b"\r" in head.rstrip():
            remedy = "Save the file with a newline at the end of each line."
            raise self.refuse("the lines end in carriage returns only.", remedy, 1)
        self.marked = head.startswith(BYTE_ORDER_MARK)
        self.head = head.removeprefix(BYTE_ORDER_MARK)

    @classmethod
    @contextlib.contextmanager
    def open(
        cls, path: FileLike, name: str | None = None, progress: Progress = None, *, empty: bool = False, **limits: Any
    ) -> Iterator[Self]:
        """Open a path, or use an open binary stream, which is not closed.

        Args:
            path: the file.
            name: what errors call it.
            progress: a function called with the number of bytes read since the last call.
            empty: whether the file may be empty.
            limits: the options of `Limits`.

        Raises:
            InputError: if the file cannot be read, is empty, or does not begin with text, or if the memory is full.
        """
        require_name(name)
        require_stream(path)
        bounds = Limits(**limits)
        with contextlib.ExitStack() as opened:
            stream: Any = path
            called = name or str(getattr(path, "name", "input"))
            if isinstance(path, (str, os.PathLike)):
                called = name or os.fspath(path)
                stream = opened.enter_context(open_file(path, called))
            if not isinstance(stream, io.BufferedReader):
                stream = io.BufferedReader(stream)
                # otherwise the caller's stream would be closed with the buffer
                opened.callback(stream.detach)
            try:
                source = cls(stream, called, progress, bounds, empty=empty)
                # the text refers to the source, which would wait for a garbage collection, also after an error
                opened.callback(setattr, source, "_text", iter(()))
                yield source
            except MemoryError:
                raise out_of_memory(called) from None

    def with_text(self, blocks: Iterator[bytes]) -> Self:
        """Return a source with the same name and another text, whose blocks are computed while it is read."""
        other = copy(self)
        other._text = blocks
        other.head = next(blocks, b"")
        return other

    def first_line(self) -> bytes:
        """Return the first line that is not blank, without outer whitespace; it may be cut at the end of the head."""
        return self.head.lstrip().partition(b"\n")[0].rstrip()

    def first_row(self) -> tuple[int, list[str]]:
        """Return the number and the cells of the first line that is neither blank nor a comment; 0 if there is none."""
        lines = enumerate(self.head.decode(errors="replace").split("\n"), 1)
        filled = ((number, line) for number, line in lines if line.strip() and not line.startswith("#"))
        number, line = next(filled, (0, ""))
        return number, [cell.strip(" \r") for cell in line.split("\t")]

    def read_on(self) -> bool:
        """Double the head. Returns False at the end of the text, or if the head is as long as a line may be."""
        pieces, size = [self.head], len(self.head)
        while size <= min(2 * len(self.head), self.limits.max_line * _MEGABYTE) and (piece := next(self._text, b"")):
            pieces.append(piece)
            size += len(piece)
        self.head = b"".join(pieces)
        return len(pieces) > 1

    def blocks(self, *, held: bool = True, lines: bool = True) -> Iterator[tuple[int, bytes]]:
        """Yield the text in blocks of whole lines, each with the number of its first line, from 1.

        The last block always ends in a newline.

        Args:
            held: limit the size of the file, because the caller keeps it in memory.
            lines: limit the length of lines and yield only whole lines; otherwise a block can end within a line.

        Raises:
            InputError: if the file cannot be read, is not UTF-8 text, or exceeds the limits.
        """
        for line, block in self._blocks(held=held, lines=lines):
            self.text_of(block, line)
            yield line, block

    def _blocks(self, *, held: bool = True, lines: bool = True) -> Iterator[tuple[int, bytes]]:
        """Yield blocks that may be something else than text, see `blocks`."""
        if self.binary:
            raise self.refuse(*_NOT_TEXT[self.binary])
        line, size = 1, 0
        # pieces, so that a line longer than many blocks is joined once
        pieces: list[bytes] = []
        head = (self.head[first : first + BLOCK_SIZE] for first in range(0, len(self.head), BLOCK_SIZE))
        for chunk in chain(head, self._text, [b""]):
            size += len(chunk)
            if held:
                self.require_held(size, line, "the file")
            if lines:
                begun = sum(map(len, pieces)) + (chunk.find(b"\n") if b"\n" in chunk else len(chunk))
                problem, remedy = "the line is longer than {}", "Write one token or one document a line"
                self.require_short(begun, problem, remedy, line)
            end = chunk.rfind(b"\n") + 1 if lines else len(chunk.rstrip(_PARTS_OF_CHARACTERS))
            pieces.append(chunk[:end] or chunk)
            if end or not chunk:
                block = b"".join(pieces)
                pieces = [chunk[end:]]
                if block:
                    self.unended = not chunk
                    yield line, block if chunk else block + b"\n"
                    line += block.count(b"\n")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number, from 1, without its line end; see `parts` and `text_of` for errors."""
        for first, part in self.parts():
            yield from numbered_lines(first, self.text_of(part, first))

    def parts(self, *, lines: bool = True) -> Iterator[tuple[int, bytes]]:
        """Yield small blocks, each with the number of its first line; `text_of` checks that they are text.

        Raises:
            InputError: if there are too many blank lines; see also `blocks`.
        """
        blank = 0
        for first, block in self._blocks(lines=lines):
            blank = blank + len(block) if lines and block.isspace() else 0
            self.require_short(blank, "the file has only blank lines for more than {}", "Remove the blank lines", first)
            begin = 0
            while begin < len(block):
                end = block.find(b"\n", begin + _TEXT_SIZE) + 1 or len(block)
                yield first, block[begin:end]
                first, begin = first + block.count(b"\n", begin, end), end

    def data(self) -> bytes | bytearray:
        """Read the bytes of a binary file; raise an `InputError` if it has more than are allowed in memory."""
        for piece in chain([b""], iter(self._read_bytes, b"")):
            # kept for the next call, because the stream is then at its end
            self._data += piece
            self.require_held(len(self._data), None, "the file")
        return self._data

    def require_held(self, size: int, line: int | None, what: str) -> None:
        """Raise an `InputError` if something has more bytes than are allowed in memory."""
        limit, advice = self.limits.max_size, "Reading needs three times the file's size in memory."
        if size > limit * _MEGABYTE:
            remedy = f"Split the file, or raise {mention('max_size')}. {advice}"
            raise self.refuse(f"{what} is larger than {limit:,g} MB.", remedy, line)

    def is_long(self, size: int) -> bool:
        """Check whether this many bytes are more than a line may have."""
        return size > self.limits.max_line * _MEGABYTE

    def require_short(self, size: int, problem: str, remedy: str, line: int) -> None:
        """Raise an `InputError` if a part of the text is longer than a line may be.

        Args:
            size: the size of the part in bytes.
            problem: the problem, with braces in place of the limit.
            remedy: a remedy other than raising the limit.
            line: the first line of the part.
        """
        if self.is_long(size):
            problem = problem.format(f"{self.limits.max_line:,g} MB")
            raise self.refuse(f"{problem}.", f"{remedy}, or raise the limit with {setting('max_line')}.", line)

    def elements(self, tag: str | None = None) -> Iterator[Element]:
        """Parse XML and yield each element with this tag, or the root; other elements are not kept in memory.

        The attribute `LINE` of each element is its line.

        Raises:
            InputError: if XML is invalid, if it declares entities, or if an element to yield is too long.
        """
        from xml.etree.ElementTree import ParseError, XMLPullParser

        parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
        opened: list[Element] = []
        before, begun, size = b"", 1, 0
        try:
            for first, block in self.blocks(lines=False):
                # the declaration may begin in the previous block
                if _ENTITY in before + block:
                    raise self.refuse("the file declares XML entities.", "Remove the entity declarations.", first)
                before = block[1 - len(_ENTITY) :]
                size += len(block)
                self.require_short(size, "a document is longer than {}", "Split the document", begun)
                # passed as str: the source has decoded it already, so the encoding that the XML declares does not apply
                for line, text in enumerate(block.decode().split("\n"), first):
                    parser.feed(text if line == first else f"\n{text}")
                    for event, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                        if event == "start":
                            opened.append(element)
                            element.set(LINE, str(line))
                        elif opened.pop().tag == tag or not (tag or opened):
                            yield element
                            begun, size = line, 0
                            for outer in opened[:1]:
                                outer.clear()
            parser.close()
        except ParseError as error:
            problem = f"the file is not valid XML ({error})."
            raise self.refuse(problem, "Export the document again.", error.position[0]) from None

    def _decoded(self, head: bytes) -> Iterator[bytes]:
        """Yield the text as UTF-8; `head` is the beginning of the file."""
        data, line = chain([head], iter(self._read_bytes, b"")), 1
        if self.encoding == UTF_8:
            yield from data
            return
        try:
            for text in codecs.iterdecode(data, self.encoding):
                yield text.encode()
                line += text.count("\n")
        except UnicodeError as error:
            problem = f"the file is not in the encoding {self.encoding} ({getattr(error, 'reason', error)})."
            raise self.refuse(problem, f"Set {setting('encoding')} to the encoding of the file.", line) from None

    def _read_bytes(self) -> bytes:
        try:
            data = self._stream.read(BLOCK_SIZE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.refuse(f"the gzip data is damaged ({error}).", "Compress or download the file again.") from None
        except OSError as error:
            raise _unreadable(error, self.name) from None
        if self._progress is not None:
            try:
                # packed bytes if the stream has a position: the size of the file counts packed bytes
                position = self._raw.tell()
            except OSError:
                position = self._reported + len(data)
            self._progress(position - self._reported)
            self._reported = position
        return data

    def text_of(self, block: bytes, first: int) -> str:
        """Decode a block; raise an `InputError` if it is not UTF-8 text. Its first line has this number."""
        zero = block.find(b"\0")
        if zero >= 0:
            line = first + block.count(b"\n", 0, zero)
            raise self.refuse("this is not a text file: it has a NUL byte.", "Give a text file.", line)
        try:
            return block.decode()
        except UnicodeDecodeError as error:
            line = first + block.count(b"\n", 0, error.start)
            remedy = f"Save the file as UTF-8, or set the encoding, such as {setting('encoding', 'cp1252')}."
            raise self.refuse(f"the byte 0x{block[error.start]:02x} is not UTF-8.", remedy, line) from None


def spooled(stream: BinaryIO) -> BinaryIO:
    """Copy a stream that can be read only once, so that it can be read twice."""
    copy = cast(BinaryIO, tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 (as long as it is read)
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy


def require_name(name: str | None) -> None:
    """Raise an `InputError` unless the name is a string or None."""
    if name is not None:
        require_kind(name, str, "a file name", "Give a string such as 'gold.conll'. Error messages show it.")


def require_stream(path: Any, method: str = "readinto") -> None:
    """Raise an `InputError` unless this is a path or a binary stream with this method."""
    if not isinstance(path, (str, os.PathLike)) and not callable(getattr(path, method, None)):
        problem = f"{shown(path)} is neither a path nor a binary stream."
        raise InputError(problem, "Give the path of a file, or open the file in binary mode.")


def open_file(path: str | os.PathLike[str], name: str) -> io.BufferedReader:
    """Open a file for reading; raise an `InputError` if this fails."""
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(error, name) from None


def out_of_memory(name: str | None) -> InputError:
    """Create the error about data that does not fit into memory."""
    remedy = "Split the documents into several files, or add up their counts with spanometer.analysis.scores.streams."
    return InputError("there is not enough memory.", remedy, source=name)


def _unreadable(error: Exception, name: str) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    remedy = "Name a file." if isinstance(error, IsADirectoryError) else "Check the path and the permissions."
    return InputError(f"the file cannot be read: {reason}.", remedy, source=name)


def numbered_lines(first: int, text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, without their line ends."""
    for number, line in enumerate(text.removesuffix("\n").split("\n"), first):
        yield number, line.removesuffix("\r")
