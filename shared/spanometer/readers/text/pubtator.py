"""PubTator: lines with titles, abstracts and mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...documents.record import Record
from ..formats import Format, Offsets, register
from ..source import Source

_PART = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
_FIRST = re.compile(rb"\s*[^|\t\n]+\|t\|")
_REMEDY = "Write ID|t|TITLE, ID|a|ABSTRACT and lines of ID, start, end, text, type, separated by tabs."


def read_pubtator(source: Source, options: Offsets) -> Iterator[Record]:
    """Read titles and abstracts, joined by one space, and their mentions. Relations are not read.

    Offsets count from the beginning of the title, usually in code points. Some programs write bytes; the span texts in
    the file show which.

    Raises:
        InputError: if a line is malformed or is about another document; the error names the line. See also
            `documents_of`.
    """
    record: Record | None = None
    abstract = False
    for number, line in source.lines():
        if not line.strip():
            if record is not None:
                yield record
            record = None
            continue
        part = _PART.fullmatch(line)
        if part is not None and record is None:
            if part[2] != "t":
                raise source.refuse("the document does not begin with its title.", _REMEDY, number)
            record, abstract = Record(id=part[1], text=part[3], line=number), False
            continue
        cells = line.split("\t")
        if record is None or (part[1] if part is not None else cells[0]) != record.id:
            remedy = "Write a blank line before each document, and its title first."
            raise source.refuse("this line is about another document than the line before it.", remedy, number)
        if part is not None:
            if record.spans or abstract or part[2] != "a":
                problem = "this title or abstract is repeated, or comes after mentions."
                raise source.refuse(problem, _REMEDY, number)
            record.text, abstract = f"{record.text} {part[3]}", True
        elif len(cells) >= 5 and cells[1].isdecimal() and cells[2].isdecimal():
            record.add(int(cells[1]), int(cells[2]), cells[4], stated=cells[3])
        elif len(cells) != 4:
            raise source.refuse("this line is neither a mention nor a relation.", _REMEDY, number)
    if record is not None:
        yield record


register(
    Format(
        "pubtator",
        "PubTator's lines",
        lambda source: _FIRST.match(source.head),
        read_pubtator,
        units=("codepoint", "utf-16", "byte"),
    )
)
