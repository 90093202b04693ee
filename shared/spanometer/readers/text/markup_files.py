"""Files with inline markup: QUAERO's entity trees, and EDS-NLP's spans and attributes."""

import json
import re
from collections.abc import Collection, Iterator
from itertools import accumulate, chain, groupby
from typing import Any

from ...documents.document_file import DocumentFile
from ...documents.layers import Record
from ...exceptions import InputError, require_choice, setting
from ...spans.entities import ENTITY_TYPES
from ..formats import register
from ..json.records import first_object, is_json_lines
from ..source import Source
from .markup import read_markup

DOCUMENTS = ("lines", "blank", "file")
"""What can be a document in a file with markup."""

_CLOSING_TAG = re.compile(rb"</[A-Za-z][^\s<>]*>")
_ENTITY_END = re.compile(rb"</(?:" + "|".join(ENTITY_TYPES).encode() + rb")(?:[.+][\w.+-]*)?>")
# the tags of a leaf and the words between them on one line
_LEAF = re.compile(rb"<([A-Za-z][\w.+-]*)>[ \t]*[^\s<>][^<>\n]*</\1>")
# the end of a row with a tag in the last column
_TAG = re.compile(rb"(?:^|[ \t])(?:O|[BIESLUM]-\S+)\s*$")


def read_quaero(
    source: Source, *, documents: str = "lines", entity_types: Collection[str] = ENTITY_TYPES
) -> DocumentFile:
    """Read the entities and words of all documents, see `read_entities`."""
    require_choice("documents", documents, DOCUMENTS)
    try:
        entities, words, lines = read_markup(_texts(source, documents), entity_types)
    except InputError as error:
        if documents == "lines" and error.problem.endswith("is not closed."):
            blank = setting("documents", "blank")
            error.remedy += f" Each line is read as one document. If blank lines separate documents, set {blank}."
        raise error.placed(source=source.name, document=None) from None
    if not words:
        raise source.refuse("the file has no documents.", "Write text with markup, one sentence or turn a line.")
    return DocumentFile.in_words(
        source=source.name, format="quaero", document_lines=lines, words=words, entities=entities
    )


def _texts(source: Source, documents: str) -> Iterator[tuple[int, str]]:
    """Yield the text of each document with the number of its first line."""
    runs = groupby(source.lines(), lambda numbered: bool(numbered[1].strip(" \t\r")))
    for filled, run in runs:
        if documents == "file" and filled:
            run = chain(run, chain.from_iterable(others for _, others in runs))
        if documents == "lines" and filled:
            yield from run
        elif filled:
            (first, line), *others = run
            yield first, "\n".join([line, *(text for _, text in others)])


def _allows(source: Source) -> bool:
    """Check whether there is a closing tag."""
    return not is_json_lines(source) and _CLOSING_TAG.search(source.head) is not None


def _shows_quaero(source: Source) -> bool:
    """Check whether there are entity tags, ignoring the word `</pers>` in a row that has a tag of a scheme."""
    leaves = (line for line in source.head.split(b"\n") if _LEAF.search(line))
    ended = _allows(source) and _ENTITY_END.search(source.head) is not None
    return ended and any(not _TAG.search(line) for line in leaves)


register("quaero", "QUAERO markup", _shows_quaero, read_quaero, allows=_allows, content="entities")


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
    pieces: list[str] = []
    brackets: list[int] = []
    spans: list[tuple[int, int, str, dict[str, Any]]] = []
    done = 0
    for mark in _MARK.finditer(line):
        pieces.append(line[done : mark.start()])
        done = mark.end()
        if mark[1] is None:
            # a bracket without a label is text
            brackets.append(len(pieces))
            pieces.append("[")
        elif brackets:
            begun = brackets.pop()
            pieces[begun] = ""
            attributes = {name: _value(value) for name, value in _PAIR.findall(mark[2])}
            spans.append((begun, len(pieces), mark[1], attributes))
        else:
            problem = f"there is no opening bracket before {mark[0]!r}."
            raise source.refuse(problem, "Write [text](LABEL) or [text](LABEL name=value).", number)
    record = Record(text="".join([*pieces, line[done:]]), line=number)
    offsets = [0, *accumulate(map(len, pieces))]
    placed = ((offsets[begun], offsets[ended], label, values) for begun, ended, label, values in spans)
    for start, end, label, values in sorted(placed, key=lambda span: (span[0], -span[1])):
        record.add(start, end, label, attributes=values)
    return record


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


def _shows_markup(source: Source) -> bool:
    marked = _FIRST.search(source.head.split(b"\n", 1)[0])
    # the answers of a language model may have such marks inside JSON
    return marked is not None and not first_object(source)


register("markup", "texts with inline markup", _shows_markup, read_markup_lines)
