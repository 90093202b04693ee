"""The forms of input columns: tags, spans or entity trees."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ..arrays import as_column, is_list, read_documents
from ..exceptions import InputError, on_side, require_same_documents, setting
from ..tags.decoding import LabelDecoding
from ..tags.tags import Tags, is_tags
from .arrow import SPAN_TYPE
from .attributes import ATTRIBUTED_SPAN_TYPE, Attributes
from .entities import ENTITY_TYPE, Entities
from .spans import Spans, pair_from_tags

FORMS = {"tags": "tags", "spans": "spans", "entities": "entity trees"}
"""The forms of a column, and what messages call them."""

_FILES_REMEDY = " Read a file first: spanometer.read(path)."

_KINDS: dict[str, tuple[Any, pa.DataType]] = {
    "spans": (Spans, SPAN_TYPE),
    "entities": (Entities, ENTITY_TYPE),
    "attributes": (Attributes, ATTRIBUTED_SPAN_TYPE),
}
"""For each form: the class that reads it, and the Arrow type of an item."""


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
    raise InputError(
        f"a column of type {type_} does not hold lists of tags, spans or entities.",
        "Tags are strings such as 'B-PER', or label numbers.",
    )


def documents_in(column: Any) -> Any:
    """Return one side of a batch: a column unchanged, other objects as a list."""
    if isinstance(column, (Tags, Spans, Entities, Attributes)):
        return column
    arrow = as_column(column)
    of_files = _FILES_REMEDY if isinstance(column, (str, os.PathLike)) else ""
    return read_documents(column, f"Give one list for each document.{of_files}") if arrow is None else arrow


def read_pair(
    columns: Mapping[str, Any], form: str, decoding: LabelDecoding, lengths: Any = None
) -> tuple[Any, Any, str | None]:
    """Read the columns of both sides, which have the same form.

    Args:
        columns: the columns by side.
        form: the form, see `form_of`, or `attributes` for spans with attributes.
        decoding: how tags are decoded.
        lengths: the documents' lengths in tokens, for spans and entities.

    Returns:
        Both sides, and the scheme of tags (None for other forms).
    """
    if form == "tags":
        if lengths is not None:
            raise InputError("the tags already give the documents' lengths.", f"Leave out {setting('lengths')}")
        return pair_from_tags(*columns.values(), **vars(decoding))
    if form == "attributes" and lengths is not None:
        raise InputError("scores of attributes do not depend on lengths.", f"Leave out {setting('lengths')}")
    sides = {side: on_side(side, structs_in, column, form) for side, column in columns.items()}
    require_same_documents(*(side.documents for side in sides.values()))
    if lengths is not None:
        sides = {side: on_side(side, column.with_lengths, lengths) for side, column in sides.items()}
    reference, predicted = sides.values()
    return reference, predicted, None


def structs_in(column: Any, form: str) -> Any:
    """Read a column of spans, entities or spans with attributes."""
    kind, item = _KINDS[form]
    if isinstance(column, (Spans, Entities, Attributes)):
        return column
    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        return kind.from_dicts(column)
    # lists without a value type have no structs
    return kind.from_arrow(column if pa.types.is_struct(column.type.value_type) else column.cast(pa.list_(item)))
