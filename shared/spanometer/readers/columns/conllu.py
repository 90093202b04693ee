"""CoNLL-U with entities in its last column, MISC."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ...arrays import offsets_by
from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ...documents.words import Codes
from ...exceptions import InputError, setting
from ...options import option
from ...spans.spans import Spans
from ...tags.decoding import Decoding, reading_of, scheme_of
from ...tags.tags import Tags
from ..formats import Evidence, Format, register
from ..source import Source

_TAG_KEYS = ("name", "NE", "NER")
_ENTITY = "Entity"
_COLUMNS = 10
_NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_FIELDS = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_KNOWN = 1 << 16
_REMEDY = "Rows of CoNLL-U have ten columns, separated by tabs."


class _Rows:
    """The tokens of a file as numbers, and where its parts begin: documents, or the sentences of a file without any.

    Attributes:
        word, misc: of each token, indexing the distinct `words` and `cells`; of MISC what has a wanted key.
        line: of each token.
        sentences: the first token of each sentence.
        parts: the first token of each part.
        part_lines, part_ids: of each part, where it begins and what it is called.
        fields: those of the brackets of entities, if the file declares them.
    """

    def __init__(self, wanted: Sequence[str]) -> None:
        self.words, self.cells = Codes(), Codes()
        self.word, self.misc, self.line = array("i"), array("i"), array("i")
        self.sentences, self.parts, self.part_lines = array("q"), array("q"), array("q")
        self.part_ids: list[str | None] = []
        self.fields: list[str] = []
        self._wanted = wanted
        self._known: dict[str, int] = {}

    def begin(self, line: int, name: str | None) -> None:
        """Begin a part; one without tokens is none."""
        if self.parts and self.parts[-1] == len(self.word):
            self.parts.pop()
            self.part_lines.pop()
            self.part_ids.pop()
        self.parts.append(len(self.word))
        self.part_lines.append(line)
        self.part_ids.append(name)

    def add(self, line: int, word: str, cell: str) -> None:
        """Add a token."""
        code = self._known.get(cell)
        if code is None:
            kept = "|".join(item for item in cell.split("|") if item.partition("=")[0] in self._wanted)
            code = self.cells[kept]
            # other keys may make every cell another one
            if len(self._known) < _KNOWN:
                self._known[cell] = code
        self.word.append(self.words[word])
        self.misc.append(code)
        self.line.append(line)

    def values(self, key: str) -> list[str | None]:
        """Return the value of a key in each distinct cell."""
        return [_value(cell, key) for cell in self.cells]

    def tokens(self, part: int) -> slice:
        """Return the tokens of a part."""
        return slice(self.parts[part], self.parts[part + 1] if part + 1 < len(self.parts) else len(self.word))


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
    wanted = (options.misc_key,) if options.misc_key is not None else (*_TAG_KEYS, _ENTITY)
    rows = _rows(source, wanted)
    keys = {item.partition("=")[0] for cell in rows.cells for item in cell.split("|")}
    key = next((key for key in wanted if key in keys), None)
    if key is None:
        raise source.refuse(
            f"no row has {' or '.join(wanted)} in MISC.", f"Name the key of the entities with {setting('misc_key')}."
        )
    decoding: dict[str, object] = {}
    if key == _ENTITY:
        place = rows.fields.index("etype") if "etype" in rows.fields else 1
        found = _bracketed(source, rows, rows.values(key), place)
    else:
        found, decoding = _tagged(source, rows, rows.values(key), options)
    return replace(documents_of(source, _records(rows, found), in_tokens=True), decoding=decoding)


def _rows(source: Source, wanted: Sequence[str]) -> _Rows:
    rows = _Rows(wanted)
    of_documents = False
    begins_part, begins_sentence = True, True
    for number, line in source.lines():
        if (begins := _NEW_DOCUMENT.fullmatch(line)) is not None:
            rows.begin(number, begins[1] and begins[1].strip())
            of_documents, begins_part, begins_sentence = True, False, True
        elif line.startswith("#"):
            if (found := _FIELDS.match(line)) is not None:
                rows.fields = found[1].split("-")
        elif not line.strip():
            # the spans of tags end here
            begins_sentence = True
            begins_part = not of_documents
        else:
            cells = line.split("\t")
            if len(cells) != _COLUMNS:
                raise source.refuse(f"the row has {len(cells)} columns.", _REMEDY, number)
            if cells[0].isdecimal():
                if begins_part:
                    rows.begin(number, None)
                if begins_sentence:
                    rows.sentences.append(len(rows.word))
                begins_part = begins_sentence = False
                rows.add(number, cells[1], cells[-1])
    if rows.parts and rows.parts[-1] == len(rows.word):
        rows.parts.pop()
    return rows


def _records(rows: _Rows, found: Iterable[Sequence[tuple[int, int, str]]]) -> Iterator[Record]:
    words = list(rows.words)
    for part, spans in enumerate(found):
        row = list(map(words.__getitem__, rows.word[rows.tokens(part)]))
        yield Record(words=row, spans=spans, id=rows.part_ids[part], line=rows.part_lines[part])


def _value(cell: str, key: str) -> str | None:
    return next((item[len(key) + 1 :] for item in cell.split("|") if item.startswith(f"{key}=")), None)


def _tagged(
    source: Source, rows: _Rows, values: Sequence[str | None], decoding: Decoding
) -> tuple[Iterator[list[tuple[int, int, str]]], dict[str, object]]:
    """Return the spans of tags, decoded sentence by sentence, and how they were decoded."""
    names = Codes()
    tag_of = np.array([names[value or "O"] for value in values], dtype=np.int32)
    begins = np.asarray(rows.sentences)
    try:
        tags = Tags(tag_of[np.asarray(rows.misc)], tuple(names), np.append(begins, len(rows.word)))
        scheme = scheme_of(decoding.scheme, tags).name
        spans = Spans.from_tags(tags, scheme=scheme, repair=decoding.repair)
    except InputError as error:
        if error.document is None:
            raise error.in_file(source.name) from None
        line = rows.line[rows.sentences[error.document] + (error.position or 0)]
        raise error.placed(document=None, position=None, source=source.name, line=line) from None
    return _of_parts(spans, begins, np.asarray(rows.parts)), reading_of(scheme, decoding.repair, prefix=True)


def _of_parts(spans: Spans, sentences: np.ndarray, parts: np.ndarray) -> Iterator[list[tuple[int, int, str]]]:
    """Yield the spans of each part, from those of sentences."""
    first = sentences[spans.document]
    part = np.searchsorted(parts, first, side="right") - 1
    base = first - parts[part]
    for begin, end in pairwise(offsets_by(part, len(parts)).tolist()):
        here = slice(begin, end)
        labels = map(spans.labels.__getitem__, spans.label[here].tolist())
        bounds = ((base[here] + bound[here]).tolist() for bound in (spans.start, spans.end))
        yield list(zip(*bounds, labels, strict=True))


def _bracketed(
    source: Source, rows: _Rows, values: Sequence[str | None], place: int
) -> Iterator[list[tuple[int, int, str]]]:
    """Yield the spans of each part's brackets; those of one name close in reverse order of opening."""
    for part in range(len(rows.parts)):
        here = rows.tokens(part)
        found: list[tuple[int, int, str]] = []
        opened: dict[str, list[tuple[int, str]]] = {}
        for token, code in enumerate(rows.misc[here]):
            for bracket in _BRACKET.finditer(values[code] or ""):
                if bracket[1] is not None:
                    pieces = bracket[1].split("-")
                    if len(pieces) <= place:
                        problem = f"the entity {bracket[1]!r} has no type."
                        raise source.refuse(problem, _REMEDY, rows.line[here.start + token])
                    if bracket[2]:
                        found.append((token, token + 1, pieces[place]))
                    else:
                        opened.setdefault(pieces[0], []).append((token, pieces[place]))
                elif not opened.get(bracket[3].split("-")[0]):
                    problem = f"the bracket of {bracket[3]!r} was not opened."
                    raise source.refuse(problem, _REMEDY, rows.line[here.start + token])
                else:
                    start, label = opened[bracket[3].split("-")[0]].pop()
                    found.append((start, token + 1, label))
        for name, starts in opened.items():
            if starts:
                line = rows.line[here.start + starts[0][0]]
                raise source.refuse(f"the bracket of {name!r} is not closed.", _REMEDY, line)
        yield found


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
