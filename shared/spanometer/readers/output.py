"""Files and folders written whole or not at all, and over others only if that is asked for."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

from ..errors import InputError, shown

_LEVEL = 6
"""How hard gzip tries; that of the program gzip."""


@contextlib.contextmanager
def writing(
    path: str | os.PathLike[str], *, replace: bool = False, together: contextlib.ExitStack | None = None
) -> Iterator[BinaryIO]:
    """Open a stream into a file that appears, or replaces another, when all is written and no error has come.

    Until then the bytes are in a hidden file beside it, which a killed process leaves there. A replaced file keeps its
    mode. What a link points to is written; a device or a pipe is written to directly.

    Args:
        path: the file.
        replace: whether a file that exists is replaced.
        together: gives the files that are written with it their names when it is closed, or none of them.

    Raises:
        InputError: as `require_writable`, and if the system refuses, a full disk for example.
    """
    name = os.fspath(path)
    require_writable(name, replace=replace)
    if os.path.exists(name) and not os.path.isfile(name):
        with _explained(name, name), open(name, "wb") as stream:
            yield stream
        return
    target = os.path.realpath(name)
    temporary = _beside(target)

    def finish(error: type[BaseException] | None, *_: Any) -> None:
        with _explained(name, temporary):
            try:
                if error is None:
                    # another process may have made the file meanwhile
                    require_writable(name, replace=replace)
                    os.replace(temporary, target)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    with contextlib.ExitStack() as alone, _explained(name, temporary):
        (together or alone).push(finish)
        with open(temporary, "xb") as stream:
            if os.path.exists(target):
                shutil.copymode(target, temporary)
            yield stream


@contextlib.contextmanager
def writing_folder(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[str]:
    """Make a folder that gets its name only if no error comes; give its path until then.

    A folder of this name is renamed away before, and back if an error comes.

    Raises:
        InputError: as `require_writable`, if files of other kinds would be lost, and if the system refuses.
    """
    name = os.fspath(path)
    require_writable(name, replace=replace, folder=True)
    target = os.path.realpath(name)
    temporary, former = _beside(target), _beside(target)
    with _explained(name, temporary):
        try:
            os.mkdir(temporary)
            yield temporary
            if os.path.isdir(target):
                if others := sorted(_endings(target) - _endings(temporary)):
                    problem = f"the folder has other files too ({', '.join(others)}), which would be lost."
                    raise InputError(problem, "Name another folder.", source=name)
                shutil.copymode(target, temporary)
                os.rename(target, former)
            os.rename(temporary, target)
        finally:
            if os.path.isdir(former) and not os.path.lexists(target):
                os.rename(former, target)
            # whatever failed: what was there is deleted only if something is in its place
            for folder in (temporary, former):
                shutil.rmtree(folder, ignore_errors=True)


def require_writable(path: str, *, replace: bool, folder: bool = False) -> None:
    """Raise an `InputError` if a file, or a folder, may not be written.

    Args:
        path: its path; a device or a pipe may be a file.
        replace: whether a file may be replaced, or a folder that is not empty.
        folder: whether a folder is written.
    """
    try:
        os.lstat(path)
    except ValueError as error:
        raise InputError(f"{shown(path)} is not the name of a file: {error}.", "Choose another name.") from None
    except OSError:
        return
    known = "folder" if os.path.isdir(path) else "file"
    wanted = "folder" if folder else "file"
    if known != wanted and os.path.exists(path):
        raise InputError(f"this is a {known}.", f"Name a {wanted}.", source=path)
    if not replace and (os.path.isfile(path) or (folder and os.listdir(path))):
        raise InputError(f"the {known} exists already.", "Choose another name, or add --force.", source=path)
    if os.path.isfile(path) and not os.access(path, os.W_OK):
        raise InputError("the file is write-protected.", "Write to another file with -o.", source=path)


@contextlib.contextmanager
def packing(stream: BinaryIO, *, packed: bool) -> Iterator[BinaryIO]:
    """Open a stream that writes gzip into another, or give that one itself."""
    if not packed:
        yield stream
        return
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as packer:
        yield cast(BinaryIO, packer)


def _beside(path: str) -> str:
    """Make up a hidden name in a file's folder."""
    return os.path.join(os.path.dirname(path), f".spanometer-{os.urandom(6).hex()}.tmp")


def _endings(folder: str) -> set[str]:
    return {os.path.splitext(name)[1] or name for _, _, names in os.walk(folder) for name in names}


@contextlib.contextmanager
def _explained(path: str, temporary: str) -> Iterator[None]:
    """Turn what the system refuses to write into an `InputError` that names the file; a closed pipe is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, path, temporary):
            raise
        problem = f"cannot be written: {(error.strerror or str(error)).lower()}."
        raise InputError(problem, "Name a place that has room and may be written to.", source=path) from None
