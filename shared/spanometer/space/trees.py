"""Entity trees of both sides, with their alignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..measures.eter import Eter
from ..spans.entities import Entities
from .html import escape, shortened, table

SHOWN_DOCUMENTS = 10
SHOWN_ENTITIES = 200
"""How much is shown; all of it is scored."""

_ALONE = {"reference": ("sm-missed", "✗", "missed"), "prediction": ("sm-spurious", "+", "spurious")}

Entity = Mapping[str, Any]


def trees(measure: Eter, references: Entities, predictions: Entities, words: Sequence[Sequence[str]]) -> str:
    """The trees of the first documents, reference and prediction together, and the table of the pairs."""
    aligned = measure.align(references, predictions)
    partners = _numbers(aligned.reference), _numbers(aligned.prediction)
    sides = [_by_document(entities, mates) for entities, mates in zip((references, predictions), partners, strict=True)]
    cost = aligned.cost.tolist()
    shown = _first(sides)
    parts = []
    for document in range(shown):
        columns = "".join(
            f"<div><h3>{name}</h3>{_tree(side[document], other[document], words[document], name, cost)}</div>"
            for name, side, other in (("reference", sides[0], sides[1]), ("prediction", sides[1], sides[0]))
        )
        text = " ".join(escape(shortened(word)) for word in words[document][:400])
        parts.append(
            f'<div class="sm-pair" role="group" aria-label="Document {document + 1}"><p class="sm-muted" dir="auto">'
            f'{text}{" …" if len(words[document]) > 400 else ""}</p><div class="sm-trees">{columns}</div></div>'
        )
    note = ""
    if shown < references.documents:
        note = (
            f'<p class="sm-note">Shown: the first {shown:,} of {references.documents:,} documents. All are scored.</p>'
        )
    return f"{_legend()}{note}{''.join(parts)}{_pair_table(sides, words, aligned, shown)}"


def _numbers(entities: np.ndarray) -> dict[int, int]:
    """For each aligned entity the number of its pair."""
    return {entity: pair for pair, entity in enumerate(entities.tolist())}


def _by_document(entities: Entities, mates: Mapping[int, int]) -> list[list[tuple[Entity, int | None]]]:
    """The entities of each document with the number of their pair."""
    documents: list[list[tuple[Entity, int | None]]] = []
    index = 0
    for listed in entities.to_dicts():
        documents.append([(entity, mates.get(index + place)) for place, entity in enumerate(listed)])
        index += len(listed)
    return documents


def _first(sides: Sequence[Sequence[Sequence[object]]]) -> int:
    """How many documents are shown: one at least."""
    total = 0
    for document, both in enumerate(zip(*sides, strict=True)):
        total += sum(map(len, both))
        if document and (document == SHOWN_DOCUMENTS or total > SHOWN_ENTITIES):
            return document
    return len(sides[0])


def _legend() -> str:
    kinds = (
        ("sm-correct", "✓", "correct", "aligned, without any error; solid line"),
        ("sm-partial", "≈", "partial", "aligned, with errors; dashed line"),
        ("sm-missed", "✗", "missed", "only in the reference; double line"),
        ("sm-spurious", "+", "spurious", "only in the prediction; wavy line"),
    )
    items = "".join(
        f'<li><mark class="{style}">{word}<span class="sm-tag" aria-hidden="true">{symbol}</span></mark> '
        f'<span class="sm-muted">({text})</span></li>'
        for style, symbol, word, text in kinds
    )
    number_item = (
        '<li><span class="sm-number">1</span> <span class="sm-muted">the pair that an entity is in</span></li>'
    )
    return f'<ul class="sm-legend" aria-label="Legend">{items}{number_item}</ul>'


def _tree(
    entities: Sequence[tuple[Entity, int | None]],
    others: Sequence[tuple[Entity, int | None]],
    words: Sequence[str],
    side: str,
    cost: Sequence[float],
) -> str:
    """The entities of one side as nested lists: an entity inside another stands below it."""
    if not entities:
        return '<p class="sm-muted">no entities</p>'
    partner = {pair: entity for entity, pair in others if pair is not None}
    order = sorted(range(len(entities[:SHOWN_ENTITIES])), key=lambda at: (_start(entities[at]), -_end(entities[at])))
    html = ['<ul class="sm-tree">']
    inside = {(entity["start"], entity["end"], entity["types"][0]) for entity, _ in entities}
    enclosing: list[int] = []
    for at in order:
        entity, pair = entities[at]
        while enclosing and entity["end"] > enclosing[-1]:
            html.append("</ul></li>")
            enclosing.pop()
        html.append(f"<li>{_entity(entity, pair, words, side, cost)}<ul>")
        enclosing.append(entity["end"])
        for component in entity["components"]:
            if (component["start"], component["end"], component["label"]) not in inside:
                html.append(f"<li>{_component(component, None if pair is None else partner[pair], words, side)}</li>")
    html += ["</ul></li>"] * len(enclosing)
    cut = '<p class="sm-muted">… (cut off here)</p>' if len(entities) > SHOWN_ENTITIES else ""
    return "".join(html).replace("<ul></ul>", "") + "</ul>" + cut


def _start(item: tuple[Entity, int | None]) -> int:
    return item[0]["start"]


def _end(item: tuple[Entity, int | None]) -> int:
    return item[0]["end"]


def _entity(entity: Entity, pair: int | None, words: Sequence[str], side: str, cost: Sequence[float]) -> str:
    if pair is None:
        style, symbol, word = _ALONE[side]
        badge = ""
    else:
        style, symbol, word = ("sm-correct", "✓", "correct") if cost[pair] == 0 else ("sm-partial", "≈", "partial")
        badge = f'<span class="sm-number"><span class="sm-hidden">pair </span>{pair + 1}</span> '
    types = escape(shortened("+".join(entity["types"])))
    return (
        f'{badge}<mark class="{style}">{_text(entity, words)} <span class="sm-tag"><span aria-hidden="true">{symbol} '
        f'</span>{types}<span class="sm-hidden"> {word}</span></span></mark>'
    )


def _component(component: Mapping[str, Any], partner: Entity | None, words: Sequence[str], side: str) -> str:
    """A component; whether the entity's partner has the same one."""
    same = partner is not None and component in partner["components"]
    other = "prediction" if side == "reference" else "reference"
    said = f"✓ same in the {other}" if same else f"≠ not in the {other}'s entity" if partner else ""
    return (
        f"<span>{_text(component, words)} <strong>{escape(shortened(component['label']))}</strong></span> "
        f'<span class="sm-muted">{said}</span>'
    )


def _text(item: Mapping[str, Any], words: Sequence[str]) -> str:
    first, last = item["start"], item["end"]
    text = " ".join(map(shortened, words[first : min(last, first + 40)]))
    return escape(text) + (" …" if last - first > 40 else "")


def _pair_table(sides: Any, words: Sequence[Sequence[str]], aligned: Any, shown: int) -> str:
    """What each pair of the shown documents costs, and what has no partner."""
    rows: list[tuple[str, ...]] = []
    for document in range(shown):
        references, predictions = (side[document][:SHOWN_ENTITIES] for side in sides)
        of_pair = {pair: entity for entity, pair in predictions if pair is not None}
        for entity, pair in references:
            if pair is None:
                rows.append(("–", _named(entity, words[document]), "missed", "", "", "1"))
            elif pair in of_pair:
                errors = (aligned.root_error, aligned.component_error, aligned.cost)
                values = (f"{float(error[pair]):.3g}" for error in errors)
                rows.append(
                    (str(pair + 1), _named(entity, words[document]), _named(of_pair[pair], words[document]), *values)
                )
        rows += [
            ("–", "spurious", _named(entity, words[document]), "", "", "1")
            for entity, pair in predictions
            if pair is None
        ]
    header = ("pair", "reference", "prediction", "types and bounds", "components", "cost")
    return '<div class="sm-text">' + table("Alignment: what each pair costs", header, rows) + "</div>"


def _named(entity: Entity, words: Sequence[str]) -> str:
    return f"{_text(entity, words)} <strong>{escape(shortened('+'.join(entity['types'])))}</strong>"
