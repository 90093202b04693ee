"""WebAnno TSV 3, the format of WebAnno and INCEpTION."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...documents.record import Record
from ...exceptions import counted
from ...spans.arrow import LONGEST
from ...spans.characters import code_points
from ..formats import Format, LayerReading, blanks_before, register
from ..source import Source

_HEADER = b"#FORMAT=WebAnno TSV 3"
_TEXT = "#Text="
_LAYER = re.compile(r"#T_(SP|CH|RL)=(.*)")
_NONE, _NO_VALUE = "_", "*"
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_STACKED = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_NUMBERED = re.compile(r"(.*?)(?<!\\)((?:\\\\)*)\[(\d+)\]", re.DOTALL)
_LINK = re.compile(r"(?<!\\)->(\d+-\d+)$")
"""A cell of a chain layer: the number of the chain, and of the mention in it."""
_TEXT_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\\\": "\\"}
_DIGITS = 18
"""Numbers with more digits than this may not fit 64 bits."""
_REMEDY = "Export the document as WebAnno TSV v3.3."


@dataclass
class _Tokens:
    """The line, boundaries and form of each token."""

    lines: array[int] = field(default_factory=lambda: array("i"))
    bounds: array[int] = field(default_factory=lambda: array("i"))
    forms: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Layer:
    """A layer of spans with its columns."""

    kind: str
    name: str
    features: tuple[str, ...]
    first: int

    @property
    def short_name(self) -> str:
        """The name of the layer without its package."""
        return self.name.rpartition(".")[2]


def layers_of(source: Source) -> list[tuple[str, str]]:
    """List the full and the short name of each span layer in a file."""
    layers: list[_Layer] = []
    for _, line in _lines(source):
        if line.strip() and not line.startswith("#"):
            break
        if (declared := _LAYER.match(line)) is not None:
            layers.append(_layer(declared, 0))
    return [(each.name, each.short_name) for each in layers if each.kind != "RL"]


def read_webanno(source: Source, options: LayerReading, *, with_spans: bool = True) -> Iterator[Record]:
    """Read one layer of spans of a document; if `with_spans` is False, read only its text and tokens.

    Offsets are UTF-16 units. All rows of a span have the same number in brackets. All rows of a mention in a chain have
    the same link (`->1-2`). A row with neither is a separate span. The file does not contain the text between
    sentences; it is replaced by spaces. Relations, slots and links of chains are not read.

    Raises:
        InputError: if the file has another version of the format, if a row is malformed, or if the layer or feature is
            unknown or ambiguous; the error names the line. See also `documents_of`.
    """
    record, layers = Record(), list[_Layer]()
    tokens, sentences = _Tokens(), list[tuple[int, str]]()
    columns = 3
    pending: list[str] = []
    spans: _LayerSpans | None = None
    begun = False
    for number, line in _lines(source):
        if line.startswith("#"):
            if (declared := _LAYER.match(line)) is not None and not begun:
                layers.append(_layer(declared, columns))
                # a slot has two features (roles and targets), a relation one more than its header
                columns += len(layers[-1].features)
            elif line.startswith(_TEXT):
                pending.append(line[len(_TEXT) :])
        elif line.strip():
            cells = line.split("\t")
            bounds = _bounds(source, cells, number, columns)
            if not begun and with_spans and (chosen := _chosen(source, layers, options)) is not None:
                spans = _LayerSpans(source, record, *chosen)
            begun = True
            if pending:
                sentences.append((bounds[0], _unescaped("\n".join(pending))))
                pending = []
            if "." not in cells[0]:
                tokens.lines.append(number)
                tokens.bounds.extend(bounds)
                tokens.forms.append(sys.intern(cells[2]))
            if spans is not None:
                spans.add(cells, bounds, number)
    if not begun and with_spans:
        _chosen(source, layers, options)
    record.text = _text(source, sentences)
    record.tokens = _bounds_of(source, record.text, tokens)
    yield record


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    if not source.head.startswith(_HEADER):
        raise source.refuse("this is not WebAnno TSV 3.", f"{_REMEDY} Version 2 has no offsets.", 1)
    yield from source.lines()


def _layer(declared: re.Match[str], first: int) -> _Layer:
    """Parse the declaration of a layer; `first` is its first column."""
    name, _, features = declared[2].partition("|")
    return _Layer(declared[1], name, tuple(features.split("|")), first)


def _bounds(source: Source, cells: list[str], line: int, columns: int) -> tuple[int, int]:
    bounds = cells[1].split("-") if len(cells) > 2 else []
    if (
        len(bounds) != 2
        or not all(bound.isdecimal() for bound in bounds)
        or not all((cells + [""] * columns)[3:columns])
    ):
        problem = f"this row does not have a token and {counted(columns - 3, 'column')} of layers."
        raise source.refuse(problem, _REMEDY, line)
    start, end = (int(bound) if len(bound) <= _DIGITS else LONGEST + 1 for bound in bounds)
    if max(start, end) > LONGEST:
        raise source.refuse(f"the token's offsets {cells[1]} are out of range.", _REMEDY, line)
    return start, end


def _unescaped(cell: str) -> str:
    return re.sub(r"\\[tnrbf\\]", lambda escape: _TEXT_ESCAPES[escape[0]], cell)


def _text(source: Source, sentences: Sequence[tuple[int, str]]) -> str:
    """Join the sentences to a text, with spaces between; offsets are UTF-16 units."""
    parts: list[str] = []
    units = 0
    for start, sentence in sentences:
        parts.append(blanks_before(source, start, units, 1))
        parts.append(sentence)
        units = start + len(sentence.encode("utf-16-le", "surrogatepass")) // 2
    return "".join(parts)


def _bounds_of(source: Source, text: str, tokens: _Tokens) -> np.ndarray:
    """Return the boundaries of each token in characters; raise an `InputError` for a token that is not in the text."""
    units = np.array(tokens.bounds).reshape(-1, 2)
    bounds = code_points(text, units.ravel(), "utf-16").reshape(-1, 2)
    for place, (form, (first, last)) in enumerate(zip(tokens.forms, bounds, strict=True)):
        if first < 0 or last < 0 or text[first:last] != _unescaped(form):
            start, end = units[place]
            problem = f"the text of the sentence does not have the token {form!r} from {start} to {end}."
            raise source.refuse(problem, _REMEDY, tokens.lines[place])
    return bounds[units[:, 1] > units[:, 0]]


def _chosen(source: Source, layers: Sequence[_Layer], options: LayerReading) -> tuple[_Layer, int | None] | None:
    """Choose the layer and the column of its labels.

    Returns None if the file has no layers. The column is None if the label is the name of the layer.
    """
    refuse, of_spans = partial(source.refuse, line=1), {each.name: each for each in layers if each.kind != "RL"}
    chosen = options.chosen({name: each.short_name for name, each in of_spans.items()}, refuse)
    if chosen is None:
        return None
    target = of_spans[chosen]
    features = [name for name in target.features if name]
    slots = len(features) > 1 and any("ROLE_" in name for name in features)
    if options.feature is None and "value" not in features and (target.kind == "CH" or slots):
        # the names of a chain's or a slot's features are no labels
        return target, None
    feature = options.label_feature(target.short_name, features, refuse)
    return target, target.first + target.features.index(feature) if feature else None


class _LayerSpans:
    """The spans of a layer, which are added to a record row by row."""

    def __init__(self, source: Source, record: Record, layer: _Layer, column: int | None) -> None:
        self._source, self._record, self._layer, self._column = source, record, layer, column
        self._place = layer.first if column is None else column
        if layer.kind == "CH" and column is None:
            self._place = layer.first + len(layer.features) - 1
        self._numbered: dict[str, int] = {}

    def add(self, cells: list[str], bounds: tuple[int, int], line: int) -> None:
        """Add the spans of a row."""
        if cells[self._place] == _NONE:
            return
        spans = self._record.spans
        for value, number in self._items(cells):
            label = self._layer.short_name if self._column is None or value == _NO_VALUE else _plain(value)
            place = len(spans) if number is None else self._numbered.setdefault(number, len(spans))
            if place == len(spans):
                self._record.add(*bounds, label)
                continue
            start, end, other = spans[place]
            if other != label:
                problem = f"the rows of span [{number}] have two values, {other!r} and {label!r}."
                raise self._source.refuse(problem, _REMEDY, line)
            spans[place] = min(start, bounds[0]), max(end, bounds[1]), label

    def _items(self, cells: list[str]) -> Iterator[tuple[str, str | None]]:
        """Yield the value of each span in a row, and the number or link of the span, if it has one."""
        items = _split(cells[self._place])
        links = _split(cells[self._layer.first]) if self._layer.kind == "CH" else items
        for item, link in zip(items, links if len(links) == len(items) else items, strict=True):
            numbered = _NUMBERED.fullmatch(item)
            value = item if numbered is None else numbered[1] + numbered[2]
            if self._layer.kind == "CH":
                # the numbers in brackets belong to chains, not to mentions
                numbered, value = _LINK.search(link), _LINK.sub("", value)
            yield value, None if numbered is None else numbered[numbered.re.groups]


def _split(cell: str) -> list[str]:
    """Split the stacked values of a cell."""
    parts, begin = [], 0
    for match in _STACKED.finditer(cell):
        parts.append(cell[begin : match.end() - 1])
        begin = match.end()
    return [*parts, cell[begin:]]


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda match: {"t": "\t", "n": "\n", "r": "\r"}.get(match[1], match[1]), value)


register(
    Format(
        "webanno",
        "WebAnno TSV 3",
        lambda source: source.head.startswith(b"#FORMAT=WebAnno TSV"),
        read_webanno,
        units=("utf-16",),
    )
)
