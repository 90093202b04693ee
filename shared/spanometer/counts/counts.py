"""Counts that add up: what a measure keeps of a corpus, and what every score is computed from.

Counts are columns of numbers at (document, label), sparse, so that they grow with the spans. Those of parts of a corpus
add up to those of the whole; they can be taken document by document, weighted, stored in Arrow and sent as bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ..errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

METADATA = b"spanometer"
"""Where the schema of a table of counts says what it holds."""

_BLOCK = 1 << 16
"""How many values are summed at a time."""

_LARGEST = 2.0**62


@dataclass(frozen=True, eq=False)
class Column:
    """One kind of count: values at (document, label). Rows may repeat a place; what counts is their sum.

    Attributes:
        document, label: where each value belongs.
        value: int64 or float64; None stands for 1 everywhere.
    """

    document: np.ndarray
    label: np.ndarray
    value: np.ndarray | None = None

    def per_label(self, labels: int) -> np.ndarray:
        """The sum of each label's values, shape (labels), int64 or float64; integers are summed exactly."""
        return _sums(self.label, self.value, labels)

    def per_document(self, documents: int, labels: int) -> np.ndarray:
        """The sums of each document and label, shape (documents, labels): for few of either only, as it is dense."""
        place = self.document.astype(np.int64) * labels + self.label
        return _sums(place, self.value, documents * labels).reshape(documents, labels)


def join_columns(parts: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    """The columns of several parts of a corpus as those of the whole."""
    if len(parts) == 1:
        return dict(parts[0])
    whole = {}
    for name in parts[0] if parts else ():
        columns = [part[name] for part in parts]
        values = [np.ones(len(c.label), dtype=np.int64) if c.value is None else c.value for c in columns]
        whole[name] = Column(
            np.concatenate([column.document for column in columns]),
            np.concatenate([column.label for column in columns]),
            np.concatenate(values),
        )
    return whole


def _sums(group: np.ndarray, value: np.ndarray | None, groups: int) -> np.ndarray:
    """The sum of the values of each group; None stands for 1 everywhere."""
    exact = value is None or value.dtype.kind != "f"
    if value is not None and exact and len(value) and float(value.max()) * len(value) >= _LARGEST:
        raise InputError("counts pass the range of 64-bit integers.", "Score fewer or shorter spans at once.")
    sums = np.zeros(groups, dtype=np.int64 if exact else np.float64)
    # bincount converts what it is given: part by part that takes no memory to speak of
    step = max(_BLOCK, groups)
    for start in range(0, len(group), step):
        part = slice(start, start + step)
        sums += _sums_at_once(group[part], None if value is None else value[part], groups)
    return sums


def _sums_at_once(group: np.ndarray, value: np.ndarray | None, groups: int) -> np.ndarray:
    if value is None:
        return np.bincount(group, minlength=groups)
    if value.dtype.kind == "f":
        return np.bincount(group, weights=value, minlength=groups)
    # bincount sums in floating point, which is exact for each half of the bits
    high, low = value >> 26, value & (2**26 - 1)
    sums = (np.bincount(group, weights=half, minlength=groups).astype(np.int64) for half in (high, low))
    return (next(sums) << 26) + next(sums)


class Scorer(Protocol):
    """What counts are scored by: a measure."""

    @property
    def name(self) -> str:
        """What the measure is called."""

    def score(self, counts: Any) -> dict[str, float]:
        """The headline values of counts."""

    def options(self) -> dict[str, Any]:
        """The options that can change the number."""

    def require_additive(self) -> None:
        """Raise an `InputError` where counts of parts of a corpus do not add up to those of the whole."""


@dataclass(frozen=True, eq=False)
class Counts:
    """What a measure keeps of a corpus: columns of numbers at (document, label) whose sums give every score.

    `counts + counts` are those of both corpora, the documents of the second behind those of the first. A column's total
    over the whole corpus can be read as an attribute: `counts.both`.

    Attributes:
        columns: the counts by name.
        labels: label names; the columns' label codes index them.
        documents: number of documents.
        shared: numbers of documents that belong to no label, such as their tokens, by name; shape (documents) each.
        rows: what cannot be summed up and is kept as it is, columns of one length by name; `document` and `label` are
            two of them.
        measure: what the counts are of.
    """

    columns: Mapping[str, Column]
    labels: tuple[str, ...]
    documents: int
    shared: Mapping[str, np.ndarray] = field(default_factory=dict)
    rows: Mapping[str, np.ndarray] = field(default_factory=dict)
    measure: Scorer | None = None

    def score(self) -> dict[str, float]:
        """The headline values of the measure that the counts are of."""
        if self.measure is None:
            raise InputError("these counts do not know their measure.", "Score them with it: measure.score(counts).")
        return self.measure.score(self)

    def per_label(self) -> dict[str, np.ndarray]:
        """Each column's sums by label, shape (labels); what labels share is the same for each of them."""
        sums = {name: column.per_label(len(self.labels)) for name, column in self.columns.items()}
        for name, values in self.shared.items():
            sums[name] = np.full(len(self.labels), values.sum())
        return sums

    def per_document(self) -> Iterator[dict[str, np.ndarray]]:
        """Each column's sums by document and label, shape (some documents, labels), for one part of them after another.

        A part is small enough that memory does not grow with documents times labels.
        """
        labels = max(len(self.labels), 1)
        step = max(_BLOCK // labels, 1)
        order = {name: np.argsort(column.document, kind="stable") for name, column in self.columns.items()}
        document = {name: column.document[order[name]] for name, column in self.columns.items()}
        for first in range(0, self.documents, step):
            size = min(step, self.documents - first)
            sums = {}
            for name, column in self.columns.items():
                kept = order[name][slice(*np.searchsorted(document[name], [first, first + size]))]
                value = None if column.value is None else column.value[kept]
                part = Column(column.document[kept] - first, column.label[kept], value)
                sums[name] = part.per_document(size, len(self.labels))
            for name, values in self.shared.items():
                sums[name] = np.repeat(values[first : first + size, None], len(self.labels), axis=1)
            yield sums

    def weighted(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """The totals by label of corpora in which the documents occur so many times.

        Args:
            weights: shape (corpora, documents).

        Returns:
            For each column the totals as float64, shape (corpora, labels).
        """
        weights = np.asarray(weights, dtype=float)
        # else each product would lay them out anew
        columns = np.ascontiguousarray(weights.T)
        totals = {name: np.asarray((matrix.T @ columns).T) for name, matrix in self._matrices.items()}
        for name, values in self.shared.items():
            totals[name] = np.repeat((weights @ values)[:, None], len(self.labels), axis=1)
        return totals

    def total(self) -> dict[str, int | float]:
        """Each column's sum over documents and labels."""
        sums = {name: column.per_label(len(self.labels)).sum().item() for name, column in self.columns.items()}
        return {**sums, **{name: values.sum().item() for name, values in self.shared.items()}}

    def condensed(self) -> Self:
        """The same totals, as if all documents were one: of a size that does not depend on the documents.

        Only what is kept row by row stays as long as it is.
        """
        labels = np.arange(len(self.labels), dtype=np.int32)
        one = np.zeros(len(labels), dtype=np.int32)
        columns = {name: Column(one, labels, column.per_label(len(labels))) for name, column in self.columns.items()}
        shared = {name: values.sum(keepdims=True) for name, values in self.shared.items()}
        rows = {**self.rows, "document": np.zeros_like(self.rows["document"])} if self.rows else {}
        return replace(self, columns=columns, documents=1, shared=shared, rows=rows)

    def grouped(self, group: np.ndarray, groups: int) -> Self:
        """The counts of groups of documents, each group as one document.

        Args:
            group: the group of each document.
            groups: how many there are.
        """
        columns = {
            name: Column(group[column.document], column.label, column.value) for name, column in self.columns.items()
        }
        shared = {name: _sums(group, values, groups) for name, values in self.shared.items()}
        rows = {**self.rows, "document": group[self.rows["document"]].astype(np.int64)} if self.rows else {}
        return replace(self, columns=columns, documents=groups, shared=shared, rows=rows)

    def reordered(self, place: np.ndarray) -> Self:
        """The same counts with the documents in another order.

        Args:
            place: where each document goes, shape (documents), each place once.
        """
        columns = {name: replace(column, document=place[column.document]) for name, column in self.columns.items()}
        shared = {}
        for name, values in self.shared.items():
            shared[name] = np.empty_like(values)
            shared[name][place] = values
        rows = {**self.rows, "document": place[self.rows["document"]]} if self.rows else {}
        return replace(self, columns=columns, shared=shared, rows=rows)

    def __add__(self, other: Counts) -> Self:
        """The counts of two parts of a corpus together; an `InputError` where they are of two kinds."""
        if not isinstance(other, Counts):
            return NotImplemented
        self._require_alike(other)
        labels = self.labels if self.labels == other.labels else tuple(sorted({*self.labels, *other.labels}))
        number = {label: code for code, label in enumerate(labels)}
        parts: tuple[Counts, Counts] = (self, other)
        codes = [np.array([number[label] for label in part.labels], dtype=np.int32) for part in parts]
        shifted = [
            {
                name: Column(column.document.astype(np.int64) + shift, code[column.label], column.value)
                for name, column in part.columns.items()
            }
            for part, code, shift in zip(parts, codes, (0, self.documents), strict=True)
        ]
        columns = join_columns(shifted)
        rows = {name: np.concatenate([self.rows[name], other.rows[name]]) for name in self.rows}
        if rows:
            rows["document"] = np.concatenate([self.rows["document"], other.rows["document"] + self.documents])
            rows["label"] = np.concatenate([codes[0][self.rows["label"]], codes[1][other.rows["label"]]])
        shared = {name: np.concatenate([values, other.shared[name]]) for name, values in self.shared.items()}
        return replace(
            self,
            columns=columns,
            labels=labels,
            documents=self.documents + other.documents,
            shared=shared,
            rows=rows,
            measure=self.measure or other.measure,
        )

    def __radd__(self, other: object) -> Self:
        """The counts themselves behind 0, from which the built-in `sum` starts."""
        if isinstance(other, int) and not isinstance(other, bool) and other == 0:
            return self
        return NotImplemented

    def to_arrow(self) -> pa.Table:
        """An Arrow table with a row for each document and label that has counts.

        Its columns are `document` (int32, from 0), `label` and the counts (null stands for 0). Numbers that belong to
        no label stand in rows whose label is null, what is kept row by row in lists of structs under `rows`. The
        schema's metadata say under `spanometer` what measure and options the counts are of.
        """
        place, values = self._places()
        labels = max(len(self.labels), 1)
        document, label = place // labels, place % labels
        names = pa.DictionaryArray.from_arrays(
            pa.array(label.astype(np.int32)), pa.array(self.labels, pa.string())
        ).cast(pa.string())
        arrays = {"document": pa.array(document.astype(np.int32)), "label": names}
        arrays.update({name: pa.array(column) for name, column in values.items()})
        if self.rows:
            arrays["rows"] = self._row_lists(place)
        tables = [pa.table(arrays)]
        if self.shared:
            numbers = {name: pa.array(value) for name, value in self.shared.items()}
            each = pa.array(np.arange(self.documents, dtype=np.int32))
            tables.append(pa.table({"document": each, "label": pa.nulls(self.documents, pa.string()), **numbers}))
        table = pa.concat_tables(tables, promote_options="default")
        described = {
            "rows": table.num_rows,
            "documents": self.documents,
            "labels": self.labels,
            "columns": list(self.columns),
            "shared": list(self.shared),
            **({} if self.measure is None else _described(self.measure)),
        }
        return table.replace_schema_metadata({METADATA: json.dumps(described).encode()})

    @classmethod
    def from_arrow(cls, table: pa.Table, measure: Any = None) -> Self:
        """Counts from a table that `to_arrow` made.

        Args:
            table: the table, with its metadata.
            measure: what the counts are of; `measures.read_counts` tells it from the table.

        Raises:
            InputError: where the table is none of counts, or of another measure.
        """
        try:
            described = json.loads((table.schema.metadata or {})[METADATA])
            labels, documents = tuple(described["labels"]), described["documents"]
            _require_places(labels, documents)
            if table.num_rows != described["rows"]:
                raise InputError(
                    f"{table.num_rows} rows, where the table of counts had {described['rows']}.",
                    "Give it whole, and each part of a corpus once.",
                )
            if measure is not None and "measure" in described:
                _require_same_measure(described, _described(measure))
            of_label = table.filter(pa.compute.is_valid(table["label"]))
            of_document = table.filter(pa.compute.is_null(table["label"]))
            names = pa.array(labels, pa.string())
            label = pa.compute.index_in(of_label["label"].combine_chunks(), names)
            document, codes = _places_of(of_label["document"], documents), _places_of(label, len(labels))
            columns = {}
            for name in described["columns"]:
                known = of_label[name].is_valid().combine_chunks().to_numpy(zero_copy_only=False)
                value = _values(of_label[name].drop_null())
                columns[name] = Column(document[known], codes[known], value)
            shared = _read_shared(of_document, described["shared"], documents)
            rows = _read_rows(of_label, document, codes) if "rows" in table.column_names else {}
            return cls(columns, labels, documents, shared, rows, measure)
        except (KeyError, TypeError, ValueError, IndexError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError("this is no table of counts.", "Give what counts.to_arrow() made, as it was.") from None

    def to_bytes(self) -> bytes:
        """The table of `to_arrow` as an Arrow stream."""
        sink = pa.BufferOutputStream()
        table = self.to_arrow()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue().to_pybytes()

    @classmethod
    def from_bytes(cls, data: bytes, measure: Any = None) -> Self:
        """Counts from what `to_bytes` made, see `from_arrow`."""
        return cls.from_arrow(read_stream(data), measure)

    def __getattr__(self, name: str) -> int | float:
        """The total of a column."""
        columns = self.__dict__.get("columns", {})
        if name not in columns:
            raise AttributeError(name)
        return columns[name].per_label(len(self.labels)).sum().item()

    @cached_property
    def _matrices(self) -> dict[str, csr_array]:
        """Each column as a sparse matrix, shape (documents, labels)."""
        try:
            from scipy.sparse import coo_array, csr_array
        except ModuleNotFoundError:
            raise InputError("resampling needs SciPy, which is not installed.", "pip install scipy") from None

        shape = (self.documents, len(self.labels))
        matrices = {}
        for name, column in self.columns.items():
            value = np.ones(len(column.label)) if column.value is None else column.value.astype(float)
            matrices[name] = csr_array(coo_array((value, (column.document, column.label)), shape=shape))
        return matrices

    def _require_alike(self, other: Counts) -> None:
        if self.measure is not None and other.measure is not None:
            _require_same_measure(_described(self.measure), _described(other.measure))
            self.measure.require_additive()
        if any(set(getattr(self, part)) != set(getattr(other, part)) for part in ("columns", "shared", "rows")):
            raise InputError("these are counts of two kinds.", "Add counts of one measure with the same options.")

    def _places(self) -> tuple[np.ndarray, dict[str, pa.Array]]:
        """The places (document times labels plus label) that have anything, and the sums of each column there."""
        labels = max(len(self.labels), 1)
        of_column = {
            name: column.document.astype(np.int64) * labels + column.label for name, column in self.columns.items()
        }
        found = [*of_column.values()]
        if self.rows:
            found.append(self.rows["document"].astype(np.int64) * labels + self.rows["label"])
        place = np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)
        sums = {}
        for name, column in self.columns.items():
            total = _sums(np.searchsorted(place, of_column[name]), column.value, len(place))
            sums[name] = pa.array(total, mask=total == 0)
        return place, sums

    def _row_lists(self, place: np.ndarray) -> pa.ListArray:
        """What is kept row by row, as a list for each place."""
        labels = max(len(self.labels), 1)
        of_row = np.searchsorted(place, self.rows["document"].astype(np.int64) * labels + self.rows["label"])
        order = np.argsort(of_row, kind="stable")
        offsets = np.searchsorted(of_row[order], np.arange(len(place) + 1)).astype(np.int32)
        fields = {name: values[order] for name, values in self.rows.items() if name not in ("document", "label")}
        values = pa.StructArray.from_arrays([pa.array(column) for column in fields.values()], names=list(fields))
        return pa.ListArray.from_arrays(pa.array(offsets), values)


def read_stream(data: bytes | bytearray | memoryview) -> pa.Table:
    """The Arrow table of a stream; an `InputError` where the bytes are none."""
    try:
        with pa.ipc.open_stream(data) as reader:
            return reader.read_all()
    except (TypeError, pa.ArrowInvalid, OSError):
        raise InputError("these bytes are no counts.", "Give what counts.to_bytes() made, as it was.") from None


def _described(measure: Scorer) -> dict[str, Any]:
    """The name and the options of a measure, as text."""
    return {"measure": measure.name, "options": {name: repr(value) for name, value in measure.options().items()}}


def _require_same_measure(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    if one["measure"] != other["measure"]:
        raise InputError(
            f"counts of {one['measure']} and of {other['measure']} do not add up.", "Add counts of one measure."
        )
    for name, value in one["options"].items():
        if other["options"].get(name) != value:
            raise InputError(
                f"counts of {one['measure']} with {name}={value} and with {name}={other['options'].get(name)} "
                "do not add up.",
                "Count all parts with the same options.",
            )


def _require_places(labels: tuple[Any, ...], documents: Any) -> None:
    """Raise a ValueError unless these can be the labels and the number of documents of counts."""
    if not isinstance(documents, int) or documents < 0 or len(set(labels)) < len(labels):
        raise ValueError


def _places_of(column: pa.ChunkedArray, number: int) -> np.ndarray:
    """Numbers of documents or labels; a ValueError unless all are there and below the number of them."""
    if not pa.types.is_integer(column.type) or column.null_count:
        raise ValueError
    places = _numbers(column.cast(pa.int32()))
    if len(places) and (places.min() < 0 or places.max() >= number):
        raise ValueError
    return places


def _values(column: pa.ChunkedArray) -> np.ndarray:
    """Numbers of which none is missing; a ValueError for anything else."""
    values = _numbers(column)
    if column.null_count or values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise ValueError
    return values


def _read_shared(table: pa.Table, names: Sequence[str], documents: int) -> dict[str, np.ndarray]:
    """The numbers that belong to no label, in the order of the documents; a ValueError unless all have them."""
    document = _places_of(table["document"], documents)
    if names and not np.array_equal(np.sort(document), np.arange(documents)):
        raise ValueError
    order = np.argsort(document, kind="stable")
    return {name: _values(table[name])[order] for name in names}


def _numbers(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(zero_copy_only=False)


def _read_rows(table: pa.Table, document: np.ndarray, label: np.ndarray) -> dict[str, np.ndarray]:
    """What was kept row by row, from lists of structs."""
    lists = table["rows"].combine_chunks()
    lists = pa.concat_arrays(lists.chunks) if isinstance(lists, pa.ChunkedArray) else lists
    counts = np.nan_to_num(_numbers(pa.compute.list_value_length(lists)), nan=0).astype(np.int64)
    values = lists.flatten()
    fields = {item.name: _numbers(values.field(item.name)) for item in values.type}
    return {"document": np.repeat(document, counts), "label": np.repeat(label, counts), **fields}
