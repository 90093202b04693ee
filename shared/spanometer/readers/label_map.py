"""Files that map labels to others."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from ..errors import InputError
from .source import Source


def read_label_map(path: str | os.PathLike[str], *, name: str | None = None) -> dict[str, str]:
    """Read new labels by old ones from a file.

    The file is one JSON object, or has a line `OLD<tab>NEW` (or `OLD=NEW`, or with blanks between) for each label;
    empty lines and those that begin with # are skipped.

    Args:
        path: the file, plain or gzipped.
        name: what errors call it; its path by default.

    Raises:
        InputError: if it cannot be read, for a line of another form, and for a label that is mapped twice.
    """
    with Source.open(path, name) as source:
        text = b"".join(block for _, block in source.blocks()).decode()
        if text.lstrip().startswith("{"):
            return _from_json(text, source.name)
        found: dict[str, str] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            old, new = _pair(line)
            if not old or not new:
                raise InputError("this line is not of the form OLD NEW.", _REMEDY, source=source.name, line=number)
            if found.setdefault(old, new) != new:
                problem = f"{old!r} is there twice."
                raise InputError(problem, "Map each label once.", source=source.name, line=number)
        return found


_REMEDY = "Write a label and its new name on each line, or one JSON object."


def _pair(line: str) -> tuple[str, str]:
    """Return the two sides of the first tab, or else equals sign, or else blank."""
    text = line.strip()
    separator = next((mark for mark in ("\t", "=", " ") if mark in text), "\t")
    old, _, new = text.partition(separator)
    return old.strip(), new.strip()


def _from_json(text: str, name: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this is not JSON.", _REMEDY, source=name) from None
    if not isinstance(found, Mapping) or not all(isinstance(new, str) for new in found.values()):
        raise InputError("this is not an object of strings.", 'Write {"PER": "PERSON", ...}.', source=name)
    return dict(found)
