"""CoNLL-U with entities in its last column, MISC; and CoNLL-2012's coreference, with mentions as brackets."""

from __future__ import annotations

import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from ...documents.document_file import DocumentFile, documents_of
from ...documents.layers import LineRuns, Record, WordRows
from ...exceptions import counted, setting, shown
from ...options import CheckedOptions, option, text
from ...tags.decoding import BARE_LABEL, Decoding
from ..formats import register
from ..source import Source

_TAG_KEYS = ("name", "NE", "NER")
_ENTITY = "Entity"
_COLUMNS = 10
_NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:\s+id\s*=\s*(.*))?")
_FIELDS = re.compile(r"#\s*global\.Entity\s*=\s*(\S+)")
_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
_CONLLU_BRACKET = re.compile(r"\(([^()]+)(\))?|([^()]+)\)")
_CONLLU_CELLS = 1 << 16
_CONLLU_REMEDY = "Write the ten columns of CoNLL-U in each row, separated by tabs."
_BRACKETS_REMEDY = (
    "For entity 1, write '(1-person' at the first token and '1)' at the last. Write 1[1/2] for the first of two parts."
)


@dataclass
class _Part:
    """A document; or a sentence, if the file does not have documents.

    Attributes:
        record: the words and spans.
        words, lines: the word and the line of each token.
        cells: for each token, the items of MISC with the wanted keys.
        sentences: the number of each token's sentence.
    """

    record: Record
    words: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("i"))
    sentences: array[int] = field(default_factory=lambda: array("i"))


_Bracket = tuple[int, int, str, str | None, bool]
"""The token, the line and the name of a bracket; the label of the span that begins, if any; whether a span ends."""


def _add_spans(record: Record, source: Source, brackets: Iterable[_Bracket], noun: str, remedy: str) -> None:
    """Add the spans of brackets; a closing bracket closes the latest open one with its name.

    The parts of a discontinuous span have the names `NAME[1/2]` and `NAME[2/2]`; its label is the label of the first.
    """
    # the line, the label and the boundaries so far of each open span
    opened: dict[tuple[str, str], list[tuple[int, str, list[int]]]] = defaultdict(list)
    for token, line, name, label, ends in brackets:
        entity, part, parts = match.groups() if (match := _PART.fullmatch(name)) else (name, "1", "1")
        spans = opened[entity, parts]
        if label is not None and part == "1":
            spans.append((line, label, []))
        if not spans or len(spans[-1][-1]) != 2 * int(part) - 1 - (label is not None):
            lacking = "no part before it" if label is not None else "a closing bracket, but no opening bracket"
            raise source.refuse(f"the {noun} {name!r} has {lacking}.", remedy, line)
        spans[-1][-1].extend([token] * (label is not None) + [token + 1] * ends)
        if ends and part == parts:
            _, label, bounds = spans.pop()
            record.fragments |= (
                {len(record.spans): [*zip(bounds[::2], bounds[1::2], strict=True)]} if bounds[2:] else {}
            )
            record.spans.append((bounds[0], bounds[-1], label))
    for (name, _), spans in opened.items():
        for line, *_ in spans:
            raise source.refuse(f"the {noun} {name!r} has an opening bracket, but no closing bracket.", remedy, line)


class ConlluReading(Decoding):
    """Options for reading CoNLL-U and decoding its tags.

    Attributes:
        misc_key: the key of entities in MISC; by default the first of `name`, `NE`, `NER` and `Entity` that occurs.
    """

    misc_key: str | None = text("KEY", "key that holds the entities in MISC, the last column of CoNLL-U")


def read_conllu(source: Source, options: ConlluReading) -> DocumentFile:
    """Read entities as tags (`name=B-PER`) or as brackets (`Entity=(1-person` ... `Entity=1)`).

    A document begins with `# newdoc`; in files without `# newdoc`, each sentence is a document. A span of tags ends at
    the end of its sentence at the latest. Multiword tokens and empty nodes are not tokens.

    Raises:
        InputError: if a row is malformed, if a bracket is not closed or not opened, or if the key is missing; see also
            `Spans.from_tags`. The error names the line.
    """
    wanted = (options.misc_key,) if options.misc_key is not None else (*_TAG_KEYS, _ENTITY)
    parts, fields = _parts(source, wanted)
    cells = {cell for part in parts for cell in part.cells}
    keys = {item.partition("=")[0] for cell in cells for item in cell.split("|")}
    key = next((key for key in wanted if key in keys), None)
    if key is None:
        problem = f"no row has the key {' or '.join(map(repr, wanted))} in the column MISC."
        raise source.refuse(problem, f"Set {setting('misc_key')} to the key of the entities.")
    # if a key occurs twice in a cell, its first value counts
    values = {cell: dict(item.partition("=")[::2] for item in cell.split("|")[::-1]).get(key, "") for cell in cells}
    decoding: Mapping[str, object] = {}
    if key == _ENTITY:
        place = fields.index("etype") if "etype" in fields else 1
        for part in parts:
            _add_spans(part.record, source, _brackets(source, part, values, place), "entity", _BRACKETS_REMEDY)
    else:
        decoding = _add_tagged(source, parts, values, options)
    records = (replace(part.record, words=part.words) for part in parts)
    return replace(documents_of(source, records, in_tokens=True), decoding=decoding)


def _parts(source: Source, wanted: Sequence[str]) -> tuple[list[_Part], list[str]]:
    """Return the documents (or sentences) with tokens, and the declared fields of entity brackets."""
    parts, fields = list[_Part](), list[str]()
    of_documents, begins_part, sentence = False, True, 0

    @lru_cache(_CONLLU_CELLS)
    def kept(cell: str) -> str:
        return sys.intern("|".join(item for item in cell.split("|") if item.partition("=")[0] in wanted))

    for number, line in source.lines():
        if (begins := _NEW_DOCUMENT.fullmatch(line)) is not None:
            parts.append(_Part(Record(id=begins[1] and begins[1].strip(), line=number)))
            of_documents, begins_part = True, False
        elif line.startswith("#"):
            if (declared := _FIELDS.match(line)) is not None:
                fields = declared[1].split("-")
        elif not line.strip():
            # the spans of tags end here
            begins_part, sentence = not of_documents, sentence + 1
        else:
            cells = line.split("\t")
            if len(cells) != _COLUMNS:
                raise source.refuse(f"this row has {counted(len(cells), 'column')}.", _CONLLU_REMEDY, number)
            if cells[0].isdecimal():
                if begins_part:
                    parts.append(_Part(Record(line=number)))
                begins_part = False
                parts[-1].words.append(sys.intern(cells[1]))
                parts[-1].cells.append(kept(cells[-1]))
                parts[-1].lines.append(number)
                parts[-1].sentences.append(sentence)
    return [part for part in parts if part.words], fields


def _add_tagged(
    source: Source, parts: Sequence[_Part], values: Mapping[str, str], decoding: Decoding
) -> Mapping[str, object]:
    """Decode the tags of each sentence and add their spans; return a description of the decoding."""
    rows, lines, sentence = WordRows(), array("i"), array("i")
    for part in parts:
        rows.append([values[cell] or "O" for cell in part.cells])
        lines.extend(part.lines)
        sentence.extend(part.sentences)
    tags, first_lines = replace(rows.tags(), sentence=np.asarray(sentence)), np.array([part.lines[0] for part in parts])
    runs = LineRuns(np.arange(len(lines)), np.asarray(lines, np.int64), len(lines))
    file = DocumentFile.in_words(source=source.name, tags=(tags,), document_lines=first_lines, line_runs=runs)
    file = file.decoded(scheme=decoding.scheme, repair=decoding.repair)
    for document, start, end, label in file.spans.rows():
        parts[document].record.spans.append((start, end, label))
    return file.decoding


def _brackets(source: Source, part: _Part, values: Mapping[str, str], place: int) -> Iterator[_Bracket]:
    for token, (cell, line) in enumerate(zip(part.cells, part.lines, strict=True)):
        for begun, alone, ended in _CONLLU_BRACKET.findall(values[cell]):
            pieces = (begun or ended).split("-")
            if begun and len(pieces) <= place:
                raise source.refuse(f"the entity {begun!r} has no type.", _BRACKETS_REMEDY, line)
            yield token, line, pieces[0], pieces[place] if begun else None, bool(alone or ended)


def _shows_conllu(source: Source) -> bool:
    """Check whether the first row has ten columns, with 1 in the first and a number or _ in the seventh."""
    _, cells = source.first_row()
    numbered = len(cells) == _COLUMNS and cells[0].partition("-")[0] == "1"
    return numbered and (cells[6].isdecimal() or cells[6] == "_")


register("conllu", "CoNLL-U", _shows_conllu, read_conllu)


_BEGIN, _END = "#begin document", "#end document"
_BRACKETS = re.compile(r"-|\(\d+\)?(\|\(?\d+\)?)*|\d+\)(\|\(?\d+\)?)*")
_CONLL2012_BRACKET = re.compile(r"(\()?(\d+)(\))?")
_WORD, _CONLL2012_CELLS = 3, 5
_LOOKED_AT = 50
_CONLL2012_REMEDY = (
    "For example, mark a mention of chain 3 by '(3' at its first token and '3)' at its last token, or by '(3)' if it "
    "has one token. Write '-' at all other tokens. Separate several brackets by '|'."
)


class Conll2012Reading(CheckedOptions):
    """Options for reading coreference.

    Attributes:
        chains: use a mention's coreference chain as its label (CoNLL-2012).
    """

    chains: bool = option(False, kind=bool)


def read_conll2012(source: Source, options: Conll2012Reading) -> Iterator[Record]:
    """Read mentions as spans of tokens. The label is `_`, or the number of the mention's coreference chain.

    A document, or a part of it, begins with `#begin document`. The fourth column has the words. A closing bracket
    closes the latest open mention of its chain, as in the reference scorer.

    Raises:
        InputError: if a row is outside documents or has fewer than five columns, or if a bracket is not opened or not
            closed. The error names the line.
    """
    record: Record | None = None
    words: list[str] = []
    brackets: list[_Bracket] = []
    for number, line in source.lines():
        cells = line.split()
        if line.startswith(_BEGIN):
            words, brackets = [], []
            record = Record(id=line.removeprefix(_BEGIN).strip(), words=words, line=number)
        elif line.startswith(_END) and record is not None:
            _add_spans(record, source, brackets, "chain", _CONLL2012_REMEDY)
            yield record
            record = None
        elif cells and (record is None or len(cells) < _CONLL2012_CELLS or not _BRACKETS.fullmatch(cells[-1])):
            fault = f"ends in {shown(cells[-1])}, not in '-' or brackets"
            fault = fault if len(cells) >= _CONLL2012_CELLS else f"has fewer than {_CONLL2012_CELLS} columns"
            outside = f"is outside a document. Each document begins with {_BEGIN!r}"
            raise source.refuse(f"this row {outside if record is None else fault}.", _CONLL2012_REMEDY, number)
        elif cells:
            for begins, chain, ends in _CONLL2012_BRACKET.findall(cells[-1]):
                label = chain if options.chains else BARE_LABEL
                brackets.append((len(words), number, chain, label if begins else None, bool(ends)))
            words.append(cells[_WORD])
    if record is not None:
        raise source.refuse("the last document is not closed.", f"Close it with {_END}.", record.line)


def _shows_conll2012(source: Source) -> bool:
    lines = source.head.decode(errors="replace").lstrip().split("\n")[:_LOOKED_AT]
    cells = [line.split() for line in lines[:-1] if line.strip() and not line.startswith("#")]
    begun = lines[0].startswith(_BEGIN) and bool(cells)
    return begun and all(len(row) >= _CONLL2012_CELLS and _BRACKETS.fullmatch(row[-1]) for row in cells)


register("conll2012", "CoNLL-2012's coreference", _shows_conll2012, read_conll2012, in_tokens=True)
