"""EDS-NLP's markup of spans and attributes: `[fièvreux](SYMP neg=true)`, one document on each line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ...documents.record import Record
from ..formats import Format, register
from ..json.records import first_object
from ..source import Source

# possessive, without backtracking: a line of unclosed brackets would take hours
_MARK = re.compile(r"\[|\]\(\s*+([^\s()\[\]<>/]++)\s*+((?:'[^']*+'|\"[^\"]*+\"|[^()'\"]++){0,200}+)\)")
_PAIR = re.compile(r"""(\w+)(?:=('[^']*'|"[^"]*"|\S+))?""")
_FIRST = re.compile(rb"\[[^\[\]\n]*+\]\([A-Za-z_][\w.-]*+(?: ++\w++=[^)\n]{1,1000}+)?\)")


def read_markup_lines(source: Source) -> Iterator[Record]:
    """Read texts with spans as `[text](LABEL name=value ...)`, one document on each line; spans may be nested.

    Values are true, false, numbers, or text, in quotes if it has spaces. A name without a value means True. A bracket
    without a label is text. Offsets count code points of the text without markup.

    Raises:
        InputError: if a label has no opening bracket; the error names the line.
    """
    for number, line in source.lines():
        if line.strip():
            yield _record(source, number, line)


def _record(source: Source, number: int, line: str) -> Record:
    opened: list[int] = []
    spans: list[tuple[int, int, str, dict[str, Any]]] = []
    # a bracket without a label is text, so brackets are matched first
    text, last = "", 0
    marks = list(_MARK.finditer(line))
    opening = _openings(source, number, marks)
    for mark in marks:
        if mark[1] is None and mark.start() not in opening:
            continue
        text += line[last : mark.start()]
        last = mark.end()
        if mark[1] is None:
            opened.append(len(text))
        else:
            spans.append((opened.pop(), len(text), mark[1], _attributes(mark[2])))
    record = Record(text=text + line[last:], line=number)
    for start, end, label, attributes in sorted(spans, key=lambda span: (span[0], -span[1])):
        record.add(start, end, label, attributes=attributes)
    return record


def _openings(source: Source, number: int, marks: list[re.Match[str]]) -> set[int]:
    """Return the brackets with which spans begin: for each label, the last free bracket before it."""
    free: list[int] = []
    taken: set[int] = set()
    for mark in marks:
        if mark[1] is None:
            free.append(mark.start())
        elif free:
            taken.add(free.pop())
        else:
            problem = f"there is no opening bracket before {mark[0]!r}."
            raise source.refuse(problem, "Write [text](LABEL name=value).", number)
    return taken


def _attributes(written: str) -> dict[str, Any]:
    return {name: _value(value) for name, value in _PAIR.findall(written)}


def _value(written: str) -> Any:
    if not written:
        return True
    if written[0] in "'\"" and written[-1] == written[0]:
        return written[1:-1]
    try:
        value = json.loads(written.lower() if written.lower() in ("true", "false") else written)
    except (ValueError, RecursionError):
        return written
    return value if isinstance(value, (bool, int, float)) else written


def _shows(source: Source) -> bool:
    marked = _FIRST.search(source.head.split(b"\n", 1)[0])
    # the answers of a language model may have such marks inside JSON
    return marked is not None and not first_object(source)


register(Format("markup", "marked texts", _shows, read_markup_lines))
