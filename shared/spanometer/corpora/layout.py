"""How releases of corpora name their files, and how the files of a split are found among others."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import InputError, require_choice
from .corpus_file import CorpusFile

SPLITS = ("train", "validation", "test")
SPLIT_ALIASES = {"dev": "validation", "valid": "validation", "testa": "validation", "testb": "test"}
"""Other names of the splits, as the releases have them."""

USUAL_WORDS = {"train": "train", "validation": "dev", "test": "test"}
"""How most releases name the splits in their files."""

Files = Mapping[str, tuple[CorpusFile, ...]]
"""The files of each split."""


@dataclass(frozen=True)
class Layout:
    """The file names of a release.

    Attributes:
        corpus: what errors call the corpus.
        names: for each split the names that its file can have, in lower case; `*` stands for anything.
        folder: how the folder of the wanted files begins, in lower case, if several folders have files of that name.
        parquet_folders: the folders, each with a slash at its end, that may hold a split's Parquet files.
    """

    corpus: str
    names: Mapping[str, tuple[str, ...]]
    folder: str = ""
    parquet_folders: tuple[str, ...] = ()

    def splits_among(self, files: Sequence[CorpusFile], wanted: str | None, source: str) -> Files:
        """Find the files of the wanted split, or of all splits that there are.

        Raises:
            InputError: if there are none, or several files could be meant.
        """
        splits = SPLITS if wanted is None else (wanted,)
        found = {split: of_split for split in splits if (of_split := self._of_split(files, split, source))}
        if found:
            return found
        looked_for = ", ".join(name for split in splits for name in self.names[split])
        there = ", ".join(str(file.path) for file in files[:10]) or "no files"
        more = ", ..." if len(files) > 10 else ""
        raise InputError(
            f"there is no {' or '.join(splits)} split of {self.corpus} here: none of {looked_for} among {there}{more}.",
            "Give the folder or the archive of the release, another split or language, or the file itself.",
            source=source,
        )

    def _of_split(self, files: Sequence[CorpusFile], split: str, source: str) -> tuple[CorpusFile, ...]:
        """Find the file of a split, or its Parquet files."""
        named = [file for file in files if self._is_named(file, split)]
        if len(named) > 1 and self.folder:
            named = [file for file in named if file.path.parent.name.lower().startswith(self.folder)] or named
        if len(named) > 1:
            listed = ", ".join(str(file.path) for file in named[:10])
            problem = f"several files could be the {split} split of {self.corpus}: {listed}."
            raise InputError(problem, "Give the one that you mean as source=...", source=source)
        return tuple(named) or tuple(file for file in files if self._is_parquet(str(file.path), split))

    def split_of(self, file: CorpusFile, wanted: str | None = None) -> str:
        """Find the split of a single file: the wanted one, or the one that its name tells.

        Raises:
            InputError: if it is neither, or the two differ.
        """
        told = split_named(file)
        split = wanted or told
        if split is None:
            raise InputError(
                "the name of the file does not tell its split.", "Name it with split=...", source=file.name
            )
        if told not in (None, split):
            remedy = f"Give the file of the {wanted} split, or rename this one."
            raise InputError(f"by its name this file is the {told} split, not {wanted}.", remedy, source=file.name)
        return split

    def hub_patterns(self, splits: Iterable[str]) -> list[str]:
        """List patterns of the files of some splits, as `huggingface_hub` takes them."""
        named = [pattern for split in splits for name in self.names[split] for pattern in (name, f"*/{name}")]
        return named + [pattern for split in splits for pattern in self._parquet_patterns(split)]

    def _parquet_patterns(self, split: str) -> list[str]:
        return [f"{folder}{split}{rest}" for folder in self.parquet_folders for rest in ("/*.parquet", "-*.parquet")]

    def _is_parquet(self, path: str, split: str) -> bool:
        patterns = [pattern for pattern in self._parquet_patterns(split) if pattern.count("/") == path.count("/")]
        return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)

    def _is_named(self, file: CorpusFile, split: str) -> bool:
        # hidden files are not part of a release: macOS puts such a twin beside each file
        hidden = file.path.name.startswith(".")
        return not hidden and any(fnmatch.fnmatchcase(_bare(file), name) for name in self.names[split])


def _bare(file: CorpusFile) -> str:
    return file.path.name.lower().removesuffix(".gz")


def split_named(file: CorpusFile) -> str | None:
    """Read the split from a file's name; None if it names none or several."""
    words = re.split(r"[^a-z]+", _bare(file))
    found = {SPLIT_ALIASES.get(word, word) for word in words} & set(SPLITS)
    return found.pop() if len(found) == 1 else None


def require_split(split: object) -> str | None:
    """Resolve the name of a split to that of `datasets`; raise an `InputError` for an unknown one."""
    if split is None:
        return None
    name = SPLIT_ALIASES.get(str(split), str(split))
    if name not in SPLITS:
        require_choice("split", split, (*SPLITS, *SPLIT_ALIASES))
    return name
