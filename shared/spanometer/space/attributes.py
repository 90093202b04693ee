"""Attributes of spans, item by item: what their page reads and shows."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..analysis.scores.measure_result import MeasureResult
from ..analysis.scores.report import Report, score_tables
from ..documents.document_file import DocumentFile
from ..documents.places_in_files import located
from ..exceptions import InputError, counted
from ..measures.attribute_items import AttributeItems
from ..measures.span_attribute import SpanAttribute
from ..readers.formats import read_as
from ..spans.attributes import Attributes, Value
from ..tables.table import Table
from ..web.templates import number, shown
from .downloads import result_downloads
from .limits import MAX_BYTES, MAX_DOCUMENTS, encoded, too_much
from .pages import Page
from .templates import render

MAX_SPANS = 20_000
"""How many spans of a side a page takes; intervals rank all their items anew for each draw."""

SHOWN_ROWS = 200
"""How many rows of values are shown; all of them are scored."""

_SHOWN_ATTRIBUTES = 100
_SHOWN_VALUES = 20
_SIDES = ("reference", "prediction")
_ALONE = {"reference": "missed", "prediction": "spurious"}

_Bounds = tuple[int, int, int]
_Item = tuple[_Bounds, str, type, Value]
"""Bounds of a span, attribute, and value with its type, since True equals 1."""


@dataclass
class _Row:
    """One attribute of a span: the labels of the span, and for each side the items with their scores."""

    labels: set[str] = field(default_factory=set)
    items: dict[str, dict[_Item, float]] = field(default_factory=lambda: {side: {} for side in _SIDES})


def read_both(reference: str, prediction: str) -> tuple[DocumentFile, DocumentFile]:
    """Read both sides from JSON lines of spans with attributes.

    Raises:
        InputError: names the text and the line.
    """
    return _read(reference, "reference"), _read(prediction, "prediction")


def _read(text: str, name: str) -> DocumentFile:
    if not text.strip():
        raise InputError(f"the {name} is empty.", "Paste a JSON list of spans a line, or click an example.")
    data = encoded(text, name, MAX_BYTES)
    documents = sum(map(bool, map(str.strip, text.split("\n"))))
    if documents > MAX_DOCUMENTS:
        raise too_much(name, f"{documents:,} documents, more than {MAX_DOCUMENTS:,}")
    file = read_as(DocumentFile, io.BytesIO(data), format="jsonl", name=name, options={})
    if len(file.spans) > MAX_SPANS:
        raise too_much(name, f"{len(file.spans):,} spans, more than {MAX_SPANS:,}")
    return file


def attribute_results(
    page: Page, reference: DocumentFile, prediction: DocumentFile, values: Mapping[str, Any], only_differing: bool
) -> str:
    """Return the results as HTML: the score, a table of the attributes, and one of the values of both sides.

    Args:
        page: the page.
        reference, prediction: both sides.
        values: of the page's controls, by name.
        only_differing: whether to show only values that differ.

    Raises:
        InputError: names the text and the line if the sides do not fit.
    """
    measure, resampling = page.measure(values), page.resampling(values)
    assert isinstance(measure, SpanAttribute)
    texts = dict(zip(_SIDES, (reference, prediction), strict=True))
    sides = reference.attribute_columns(), prediction.attribute_columns()
    try:
        counts = measure.counts(*sides)
    except InputError as error:
        raise located(error, {"references": reference, "predictions": prediction, "": reference}) from None
    result = MeasureResult.of(measure, counts, {}, resampling)
    report = Report(sides[0].documents, None, len(sides[0]), len(sides[1]), (result,))
    micro = result.scores[measure.micro_key]
    low, high = (micro.get(f"f_{end}") for end in ("low", "high"))
    return render(
        "attributes.html",
        about="higher is better",
        headline={
            "title": "F1 of all attributes together",
            "value": number(float(micro["f"])),
            "interval": None if low is None else (low, high),
        },
        parts=[],
        notes=[
            *measure.unmatched(counts),
            *([] if counts.labels else ["No span of either side has an attribute."]),
            *(f"Left out of the {side}: {shown(span)}" for side, file in texts.items() for span in file.left_out),
        ],
        size=f"{report.size}, {counted(int(micro['support']), 'value')} in the reference and "
        f"{int(micro['positives']):,} predicted",
        signatures=[result.signature],
        downloads=result_downloads(page, values, report),
        attributes=_attributes(report),
        values=_values(measure.items(*sides), dict(zip(_SIDES, sides, strict=True)), texts, only_differing),
        only_differing=only_differing,
    )


def _attributes(report: Report) -> dict[str, Table]:
    """Return the table of the attributes, all together first, by its caption."""
    (table,) = score_tables(report)
    found = len(table.rows) - 1
    first = f"the first {_SHOWN_ATTRIBUTES} of {found:,} attributes" if found > _SHOWN_ATTRIBUTES else "each attribute"
    shown = replace(table, title="attribute", rows=table.rows[: _SHOWN_ATTRIBUTES + 1])
    return {f"All together, and {first}": shown}


def _values(
    items: AttributeItems, sides: Mapping[str, Attributes], texts: Mapping[str, DocumentFile], only_differing: bool
) -> dict[str, Any]:
    """Return the first rows of the table of values, one for each attribute of each span, and whether there are more."""
    if only_differing:
        wanted = np.unique(items.document[items.reference != items.predicted])
    else:
        wanted = np.unique(np.concatenate([side.document[side.span] for side in sides.values()]))
    # each of them has at least one row: more cannot be shown
    documents = wanted[:SHOWN_ROWS]
    common = _common(items, documents)
    found: dict[tuple[_Bounds, str], _Row] = {}
    spans = {name: _collect(found, name, side, documents) for name, side in sides.items()}
    rows = []
    for (bounds, attribute), row in sorted(found.items(), key=lambda item: item[0]):
        if only_differing and not any(common.get(item) is False for side in row.items.values() for item in side):
            continue
        document, start, end = bounds
        rows.append(
            {
                "document": document + 1,
                "start": start,
                "end": end,
                "words": _span_words(bounds, texts),
                "labels": " / ".join(shown(label) for label in sorted(row.labels)),
                "attribute": attribute,
                "sides": [_cell(row.items[side], common, _ALONE[side], bounds in spans[side]) for side in _SIDES],
            }
        )
        if len(rows) > SHOWN_ROWS:
            break
    return {"rows": rows[:SHOWN_ROWS], "more": len(rows) > SHOWN_ROWS or len(wanted) > len(documents)}


def _common(items: AttributeItems, documents: np.ndarray) -> dict[_Item, bool]:
    """Return for each item of some documents whether both sides have it."""
    chosen = np.flatnonzero(np.isin(items.document, documents))
    columns = (items.document, items.start, items.end, items.attribute, items.value, items.reference & items.predicted)
    found = {}
    for document, start, end, attribute, code, both in zip(
        *(column[chosen].tolist() for column in columns), strict=True
    ):
        value = items.values[code]
        found[(document, start, end), items.attributes[attribute], type(value), value] = both
    return found


def _collect(
    found: dict[tuple[_Bounds, str], _Row], name: str, attributes: Attributes, documents: np.ndarray
) -> set[_Bounds]:
    """Add the items of one side in some documents to the rows; return the bounds of all its spans there."""
    side = attributes.take(documents)
    bounds = list(zip(documents[side.document].tolist(), side.start.tolist(), side.end.tolist(), strict=True))
    columns = (column.tolist() for column in (side.span, side.name, side.value, side.score))
    for span, code, value, score in zip(*columns, strict=True):
        attribute = side.names[code]
        row = found.setdefault((bounds[span], attribute), _Row())
        row.labels.add(side.labels[side.label[span]])
        if value >= 0:
            plain = side.values[value]
            row.items[name].setdefault((bounds[span], attribute, type(plain), plain), score)
    return set(bounds)


def _cell(items: Mapping[_Item, float], common: Mapping[_Item, bool], alone: str, span: bool) -> dict[str, Any]:
    """Return the values of a side: text, score and kind, which is empty if it is not an item."""
    kinds = {True: "correct", False: alone, None: ""}
    marked = [
        (
            shown(json.dumps(item[-1], ensure_ascii=False)),
            "" if np.isnan(score) else f"{score:g}",
            kinds[common.get(item)],
        )
        for item, score in list(items.items())[:_SHOWN_VALUES]
    ]
    return {"span": span, "marked": marked, "more": max(len(items) - _SHOWN_VALUES, 0)}


def _span_words(bounds: _Bounds, texts: Mapping[str, DocumentFile]) -> str:
    """Return the words of a span, if a side has them."""
    document, start, end = bounds
    for words in (text.words[document] for text in texts.values() if text.words is not None):
        if end <= len(words):
            return shown(" ".join(words[start:end]))
    return ""
