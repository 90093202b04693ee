"""HIPE: entity trees in old newspapers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
from datasets import Features

from ..documents.layers import Words
from ..exceptions import require_choice
from ..readers import read_entities
from ..readers.columns.hipe import LEVELS
from ..spans.entities import ENTITY_TYPE
from .corpus import USUAL_WORDS, Corpus, Loaded, Source
from .files import CorpusFile
from .sentences import Part, matching_comments

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
    """Load the documents of a HIPE corpus with their entity trees, see `readers.read_entities`.

    Columns: `id` (string, the name of the document), `tokens` (list of strings), `entities` (list of `{"start", "end",
    "types", "components"}`, the input of the measure `eter`), `language`, `newspaper`, `date` (strings or None).
    Components outside all entities are left out; `DocumentFile.left_out` lists them.

    Args:
        source: a (gzipped) file, or a folder or archive with the files of one edition, `...-train-fr.tsv`,
            `...-dev-fr.tsv` and `...-test-fr.tsv`. HIPE is not on the Hub.
        language: the language in the names of the files, for folders and archives.
        split: `train`, `validation` (also `dev`) or `test`; None for all. The split of a single file is set here or by
            its name.
        level: `fine` or `coarse` types.
        streaming: read while iterating, without a cache. Each file is read as a whole.
        cache_dir: see `load_multiconer`.

    Returns:
        The same as `load_multiconer`.

    Raises:
        InputError: as for `load_multiconer` and `readers.read_entities`.

    Source: Ehrmann et al. 2020, Extended overview of CLEF HIPE 2020.
    """
    require_choice("level", level, LEVELS)
    corpus = Corpus(
        name=f"HIPE, language {language!r},",
        key=f"hipe {level}",
        declare=partial(Features.from_arrow_schema, _SCHEMA),
        read=partial(_read, level),
        file_names={name: (f"*[-_]{word}[-_]{language}.tsv",) for name, word in USUAL_WORDS.items()},
    )
    files = corpus.find(source, split, cache_dir)
    return corpus.load(files, split, streaming=streaming, cache_dir=cache_dir)


def _read(level: str, file: CorpusFile) -> Iterator[Part]:
    """Read the documents of a file, with language, newspaper and date from the comments."""
    with file.open() as stream:
        read = read_entities(stream, format="hipe", level=level, name=file.name)
    values: dict[str, Any] = {key: [None] * read.documents.size for key in _METADATA}
    for document, _, match in matching_comments(read, _COMMENT):
        values[match[1]][document] = match[2]
    values |= {"id": read.documents.ids, "entities": read.trees.to_arrow()}
    yield Part({"tokens": Words.of(read.words or ())}, values, read.locate)
