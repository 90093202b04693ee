"""Standoff annotation in lines: brat's files beside a text, and PubTator's titles, abstracts and mentions."""

import glob
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from ...documents.fitting import Fitted
from ...documents.layers import Named, Record, Writer
from ...exceptions import InputError, setting
from ..formats import IN_BROWSERS, Offsets, register
from ..json.records import number_or_text
from ..source import Source

# numbers of 19 digits may not fit 64 bits
_SPAN = re.compile(r"(\S+) (\d{1,18} \d{1,18}(?:; ?\d{1,18} \d{1,18})*)")
_LONG = re.compile(r"\d{19}")
_LINE = re.compile(rb"\s*(?:T\d+\t\S+ \d+ \d+(?:; ?\d+ \d+)*\t|[REAMN]\d+\t\S+ \S|#\d+\t\S+ [A-Z]\d+|\*\t)")
# the line ends of brat and other programs
_LINE_END = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BETWEEN_LINE_ENDS = re.compile(rf"[^{_LINE_END.pattern[1:]}+")
_BRAT_REMEDY = "Write an annotation as ID<tab>TYPE START END<tab>TEXT, such as T1<tab>Drug 0 7<tab>Aspirin."


def read_brat(source: Source, options: Offsets) -> Iterator[Record]:
    """Read the text-bound annotations of an .ann file, and their attributes; the text is in the .txt file beside it.

    Offsets are code points, or UTF-16 units (from old clients, after emoji); the span texts in the file show which. A
    span with several fragments is discontinuous; its text in the file joins the fragments with spaces. The value of an
    attribute is text, or True if it has no value. Relations, events, notes and their attributes are not read.
    Annotations whose type is not one word are left out and listed. Without the .txt file, documents have no text.

    Raises:
        InputError: if a line is malformed; the error names the line. See also `documents_of`.
    """
    # read by the builder, which turns garbage collection off and frees the record
    return map(_record, [source])


def read_brat_folder(folder: Named, options: Offsets, **limits: Any) -> Iterator[Record | str]:
    """Read all .ann files of a folder and its subfolders, see `read_brat`; documents are named after their paths.

    An empty .ann file is a document without spans.

    Raises:
        InputError: if the folder has no .ann file; see also `read_brat`.
    """
    names = sorted(glob.glob("**", root_dir=folder.name, recursive=True))
    annotated = {name.removesuffix(".ann"): name for name in names if name.endswith(".ann")}
    if not annotated:
        raise folder.refuse("the folder has no .ann file.", "Name a folder of brat's files, or a file.")
    for stem, name in annotated.items():
        with Source.open(os.path.join(folder.name, name), empty=True, **limits) as source:
            record = _record(source)
        record.id, record.place = stem, name
        yield record
    for name in names:
        if name.endswith(".txt") and name.removesuffix(".txt") not in annotated:
            yield f"{name}: a text without an .ann file."


def _record(source: Source) -> Record:
    """Read the document of a file, with its text if there is a .txt file."""
    record = Record(id=os.path.basename(source.name).removesuffix(".ann"))
    # numbers take less memory than names
    names: dict[int | str, int] = {}
    values: list[list[str]] = []
    for number, line in source.lines():
        name, *cells = line.split("\t")
        if name[:1] in ("A", "M") and cells:
            values.append(cells[0].split(" ", 2))
        if name[:1] != "T":
            if line.strip() and name[:1] not in "REAMN#*":
                raise source.refuse("this line is not a brat annotation.", _BRAT_REMEDY, number)
            continue
        place, *stated = cells or [""]
        span = _SPAN.fullmatch(place)
        if span is None:
            if _LONG.search(place):
                raise source.refuse(f"the offsets of {name} are out of range.", _BRAT_REMEDY, number)
            record.lost.append((number, "an annotation without offsets, or with a type of several words."))
            continue
        if (key := number_or_text(name[1:])) in names:
            raise source.refuse(f"the annotation {name} is repeated.", "Give every annotation its own number.", number)
        names[key] = len(names)
        pairs = (pair.split() for pair in span[2].split(";"))
        bounds = sorted((int(start), int(end)) for start, end in pairs)
        covered = "\t".join(stated) if stated else None
        record.add(bounds[0][0], bounds[-1][1], sys.intern(span[1]), stated=covered, pieces=bounds)
    for name, *rest in values:
        if rest and rest[0].startswith("T") and (index := names.get(number_or_text(rest[0][1:]))) is not None:
            record.attributes[index] = {**record.attributes[index], name: rest[1] if len(rest) > 1 else True}
    record.text = _text_beside(source)
    return record


def _written(documents: Fitted) -> Iterator[tuple[str, bytes]]:
    """Write a .txt and an .ann file for each document, named after the document or its number."""
    digits = len(str(max(documents.file.documents.size - 1, 0)))
    for number, record in enumerate(documents.records()):
        name, text = record.id or f"{number:0{digits}}", str(record.text)
        # a byte order mark in the text needs another one before it
        yield f"{name}.txt", ("\ufeff" * text.startswith("\ufeff") + text).encode()
        lines, attributes = list[str](), count(1)
        for place, (_, _, label) in enumerate(record.spans):
            pieces = _pieces(text, record.pieces(place))
            offsets = ";".join(f"{first} {last}" for first, last in pieces)
            covered = " ".join(text[first:last] for first, last in pieces)
            lines.append(f"T{place + 1}\t{_word(label)} {offsets}\t{covered}\n")
            for key, value in record.attributes[place].items():
                lines.append(f"A{next(attributes)}\t{_word(key)} T{place + 1}{_value(value)}\n")
        yield f"{name}.ann", "".join(lines).encode()


def _pieces(text: str, fragments: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Split fragments at line ends, because brat's fragments cannot contain them."""
    parts = (part for start, end in fragments for part in _BETWEEN_LINE_ENDS.finditer(text, start, end))
    return [part.span() for part in parts] or list(fragments)


def _word(name: str) -> str:
    return re.sub(r"\s+", "_", name) or "_"


def _value(value: Any) -> str:
    if value is True:
        return ""
    return f" {' '.join(value.split()) if isinstance(value, str) else json.dumps(value)}"


def _problems(documents: Fitted) -> Iterator[tuple[str, int]]:
    """Yield what brat's format loses or changes."""
    for number, record in enumerate(documents.records()):
        text = str(record.text)
        for place, (_, _, label) in enumerate(record.spans):
            pieces = list(record.pieces(place))
            if _word(label) != label:
                yield "blanks in labels become _", number
            if (parts := _pieces(text, pieces)) != pieces:
                yield "spans across line endings are split into a fragment for each line", number
            elif any(_LINE_END.search(text, *part) for part in parts):
                yield "spans of only line endings are written, but brat rejects them", number
            for key, value in record.attributes[place].items():
                if _word(key) != key or not (value is True or value == _value(value)[1:]):
                    yield "blanks in attribute names become _, and attribute values become one-line strings", number


def _text_beside(source: Source) -> str | None:
    path = f"{source.name.removesuffix('.ann')}.txt"
    if not source.name.endswith(".ann") or not os.path.isfile(path):
        return None
    try:
        source.require_held(os.path.getsize(path), None, "the text beside it")
        with open(path, encoding=source.encoding, newline="") as file:
            return file.read().removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        remedy = f"Save the file as UTF-8, or set {setting('encoding')} to its encoding."
        raise InputError(f"the text cannot be read ({error}).", remedy, source=path) from None


register(
    "brat",
    "brat's annotation",
    lambda source: _LINE.match(source.head),
    read_brat,
    units=IN_BROWSERS,
    read_folder=read_brat_folder,
    writer=Writer(write=_written, folder=True, discontinuous=True, attributes=True, problems=_problems),
    paths=r"\.ann$",
)


_PART = re.compile(r"([^|\t]+)\|([ta])\|(.*)", re.DOTALL)
_FIRST = re.compile(rb"\s*[^|\t\n]+\|t\|")
_PUBTATOR_REMEDY = (
    "Write the lines ID|t|TITLE and ID|a|ABSTRACT. Then write a line for each mention: ID, start, "
    "end, text and type, separated by tabs."
)


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
        part, cells = _PART.fullmatch(line), line.split("\t")
        if not line.strip():
            yield from [] if record is None else [record]
            record = None
        elif part is not None and record is None:
            if part[2] != "t":
                raise source.refuse("the document does not begin with its title.", _PUBTATOR_REMEDY, number)
            record, abstract = Record(id=part[1], text=part[3], line=number), False
        elif record is None or (part[1] if part is not None else cells[0]) != record.id:
            remedy = "Write a blank line between two documents. Begin each with a title line, such as 123|t|Title."
            raise source.refuse("this line and the line before it have different document IDs.", remedy, number)
        elif part is not None:
            if record.spans or abstract or part[2] != "a":
                problem = "this title or abstract is repeated, or comes after mentions."
                raise source.refuse(problem, _PUBTATOR_REMEDY, number)
            record.text, abstract = f"{record.text} {part[3]}", True
        elif len(cells) >= 5 and cells[1].isdecimal() and cells[2].isdecimal():
            record.add(int(cells[1]), int(cells[2]), cells[4], stated=cells[3])
        elif len(cells) != 4:
            raise source.refuse("this line is neither a mention nor a relation.", _PUBTATOR_REMEDY, number)
    yield from [] if record is None else [record]


register(
    "pubtator",
    "PubTator's lines",
    lambda source: _FIRST.match(source.head),
    read_pubtator,
    units=("codepoint", "utf-16", "byte"),
)
