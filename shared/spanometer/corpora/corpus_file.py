"""The files of a corpus: a single file, those of a folder, or those of an archive."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from gzip import BadGzipFile
from lzma import LZMAError
from pathlib import PurePosixPath
from tarfile import TarError, TarFile
from typing import Any, cast
from zipfile import BadZipFile, ZipFile

from ..errors import InputError, printable
from ..readers import open_file

LARGEST_FILE = 1 << 30
"""The most bytes, unpacked, that a file in an archive may have: 1 GiB."""

LARGEST_ARCHIVE = 8 << 30
"""The most bytes, unpacked, that all files of an archive may have: 8 GiB."""

MOST_FILES = 100_000
"""The most files that a folder or an archive may have."""

DEEPEST_FOLDER = 6
"""How many levels of folders are searched below the given one."""

_GZIP = b"\x1f\x8b"
_DAMAGED = (BadZipFile, TarError, BadGzipFile, LZMAError, zlib.error, EOFError, NotImplementedError)
"""What damaged archives raise, and zip files packed in a way that Python does not read."""


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus.

    Attributes:
        name: what errors call it.
        path: its path within the folder or archive, with slashes; a single file has its name.
        location: the path of the file, or of the archive.
        archive: `zip`, `tar`, or None for a file that is not in an archive.
        member: the name in the archive, to the letter.
    """

    name: str
    path: PurePosixPath
    location: str
    archive: str | None = None
    member: str = ""

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the file; files in archives are unpacked while they are read and never written anywhere.

        Raises:
            InputError: if the file cannot be read, or the archive is damaged.
        """
        with _explained(self.name):
            if self.archive is None:
                with open_file(self.location, self.name) as stream:
                    yield stream
                return
            with _open_archive(self.location, self.archive) as archive, _open_member(archive, self.member) as stream:
                if stream.peek(len(_GZIP)).startswith(_GZIP):
                    remedy = "Unpack the archive, and give the folder."
                    raise InputError("this file is packed once more within the archive.", remedy, source=self.name)
                yield stream

    def digest(self) -> str:
        """Compute the SHA-256 of the bytes, in hexadecimal."""
        with self.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def corpus_files(source: Any) -> list[CorpusFile]:
    """List the files of a folder or an archive, sorted by path, or the one file that is given.

    Raises:
        InputError: if there is no such path or it cannot be read, for an archive that is damaged, encrypted or larger
            than the limits of this module, and for one with files whose paths lead out of it.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"source={source!r} is not a path.", "Give the path of a file, a folder or an archive.")
    location = os.fspath(source)
    if os.path.isdir(location):
        return sorted(_folder_files(location), key=lambda file: file.path)
    kind = _archive_kind(location)
    if kind is None:
        return [CorpusFile(location, PurePosixPath(os.path.basename(location)), location)]
    return sorted(_archive_files(location, kind), key=lambda file: file.path)


def is_single(files: list[CorpusFile], source: Any) -> bool:
    """Return whether the source is itself the only file, and not a folder or an archive with files in it."""
    return [file.name for file in files] == [os.fspath(source)]


def _archive_kind(location: str) -> str | None:
    """Return `zip` or `tar`, also if packed, by the content of a file; None if it is not an archive."""
    with open_file(location, location) as stream, _explained(location):
        # text that happens to hold a zip's end record is not a zip
        if stream.read(2) == b"PK" and zipfile.is_zipfile(stream):
            return "zip"
        stream.seek(0)
        with suppress(*_DAMAGED):
            return "tar" if tarfile.is_tarfile(stream) else None
    return None


def _folder_files(folder: str) -> Iterator[CorpusFile]:
    count = 0
    for directory, folders, names in os.walk(folder):
        within = PurePosixPath(*os.path.relpath(directory, folder).split(os.sep))
        # hidden folders are not part of a release
        visible = [name for name in folders if not name.startswith(".")]
        folders[:] = visible if len(within.parts) < DEEPEST_FOLDER else []
        count += len(names)
        _require_at_most(MOST_FILES, count, "files", "the folder", folder)
        for name in names:
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                yield CorpusFile(path, within / name, path)


def _archive_files(location: str, kind: str) -> Iterator[CorpusFile]:
    """List the files of an archive, none of which is read before the limits are checked; links are left out."""
    with _explained(location), _open_archive(location, kind) as archive:
        total = 0
        for count, (member, size, is_file) in enumerate(_members(archive), 1):
            total += size
            _require_at_most(MOST_FILES, count, "files", "the archive", location)
            _require_at_most(LARGEST_ARCHIVE, total, "bytes when unpacked", "the archive", location)
            named = f"{printable(member)!r} in the archive"
            _require_at_most(LARGEST_FILE, size, "bytes when unpacked", named, location)
            if ".." in PurePosixPath(member).parts or member.startswith("/") or "\\" in member or member[1:2] == ":":
                problem = f"the archive has a file whose path leads out of it, {printable(member)!r}."
                raise InputError(problem, "Download it again from where it was published.", source=location)
            if is_file:
                path = PurePosixPath(member)
                yield CorpusFile(f"{location}/{printable(str(path))}", path, location, kind, member)


def _open_archive(location: str, kind: str) -> ZipFile | TarFile:
    return ZipFile(location) if kind == "zip" else tarfile.open(location)


def _members(archive: ZipFile | TarFile) -> Iterator[tuple[str, int, bool]]:
    """List the members of an archive: name, unpacked size, and whether it is a regular file."""
    if isinstance(archive, TarFile):
        yield from ((entry.name, entry.size, entry.isreg()) for entry in archive)
        return
    for member in archive.infolist():
        if member.flag_bits & 1:
            raise InputError("the archive is encrypted.", "Unpack it, and give the folder.", source=archive.filename)
        yield member.filename, member.file_size, not member.is_dir()


def _open_member(archive: ZipFile | TarFile, name: str) -> io.BufferedReader:
    member = archive.extractfile(name) if isinstance(archive, TarFile) else archive.open(name)
    if member is None:
        raise TarError(f"{name} is not a file")
    return io.BufferedReader(cast(io.RawIOBase, member))


def _require_at_most(most: int, found: int, unit: str, what: str, source: str) -> None:
    if found > most:
        remedy = "Give only what is needed: one folder, or one file."
        raise InputError(f"{what} has more than {most:,} {unit}.", remedy, source=source)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Raise the errors of damaged archives and unreadable files as an `InputError` that names the file."""
    try:
        yield
    except _DAMAGED as error:
        reason = str(error).rstrip(".") or type(error).__name__
        problem = f"the archive is damaged, or of an unknown kind ({reason})."
        raise InputError(problem, "Download it again, or unpack it and give the folder.", source=name) from None
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}.", source=name) from None
