"""Loading of a corpus: its files are found and read into `datasets`, cached by content or streamed."""

import fnmatch
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from huggingface_hub import constants, snapshot_download, utils

from ..exceptions import InputError, setting
from .files import ROWS, SPLITS, CorpusFile, Part, is_single, list_files, require_split

READER_VERSION = 3
"""Increase this number if a loader reads other rows from the same bytes, so that older caches are not used."""

CONVERTED = "refs/convert/parquet"
"""The revision on the Hub that has conversions to Parquet."""

USUAL_WORDS = {"train": "train", "validation": "dev", "test": "test"}
"""Names of splits that files of releases usually contain."""

Source: TypeAlias = str | os.PathLike[str] | None
Files: TypeAlias = Mapping[str, tuple[CorpusFile, ...]]
"""The files of each split."""

Loaded: TypeAlias = Dataset | DatasetDict | IterableDataset | IterableDatasetDict


@dataclass(frozen=True)
class HubRepository:
    """Where a corpus is on the Hub.

    Attributes:
        repository: the id of the data set.
        revision: a branch, a tag, a commit, or `refs/convert/parquet`.
    """

    repository: str
    revision: str

    def __str__(self) -> str:
        """Write both as `owner/name@revision`."""
        return f"{self.repository}@{self.revision}"

    def download(self, patterns: list[str], cache_dir: Source) -> str:
        """Download the files that match a pattern; if offline, take them from the Hub's cache.

        Raises:
            InputError: if neither the Hub nor the cache has them, if the data set or revision is unknown, or if its
                terms have not been accepted.
        """
        options = {"revision": self.revision, "allow_patterns": patterns, "cache_dir": _cache_folder(cache_dir)}
        try:
            return str(snapshot_download(self.repository, repo_type="dataset", **options))
        except (OSError, ValueError) as error:
            cause = error.__cause__ if isinstance(error, utils.LocalEntryNotFoundError) and error.__cause__ else error
            reason = f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0]}".rstrip(".: ")
            problem = f"this data set cannot be loaded from the Hub, {constants.ENDPOINT} ({reason})."
            remedy = (
                "Check repository=... and revision=.... If the data set has terms, accept them and sign in (HF_TOKEN). "
                "You can also set a mirror (HF_ENDPOINT), unset HF_HUB_OFFLINE, set a cache folder that can be written "
                "(cache_dir=..., HF_HOME), or give the corpus as source=..."
            )
            raise InputError(problem, remedy, source=str(self)) from None


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """A corpus: its columns, the names of its files, where it is on the Hub, and its reader.

    Attributes:
        name: the name of the corpus in errors.
        key: the name and all options that change the rows.
        declare: a function that returns the columns. It may read files; it is not called for cached corpora.
        read: a function that reads a file in parts.
        file_names: the possible file names of each split, in lower case, with `*` as wildcard.
        folder: how the folder's name begins, in lower case, if several folders have files of the same name.
        parquet_folders: the folders (with a final slash) of Parquet files.
        hub: where it is on the Hub, if it is there.
    """

    name: str
    key: str
    declare: Callable[[], Features]
    read: Callable[[CorpusFile], Iterator[Part]]
    file_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    folder: str = ""
    parquet_folders: tuple[str, ...] = ()
    hub: HubRepository | None = None

    @cached_property
    def features(self) -> Features:
        """The columns."""
        return self.declare()

    def find(self, source: Source, split: object, cache_dir: Source, **repository: str | None) -> Files:
        """Return the files of one split or of all splits, from a source or from the Hub.

        Args:
            source: a file (one split), a folder or an archive.
            split: the name of the split; None means all.
            cache_dir: the folder for files from the Hub.
            repository: the `repository` and `revision` to use instead of `hub`.

        Raises:
            InputError: if files are missing or ambiguous, or if a repository or revision is given together with a
                source; see also `HubRepository.download`.
        """
        wanted = require_split(split)
        splits = SPLITS if wanted is None else (wanted,)
        options = {option: value for option, value in repository.items() if value is not None}
        if source is None and self.hub is not None:
            hub = replace(self.hub, **options)
            # only the files of these splits
            names = [pattern for split in splits for name in self.file_names[split] for pattern in (name, f"*/{name}")]
            patterns = [*names, *chain.from_iterable(map(self._parquet_patterns, splits))]
            of_splits = self._splits_among(list_files(hub.download(patterns, cache_dir)), splits, str(hub))
            missing = [split for split in splits if split not in of_splits]
            if missing:
                # without a network, splits can be missing in the cache without an error
                problem = f"there is no {' and no '.join(missing)} split of this corpus, on the Hub or in its cache."
                remedy = f"Name the split that you need, split={next(iter(of_splits))!r}."
                raise InputError(problem, remedy, source=str(hub))
            return of_splits
        for option in options:
            problem = f"{option}=... applies only to the Hub, but source=... names files."
            raise InputError(problem, f"Leave out {option}=...")
        files = list_files(source)
        if is_single(files, source):
            return {_split_of(files[0], wanted): tuple(files)}
        return self._splits_among(files, splits, str(source))

    def load(self, files: Files, split: str | None, *, streaming: bool, cache_dir: Source) -> Loaded:
        """Load one split or all splits.

        Raises:
            InputError: if the files cannot be read, or the cache cannot be written.
        """
        folder = _cache_folder(cache_dir)
        loaded: Any = IterableDatasetDict() if streaming else DatasetDict()
        for name, of_split in files.items():
            if streaming:
                options = {"features": self.features, "gen_kwargs": {"files": of_split}, "split": NamedSplit(name)}
                loaded[name] = IterableDataset.from_generator(self._rows, **options)
            else:
                loaded[name] = self._cached(NamedSplit(name), of_split, folder)
        return loaded if split is None else loaded.popitem()[1]

    def tables(self, files: Iterable[CorpusFile]) -> Iterator[pa.Table]:
        """Read the rows of files in parts."""
        for part in chain.from_iterable(map(self.read, files)):
            yield part.table(self.features)

    def _rows(self, files: tuple[CorpusFile, ...]) -> Iterator[dict[str, Any]]:
        for table in self.tables(files):
            for batch in table.to_batches(max_chunksize=ROWS):
                yield from batch.to_pylist()

    def _cached(self, split: NamedSplit, files: tuple[CorpusFile, ...], folder: str | None) -> Dataset:
        """Map a split into memory; if it is not cached, read and cache it first."""
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

    def _splits_among(self, files: Sequence[CorpusFile], splits: Sequence[str], source: str) -> Files:
        """Return the files of all splits that there are."""
        by_split = {split: of_split for split in splits if (of_split := self._of_split(files, split, source))}
        if by_split:
            return by_split
        names = ", ".join(name for split in splits for name in self.file_names[split])
        there = ", ".join(str(file.path) for file in files[:10]) or "no files"
        more = ", ..." if len(files) > 10 else ""
        problem = f"there is no {' or '.join(splits)} split of {self.name} here. Expected {names}; got {there}{more}."
        remedy = "Give the folder or the archive of the release, another split or language, or the file itself."
        raise InputError(problem, remedy, source=source)

    def _of_split(self, files: Sequence[CorpusFile], split: str, source: str) -> tuple[CorpusFile, ...]:
        """Return the file of a split, or its Parquet files."""
        # hidden files are not part of a release: macOS puts such a twin beside each file
        visible = [file for file in files if not file.path.name.startswith(".")]
        named = [file for file in visible if _fits(file.bare_name, self.file_names[split])]
        if len(named) > 1 and self.folder:
            named = [file for file in named if file.path.parent.name.lower().startswith(self.folder)] or named
        if len(named) > 1:
            listed = ", ".join(str(file.path) for file in named[:10])
            problem = f"several files could be the {split} split of {self.name}: {listed}."
            raise InputError(problem, "Give the one that you mean as source=...", source=source)
        patterns = self._parquet_patterns(split)
        return tuple(named) or tuple(file for file in files if _fits(str(file.path), patterns))

    def _parquet_patterns(self, split: str) -> list[str]:
        return [f"{folder}{split}{rest}" for folder in self.parquet_folders for rest in ("/*.parquet", "-*.parquet")]


class _Builder(ArrowBasedBuilder):  # type: ignore[misc]
    """A `datasets` builder for one split, cached by the hash of its files."""

    def __init__(self, corpus: Corpus, split: NamedSplit, files: tuple[CorpusFile, ...], **options: Any) -> None:
        self._corpus, self._split, self._files = corpus, split, files
        super().__init__(**options)

    def _info(self) -> DatasetInfo:
        return DatasetInfo()

    def _split_generators(self, dl_manager: Any) -> list[SplitGenerator]:
        # not in _info: some corpora read their files to know their columns, and cached files are not read again
        self.info.features = self._corpus.features
        return [SplitGenerator(self._split)]

    def _generate_tables(self) -> Iterator[tuple[int, pa.Table]]:
        yield from enumerate(self._corpus.tables(self._files))


def _fits(path: str, patterns: Iterable[str]) -> bool:
    """Check whether a path matches a pattern; `*` does not match slashes."""
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns if pattern.count("/") == path.count("/"))


def _split_of(file: CorpusFile, wanted: str | None) -> str:
    """Return the split of a single file: the wanted split, or the split in the file's name."""
    named = file.split
    if wanted is None and named is None:
        problem = "the file name does not show which split this is."
        raise InputError(problem, "Name the split, such as split='train'.", source=file.name)
    if named is not None and wanted not in (None, named):
        problem = f"the file has the name of the {named} split, but you chose the {wanted} split."
        raise InputError(problem, f"Pass the file of the {wanted} split, or rename this file.", source=file.name)
    return wanted or str(named)


def _cache_folder(cache_dir: Source) -> str | None:
    """Return the path of a cache; raise an `InputError` unless it is a path or None."""
    if cache_dir is None:
        return None
    path = os.fspath(cache_dir) if isinstance(cache_dir, (str, os.PathLike)) else None
    if not isinstance(path, str) or "\0" in path:
        raise InputError(f"{setting('cache_dir', cache_dir)} is not a path.", "Pass the path of a folder, or None.")
    return path
