"""Files that rename labels, and files that name integer labels."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from ..exceptions import InputError
from ..tags.tags import read_id2label
from .source import Source

_REMEDY = "Write a label and its new name on each line, or all in one JSON object."


def read_label_map(path: str | os.PathLike[str], *, name: str | None = None) -> dict[str, str]:
    """Read a mapping of old labels to new labels.

    The file is one JSON object, or has a line `OLD<tab>NEW` (or `OLD=NEW`, or `OLD NEW`) for each label. Empty lines
    and lines that begin with # are skipped.

    Args:
        path: the file, plain or gzipped.
        name: what errors call it; by default its path.

    Raises:
        InputError: if the file cannot be read, if a line is malformed, or if a label is mapped twice.
    """
    with Source.open(path, name) as source:
        text = b"".join(block for _, block in source.blocks()).decode()
        if text.lstrip().startswith("{"):
            return _from_json(text, source.name)
        labels: dict[str, str] = {}
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            old, new = _pair(line)
            if not old or not new:
                raise source.refuse("this line does not have the form OLD NEW.", _REMEDY, number)
            if labels.setdefault(old, new) != new:
                raise source.refuse(f"{old!r} is mapped twice.", "Map each label once.", number)
        return labels


def _pair(line: str) -> tuple[str, str]:
    """Split a line at the first tab; without a tab, at the first equals sign; otherwise at the first space."""
    text = line.strip()
    separator = next((mark for mark in ("\t", "=", " ") if mark in text), "\t")
    old, _, new = text.partition(separator)
    return old.strip(), new.strip()


def _from_json(text: str, name: str) -> dict[str, str]:
    try:
        labels = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("this is not JSON.", _REMEDY, source=name) from None
    if not isinstance(labels, Mapping) or not all(isinstance(new, str) for new in labels.values()):
        raise InputError("this is not a JSON object of strings.", 'Write {"PER": "PERSON", ...}.', source=name)
    return dict(labels)


def read_label_names(path: str) -> tuple[str, ...]:
    """Read the names of integer labels, in the order of the integers.

    Args:
        path: a text file with one tag on each line, in the order 0, 1, 2 ...; or a JSON file: a list of tags, an object
            that maps integers to tags, or an object with such a list or object under `id2label`, such as a model's
            `config.json`.

    Raises:
        InputError: if the file cannot be read, is empty, or has other content. The error names the file.
    """
    with Source.open(path) as source:
        text = b"".join(block for _, block in source.blocks()).decode().strip()
    try:
        if not text.startswith(("{", "[")):
            return read_id2label([line.strip() for line in text.splitlines()])
        value = json.loads(text)
        return read_id2label(value.get("id2label", value) if isinstance(value, dict) else value)
    except json.JSONDecodeError as error:
        remedy = "Write one tag on each line, or a JSON list of tags."
        raise InputError(f"this is not JSON ({error.msg}).", remedy, source=path, line=error.lineno) from None
    except InputError as error:
        raise error.in_file(path) from None
