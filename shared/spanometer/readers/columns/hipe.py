"""HIPE's columns: entity trees as tags, with a column for each kind of span."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ...documents.document_file import DocumentFile
from ...exceptions import InputError, counted, require_choice, setting, without_option
from ...spans.entities import Entity, entities_of
from ...spans.spans import Spans
from ..formats import ColumnReading, register
from ..source import Source
from .columns import read_columns

LEVELS = ("fine", "coarse")
"""The levels of types that can be read."""

WORDS_COLUMN = "TOKEN"
_LITERAL, _METONYMIC, _COMPONENTS, _ = KINDS = ("literal", "metonymic", "components", "nested")
COLUMNS = {
    "fine": dict(zip(KINDS, ("NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED"), strict=True)),
    "coarse": dict(zip(KINDS, ("NE-COARSE-LIT", "NE-COARSE-METO"), strict=False)),
}
"""The column of each kind of span; only the column of literal spans is required."""

_COMPONENT_PREFIX = "comp."
_DOCUMENT_KEY = "document_id"
_DOCUMENT_COMMENT = re.compile(rb"^#\s*((?:[\w.-]+:)?document_id)\s*=", re.MULTILINE)
LeftOut = list[tuple[int, int, str]]
"""The document, the position and the problem of each span that is not in an entity."""

_DOCUMENTS = 100
"""The number of documents that are converted to trees at a time."""


# hints about columns of tags and about tags without prefixes do not apply to this format
@without_option("prefix")
def read_hipe(
    source: Source, *, level: str = "fine", scheme: str | None = "IOB2", repair: str = "conlleval"
) -> DocumentFile:
    """Read the entities and words of all documents, see `read_entities`."""
    require_choice("level", level, LEVELS)
    columns = _columns_in(source, level)
    key = _DOCUMENT_COMMENT.search(source.head)
    # later editions put a prefix before the key
    documents = key[1].decode() if key else _DOCUMENT_KEY
    names = tuple(columns.values())
    file = read_columns(source, ColumnReading(columns=names, words=WORDS_COLUMN, documents=documents, outside="_"))
    spans = {}
    for index, kind in enumerate(columns):
        try:
            spans[kind] = Spans.from_tags(file.tags[index], scheme=scheme, repair=repair)
        except InputError as error:
            error.problem = f"in the column {columns[kind]}, {error.problem}"
            raise file.locate(error) from None
    outside: LeftOut = []
    entities = entities_of(_all_trees(spans, file.tags[0].offsets, outside)).with_lengths(file.tags[0].lengths)
    places = (f"line {file.line(document, start)}: {problem}" for document, start, problem in sorted(outside))
    return replace(file, format="hipe", entities=entities, left_out=tuple(places), tags=(), columns=(), layout=None)


def _shows(source: Source) -> bool:
    """Check whether the first line that is not a comment names a column of literal entities."""
    _, names = source.first_row()
    return any(columns[_LITERAL] in names for columns in COLUMNS.values())


def _columns_in(source: Source, level: str) -> dict[str, str]:
    """Return the columns of a level that the file has."""
    number, names = source.first_row()
    columns = COLUMNS[level]
    literal, *others = columns.values()
    missing = [name for name in (WORDS_COLUMN, literal) if name not in names and number]
    if missing:
        remedy = f"In the first line, write the column names {WORDS_COLUMN} and {literal}, separated by tabs. "
        remedy += f"The columns {', '.join(others)} are optional."
        for other in LEVELS:
            if missing[0] == literal and other != level and COLUMNS[other][_LITERAL] in names:
                remedy = f"The file has columns for the level {other!r}. Set {setting('level', other)}."
        there = f"{counted(len(names), 'column')}: {', '.join(map(repr, names[:30]))[:300]}"
        raise source.refuse(f"the header has no column {missing[0]!r}, only {there}.", remedy, number)
    return {kind: name for kind, name in columns.items() if name in names or kind == _LITERAL}


def _all_trees(spans: Mapping[str, Spans], offsets: np.ndarray, left_out: LeftOut) -> Iterator[list[Entity]]:
    """Yield the entities of each document; add spans outside all entities to `left_out`, see `_trees`."""
    for first in range(0, len(offsets) - 1, _DOCUMENTS):
        last = min(first + _DOCUMENTS, len(offsets) - 1)
        part = {kind: of_kind.between(first, last) for kind, of_kind in spans.items()}
        yield from _trees(part, offsets[first : last + 1], first, left_out)


def _trees(spans: Mapping[str, Spans], offsets: np.ndarray, first: int, left_out: LeftOut) -> list[list[Entity]]:
    """Build the entities of each document.

    Literal spans are entities. They do not overlap, so any other span is inside at most one of them.

    Args:
        spans: the spans of each kind.
        offsets: the first token of each document.
        first: the number of the first document.
        left_out: a list to which the spans outside all entities are added.
    """
    entities: list[list[Entity]] = [[] for _ in offsets[1:]]

    def add(document: int, start: int, end: int, label: str) -> Entity:
        entity: Entity = {"start": start, "end": end, "types": [label], "components": []}
        entities[document].append(entity)
        return entity

    literal = spans[_LITERAL]
    roots = [add(*row) for row in literal.rows()]
    begins = offsets[literal.document] + literal.start
    # one more end before all spans, for spans before the first entity
    ends = np.append(offsets[literal.document] + literal.end, -1)
    for kind in (kind for kind in KINDS[1:] if kind in spans):
        base = offsets[spans[kind].document]
        around = np.searchsorted(begins, base + spans[kind].start, side="right") - 1
        within = ends[around] >= base + spans[kind].end
        for row, index, inside in zip(spans[kind].rows(), around.tolist(), within.tolist(), strict=True):
            document, start, end, label = row
            place = first + document, start
            owner = roots[index] if inside else None
            if kind == _METONYMIC and owner is not None and (owner["start"], owner["end"]) == (start, end):
                if label in owner["types"]:
                    left_out.append((*place, f"the metonymic type {label!r} repeats the literal type."))
                else:
                    owner["types"].append(label)
            elif kind != _COMPONENTS:
                add(*row)
            else:
                label = label.removeprefix(_COMPONENT_PREFIX) or label
                if owner is None:
                    left_out.append((*place, f"no literal entity encloses the component {label!r}."))
            if owner is not None and kind != _METONYMIC:
                owner["components"].append({"start": start, "end": end, "label": label})
    return entities


register("hipe", "HIPE columns", _shows, read_hipe, content="entities")
