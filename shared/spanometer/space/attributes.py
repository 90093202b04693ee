"""What the page of `span_attribute` reads and shows: spans' attributes of both sides, item by item, as tables."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..counts.resampling import Resampling
from ..errors import InputError, counted, printable
from ..measures.span_attribute import AttributeItems, SpanAttribute
from ..readers.attribute_file import AttributeFile, read_attributes
from ..readers.attribute_lines import read_attribute_lines  # noqa: F401 (the format that the page reads)
from ..spans.attributes import Attributes, Value
from .html import escape, interval, number, section, shortened, table
from .reading import MAX_BYTES, MAX_DOCUMENTS, encoded, too_much

MAX_SPANS = 20_000
"""How many spans of a side a page takes; intervals rank all their items anew for each draw."""

SHOWN_ROWS = 200
"""How many rows of values are shown; all of them are scored."""

_SHOWN_ATTRIBUTES = 100
_SHOWN_VALUES = 20

_SHARES = ("f", "p", "r", "ap")
_KEYS = (
    "f: F1, p: precision, r: recall, tp: values on both sides, support: values in the reference, positives: predicted "
    "values, ap: average precision."
)
_WORDS_KEYS = ("tokens", "words")

_CORRECT = '<mark class="sm-correct">{}<span class="sm-tag"><span aria-hidden="true">✓ </span>correct</span></mark>'
_MISSED = '<mark class="sm-missed">{}<span class="sm-tag"><span aria-hidden="true">✗ </span>missed</span></mark>'
_SPURIOUS = '<mark class="sm-spurious">{}<span class="sm-tag"><span aria-hidden="true">+ </span>spurious</span></mark>'
_LEGEND = (
    (_CORRECT, "on both sides; solid line"),
    (_MISSED, "only in the reference; double line"),
    (_SPURIOUS, "only in the prediction; wavy line"),
)

_Bounds = tuple[int, int, int]
_Scored = dict[tuple[type, Value], float]


@dataclass(frozen=True, eq=False)
class AttributeText:
    """One side as it was pasted.

    Attributes:
        file: the spans and their attributes.
        words: of each document, None where its line has none.
    """

    file: AttributeFile
    words: list[list[str] | None]


@dataclass
class _Row:
    """What the sides say of one attribute of a span: the labels of the span, and for each side values and scores.

    The values' keys have their types, for True and 1 are equal.
    """

    labels: set[str] = field(default_factory=set)
    values: tuple[_Scored, _Scored] = field(default_factory=lambda: ({}, {}))


def read_both(reference: str, prediction: str) -> tuple[AttributeText, AttributeText]:
    """Both sides from JSON lines of spans with attributes.

    Raises:
        InputError: names the text and the line.
    """
    return _read(reference, "reference"), _read(prediction, "prediction")


def _read(text: str, name: str) -> AttributeText:
    if not text.strip():
        raise InputError(f"the {name} is empty.", "Paste a JSON list of spans a line, or click an example.")
    data = encoded(text, name, MAX_BYTES)
    documents = sum(1 for line in data.split(b"\n") if line.strip())
    if documents > MAX_DOCUMENTS:
        raise too_much(name, f"{documents:,} documents, more than {MAX_DOCUMENTS:,}")
    file = read_attributes(io.BytesIO(data), name=name)
    if len(file.attributes) > MAX_SPANS:
        raise too_much(name, f"{len(file.attributes):,} spans, more than {MAX_SPANS:,}")
    rows = (json.loads(line) for line in data.decode("utf-8-sig").split("\n") if line.strip())
    return AttributeText(file, [_words(row) for row in rows])


def _words(row: Any) -> list[str] | None:
    for key in _WORDS_KEYS if isinstance(row, dict) else ():
        words = row.get(key)
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            return words
    return None


def attribute_results(
    measure: SpanAttribute,
    reference: AttributeText,
    prediction: AttributeText,
    resampling: Resampling | None,
    only_differing: bool,
) -> str:
    """The results as HTML: the score, a table of the attributes, and one of the values of both sides.

    Args:
        measure: with its options.
        reference, prediction: both sides.
        resampling: how intervals are made; None for none.
        only_differing: whether only values are shown in which the sides differ.

    Raises:
        InputError: names the text and the line where the sides do not fit.
    """
    texts = reference, prediction
    sides = reference.file.attributes, prediction.file.attributes
    try:
        counts = measure.counts(*sides)
    except InputError as error:
        if error.side is None and error.document is None:
            raise
        raise texts[error.side == "predictions"].file.locate(error) from None
    result = measure.score(counts)
    intervals = {} if resampling is None else measure.intervals(counts, resampling)
    parts = [
        _notes(measure, counts.labels, sides),
        _score(measure, result, intervals, sides, measure.signature({}, resampling)),
        section("Each attribute", _attributes(measure, result, intervals)),
        section("The values of both sides", _values(measure.items(*sides), texts, only_differing)),
        '<p class="sm-muted">The other measures compare where spans are and their labels. They do not see attributes, '
        "so there is no comparison of all measures here.</p>",
    ]
    return f'<div class="sm">{"".join(parts)}</div>'


def _notes(measure: SpanAttribute, names: Iterable[str], sides: tuple[Attributes, Attributes]) -> str:
    known = {*sides[0].names, *sides[1].names}
    strange = [name for name in names if name not in known]
    notes = []
    if strange:
        listed = ", ".join(repr(printable(shortened(name))) for name in strange[:_SHOWN_VALUES])
        notes.append(f"No span has these attributes, which were asked for: {listed}.")
    if measure.attributes is None and not known:
        notes.append("No span of either side has an attribute.")
    return "".join(f'<p class="sm-note">{escape(note)}</p>' for note in notes)


def _score(
    measure: SpanAttribute,
    result: Mapping[str, Mapping[str, float]],
    intervals: Mapping[Any, tuple[float, float]],
    sides: tuple[Attributes, Attributes],
    written: str,
) -> str:
    """The headline and the signature."""
    micro = measure.micro_key
    expected, predicted = (int(result[micro][key]) for key in ("support", "positives"))
    size = (
        f"{counted(sides[0].documents, 'document')}, {len(sides[0]):,} reference and {len(sides[1]):,} predicted "
        f"spans, {expected:,} values in the reference and {predicted:,} predicted"
    )
    return (
        '<section><p class="sm-headline" role="status"><span class="sm-key">F1 of all attributes together</span> '
        f"<b>{number(float(result[micro]['f']))}</b> {interval(intervals.get((micro, 'f')))}"
        f'<span class="sm-muted">higher is better</span></p><p class="sm-muted">{size}</p>'
        '<p class="sm-muted">Signature, to report with the score:</p>'
        f'<code class="sm-signature">{escape(written)}</code></section>'
    )


def _attributes(
    measure: SpanAttribute,
    result: Mapping[str, Mapping[str, float]],
    intervals: Mapping[Any, tuple[float, float]],
) -> str:
    """Each attribute, and all together first."""
    shown = list(result)[: _SHOWN_ATTRIBUTES + 1]
    rows = [
        (
            escape(printable(shortened(name))),
            *(
                number(result[name][key]) + interval(intervals.get((name, key)) if key in _SHARES else None)
                for key in measure.keys
            ),
        )
        for name in shown
    ]
    caption = "All together, and each attribute"
    if len(result) > len(shown):
        caption = f"All together, and the first {_SHOWN_ATTRIBUTES} of {len(result) - 1:,} attributes"
    return f'<p class="sm-muted">{_KEYS}</p>{table(caption, ("attribute", *measure.keys), rows, marked=0)}'


def _values(items: AttributeItems, texts: tuple[AttributeText, AttributeText], only_differing: bool) -> str:
    """The legend, and the first rows of values, one row for each attribute of each span."""
    legend = "".join(
        f'<li>{mark.format("value")} <span class="sm-muted">({said})</span></li>' for mark, said in _LEGEND
    )
    differs = items.reference != items.predicted
    if only_differing:
        wanted = np.unique(items.document[differs])
    else:
        sides = (text.file.attributes for text in texts)
        wanted = np.unique(np.concatenate([side.document[side.span] for side in sides]))
    # each of them has a row at least: more cannot be shown
    documents = wanted[:SHOWN_ROWS]
    rows, more = _rows(items, texts, documents, only_differing)
    if not rows:
        said = "There are no values that differ." if only_differing else "There are no values."
        return f'<p class="sm-note">{said}</p>'
    note = ""
    if more or len(wanted) > len(documents):
        note = f'<p class="sm-note">Shown: the first {len(rows):,} rows. All values are scored.</p>'
    note += '<p class="sm-muted">Values without a mark do not count.</p>'
    shown = table(
        "Each attribute of each span", ("document", "span", "label", "attribute", "reference", "prediction"), rows
    )
    return f'<ul class="sm-legend" aria-label="Legend">{legend}</ul>{note}<div class="sm-text">{shown}</div>'


def _rows(
    items: AttributeItems, texts: tuple[AttributeText, AttributeText], documents: np.ndarray, only_differing: bool
) -> tuple[list[tuple[str, ...]], bool]:
    """The first rows of some documents, and whether there are more."""
    kinds = _kinds(items, documents)
    found: dict[tuple[_Bounds, str], _Row] = {}
    spans: dict[_Bounds, list[bool]] = {}
    for which, text in enumerate(texts):
        _collect(text.file.attributes.take(documents), documents, which, found, spans)
    order = sorted(found, key=lambda key: (key[0], key[1]))
    rows: list[tuple[str, ...]] = []
    for bounds, name in order:
        row = found[bounds, name]
        cells = []
        differing = False
        for which, alone in enumerate((_MISSED, _SPURIOUS)):
            values = row.values[which]
            marks = [kinds.get((bounds, name, *key)) for key in values]
            differing = differing or any(both is False for both in marks)
            cells.append(_cell(values, marks, alone, spans[bounds][which]))
        if only_differing and not differing:
            continue
        if len(rows) == SHOWN_ROWS:
            return rows, True
        labels = " / ".join(escape(printable(shortened(label))) for label in sorted(row.labels))
        where = _where(bounds, texts)
        rows.append((f"{bounds[0] + 1:,}", where, labels, escape(printable(shortened(name))), *cells))
    return rows, False


def _collect(
    side: Attributes,
    documents: np.ndarray,
    which: int,
    found: dict[tuple[_Bounds, str], _Row],
    spans: dict[_Bounds, list[bool]],
) -> None:
    """Add what one side says of the spans of some documents."""
    bounds = list(zip(documents[side.document].tolist(), side.start.tolist(), side.end.tolist(), strict=True))
    for one in bounds:
        spans.setdefault(one, [False, False])[which] = True
    for span, name, value, score in zip(
        side.span.tolist(), side.name.tolist(), side.value.tolist(), side.score.tolist(), strict=True
    ):
        row = found.setdefault((bounds[span], side.names[name]), _Row())
        row.labels.add(side.labels[side.label[span]])
        if value >= 0:
            plain = side.values[value]
            row.values[which].setdefault((type(plain), plain), score)


def _kinds(items: AttributeItems, documents: np.ndarray) -> dict[tuple[_Bounds, str, type, Value], bool]:
    """Of each item of some documents whether both sides have it."""
    chosen = np.flatnonzero(np.isin(items.document, documents))
    columns = (items.document, items.start, items.end, items.attribute, items.value)
    both = (items.reference & items.predicted)[chosen].tolist()
    found = {}
    for (document, start, end, attribute, code), same in zip(
        zip(*(column[chosen].tolist() for column in columns), strict=True), both, strict=True
    ):
        value = items.values[code]
        found[(document, start, end), items.attributes[attribute], type(value), value] = same
    return found


def _cell(values: _Scored, marks: list[bool | None], alone: str, there: bool) -> str:
    """The values of a side with their marks: one that both sides have, one that only this side has, or no item."""
    if not there:
        return '<span class="sm-muted">no such span</span>'
    if not values:
        return '<span class="sm-muted">none</span>'
    parts = []
    for ((_, value), score), both in list(zip(values.items(), marks, strict=True))[:_SHOWN_VALUES]:
        text = escape(printable(shortened(json.dumps(value, ensure_ascii=False))))
        text += "" if score != score else f" <small>score {score:g}</small>"
        parts.append(text if both is None else (_CORRECT if both else alone).replace("{}", text, 1))
    cut = f' <span class="sm-muted">and {len(values) - _SHOWN_VALUES:,} more</span>' * (len(values) > _SHOWN_VALUES)
    return " ".join(parts) + cut


def _where(bounds: _Bounds, texts: tuple[AttributeText, AttributeText]) -> str:
    """The bounds of a span, and its words where a side has them."""
    document, start, end = bounds
    place = f'<span class="sm-muted sm-bounds">{start:,} to {end:,}</span>'
    words = (text.words[document] for text in texts)
    known = next((found for found in words if found is not None and end <= len(found)), None)
    if known is None:
        return place
    return f"{escape(printable(shortened(' '.join(known[start:end]))))} {place}"
