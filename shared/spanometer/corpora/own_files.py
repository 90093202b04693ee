"""Your own files as `datasets`: CoNLL-like columns, and any file of documents with spans."""

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa
from datasets import Dataset, DatasetDict, Features

from ..arrays import as_lists, strings
from ..documents.document_file import DocumentFile
from ..exceptions import InputError
from ..readers import Column
from ..readers.reading import read_documents
from ..tags.tags import check_names, split_tag
from .corpus import Corpus, Files, Loaded, Source
from .files import SPLITS, CorpusFile, Part, is_single, list_files, read_columns, require_split, sentence_features


def load_conll(
    source: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]],
    split: str | None = None,
    *,
    column: Column = None,
    words: bool | int | str = True,
    outside: str | None = None,
    streaming: bool = False,
    cache_dir: Source = None,
) -> Loaded:
    """Load files of columns with a token on each line and a blank line between sentences, see `readers.read`.

    Columns: `id` (string, the number of the sentence), `tokens` (list of strings; missing if the file has only tags),
    `ner_tags` (list of `ClassLabel`: the tags of all files, `O` first, then by label). Tags are not changed.

    Args:
        source: a (gzipped) file, or a mapping from splits to files, `{"train": ..., "test": ...}`.
        split: `train`, `validation` or `test`; None for all splits. A single file is the split that this option or
            the name of the file says; if neither does, it is `train`, as in `datasets`.
        column: the column of the tags, by number from 1 (negative: from the right) or by name; by default the last.
        words: the column of the words; True detects it, False leaves it out.
        outside: a tag to read as `O`, such as `_`.
        streaming: read while iterating, without a cache.
        cache_dir: see `load_multiconer`.

    Returns:
        The same as `load_multiconer`.

    Raises:
        InputError: if splits are unknown, if tags fit no scheme, or if lines are malformed.
    """
    files = _files(source, split)
    wanted = require_split(split)
    if wanted is not None and wanted not in files:
        raise InputError(f"there is no {wanted} split.", f"The splits are {', '.join(files)}.")
    all_files = tuple(chain.from_iterable(files.values()))
    read = partial(read_columns, columns={"ner_tags": column}, words=words, outside=outside)
    corpus = Corpus(
        name="the corpus",
        key=json.dumps(["columns", column, words, sorted(file.digest() for file in all_files), outside]),
        declare=partial(_features, all_files, read),
        read=read,
    )
    chosen = files if wanted is None else {wanted: files[wanted]}
    return corpus.load(chosen, wanted, streaming=streaming, cache_dir=cache_dir)


def _features(files: Sequence[CorpusFile], read: Callable[[CorpusFile], Iterator[Part]]) -> Features:
    """Return the columns, with the tags in the files of all splits."""
    names: set[str] = set()
    with_words = True
    for part in chain.from_iterable(map(read, files)):
        try:
            # an error here names the line, later only a code
            check_names(part.tags["ner_tags"], None)
        except InputError as error:
            raise part.locate(error) from None
        names.update(part.tags["ner_tags"].names)
        with_words &= "tokens" in part.tags
    features = sentence_features({"ner_tags": sorted(names, key=_in_order)})
    if not with_words:
        del features["tokens"]
    return features


def _in_order(tag: str) -> tuple[str, str]:
    prefix, label = split_tag(tag)
    return ("", "") if tag == "O" else (label or "", prefix)


def _files(source: Any, split: object) -> Files:
    if not isinstance(source, Mapping):
        file = _single(source)
        return {require_split(split) or file.split or "train": (file,)}
    named = {require_split(name): path for name, path in source.items()}
    if not named or None in named or len(named) < len(source):
        raise InputError(f"source={source!r} does not name each split once.", "Give {'train': 'train.conll', ...}.")
    return {name: (_single(named[name]),) for name in SPLITS if name in named}


def _single(path: Any) -> CorpusFile:
    files = list_files(path)
    if not is_single(files, path):
        remedy = "Pass a file for each split: {'train': 'train.conll', 'test': 'test.conll'}."
        raise InputError("this is a folder or an archive.", remedy, source=os.fspath(path))
    return files[0]


_TOKEN = pa.struct([("text", pa.string()), ("start", pa.int64()), ("end", pa.int64())])


def load_spans(
    source: str | os.PathLike[str] | Mapping[str, str | os.PathLike[str]], **options: Any
) -> Dataset | DatasetDict:
    """Load any file that `spanometer.read` reads.

    Columns: `id` (the document's name), `annotator` (if the file has annotators), `text`, `tokens` (`text`, and `start`
    and `end` in characters), `unit` of the spans (`character` or `token`) and `spans` (`start`, `end` and `label`; if
    there are discontinuous spans, `label` and `fragments`). Missing columns are None. Attributes of spans are not
    loaded. A warning lists the items that could not be read.

    The data are in memory. `spanometer.read` can read the output of `to_json` and `to_parquet`.

    Args:
        source: a file or folder, or a mapping from splits to files or folders, `{"train": ..., "test": ...}`.
        **options: options of `spanometer.read`, such as `format`, `annotator`, `tokenizer` or `encoding`.

    Returns:
        A `datasets.Dataset`, or a `DatasetDict` if the source is a mapping.

    Raises:
        InputError: see `spanometer.read`.
    """
    if not isinstance(source, Mapping):
        return _dataset(read_documents(source, **options))
    if not source or not all(isinstance(name, str) for name in source):
        raise InputError(f"source={source!r} names no splits.", "Give {'train': 'train.jsonl', ...}.")
    return DatasetDict({name: _dataset(read_documents(path, **options)) for name, path in source.items()})


def _dataset(file: DocumentFile) -> Dataset:
    for remark in (*file.notes, *file.left_out):
        warnings.warn(f"{file.source}: {remark}", stacklevel=3)
    documents, size = file.documents, file.documents.size
    columns: dict[str, pa.Array] = {"id": pa.array(documents.ids or [None] * size, pa.string())}
    if file.annotators is not None:
        columns["annotator"] = pa.array(file.annotators, pa.string())
    columns["text"] = pa.array(documents.texts or [None] * size, pa.string())
    columns["tokens"] = _tokens(file)
    columns["unit"] = pa.array(["token" if file.in_tokens else "character"] * size, pa.string())
    columns["spans"] = file.spans.to_arrow()
    return Dataset(pa.table(columns))


def _tokens(file: DocumentFile) -> pa.Array:
    """Return the tokens with their texts, boundaries or both; None if neither is known."""
    tokens, texts, words = file.documents.tokens, file.documents.texts, file.words
    columns = words if tokens is None else tokens
    if columns is None:
        return pa.nulls(file.documents.size, pa.list_(_TOKEN))
    offsets = columns.offsets
    start = end = pa.nulls(int(offsets[-1]), pa.int64())
    forms = pa.nulls(int(offsets[-1]), pa.string()) if words is None else strings(words.codes, words.names)
    if tokens is not None:
        start, end = pa.array(tokens.start), pa.array(tokens.end)
        if texts is not None:
            bounds = zip(tokens.document.tolist(), tokens.start.tolist(), tokens.end.tolist(), strict=True)
            forms = pa.array([texts[document][first:last] for document, first, last in bounds], pa.string())
    return as_lists(offsets, pa.StructArray.from_arrays([forms, start, end], fields=list(_TOKEN)))
