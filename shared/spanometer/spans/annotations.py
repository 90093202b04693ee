"""Annotations of the same documents by several annotators or systems: their forms, reading and joining."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import as_column, first_flagged, is_list, offsets_of, ordered_codes, read_documents
from ..exceptions import InputError, counted, on_side, require_same_documents, setting
from ..options import made
from ..tags.decoding import LabelDecoding
from ..tags.schemes import LabelChoice
from ..tags.tags import Tags, common_codes, is_tags
from .attributes import Attributes
from .entities import Entities
from .spans import Spans, decode_together, encoded_tags, in_order, named_tags, pair_from_tags


@dataclass(frozen=True)
class Layers:
    """Several tags for each token (several layers), as one annotation.

    Attributes:
        columns: the tags of each layer, all for the same tokens.
        names: the names of the layers in the signature.
        apart: False: merge the spans of all layers, which may then overlap. True: compare each layer only with the same
            layer of the other side.
    """

    columns: Sequence[Any]
    names: Sequence[str]
    apart: bool = False


def read_annotations(
    inputs: Mapping[str, Any], decoding: LabelDecoding, lengths: Any = None
) -> tuple[dict[str, Spans], dict[str, object]]:
    """Read several annotations of the same documents as spans.

    Args:
        inputs: the annotations by name; errors use these names. Each is a list of tags (or `Tags`, or an Arrow column
            of tags), or `Spans`, or `Layers` of tags.
        decoding: how tags are decoded. The scheme is inferred from all annotations together; the first annotation
            decides which positions are left out (`ignore_index`).
        lengths: the documents' lengths in tokens, for `Spans` without lengths.

    Returns:
        The spans (with document lengths if any annotation has them), and the part of the signature about reading.

    Raises:
        InputError: if annotations cannot be read or compared; `side` names the annotation.
    """
    layers = [side for side in inputs.values() if isinstance(side, Layers)]
    sides: dict[str, Spans] = {}
    # the tags of each layer, and whose they are
    tagged: dict[str, Tags] = {}
    owners: dict[str, str] = {}
    for name, side in inputs.items():
        if isinstance(side, Spans):
            sides[name] = side if lengths is None else on_side(name, side.with_lengths, lengths)
            continue
        for place, tags in enumerate(side.columns if isinstance(side, Layers) else [side]):
            layer = f"{name}, layer {place}" if place else name
            tagged[layer], owners[layer] = on_side(name, encoded_tags, tags), name
    reading: dict[str, object] = {"input": "spans"}
    if tagged:
        with named_sides(owners):
            decoded, scheme = decode_together(tagged, decoding)
        apart = any(side.apart for side in layers)
        for name in owners.values():
            of_side = [spans for layer, spans in decoded.items() if owners[layer] == name]
            sides[name] = side_by_side(of_side) if apart else union(of_side)
        reading = {**decoding.reading(scheme), **dict(chain(*(tags.reading.items() for tags in tagged.values())))}
        if layers:
            reading["layers"] = ("/" if apart else "+").join(layers[0].names)
    else:
        require_no_reading("only spans are given", decoding)
    sides = {name: sides[name] for name in inputs}
    first = next((name for name, spans in sides.items() if spans.lengths is not None), next(iter(sides)))
    of_first = sides[first].lengths
    for name, spans in sides.items():
        _require_same_documents(first, sides[first], name, spans)
        if of_first is not None:
            # the same array for all, including annotations without lengths
            with_lengths = spans if spans.lengths is not None else on_side(name, spans.with_lengths, of_first)
            sides[name] = replace(with_lengths, lengths=of_first)
    return sides, reading


def tag_accuracy(sides: Sequence[Any], options: Mapping[str, Any]) -> float | None:
    """Compute the proportion of tags that are equal on both sides, in all layers, as read with these options.

    Ignored tokens do not count. Return None if there are no tokens, if a side has no tags, or if the tokens differ.
    """
    layers = [*chain(*(side.columns if isinstance(side, Layers) else [side] for side in sides))]
    if not all(isinstance(tags, Tags) and np.array_equal(tags.offsets, layers[0].offsets) for tags in layers):
        return None
    labels, renamed = options.get("label_map") or {}, list[Tags]()
    with named_tags(dict(enumerate(layers)), made(LabelDecoding, options)) as named:
        for tags in named.values():
            parts = (name.partition("-") for name in tags.names)
            names = tuple(f"{prefix}{hyphen}{labels.get(label, label)}" for prefix, hyphen, label in parts)
            renamed.append(replace(tags, names=names))
    codes, _ = common_codes(*renamed)
    equal = np.concatenate([one == other for one, other in zip(codes, codes[len(codes) // 2 :], strict=False)])
    return float(equal.mean()) if len(equal) else None


def union(layers: Sequence[Spans]) -> Spans:
    """Merge the spans of several annotations of the same documents; equal spans become one.

    Args:
        layers: the spans of each annotation, with the same documents and lengths.
    """
    if len(layers) == 1:
        return layers[0]
    return in_order(_together(layers, [0] * len(layers), layers[0].lengths, layers[0].documents))


def side_by_side(layers: Sequence[Spans]) -> Spans:
    """Concatenate the layers within each document, so that the spans of different layers never overlap.

    Args:
        layers: the spans of each layer, with the same documents and the same known lengths.
    """
    lengths = np.asarray(layers[0].lengths)
    moved = [
        replace(spans, **{side: getattr(spans, side) + layer * lengths[spans.document] for side in ("start", "end")})
        for layer, spans in enumerate(layers)
    ]
    return in_order(_together(moved, [0] * len(layers), lengths * len(layers), layers[0].documents))


def end_to_end(parts: Sequence[Spans]) -> Spans:
    """Concatenate the documents of several corpora."""
    *base, documents = offsets_of([spans.documents for spans in parts]).tolist()
    lengths = [spans.lengths for spans in parts if spans.lengths is not None]
    return _together(parts, base, np.concatenate(lengths) if len(lengths) == len(parts) else None, documents)


def distinct_spans(parts: Sequence[Spans]) -> tuple[Spans, np.ndarray]:
    """List the distinct spans of several annotations; spans with the same label and fragments are equal.

    Returns:
        The spans, and whether each annotation has each span, bool, shape (spans, annotations).
    """
    together = replace(end_to_end(parts), copies=None)
    documents = parts[0].documents
    # int32 holds annotations times documents: `end_to_end` lays out that many documents
    who, document = np.divmod(together.document, np.int32(max(documents, 1)))
    keys = [document, together.start, together.end, together.label]
    if together.fragments is not None:
        keys.append(together.fragments.ranks)
    _, first, place = np.unique(ordered_codes(*keys), return_index=True, return_inverse=True)
    owners = np.zeros((len(first), len(parts)), dtype=bool)
    owners[place.ravel(), who] = True
    spans = replace(together, document=document, documents=documents, lengths=parts[0].lengths).picked(first)
    if spans.fragments is not None and len(spans.fragments.start) == len(first):
        spans = replace(spans, fragments=None)
    return spans, owners


def with_common_labels(parts: Sequence[Spans]) -> list[Spans]:
    """Recode spans so that each label has the same index in all of them."""
    labels = tuple(sorted({label for spans in parts for label in spans.labels}))
    return [spans.with_labels(labels) for spans in parts]


def _together(parts: Sequence[Spans], base: Sequence[int], lengths: np.ndarray | None, documents: int) -> Spans:
    """Join the spans of several annotations; the documents of each begin at its `base`."""
    parts = with_common_labels(parts)
    sizes = list(map(len, parts))
    columns: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in parts]) for name in Spans.flat}
    # int32 is enough: fewer than 2^31 documents fit into memory
    columns["document"] += np.repeat(np.array(base, dtype=np.int32), sizes)
    copies = None if all(spans.copies is None for spans in parts) else np.concatenate([spans.times for spans in parts])
    joined = replace(parts[0], **columns, documents=documents, lengths=lengths, fragments=None, copies=copies)
    if all(spans.fragments is None for spans in parts):
        return joined
    of_each = zip(offsets_of(sizes), (spans.pieces() for spans in parts), strict=False)
    pieces = [(span + begin, start, end) for begin, (span, start, end) in of_each]
    span, start, end = (np.concatenate(column) for column in zip(*pieces, strict=True))
    return joined.with_pieces(span, start, end, lengths)


def require_no_reading(clause: str, decoding: LabelDecoding) -> None:
    """Raise an `InputError` with this clause if options for reading tags are set although there are no tags."""
    if decoding.scheme is not None or decoding.repair != "conlleval" or not decoding.prefix:
        problem = f"scheme, repair and prefix are for tags, but {clause}."
        raise InputError(problem, "Leave out scheme, repair and prefix.")


@contextmanager
def named_sides(names: Mapping[str, str]) -> Iterator[None]:
    """Replace the names `references` and `predictions` in errors by these names."""
    try:
        yield
    except InputError as error:
        name = names.get(error.side or "")
        raise (error if name is None else error.placed(side=name)) from None


def _require_same_documents(first: str, expected: Spans, name: str, spans: Spans) -> None:
    """Raise an `InputError` unless two annotations have the same documents with the same numbers of tokens."""
    everyone = "The reference and all systems" if "the reference" in (first, name) else "All annotators and systems"
    if spans.documents != expected.documents:
        size = f"{first} has {counted(expected.documents, 'document')}"
        remedy = f"{everyone} must have the same documents, in the same order."
        raise InputError(f"got {counted(spans.documents, 'document')}, but {size}.", remedy, side=name)
    if spans.lengths is None or expected.lengths is None:
        return
    if (document := first_flagged(spans.lengths != expected.lengths)) is not None:
        size = f"{first} has {counted(expected.lengths[document], 'token')}"
        problem = f"got {counted(spans.lengths[document], 'token')}, but {size}."
        remedy = f"{everyone} must have the same tokens. Use the same tokenizer for all."
        raise InputError(problem, remedy, side=name, document=document)


FORMS = {"tags": "tags", "spans": "spans", "entities": "entity trees"}
"""The forms of a column, and what messages call them."""

_FILES_REMEDY = " Read a file first: spanometer.read(path)."

_KINDS: dict[str, Any] = {"spans": Spans, "entities": Entities, "attributes": Attributes}
"""The class that reads each form."""


def common_form(by_side: Mapping[str, str | None], default: str) -> str:
    """Return the form of both sides, see `form_of`; if both are undetermined, return the default.

    Raises:
        InputError: if the two sides have different forms.
    """
    forms = [form for form in by_side.values() if form is not None]
    if len(set(forms)) > 1:
        sides = " and ".join(f"the {side} hold {FORMS[form]}" for side, form in by_side.items() if form is not None)
        raise InputError(f"{sides}.", "Give both sides in the same form.")
    return forms[0] if forms else default


def form_of(column: Any) -> str | None:
    """Return the form of a column, `tags`, `spans` or `entities`; None if it cannot be determined."""
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return form_of_type(column.type)
    for kind, form in ((Tags, "tags"), (Spans, "spans"), (Attributes, "spans"), (Entities, "entities")):
        if isinstance(column, kind):
            return form
    # if rows cannot be read, their reader raises an error with the place
    rows = [row for row in column if type(row) in (list, tuple) or (isinstance(row, np.ndarray) and row.ndim == 1)]
    first: Any = next(chain.from_iterable(rows), None)
    if isinstance(first, Mapping):
        return "entities" if "types" in first else "spans"
    if is_list(first):
        return None
    # other values raise an error when they are read as tags
    return "tags" if len(rows) < len(column) or any(map(len, rows)) else None


def form_of_type(type_: pa.DataType) -> str | None:
    """Return the form of a column from its Arrow type; None for lists without a value type."""
    if is_tags(type_):
        return None if pa.types.is_null(type_.value_type) else "tags"
    if (pa.types.is_list(type_) or pa.types.is_large_list(type_)) and pa.types.is_struct(type_.value_type):
        return "entities" if "types" in {item.name for item in type_.value_type} else "spans"
    problem = f"expected lists of tags, spans or entities, but got a column of type {type_}."
    raise InputError(problem, "Tags are strings such as 'B-PER', or integers.")


def documents_in(column: Any) -> Any:
    """Return one side of a batch: a column unchanged, other objects as a list."""
    if isinstance(column, (Tags, Spans, Entities, Attributes)):
        return column
    arrow = as_column(column)
    of_files = _FILES_REMEDY if isinstance(column, (str, os.PathLike)) else ""
    return read_documents(column, f"Give a list of lists, one for each document.{of_files}") if arrow is None else arrow


def read_pair(
    columns: Mapping[str, Any], form: str, decoding: LabelDecoding, choice: LabelChoice, lengths: Any, *, warn: bool
) -> tuple[Any, Any, str | None]:
    """Read the columns of both sides, which have the same form, and rename and select their labels.

    Args:
        columns: the columns by side.
        form: the form, see `form_of`, or `attributes` for spans with attributes.
        decoding: how tags are decoded.
        choice: which labels of tags and spans are kept, and how they are renamed.
        lengths: the documents' lengths in tokens, for spans and entities.
        warn: whether to warn about chosen labels that do not occur.

    Returns:
        Both sides, and the scheme of tags (None for other forms).
    """
    if form == "tags":
        if lengths is not None:
            raise InputError("the tags already give the documents' lengths.", f"Leave out {setting('lengths')}")
        *pair, scheme = pair_from_tags(*columns.values(), **vars(decoding))
        return *choice.of(*pair, warn=warn), scheme
    if form == "attributes" and lengths is not None:
        raise InputError("scores of attributes do not depend on lengths.", f"Leave out {setting('lengths')}")
    sides = {side: on_side(side, structs_in, column, form) for side, column in columns.items()}
    require_same_documents(*(side.documents for side in sides.values()))
    if lengths is not None:
        sides = {side: on_side(side, column.with_lengths, lengths) for side, column in sides.items()}
    if form == "spans":
        return *choice.of(*sides.values(), warn=warn), None
    choice.require_none(f"you passed {form}")
    return *sides.values(), None


def structs_in(column: Any, form: str) -> Any:
    """Read a column of spans, entities or spans with attributes."""
    if isinstance(column, (Spans, Entities, Attributes)):
        return column
    in_arrow = isinstance(column, (pa.Array, pa.ChunkedArray))
    if in_arrow and pa.types.is_struct(column.type.value_type):
        return _KINDS[form].from_arrow(column)
    # lists without a value type have no structs
    return _KINDS[form].from_dicts(column.to_pylist() if in_arrow else column)
