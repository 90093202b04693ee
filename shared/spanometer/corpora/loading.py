"""From the files of a corpus to `datasets`: cached as Arrow by content, or streamed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

import pyarrow as pa
from datasets import (
    Dataset,
    DatasetDict,
    Features,
    IterableDataset,
    IterableDatasetDict,
    NamedSplit,
    config,
)

from ..errors import InputError
from .corpus_file import CorpusFile, archive_kind, corpus_files
from .hub import HubRepository, hub_files
from .layout import SPLITS, Layout, require_split
from .parts import Part

READER_VERSION = 1
"""To be raised whenever a loader gives other rows for the same bytes: what was cached before is then not used."""

Source: TypeAlias = str | os.PathLike[str] | None
Loaded: TypeAlias = Dataset | DatasetDict | IterableDataset | IterableDatasetDict


class Corpus(ABC):
    """How the files of a corpus are read, into batches of rows.

    Attributes:
        key: the name and all options that change what is read from the same bytes.
        features: the columns.
    """

    key: str
    features: Features

    @abstractmethod
    def batches(self, file: CorpusFile) -> Iterator[pa.RecordBatch]:
        """The rows of a file, in batches."""

    def examples(self, files: tuple[CorpusFile, ...]) -> Iterator[dict[str, Any]]:
        """The rows of some files, one by one."""
        for file in files:
            for batch in self.batches(file):
                yield from batch.to_pylist()


class TaggedCorpus(Corpus):
    """A corpus of words and tags."""

    @abstractmethod
    def parts(self, file: CorpusFile) -> Iterator[Part]:
        """The sentences of a file, in parts."""

    def batches(self, file: CorpusFile) -> Iterator[pa.RecordBatch]:
        """The sentences of a file, in batches."""
        for part in self.parts(file):
            yield from part.batches(self.features)


def files_of_splits(
    source: Source,
    split: object,
    layout: Layout,
    known: HubRepository,
    repository: str | None,
    revision: str | None,
    cache_dir: Source,
) -> dict[str, tuple[CorpusFile, ...]]:
    """The files of the wanted split, or of all splits that there are.

    Raises:
        InputError: where there are none.
    """
    wanted = require_split(split)
    if source is None:
        asked = HubRepository(repository or known.repository, revision or known.revision)
        files = hub_files(asked, layout, SPLITS if wanted is None else (wanted,), cache_dir)
        found = _found(str(asked), files, wanted, layout)
        _require_all(found, wanted, asked)
        return found
    for option, value in (("repository", repository), ("revision", revision)):
        if value is not None:
            raise InputError(f"{option}=... is for the Hub, and source=... is given.", f"Leave out {option}=...")
    return local_files(source, wanted, layout)


def local_files(
    source: str | os.PathLike[str], wanted: str | None, layout: Layout
) -> dict[str, tuple[CorpusFile, ...]]:
    """The files of the wanted split, or of all splits, in a folder or an archive; or the file that is given."""
    files = corpus_files(source)
    name = os.fspath(source)
    if not os.path.isdir(name) and archive_kind(name) is None:
        return {_split_of_file(files[0], wanted, layout): tuple(files)}
    return _found(name, files, wanted, layout)


def _found(name: str, files: list[CorpusFile], wanted: str | None, layout: Layout) -> dict[str, tuple[CorpusFile, ...]]:
    splits = SPLITS if wanted is None else (wanted,)
    found = {split: layout.find(files, split) for split in splits}
    present = {split: files_of for split, files_of in found.items() if files_of}
    if not present:
        raise _nothing_found(name, layout, splits, files)
    return present


def _require_all(found: Mapping[str, Any], wanted: str | None, asked: HubRepository) -> None:
    """Refuse some splits for all: without network the Hub's cache gives what happens to be there, and says nothing."""
    missing = [split for split in SPLITS if split not in found]
    if wanted is None and missing:
        raise InputError(
            f"there is no {' and no '.join(missing)} split of this corpus, on the Hub or in its cache.",
            f"Name the split that you need, split={next(iter(found))!r}.",
            source=str(asked),
        )


def load(
    corpus: Corpus, files: Mapping[str, tuple[CorpusFile, ...]], split: object, *, streaming: bool, cache_dir: Source
) -> Loaded:
    """All splits, or the one that was asked for."""
    each: Callable[[str], Any] = (
        (lambda name: _streamed(corpus, files[name], name))
        if streaming
        else (lambda name: _cached(corpus, files[name], name, cache_dir))
    )
    if split is not None:
        (name,) = files
        return each(name)
    loaded = {name: each(name) for name in files}
    return IterableDatasetDict(loaded) if streaming else DatasetDict(loaded)


def cache_folder(cache_dir: Source) -> str:
    """Where Arrow files are kept; in the cache of `datasets` by default."""
    return os.path.join(config.HF_DATASETS_CACHE if cache_dir is None else cache_dir, "spanometer")


def _streamed(corpus: Corpus, files: tuple[CorpusFile, ...], split: str) -> IterableDataset:
    return IterableDataset.from_generator(
        corpus.examples, features=corpus.features, gen_kwargs={"files": files}, split=NamedSplit(split)
    )


def _cached(corpus: Corpus, files: tuple[CorpusFile, ...], split: str, cache_dir: Source) -> Dataset:
    identity = json.dumps([READER_VERSION, corpus.key, [file.digest() for file in files]])
    key = hashlib.sha256(identity.encode()).hexdigest()[:32]
    path = os.path.join(cache_folder(cache_dir), f"{key}.arrow")
    if os.path.isfile(path):
        with contextlib.suppress(pa.ArrowException, OSError):
            return Dataset.from_file(path, split=NamedSplit(split))
    _write(path, corpus.features.arrow_schema, chain.from_iterable(map(corpus.batches, files)))
    return Dataset.from_file(path, split=NamedSplit(split))


def _write(path: str, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
    """Write an Arrow file whole or not at all."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(suffix=".tmp", dir=folder)
    except OSError as error:
        raise _no_cache(folder, error) from None
    try:
        with os.fdopen(handle, "wb") as stream, pa.ipc.new_stream(stream, schema) as writer:
            for batch in batches:
                try:
                    writer.write_batch(batch)
                except OSError as error:
                    raise _no_cache(folder, error) from None
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _no_cache(folder: str, error: OSError) -> InputError:
    return InputError(
        f"cannot be written: {(error.strerror or str(error)).lower()}.",
        "Name another folder with cache_dir=..., or read with streaming=True, which writes nothing.",
        source=folder,
    )


def _split_of_file(file: CorpusFile, wanted: str | None, layout: Layout) -> str:
    """The split that a single file is."""
    told = layout.told(file)
    if wanted is None and told is None:
        raise InputError(
            "the name of the file does not tell which split it is.",
            f"Name it with split=...: {', '.join(map(repr, SPLITS))}.",
            source=file.name,
        )
    if wanted and told and wanted != told:
        raise InputError(
            f"by its name this file is the {told} split, and split={wanted!r} is asked for.",
            f"Give the file of the {wanted} split, or rename this one.",
            source=file.name,
        )
    return wanted or told or SPLITS[0]


def _nothing_found(name: str, layout: Layout, splits: tuple[str, ...], files: list[CorpusFile]) -> InputError:
    looked_for = ", ".join(name for split in splits for name in layout.names[split])
    there = ", ".join(str(file.path) for file in files[:10]) or "no files"
    return InputError(
        f"there is no {' or '.join(splits)} split of {layout.corpus} here: none of {looked_for}. There "
        f"{'are' if len(files) != 1 else 'is'} {there}{', ...' if len(files) > 10 else ''}.",
        "Give the folder or the archive of the release, another split or language, or the file itself.",
        source=name,
    )
