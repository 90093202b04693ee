"""Files of columns in the manner of CoNLL, whatever their tags."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa
from datasets import Features

from ..exceptions import InputError
from ..readers import Column, DocumentFile
from ..tags.tags import check_names, split_tag
from .corpus import Corpus, Loaded
from .corpus_file import CorpusFile, corpus_files, is_single
from .layout import SPLITS, Files, require_split, split_named
from .parts import Part, column_parts, sentence_features
from .source import Source


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
    """Load any files of columns: a token a line, a blank line between sentences, as `readers.read` takes them.

    Columns: `id` (string, the number of the sentence), `tokens` (list of strings; not if the file has tags only),
    `ner_tags` (list of `ClassLabel`). Tags stay as they are in the file.

    Args:
        source: a file (it may be gzipped), or a mapping of splits to files, `{"train": ..., "test": ...}`.
        split: `train`, `validation` or `test`; None for all that are given. A single file is the split that is named
            here, else the one that its name tells, else, as in `datasets`, `train`.
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
    wanted = require_split(split)
    if wanted is not None and wanted not in files:
        raise InputError(f"there is no {wanted} split.", f"The splits given are {', '.join(files)}.")
    read = tuple(chain.from_iterable(files.values()))
    way = _PlainColumns(column, words, None if tag_names is None else _checked(tag_names), outside)
    names = way.tag_names or sorted(file.digest() for file in read)
    corpus = Corpus(json.dumps(["columns", column, words, names, outside]), partial(way.features, read), way.tables)
    chosen = files if wanted is None else {wanted: files[wanted]}
    return corpus.load(chosen, wanted, streaming=streaming, cache_dir=cache_dir)


@dataclass(frozen=True)
class _PlainColumns:
    """How plain columns are read.

    Attributes:
        column, words, tag_names, outside: as in `load_conll`.
    """

    column: Column
    words: bool | int | str
    tag_names: list[str] | None
    outside: str | None

    def features(self, files: Sequence[CorpusFile]) -> Features:
        """Make the columns, with the names of the tags in the files of all splits."""
        names: set[str] = set()
        with_words = True
        for part, _ in chain.from_iterable(map(self._read, files)):
            try:
                # an error here names the line, later only a code
                check_names(part.tags[0], None)
            except InputError as error:
                raise part.locate(error) from None
            names.update(part.tags[0].names)
            with_words &= part.words is not None
        features = sentence_features({"ner_tags": self.tag_names or sorted(names, key=_in_order)})
        if not with_words:
            del features["tokens"]
        return features

    def tables(self, file: CorpusFile, features: Features) -> Iterator[pa.Table]:
        """Read the sentences of a file, in parts."""
        for part, numbers in self._read(file):
            columns = {"ner_tags": part.tags[0]} | ({} if part.words is None else {"tokens": part.words})
            yield Part(columns, numbers, part.locate).table(features)

    def _read(self, file: CorpusFile) -> Iterator[tuple[DocumentFile, dict[str, list[Any]]]]:
        return column_parts(file, [self.column], words=self.words, outside=self.outside)


def _checked(names: Any) -> list[str]:
    """Check the names of the tags; raise an `InputError` unless they are strings, each one once."""
    listed = [] if isinstance(names, (str, bytes)) or not isinstance(names, Iterable) else list(names)
    if not listed or not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(f"tag_names={names!r} is not a list of tags.", "Give each tag once, ['O', 'B-PER', 'I-PER'].")
    return listed


def _in_order(tag: str) -> tuple[str, str]:
    prefix, label = split_tag(tag)
    return ("", "") if tag == "O" else (label or "", prefix)


def _files(source: Any, split: object) -> Files:
    if not isinstance(source, Mapping):
        file = _single(source)
        return {require_split(split) or split_named(file) or "train": (file,)}
    named = {require_split(name): path for name, path in source.items()}
    if not named or None in named or len(named) < len(source):
        raise InputError(f"source={source!r} does not name each split once.", "Give {'train': 'train.conll', ...}.")
    return {name: (_single(named[name]),) for name in SPLITS if name in named}


def _single(path: Any) -> CorpusFile:
    files = corpus_files(path)
    if not is_single(files, path):
        remedy = "Say which file is which split: {'train': 'train.conll', 'test': 'test.conll'}."
        raise InputError("this is a folder or an archive.", remedy, source=os.fspath(path))
    return files[0]
