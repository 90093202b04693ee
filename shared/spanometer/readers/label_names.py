"""Files with the names of labels: a tag on each line, or JSON."""

from __future__ import annotations

import json

from ..errors import InputError
from ..tags.tags import read_id2label
from .source import Source


def read_label_names(path: str) -> tuple[str, ...]:
    """Read the tags that label numbers stand for, in the order of the numbers.

    Args:
        path: a file with one tag on each line, the first of them number 0; or JSON: a list of tags, an object of
            numbers and tags, or one that has such a list or object under `id2label`, as a model's `config.json`.

    Raises:
        InputError: names the file: if it cannot be read, is empty, or has other things in it.
    """
    with Source.open(path) as source:
        text = b"".join(block for _, block in source.blocks()).decode().strip()
    try:
        if not text.startswith(("{", "[")):
            return read_id2label([line.strip() for line in text.splitlines()])
        found = json.loads(text)
        return read_id2label(found.get("id2label", found) if isinstance(found, dict) else found)
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON ({error.msg}).", "", source=path, line=error.lineno) from None
    except InputError as error:
        raise error.in_file(path) from None
