"""QUAERO's inline markup: entity trees written into the text as tags, `<pers.ind> <name.first> Ada </name.first> ...`.

Words are separated by blanks and by tags. Nothing else of XML is read: `&lt;` is four characters of a word, and a `<`
that no letter and no `/` follows is one. A tag is an entity if the first dotted part of its name is one of
`ENTITY_TYPES`, otherwise a component.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...exceptions import InputError, printable, setting, shortened, shown
from ...options import option
from ...spans.entities import ENTITY_TYPES, Entity

MAX_DEPTH = 100
"""At most this many tags may be open at once."""

_NAME = r"[A-Za-z][\w.-]*+"
_NAMES = rf"{_NAME}(?:\+{_NAME})*+"
_Key = tuple[int, int, tuple[str, ...], tuple[tuple[int, int, str], ...]]

# every < that begins a tag, well-formed or not
_TAG = re.compile(rf"<(?=[^\W\d_]|/)(?:(?P<closing>/?)(?P<names>{_NAMES})>)?")
_WORD = re.compile(r"[^ \t\r\n]+")
_WRITABLE_WORD = re.compile(r"(?:[^ \t\r\n<]|<(?![^\W\d_]|/))++")
_WRITABLE_NAME = re.compile(_NAME)

_KEEP = "Keep such entities as dictionaries, or in JSON lines."


@dataclass(frozen=True, kw_only=True)
class EntityTypes:
    """The choice of the tags that are entities.

    Attributes:
        entity_types: the first dotted parts of their types; None stands for `ENTITY_TYPES`.

    Raises:
        InputError: if these are not names without dots.
    """

    entity_types: Collection[str] | None = option(
        None,
        help="tags of entities, by their part before the first dot; all other tags are components (default: "
        f"{', '.join(ENTITY_TYPES)})",
        type="list of str, optional",
        metavar="TYPES",
        parse=lambda text: tuple(re.split(r"\s*,\s*|\s+", text.strip())),
        label="Entity types",
    )

    def __post_init__(self) -> None:
        """Check the option."""
        _ = self.first_parts

    @property
    def first_parts(self) -> frozenset[str]:
        """The first parts."""
        return _first_parts(ENTITY_TYPES if self.entity_types is None else self.entity_types)


@dataclass(frozen=True)
class Annotation:
    """The words of a document and the entities that its markup gives.

    Attributes:
        words: the words, without the tags.
        entities: in the order of their opening tags; offsets in words, `end` exclusive. The components of an entity are
            ordered by start, end and label.
    """

    words: list[str]
    entities: list[Entity]


def from_markup(
    text: str, *, entity_types: Collection[str] = ENTITY_TYPES, document: int | None = None, first_line: int = 1
) -> Annotation:
    """Read the markup of one document, in time linear in its length.

    A component belongs to the innermost entity around it, even inside another component. An entity
    inside another is an entity of its own and a component of the innermost entity around it, with its first type as
    label. Several types of one entity (metonymy) are joined by `+`: `<loc.adm.nat+org.adm>`.

    Args:
        text: the document; it may have several lines.
        entity_types: the first dotted parts of the tags that are entities.
        document: the number of the document, for errors.
        first_line: the number of its first line, for errors.

    Raises:
        InputError: with line and column (in characters, both from 1), for tags that cross, are not closed or were not
            opened, that hold no words or are nested deeper than `MAX_DEPTH`, for a component outside all entities, and
            for a `<` before a letter or `/` that begins no tag.
    """
    if not isinstance(text, str):
        raise InputError(
            f"{shown(text)} (of type {type(text).__name__}) is not a document with markup.",
            "Pass one string for each document.",
            document=document,
        )
    parser = _Parser(text, _first_parts(entity_types), document, first_line)
    return parser.parse()


@dataclass(frozen=True)
class _Open:
    """An open tag: its name, its label or first type, its place, and its entity (None: a component)."""

    name: str
    label: str
    offset: int
    start: int
    entity: Entity | None


class _Parser:
    """Parser of one document, one tag after the other."""

    def __init__(self, text: str, entity_types: frozenset[str], document: int | None, first_line: int) -> None:
        self._text = text
        self._entity_types = entity_types
        self._document = document
        self._first_line = first_line
        self._words: list[str] = []
        self._entities: list[Entity] = []
        self._open: list[_Open] = []
        self._enclosing: list[Entity] = []

    def parse(self) -> Annotation:
        done = 0
        for tag in _TAG.finditer(self._text):
            self._words += _WORD.findall(self._text, done, tag.start())
            done = tag.end()
            if tag["names"] is None:
                raise self._malformed(tag.start())
            if tag["closing"]:
                self._close(tag["names"], tag.start())
            else:
                self._begin(tag["names"], tag.start())
        self._words += _WORD.findall(self._text, done)
        if self._open:
            last = self._open[-1]
            raise self._refuse(
                f"the tag <{_shown(last.name)}> is not closed.",
                "Close every tag within its document, </...>.",
                last.offset,
            )
        for entity in self._entities:
            entity["components"].sort(key=_by_place)
        return Annotation(self._words, self._entities)

    def _begin(self, name: str, offset: int) -> None:
        if len(self._open) == MAX_DEPTH:
            raise self._refuse(
                f"more than {MAX_DEPTH} tags are open at <{_shown(name)}>.", "Close tags with </...>.", offset
            )
        types = name.split("+")
        kinds = [type_.partition(".")[0] in self._entity_types for type_ in types]
        entity: Entity | None = None
        if all(kinds):
            if len(set(types)) < len(types):
                raise self._refuse(f"<{_shown(name)}> names a type twice.", "Name each type once.", offset)
            entity = {"start": len(self._words), "end": 0, "types": types, "components": []}
            self._entities.append(entity)
            self._enclosing.append(entity)
        elif len(types) > 1:
            raise self._refuse(
                f"<{_shown(name)}> joins names that are not all types of entities.",
                f"Only types of entities are joined by +; they begin with {self._known_types()}.",
                offset,
            )
        elif not self._enclosing:
            raise self._refuse(
                f"the component <{_shown(name)}> stands outside all entities.",
                f"Put an entity around it. Types of entities begin with {self._known_types()}; name others with "
                + setting("entity_types"),
                offset,
            )
        self._open.append(_Open(name, types[0], offset, len(self._words), entity))

    def _close(self, name: str, offset: int) -> None:
        if not self._open or self._open[-1].name != name:
            raise self._unmatched(name, offset)
        closed = self._open.pop()
        end = len(self._words)
        if end == closed.start:
            raise self._refuse(
                f"<{_shown(name)}> holds no words.", "Take the tag out, or put it around words.", closed.offset
            )
        if closed.entity is not None:
            closed.entity["end"] = end
            self._enclosing.pop()
        if self._enclosing:
            component = {"start": closed.start, "end": end, "label": closed.label}
            self._enclosing[-1]["components"].append(component)

    def _unmatched(self, name: str, offset: int) -> InputError:
        tag = f"</{_shown(name)}>"
        if not self._open:
            return self._refuse(f"{tag} closes a tag that is not open.", "Take it out, or open the tag.", offset)
        last = self._open[-1]
        line, column = self._place(last.offset)
        between = f"<{_shown(last.name)}> (line {line}, column {column}) is open"
        if any(tag.name == name for tag in self._open):
            return self._refuse(f"{tag} crosses: {between}.", "Close the inner tag first.", offset)
        return self._refuse(
            f"{tag} closes a tag that is not open; {between}.",
            f"Write </{_shown(last.name)}>, or take it out.",
            offset,
        )

    def _malformed(self, offset: int) -> InputError:
        word = _WORD.match(self._text, offset, offset + 60)
        return self._refuse(
            f"{_shown(word[0] if word else '<')!r} begins like a tag but is not one.",
            "Tags are <name> and </name>, names of letters, digits and '.', '-', '_', joined by '+'; write '<' as a "
            "word with a blank after it.",
            offset,
        )

    def _known_types(self) -> str:
        return ", ".join(sorted(self._entity_types))

    def _place(self, offset: int) -> tuple[int, int]:
        """Find line and column of a character."""
        line = self._first_line + self._text.count("\n", 0, offset)
        return line, offset - self._text.rfind("\n", 0, offset)

    def _refuse(self, problem: str, remedy: str, offset: int) -> InputError:
        line, column = self._place(offset)
        return InputError(problem, remedy, document=self._document, line=line, column=column)


def to_markup(words: Sequence[str], entities: Sequence[Entity], *, entity_types: Collection[str] = ENTITY_TYPES) -> str:
    """Write entities into the words of their document; `from_markup` reads the same entities back.

    Words and tags are separated by single blanks. Where a component and an entity have the same bounds, the tags are
    put into the order in which the component falls to its own entity.

    Args:
        words: the words of the document.
        entities: as `Entities.to_dicts` gives them.
        entity_types: the first dotted parts of the tags that are entities.

    Raises:
        InputError: for what markup cannot express: entities or components that cross, a component inside an entity
            other than its own, an entity inside another that is not a component of it, names that are not tag names or
            not of their kind, words that have blanks or look like tags.
    """
    kinds = _first_parts(entity_types)
    for position, word in enumerate(words):
        if not _WRITABLE_WORD.fullmatch(word):
            raise InputError(
                f"the word {_shown(word)!r} cannot be written into markup.",
                "Words have no blanks, and no '<' before a letter or '/'.",
                position=position,
            )
    for index, entity in enumerate(entities):
        _require_names(entity, index, kinds)
    text = _written(words, _in_order(entities, kinds))
    _require_same(entities, from_markup(text, entity_types=kinds).entities)
    return text


@dataclass(frozen=True)
class _Node:
    """An element to be written: the entity with this number, or a component of it."""

    start: int
    end: int
    name: str
    entity: int
    component: bool

    def __str__(self) -> str:
        kind = "component" if self.component else "entity"
        return f"the {kind} {_shown(self.name)!r} ({self.start} to {self.end})"


def _in_order(entities: Sequence[Entity], kinds: frozenset[str]) -> list[_Node]:
    """Sort the elements in the order of their opening tags.

    Components that are entities are left to these.
    """
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    inner: list[_Node] = []
    own: dict[int, list[_Node]] = defaultdict(list)
    for index, entity in enumerate(entities):
        bounds = entity["start"], entity["end"]
        groups[bounds].append(index)
        for part in entity["components"]:
            if not _is_entity(part["label"], kinds):
                node = _Node(part["start"], part["end"], part["label"], index, True)
                (own[index] if (node.start, node.end) == bounds else inner).append(node)
    # the sort is stable: a component of an entity further out goes around the entities of its own bounds
    nodes = inner
    for (start, end), group in groups.items():
        for index in _chain(entities, group, kinds):
            nodes.append(_Node(start, end, "+".join(entities[index]["types"]), index, False))
            nodes += own[index]
    return sorted(nodes, key=lambda node: (node.start, -node.end))


def _chain(entities: Sequence[Entity], group: Sequence[int], kinds: frozenset[str]) -> list[int]:
    """Order entities of the same bounds from the outermost in: each has the next one as a component of these bounds.

    This is an Eulerian trail over the types, each entity a step from its own type to its component's (Hierholzer).
    Entities that are on no such trail come last; markup cannot write them.
    """
    if len(group) == 1:
        return list(group)
    leads_to: dict[int, str | None] = {}
    leaving: dict[str | None, list[int]] = defaultdict(list)
    surplus: Counter[str | None] = Counter()
    for index in reversed(group):
        entity = entities[index]
        bounds = entity["start"], entity["end"]
        labels = (part["label"] for part in entity["components"] if (part["start"], part["end"]) == bounds)
        leads_to[index] = next((label for label in labels if _is_entity(label, kinds)), None)
        leaving[entity["types"][0]].append(index)
        surplus[entity["types"][0]] += 1
        surplus[leads_to[index]] -= 1
    begin = max(surplus, key=lambda type_: surplus[type_])
    trail: list[int] = []
    steps: list[tuple[str | None, int | None]] = [(begin, None)]
    while steps:
        at, step = steps[-1]
        if leaving[at]:
            following = leaving[at].pop()
            steps.append((leads_to[following], following))
        else:
            steps.pop()
            if step is not None:
                trail.append(step)
    trail.reverse()
    return [*trail, *(index for indices in leaving.values() for index in indices)]


def _written(words: Sequence[str], nodes: Sequence[_Node]) -> str:
    pieces: list[str] = []
    stack: list[_Node] = []
    done = 0
    for node in (*nodes, None):
        while stack and (node is None or stack[-1].end <= node.start):
            closed = stack.pop()
            pieces += (*words[done : closed.end], f"</{closed.name}>")
            done = closed.end
        if node is None:
            break
        if stack and stack[-1].end < node.end:
            raise InputError(f"{node} crosses {stack[-1]}; markup can only nest.", _KEEP, position=node.start)
        if len(stack) == MAX_DEPTH:
            raise InputError(f"{node} lies in more than {MAX_DEPTH} others.", _KEEP)
        pieces += (*words[done : node.start], f"<{node.name}>")
        done = node.start
        stack.append(node)
    return " ".join([*pieces, *words[done:]])


def _require_same(entities: Sequence[Entity], read: Sequence[Entity]) -> None:
    """Raise an `InputError` for the first entity that markup would change."""
    counts = Counter(map(_key, read))
    for entity in entities:
        key = _key(entity)
        if not counts[key]:
            types, start, end = "+".join(entity["types"]), entity["start"], entity["end"]
            twins = [other for other in counts.elements() if other[:3] == key[:3]]
            would = f"; it would get {_listed(twins[0][3])}" if twins else ""
            raise InputError(
                f"markup cannot give the entity {_shown(types)!r} ({start} to {end}) {_listed(key[3])}{would}.",
                "In markup a component belongs to the innermost entity around it, and an entity inside another is its "
                "component. " + _KEEP,
                position=start,
            )
        counts[key] -= 1


def _listed(components: Sequence[tuple[int, int, str]]) -> str:
    if not components:
        return "no components"
    shown = [f"{_shown(label)!r} ({start} to {end})" for start, end, label in components[:5]]
    return f"the components {', '.join(shown)}{', ...' if len(components) > 5 else ''}"


def _key(entity: Entity) -> _Key:
    return entity["start"], entity["end"], tuple(entity["types"]), tuple(map(_by_place, entity["components"]))


def _by_place(component: Mapping[str, Any]) -> tuple[int, int, str]:
    return component["start"], component["end"], component["label"]


def _require_names(entity: Entity, index: int, kinds: frozenset[str]) -> None:
    """Raise an `InputError` unless types and labels can be the names of tags, and types those of entities."""
    types = entity["types"]
    for name in (*types, *(part["label"] for part in entity["components"])):
        if not _WRITABLE_NAME.fullmatch(name):
            raise InputError(
                f"{_shown(name)!r} cannot be the name of a tag.",
                "Names begin with a letter from A to Z; letters, digits, '.', '-' and '_' may follow.",
                position=entity["start"],
                span=index,
            )
    if len(set(types)) < len(types) or not all(_is_entity(type_, kinds) for type_ in types):
        raise InputError(
            f"the types {_shown(', '.join(types))!r} would not be read as those of an entity.",
            f"Types of entities differ and begin with {', '.join(sorted(kinds))}; name others with "
            + setting("entity_types"),
            position=entity["start"],
            span=index,
        )


def _is_entity(name: str, kinds: frozenset[str]) -> bool:
    return name.partition(".")[0] in kinds


def _first_parts(entity_types: Collection[str]) -> frozenset[str]:
    if isinstance(entity_types, frozenset):
        return entity_types
    wrong = isinstance(entity_types, str) or not isinstance(entity_types, Collection)
    wrong = wrong or getattr(entity_types, "ndim", 1) != 1
    if wrong or not all(isinstance(part, str) and part and "." not in part for part in entity_types):
        raise InputError(
            f"{setting('entity_types', entity_types)} is not a list of the first parts of types.",
            f"Give names without dots, such as {ENTITY_TYPES!r}.",
            option="entity_types",
        )
    return frozenset(entity_types)


def _shown(text: str) -> str:
    return printable(shortened(text))
