"""Transformations as functions for `Dataset.map`.

names = dataset.features["ner_tags"].feature.names
dataset.map(as_map("label_noise", names=names), batched=True, with_indices=True)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ..arrays import list_offsets, read_rows
from ..errors import InputError
from ..tags.decoding import BARE_LABEL, get_repair, tell_scheme
from ..tags.schemes import get_scheme
from ..tags.tags import Tags, check_names, split_tag
from .transformations import IllegalTags, Invent, Relabel, Transformation, get_transformation

_NUMBERS_REMEDY = "Give numbers of the tags in names=..., or strings."


@dataclass(frozen=True)
class TagMap:
    """A function for `Dataset.map(..., with_indices=True)`, made by `as_map`; its fields are the arguments there."""

    transformation: Transformation
    column: str
    scheme: str
    names: tuple[str, ...] | None
    repair: str
    touched_column: str | None

    def __call__(self, batch: Mapping[str, Any], indices: Any = None) -> dict[str, Any]:
        """The new values of the column for a batch, or for one example, of these numbers in the dataset."""
        if indices is None:
            raise InputError("a transformation must know the documents' numbers.", "Call map(..., with_indices=True).")
        if self.column not in batch:
            raise InputError(f"there is no column {self.column!r}.", f"The columns are {', '.join(batch)}.")
        single = isinstance(indices, (int, np.integer))
        rows = read_rows([batch[self.column]] if single else batch[self.column], 0, _NUMBERS_REMEDY)
        numbers = np.array([indices] if single else indices, dtype=np.int64)
        textual = self.names is None or any(isinstance(value, str) for value in chain.from_iterable(rows))
        tags = Tags.from_lists(rows) if textual else _from_numbers(rows, self.names or ())
        if textual and self.names is not None:
            tags = _in_names(tags, self.names)
        found = self.transformation.on_tags(tags, scheme=self.scheme, repair=self.repair, numbers=numbers)
        values: list[Any] = list(found.tags.names) if textual else _numbers(found.tags, self.names or ())
        flat = np.array(values, dtype=object)[found.tags.codes].tolist()
        written = {self.column: [flat[first:last] for first, last in pairwise(found.tags.offsets.tolist())]}
        if self.touched_column is not None:
            written[self.touched_column] = found.per_document.tolist()
        return {name: rows[0] for name, rows in written.items()} if single else written


def as_map(
    transformation: str | Transformation,
    *,
    column: str = "ner_tags",
    scheme: str | None = None,
    names: Sequence[str] | None = None,
    repair: str = "raise",
    touched_column: str | None = None,
) -> TagMap:
    """A function for `Dataset.map(..., with_indices=True)`, with or without `batched=True`.

    The result does not depend on the size of batches or on the number of processes.

    Args:
        transformation: a transformation, or its name in `TRANSFORMATIONS`.
        column: the column of the tags, lists of strings or of ClassLabel numbers; what comes out is of the same kind.
        scheme: their scheme; may be left out where `names` tell it.
        names: all tags that the column may have, `dataset.features["ner_tags"].feature.names`. Numbers need them, and
            so does what must know all labels.
        repair: what becomes of illegal tags, see `decoding.decode`; by default they are an error.
        touched_column: a column for the number of spans (tags) that were touched in each document.

    Raises:
        InputError: where neither scheme nor names are given, where both columns are one, and for a transformation that
            looks at the whole corpus (`first`, or labels or lengths that are not given), since a map sees a part at a
            time. Labels that are not given are those of `names`.
    """
    found = get_transformation(transformation) if isinstance(transformation, str) else transformation
    if not isinstance(found, Transformation):
        raise InputError(f"{found!r} is not a transformation.", "Give one of them, or a name from TRANSFORMATIONS.")
    if touched_column == column:
        raise InputError(f"touched_column={column!r} is the column of the tags.", "Name another column.")
    known = None if names is None else _checked(tuple(names), scheme)
    if known is not None:
        scheme = scheme or tell_scheme(_vocabulary(known)).name
        labels = tuple(sorted({split_tag(name)[1] or BARE_LABEL for name in known if name != "O"}))
        if isinstance(found, (Relabel, Invent)) and found.labels is None:
            found = replace(found, labels=labels)
    elif isinstance(found, IllegalTags):
        raise InputError("a batch does not have all tags of the dataset.", "Give them with names=...")
    if scheme is None:
        raise InputError("a batch does not tell the scheme of the dataset.", "Name it with scheme=...")
    get_repair(repair, get_scheme(scheme))
    parameter = found.looks_at_corpus
    if parameter is not None:
        value = getattr(found, parameter)
        raise InputError(
            f"{parameter}={value!r} is about the whole dataset, and a map sees a part at a time.",
            f"Give {parameter}=..." if value is None else f"Leave out {parameter}=..., or transform Spans.",
        )
    return TagMap(found, column, get_scheme(scheme).name, known, repair, touched_column)


def _vocabulary(names: tuple[str, ...]) -> Tags:
    """One document that has each name once."""
    return Tags(np.arange(len(names)), names, np.array([0, len(names)], dtype=np.int64))


def _checked(names: tuple[str, ...], scheme: str | None) -> tuple[str, ...]:
    """The names; an `InputError` where one is no tag or stands there twice."""
    for number, name in enumerate(names):
        if not isinstance(name, str) or name in names[:number]:
            problem = f"{name!r} is no string." if not isinstance(name, str) else f"{name!r} stands there twice."
            raise InputError(problem, "Give each tag once.", source="names", position=number)
    try:
        check_names(_vocabulary(names), None if scheme is None else get_scheme(scheme))
    except InputError as error:
        raise error.in_file("names", position=error.position) from None
    return names


def _from_numbers(rows: Sequence[Sequence[Any]], names: tuple[str, ...]) -> Tags:
    """Tags from lists of numbers of names."""
    offsets = list_offsets(rows).to_numpy().astype(np.int64)
    flat = list(chain.from_iterable(rows))
    if not all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in set(map(type, flat))):
        whole = [isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in flat]
        at = whole.index(False)
        raise _misplaced(f"{flat[at]!r} is not the number of a tag.", offsets, at)
    codes = np.array(flat, dtype=np.int64)
    beyond = (codes < 0) | (codes >= len(names))
    if beyond.any():
        at = int(np.argmax(beyond))
        raise _misplaced(f"{codes[at]} is not the number of one of {len(names)} tags.", offsets, at)
    return Tags(codes, names, offsets)


def _in_names(tags: Tags, names: tuple[str, ...]) -> Tags:
    """The same tags with codes for all names."""
    number = {name: code for code, name in enumerate(names)}
    for code, name in enumerate(tags.names):
        if name not in number:
            document, position = tags.first(code)
            raise InputError(
                f"{name!r} is not among the names.", "Give all tags in names=...", document=document, position=position
            )
    codes = np.array([number[name] for name in tags.names], dtype=np.int64)
    return Tags(codes[tags.codes], names, tags.offsets)


def _numbers(tags: Tags, names: tuple[str, ...]) -> list[int]:
    """For each name of the tags its number among the names; an `InputError` where one that is used has none."""
    number = {name: code for code, name in enumerate(names)}
    used = np.bincount(tags.codes, minlength=len(tags.names)) > 0
    for code, name in enumerate(tags.names):
        if used[code] and name not in number:
            document, position = tags.first(code)
            raise InputError(
                f"the result has {name!r} here, which is not among the names.",
                "Use a ClassLabel that has all tags of the scheme, or strings.",
                document=document,
                position=position,
            )
    return [number.get(name, -1) for name in tags.names]


def _misplaced(problem: str, offsets: np.ndarray, at: int) -> InputError:
    document = int(np.searchsorted(offsets, at, side="right")) - 1
    return InputError(problem, _NUMBERS_REMEDY, document=document, position=at - int(offsets[document]))
