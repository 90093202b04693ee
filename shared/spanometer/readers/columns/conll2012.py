"""CoNLL-2012's coreference columns, with mentions as brackets in the last column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...documents.record import Record
from ...options import CheckedOptions, option
from ...tags.decoding import BARE_LABEL
from ..formats import Format, register
from ..source import Source

_BEGIN, _END = "#begin document", "#end document"
_BRACKETS = re.compile(r"-|\(\d+\)?(\|\(?\d+\)?)*|\d+\)(\|\(?\d+\)?)*")
_BRACKET = re.compile(r"(\()?(\d+)(\))?")
_WORD, _CELLS = 3, 5
_LOOKED_AT = 50
_REMEDY = (
    "Write (3 at a mention's first token, 3) at its last, (3) if it has one token, | between brackets, and - elsewhere."
)


@dataclass(frozen=True, kw_only=True)
class Conll2012Reading(CheckedOptions):
    """Options for reading coreference."""

    chains: bool = option(False, help="CoNLL-2012: label each mention by its coreference chain", kind=bool)


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
    opened: dict[str, list[tuple[int, int]]] = {}
    for number, line in source.lines():
        cells = line.split()
        if line.startswith(_BEGIN):
            words, opened = [], {}
            record = Record(id=line.removeprefix(_BEGIN).strip(), words=words, line=number)
        elif line.startswith(_END) and record is not None:
            for chain, starts in opened.items():
                if starts:
                    raise source.refuse(f"the bracket of chain {chain} is not closed.", _REMEDY, starts[0][1])
            yield record
            record = None
        elif cells and (record is None or len(cells) < _CELLS or not _BRACKETS.fullmatch(cells[-1])):
            problem = "this row is outside all documents, has fewer than five columns, or does not end in brackets."
            raise source.refuse(problem, _REMEDY, number)
        elif cells and record is not None:
            for begins, chain, ends in _BRACKET.findall(cells[-1]):
                starts = opened.setdefault(chain, [])
                if begins:
                    starts.append((len(words), number))
                if ends and not starts:
                    raise source.refuse(f"the bracket of chain {chain} is not opened.", _REMEDY, number)
                if ends:
                    record.add(starts.pop()[0], len(words) + 1, chain if options.chains else BARE_LABEL)
            words.append(cells[_WORD])
    if record is not None:
        raise source.refuse("the last document is not closed.", f"Close it with {_END}.", record.line)


def _shows(source: Source) -> bool:
    lines = source.head.decode(errors="replace").lstrip().split("\n")[:_LOOKED_AT]
    cells = [line.split() for line in lines[:-1] if line.strip() and not line.startswith("#")]
    begun = lines[0].startswith(_BEGIN) and bool(cells)
    return begun and all(len(row) >= _CELLS and _BRACKETS.fullmatch(row[-1]) for row in cells)


register(Format("conll2012", "CoNLL-2012's coreference", _shows, read_conll2012, in_tokens=True))
