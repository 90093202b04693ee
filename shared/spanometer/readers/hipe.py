"""HIPE's columns: entity trees as tags, one column for each kind of span."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, require_choice
from ..spans.markup import Entity
from ..spans.spans import Spans
from .columns import DOCSTART, read_columns
from .entity_file import EntityFile, LeftOut
from .source import Source
from .tag_file import TagFile, tag_lists

LEVELS = ("fine", "coarse")
"""Which columns of types are read."""

WORDS_COLUMN = "TOKEN"
_LITERAL, _METONYMIC, _COMPONENTS, _NESTED = KINDS = ("literal", "metonymic", "components", "nested")
COLUMNS = {
    "fine": dict(zip(KINDS, ("NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED"), strict=True)),
    "coarse": dict(zip(KINDS, ("NE-COARSE-LIT", "NE-COARSE-METO"), strict=False)),
}
"""The column of each kind of span; only that of the literal ones must be there."""

_COMPONENT_PREFIX = "comp."
_DOCUMENT_KEY = "document_id"
_DOCUMENT_COMMENT = re.compile(rb"^#\s*((?:[\w.-]+:)?document_id)\s*=", re.MULTILINE)
_UNREADABLE = re.compile(r"[\t\r\n\0]|^ | $|^$")
_REMEDY = (
    "HIPE's columns hold a literal type and one metonymic type, components that do not overlap, and one level of "
    "nested entities without components of their own."
)


def is_hipe(source: Source) -> bool:
    """Whether the first line that is no comment names a column of literal entities."""
    _, names = _header(source)
    return any(columns[_LITERAL] in names for columns in COLUMNS.values())


def read_hipe(source: Source, level: str, scheme: str | None, repair: str) -> EntityFile:
    """Read the entities and words of all documents; see `read_entities`."""
    require_choice("level", level, LEVELS)
    columns = _columns_in(source, level)
    file = read_columns(source, list(columns.values()), WORDS_COLUMN, _document_key(source), "_")
    spans = {kind: _decoded(file.select(index), scheme, repair) for index, kind in enumerate(columns)}
    trees = _Trees(spans, file.tags[0].offsets)
    return EntityFile(
        file.source,
        "hipe",
        tuple(file.document_names or ()),
        trees.entities,
        [] if file.words is None else tag_lists(file.words),
        file.document_lines,
        file.token_lines,
        tuple(LeftOut(file.line(document, start), problem) for document, start, problem in sorted(trees.left_out)),
        {columns[kind]: of_kind for kind, of_kind in spans.items()},
        file.comments,
    )


def hipe_text(words: Sequence[Sequence[str]], entities: Sequence[Sequence[Entity]], documents: Sequence[str]) -> str:
    """Documents as HIPE's columns, the coarse ones too; see `write_entities`."""
    _require_writable(words, documents, entities)
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    sorted_out = [_sorted_out(of_document, number) for number, of_document in enumerate(entities)]
    spans = {kind: _flat([row[kind] for row in sorted_out], kind, lengths) for kind in KINDS}
    _require_same(entities, _Trees(spans, offsets).entities)
    columns = {COLUMNS["fine"][kind]: tag_lists(spans[kind].encode("IOB2")) for kind in KINDS}
    for kind, name in COLUMNS["coarse"].items():
        columns[name] = [[_coarse(tag) for tag in row] for row in columns[COLUMNS["fine"][kind]]]
    names = [*COLUMNS["coarse"].values(), *COLUMNS["fine"].values()]
    lines = ["\t".join([WORDS_COLUMN, *names])]
    for document, of_words in enumerate(words):
        lines.append(f"# {_DOCUMENT_KEY} = {documents[document]}")
        lines += map("\t".join, zip(of_words, *(columns[name][document] for name in names), strict=True))
    return "".join(f"{line}\n" for line in lines)


def _header(source: Source) -> tuple[int, list[str]]:
    """The number of the first line that is neither blank nor a comment, and its cells."""
    for number, line in enumerate(source.first_block().split(b"\n"), 1):
        if line.strip() and not line.startswith(b"#"):
            return number, [cell.strip(" \r") for cell in line.decode(errors="replace").split("\t")]
    return 0, []


def _columns_in(source: Source, level: str) -> dict[str, str]:
    """The columns of a level that the file has."""
    number, names = _header(source)
    columns = COLUMNS[level]
    for required in (WORDS_COLUMN, columns[_LITERAL]):
        if required not in names and number:
            other = next((known for known in LEVELS if known != level and COLUMNS[known][_LITERAL] in names), None)
            shown = ", ".join(names) if len(names) < 30 else f"{', '.join(names[:30])}, ..."
            raise source.refuse(
                f"the header has no column {required}: its columns are {shown[:300]}.",
                f"Read the other columns of types with level={other!r}."
                if other
                else f"Name the columns in the first line, separated by tabs: {WORDS_COLUMN}, {columns[_LITERAL]}, "
                "and those that there are of " + ", ".join(list(columns.values())[1:]) + ".",
                number,
            )
    return {kind: name for kind, name in columns.items() if name in names or kind == _LITERAL}


def _document_key(source: Source) -> str:
    """What the comments that begin documents are called; later editions put their name before it."""
    found = _DOCUMENT_COMMENT.search(source.first_block())
    return found[1].decode() if found else _DOCUMENT_KEY


def _decoded(file: TagFile, scheme: str | None, repair: str) -> Spans:
    try:
        return Spans.from_tags(file.tags[0], scheme=scheme, repair=repair)
    except InputError as error:
        located = file.locate(error)
        problem = f"in {file.columns[0]}: {located.problem}"
        raise InputError(problem, located.remedy, source=located.source, line=located.line) from None


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Spans with their bounds in tokens of the whole file."""

    spans: Spans
    start: np.ndarray
    end: np.ndarray

    def rows(self) -> Iterator[tuple[int, int, int, str]]:
        """Document, start, end and label of each span."""
        spans = self.spans
        for document, start, end, label in zip(
            *(column.tolist() for column in (spans.document, spans.start, spans.end, spans.label)), strict=True
        ):
            yield document, start, end, spans.labels[label]


class _Trees:
    """Entity trees from the spans of each kind.

    Literal spans are entities. They do not overlap, so that each other span lies in one of them or in none.

    Attributes:
        entities: for each document.
        left_out: document, position and a description of each span that is in no entity.
    """

    def __init__(self, spans: Mapping[str, Spans], offsets: np.ndarray) -> None:
        self._offsets = offsets
        self.entities: list[list[Entity]] = [[] for _ in offsets[1:]]
        self.left_out: list[tuple[int, int, str]] = []
        self._literal = self._bounds(spans[_LITERAL])
        self._roots = [self._add(*row) for row in self._literal.rows()]
        add = {_METONYMIC: self._metonymic, _NESTED: self._nested, _COMPONENTS: self._component}
        for kind in KINDS[1:]:
            if kind in spans:
                bounds = self._bounds(spans[kind])
                for row, owner in zip(bounds.rows(), self._owners(bounds), strict=True):
                    add[kind](owner, *row)
        for of_document in self.entities:
            # stable: of equal bounds the literal one first
            of_document.sort(key=lambda entity: (entity["start"], -entity["end"]))
            for entity in of_document:
                entity["components"].sort(key=lambda part: (part["start"], part["end"], part["label"]))

    def _bounds(self, spans: Spans) -> _Bounds:
        base = self._offsets[spans.document]
        return _Bounds(spans, base + spans.start, base + spans.end)

    def _owners(self, bounds: _Bounds) -> list[Entity | None]:
        """The literal entity around each span."""
        index = np.searchsorted(self._literal.start, bounds.start, side="right") - 1
        within = index >= 0
        within[within] = self._literal.end[index[within]] >= bounds.end[within]
        return [self._roots[at] if inside else None for at, inside in zip(index.tolist(), within.tolist(), strict=True)]

    def _add(self, document: int, start: int, end: int, label: str) -> Entity:
        entity: Entity = {"start": start, "end": end, "types": [label], "components": []}
        self.entities[document].append(entity)
        return entity

    def _metonymic(self, owner: Entity | None, document: int, start: int, end: int, label: str) -> None:
        if owner is None or (owner["start"], owner["end"]) != (start, end):
            self._add(document, start, end, label)
        elif label in owner["types"]:
            self.left_out.append((document, start, f"the metonymic type {label!r} is the literal type too."))
        else:
            owner["types"].append(label)

    def _nested(self, owner: Entity | None, document: int, start: int, end: int, label: str) -> None:
        self._add(document, start, end, label)
        if owner is not None:
            owner["components"].append({"start": start, "end": end, "label": label})

    def _component(self, owner: Entity | None, document: int, start: int, end: int, label: str) -> None:
        name = label.removeprefix(_COMPONENT_PREFIX) or label
        if owner is None:
            self.left_out.append((document, start, f"no literal entity encloses the component {name!r}."))
        else:
            owner["components"].append({"start": start, "end": end, "label": name})


def _sorted_out(entities: Sequence[Entity], document: int) -> dict[str, list[dict[str, Any]]]:
    """Spans of each kind that give these entities when they are read, if any do."""
    spans: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KINDS}
    leaves: dict[tuple[int, int, str], list[int]] = defaultdict(list)
    for index, entity in enumerate(entities):
        if len(entity["types"]) == 1 and not entity["components"]:
            leaves[entity["start"], entity["end"], entity["types"][0]].append(index)
    nested: set[int] = set()
    for entity in entities:
        for part in entity["components"]:
            children = leaves.get((part["start"], part["end"], part["label"]))
            if children:
                nested.add(children.pop())
                spans[_NESTED].append(dict(part))
            else:
                spans[_COMPONENTS].append({**part, "label": _COMPONENT_PREFIX + part["label"]})
    rest = [index for index in range(len(entities)) if index not in nested]
    rest.sort(key=lambda index: (entities[index]["start"], -entities[index]["end"]))
    begun = 0
    reach = -1
    for position, index in enumerate(rest):
        if entities[index]["start"] >= reach:
            _share(entities, rest[begun:position], spans, document)
            begun = position
        reach = max(reach, entities[index]["end"])
    _share(entities, rest[begun:], spans, document)
    return spans


def _share(
    entities: Sequence[Entity], run: Sequence[int], spans: dict[str, list[dict[str, Any]]], document: int
) -> None:
    """Share a run of overlapping entities among the columns of literal and metonymic ones.

    Overlapping ones take turns. The run fixes all but which column begins, and that is fixed by entities with
    components or two types, which must be literal.
    """
    turns: list[bool] = []
    until = [-1, -1]
    for index in run:
        free = [entities[index]["start"] >= end for end in until]
        if not any(free):
            raise _refuse(entities, document, index)
        turn = not free[0]
        turns.append(turn)
        until[turn] = entities[index]["end"]
    literal = {turn for index, turn in zip(run, turns, strict=True) if _must_be_literal(entities[index])}
    for index, turn in zip(run, turns, strict=True):
        entity = entities[index]
        types = entity["types"]
        if len(types) > 2 or (len(literal) > 1 and _must_be_literal(entity)):
            raise _refuse(entities, document, index)
        bounds = {"start": entity["start"], "end": entity["end"]}
        # without any that must be, the run begins with a literal one
        kinds = (_LITERAL, _METONYMIC) if turn in (literal or {False}) else (_METONYMIC,)
        for kind, type_ in zip(kinds, types, strict=False):
            spans[kind].append({**bounds, "label": type_})


def _must_be_literal(entity: Entity) -> bool:
    return bool(entity["components"]) or len(entity["types"]) > 1


def _flat(documents: list[list[dict[str, Any]]], kind: str, lengths: np.ndarray) -> Spans:
    """The spans of a column; an `InputError` where two of them overlap."""
    spans = Spans.from_dicts(documents, lengths=lengths)
    overlap = (spans.document[1:] == spans.document[:-1]) & (spans.start[1:] < spans.end[:-1])
    if overlap.any():
        index = int(np.argmax(overlap))
        names = [
            f"{spans.labels[spans.label[at]]!r} ({spans.start[at]} to {spans.end[at]})" for at in (index, index + 1)
        ]
        raise InputError(
            f"{' and '.join(names)} overlap, and both belong into the column {COLUMNS['fine'][kind]}.",
            _REMEDY,
            document=int(spans.document[index]),
            position=int(spans.start[index + 1]),
        )
    return spans


def _require_same(entities: Sequence[Sequence[Entity]], read: Sequence[Sequence[Entity]]) -> None:
    """Refuse entities that the columns would change."""
    for document, (given, found) in enumerate(zip(entities, read, strict=True)):
        left = sorted(map(_key, found))
        for (key, index), other in zip(
            sorted((_key(entity), index) for index, entity in enumerate(given)), left, strict=False
        ):
            if key != other:
                raise _refuse(given, document, index)
        if len(given) != len(found):
            raise _refuse(given, document, len(given) - 1)


def _key(entity: Entity) -> tuple[Any, ...]:
    parts = sorted((part["start"], part["end"], part["label"]) for part in entity["components"])
    return entity["start"], entity["end"], tuple(entity["types"]), tuple(parts)


def _refuse(entities: Sequence[Entity], document: int, index: int) -> InputError:
    entity = entities[index]
    return InputError(
        f"HIPE's columns cannot give the entity {'+'.join(entity['types'])!r} ({entity['start']} to {entity['end']}) "
        "together with those that it overlaps.",
        _REMEDY,
        document=document,
        position=entity["start"],
    )


def _coarse(tag: str) -> str:
    return tag.partition(".")[0]


def _require_writable(
    words: Sequence[Sequence[str]], documents: Sequence[str], entities: Sequence[Sequence[Entity]]
) -> None:
    for document, (of_words, name) in enumerate(zip(words, documents, strict=True)):
        if not of_words:
            raise InputError("the document has no words.", "HIPE's columns need one; leave it out.", document=document)
        if _UNREADABLE.search(name):
            raise InputError(f"the document's name {name!r} is not one line.", "Name it otherwise.", document=document)
        for position, word in enumerate(of_words):
            if _UNREADABLE.search(word) or word == DOCSTART:
                raise InputError(
                    f"the word {word!r} cannot stand in a column.",
                    "Words hold no tabs, no line ends, no NULs and no outer blanks.",
                    document=document,
                    position=position,
                )
    for document, of_document in enumerate(entities):
        for entity in of_document:
            for label in (*entity["types"], *(part["label"] for part in entity["components"])):
                if _UNREADABLE.search(label):
                    raise InputError(
                        f"the label {label!r} cannot stand in a column.",
                        "Labels hold no tabs, no line ends and no NULs.",
                        document=document,
                        position=entity["start"],
                    )
