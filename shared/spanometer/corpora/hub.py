"""The files of a corpus from the Hub."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass

from huggingface_hub import constants, snapshot_download
from huggingface_hub.utils import (
    GatedRepoError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from ..errors import InputError
from .corpus_file import CorpusFile, corpus_files
from .layout import Layout

CONVERTED = "refs/convert/parquet"
"""Where the Hub keeps its own conversions to Parquet of data sets that were loading scripts."""


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
        """Both, as `owner/name@revision`."""
        return f"{self.repository}@{self.revision}"


def hub_files(
    known: HubRepository, layout: Layout, splits: Collection[str], cache_dir: str | os.PathLike[str] | None
) -> list[CorpusFile]:
    """Download the files of some splits, and nothing else, or take them from the Hub's cache where there is no network.

    Raises:
        InputError: where the Hub cannot be reached and the cache has nothing, where there is no such data set or
            revision, and where its terms are not accepted.
    """
    try:
        folder = snapshot_download(
            known.repository,
            repo_type="dataset",
            revision=known.revision,
            allow_patterns=layout.hub_patterns(splits),
            cache_dir=None if cache_dir is None else os.path.join(cache_dir, "hub"),
        )
    except GatedRepoError:
        raise InputError(
            f"the data set {known.repository} asks its users to accept its terms first.",
            "Accept them on its page, then sign in (hf auth login, or HF_TOKEN); or download the corpus yourself and "
            "give it as source=...",
            source=str(known),
        ) from None
    except (RepositoryNotFoundError, RevisionNotFoundError, HFValidationError) as error:
        what = "revision" if isinstance(error, RevisionNotFoundError) else "data set"
        raise InputError(
            f"the Hub ({constants.ENDPOINT}) has no such {what}, or does not show it to you.",
            "Name another with repository=... and revision=..., sign in (hf auth login, or HF_TOKEN), or give the "
            "corpus as source=...",
            source=str(known),
        ) from None
    except (OSError, ValueError) as error:
        raise _out_of_reach(known, error) from None
    return corpus_files(folder)


def _out_of_reach(known: HubRepository, error: Exception) -> InputError:
    offline = constants.HF_HUB_OFFLINE
    cause = error.__cause__ if isinstance(error, LocalEntryNotFoundError) and error.__cause__ else error
    reason = str(cause).strip().partition("\n")[0].rstrip(".") or type(cause).__name__
    return InputError(
        "HF_HUB_OFFLINE is set, and the corpus is not in the Hub's cache."
        if offline
        else f"the Hub ({constants.ENDPOINT}) cannot be reached ({reason}).",
        "Give the corpus as source=... (a file, a folder or an archive), or "
        + ("unset HF_HUB_OFFLINE." if offline else "name a mirror with the environment variable HF_ENDPOINT."),
        source=str(known),
    )
