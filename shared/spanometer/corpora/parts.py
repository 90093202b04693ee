"""Parts of corpora on their way into Arrow: columns of words and tags, a run of sentences at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import ClassLabel, Features, List, Value

from ..exceptions import InputError
from ..readers import Column, DocumentFile, read_parts
from ..tags.tags import Tags
from .corpus_file import CorpusFile

ROWS = 1000
"""How many rows go into one Arrow batch."""


def iob_tags(labels: Sequence[str]) -> list[str]:
    """List the IOB tags of some labels, `O` first."""
    return ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]


def sentence_features(tags: Mapping[str, Sequence[str]], **values: str) -> Features:
    """Make the features of sentences: `id`, `tokens`, columns with these tags, and columns of these types."""
    labels = {name: List(ClassLabel(names=list(names))) for name, names in tags.items()}
    others = {name: Value(dtype) for name, dtype in values.items()}
    return Features({"id": Value("string"), "tokens": List(Value("string")), **labels, **others})


@dataclass(frozen=True, eq=False)
class Part:
    """A run of sentences.

    Attributes:
        columns: columns of words and tags by name.
        values: columns with one value a sentence, by name.
        locate: adds the place in the file to an error about a document and token of the part.
    """

    columns: Mapping[str, Tags]
    values: Mapping[str, Sequence[Any]]
    locate: Callable[[InputError], InputError] = field(repr=False)

    def table(self, features: Features) -> pa.Table:
        """Make a table with these features; columns that the part lacks are null.

        Raises:
            InputError: for a tag that is not a name of its `ClassLabel`.
        """
        rows = len(self.columns["ner_tags"].offsets) - 1
        arrays = []
        for name, feature in features.items():
            if tags := self.columns.get(name):
                values = self._values(name, tags, feature.feature)
                arrays.append(pa.ListArray.from_arrays(pa.array(tags.offsets.astype(np.int32)), values))
            else:
                arrays.append(pa.array(self.values.get(name, [None] * rows), features.arrow_schema.field(name).type))
        return pa.table(arrays, names=list(features)).cast(features.arrow_schema)

    def require_same_lengths(self) -> None:
        """Raise an `InputError` for the first sentence whose columns differ in length."""
        words = self.columns["tokens"].lengths
        for name, tags in self.columns.items():
            if (different := tags.lengths != words).any():
                document = int(np.argmax(different))
                problem = f"{tags.lengths[document]} {name}, {words[document]} tokens."
                raise self.locate(InputError(problem, "Each token has one tag.", document=document))

    def _values(self, name: str, tags: Tags, feature: Any) -> pa.Array:
        """Encode the words of a column as strings, or its class labels as their numbers."""
        if not isinstance(feature, ClassLabel):
            return pa.array(tags.names, pa.string()).take(pa.array(tags.codes))
        known = {label: code for code, label in enumerate(feature.names)}
        codes = np.array([known.get(tag, -1) for tag in tags.names], dtype=np.int64)[tags.codes]
        if len(codes) and codes.min() < 0:
            first = int(np.argmin(codes))
            document, position = tags.place(first)
            problem = f"{tags.names[tags.codes[first]]!r} is not one of the {name} of this corpus."
            remedy = f"They are {', '.join(feature.names)}. Is this the right file, version and language? "
            remedy += "Any file of columns can be read with load_conll."
            raise self.locate(InputError(problem, remedy, document=document, position=position))
        return pa.array(codes)


def sentence_parts(
    file: CorpusFile, columns: Mapping[str, Column], values: Callable[[DocumentFile], Mapping[str, Sequence[Any]]]
) -> Iterator[Part]:
    """Read a file of columns, or a Parquet file, in parts.

    Args:
        file: the file.
        columns: the columns of tags by name, and where they stand in rows of four cells.
        values: reads the columns with one value a sentence from a part of a file of columns.
    """
    if file.path.suffix == ".parquet":
        yield from parquet_parts(file, ("tokens", *columns))
        return
    for part, numbers in column_parts(file, list(columns.values()), width=4):
        tags = {"tokens": part.words or part.tags[0], **dict(zip(columns, part.tags, strict=True))}
        yield Part(tags, {**numbers, **values(part)}, part.locate)


def column_parts(
    file: CorpusFile, columns: Sequence[Column], width: int | None = None, words: Any = 1, outside: str | None = None
) -> Iterator[tuple[DocumentFile, dict[str, list[Any]]]]:
    """Read a file of columns in parts, each with the `id` of its sentences and the `document` that they are in.

    An id is the number within the file; documents count from 0, and there is none before the first `-DOCSTART-`.

    Raises:
        InputError: as `readers.read_parts`, and if the rows do not have `width` cells.
    """
    first = documents = 0
    with file.open() as stream:
        for part in read_parts(stream, columns=columns, words=words, outside=outside, name=file.name):
            cells = part.layout.width if part.layout else 0
            if width not in (None, cells):
                problem = f"the rows have {cells} columns, those of this corpus {width}."
                raise part.locate(InputError(problem, "Read other columns with load_conll.", document=0, position=0))
            last = first + len(part.document_lines)
            numbers = (documents + np.searchsorted(part.docstart_lines, part.document_lines) - 1).tolist()
            yield (
                part,
                {
                    "id": list(map(str, range(first, last))),
                    "document": [None if number < 0 else number for number in numbers],
                },
            )
            first, documents = last, documents + len(part.docstart_lines)


_VALUES = {"id": ("sample_id", "id"), "domain": ("domain",)}
"""The columns with one value a sentence, each with its names in Parquet files, of which the first one counts."""


def parquet_parts(file: CorpusFile, columns: Sequence[str]) -> Iterator[Part]:
    """Read a Parquet file in parts.

    Args:
        file: the file.
        columns: the columns of words and tags, of which the file must have `tokens` and `ner_tags`. They hold lists of
            strings, or of class labels whose names the file gives in the manner of `datasets`.

    Raises:
        InputError: if the file is not Parquet, or has no such columns.
    """
    with file.open() as stream:
        try:
            table = pq.ParquetFile(stream)
            features = Features.from_arrow_schema(table.schema_arrow)
        except (pa.ArrowException, ValueError, TypeError, KeyError) as error:
            raise InputError(f"this is not a Parquet file of a data set ({error}).", source=file.name) from None
        for name in ("tokens", "ner_tags"):
            if name not in features:
                remedy = "Name another data set with repository=... and revision=..."
                raise InputError(f"there is no column {name!r} among {', '.join(features)}.", remedy, source=file.name)
        present = [name for name in columns if name in features]
        values = {name: next(filter(features.__contains__, names), None) for name, names in _VALUES.items()}
        first = 0
        try:
            for batch in table.iter_batches(ROWS, columns=[*present, *filter(None, values.values())]):
                locate = partial(_in_rows, file, first)
                tags = {name: _tags(batch.column(name), features[name], name, locate) for name in present}
                texts = {
                    name: batch.column(column).cast(pa.string()).to_pylist()
                    for name, column in values.items()
                    if column
                }
                part = Part(tags, texts, locate)
                part.require_same_lengths()
                yield part
                first += len(batch)
        except pa.ArrowException as error:
            raise InputError(f"this Parquet file is damaged ({error}).", source=file.name) from None


def _tags(column: pa.Array, feature: Any, name: str, locate: Callable[[InputError], InputError]) -> Tags:
    """Read a column of lists of strings, or of class labels, as tags."""
    labels = getattr(getattr(feature, "feature", None), "names", None)
    if labels is not None:
        tags = pa.DictionaryArray.from_arrays(column.values, labels)
        column = pa.ListArray.from_arrays(column.offsets, tags, mask=column.is_null())
    try:
        if labels is None and pa.types.is_integer(getattr(column.type, "value_type", column.type)):
            raise InputError("it holds label numbers, and no names for them.")
        return Tags.from_arrow(column)
    except InputError as error:
        error.problem = f"the column {name!r}: {error.problem}"
        error.remedy = "It must hold lists of strings, or of class labels with their names."
        raise locate(error) from None


def _in_rows(file: CorpusFile, first: int, error: InputError) -> InputError:
    return error.placed(source=file.name, document=None if error.document is None else first + error.document)
