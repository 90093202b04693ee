"""How the files of a corpus are read, into `datasets`: memory-mapped and cached by content, or streamed."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import tempfile
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
from .source import Source

READER_VERSION = 1
"""To be raised whenever a loader gives other rows for the same bytes, so that older cache files are not used."""

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
        each: Callable[..., Any] = self._streamed if streaming else partial(self._cached, cache_dir)
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

    def _cached(self, cache_dir: Source, files: tuple[CorpusFile, ...], split: NamedSplit) -> Dataset:
        """Map the cached rows of some files into memory; read and cache them first unless that was done before.

        A cache file is named by the hash of what was read and by its number of rows. If it is damaged, or has not as
        many rows, it is made again.
        """
        folder = os.path.join(config.HF_DATASETS_CACHE if cache_dir is None else cache_dir, "spanometer")
        identity = json.dumps([READER_VERSION, self.key, [file.digest() for file in files]])
        key = hashlib.sha256(identity.encode()).hexdigest()[:32]
        for path in glob.glob(os.path.join(glob.escape(folder), f"{key}-*.arrow")):
            with suppress(pa.ArrowException, OSError):
                dataset = Dataset.from_file(path, split=split)
                if path.endswith(f"-{len(dataset)}.arrow"):
                    return dataset
        try:
            return Dataset.from_file(self._write(files, folder, key), split=split)
        except OSError as error:
            problem = f"cannot be written: {(error.strerror or str(error)).lower()}."
            remedy = "Name another folder with cache_dir=..., or read with streaming=True, which writes nothing."
            raise InputError(problem, remedy, source=folder) from None

    def _write(self, files: tuple[CorpusFile, ...], folder: str, key: str) -> str:
        """Write a cache file, whole or not at all, and return its path."""
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            unfinished = os.path.join(temporary, key)
            rows = 0
            with pa.OSFile(unfinished, "wb") as stream, pa.ipc.new_stream(stream, self.features.arrow_schema) as writer:
                for table in chain.from_iterable(map(self.tables, files)):
                    writer.write_table(table, ROWS)
                    rows += len(table)
            path = os.path.join(folder, f"{key}-{rows}.arrow")
            os.replace(unfinished, path)
        return path
