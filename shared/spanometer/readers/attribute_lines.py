"""JSON lines of spans with attributes: each line one document."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from ..errors import InputError
from ..spans.attributes import Attributes
from .attribute_file import AttributeFile
from .formats import Evidence, Format, register
from .json_lines import MARK, is_json_lines, list_in, located, rows
from .source import Source

_KEYS = ("spans", "entities")
_ATTRIBUTES = re.compile(rb'"attributes"\s*:')


def read_attribute_lines(source: Source) -> AttributeFile:
    """Read lists of spans with attributes; see `read_attributes`."""
    documents: list[list[Any]] = []
    lines: list[int] = []
    for line, row in rows(source, "spans"):
        documents.append(list_in(source, row, _KEYS, line, "spans"))
        lines.append(line)
    try:
        attributes = Attributes.from_dicts(documents)
    except InputError as error:
        raise located(error, source, lines) from None
    return AttributeFile(source=source.name, attributes=attributes, document_lines=np.array(lines, dtype=np.int64))


def _evidence(source: Source) -> Evidence:
    """Look for `attributes` in the first document that has spans."""
    if not is_json_lines(source):
        return Evidence.NONE
    lines = [line for line in source.head.split(b"\n") if line.strip()]
    for number, text in enumerate(lines, 1):
        try:
            row = json.loads(text)
        except (ValueError, RecursionError):
            # the last one may go on after the head
            cut = number == len(lines) and _ATTRIBUTES.search(text)
            return Evidence.CERTAIN if cut else Evidence.POSSIBLE
        if isinstance(row, dict):
            row = next((row[key] for key in _KEYS if key in row), None)
        if not isinstance(row, list):
            return Evidence.POSSIBLE
        if row:
            found = any(isinstance(span, dict) and "attributes" in span for span in row)
            return Evidence.CERTAIN if found else Evidence.POSSIBLE
    return Evidence.POSSIBLE


register(Format(name="jsonl", content=AttributeFile, mark=MARK, evidence=_evidence, read=read_attribute_lines))
