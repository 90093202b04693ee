"""HIPE: entity trees in old newspapers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
from datasets import Features

from ..documents.document_file import DocumentFile
from ..exceptions import require_choice
from ..readers import read_entities
from ..readers.columns.hipe import LEVELS
from ..spans.entities import ENTITY_TYPE
from .corpus import Corpus, Loaded
from .corpus_file import CorpusFile
from .layout import USUAL_WORDS, Layout
from .source import Source, find_files

_METADATA = ("language", "newspaper", "date")
_COLUMNS = {"id": pa.string(), "tokens": pa.list_(pa.string()), "entities": pa.list_(ENTITY_TYPE)}
_SCHEMA = pa.schema({**_COLUMNS, **dict.fromkeys(_METADATA, pa.string())})
# later editions put their name before the key
_COMMENT = re.compile(rf"#\s*(?:[\w.-]+:)?({'|'.join(_METADATA)})\s*=\s*(.*?)\s*$")


def load_hipe(
    source: str | os.PathLike[str],
    language: str = "fr",
    split: str | None = None,
    *,
    level: str = "fine",
    streaming: bool = False,
    cache_dir: Source = None,
) -> Loaded:
    """Load a corpus in HIPE's columns, a row for each document, with its entity trees; see `readers.read_entities`.

    Columns: `id` (string, the name of the document), `tokens` (list of strings), `entities` (list of `{"start", "end",
    "types", "components"}`, as the measure `eter` takes them), `language`, `newspaper`, `date` (strings or None).
    Components that no entity encloses are in no tree, and so not in these columns; `DocumentFile.left_out` lists them.

    Args:
        source: a file (it may be gzipped), or a folder or archive with the files of one edition, whose names end in
            `-train-fr.tsv`, `-dev-fr.tsv` and `-test-fr.tsv`. HIPE is not on the Hub.
        language: the language in the names of the files, for folders and archives.
        split: `train`, `validation` (also `dev`) or `test`; None for all that there are. A single file is the split
            that its name tells, or the one that is named here.
        level: `fine`, or `coarse` types.
        streaming: yield documents while iterating, and keep nothing on disk. A file is read as a whole, for its spans
            are decoded together: memory grows with it.
        cache_dir: as in `load_multiconer`.

    Returns:
        As `load_multiconer`.

    Raises:
        InputError: as `load_multiconer`, and as `readers.read_entities`.

    Source: Ehrmann et al. 2020, Extended overview of CLEF HIPE 2020.
    """
    require_choice("level", level, LEVELS)
    names = {name: (f"*[-_]{word}[-_]{language}.tsv",) for name, word in USUAL_WORDS.items()}
    files = find_files(source, split, Layout(f"HIPE, language {language!r},", names), None, cache_dir)
    corpus = Corpus(f"hipe {level}", _features, partial(_tables, level))
    return corpus.load(files, split, streaming=streaming, cache_dir=cache_dir)


def _features() -> Features:
    return Features.from_arrow_schema(_SCHEMA)


def _tables(level: str, file: CorpusFile, features: Features) -> Iterator[pa.Table]:
    """Read the documents of a file."""
    with file.open() as stream:
        read = read_entities(stream, format="hipe", level=level, name=file.name)
    columns = {
        "id": read.documents.ids,
        "tokens": list(read.words or ()),
        "entities": read.trees.to_arrow(),
        **_metadata(read),
    }
    yield pa.table(columns, schema=_SCHEMA).cast(features.arrow_schema)


def _metadata(read: DocumentFile) -> dict[str, list[str | None]]:
    """Read the language, newspaper and date of each document from the comments before it."""
    found: dict[str, list[str | None]] = {key: [None] * read.documents.size for key in _METADATA}
    lines = [line for line, _ in read.comments]
    document_of = np.searchsorted(read.document_lines, lines)
    for (_, text), document in zip(read.comments, document_of.tolist(), strict=True):
        match = _COMMENT.match(text)
        if match and document < read.documents.size:
            found[match[1]][document] = match[2]
    return found
