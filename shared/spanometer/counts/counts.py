"""Counts: a measure counts a corpus once, and all scores are computed from the counts.

Counts are sparse columns of numbers by document and label, so their size grows with the number of spans. Counts of
parts of a corpus can be added. Counts can be weighted by document, stored in Arrow and sent as bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pyarrow as pa

from ..arrays import as_lists, code_type, offsets_by, strings
from ..exceptions import InputError
from .stored import METADATA, UNFIT, described_counts, plain_options, read_parts, read_stream, write_stream

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_BLOCK = 1 << 16
"""The maximum number of values that are summed at a time."""

_LARGEST = 2.0**62

_LARGEST_EXACT = 2.0**53
"""Floats represent all integers up to this number exactly."""


@dataclass(frozen=True, eq=False)
class Column:
    """One kind of count, as values by document and label; values with the same document and label are summed.

    Attributes:
        document, label: the document and label of each value.
        value: integers or float64; None means that all values are 1.
    """

    document: np.ndarray
    label: np.ndarray
    value: np.ndarray | None = None

    @property
    def values(self) -> np.ndarray:
        """The values as an array."""
        return np.ones(len(self.label), dtype=np.int64) if self.value is None else self.value

    def per_label(self, labels: int) -> np.ndarray:
        """Sum the values of each label, shape (labels); integers are summed exactly."""
        return _sums(self.label, self.value, labels)

    def has_places_of(self, other: Column) -> bool:
        """Check whether the values of another column have the same documents and labels."""
        return np.array_equal(self.document, other.document) and np.array_equal(self.label, other.label)


def require_scipy(subject: str) -> None:
    """Raise an `InputError` if SciPy is not installed; `subject` is what needs it."""
    try:
        import scipy.sparse  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(f"{subject} needs SciPy, which is not installed.", "pip install scipy") from None


def join_columns(parts: Sequence[Mapping[str, Column]]) -> dict[str, Column]:
    """Join the counts of parts of a corpus."""
    if len(parts) == 1:
        return dict(parts[0])
    joined = {}
    for name in parts[0] if parts else ():
        arrays = ((part[name].document, part[name].label, part[name].values) for part in parts)
        joined[name] = Column(*map(np.concatenate, zip(*arrays, strict=True)))
    return joined


def _sums(group: np.ndarray, value: np.ndarray | None, groups: int) -> np.ndarray:
    """Sum the values of each group; None means that all values are 1."""
    exact = value is None or value.dtype.kind != "f"
    bound = float(np.abs(value).max(initial=0)) * len(value) if value is not None and exact else 0.0
    if bound >= _LARGEST:
        raise InputError("counts exceed 64-bit integers.", "Score fewer spans, or shorter spans.")
    sums = np.zeros(groups, dtype=np.int64 if exact else np.float64)
    if value is not None and bound >= _LARGEST_EXACT:
        np.add.at(sums, group, value)
        return sums
    # in parts, because bincount converts its arguments to other types
    step = max(_BLOCK, groups)
    for start in range(0, len(group), step):
        part = slice(start, start + step)
        weights = None if value is None else value[part]
        sums += np.bincount(group[part], weights=weights, minlength=groups).astype(sums.dtype, copy=False)
    return sums


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts of a corpus: columns of numbers by document and label, from which all scores are computed.

    `counts + counts` joins two corpora; the documents of the second corpus come after those of the first. An attribute
    such as `counts.both` is the total of a column.

    Attributes:
        columns: the counts by name.
        labels: the label names; counts refer to them by index.
        documents: the number of documents.
        shared: numbers by document that do not belong to a label, such as tokens; by name, shape (documents) each.
        rows: data that cannot be summed, as columns of equal length by name, including `document` and `label`.
        measure: the measure of these counts.
        seen: names that occur in the corpus, by kind, even if they are not counted; adding counts joins them.
    """

    columns: Mapping[str, Column]
    labels: tuple[str, ...]
    documents: int
    shared: Mapping[str, np.ndarray] = field(default_factory=dict)
    rows: Mapping[str, np.ndarray] = field(default_factory=dict)
    measure: Any = None
    seen: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def score(self) -> dict[str, float]:
        """Compute the scores of these counts."""
        if self.measure is None:
            problem = "the counts do not contain the name of the measure that computed them."
            raise InputError(problem, "Use the method `score` of that measure: measure.score(counts).")
        scores: dict[str, float] = self.measure.score(self)
        return scores

    @property
    def _width(self) -> int:
        """The number of labels, at least 1."""
        return max(len(self.labels), 1)

    def _place(self, document: np.ndarray, label: np.ndarray) -> np.ndarray:
        """Number (document, label) places in document order."""
        return np.asarray(document.astype(np.int64) * self._width + label)

    def per_label(self) -> dict[str, np.ndarray]:
        """Sum each column by label, shape (labels); numbers in `shared` are repeated for each label."""
        sums = {name: column.per_label(len(self.labels)) for name, column in self.columns.items()}
        return sums | {name: np.full(len(self.labels), values.sum()) for name, values in self.shared.items()}

    def per_document(self) -> Iterator[dict[str, np.ndarray]]:
        """Yield the sums of each column by document and label, some documents at a time, shape (documents, labels)."""
        step = max(_BLOCK // self._width, 1)
        order = {name: np.argsort(column.document, kind="stable") for name, column in self.columns.items()}
        document = {name: column.document[order[name]] for name, column in self.columns.items()}
        # without documents one empty part
        for first in range(0, max(self.documents, 1), step):
            size = min(step, self.documents - first)
            sums = {}
            for name, column in self.columns.items():
                kept = order[name][slice(*np.searchsorted(document[name], [first, first + size]))]
                value = None if column.value is None else column.value[kept]
                place = self._place(column.document[kept] - first, column.label[kept])
                sums[name] = _sums(place, value, size * len(self.labels)).reshape(size, len(self.labels))
            for name, values in self.shared.items():
                sums[name] = np.repeat(values[first : first + size, None], len(self.labels), axis=1)
            yield sums

    def weighted(self, weights: np.ndarray) -> dict[str, np.ndarray]:
        """Sum each column by label, in several corpora in which each document has a weight.

        Args:
            weights: the number of copies of each document in each corpus, shape (corpora, documents).

        Returns:
            The sums of each column, float64, shape (corpora, labels).
        """
        weights = np.asarray(weights, dtype=float)
        # so that products make no contiguous copies
        columns = np.ascontiguousarray(weights.T)
        totals = {name: np.asarray((matrix @ columns).T) for name, matrix in self.matrices.items()}
        for name, values in self.shared.items():
            totals[name] = np.repeat((weights @ values)[:, None], len(self.labels), axis=1)
        return totals

    def total(self) -> dict[str, int | float]:
        """Sum each column over documents and labels."""
        sums = {name: column.per_label(len(self.labels)).sum().item() for name, column in self.columns.items()}
        return {**sums, **{name: values.sum().item() for name, values in self.shared.items()}}

    def by_label(self, *, shared: bool = False) -> dict[str, dict[str, int | float]]:
        """Sum each column by label name; if `shared` is True, the numbers in `shared` are repeated for each label."""
        sums = {name: each.tolist() for name, each in self.per_label().items() if shared or name in self.columns}
        return {label: {name: sums[name][code] for name in sums} for code, label in enumerate(self.labels)}

    def flagged(self) -> np.ndarray:
        """Flag the documents that have any count, shape (documents)."""
        flags = np.zeros(self.documents, dtype=bool)
        flags[self._counted() // self._width] = True
        return flags

    def documents_by_label(self) -> dict[str, int]:
        """Compute for each label the number of documents that have counts of it."""
        numbers = np.bincount(np.unique(self._counted()) % self._width, minlength=self._width)
        return dict(zip(self.labels, numbers.tolist(), strict=False))

    def _counted(self) -> np.ndarray:
        """Return the places (document * labels + label) of all values that are not 0, and of all rows."""
        columns = [*self.columns.values(), *([Column(self.rows["document"], self.rows["label"])] if self.rows else [])]
        places = (self._place(each.document, each.label)[each.values != 0] for each in columns)
        return np.concatenate([np.zeros(0, dtype=np.int64), *places])

    def condensed(self) -> Self:
        """Merge all documents into one; `rows` keep their length."""
        labels = np.arange(len(self.labels), dtype=np.int32)
        zeros = np.zeros(len(labels), dtype=np.int32)
        columns = {name: Column(zeros, labels, column.per_label(len(labels))) for name, column in self.columns.items()}
        # broadcast takes no memory for documents
        first = np.broadcast_to(np.int32(0), self.documents)
        return replace(replace(self, columns={}).grouped(first, 1), columns=columns)

    def summed(self) -> Self:
        """Sum each column to one value per document and label, with integers in the smallest type."""
        columns = {}
        for name, column in self.columns.items():
            place, of_value = np.unique(self._place(column.document, column.label), return_inverse=True)
            document, label = np.divmod(place, self._width)
            sums = _sums(of_value.ravel(), column.value, len(place))
            if sums.dtype.kind != "f" and sums.min(initial=0) >= 0:
                sums = sums.astype(np.min_scalar_type(sums.max(initial=0)))
            columns[name] = Column(document.astype(np.int32), label.astype(column.label.dtype), sums)
        return replace(self, columns=columns).sharing([])

    def sharing(self, places: list[Column]) -> Self:
        """Store equal `document` and `label` arrays of different columns only once.

        Args:
            places: the columns seen so far; columns with new arrays are added.
        """
        columns = {}
        for name, column in self.columns.items():
            shared = next(filter(column.has_places_of, places), column)
            if shared is column:
                places.append(column)
            columns[name] = replace(shared, value=column.value)
        return replace(self, columns=columns)

    def grouped(self, group: np.ndarray, groups: int) -> Self:
        """Merge groups of documents; each group becomes one document.

        Args:
            group: the group of each document.
            groups: the number of groups.
        """
        shared = {name: _sums(group, values, groups) for name, values in self.shared.items()}
        return replace(self._moved(group), documents=groups, shared=shared)

    def renamed(self, names: Sequence[str], labels: Sequence[str] = ()) -> Self:
        """Rename the labels; counts of labels that get the same name are summed.

        Args:
            names: the new name of each label.
            labels: all labels of the result; by default only the new names, sorted.
        """
        labels = tuple(labels or sorted(set(names)))
        number = {label: code for code, label in enumerate(labels)}
        codes = np.array([number[name] for name in names], dtype=code_type(len(labels)))
        return replace(self._moved(np.arange(self.documents, dtype=np.int32), codes), labels=labels)

    def _moved(self, document: np.ndarray, label: np.ndarray | None = None) -> Self:
        """Renumber documents, and also labels if `label` is given."""

        def code(label_: np.ndarray) -> np.ndarray:
            return label_ if label is None else label[label_]

        columns = {name: Column(document[c.document], code(c.label), c.value) for name, c in self.columns.items()}
        moved = {"document": document[self.rows["document"]], "label": code(self.rows["label"])} if self.rows else {}
        return replace(self, columns=columns, rows={**self.rows, **moved})

    def __add__(self, other: Counts) -> Self:
        """Add the counts of two parts of a corpus; raise an `InputError` if they are of different kinds."""
        if not isinstance(other, Counts):
            return NotImplemented
        self._require_alike(other)
        labels = self.labels if self.labels == other.labels else tuple(sorted({*self.labels, *other.labels}))
        moved = np.arange(self.documents, self.documents + other.documents, dtype=np.int32)
        first, second = self.renamed(self.labels, labels), other.renamed(other.labels, labels)._moved(moved)
        total = replace(
            first,
            columns=join_columns([first.columns, second.columns]),
            documents=self.documents + other.documents,
            shared={name: np.concatenate([values, other.shared[name]]) for name, values in self.shared.items()},
            rows={name: np.concatenate([values, second.rows[name]]) for name, values in first.rows.items()},
            measure=self.measure or other.measure,
            seen={kind: names | other.seen[kind] for kind, names in self.seen.items()},
        )
        return total.sharing([])

    def __radd__(self, other: object) -> Self:
        """Support the built-in `sum`, which starts with 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each document and label that has counts.

        The columns are `document` (int32, from 0), `label` and the counts (null means 0). Rows with a null label have
        the numbers in `shared`; `rows` become lists of structs. The schema's metadata has the measure and its options
        under the key `spanometer`.
        """
        place, totals = self._places()
        values = {name: pa.array(total, mask=total == 0) for name, total in totals.items()}
        document = pa.array((place // self._width).astype(np.int32))
        arrays = {"document": document, "label": strings(place % self._width, self.labels), **values}
        if self.rows:
            arrays["rows"] = self._row_lists(place)
        tables = [pa.table(arrays)]
        if self.shared:
            numbers = {name: pa.array(value) for name, value in self.shared.items()}
            numbered = pa.array(np.arange(self.documents, dtype=np.int32))
            tables.append(pa.table({"document": numbered, "label": pa.nulls(self.documents, pa.string()), **numbers}))
        table = pa.concat_tables(tables, promote_options="default")
        described = {
            "rows": table.num_rows,
            "documents": self.documents,
            "labels": self.labels,
            "columns": list(self.columns),
            "shared": list(self.shared),
            **({"seen": {kind: sorted(names) for kind, names in self.seen.items()}} if self.seen else {}),
            **({} if self.measure is None else _described(self.measure)),
        }
        return table.replace_schema_metadata({METADATA: json.dumps(described).encode()})

    @classmethod
    def from_arrow(cls, table: pa.Table, measure: Any = None) -> Self:
        """Read counts from a table that `to_arrow` made.

        Args:
            table: the table, with its metadata.
            measure: the measure of the counts; `measures.read_counts` reads it from the table.

        Raises:
            InputError: if this is not a table of counts, or if it belongs to another measure.
        """
        try:
            described = described_counts(table)
            if measure is not None and "measure" in described:
                _require_same_measure(described, _described(measure))
            columns, shared, rows = read_parts(table, described)
            seen = {kind: frozenset(names) for kind, names in described.get("seen", {}).items()}
        except InputError:
            raise
        except UNFIT:
            remedy = "Pass the unchanged result of counts.to_arrow()."
            raise InputError("the table does not contain counts.", remedy) from None
        of_labels = {name: Column(*arrays) for name, arrays in columns.items()}
        return cls(of_labels, tuple(described["labels"]), described["documents"], shared, rows, measure, seen)

    def to_bytes(self) -> bytes:
        """Write the table of `to_arrow` as an Arrow stream, followed by a checksum."""
        return write_stream(self.to_arrow())

    @classmethod
    def from_bytes(cls, data: bytes, measure: Any = None) -> Self:
        """Read counts from the bytes that `to_bytes` made, see `from_arrow`."""
        return cls.from_arrow(read_stream(data), measure)

    def __getattr__(self, name: str) -> int | float:
        """Return the total of a column."""
        if name not in self.__dict__.get("columns", {}):
            raise AttributeError(name)
        return self.total()[name]

    @cached_property
    def matrices(self) -> dict[str, csr_array]:
        """The columns as sparse matrices, shape (labels, documents)."""
        require_scipy("resampling")
        from scipy.sparse import coo_array, csr_array

        shape = (len(self.labels), self.documents)
        matrices = {}
        for name, column in self.columns.items():
            places = column.label, column.document
            matrices[name] = csr_array(coo_array((column.values.astype(float), places), shape=shape))
        return matrices

    def _require_alike(self, other: Counts) -> None:
        if self.measure is not None and other.measure is not None:
            _require_same_measure(_described(self.measure), _described(other.measure))
            self.measure.require_additive()
        if any(set(getattr(self, part)) != set(getattr(other, part)) for part in ("columns", "shared", "rows", "seen")):
            problem = "counts of different kinds cannot be added."
            raise InputError(problem, "Add counts of the same measure with the same options.")

    def _places(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the places (document * labels + label) that have counts, and the sums of each column there."""
        of_column = {name: self._place(column.document, column.label) for name, column in self.columns.items()}
        of_row = [self._place(self.rows["document"], self.rows["label"])] if self.rows else []
        place = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *of_column.values(), *of_row]))
        sums = {}
        for name, column in self.columns.items():
            sums[name] = _sums(np.searchsorted(place, of_column[name]), column.value, len(place))
        return place, sums

    def _row_lists(self, place: np.ndarray) -> pa.ListArray:
        """Convert `rows` to a list for each place."""
        of_row = np.searchsorted(place, self._place(self.rows["document"], self.rows["label"]))
        order = np.argsort(of_row, kind="stable")
        fields = {name: values[order] for name, values in self.rows.items() if name not in ("document", "label")}
        values = pa.StructArray.from_arrays([pa.array(column) for column in fields.values()], names=list(fields))
        return as_lists(offsets_by(of_row, len(place)), values)


def _described(measure: Any) -> dict[str, Any]:
    """Describe a measure by its name and options, as JSON types."""
    return {"measure": measure.name, "options": plain_options(measure.options())}


def _require_same_measure(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    measure, options = first["measure"], second["options"]
    if measure != second["measure"]:
        raise InputError(f"cannot add counts of {measure} and {second['measure']}.", "Add counts of the same measure.")
    for name, value in first["options"].items():
        if options.get(name) != value:
            problem = f"cannot add counts of {measure}({name}={value!r}) and {measure}({name}={options.get(name)!r})."
            raise InputError(problem, "Use the same options for all parts of a corpus.")
