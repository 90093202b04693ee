"""The bytes of a file as blocks of whole lines, unpacked and checked to be text."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Self, cast

from ..errors import InputError

BLOCK_SIZE = 1 << 20

_GZIP = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_PACKED = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstandard"}


class Source:
    """An open file; `Source.open` makes one.

    Attributes:
        name: what errors call it.
        packed: whether the file is gzipped.
        marked: whether the text begins with a byte order mark.
        head: the beginning of the text, as much as is read at once; not checked to be text.
        unended: whether the last line has no end; known after the last block.
    """

    def __init__(self, stream: io.BufferedReader, name: str, progress: Callable[[int], object] | None) -> None:
        self.name = name
        self.unended = False
        self._raw = stream
        self._progress = progress
        self._reported = 0
        try:
            self.packed = stream.peek(2)[:2] == _GZIP
        except OSError as error:
            raise _unreadable(error, name) from None
        self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if self.packed else stream
        head = self._read()
        if not head:
            raise self.refuse("the file is empty.", "Give a file with one tag a line, or JSON lines.")
        if b"\n" not in head and b"\r" in head.rstrip():
            raise self.refuse("the lines end in a carriage return alone.", "Let them end in a newline.", 1)
        if head.startswith(_UTF_16_MARKS):
            raise self.refuse("the text is UTF-16.", "Save it as UTF-8.", 1)
        for mark, kind in _PACKED.items():
            if head.startswith(mark):
                raise self.refuse(f"this is a {kind} archive.", "Unpack it first; only gzip is read as it is.")
        self.marked = head.startswith(BYTE_ORDER_MARK)
        self.head = head.removeprefix(BYTE_ORDER_MARK)

    @classmethod
    @contextlib.contextmanager
    def open(
        cls,
        path: str | os.PathLike[str] | BinaryIO,
        name: str | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Iterator[Self]:
        """Open a path, or take a binary stream, which stays open.

        Raises:
            InputError: if the file cannot be read, is empty, or does not begin as text does.
        """
        if isinstance(path, (str, os.PathLike)):
            called = name or os.fspath(path)
            with open_file(path, called) as opened:
                yield cls(opened, called, progress)
            return
        stream = path if isinstance(path, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, path))
        try:
            yield cls(stream, name or str(getattr(path, "name", "input")), progress)
        finally:
            if stream is not path:
                # otherwise the caller's stream would be closed with the buffer
                stream.detach()

    def first_line(self) -> bytes:
        """Return the first line that is not blank, without the blanks around it, as far as the head holds it."""
        return self.head.lstrip().partition(b"\n")[0].rstrip()

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the text in blocks of whole lines, each with the number of its first line, from 1.

        The last block ends in a newline too, even if the file does not.

        Raises:
            InputError: if the file cannot be read, or is not UTF-8 text.
        """
        line = 1
        # pieces, so that a line longer than many blocks is joined once
        pieces: list[bytes] = []
        chunk = self.head
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
        """Return an error about this file."""
        return InputError(problem, remedy, source=self.name, line=line)

    def _read(self) -> bytes:
        try:
            data = self._stream.read(BLOCK_SIZE)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.refuse(f"the gzip data is damaged ({error}).", "Pack or download the file again.") from None
        except OSError as error:
            raise _unreadable(error, self.name) from None
        if self._progress is not None:
            try:
                # packed bytes if the stream tells its position, for they are what the file's size counts
                position = self._raw.tell()
            except OSError:
                position = self._reported + len(data)
            self._progress(position - self._reported)
            self._reported = position
        return data

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
    """Open a file to be read; raise an `InputError` if that cannot be done."""
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(error, name) from None


def _unreadable(error: Exception, name: str) -> InputError:
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    remedy = "Give a file of tags." if isinstance(error, IsADirectoryError) else ""
    return InputError(f"cannot be read: {reason}.", remedy, source=name)
