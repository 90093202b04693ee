"""Tables of what both sides of a page hold: aligned entities, and values of attributes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..measures.eter import Eter
from ..measures.span_attribute import SpanAttribute
from ..tables.table import Table
from ..web.templates import Section, shortened, shown
from .corpus import PageCorpus
from .templates import excerpt, first_rows

_OUTCOMES = {(True, True): "✓ correct", (True, False): "✗ missing", (False, True): "+ spurious"}
"""The outcome of an item, by whether the reference and the prediction have it."""


def aligned_entities(measure: Eter, corpus: PageCorpus) -> Section:
    """List the pairs of entities with their costs, and the entities without a partner."""
    trees = [side.coarse() if measure.type_level == "coarse" else side for side in corpus.trees]
    aligned = measure.align(*trees)
    first, second = ([*chain(*_names(side.to_dicts(), corpus.words))] for side in trees)
    costs = np.stack([aligned.root_error, aligned.component_error, aligned.cost], axis=1)
    paired = zip(aligned.reference.tolist(), aligned.prediction.tolist(), costs.tolist(), strict=True)
    rows = [(*first[row], second[column][1], *(f"{cost:.3g}" for cost in values)) for row, column, values in paired]
    missing, spurious = (
        np.setdiff1d(np.arange(len(names)), pairs).tolist()
        for names, pairs in ((first, aligned.reference), (second, aligned.prediction))
    )
    rows += [(*first[entity], "missing", "", "", "1") for entity in missing]
    rows += [(second[entity][0], "spurious", second[entity][1], "", "", "1") for entity in spurious]
    heads = "reference", "prediction", "types and bounds", "components", "cost"
    ordered = [[f"{document:,}", *cells] for document, *cells in sorted(rows, key=lambda row: row[0])]
    return first_rows("Alignment: what each pair costs", Table("document", heads, ordered, left=3))


def _names(documents: Sequence[Sequence[Mapping[str, Any]]], words: Sequence[Sequence[str]]) -> Any:
    """Name the entities of each document by their words and types."""
    for number, (entities, listed) in enumerate(zip(documents, words, strict=True), 1):
        for entity in entities:
            text = excerpt(listed[entity["start"] : entity["end"]])
            yield [(number, f"{text} [{shortened('+'.join(entity['types']))}]")]


def attribute_values(measure: SpanAttribute, corpus: PageCorpus) -> Section:
    """List the values of attributes on both sides."""
    items = measure.items(*corpus.sides)
    columns = (items.document, items.start, items.end, items.attribute, items.value, items.reference, items.predicted)
    rows = []
    # `items` lists an item of both sides twice
    for document, start, end, attribute, value, *sides in np.unique(np.stack(columns, axis=1), axis=0).tolist():
        words = corpus.words[document] if corpus.words else []
        text = excerpt(words[start:end]) if end <= len(words) else ""
        cells = text, f"{start:,} to {end:,}", shown(items.attributes[attribute])
        written = shown(json.dumps(items.values[value], ensure_ascii=False))
        rows.append([f"{document + 1:,}", *cells, written, _OUTCOMES[bool(sides[0]), bool(sides[1])]])
    heads = "span", "tokens", "attribute", "value", "outcome"
    table = Table("document", heads, rows, left=1 + len(heads))
    return first_rows("The values of both sides", table, "Values that do not count are not listed.")
