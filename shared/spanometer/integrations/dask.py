"""Score Parquet files on a Dask cluster: workers count parts of the files, and the counts are summed.

    score("data/*.parquet", measures=("span_f", "link_f"), scheme="IOB2", client="tcp://scheduler:8786")

Workers read row groups in batches, so memory does not grow with file size. Dask is an optional extra (`dask`).
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..analysis.scores.measure_result import sum_of_parts
from ..analysis.scores.streams import Reading, Tally
from ..exceptions import InputError
from ..version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = "local"
"""The value of `client` that starts a temporary cluster on this machine."""

PART = 4_000_000
"""The maximum number of values (such as tags) in a part, unless a single row group has more."""

BATCH = 1_000_000
"""The maximum number of values in memory at a time."""

FAN_IN = 8
"""The number of tallies that one task sums."""

_URL = "://"
_PATIENCE = "30s"

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class FilePart:
    """Row groups of a Parquet file that one task counts.

    Attributes:
        name: the name of the file in messages.
        path: the path of the file, the same for all workers.
        groups: the numbers of the row groups.
        values: the number of values (such as tags) in the row groups.
    """

    name: str
    path: str
    groups: tuple[int, ...]
    values: int


def score(
    paths: Paths, *, client: Client | str | None = None, progress: bool = True, **options: Any
) -> dict[str, dict[str, float]]:
    """Score Parquet files on a cluster as one corpus.

    Workers read the files in parts, so the files must have the same paths on all workers. A worker holds a million tags
    and the compressed pages of one row group in memory. If a worker dies, its parts are counted again. Integer counts
    are exact; floats can differ by rounding.

    Args:
        paths: a Parquet file, a pattern such as `"data/*.parquet"`, a folder, or several of these; also fsspec URLs.
            Files are sorted by name.
        client: a Dask client, or a scheduler's address. None starts one worker process for each core of this machine
            and stops them at the end; your script then needs `if __name__ == "__main__":`.
        progress: show a progress bar on a terminal.
        **options: the options of `streams.score_stream`, except `batch_size`. Columns may be dictionary-encoded.

    Returns:
        The scores by measure (or by its name in the mapping) and key, as built-in floats.

    Raises:
        InputError: if Dask, files or columns are missing, or if a document cannot be scored; the error names the file,
            row group and row.
    """
    return tally(paths, Reading.of(**options), client=client, progress=progress).score()


def tally(paths: Paths, reading: Reading, *, client: Client | str | None = None, progress: bool = True) -> Tally:
    """Count Parquet files on a cluster and return the condensed tally, see `score`."""
    parts = plan(paths, reading)
    with _connected(client) as connected:
        total = _run(connected, parts, reading, progress)
    # the parts come back without measures
    counts = {name: replace(counts, measure=reading.measures[name]) for name, counts in total.counts.items()}
    return replace(total, counts=counts)


def plan(paths: Paths, reading: Reading) -> list[FilePart]:
    """Divide files into parts, reading only the footers of the files."""
    patterns = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    parts = [part for pattern in patterns for name in _files(os.fspath(pattern)) for part in _parts(name, reading)]
    if not parts:
        raise InputError("the files have no documents to score.", "Pass files with rows.")
    return parts


def count_part(part: FilePart, reading: Reading, version: str = __version__) -> Tally:
    """Count a part. Errors name the file and the row.

    Returns the condensed tally without its measures, which may be large.
    """
    if version != __version__:
        problem = f"a worker has spanometer {__version__}, but the client has {version}."
        raise InputError(problem, "Install the same version everywhere.")
    total = sum_of_parts(_tallies(part, reading))
    return replace(total, counts={name: replace(counts, measure=None) for name, counts in total.counts.items()})


def _tallies(part: FilePart, reading: Reading) -> Iterator[Tally]:
    """Yield the condensed tally of each batch of a part."""
    with _parquet(part.name, part.path, reading) as file:
        for number in part.groups:
            first = 0
            rows = BATCH * file.metadata.row_group(number).num_rows // max(_values(file, number, reading), 1)
            for batch in file.iter_batches(max(rows, 1), [number], reading.columns, use_threads=False):
                try:
                    yield reading.tally(batch).condensed()
                except InputError as error:
                    row = "" if error.document is None else f", row {first + error.document}"
                    raise error.placed(source=f"{part.name}, row group {number}{row}", document=None) from None
                first += len(batch)


def _run(client: Client, parts: Sequence[FilePart], reading: Reading, progress: bool) -> Tally:
    """Count all parts, and sum their tallies in a tree of tasks, in a fixed order."""
    from distributed import KilledWorker, as_completed
    from tqdm import tqdm

    leaves = client.map(count_part, parts, reading=reading, version=__version__, pure=False)
    shown = {"desc": "scoring", "unit": "part", "delay": 1, "leave": False, "disable": None if progress else True}
    tree: list[list[Future]] = [leaves]
    try:
        while len(tree[-1]) > 1:
            groups = [tree[-1][first : first + FAN_IN] for first in range(0, len(tree[-1]), FAN_IN)]
            tree.append([client.submit(sum_of_parts, group, pure=False) for group in groups])
        for leaf in tqdm(as_completed(leaves), total=len(leaves), **shown):
            if leaf.status != "finished":
                leaf.result()
        total: Tally = tree[-1][0].result()
        return total
    except ModuleNotFoundError as error:
        raise InputError(f"a worker cannot import {error.name}.", "Install spanometer on the workers too.") from None
    except KilledWorker as error:
        problem = f"several workers died while they read the same part of the files ({error.last_worker.address} last)."
        raise InputError(problem, "Give the workers more memory, or write smaller row groups.") from None
    finally:
        # after an error nothing more is computed
        client.cancel([future for level in tree for future in level])


@contextmanager
def _connected(client: Any) -> Iterator[Client]:
    """Connect to a cluster, given a client or an address, or start a local cluster."""
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise InputError("Dask is not installed.", 'Install it: pip install "spanometer[dask]".') from None
    if isinstance(client, Client):
        yield client
    elif client in (None, LOCAL):
        # tasks hold the interpreter lock, hence processes and not threads
        local = {"threads_per_worker": 1, "processes": True, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
        with LocalCluster(**local) as cluster, Client(cluster) as connected:
            yield connected
    elif isinstance(client, str):
        try:
            connected = Client(client, timeout=_PATIENCE)
        except (OSError, ValueError, TypeError) as error:
            problem = str(error).partition("\n")[0].rstrip(".")
            raise InputError(
                f"no scheduler answers at {client!r}: {problem}.",
                "Pass the address of a scheduler, such as tcp://127.0.0.1:8786.",
            ) from None
        with connected:
            yield connected
    else:
        raise InputError(f"client={client!r} is not a Dask client.", "Pass a client, a scheduler's address, or None.")


def _file_system(path: str) -> tuple[Any, str]:
    """Return the file system of a URL, None for other paths, and the path in it."""
    if _URL not in path:
        return None, path
    from fsspec.core import url_to_fs

    system, path = url_to_fs(path)
    return system, path


def _files(pattern: str) -> list[str]:
    """List the files that match a pattern, are in a folder or have this path, sorted by name."""
    system, path = _file_system(pattern)
    if system is not None:
        names = [system.unstrip_protocol(name) for name in system.glob(path)]
    elif os.path.isdir(pattern):
        names = glob.glob(os.path.join(glob.escape(pattern), "*.parquet"))
    else:
        # brackets in a name need not be a pattern
        names = [pattern] if os.path.isfile(pattern) else list(filter(os.path.isfile, glob.glob(pattern)))
    if not names:
        raise InputError(f"no Parquet file found at {pattern}.", "Name Parquet files.")
    return sorted(names)


def _parts(name: str, reading: Reading) -> list[FilePart]:
    """Divide a file into parts of limited size."""
    parts: list[FilePart] = []
    path = name if _URL in name else os.path.abspath(name)
    with _parquet(name, path, reading) as file:
        try:
            # the columns must fit each other, whatever their content
            reading.tally(file.schema_arrow.empty_table())
        except InputError as error:
            raise error.placed(source=name, document=None) from None
        for number in range(file.num_row_groups):
            if file.metadata.row_group(number).num_rows == 0:
                continue
            values = _values(file, number, reading)
            if not parts or parts[-1].values + values > PART:
                parts.append(FilePart(name, path, (), 0))
            last = parts[-1]
            parts[-1] = replace(last, groups=(*last.groups, number), values=last.values + values)
    return parts


def _values(file: pq.ParquetFile, number: int, reading: Reading) -> int:
    """Return the number of values of the columns in a row group."""
    group = file.metadata.row_group(number)
    columns = [group.column(index) for index in range(group.num_columns)]
    return sum(column.num_values for column in columns if column.path_in_schema.split(".")[0] in reading.columns)


@contextmanager
def _parquet(name: str, path: str, reading: Reading) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file with dictionary-encoded columns; raise an `InputError` if it cannot be read."""
    system, path = _file_system(path)
    try:
        with pq.ParquetFile(path, filesystem=system) as file:
            metadata, leaves = file.metadata, [file.schema.column(number) for number in range(len(file.schema))]
        # lists of strings, found by the paths of their items
        tags = [
            leaf.path
            for leaf in leaves
            if leaf.path.split(".")[0] in reading.columns
            and (leaf.physical_type, leaf.max_repetition_level, leaf.path.count(".")) == ("BYTE_ARRAY", 1, 2)
        ]
        with pq.ParquetFile(path, filesystem=system, metadata=metadata, read_dictionary=tags) as file:
            yield file
    except (pa.ArrowInvalid, OSError) as error:
        problem = str(error).partition("\n")[0].rstrip(".")
        raise InputError(f"this cannot be read as Parquet: {problem}.", "Pass Parquet files.", source=name) from None
