"""Where the files of a corpus come from: a file, a folder, an archive or the Hub."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TypeAlias

from huggingface_hub import constants, snapshot_download, utils

from ..exceptions import InputError, setting
from .corpus_file import corpus_files, is_single
from .layout import SPLITS, Files, Layout, require_split

Source: TypeAlias = str | os.PathLike[str] | None

CONVERTED = "refs/convert/parquet"
"""The revision in which the Hub keeps its own conversions to Parquet of data sets that were loading scripts."""


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

    def files(self, layout: Layout, wanted: str | None, cache_dir: Source) -> Files:
        """Download the files of the wanted split, or of all three, and no others.

        Without a network they are taken from the Hub's cache.

        Raises:
            InputError: if the Hub cannot be reached and the cache has nothing, if there is no such data set, revision
                or split, and if its terms are not accepted.
        """
        folder = self._download(layout.hub_patterns(SPLITS if wanted is None else (wanted,)), cache_dir)
        found = layout.splits_among(corpus_files(folder), wanted, str(self))
        missing = [split for split in SPLITS if split not in found]
        if wanted is None and missing:
            # without a network the cache gives what happens to be there, and says nothing
            problem = f"there is no {' and no '.join(missing)} split of this corpus, on the Hub or in its cache."
            remedy = f"Name the split that you need, split={next(iter(found))!r}."
            raise InputError(problem, remedy, source=str(self))
        return found

    def _download(self, patterns: list[str], cache_dir: Source) -> str:
        try:
            folder: str = snapshot_download(
                self.repository,
                repo_type="dataset",
                revision=self.revision,
                allow_patterns=patterns,
                cache_dir=cache_folder(cache_dir),
            )
            return folder
        except (OSError, ValueError) as error:
            cause = error.__cause__ if isinstance(error, utils.LocalEntryNotFoundError) and error.__cause__ else error
            reason = f"{type(cause).__name__}: {str(cause).strip().partition(chr(10))[0]}".rstrip(".: ")
            problem = f"the Hub ({constants.ENDPOINT}) does not give this data set ({reason})."
            remedy = (
                "Name another (repository=..., revision=...), sign in where it asks for that or for its terms to be "
                "accepted (HF_TOKEN), name a mirror (HF_ENDPOINT), unset HF_HUB_OFFLINE, name a cache that can be "
                "written (cache_dir=..., HF_HOME), or give the corpus as source=..."
            )
            raise InputError(problem, remedy, source=str(self)) from None


def cache_folder(cache_dir: Source) -> str | None:
    """Read the path of a cache; raise an `InputError` unless it is one, or None."""
    if cache_dir is None:
        return None
    path = os.fspath(cache_dir) if isinstance(cache_dir, (str, os.PathLike)) else None
    if not isinstance(path, str) or "\0" in path:
        raise InputError(f"{setting('cache_dir', cache_dir)} is not a path.", "Give the path of a folder, or None.")
    return path


def find_files(
    source: Source, split: object, layout: Layout, hub: HubRepository | None, cache_dir: Source, **asked: str | None
) -> Files:
    """Find the files of the wanted split, or of all splits, in a source, or on the Hub if there is none.

    Args:
        source: a file, which is one split, a folder or an archive.
        split: the name of the wanted split, or None.
        layout: how the files are named.
        hub: where the corpus is on the Hub, or None if it is not there.
        cache_dir: where files from the Hub are kept.
        asked: the `repository` and the `revision` that replace those of `hub`.

    Raises:
        InputError: if there are no such files, and for a repository or revision beside a source.
    """
    wanted = require_split(split)
    given = {option: value for option, value in asked.items() if value is not None}
    if source is None and hub is not None:
        return replace(hub, **given).files(layout, wanted, cache_dir)
    for option in given:
        raise InputError(f"{option}=... is for the Hub, and source=... is given.", f"Leave out {option}=...")
    files = corpus_files(source)
    if is_single(files, source):
        return {layout.split_of(files[0], wanted): tuple(files)}
    return layout.splits_among(files, wanted, str(source))
