"""The files of a corpus: a single file, the files of a folder, or the files of an archive."""

from __future__ import annotations

import hashlib
import io
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from gzip import BadGzipFile
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from tarfile import TarError, TarFile
from typing import Any, TypeAlias, cast
from zipfile import BadZipFile, ZipFile

from ..exceptions import InputError, printable, require_choice
from ..readers import open_file

LARGEST_FILE = 1 << 30
"""The maximum unpacked size of a file in an archive: 1 GiB."""

LARGEST_ARCHIVE = 8 << 30
"""The maximum unpacked size of an archive: 8 GiB."""

MOST_FILES = 100_000
"""The maximum number of files in a folder or an archive."""

SPLITS = ("train", "validation", "test")
SPLIT_ALIASES = {"dev": "validation", "valid": "validation", "testa": "validation", "testb": "test"}
"""Other names of the splits in releases."""

Archive: TypeAlias = ZipFile | TarFile

_GZIP = b"\x1f\x8b"
_DAMAGED = (BadZipFile, TarError, BadGzipFile, LZMAError, zlib.error, EOFError, NotImplementedError)
"""The errors of damaged archives and of unsupported zip files."""


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus.

    Attributes:
        name: the name of the file in errors.
        path: the path in the folder or archive, with slashes; for a single file its name.
        location: the path of the file or of the archive.
        member: the exact name in the archive; None outside archives.
    """

    name: str
    path: PurePosixPath
    location: str
    member: str | None = None

    @property
    def bare_name(self) -> str:
        """The name without folders and `.gz`, in lower case."""
        return self.path.name.lower().removesuffix(".gz")

    @property
    def split(self) -> str | None:
        """The split in the name; None for no or several splits."""
        words = re.split(r"[^a-z]+", self.bare_name)
        splits = {SPLIT_ALIASES.get(word, word) for word in words} & set(SPLITS)
        return splits.pop() if len(splits) == 1 else None

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the file; files in archives are unpacked while reading and never written.

        Raises:
            InputError: if the file cannot be read, or the archive is damaged.
        """
        with _explained(self.name), ExitStack() as opened:
            if self.member is None:
                yield opened.enter_context(open_file(self.location, self.name))
                return
            archive = cast(Archive, _open_archive(self.location))
            opened.enter_context(archive)
            member = archive.extractfile(self.member) if isinstance(archive, TarFile) else archive.open(self.member)
            stream: io.BufferedReader = opened.enter_context(io.BufferedReader(cast(io.RawIOBase, member)))
            if stream.peek(len(_GZIP)).startswith(_GZIP):
                remedy = "Unpack the archive, and pass the folder."
                raise InputError("this file of the archive is compressed itself.", remedy, source=self.name)
            yield stream

    def digest(self) -> str:
        """Compute the SHA-256 of the bytes, in hexadecimal."""
        with self.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def list_files(source: Any) -> list[CorpusFile]:
    """List the files of a folder or an archive, sorted by path, or the single file.

    Raises:
        InputError: for a missing or unreadable path, and for an archive that is damaged, encrypted, too large, or has
            files whose paths lead out of it.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"source={source!r} is not a path.", "Pass the path of a file, a folder or an archive.")
    location = os.fspath(source)
    if os.path.isdir(location):
        return sorted(_folder_files(location), key=lambda file: file.path)
    with _explained(location):
        archive = _open_archive(location)
        if archive is None:
            return [CorpusFile(location, PurePosixPath(os.path.basename(location)), location)]
        with archive:
            return sorted(_archive_files(archive, location), key=lambda file: file.path)


def is_single(files: list[CorpusFile], source: Any) -> bool:
    """Check whether the source is a single file, not a folder or an archive."""
    return [file.name for file in files] == [os.fspath(source)]


def require_split(split: object) -> str | None:
    """Normalise the name of a split; raise an `InputError` for an unknown split."""
    if split is None:
        return None
    name = SPLIT_ALIASES.get(str(split), str(split))
    if name not in SPLITS:
        require_choice("split", split, (*SPLITS, *SPLIT_ALIASES))
    return name


def _open_archive(location: str) -> Archive | None:
    """Open a file if its content is an archive; return None for other files."""
    with open_file(location, location) as stream:
        # text that happens to hold a zip's end record is not a zip
        if stream.read(2) == b"PK" and zipfile.is_zipfile(stream):
            return ZipFile(location)
    with suppress(*_DAMAGED):
        return tarfile.open(location)
    return None


def _folder_files(folder: str) -> Iterator[CorpusFile]:
    """List the files of a folder and its subfolders, except hidden folders."""
    count = 0
    for path in Path(folder).rglob("*"):
        within = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in within.parts[:-1]):
            count += 1
            _require_at_most(MOST_FILES, count, "files", "the folder", folder)
            yield CorpusFile(str(path), PurePosixPath(within.as_posix()), str(path))


def _archive_files(archive: Archive, location: str) -> Iterator[CorpusFile]:
    """List the files of an archive without links, and check the limits."""
    if isinstance(archive, TarFile):
        members = ((entry.name, entry.size, entry.isreg()) for entry in archive)
    elif any(entry.flag_bits & 1 for entry in archive.infolist()):
        raise InputError("the archive is encrypted.", "Unpack it, and pass the folder.", source=location)
    else:
        members = ((entry.filename, entry.file_size, not entry.is_dir()) for entry in archive.infolist())
    total = 0
    for count, (member, size, is_file) in enumerate(members, 1):
        total += size
        named, path = printable(member), PurePosixPath(member)
        _require_at_most(MOST_FILES, count, "files", "the archive", location)
        _require_at_most(LARGEST_ARCHIVE, total, "bytes when unpacked", "the archive", location)
        _require_at_most(LARGEST_FILE, size, "bytes when unpacked", f"{named!r} in the archive", location)
        if ".." in path.parts or member.startswith("/") or "\\" in member or member[1:2] == ":":
            problem = f"the archive has a file with a path outside the archive: {named!r}."
            raise InputError(problem, "Download it again from where it was published.", source=location)
        if is_file:
            yield CorpusFile(f"{location}/{printable(str(path))}", path, location, member)


def _require_at_most(most: int, count: int, unit: str, what: str, source: str) -> None:
    if count > most:
        remedy = "Pass only the folder or the file that you need."
        raise InputError(f"{what} has more than {most:,} {unit}.", remedy, source=source)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Convert errors of damaged archives and unreadable files to an `InputError` with the file's name."""
    try:
        yield
    except _DAMAGED as error:
        reason = str(error).rstrip(".") or type(error).__name__
        problem = f"the archive is damaged, or of an unknown kind ({reason})."
        raise InputError(problem, "Download it again, or unpack it and pass the folder.", source=name) from None
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}.", source=name) from None
