"""Entity trees of both sides, with their alignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..measures.eter import Eter
from ..spans.entities import Entities
from ..tables.table import Table
from ..web.templates import shortened

SHOWN_DOCUMENTS = 10
SHOWN_ENTITIES = 200
"""How much is shown; all of it is scored."""

_SHOWN_WORDS = 400
_SHOWN_WORDS_OF_ENTITY = 40
_ALONE = {"reference": "missed", "prediction": "spurious"}
_OTHER = {"reference": "prediction", "prediction": "reference"}

Entity = Mapping[str, Any]
Paired = tuple[Entity, int | None]
"""An entity, and the number of its pair if it has one."""


@dataclass
class Node:
    """An entity in the tree of its side, or one of its components.

    Attributes:
        text: its words.
        label: its types, or the label of the component.
        kind: of an entity: `correct`, `partial`, `missed` or `spurious`.
        pair: the number of an entity's pair, from 1; 0 without one.
        note: of a component: whether the entity's partner has it too.
        children: the components of an entity, and the entities inside it.
    """

    text: str
    label: str
    kind: str = ""
    pair: int = 0
    note: str = ""
    children: list[Node] = field(default_factory=list)


def aligned_trees(
    measure: Eter, references: Entities, predictions: Entities, words: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Return what the template `trees.html` shows: the trees of the first documents and the table of their pairs."""
    if measure.type_level == "coarse":
        references, predictions = references.coarse(), predictions.coarse()
    aligned = measure.align(references, predictions)
    sides = {
        "reference": _by_document(references, aligned.reference.tolist()),
        "prediction": _by_document(predictions, aligned.prediction.tolist()),
    }
    shown = _shown_documents(*sides.values())
    note = f"Shown: the first {shown:,} of {references.documents:,} documents. All are scored."
    documents = [
        {
            "number": document + 1,
            "text": _text(words[document], _SHOWN_WORDS),
            "sides": {
                side: {
                    "roots": _tree(
                        entities[document], sides[_OTHER[side]][document], words[document], side, aligned.cost
                    ),
                    "cut": len(entities[document]) > SHOWN_ENTITIES,
                }
                for side, entities in sides.items()
            },
        }
        for document in range(shown)
    ]
    pairs = [row for document in range(shown) for row in _pairs(sides, document, words[document], aligned)]
    heads = "reference", "prediction", "types and bounds", "components", "cost"
    tables = {"Alignment: what each pair costs": Table("pair", heads, pairs, left=3)} if pairs else {}
    return {"documents": documents, "tables": tables, "note": note if shown < references.documents else ""}


def _by_document(entities: Entities, aligned: Sequence[int]) -> list[list[Paired]]:
    """Return the entities of each document with the numbers of their pairs."""
    pair_of = {entity: pair for pair, entity in enumerate(aligned)}
    numbers = iter(range(len(entities)))
    return [[(entity, pair_of.get(next(numbers))) for entity in document] for document in entities.to_dicts()]


def _shown_documents(references: Sequence[Sequence[Paired]], predictions: Sequence[Sequence[Paired]]) -> int:
    """Return how many documents are shown, at least one."""
    entities = 0
    for document, sides in enumerate(zip(references, predictions, strict=True)):
        entities += sum(map(len, sides))
        if document and (document == SHOWN_DOCUMENTS or entities > SHOWN_ENTITIES):
            return document
    return len(references)


def _tree(
    entities: Sequence[Paired], others: Sequence[Paired], words: Sequence[str], side: str, cost: np.ndarray
) -> list[Node]:
    """Return the entities of one side as trees: an entity inside another stands below it."""
    partners = {pair: entity for entity, pair in others if pair is not None}
    shown = entities[:SHOWN_ENTITIES]
    bounds = {(entity["start"], entity["end"], entity["types"][0]) for entity, _ in entities}
    roots: list[Node] = []
    enclosing: list[tuple[int, Node]] = []
    for entity, pair in sorted(shown, key=lambda item: (item[0]["start"], -item[0]["end"])):
        node = _node(entity, words)
        node.kind, node.pair = _ALONE[side], 0
        if pair is not None:
            node.kind, node.pair = "partial" if cost[pair] else "correct", pair + 1
        while enclosing and entity["end"] > enclosing[-1][0]:
            enclosing.pop()
        (enclosing[-1][1].children if enclosing else roots).append(node)
        enclosing.append((entity["end"], node))
        partner = None if pair is None else partners[pair]
        node.children += [
            Node(_span_text(component, words), component["label"], note=_note(component, partner, side))
            for component in entity["components"]
            if (component["start"], component["end"], component["label"]) not in bounds
        ]
    return roots


def _note(component: Entity, partner: Entity | None, side: str) -> str:
    if partner is None:
        return ""
    if component in partner["components"]:
        return f"✓ same in the {_OTHER[side]}"
    return f"≠ not in the {_OTHER[side]}'s entity"


def _pairs(
    sides: Mapping[str, Sequence[Sequence[Paired]]], document: int, words: Sequence[str], aligned: Any
) -> Iterable[list[str]]:
    """Yield the rows of a document in the table of pairs: what each costs, and the entities without a partner."""

    def name(entity: Entity) -> str:
        node = _node(entity, words)
        return f"{node.text} [{shortened(node.label)}]"

    references, predictions = (side[document][:SHOWN_ENTITIES] for side in sides.values())
    partners = {pair: entity for entity, pair in predictions if pair is not None}
    for entity, pair in references:
        if pair is None:
            yield ["–", name(entity), "missed", "", "", "1"]
        elif pair in partners:
            errors = (aligned.root_error, aligned.component_error, aligned.cost)
            yield [str(pair + 1), name(entity), name(partners[pair]), *(f"{values[pair]:.3g}" for values in errors)]
    for entity, pair in predictions:
        if pair is None:
            yield ["–", "spurious", name(entity), "", "", "1"]


def _node(entity: Entity, words: Sequence[str]) -> Node:
    return Node(_span_text(entity, words), "+".join(entity["types"]))


def _span_text(span: Mapping[str, Any], words: Sequence[str]) -> str:
    return _text(words[span["start"] : span["end"]], _SHOWN_WORDS_OF_ENTITY)


def _text(words: Sequence[str], most: int) -> str:
    return " ".join(map(shortened, words[:most])) + (" …" if len(words) > most else "")
