"""The bytes of a file as blocks of whole lines, unpacked and checked to be text."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import BinaryIO, Self, cast

from ..errors import InputError

BLOCK_SIZE = 1 << 20

_GZIP = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PACKED = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstandard"}


class Source:
    """An open file; a context manager.

    Attributes:
        name: what errors call it.
        unended: whether the last line has no end; known when the last block was read.
    """

    def __init__(self, stream: BinaryIO, name: str, progress: Callable[[int], object] | None) -> None:
        self.name = name
        self._closing = ExitStack()
        if isinstance(stream, io.BufferedReader):
            self._raw = stream
        else:
            self._raw = io.BufferedReader(cast(io.RawIOBase, stream))
            # or the caller's stream would be closed with the buffer
            self._closing.callback(self._raw.detach)
        self._progress = progress
        self._reported = 0
        self._begun: bytes | None = None
        self.unended = self._packed = self._marked = False

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | BinaryIO, name: str | None, progress: Callable[[int], object] | None
    ) -> Self:
        """Open a path, or take a binary stream, which stays open."""
        if not isinstance(path, (str, os.PathLike)):
            return cls(path, name or str(getattr(path, "name", "input")), progress)
        called = name or os.fspath(path)
        stream = open_file(path, called)
        source = cls(stream, called, progress)
        source._closing.enter_context(stream)
        return source

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.close()

    @property
    def packed(self) -> bool:
        """Whether the file is gzipped."""
        self._begin()
        return self._packed

    @property
    def marked(self) -> bool:
        """Whether the text begins with a byte order mark."""
        self._begin()
        return self._marked

    def first_line(self) -> bytes:
        """The first line that is not blank, without the blanks around it, as far as the first block holds it."""
        return self._begin().lstrip().partition(b"\n")[0].rstrip()

    def first_block(self) -> bytes:
        """The beginning of the text, as much as is read at once; not checked to be text."""
        return self._begin()

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """The text in blocks of whole lines, each with the number of its first line, from 1.

        The last block ends in a newline too, whether the file does or not.

        Raises:
            InputError: where the file cannot be read, is empty, or holds what is not UTF-8 text.
        """
        line = 1
        # pieces, so that a line longer than many blocks is joined once
        pieces: list[bytes] = []
        chunk = self._begin()
        while chunk:
            end = chunk.rfind(b"\n") + 1
            pieces.append(chunk[:end] if end else chunk)
            if end:
                block = b"".join(pieces)
                self._require_text(block, line)
                yield line, block
                line += block.count(b"\n")
                pieces = [chunk[end:]]
            chunk = self._read()
        block = b"".join(pieces)
        if block:
            self._require_text(block, line)
            self.unended = True
            yield line, block + b"\n"

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """An error about this file."""
        return InputError(problem, remedy, source=self.name, line=line)

    def _begin(self) -> bytes:
        """The first block, unpacked, without byte order mark."""
        if self._begun is None:
            try:
                self._packed = self._raw.peek(2)[:2] == _GZIP
            except OSError as error:
                raise _unreadable(error, self.name) from None
            self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=self._raw)) if self._packed else self._raw
            begun = self._read()
            if not begun:
                raise self.refuse("the file is empty.", "Give a file with one tag a line, or JSON lines.")
            if b"\n" not in begun and b"\r" in begun.rstrip():
                raise self.refuse("the lines end in a carriage return alone.", "Let them end in a newline.", 1)
            if begun.startswith(_UTF_16_MARKS):
                raise self.refuse("the text is UTF-16.", "Save it as UTF-8.", 1)
            for mark, kind in _PACKED.items():
                if begun.startswith(mark):
                    raise self.refuse(f"this is a {kind} archive.", "Unpack it first; only gzip is read as it is.")
            self._marked = begun.startswith(BYTE_ORDER_MARK)
            self._begun = begun.removeprefix(BYTE_ORDER_MARK)
        return self._begun

    def _read(self) -> bytes:
        try:
            data = self._stream.read(BLOCK_SIZE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.refuse(f"the gzip data is damaged ({error}).", "Pack or download the file again.") from None
        except OSError as error:
            raise _unreadable(error, self.name) from None
        if self._progress is not None:
            self._report(len(data))
        return data

    def _report(self, unpacked: int) -> None:
        """Report packed bytes where the stream tells its position, for they are what the file's size counts."""
        try:
            position = self._raw.tell()
        except OSError:
            position = self._reported + unpacked
        if self._progress is not None:
            self._progress(position - self._reported)
        self._reported = position

    def _require_text(self, block: bytes, first: int) -> None:
        zero = block.find(b"\0")
        if zero >= 0:
            raise self.refuse("a NUL byte: this is not a text file.", "", first + block.count(b"\n", 0, zero))
        try:
            block.decode()
        except UnicodeDecodeError as error:
            line = first + block.count(b"\n", 0, error.start)
            raise self.refuse(
                f"the byte 0x{block[error.start]:02x} is not UTF-8.", "Save the file as UTF-8.", line
            ) from None


def open_file(path: str | os.PathLike[str], name: str) -> io.BufferedReader:
    """Open a file to be read; an `InputError` where that cannot be done."""
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(error, name) from None


def _unreadable(error: Exception, name: str) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    remedy = "Give a file of tags." if isinstance(error, IsADirectoryError) else ""
    return InputError(f"cannot be read: {reason}.", remedy, source=name)
