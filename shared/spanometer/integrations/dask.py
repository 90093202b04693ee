"""Scores of Parquet files on a Dask cluster: parts of files are counted by the workers, and counts summed as a tree.

    score("data/*.parquet", measures=("span_f", "link_f"), scheme="IOB2", client="tcp://scheduler:8786")

Row groups are read by those who count them, in batches, so that memory does not grow with the files. Dask is imported
when it is needed (the extra `dask`).
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..analysis.batches import Reading, Tally, form_of_type, require_columns
from ..analysis.streams import push, together
from ..errors import InputError
from ..version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local"
"""In place of an address: a cluster of this machine's own, for one call."""

PART = 4_000_000
"""How many values of the columns go into one part, unless one row group has more."""

BATCH = 1_000_000
"""How many values of the columns are in memory at a time."""

FAN_IN = 8
"""How many tallies are summed at a time."""

_URL = "://"
_PATIENCE = "30s"


@dataclass(frozen=True)
class RowGroup:
    """A row group of a Parquet file.

    Attributes:
        number: its number in the file.
        rows: how many rows it has.
        values: how many values the columns that are read have in it: tags, for example.
    """

    number: int
    rows: int
    values: int


@dataclass(frozen=True)
class FilePart:
    """What one task counts: some row groups of a file.

    Attributes:
        name: what messages call the file.
        path: where it is, wherever a worker runs.
        groups: the row groups.
        nested: the paths of the columns' values within the file, which are read as dictionaries.
    """

    name: str
    path: str
    groups: tuple[RowGroup, ...]
    nested: tuple[str, ...]

    @property
    def values(self) -> int:
        """How many values the columns have in all row groups."""
        return sum(group.values for group in self.groups)


def score(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    measures: Any = ("span_f",),
    scheme: str | None = None,
    repair: str = "conlleval",
    references: str = "references",
    predictions: str = "predictions",
    lengths: str | None = None,
    client: Client | str | None = None,
    progress: bool = True,
) -> dict[str, dict[str, float]]:
    """Score Parquet files on a cluster: each measure's headline values, as if all files were one corpus.

    The workers read the files themselves, part by part, so these must be where the workers can reach them under the
    same path. What a worker holds at a time are a million tags and the compressed pages of a row group. A part whose
    worker dies is counted again by another one; integer counts are those of one process to the last bit, floats but for
    rounding.

    Args:
        paths: a Parquet file, a pattern such as `"data/*.parquet"`, a folder, or several of these; also URLs that
            fsspec knows. Files count in the order of their names.
        measures: names of measures, measures with options, or a mapping that names the results, see
            `streams.score_stream`.
        scheme: name of the tag scheme, which must be stated for tags; None for spans and entities.
        repair: what becomes of illegal pairs of tags, see `decoding.decode`.
        references, predictions: the names of the columns, which hold lists of tags (also dictionary-encoded), of spans
            or of entities.
        lengths: the name of a column with the documents' numbers of tokens, for spans and entities.
        client: a Dask client, which is left open, or a scheduler's address. None starts worker processes on this
            machine, as many as it has cores, and ends them; as with all of Python's processes that are started afresh,
            a script then needs `if __name__ == "__main__":`.
        progress: show a progress bar on a terminal.

    Returns:
        The scores by the names of the measures (or those of the mapping) and their keys, built-in floats.

    Raises:
        InputError: where Dask is missing, no file matches, columns are missing or hold something else, and for
            documents that cannot be scored, with file, row group and row.
    """
    reading = Reading.of(measures, scheme, repair, references, predictions, lengths)
    return tally(paths, reading, client=client, progress=progress).score()


def tally(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    reading: Reading,
    *,
    client: Client | str | None = None,
    progress: bool = True,
) -> Tally:
    """The condensed tally of Parquet files: see `score`."""
    parts = plan(paths, reading)
    with _connected(client) as connected:
        return _attached(_run(connected, parts, reading, progress), reading)


def plan(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], reading: Reading) -> list[FilePart]:
    """The parts of files that are counted by themselves; of the files only the footers are read."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    parts = [part for pattern in given for name in _files(os.fspath(pattern)) for part in _parts(name, reading)]
    if not parts:
        raise InputError("there is nothing to score: the files hold no documents.", "Give files with rows.")
    return parts


def count_part(part: FilePart, reading: Reading, version: str = __version__) -> Tally:
    """The condensed tally of a part; errors say in which file, row group and row."""
    if version != __version__:
        raise InputError(
            f"a worker has spanometer {__version__}, and {version} asks.", "Install the same version everywhere."
        )
    stack: list[tuple[int, Tally]] = []
    with _parquet(part.name, part.path, part.nested) as file:
        for group in part.groups:
            first = 0
            rows = max(1, BATCH * group.rows // max(group.values, 1))
            for batch in file.iter_batches(rows, [group.number], reading.columns, use_threads=False):
                push(stack, _located(part.name, group.number, first, reading.tally, batch).condensed())
                first += len(batch)
    return together(stack)


def _run(client: Client, parts: Sequence[FilePart], reading: Reading, progress: bool) -> Tally:
    """Count all parts and sum their tallies as a tree, a few at a time, in their order."""
    from distributed import as_completed
    from tqdm import tqdm

    leaves = client.map(count_part, parts, reading=reading, version=__version__, pure=False)
    values = {leaf.key: part.values for leaf, part in zip(leaves, parts, strict=True)}
    tree: list[list[Future]] = [leaves]
    try:
        while len(tree[-1]) > 1:
            groups = [tree[-1][first : first + FAN_IN] for first in range(0, len(tree[-1]), FAN_IN)]
            tree.append([client.submit(_summed, group, pure=False) for group in groups])
        with tqdm(
            desc="scoring",
            total=sum(values.values()),
            unit="value",
            unit_scale=True,
            delay=1,
            leave=False,
            disable=None if progress else True,
        ) as bar:
            for leaf in as_completed(leaves):
                _require_well(leaf)
                bar.update(values[leaf.key])
        return tree[-1][0].result()
    except ModuleNotFoundError as error:
        raise InputError(f"a worker cannot import {error.name}.", "Install spanometer on the workers too.") from None
    finally:
        # after an error nothing is left to be computed
        client.cancel([future for level in tree for future in level])


def _require_well(leaf: Future) -> None:
    """Raise the error of a part that could not be counted."""
    from distributed import KilledWorker

    if leaf.status == "finished":
        return
    try:
        leaf.result()
    except KilledWorker as error:
        raise InputError(
            f"several workers died over one part of the files ({error.last_worker.address} last).",
            "Give the workers more memory, or write smaller row groups.",
        ) from None


def _summed(tallies: Sequence[Tally]) -> Tally:
    stack: list[tuple[int, Tally]] = []
    for part in tallies:
        push(stack, part)
    return together(stack)


def _attached(found: Tally, reading: Reading) -> Tally:
    """The tally with its measures: they did not travel with every part."""
    counts = {name: replace(counts, measure=reading.measures[name]) for name, counts in found.counts.items()}
    return replace(found, counts=counts)


@contextmanager
def _connected(client: Any) -> Iterator[Client]:
    """A client: the one that is given, one for an address, or one of a local cluster of its own."""
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise InputError("Dask is not installed.", 'Install it: pip install "spanometer[dask]".') from None
    if client is not None and not isinstance(client, (str, Client)):
        raise InputError(
            f"client={client!r} is no Dask client.", "Give a client, a scheduler's address, or None for this machine."
        )
    if isinstance(client, Client):
        yield client
        return
    with ExitStack() as opened:
        if client in (None, LOCAL):
            # tasks hold the interpreter much of the time, so processes and not threads
            cluster = LocalCluster(
                threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", processes=True
            )
            yield opened.enter_context(Client(opened.enter_context(cluster)))
            return
        try:
            connected = Client(client, timeout=_PATIENCE)
        except (OSError, ValueError, TypeError) as error:
            problem = str(error).partition("\n")[0].rstrip(".")
            raise InputError(
                f"no scheduler answers at {client!r}: {problem}.", "Give its address, such as tcp://127.0.0.1:8786."
            ) from None
        yield opened.enter_context(connected)


def _files(pattern: str) -> list[str]:
    """The files that a pattern, a folder or a name stands for, in the order of their names."""
    if _URL in pattern:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(pattern)
        found = sorted(system.unstrip_protocol(name) for name in system.glob(path))
    elif os.path.isdir(pattern):
        found = sorted(glob.glob(os.path.join(glob.escape(pattern), "*.parquet")))
    else:
        # a name may have brackets in it that are no pattern
        found = [pattern] if os.path.isfile(pattern) else sorted(filter(os.path.isfile, glob.glob(pattern)))
    if not found:
        raise InputError(f"there is no such file, or none in this folder: {pattern}.", "Name Parquet files.")
    return found


def _parts(name: str, reading: Reading) -> Iterator[FilePart]:
    """The parts of a file: row groups together up to a size."""
    path = name if _URL in name else os.path.abspath(name)
    with _parquet(name, path, ()) as file:
        try:
            require_columns(reading.columns, file.schema_arrow.names)
            _require_forms(file.schema_arrow, reading)
        except InputError as error:
            raise error.placed(source=name, document=None) from None
        nested = _value_paths(file, reading)
        groups = [_row_group(file, number, reading) for number in range(file.num_row_groups)]
    taken: list[RowGroup] = []
    for group in (group for group in groups if group.rows):
        if taken and sum(other.values for other in taken) + group.values > PART:
            yield FilePart(name, path, tuple(taken), nested)
            taken = []
        taken.append(group)
    if taken:
        yield FilePart(name, path, tuple(taken), nested)


def _require_forms(schema: pa.Schema, reading: Reading) -> None:
    """Raise an `InputError` unless the columns can be counted together, whatever is in them."""
    empty = schema.empty_table().select(reading.columns)
    for side, column in (("references", reading.references), ("predictions", reading.predictions)):
        try:
            form_of_type(empty.schema.field(column).type)
        except InputError as error:
            raise error.placed(side=side) from None
    reading.tally(empty)


def _value_paths(file: pq.ParquetFile, reading: Reading) -> tuple[str, ...]:
    """The paths of the columns' strings, which come as dictionaries if they are asked for by these."""
    leaves = [file.schema.column(number) for number in range(len(file.schema))]
    roots = (reading.references, reading.predictions)
    strings = [leaf for leaf in leaves if leaf.physical_type == "BYTE_ARRAY" and leaf.path.split(".")[0] in roots]
    tags = [leaf.path for leaf in strings if leaf.max_repetition_level == 1 and leaf.path.count(".") == 2]
    return tuple(tags)


def _row_group(file: pq.ParquetFile, number: int, reading: Reading) -> RowGroup:
    group = file.metadata.row_group(number)
    columns = [group.column(index) for index in range(group.num_columns)]
    values = [column.num_values for column in columns if column.path_in_schema.split(".")[0] in reading.columns]
    return RowGroup(number, group.num_rows, sum(values))


@contextmanager
def _parquet(name: str, path: str, dictionaries: Sequence[str]) -> Iterator[pq.ParquetFile]:
    """An open Parquet file; an `InputError` that names it where it is none."""
    with ExitStack() as opened:
        try:
            if _URL in path:
                import fsspec

                source: Any = opened.enter_context(fsspec.open(path, "rb"))
            else:
                source = path
            file = opened.enter_context(pq.ParquetFile(source, read_dictionary=list(dictionaries) or None))
        except (pa.ArrowInvalid, OSError) as error:
            problem = str(error).partition("\n")[0].rstrip(".")
            raise InputError(
                f"this cannot be read as Parquet: {problem}.", "Give Parquet files.", source=name
            ) from None
        yield file


def _located(name: str, group: int, first: int, count: Callable[[Any], Tally], batch: pa.RecordBatch) -> Tally:
    """The tally of a batch; an error says where in the file it is."""
    try:
        return _stripped(count(batch))
    except InputError as error:
        row = "" if error.document is None else f", row {first + error.document}"
        raise error.placed(source=f"{name}, row group {group}{row}", document=None) from None


def _stripped(found: Tally) -> Tally:
    """The tally without its measures, which may hold much data and are known to who asked for it."""
    return replace(found, counts={name: replace(counts, measure=None) for name, counts in found.counts.items()})
