"""How the files of a corpus are read, into `datasets`: memory-mapped and cached by content, or streamed."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import tempfile
import warnings
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa
from datasets import Dataset, DatasetDict, Features, IterableDataset, IterableDatasetDict, NamedSplit, config

from ..errors import InputError
from .corpus_file import CorpusFile
from .layout import Files
from .parts import ROWS
from .source import Source, cache_folder

READER_VERSION = 2
"""To be raised whenever a loader gives other rows for the same bytes, so that older cache files are not used."""

_BLOCK = 1 << 20
"""How many bytes of a cache file are in memory at a time while it is checked."""

Loaded: TypeAlias = Dataset | DatasetDict | IterableDataset | IterableDatasetDict


class Corpus(ABC):
    """A way to read the files of a corpus.

    Attributes:
        key: the name and all options that change what is read from the same bytes.
        features: the columns.
    """

    key: str
    features: Features

    @abstractmethod
    def tables(self, file: CorpusFile) -> Iterator[pa.Table]:
        """Read the rows of a file, in parts."""

    def load(self, files: Files, split: object, *, streaming: bool, cache_dir: Source) -> Loaded:
        """Load all splits, or the one that was asked for.

        Raises:
            InputError: if the files cannot be read, or the cache cannot be written.
        """
        folder = cache_folder(cache_dir, "spanometer") or os.path.join(config.HF_DATASETS_CACHE, "spanometer")
        each: Callable[..., Any] = self._streamed if streaming else partial(self._cached, folder)
        loaded = {name: each(of_split, NamedSplit(name)) for name, of_split in files.items()}
        if split is not None:
            return loaded.popitem()[1]
        return IterableDatasetDict(loaded) if streaming else DatasetDict(loaded)

    def _streamed(self, files: tuple[CorpusFile, ...], split: NamedSplit) -> IterableDataset:
        return IterableDataset.from_generator(
            self._rows, features=self.features, gen_kwargs={"files": files}, split=split
        )

    def _rows(self, files: Iterable[CorpusFile]) -> Iterator[dict[str, Any]]:
        for table in chain.from_iterable(map(self.tables, files)):
            for batch in table.to_batches(max_chunksize=ROWS):
                yield from batch.to_pylist()

    def _cached(self, folder: str, files: tuple[CorpusFile, ...], split: NamedSplit) -> Dataset:
        """Map the cached rows of some files into memory; read and cache them first unless that was done before.

        A cache file is named by the hash of what was read and by the checksum of its own bytes. If they do not fit,
        the file is damaged, and is made anew with a warning.
        """
        identity = json.dumps([READER_VERSION, self.key, [file.digest() for file in files]])
        key = hashlib.sha256(identity.encode()).hexdigest()[:32]
        damaged = []
        for path in glob.glob(os.path.join(glob.escape(folder), f"{key}-*.arrow")):
            with suppress(OSError):
                if path.endswith(f"-{_checksum(path)}.arrow"):
                    return Dataset.from_file(path, split=split)
            warnings.warn(f"the cache file {path} is damaged; it is made anew.", stacklevel=5)
            damaged.append(path)
        try:
            path = self._write(files, folder, key)
            for other in {*damaged} - {path}:
                with suppress(FileNotFoundError):
                    os.remove(other)
        except OSError as error:
            problem = f"cannot be written: {(error.strerror or str(error)).lower()}."
            remedy = "Name another folder with cache_dir=..., or read with streaming=True, which writes nothing."
            raise InputError(problem, remedy, source=error.filename2 or error.filename or folder) from None
        return Dataset.from_file(path, split=split)

    def _write(self, files: tuple[CorpusFile, ...], folder: str, key: str) -> str:
        """Write a cache file, whole or not at all, and return its path."""
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            unfinished = os.path.join(temporary, key)
            with open(unfinished, "wb") as stream:
                with pa.ipc.new_stream(stream, self.features.arrow_schema) as writer:
                    for table in chain.from_iterable(map(self.tables, files)):
                        writer.write_table(table, ROWS)
                # otherwise a loss of power could leave the name without the bytes
                stream.flush()
                os.fsync(stream.fileno())
            path = os.path.join(folder, f"{key}-{_checksum(unfinished)}.arrow")
            os.replace(unfinished, path)
        return path


def _checksum(path: str) -> str:
    """Return the CRC-32 of a file; the SHA-256 of what was read, of about the same size, takes four times as long."""
    checksum = 0
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return f"{checksum:08x}"
