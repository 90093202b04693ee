"""HIPE: entity trees in old newspapers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from datasets import Features, Value

from ..errors import require_choice
from ..readers import EntityFile, read_entities
from ..readers.hipe import LEVELS
from .corpus_file import CorpusFile
from .layout import Layout, require_split
from .loading import Corpus, Loaded, Source, load, local_files
from .parts import ROWS

_METADATA = ("language", "newspaper", "date")
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
    """A corpus in HIPE's columns, a row for each document, with its entity trees; see `readers.read_entities`.

    Columns: `id` (string, the name of the document), `tokens` (list of strings), `entities` (list of `{"start", "end",
    "types", "components"}`, as the measure `eter` takes them), `language`, `newspaper`, `date` (strings or None).
    Components that no entity encloses are in no tree, and so not in these columns; `EntityFile.left_out` lists them.

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
    files = local_files(source, require_split(split), _layout(language))
    return load(Hipe(level), files, split, streaming=streaming, cache_dir=cache_dir)


class Hipe(Corpus):
    """How files of HIPE are read."""

    def __init__(self, level: str) -> None:
        self.key = f"hipe {level}"
        self._level = level
        # the columns are the reader's
        empty = EntityFile("", "hipe", (), [], [], np.zeros(0, dtype=np.int64)).to_dataset()
        self.features = Features({**empty.features, **{key: Value("string") for key in _METADATA}})

    def batches(self, file: CorpusFile) -> Iterator[pa.RecordBatch]:
        """The documents of a file, in batches."""
        with file.open() as stream:
            read = read_entities(stream, format="hipe", level=self._level, name=file.name)
        table = read.to_dataset().data.table
        for key, values in _metadata(read).items():
            table = table.append_column(key, pa.array(values, pa.string()))
        yield from table.cast(self.features.arrow_schema).to_batches(max_chunksize=ROWS)


def _metadata(read: EntityFile) -> dict[str, list[str | None]]:
    """What the comments before each document say of it."""
    found: dict[str, list[str | None]] = {key: [None] * len(read.documents) for key in _METADATA}
    lines = [line for line, _ in read.comments]
    document_of = np.searchsorted(read.document_lines, lines)
    for (_, text), document in zip(read.comments, document_of.tolist(), strict=True):
        match = _COMMENT.match(text)
        if match and document < len(read.documents):
            found[match[1]][document] = match[2]
    return found


def _layout(language: str) -> Layout:
    words = {"train": ("train",), "validation": ("dev",), "test": ("test",)}
    return Layout(
        f"HIPE, language {language!r},",
        {split: tuple(f"*[-_]{word}[-_]{language}.tsv" for word in of) for split, of in words.items()},
    )
