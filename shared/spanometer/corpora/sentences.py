"""Read sentences of corpora into Arrow, from files of columns and from Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import ClassLabel, Features, List, Value

from ..arrays import as_lists, named_classes, strings
from ..exceptions import InputError
from ..readers import Column, DocumentFile, read_parts
from ..tags.tags import Tags
from .files import CorpusFile

ROWS = 1000
"""The number of rows in an Arrow batch."""

_PARQUET_NAMES = {"id": ("sample_id", "id"), "domain": ("domain",)}
"""The columns with one value for each sentence, with their names in Parquet files in order of preference."""


def iob_tags(labels: Sequence[str]) -> list[str]:
    """List the IOB tags of labels, `O` first."""
    return ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]


def sentence_features(tags: Mapping[str, Sequence[str]], **values: str) -> Features:
    """Make the features of sentences: `id`, `tokens`, columns of tags, and columns of other types."""
    labels = {name: List(ClassLabel(names=list(names))) for name, names in tags.items()}
    others = {name: Value(dtype) for name, dtype in values.items()}
    return Features({"id": Value("string"), "tokens": List(Value("string")), **labels, **others})


@dataclass(frozen=True, eq=False)
class Part:
    """A run of sentences, or of documents.

    Attributes:
        tags: columns of words and tags by name.
        values: columns with one value for each sentence, by name.
        locate: adds the place in the file to an error.
    """

    tags: Mapping[str, Tags]
    values: Mapping[str, Sequence[Any] | pa.Array]
    locate: Callable[[InputError], InputError] = field(repr=False)

    def table(self, features: Features) -> pa.Table:
        """Make a table with these features; missing columns are null.

        Raises:
            InputError: for a tag that is not a name of its `ClassLabel`.
        """
        empty = [None] * len(next(iter(self.tags.values())).lengths)
        arrays = []
        for name, feature in features.items():
            if tags := self.tags.get(name):
                arrays.append(as_lists(tags.offsets, self._encode(name, tags, feature.feature)))
            else:
                arrays.append(pa.array(self.values.get(name, empty), features.arrow_schema.field(name).type))
        return pa.table(arrays, names=list(features)).cast(features.arrow_schema)

    def _encode(self, name: str, tags: Tags, feature: Any) -> pa.Array:
        """Encode the words of a column as strings, or its class labels as integers."""
        if not isinstance(feature, ClassLabel):
            return strings(tags.codes, tags.names)
        numbers = {label: number for number, label in enumerate(feature.names)}
        codes = np.array([numbers.get(tag, -1) for tag in tags.names], dtype=np.int64)[tags.codes]
        if len(codes) and codes.min() < 0:
            unknown = int(tags.codes[np.argmin(codes)])
            problem = f"{tags.names[unknown]!r} is not one of the {name} of this corpus."
            remedy = f"They are {', '.join(feature.names)}. Is this the right file, version and language? "
            remedy += "Any file of columns can be read with load_conll."
            raise self.locate(tags.refusal(unknown, problem, remedy))
        return pa.array(codes)


def read_sentences(
    file: CorpusFile,
    columns: Mapping[str, Column],
    values: Callable[[DocumentFile], Mapping[str, Sequence[Any]]] | None = None,
) -> Iterator[Part]:
    """Read a release's file of four columns, or a Parquet file, in parts.

    Args:
        file: the file.
        columns: the columns of tags by name, with their positions.
        values: reads further columns with one value for each sentence from a part of a file of columns.
    """
    if file.path.suffix == ".parquet":
        return _read_parquet(file, ("tokens", *columns))
    return read_columns(file, columns, width=4, values=values)


def read_columns(
    file: CorpusFile,
    columns: Mapping[str, Column],
    *,
    width: int | None = None,
    words: bool | int | str = 1,
    outside: str | None = None,
    values: Callable[[DocumentFile], Mapping[str, Sequence[Any]]] | None = None,
) -> Iterator[Part]:
    """Read a file of columns in parts, with `id` (the number in the file) and `document` of each sentence.

    Documents count from 0 at the first `-DOCSTART-`; before it `document` is None.

    Raises:
        InputError: as for `readers.read_parts`, and for rows without `width` cells.
    """
    first = documents = 0
    with file.open() as stream:
        for part in read_parts(stream, columns=list(columns.values()), words=words, outside=outside, name=file.name):
            cells = part.layout.width if part.layout else 0
            if width not in (None, cells):
                problem = f"the rows have {cells} columns, but this corpus has {width}."
                raise part.locate(InputError(problem, "Read other columns with load_conll.", document=0, position=0))
            last = first + len(part.document_lines)
            numbers = (documents + np.searchsorted(part.docstart_lines, part.document_lines) - 1).tolist()
            tags = dict(zip(columns, part.tags, strict=True))
            if part.words is not None:
                tags["tokens"] = part.words
            by_sentence = {
                "id": list(map(str, range(first, last))),
                "document": [None if number < 0 else number for number in numbers],
                **(values(part) if values else {}),
            }
            yield Part(tags, by_sentence, part.locate)
            first, documents = last, documents + len(part.docstart_lines)


def matching_comments(file: DocumentFile, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Yield the comments that match a pattern: the number of the next document, the comment's line and the match."""
    comments = file.comments
    documents = np.searchsorted(file.document_lines, [line for line, _ in comments]).tolist()
    for document, (line, text) in zip(documents, comments, strict=True):
        match = pattern.match(text)
        if match and document < file.documents.size:
            yield document, line, match


def _read_parquet(file: CorpusFile, columns: Sequence[str]) -> Iterator[Part]:
    """Read a Parquet file in parts.

    Args:
        file: the file.
        columns: the columns of words and tags, as lists of strings or of class labels with names in the metadata of
            `datasets`; `tokens` and `ner_tags` are required.

    Raises:
        InputError: if the file is not Parquet or lacks a column.
    """
    first = 0

    def locate(error: InputError) -> InputError:
        return error.placed(source=file.name, document=None if error.document is None else first + error.document)

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
        sources = {
            name: next(filter(features.__contains__, names))
            for name, names in _PARQUET_NAMES.items()
            if not features.keys().isdisjoint(names)
        }
        try:
            for batch in table.iter_batches(ROWS, columns=[*present, *sources.values()]):
                tags = {name: _tags(batch.column(name), features[name], name, locate) for name in present}
                _require_same_lengths(tags, locate)
                texts = {name: batch.column(source).cast(pa.string()) for name, source in sources.items()}
                yield Part(tags, texts, locate)
                first += len(batch)
        except pa.ArrowException as error:
            raise InputError(f"this Parquet file is damaged ({error}).", source=file.name) from None


def _tags(column: pa.Array, feature: Any, name: str, locate: Callable[[InputError], InputError]) -> Tags:
    """Read a column of lists of strings, or of class labels, as tags."""
    column = named_classes(column, feature)
    try:
        if not column.null_count and pa.types.is_integer(getattr(column.type, "value_type", column.type)):
            raise InputError("it holds label numbers without their names.")
        return Tags.from_arrow(column)
    except InputError as error:
        error.problem = f"the column {name!r}: {error.problem}"
        error.remedy = "It must hold lists of strings, or of class labels with their names."
        raise locate(error) from None


def _require_same_lengths(tags: Mapping[str, Tags], locate: Callable[[InputError], InputError]) -> None:
    """Raise an `InputError` for the first sentence with columns of different lengths."""
    words = tags["tokens"].lengths
    for name, column in tags.items():
        if (different := column.lengths != words).any():
            document = int(np.argmax(different))
            problem = f"got {column.lengths[document]} {name} for {words[document]} tokens."
            raise locate(InputError(problem, "Each token has one tag.", document=document))
