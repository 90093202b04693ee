"""QUAERO's inline markup: entity trees as tags in the text, `<pers.ind> <name.first> Ada </name.first> ...`.

Whitespace and tags separate words. Apart from tags, nothing is XML: `&lt;` is four characters of a word, and a `<` that
is not followed by a letter or `/` is a plain character. A tag is an entity if the first dotted part of its name is one
of `ENTITY_TYPES`, otherwise a component.
"""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...arrays import batches, is_utf8, read_documents, string_array
from ...documents.layers import WordRows, Words
from ...exceptions import (
    InputError,
    mention,
    on_both_sides,
    printable,
    require_same_documents,
    require_same_words,
    setting,
    shortened,
    shown,
    with_type,
)
from ...options import option
from ...spans.entities import ENTITY_TYPES, Entities, Entity, entities_of

MAX_DEPTH = 100
"""The maximum depth of nested tags."""

_NAME = r"[A-Za-z][\w.-]*+"
_NAMES = rf"{_NAME}(?:\+{_NAME})*+"

# every < that begins a tag, well-formed or not
_TAG = re.compile(rf"<(?=[^\W\d_]|/)(?:(?P<closing>/?)(?P<names>{_NAMES})>)?")
_WORD = re.compile(r"[^ \t\r\n]+")


@dataclass(frozen=True, kw_only=True)
class EntityTypes:
    """The choice of the tags that are entities.

    Attributes:
        entity_types: a tag is an entity if the first dotted part of its name is listed here; None means `ENTITY_TYPES`.

    Raises:
        InputError: if a name has a dot.
    """

    entity_types: Collection[str] | None = option(
        None,
        help=f"types of entities (default: {', '.join(ENTITY_TYPES)}). A tag such as pers.ind is an entity "
        "if its first part (pers) is listed, otherwise a component",
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
        """The first dotted parts of entity types."""
        return _first_parts(ENTITY_TYPES if self.entity_types is None else self.entity_types)


class Annotation(NamedTuple):
    """The words and entities of a document with markup.

    Attributes:
        words: the words without tags.
        entities: the entities in the order of their opening tags; offsets in words, `end` exclusive. Components are
            ordered by start, end and label.
    """

    words: list[str]
    entities: list[Entity]


def from_markup(
    text: str, *, entity_types: Collection[str] = ENTITY_TYPES, document: int | None = None, first_line: int = 1
) -> Annotation:
    """Read the markup of one document, in linear time.

    A component belongs to the innermost entity around it, even if it is inside another component. An entity inside
    another is a separate entity, and also a component of the innermost entity around it, with its first type as the
    label. `+` joins several types of one entity (metonymy): `<loc.adm.nat+org.adm>`.

    Args:
        text: the document; it may have several lines.
        entity_types: the first dotted parts of tags that are entities.
        document: the number of the document, for errors.
        first_line: the number of its first line, for errors.

    Raises:
        InputError: if tags cross, are not closed, are not opened, contain no words or are nested deeper than
            `MAX_DEPTH`, if a component is outside all entities, or if a tag is malformed. The error names line and
            column (in characters, both from 1).
    """
    _require_text(text, document)
    return _Parser(text, _first_parts(entity_types), document, first_line).parse()


class _Open(NamedTuple):
    """An open tag: its name, its position, its first word, and its entity (None for a component)."""

    name: str
    offset: int
    start: int
    entity: Entity | None


@dataclass
class _Parser:
    """A parser of one document."""

    text: str
    entity_types: frozenset[str]
    document: int | None
    first_line: int
    words: list[str] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    opened: list[_Open] = field(default_factory=list)

    def parse(self) -> Annotation:
        done = 0
        for tag in _TAG.finditer(self.text):
            self.words += _WORD.findall(self.text, done, tag.start())
            done = tag.end()
            if tag["names"] is None:
                raise self._malformed(tag.start())
            (self._close if tag["closing"] else self._begin)(tag["names"], tag.start())
        self.words += _WORD.findall(self.text, done)
        if self.opened:
            name, offset = _shown(self.opened[-1].name), self.opened[-1].offset
            raise self._refuse(f"the tag <{name}> is not closed.", f"Write </{name}> before the document ends.", offset)
        for entity in self.entities:
            entity["components"].sort(key=itemgetter("start", "end", "label"))
        return Annotation(self.words, self.entities)

    def _enclosing(self) -> Entity | None:
        """Return the innermost open entity."""
        return next((tag.entity for tag in reversed(self.opened) if tag.entity is not None), None)

    def _begin(self, name: str, offset: int) -> None:
        tag, types = f"<{_shown(name)}>", name.split("+")
        kinds = f"Entity types are {', '.join(sorted(self.entity_types))} and their subtypes, such as pers.ind."
        entity: Entity | None = None
        if len(self.opened) == MAX_DEPTH:
            raise self._refuse(f"more than {MAX_DEPTH} tags are open before {tag}.", "Close tags with </...>.", offset)
        if all(type_.partition(".")[0] in self.entity_types for type_ in types):
            if len(set(types)) < len(types):
                raise self._refuse(f"{tag} names a type twice.", "Name each type once.", offset)
            entity = {"start": len(self.words), "end": 0, "types": types, "components": []}
            self.entities.append(entity)
        elif len(types) > 1:
            problem = f"{tag} has a part that is not an entity type."
            raise self._refuse(problem, f"Use + only between entity types. {kinds}", offset)
        elif self._enclosing() is None:
            remedy = f"Put {tag} inside an entity. {kinds} To use other types, set {setting('entity_types')}."
            raise self._refuse(f"the component {tag} is outside all entities.", remedy, offset)
        self.opened.append(_Open(name, offset, len(self.words), entity))

    def _close(self, name: str, offset: int) -> None:
        if not self.opened or self.opened[-1].name != name:
            raise self._unmatched(name, offset)
        closed, end = self.opened.pop(), len(self.words)
        if end == closed.start:
            problem = f"<{_shown(name)}> contains no words."
            raise self._refuse(problem, "Remove the tag, or put it around words.", closed.offset)
        if closed.entity is not None:
            closed.entity["end"] = end
        if (outer := self._enclosing()) is not None:
            outer["components"].append({"start": closed.start, "end": end, "label": name.partition("+")[0]})

    def _unmatched(self, name: str, offset: int) -> InputError:
        begin, tag = f"<{_shown(name)}>", f"</{_shown(name)}>"
        problem, remedy = f"{tag} closes a tag that is not open", f"Remove {tag}, or write {begin} before it."
        if not self.opened:
            return self._refuse(f"{problem}.", remedy, offset)
        last = _shown(self.opened[-1].name)
        line, column = self._place(self.opened[-1].offset)
        still = f"<{last}> (line {line}, column {column}) is still open"
        if any(each.name == name for each in self.opened):
            return self._refuse(f"{tag} crosses another tag: {still}.", f"Write </{last}> before {tag}.", offset)
        return self._refuse(f"{problem}, and {still}.", f"Write </{last}> instead of {tag}, or remove {tag}.", offset)

    def _malformed(self, offset: int) -> InputError:
        word = _WORD.match(self.text, offset, offset + 60)
        return self._refuse(
            f"{_shown(word[0] if word else '<')!r} begins with '<', but is not a tag.",
            "Write tags such as <pers>, </pers> or <loc+org>. Names can have letters, digits, '.', '-' and '_'. "
            "If '<' is a word of the text, write a space after '<'.",
            offset,
        )

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character."""
        line = self.first_line + self.text.count("\n", 0, offset)
        return line, offset - self.text.rfind("\n", 0, offset)

    def _refuse(self, problem: str, remedy: str, offset: int) -> InputError:
        line, column = self._place(offset)
        return InputError(problem, remedy, document=self.document, line=line, column=column)


def _first_parts(entity_types: Collection[str]) -> frozenset[str]:
    if isinstance(entity_types, frozenset):
        return entity_types
    listed = isinstance(entity_types, Collection) and not isinstance(entity_types, str)
    listed = listed and getattr(entity_types, "ndim", 1) == 1
    if listed and all(isinstance(part, str) and part and "." not in part for part in entity_types):
        return frozenset(entity_types)
    remedy = f"List the first part of each type, such as pers for pers.ind. The default is {', '.join(ENTITY_TYPES)}."
    given = shown([*entity_types]) if listed else with_type(entity_types)
    problem = f"{mention('entity_types')} must be a list of names without dots, not {given}."
    raise InputError(problem, remedy, option="entity_types")


def _shown(text: str) -> str:
    return printable(shortened(text))


_REMEDY = "Pass one string with markup for each document, for example '<pers.ind> Ada </pers.ind> sings'."


def markup_arrays(documents: Iterable[str], first_document: int = 0) -> list[pa.StringArray]:
    """Convert documents with markup to Arrow arrays of strings, without parsing the markup.

    Args:
        documents: one string for each document.
        first_document: the number of the first document, for errors.

    Returns:
        An array for each thousand documents.

    Raises:
        InputError: if a document is not a string.
    """
    rows = read_documents(documents, _REMEDY)
    for document, text in enumerate(rows, first_document):
        _require_text(text, document)
        if not is_utf8(text):
            character = next(char for char in text if not is_utf8(char))
            problem = f"the character {character!r} cannot be stored as UTF-8."
            raise InputError(problem, "Use the right encoding when you open the text file.", document=document)
    return [string_array(part) for _, part in batches(rows)]


def _require_text(text: Any, document: int | None) -> None:
    if not isinstance(text, str):
        raise InputError(f"got {with_type(text)}, not a string with markup.", _REMEDY, document=document)


def pair_from_markup(
    references: pa.ChunkedArray, predictions: pa.ChunkedArray, *, entity_types: Collection[str] = ENTITY_TYPES
) -> tuple[Entities, Entities]:
    """Read the entities of both sides, and the documents' lengths, from columns of markup.

    Args:
        references, predictions: columns with one string for each document.
        entity_types: the first dotted parts of tags that are entities, see `markup.from_markup`.

    Raises:
        InputError: if markup is malformed (the error names document, line and column), or if the sides have different
            numbers of documents or different words.
    """
    require_same_documents(len(references), len(predictions))
    sides = (((1, text.as_py()) for text in column) for column in (references, predictions))
    (reference, words, _), (prediction, predicted, _) = on_both_sides(read_markup, *sides, entity_types=entity_types)
    for document, pair in enumerate(zip(words, predicted, strict=True)):
        require_same_words(*pair, document)
    return reference, prediction


def read_markup(texts: Iterable[tuple[int, str]], entity_types: Collection[str]) -> tuple[Entities, Words, np.ndarray]:
    """Read the entities and the words of documents; only a few documents are in memory at a time.

    Args:
        texts: the number of the first line of each document, and its markup.
        entity_types: the first dotted parts of tags that are entities.

    Returns:
        The entities, the words, and the first lines.
    """
    words, lines = WordRows(), array("q")

    def entities() -> Iterator[list[Entity]]:
        for document, (line, text) in enumerate(texts):
            annotation = from_markup(text, entity_types=entity_types, document=document, first_line=line)
            words.append(annotation.words)
            lines.append(line)
            yield annotation.entities

    return entities_of(entities()).with_lengths(words.lengths), words.words(), np.asarray(lines)
