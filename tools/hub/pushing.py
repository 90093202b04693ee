"""Pushing of Spaces to the Hub: only changed files, one commit for each Space."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spanometer.exceptions import InputError
from spanometer.version import __version__

from .building import require_namespace, space
from .cards import page_folders, require_names

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_KEPT = frozenset({".gitattributes"})
"""The files that the Hub itself adds to a Space."""

_REMEDY = (
    "Check the token (HF_TOKEN, or hf auth login) and that it may write to the namespace, the network, HF_ENDPOINT "
    "and HF_HUB_OFFLINE, and push again; nothing has changed there."
)


@dataclass(frozen=True)
class Change:
    """The changes that a push makes to a Space.

    Attributes:
        space: its name with its namespace.
        created: whether the Space is new.
        paths: the files that are `added`, `changed` and `deleted`.
    """

    space: str
    created: bool
    paths: dict[str, list[str]]

    def __str__(self) -> str:
        """Return the numbers of changed files in words."""
        counts = [f"{len(paths)} {kind}" for kind, paths in self.paths.items() if paths]
        return ", ".join([*(["new"] if self.created else []), *counts]) or "unchanged"


def push(namespace: str, selected: Iterable[str] = (), *, dry_run: bool = False) -> Iterator[Change]:
    """Update the Spaces of metrics on the Hub, one after another.

    Unchanged files are kept, and files that are no longer built are deleted. A Space without changes gets no commit.
    The token comes from `HF_TOKEN` or the login of `huggingface_hub`.

    Args:
        namespace: the user or organisation that owns the Spaces.
        selected: the metrics and pages; all of them if empty.
        dry_run: whether to change nothing. It needs no token for public Spaces.

    Yields:
        The changes of each Space after they are made; in a dry run, the planned changes.

    Raises:
        InputError: if there is no token or it has no write access, or if the Hub cannot be reached or reports an error.
    """
    require_namespace(namespace)
    chosen = require_names(selected, page_folders())
    with _errors_of(namespace):
        from huggingface_hub import HfApi, get_token

        api = HfApi(library_name="spanometer", library_version=__version__)
        if not dry_run and get_token() is None:
            raise InputError("there is no token for the Hub.", "Set HF_TOKEN, or log in with hf auth login.")
    # everything is built before anything is pushed
    spaces = {f"{namespace}/{name}": space(name, namespace=namespace) for name in chosen}
    for name, files in spaces.items():
        with _errors_of(name):
            yield _push(api, name, files, dry_run=dry_run)


def _push(api: "HfApi", name: str, files: dict[str, bytes], *, dry_run: bool) -> Change:
    there = _remote(api, name)
    created = there is None
    if created and not dry_run:
        api.create_repo(name, repo_type="space", space_sdk="gradio", exist_ok=True)
        # the Hub starts a Space with files of its own
        there = _remote(api, name)
    commit, remote = there or (None, {})
    hashes = {path: _blob(content) for path, content in files.items()}
    paths = {
        "added": [path for path in files if path not in remote],
        "changed": [path for path in files if path in remote and remote[path] != hashes[path]],
        "deleted": sorted(path for path in remote if path not in files and path not in _KEPT),
    }
    if any(paths.values()) and not dry_run:
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        new = [CommitOperationAdd(path, files[path]) for path in (*paths["added"], *paths["changed"])]
        old = [CommitOperationDelete(path, is_folder=False) for path in paths["deleted"]]
        api.create_commit(
            name,
            [*new, *old],
            commit_message=f"Spanometer {__version__}",
            repo_type="space",
            # refused if somebody else has pushed in the meantime
            parent_commit=commit,
        )
    return Change(name, created, paths)


def _remote(api: "HfApi", name: str) -> tuple[str | None, dict[str, str | None]] | None:
    """Return the commit of a Space and git's hashes of its files; None if it does not exist or cannot be accessed."""
    from huggingface_hub.utils import RepositoryNotFoundError

    try:
        info = api.space_info(name, files_metadata=True)
    except RepositoryNotFoundError:
        return None
    return info.sha, {file.rfilename: file.blob_id for file in info.siblings or ()}


def _blob(content: bytes) -> str:
    """Return git's hash of a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    """Convert errors of the client to an `InputError` without their text, which may contain sent data."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        status = getattr(getattr(error, "response", None), "status_code", None)
        answer = f"the Hub answers {status}" if status else "the Hub does not answer, or not as a hub does"
        raise InputError(f"{answer} ({type(error).__name__}).", _REMEDY, source=name) from None
