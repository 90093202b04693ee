"""Lists of the files in a folder, or of files that match a pattern with wildcards."""

from __future__ import annotations

import glob
import os
import re
from typing import Any

from ..exceptions import InputError

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
    if os.path.isdir(folder):
        files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
        hidden = re.compile(rf"(^|{re.escape(os.sep)})\.")
        named = {file: os.path.relpath(file, folder) for file in files}
        named = {file: name for file, name in named.items() if not hidden.search(name)}
        stems = {file: _stem(name) for file, name in named.items()}
    elif _WILDCARD.search(folder) and not os.path.lexists(folder):
        files = [file for file in glob.glob(folder, recursive=True) if os.path.isfile(file)]
        first = _WILDCARD.search(folder)
        start, end = 0 if first is None else first.start(), max(map(folder.rfind, "*?]")) + 1
        named = {file: file for file in files}
        stems = {file: file[start : len(file) - (len(folder) - end)] for file in files}
        if end == len(folder):
            stems = {file: _stem(name) for file, name in stems.items()}
    else:
        return None
    if not named:
        problem = "this folder has no files." if os.path.isdir(folder) else "no file matches this pattern."
        raise InputError(problem, "Name a file, a folder, or a pattern in quotes.", source=folder)
    if len(named) > _MOST_FILES:
        raise InputError(f"there are more than {_MOST_FILES:,} files.", "Give fewer files at once.", source=folder)
    # extensions distinguish files with the same name
    names = stems if len(set(stems.values())) == len(stems) else named
    return dict(sorted((name.replace(os.sep, "/"), file) for file, name in names.items()))


def _stem(name: str) -> str:
    return os.path.splitext(name.removesuffix(".gz"))[0]
