"""The files of a corpus, wherever they stand: by themselves, in a folder or in an archive."""

from __future__ import annotations

import hashlib
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import BinaryIO, cast

from ..errors import InputError, printable
from ..readers import open_file

LARGEST_FILE = 1 << 30
"""How many bytes, unpacked, a file in an archive may have: 1 GiB."""

LARGEST_ARCHIVE = 8 << 30
"""How many bytes, unpacked, all files of an archive may have: 8 GiB."""

MOST_FILES = 100_000
"""How many files a folder or an archive may have."""

DEEPEST_FOLDER = 6
"""How many folders below the given one are looked into."""

_BLOCK_SIZE = 1 << 20
_GZIP = b"\x1f\x8b"
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError)


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus.

    Attributes:
        name: what errors call it.
        path: where it stands within the folder or archive, with slashes; a file by itself has its name.
        location: the path of the file, or of the archive.
        archive: `zip`, `tar`, or None for a file that is not in an archive.
        member: what the archive itself calls the file, to the letter.
    """

    name: str
    path: PurePosixPath
    location: str
    archive: str | None = None
    member: str = ""

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes; those of an archive's member are unpacked on the way and never written anywhere.

        Raises:
            InputError: where the file cannot be read, or the archive is damaged.
        """
        if self.archive is None:
            with open_file(self.location, self.name) as stream:
                yield stream
            return
        opener = _open_in_zip if self.archive == "zip" else _open_in_tar
        try:
            with opener(self.location, self.member) as member:
                if member.read(len(_GZIP)) == _GZIP:
                    raise InputError(
                        "this is packed once more within the archive.",
                        "Unpack the archive, and give the folder.",
                        source=self.name,
                    )
                member.seek(0)
                yield member
        except _DAMAGED as error:
            raise _damaged(self.name, error) from None

    def digest(self) -> str:
        """The SHA-256 of the bytes, in hexadecimal."""
        hashed = hashlib.sha256()
        with self.open() as stream:
            try:
                while block := stream.read(_BLOCK_SIZE):
                    hashed.update(block)
            except OSError as error:
                raise _unreadable(self.name, error) from None
        return hashed.hexdigest()


def corpus_files(source: str | os.PathLike[str]) -> list[CorpusFile]:
    """The files of a folder or an archive, sorted by path, or the one file that is given.

    Raises:
        InputError: where there is nothing, where it cannot be read, for an archive that is damaged, encrypted or larger
            than the limits of this module, and for one with files whose paths lead out of it.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(
            f"source={source!r} is not a path.", "Give the path of a file, a folder or an archive, or None for the Hub."
        )
    location = os.fspath(source)
    if os.path.isdir(location):
        return sorted(_in_folder(location), key=lambda file: file.path)
    with open_file(location, location):
        pass
    kind = archive_kind(location)
    if kind is None:
        return [CorpusFile(location, PurePosixPath(os.path.basename(location)), location)]
    try:
        members = list((_in_zip if kind == "zip" else _in_tar)(location))
    except _DAMAGED as error:
        raise _damaged(location, error) from None
    except OSError as error:
        raise _unreadable(location, error) from None
    return sorted(members, key=lambda file: file.path)


def archive_kind(location: str) -> str | None:
    """`zip` or `tar`, told from the content, or None."""
    try:
        if zipfile.is_zipfile(location):
            with open_file(location, location) as stream:
                # text that happens to hold a zip's end record is no zip
                return "zip" if stream.read(2) == b"PK" else None
        return "tar" if _is_tar(location) else None
    except OSError as error:
        raise _unreadable(location, error) from None


def _is_tar(location: str) -> bool:
    """Whether there is a tar header, as it is or behind gzip, bzip2 or xz."""
    try:
        return tarfile.is_tarfile(location)
    except _DAMAGED:
        return False


def _in_folder(folder: str) -> Iterator[CorpusFile]:
    count = 0
    for directory, folders, names in os.walk(folder):
        within = PurePosixPath(*os.path.relpath(directory, folder).split(os.sep))
        # what begins with a dot is not part of a release
        folders[:] = (
            [name for name in folders if not name.startswith(".")] if len(within.parts) < DEEPEST_FOLDER else []
        )
        for name in names:
            count += 1
            if count > MOST_FILES:
                raise _too_many(folder)
            path = os.path.join(directory, name)
            if os.path.isfile(path):
                yield CorpusFile(path, within / name, path)


def _in_zip(location: str) -> Iterator[CorpusFile]:
    with zipfile.ZipFile(location) as archive:
        bounds = _Bounds(location)
        for member in archive.infolist():
            if member.is_dir():
                continue
            bounds.admit(member.filename, member.file_size)
            if member.flag_bits & 1:
                raise InputError("the archive is encrypted.", "Unpack it, and give the folder.", source=location)
            yield _member(location, member.filename, "zip")


def _in_tar(location: str) -> Iterator[CorpusFile]:
    with tarfile.open(location) as archive:
        bounds = _Bounds(location)
        for member in archive:
            bounds.admit(member.name, member.size)
            # links are left out: what they point to may be anywhere
            if member.isreg():
                yield _member(location, member.name, "tar")


def _member(location: str, path: str, archive: str) -> CorpusFile:
    within = PurePosixPath(path)
    return CorpusFile(f"{location}/{printable(str(within))}", within, location, archive, path)


class _Bounds:
    """Watches over the members of an archive as they are listed, before anything of them is used."""

    def __init__(self, location: str) -> None:
        self._location = location
        self._size = self._count = 0

    def admit(self, path: str, size: int) -> None:
        """Refuse a member that leads out of the archive, is too large, or is one too many."""
        self._count += 1
        self._size += size
        if self._count > MOST_FILES:
            raise _too_many(self._location)
        if ".." in PurePosixPath(path).parts or path.startswith("/") or "\\" in path or path[1:2] == ":":
            raise InputError(
                f"the archive has a file whose path leads out of it, {printable(path)!r}.",
                "Download it again from where it was published.",
                source=self._location,
            )
        for found, most, what in (
            (size, LARGEST_FILE, f"{printable(path)!r} in the archive"),
            (self._size, LARGEST_ARCHIVE, "the archive"),
        ):
            if found > most:
                raise InputError(
                    f"{what} has more than {most:,} bytes when unpacked.",
                    "Unpack what you need of it, and give the folder or the file.",
                    source=self._location,
                )


@contextmanager
def _open_in_zip(location: str, path: str) -> Iterator[BinaryIO]:
    with zipfile.ZipFile(location) as archive:
        try:
            member = archive.open(path)
        except (NotImplementedError, RuntimeError) as error:
            raise _damaged(f"{location}/{path}", error) from None
        with member:
            yield cast(BinaryIO, member)


@contextmanager
def _open_in_tar(location: str, path: str) -> Iterator[BinaryIO]:
    with tarfile.open(location) as archive:
        member = archive.extractfile(archive.getmember(path))
        if member is None:
            raise tarfile.TarError(f"{path} is no file")
        with member:
            yield cast(BinaryIO, member)


def _too_many(location: str) -> InputError:
    return InputError(
        f"there are more than {MOST_FILES:,} files here.",
        "Give the folder of the corpus, or the file.",
        source=location,
    )


def _damaged(name: str, error: Exception) -> InputError:
    reason = str(error).rstrip(".") or type(error).__name__
    return InputError(
        f"the archive is damaged, or of a kind that is not read ({reason}).",
        "Download it again, or unpack it and give the folder.",
        source=name,
    )


def _unreadable(name: str, error: OSError) -> InputError:
    return InputError(f"cannot be read: {(error.strerror or str(error)).lower()}.", source=name)
