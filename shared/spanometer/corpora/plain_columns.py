"""Any file of columns in the manner of CoNLL."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from datasets import ClassLabel, Features, List, Value

from ..errors import InputError
from ..readers import Column, TagFile, read_parts
from ..tags.tags import check_names, split_tag
from .corpus_file import CorpusFile, archive_kind, corpus_files
from .layout import SPLITS, Layout, require_split
from .loading import Loaded, Source, TaggedCorpus, load
from .parts import Part

Files = Mapping[str, tuple[CorpusFile, ...]]


def load_conll(
    source: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]],
    split: str | None = None,
    *,
    column: Column = None,
    words: bool | int | str = True,
    tag_names: Sequence[str] | None = None,
    outside: str | None = None,
    streaming: bool = False,
    cache_dir: Source = None,
) -> Loaded:
    """Any files of columns: a token a line, a blank line between sentences, as `readers.read` takes them.

    Columns: `id` (string, the number of the sentence), `tokens` (list of strings; not where the file has tags only),
    `ner_tags` (list of `ClassLabel`). Tags stay as they are in the file.

    Args:
        source: a file (it may be gzipped), or a mapping of splits to files, `{"train": ..., "test": ...}`.
        split: `train`, `validation` or `test`; None for all that are given. A file by itself is the split that is named
            here, else the one that its name tells, else, as `datasets` has it, `train`.
        column: the column of the tags, by number from 1 (negative: from the right) or by name; the last by default.
        words: the column of the words, True to find it, or False to leave it out.
        tag_names: the names of the tags in the order of their codes; by default those in all of the files, `O` first,
            then by label. They are found in a first pass; with `streaming`, that reads the files twice.
        outside: a tag that is to be read as `O`, such as `_`.
        streaming: read while iterating, and keep nothing.
        cache_dir: as in `load_multiconer`.

    Returns:
        As `load_multiconer`.

    Raises:
        InputError: for unknown splits, for tags that no scheme knows or that `tag_names` lacks, and for malformed
            files, with the line.
    """
    files = _files(source, split)
    corpus = PlainColumns(files, column, words, tag_names, outside)
    wanted = require_split(split)
    if wanted is not None and wanted not in files:
        raise InputError(f"there is no {wanted} split.", f"The splits given are {', '.join(files)}.")
    return load(
        corpus,
        files if wanted is None else {wanted: files[wanted]},
        wanted,
        streaming=streaming,
        cache_dir=cache_dir,
    )


class PlainColumns(TaggedCorpus):
    """How plain columns are read.

    Attributes:
        features: found in a first pass over the files, when they are first asked for.
    """

    def __init__(
        self,
        files: Files,
        column: Column,
        words: bool | int | str,
        tag_names: Sequence[str] | None,
        outside: str | None,
    ) -> None:
        self._files = files
        self._column = column
        self._words = words
        self._tag_names = None if tag_names is None else _checked(tag_names)
        self._outside = outside

    @cached_property
    def key(self) -> str:  # type: ignore[override]
        """The options, and what the names of the tags depend on."""
        names: Any = self._tag_names
        if names is None:
            names = sorted(file.digest() for file in chain.from_iterable(self._files.values()))
        return json.dumps(["columns", self._column, self._words, names, self._outside])

    @cached_property
    def features(self) -> Features:  # type: ignore[override]
        """The columns, with the names of the tags."""
        names: set[str] = set()
        with_words = True
        for file in chain.from_iterable(self._files.values()):
            for part in self._parts(file):
                # said here of the line, not later of a code
                self._check(part)
                names.update(part.tags[0].names)
                with_words &= part.words is not None
                if not with_words and self._tag_names:
                    break
        features: dict[str, Any] = {"id": Value("string"), "tokens": List(Value("string"))}
        if not with_words:
            del features["tokens"]
        features["ner_tags"] = List(ClassLabel(names=self._tag_names or sorted(names, key=_in_order)))
        return Features(features)

    def parts(self, file: CorpusFile) -> Iterator[Part]:
        """The sentences of a file, in parts."""
        sentences = 0
        for part in self._parts(file):
            count = len(part.document_lines)
            columns = {"ner_tags": part.tags[0]} | ({} if part.words is None else {"tokens": part.words})
            yield Part(columns, {"id": list(map(str, range(sentences, sentences + count)))}, part.locate)
            sentences += count

    def _parts(self, file: CorpusFile) -> Iterator[TagFile]:
        with file.open() as stream:
            yield from read_parts(
                stream, columns=[self._column], words=self._words, outside=self._outside, name=file.name
            )

    def _check(self, part: TagFile) -> None:
        try:
            check_names(part.tags[0], None)
        except InputError as error:
            raise part.locate(error) from None


def _checked(names: Any) -> list[str]:
    """The names of the tags; an `InputError` unless they are strings, each one once."""
    listed = [] if isinstance(names, (str, bytes)) or not isinstance(names, Iterable) else list(names)
    if not listed or not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(f"tag_names={names!r} is not a list of tags.", "Give each tag once, ['O', 'B-PER', 'I-PER'].")
    return listed


def _in_order(tag: str) -> tuple[str, str]:
    prefix, label = split_tag(tag)
    return ("", "") if tag == "O" else (label or "", prefix)


def _files(source: object, split: object) -> Files:
    if isinstance(source, Mapping):
        named = {require_split(name): path for name, path in source.items()}
        if not named or None in named or len(named) < len(source):
            raise InputError(f"source={source!r} does not name each split once.", "Give {'train': 'train.conll', ...}.")
        return {name: (_single(named[name]),) for name in SPLITS if name in named}
    file = _single(source)
    return {require_split(split) or _NAMES.told(file) or SPLITS[0]: (file,)}


_NAMES = Layout("", dict.fromkeys(SPLITS, ()))


def _single(path: Any) -> CorpusFile:
    files = corpus_files(path)
    if len(files) != 1 or files[0].location != files[0].name or archive_kind(files[0].location):
        raise InputError(
            "this is a folder or an archive, and does not say which of its files is which split.",
            "Give a file, or {'train': 'train.conll', 'test': 'test.conll'}.",
            source=os.fspath(path),
        )
    return files[0]
