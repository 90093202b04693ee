"""Files written whole or not at all, and over no other file unless that is asked for."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from typing import BinaryIO, cast

from ..errors import InputError, shown

_LEVEL = 6
"""How hard gzip tries; that of the program gzip."""


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """Open a stream whose bytes replace those of a file, all at once and only if no error comes.

    They are written into a temporary file in the same folder, which then gets the file's permissions and name. A
    symbolic link stays one: what it points to is replaced.

    Raises:
        InputError: if it is not a regular file, or may not be written.
    """
    target = os.path.realpath(path)
    status = os.stat(target)
    if not stat.S_ISREG(status.st_mode):
        raise InputError("this is not a regular file.", "Name a file.", source=path)
    if not os.access(target, os.W_OK):
        raise InputError("the file is write-protected.", "Write to another file with -o.", source=path)
    folder, name = os.path.split(target)
    handle, temporary = tempfile.mkstemp(prefix=f".{name[:100]}.", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            _take_permissions(temporary, status)
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


@contextlib.contextmanager
def creating(path: str) -> Iterator[BinaryIO]:
    """Open a stream into a new file, which is deleted again if an error comes.

    A pipe or a device is written to.

    Raises:
        InputError: if the file exists already.
    """
    device = os.path.exists(path) and not os.path.isfile(path)
    try:
        stream = open(path, "wb" if device else "xb")  # noqa: SIM115 (closed below)
    except FileExistsError:
        raise InputError("the file exists already.", "Choose another name, or add --force.", source=path) from None
    except ValueError as error:
        raise InputError(f"{shown(path)} is not the name of a file: {error}.", "Choose another name.") from None
    try:
        with stream:
            yield stream
    except BaseException:
        if not device:
            with contextlib.suppress(OSError):
                os.unlink(path)
        raise


@contextlib.contextmanager
def creating_folder(path: str) -> Iterator[str]:
    """Make a new folder, which gets its name only if no error comes; give its path until then.

    Raises:
        InputError: if there is something else, or a folder that is not empty.
    """
    target = os.path.abspath(path)
    if os.path.lexists(target) and not (os.path.isdir(target) and not os.listdir(target)):
        raise InputError("it exists already.", "Name a new folder, or an empty one.", source=path)
    try:
        temporary = tempfile.mkdtemp(prefix=f".{os.path.basename(target)[:100]}.", dir=os.path.dirname(target))
    except OSError as error:
        raise InputError(f"cannot be made: {(error.strerror or str(error)).lower()}.", source=path) from None
    try:
        yield temporary
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o777 & ~mask)
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextlib.contextmanager
def packing(stream: BinaryIO, *, packed: bool) -> Iterator[BinaryIO]:
    """Open a stream that writes gzip into another, or give that one itself."""
    if not packed:
        yield stream
        return
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as packer:
        yield cast(BinaryIO, packer)


def _take_permissions(path: str, status: os.stat_result) -> None:
    """Give a file the owner, if that is allowed, and the mode of another."""
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    os.chmod(path, stat.S_IMODE(status.st_mode))


def _sync_folder(folder: str) -> None:
    """Let the new name outlast a power cut, if folders can be synchronised."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
