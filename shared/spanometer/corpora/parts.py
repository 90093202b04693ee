"""Parts of corpora on their way into Arrow: columns of words and tags, a run of sentences at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import ClassLabel, Features, List

from ..arrays import integers
from ..errors import InputError
from ..readers import TagFile
from ..tags.tags import Tags
from .corpus_file import CorpusFile

ROWS = 1000
"""How many sentences go into one batch."""


@dataclass(frozen=True, eq=False)
class Part:
    """A run of sentences.

    Attributes:
        columns: columns of words and tags by name.
        values: columns with one value a sentence, by name.
        locate: says an error about a document and token of the part of the file.
    """

    columns: Mapping[str, Tags]
    values: Mapping[str, Sequence[Any]]
    locate: Callable[[InputError], InputError] = field(repr=False)

    def batches(self, features: Features) -> Iterator[pa.RecordBatch]:
        """Batches with these features; columns that the part lacks are null.

        Raises:
            InputError: for a tag that its `ClassLabel` has no name for.
        """
        rows = len(next(iter(self.columns.values())).offsets) - 1
        arrays = []
        for name, feature in features.items():
            type_ = features.arrow_schema.field(name).type
            if name in self.columns and isinstance(feature, List):
                arrays.append(self._lists(name, feature, type_))
            else:
                arrays.append(pa.array(self.values.get(name, [None] * rows), type_))
        yield from pa.Table.from_arrays(arrays, schema=features.arrow_schema).to_batches(max_chunksize=ROWS)

    def require_same_lengths(self) -> None:
        """Raise an `InputError` for the first sentence whose columns differ in length."""
        words = self.columns["tokens"].lengths
        for name, tags in self.columns.items():
            different = np.flatnonzero(tags.lengths != words)
            if len(different):
                document = int(different[0])
                problem = f"{tags.lengths[document]} {name}, {words[document]} tokens."
                raise self.locate(InputError(problem, "Each token has one tag.", document=document))

    def require_names(self, features: Features) -> None:
        """Raise an `InputError` for the first tag that its `ClassLabel` has no name for."""
        for name, feature in features.items():
            if name in self.columns and isinstance(feature, List) and isinstance(feature.feature, ClassLabel):
                self._class_codes(name, self.columns[name], feature.feature)

    def _lists(self, name: str, feature: List, type_: pa.DataType) -> pa.ListArray:
        tags = self.columns[name]
        if isinstance(feature.feature, ClassLabel):
            values = pa.array(self._class_codes(name, tags, feature.feature)[tags.codes])
        else:
            codes = pa.array(tags.codes.astype(np.int32))
            values = pa.DictionaryArray.from_arrays(codes, pa.array(tags.names, pa.string())).cast(pa.string())
        return pa.ListArray.from_arrays(pa.array(tags.offsets.astype(np.int32)), values).cast(type_)

    def _class_codes(self, name: str, tags: Tags, labels: ClassLabel) -> np.ndarray:
        """The code of each tag among the names of the labels."""
        known = {label: code for code, label in enumerate(labels.names)}
        codes = np.array([known.get(tag, -1) for tag in tags.names], dtype=np.int64)
        strangers = np.flatnonzero(codes[tags.codes] < 0)
        if len(strangers):
            document, position = tags.place(int(strangers[0]))
            tag = tags.names[int(tags.codes[strangers[0]])]
            raise self.locate(
                InputError(
                    f"{tag!r} is none of the {name} of this corpus.",
                    f"They are {', '.join(labels.names)}. Is this the right file, version and language? Any file of "
                    "columns can be read with load_conll.",
                    document=document,
                    position=position,
                )
            )
        return codes


def required_width(part: TagFile, width: int, corpus: str) -> None:
    """Raise an `InputError` unless the rows have as many cells as they must."""
    found = part.cells.width if part.cells else 0
    if found != width:
        raise InputError(
            f"the rows have {found} columns, those of {corpus} {width}.",
            "Read other columns with load_conll.",
            source=part.source,
            line=part.line(0, 0),
        )


def parquet_parts(
    file: CorpusFile, columns: Mapping[str, tuple[str, ...]], values: Mapping[str, tuple[str, ...]]
) -> Iterator[Part]:
    """The rows of a Parquet file.

    Args:
        file: the file.
        columns: for each column of words and tags the names that it can have in the file, the first one that is there
            counts. They hold lists of strings, or of class labels whose names the file gives in the manner of
            `datasets`. `tokens` and `ner_tags` must be there.
        values: the same for columns with one value a sentence.

    Raises:
        InputError: where the file is no Parquet, or has no such columns.
    """
    with file.open() as stream:
        try:
            table = pq.ParquetFile(stream)
            features = Features.from_arrow_schema(table.schema_arrow)
        except (pa.ArrowException, ValueError, TypeError, KeyError) as error:
            raise InputError(f"this is no Parquet file of a data set ({error}).", source=file.name) from None
        found = _present(columns, features)
        for name in ("tokens", "ner_tags"):
            if found[name] is None:
                raise InputError(
                    f"there is no column {' or '.join(map(repr, columns[name]))}; the columns are "
                    f"{', '.join(features)}.",
                    "Name another data set with repository=... and revision=...",
                    source=file.name,
                )
        of_values = _present(values, features)
        wanted = [given for given in (*found.values(), *of_values.values()) if given is not None]
        first = 0
        try:
            for batch in table.iter_batches(ROWS, columns=wanted):
                part = Part(
                    {
                        name: _tags(batch.column(given), features[given], file, given)
                        for name, given in found.items()
                        if given is not None
                    },
                    {
                        name: [None if value is None else str(value) for value in batch.column(given).to_pylist()]
                        for name, given in of_values.items()
                        if given is not None
                    },
                    _in_rows(file, first),
                )
                part.require_same_lengths()
                yield part
                first += len(batch)
        except pa.ArrowException as error:
            raise InputError(f"this Parquet file is damaged ({error}).", source=file.name) from None


def _present(columns: Mapping[str, tuple[str, ...]], features: Features) -> dict[str, str | None]:
    """What each column is called in a file, or None where the file does not have it."""
    return {name: next((given for given in names if given in features), None) for name, names in columns.items()}


def _tags(column: pa.Array, feature: Any, file: CorpusFile, name: str) -> Tags:
    of_items = getattr(feature, "feature", None)
    if isinstance(of_items, ClassLabel) and of_items.names is not None:
        codes = column.flatten()
        if codes.null_count or column.null_count:
            raise InputError(f"the column {name!r} has missing values.", source=file.name)
        offsets = integers(column.offsets).astype(np.int64)
        of_items.int2str(sorted(set(codes.unique().to_pylist())))
        return Tags(integers(codes.cast(pa.int64())), tuple(of_items.names), offsets - offsets[0])
    try:
        return Tags.from_arrow(column)
    except InputError as error:
        raise InputError(
            f"the column {name!r}: {error.problem}",
            "It holds lists of strings, or of class labels with their names.",
            source=file.name,
        ) from None


def _in_rows(file: CorpusFile, first: int) -> Callable[[InputError], InputError]:
    def locate(error: InputError) -> InputError:
        document = None if error.document is None else error.document + first
        return InputError(error.problem, error.remedy, source=file.name, document=document, position=error.position)

    return locate
