"""PubTator: titles and abstracts with mentions, in lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ..formats import Format, Offsets, register
from ..source import Source

_PART = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
_FIRST = re.compile(rb"\s*[^|\t\n]+\|t\|")
_REMEDY = "Write ID|t|TITLE, ID|a|ABSTRACT and lines of ID, start, end, text, type, separated by tabs."


def read_pubtator(source: Source, options: Offsets) -> DocumentFile:
    """Read titles and abstracts, joined by one blank, and their mentions. Relations are not read.

    Offsets count from the beginning of the title. They are code points, as a rule; the texts that mentions state decide
    (some programs write bytes).

    Raises:
        InputError: names the line, for a line of another form or about another document, and as `documents_of`.
    """
    return documents_of(source, _records(source), units=options.units("codepoint", "utf-16", "byte"))


def _records(source: Source) -> Iterator[Record]:
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
                raise source.refuse("a document begins without its title.", _REMEDY, number)
            record, abstract = Record(id=part[1], text=part[3], line=number), False
            continue
        cells = line.split("\t")
        if record is None or (part[1] if part is not None else cells[0]) != record.id:
            raise source.refuse("the line is about another document than the ones before it.", _REMEDY, number)
        if part is not None:
            if record.spans or abstract or part[2] != "a":
                raise source.refuse("a title or an abstract stands after mentions, or twice.", _REMEDY, number)
            record.text, abstract = f"{record.text} {part[3]}", True
        elif len(cells) >= 5 and cells[1].isdecimal() and cells[2].isdecimal():
            record.add(int(cells[1]), int(cells[2]), cells[4], stated=cells[3])
        elif len(cells) != 4:
            raise source.refuse("this is neither a mention nor a relation.", _REMEDY, number)
    if record is not None:
        yield record


register(Format("pubtator", "PubTator's lines", lambda source: _FIRST.match(source.head), read_pubtator))
