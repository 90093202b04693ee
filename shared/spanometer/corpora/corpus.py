"""How the files of a corpus are read, into `datasets`: memory-mapped and cached by content, or streamed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa
from datasets import (
    ArrowBasedBuilder,
    Dataset,
    DatasetDict,
    DatasetInfo,
    Features,
    IterableDataset,
    IterableDatasetDict,
    NamedSplit,
    SplitGenerator,
)
from datasets.exceptions import DatasetGenerationError

from ..exceptions import InputError
from .corpus_file import CorpusFile
from .layout import Files
from .parts import ROWS
from .source import Source, cache_folder

READER_VERSION = 3
"""To be raised whenever a loader gives other rows for the same bytes, so that older cache files are not used."""

Loaded: TypeAlias = Dataset | DatasetDict | IterableDataset | IterableDatasetDict


@dataclass(frozen=True)
class Corpus:
    """A corpus: its columns, and how a file of it is read.

    Attributes:
        key: the name and all options that change what is read from the same bytes.
        declare: makes the columns; some corpora read their files to know them, and what is cached is not read again.
        read: reads the rows of a file with these columns, in parts.
    """

    key: str
    declare: Callable[[], Features]
    read: Callable[[CorpusFile, Features], Iterator[pa.Table]]

    @cached_property
    def features(self) -> Features:
        """The columns."""
        return self.declare()

    def load(self, files: Files, split: str | None, *, streaming: bool, cache_dir: Source) -> Loaded:
        """Load all splits, or the one that was asked for.

        Raises:
            InputError: if the files cannot be read, or the cache cannot be written.
        """
        folder = cache_folder(cache_dir)
        loaded: Any = IterableDatasetDict() if streaming else DatasetDict()
        for name, of_split in files.items():
            if streaming:
                options = {"features": self.features, "gen_kwargs": {"files": of_split}, "split": NamedSplit(name)}
                loaded[name] = IterableDataset.from_generator(self._rows, **options)
            else:
                loaded[name] = self._cached(NamedSplit(name), of_split, folder)
        return loaded if split is None else loaded.popitem()[1]

    def tables(self, files: Iterable[CorpusFile]) -> Iterator[pa.Table]:
        """Read the rows of files, in parts."""
        return chain.from_iterable(self.read(file, self.features) for file in files)

    def _rows(self, files: tuple[CorpusFile, ...]) -> Iterator[dict[str, Any]]:
        for table in self.tables(files):
            for batch in table.to_batches(max_chunksize=ROWS):
                yield from batch.to_pylist()

    def _cached(self, split: NamedSplit, files: tuple[CorpusFile, ...], folder: str | None) -> Dataset:
        """Map a split into memory; read and cache it first unless that was done before."""
        identity = json.dumps([READER_VERSION, self.key, str(split), [file.digest() for file in files]])
        digest = hashlib.sha256(identity.encode()).hexdigest()[:32]
        try:
            builder = _Builder(self, split, files, cache_dir=folder, dataset_name="spanometer", hash=digest)
            builder.download_and_prepare()
            return builder.as_dataset(split)
        except (OSError, pa.ArrowException, DatasetGenerationError) as error:
            cause = error.__cause__ or error
            if not isinstance(cause, (OSError, pa.ArrowException)):
                raise cause from None
            problem = f"the cache cannot be used: {(getattr(cause, 'strerror', None) or str(cause)).lower()}."
            remedy = "Name another folder with cache_dir=..., or read with streaming=True, which writes nothing."
            raise InputError(problem, remedy, source=getattr(cause, "filename", None) or folder) from None


class _Builder(ArrowBasedBuilder):  # type: ignore[misc]
    """A builder of `datasets` for a split, cached by the hash of what is read."""

    def __init__(self, corpus: Corpus, split: NamedSplit, files: tuple[CorpusFile, ...], **options: Any) -> None:
        self._corpus, self._split, self._files = corpus, split, files
        super().__init__(**options)

    def _info(self) -> DatasetInfo:
        return DatasetInfo()

    def _split_generators(self, dl_manager: Any) -> list[SplitGenerator]:
        # not in _info: some corpora read their files to know their columns, and what is cached is not read again
        self.info.features = self._corpus.features
        return [SplitGenerator(self._split)]

    def _generate_tables(self) -> Iterator[tuple[int, pa.Table]]:
        yield from enumerate(self._corpus.tables(self._files))
