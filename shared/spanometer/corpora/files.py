"""The files of a corpus (one file, a folder or an archive), and their sentences as Arrow tables."""

import hashlib
import io
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from gzip import BadGzipFile
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from tarfile import TarError, TarFile
from typing import Any, TypeAlias, cast
from zipfile import BadZipFile, ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from datasets import ClassLabel, Features, List, Value

from ..arrays import as_lists, first_flagged, named_classes, strings
from ..exceptions import InputError, counted, printable, require_choice
from ..readers import Column, DocumentFile, open_file, read_parts
from ..tags.tags import Tags

LARGEST_FILE = 1 << 30
"""The maximum unpacked size of a file in an archive (1 GiB)."""

LARGEST_ARCHIVE = 8 << 30
"""The maximum unpacked size of an archive (8 GiB)."""

MOST_FILES = 100_000
"""The maximum number of files in a folder or an archive."""

SPLITS = ("train", "validation", "test")
SPLIT_ALIASES = {"dev": "validation", "valid": "validation", "testa": "validation", "testb": "test"}
"""Other names of the splits in releases."""

Archive: TypeAlias = ZipFile | TarFile

_GZIP = b"\x1f\x8b"
_DAMAGED = (BadZipFile, TarError, BadGzipFile, LZMAError, zlib.error, EOFError, NotImplementedError)
"""Exceptions for damaged archives and unsupported zip files."""


@dataclass(frozen=True)
class CorpusFile:
    """A file of a corpus.

    Attributes:
        name: what errors call the file.
        path: the path in the folder or archive, with slashes; for a single file its name.
        location: the path of the file or of the archive.
        member: the exact name in the archive; None if the file is not in an archive.
    """

    name: str
    path: PurePosixPath
    location: str
    member: str | None = None

    @property
    def bare_name(self) -> str:
        """The name without folders and `.gz`, in lower case."""
        return self.path.name.lower().removesuffix(".gz")

    @property
    def split(self) -> str | None:
        """The split that the name contains; None if it contains no split or several."""
        splits = {SPLIT_ALIASES.get(word, word) for word in re.split(r"[^a-z]+", self.bare_name)} & set(SPLITS)
        return splits.pop() if len(splits) == 1 else None

    @contextmanager
    def open(self) -> Iterator[io.BufferedReader]:
        """Open the file. Files in archives are unpacked while they are read, and never written to disk.

        Raises:
            InputError: if the file cannot be read, or if the archive is damaged.
        """
        with _explained(self.name), ExitStack() as opened:
            if self.member is None:
                yield opened.enter_context(open_file(self.location, self.name))
                return
            archive = cast(Archive, _open_archive(self.location))
            opened.enter_context(archive)
            member = archive.extractfile(self.member) if isinstance(archive, TarFile) else archive.open(self.member)
            stream: io.BufferedReader = opened.enter_context(io.BufferedReader(cast(io.RawIOBase, member)))
            if stream.peek(len(_GZIP)).startswith(_GZIP):
                remedy = "Unpack the archive, and pass the folder."
                raise InputError("this file in the archive is compressed too.", remedy, source=self.name)
            yield stream

    def digest(self) -> str:
        """Compute the SHA-256 of the bytes, in hexadecimal."""
        with self.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def list_files(source: Any) -> list[CorpusFile]:
    """List the files of a folder or an archive, sorted by path; a single file is listed alone.

    Raises:
        InputError: if the path is missing or cannot be read, or if an archive is damaged, encrypted, too large, or has
            files whose paths lead out of it.
    """
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"source={source!r} is not a path.", "Pass the path of a file, a folder or an archive.")
    location = os.fspath(source)
    if os.path.isdir(location):
        return sorted(_folder_files(location), key=lambda file: file.path)
    with _explained(location):
        archive = _open_archive(location)
        if archive is None:
            return [CorpusFile(location, PurePosixPath(os.path.basename(location)), location)]
        with archive:
            return sorted(_archive_files(archive, location), key=lambda file: file.path)


def is_single(files: list[CorpusFile], source: Any) -> bool:
    """Check whether the source is a single file, not a folder or an archive."""
    return [file.name for file in files] == [os.fspath(source)]


def require_split(split: object) -> str | None:
    """Normalise the name of a split; raise an `InputError` if there is no such split."""
    if split is None:
        return None
    name = SPLIT_ALIASES.get(str(split), str(split))
    if name not in SPLITS:
        require_choice("split", split, (*SPLITS, *SPLIT_ALIASES))
    return name


def _open_archive(location: str) -> Archive | None:
    """Open a file if it is an archive; return None for other files."""
    with open_file(location, location) as stream:
        # a text file that contains a zip's end record is not an archive
        if stream.read(2) == b"PK" and zipfile.is_zipfile(stream):
            return ZipFile(location)
    with suppress(*_DAMAGED):
        return tarfile.open(location)
    return None


def _folder_files(folder: str) -> Iterator[CorpusFile]:
    """List the files of a folder and its subfolders, except hidden folders."""
    files = ((path, path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())
    visible = (file for file in files if not any(part.startswith(".") for part in file[1].parts[:-1]))
    for count, (path, within) in enumerate(visible, 1):
        _require_at_most(MOST_FILES, count, "files", "the folder", folder)
        yield CorpusFile(str(path), PurePosixPath(within.as_posix()), str(path))


def _archive_files(archive: Archive, location: str) -> Iterator[CorpusFile]:
    """Yield the files of an archive, without links, and check the limits."""
    if isinstance(archive, TarFile):
        members = ((entry.name, entry.size, entry.isreg()) for entry in archive)
    elif any(entry.flag_bits & 1 for entry in archive.infolist()):
        raise InputError("the archive is encrypted.", "Unpack it, and pass the folder.", source=location)
    else:
        members = ((entry.filename, entry.file_size, not entry.is_dir()) for entry in archive.infolist())
    total = 0
    for count, (member, size, is_file) in enumerate(members, 1):
        total += size
        named, path = printable(member), PurePosixPath(member)
        _require_at_most(MOST_FILES, count, "files", "the archive", location)
        _require_at_most(LARGEST_ARCHIVE, total, "bytes when unpacked", "the archive", location)
        _require_at_most(LARGEST_FILE, size, "bytes when unpacked", f"{named!r} in the archive", location)
        if ".." in path.parts or member.startswith("/") or "\\" in member or member[1:2] == ":":
            problem = f"the archive has a file with a path outside the archive: {named!r}."
            raise InputError(problem, "Download it again from where it was published.", source=location)
        if is_file:
            yield CorpusFile(f"{location}/{printable(str(path))}", path, location, member)


def _require_at_most(most: int, count: int, unit: str, what: str, source: str) -> None:
    if count > most:
        remedy = "Pass only the folder or the file that you need."
        raise InputError(f"{what} has more than {most:,} {unit}.", remedy, source=source)


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Convert errors about damaged archives and unreadable files to an `InputError` that names the file."""
    try:
        yield
    except _DAMAGED as error:
        reason = str(error).rstrip(".") or type(error).__name__
        problem = f"the archive is damaged, or of an unknown kind ({reason})."
        raise InputError(problem, "Download it again, or unpack it and pass the folder.", source=name) from None
    except OSError as error:
        raise InputError(f"cannot be read: {(error.strerror or str(error)).lower()}.", source=name) from None


ROWS = 1000
"""The number of rows in an Arrow batch."""

_PARQUET_NAMES = {"id": ("sample_id", "id"), "domain": ("domain",)}
"""For each column with one value per sentence: its names in Parquet files, in order of preference."""


def iob_tags(labels: Sequence[str]) -> list[str]:
    """Return the IOB tags of labels, `O` first."""
    return ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]


def sentence_features(tags: Mapping[str, Sequence[str]], **values: str) -> Features:
    """Return the features of sentences: `id`, `tokens`, columns of tags, and columns of other types."""
    labels = {name: List(ClassLabel(names=list(names))) for name, names in tags.items()}
    others = {name: Value(dtype) for name, dtype in values.items()}
    return Features({"id": Value("string"), "tokens": List(Value("string")), **labels, **others})


@dataclass(frozen=True, eq=False)
class Part:
    """Consecutive sentences or documents.

    Attributes:
        tags: columns of words and tags by name.
        values: columns with one value for each sentence, by name.
        locate: a function that adds the place in the file to an error.
    """

    tags: Mapping[str, Tags]
    values: Mapping[str, Sequence[Any] | pa.Array]
    locate: Callable[[InputError], InputError] = field(repr=False)

    def table(self, features: Features) -> pa.Table:
        """Convert to a table with these features; missing columns are null.

        Raises:
            InputError: if a tag is not a name of its `ClassLabel`.
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
        """Convert the words of a column to strings, or its class labels to integers."""
        if not isinstance(feature, ClassLabel):
            return strings(tags.codes, tags.names)
        numbers = {label: number for number, label in enumerate(feature.names)}
        codes = np.array([numbers.get(tag, -1) for tag in tags.names], dtype=np.int64)[tags.codes]
        if len(codes) and codes.min() < 0:
            unknown = int(tags.codes[np.argmin(codes)])
            problem = f"{tags.names[unknown]!r} is not one of the {name} of this corpus."
            remedy = "Check the file's version and language, or read the file with load_conll. "
            remedy += f"The {name} are {', '.join(map(repr, feature.names))}."
            raise self.locate(tags.refusal(unknown, problem, remedy))
        return pa.array(codes)


def read_sentences(
    file: CorpusFile,
    columns: Mapping[str, Column],
    values: Callable[[DocumentFile], Mapping[str, Sequence[Any]]] | None = None,
) -> Iterator[Part]:
    """Read a file of a release, which has four columns, or a Parquet file, in parts.

    Args:
        file: the file.
        columns: the columns of tags by name, with their positions.
        values: a function that returns further columns, with one value for each sentence, from a part of a file of
            columns.
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

    Documents are counted from 0 at the first `-DOCSTART-`; before it `document` is None.

    Raises:
        InputError: if rows do not have `width` cells; see also `readers.read_parts`.
    """
    first = documents = 0
    with file.open() as stream:
        for part in read_parts(stream, columns=list(columns.values()), words=words, outside=outside, name=file.name):
            cells = part.layout.width if part.layout else 0
            if width not in (None, cells):
                problem = f"the rows have {counted(cells, 'column')}, but this loader needs {width}."
                remedy = "To read files with other columns, use load_conll."
                raise part.locate(InputError(problem, remedy, document=0, position=0))
            last = first + len(part.document_lines)
            numbers = (documents + np.searchsorted(part.docstart_lines, part.document_lines) - 1).tolist()
            tags = dict(zip(columns, part.tags, strict=True))
            if part.words is not None:
                tags["tokens"] = part.words
            of_documents = [None if number < 0 else number for number in numbers]
            numbered = {"id": list(map(str, range(first, last))), "document": of_documents}
            yield Part(tags, {**numbered, **(values(part) if values else {})}, part.locate)
            first, documents = last, documents + len(part.docstart_lines)


def matching_comments(file: DocumentFile, pattern: re.Pattern[str]) -> Iterator[tuple[int, int, re.Match[str]]]:
    """Yield for each matching comment: the number of the next document, the comment's line and the match."""
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
        # of several, the first remains
        sources = {name: key for name, keys in _PARQUET_NAMES.items() for key in reversed(keys) if key in features}
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
        if (document := first_flagged(column.lengths != words)) is not None:
            problem = f"got {column.lengths[document]} {name} for {counted(words[document], 'token')}."
            raise locate(InputError(problem, "Each token has one tag.", document=document))
