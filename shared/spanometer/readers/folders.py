"""The files of a folder, or those that a pattern with wildcards fits."""

from __future__ import annotations

import glob
import os
import re
from typing import Any

from ..exceptions import InputError

_WILDCARD = re.compile(r"[*?\[]")
_MOST_FILES = 100_000


def files_of(path: Any) -> dict[str, str] | None:
    """Find the files of a folder, or those that a pattern fits, by their names, in the order of these.

    A file of a folder is called by its path there without its ending, one that a pattern fits by what stands for the
    wildcards.

    Returns:
        The paths; None if the path is that of a file, or no path.

    Raises:
        InputError: if there is no file.
    """
    if not isinstance(path, (str, os.PathLike)):
        return None
    given = os.fspath(path)
    if os.path.isdir(given):
        found = [os.path.join(place, name) for place, _, names in os.walk(given) for name in names]
        hidden = re.compile(rf"(^|{re.escape(os.sep)})\.")
        named = {file: os.path.relpath(file, given) for file in found}
        named = {file: name for file, name in named.items() if not hidden.search(name)}
        stems = {file: _stem(name) for file, name in named.items()}
    elif _WILDCARD.search(given) and not os.path.lexists(given):
        found = [file for file in glob.glob(given, recursive=True) if os.path.isfile(file)]
        first = _WILDCARD.search(given)
        start, end = 0 if first is None else first.start(), max(map(given.rfind, "*?]")) + 1
        named = {file: file for file in found}
        stems = {file: file[start : len(file) - (len(given) - end)] for file in found}
        if end == len(given):
            stems = {file: _stem(name) for file, name in stems.items()}
    else:
        return None
    if not named:
        problem = "this folder has no files." if os.path.isdir(given) else "there are no such files."
        raise InputError(problem, "Name a file, a folder, or a pattern in quotes.", source=given)
    if len(named) > _MOST_FILES:
        raise InputError(f"these are more than {_MOST_FILES:,} files.", "Give fewer.", source=given)
    # endings tell files of one name apart
    names = stems if len(set(stems.values())) == len(stems) else named
    return dict(sorted((name.replace(os.sep, "/"), file) for file, name in names.items()))


def _stem(name: str) -> str:
    return os.path.splitext(name.removesuffix(".gz"))[0]
