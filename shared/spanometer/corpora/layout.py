"""How releases of corpora name their files, and how the files of a split are found among others."""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..errors import InputError
from .corpus_file import CorpusFile

SPLITS = ("train", "validation", "test")
SPLIT_ALIASES = {"dev": "validation", "valid": "validation", "testa": "validation", "testb": "test"}
"""Other names of the splits, as the releases have them."""

_PACKED = ".gz"


@dataclass(frozen=True)
class Layout:
    """The file names of a release.

    Attributes:
        corpus: what errors call the corpus.
        names: for each split the names that its file can have, in lower case; `*` stands for anything.
        folder: how the folder of the wanted files begins, in lower case, where several folders have files of that name.
        configurations: what the folder of Parquet files can be called.
        whole: whether Parquet files outside such a folder are of this corpus too.
    """

    corpus: str
    names: Mapping[str, tuple[str, ...]]
    folder: str = ""
    configurations: tuple[str, ...] = ()
    whole: bool = False

    def find(self, files: Sequence[CorpusFile], split: str) -> tuple[CorpusFile, ...]:
        """The file of a split, or its Parquet files; empty where there is none.

        Raises:
            InputError: where several files could be meant.
        """
        named = [file for file in files if self._is_named(file, split)]
        if len(named) > 1 and self.folder:
            named = [file for file in named if file.path.parent.name.lower().startswith(self.folder)] or named
        if len(named) > 1:
            listed = ", ".join(str(file.path) for file in named[:10])
            raise InputError(
                f"several files could be the {split} split of {self.corpus}: {listed}.",
                "Give the one that you mean as source=...",
                source=_above(named[0]),
            )
        if named:
            return tuple(named)
        pattern = re.compile(self._parquet_pattern(split))
        return tuple(file for file in files if pattern.fullmatch(str(file.path)))

    def told(self, file: CorpusFile) -> str | None:
        """The split that a file's name tells, or None."""
        exact = next((split for split in self.names if self._is_named(file, split)), None)
        if exact:
            return exact
        words = re.split(r"[^a-z]+", _bare(file))
        found = {SPLIT_ALIASES.get(word, word) for word in words} & set(SPLITS)
        return found.pop() if len(found) == 1 else None

    def _is_named(self, file: CorpusFile, split: str) -> bool:
        # what begins with a dot is not part of a release: macOS puts such a twin beside each file
        return not file.path.name.startswith(".") and any(
            fnmatch.fnmatchcase(_bare(file), name) for name in self.names[split]
        )

    def hub_patterns(self, splits: Collection[str]) -> list[str]:
        """Patterns, as `huggingface_hub` takes them, of the files of some splits."""
        patterns = []
        for split in splits:
            patterns += [pattern for name in self.names[split] for pattern in (name, f"*/{name}")]
            for folder in self._parquet_folders():
                patterns += [f"{folder}{split}/*.parquet", f"{folder}{split}-*.parquet"]
        return patterns

    def _parquet_folders(self) -> list[str]:
        return [*(f"{name}/" for name in self.configurations), *(("", "data/") if self.whole else ())]

    def _parquet_pattern(self, split: str) -> str:
        folders = "|".join(map(re.escape, self._parquet_folders()))
        return rf"(?:{folders}){split}(?:/[^/]+|-[^/]+)\.parquet" if folders else r"(?!)"


def _bare(file: CorpusFile) -> str:
    return file.path.name.lower().removesuffix(_PACKED)


def _above(file: CorpusFile) -> str:
    return file.location if file.archive else os.path.dirname(file.location).removesuffix(str(file.path.parent)) or "."


def require_split(split: object) -> str | None:
    """The name of a split, in the manner of `datasets`; an `InputError` with a suggestion for anything else."""
    if split is None:
        return None
    name = str(split)
    known = SPLIT_ALIASES.get(name, name)
    if known not in SPLITS:
        raise unknown("split", name, (*SPLITS, *SPLIT_ALIASES))
    return known


def unknown(option: str, value: object, choices: Sequence[str]) -> InputError:
    """An error about a value that is none of the choices, with the one that it resembles."""
    close = difflib.get_close_matches(str(value).lower(), choices, n=1, cutoff=0.5)
    meant = f"Did you mean {close[0]!r}? " if close else ""
    return InputError(f"there is no {option} {value!r}.", f"{meant}Use one of {', '.join(map(repr, choices))}.")
