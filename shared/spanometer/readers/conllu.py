"""CoNLL-U with entities in its last column, MISC."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..errors import InputError, setting
from ..options import option
from ..spans.spans import Spans, encoded_tags
from ..tags.decoding import Decoding, reading_of, scheme_of
from .document_file import DocumentFile, documents_of
from .formats import Evidence, Format, register
from .records import Record
from .source import Source

_TAG_KEYS = ("name", "NE", "NER")
_ENTITY = "Entity"
_COLUMNS = 10
_NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_FIELDS = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_REMEDY = "Rows of CoNLL-U have ten columns, separated by tabs."


@dataclass
class _Part:
    """A document, or a sentence of a file without documents."""

    line: int
    id: str | None = None
    words: list[str] = field(default_factory=list)
    misc: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ConlluReading(Decoding):
    """The options of reading, those of decoding tags among them.

    Attributes:
        misc_key: the key of the entities in MISC; by default `name`, `NE`, `NER` or `Entity`, whichever there is.
    """

    misc_key: str | None = option(
        None,
        help="the key of the entities in the last column of CoNLL-U",
        kind=str,
        optional=True,
        metavar="KEY",
    )


def read_conllu(source: Source, options: ConlluReading) -> DocumentFile:
    """Read entities: tags, as in `name=B-PER`, or brackets, as in `Entity=(1-person` ... `Entity=1)`.

    Documents are those that `# newdoc` begins, or else the sentences; the spans of tags end with their sentence. Words
    of several tokens and empty nodes are not tokens.

    Raises:
        InputError: names the line, for rows of another form, brackets that are not closed or not opened, a key that the
            file lacks, and as `Spans.from_tags`.
    """
    fields: list[str] = []
    parts = list(_parts(source, fields))
    keys = {item.partition("=")[0] for part in parts for cell in part.misc for item in cell.split("|")}
    wanted = (options.misc_key,) if options.misc_key is not None else (*_TAG_KEYS, _ENTITY)
    key = next((key for key in wanted if key in keys), None)
    if key is None:
        raise source.refuse(
            f"no row has {' or '.join(wanted)} in MISC.", f"Name the key of the entities with {setting('misc_key')}."
        )
    values = [[_value(cell, key) for cell in part.misc] for part in parts]
    decoding: dict[str, object] = {}
    if key == _ENTITY:
        place = fields.index("etype") if "etype" in fields else 1
        found = [_bracketed(source, part, row, place) for part, row in zip(parts, values, strict=True)]
    else:
        found, decoding = _tagged(source, parts, values, options)
    records = [
        Record(words=part.words, spans=spans, id=part.id, line=part.line)
        for part, spans in zip(parts, found, strict=True)
    ]
    return replace(documents_of(source, records, in_tokens=True), decoding=decoding)


def _parts(source: Source, fields: list[str]) -> Iterator[_Part]:
    part: _Part | None = None
    of_documents = False
    for number, line in source.lines():
        if (begins := _NEW_DOCUMENT.fullmatch(line)) is not None:
            if part is not None and part.words:
                yield part
            part, of_documents = _Part(number, begins[1] and begins[1].strip()), True
        elif line.startswith("#"):
            if (found := _FIELDS.match(line)) is not None:
                fields[:] = found[1].split("-")
        elif not line.strip():
            if part is not None and part.words and not of_documents:
                yield part
                part = None
            elif part is not None and part.words and part.misc[-1]:
                # the spans of tags end here
                part.misc[-1] += "|"
        else:
            cells = line.split("\t")
            if len(cells) != _COLUMNS:
                raise source.refuse(f"the row has {len(cells)} columns.", _REMEDY, number)
            if cells[0].isdecimal():
                part = part or _Part(number)
                part.words.append(cells[1])
                part.misc.append(cells[-1])
                part.lines.append(number)
    if part is not None and part.words:
        yield part


def _value(cell: str, key: str) -> str | None:
    return next((item[len(key) + 1 :] for item in cell.split("|") if item.startswith(f"{key}=")), None)


def _tagged(
    source: Source, parts: Sequence[_Part], values: Sequence[Sequence[str | None]], decoding: Decoding
) -> tuple[list[list[tuple[int, int, str]]], dict[str, object]]:
    """Return the spans of tags, decoded sentence by sentence, and how they were decoded."""
    rows: list[list[str]] = []
    owner: list[tuple[int, int]] = []
    for number, (part, row) in enumerate(zip(parts, values, strict=True)):
        begins = True
        for token, (value, cell) in enumerate(zip(row, part.misc, strict=True)):
            if begins:
                rows.append([])
                owner.append((number, token))
            rows[-1].append(value or "O")
            begins = cell.endswith("|")
    try:
        tags = encoded_tags(rows)
        scheme = scheme_of(decoding.scheme, tags).name
        spans = Spans.from_tags(tags, scheme=scheme, repair=decoding.repair)
    except InputError as error:
        if error.document is None:
            raise error.in_file(source.name) from None
        number, first = owner[error.document]
        line = parts[number].lines[first + (error.position or 0)]
        raise error.placed(document=None, position=None, source=source.name, line=line) from None
    found: list[list[tuple[int, int, str]]] = [[] for _ in parts]
    base = np.array([first for _, first in owner], dtype=np.int64)[spans.document]
    bounds = ((base + spans.start).tolist(), (base + spans.end).tolist(), spans.label.tolist())
    for document, start, end, label in zip(spans.document.tolist(), *bounds, strict=True):
        found[owner[document][0]].append((start, end, spans.labels[label]))
    return found, reading_of(scheme, decoding.repair, prefix=True)


def _bracketed(source: Source, part: _Part, values: Sequence[str | None], place: int) -> list[tuple[int, int, str]]:
    """Return the spans of brackets; those of one name close in the order that they were opened, the last one first."""
    found: list[tuple[int, int, str]] = []
    opened: dict[str, list[tuple[int, str]]] = {}
    for token, value in enumerate(values):
        for bracket in _BRACKET.finditer(value or ""):
            if bracket[1] is not None:
                pieces = bracket[1].split("-")
                if len(pieces) <= place:
                    raise source.refuse(f"the entity {bracket[1]!r} has no type.", _REMEDY, part.lines[token])
                if bracket[2]:
                    found.append((token, token + 1, pieces[place]))
                else:
                    opened.setdefault(pieces[0], []).append((token, pieces[place]))
            elif not opened.get(bracket[3].split("-")[0]):
                raise source.refuse(f"the bracket of {bracket[3]!r} was not opened.", _REMEDY, part.lines[token])
            else:
                start, label = opened[bracket[3].split("-")[0]].pop()
                found.append((start, token + 1, label))
    for name, starts in opened.items():
        if starts:
            raise source.refuse(f"the bracket of {name!r} is not closed.", _REMEDY, part.lines[starts[0][0]])
    return found


def _evidence(source: Source) -> Evidence:
    """Look for a row of ten columns whose first is 1 and whose seventh is a number or _."""
    for line in source.head.decode(errors="replace").split("\n"):
        if line and not line.startswith("#"):
            cells = line.rstrip("\r").split("\t")
            numbered = len(cells) == _COLUMNS and cells[0].partition("-")[0] == "1"
            return Evidence.CERTAIN if numbered and (cells[6].isdecimal() or cells[6] == "_") else Evidence.NONE
    return Evidence.NONE


register(
    Format(
        name="conllu", content=DocumentFile, mark="CoNLL-U", evidence=_evidence, read=read_conllu, reading=ConlluReading
    )
)
