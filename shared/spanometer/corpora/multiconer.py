"""MultiCoNER: complex named entities in many languages; short sentences, lower case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
from datasets import Features

from ..exceptions import InputError, require_choice
from ..readers import DocumentFile
from .corpus import Corpus, Loaded
from .corpus_file import CorpusFile
from .layout import USUAL_WORDS, Files, Layout
from .parts import iob_tags, sentence_features, sentence_parts
from .source import HubRepository, Source, find_files

LANGUAGES = {
    1: ("bn", "de", "en", "es", "fa", "hi", "ko", "mix", "multi", "nl", "ru", "tr", "zh"),
    2: ("bn", "de", "en", "es", "fa", "fr", "hi", "it", "multi", "pt", "sv", "uk", "zh"),
}
"""The languages of both versions, by the codes that begin their files' names."""

# fmt: off
LABELS = {
    1: ("CORP", "CW", "GRP", "LOC", "PER", "PROD"),
    2: (
        "Facility", "OtherLOC", "HumanSettlement", "Station",
        "VisualWork", "MusicalWork", "WrittenWork", "ArtWork", "Software", "OtherCW",
        "MusicalGRP", "PublicCorp", "PrivateCorp", "OtherCorp", "AerospaceManufacturer", "SportsGRP",
        "CarManufacturer", "TechCORP", "ORG",
        "Scientist", "Artist", "Athlete", "Politician", "Cleric", "SportsManager", "OtherPER",
        "Clothing", "Vehicle", "Food", "Drink", "OtherPROD",
        "Medication/Vaccine", "MedicalProcedure", "AnatomicalStructure", "Symptom", "Disease",
    ),
}
# fmt: on
"""The labels of both versions, in the order of the tag names; those of version 2 in that of its data set on the Hub."""

MULTICONER_HUB = {
    1: HubRepository("MultiCoNER/multiconer_v1", "main"),
    2: HubRepository("MultiCoNER/multiconer_v2", "4be2d62c912977ee26ed14d2553a4fe17ca3d980"),
}
"""Where both versions are on the Hub. Parquet files are taken where there are any, else the release's own files."""

_IDENTITY = re.compile(r"#\s*id\s+(\S+)(?:\s+domain=(\S*))?")


def load_multiconer(
    source: Source = None,
    language: str = "es",
    split: str | None = None,
    *,
    version: int = 1,
    repository: str | None = None,
    revision: str | None = None,
    streaming: bool = False,
    cache_dir: Source = None,
) -> Loaded:
    """Load MultiCoNER, version 1 (SemEval-2022 task 11) or 2 (SemEval-2023 task 2).

    Columns: `id` (string), `tokens` (list of strings), `ner_tags` (list of `ClassLabel`, `O` first, IOB2), `domain`
    (string or None: the origin of the sentence as the release names it). Tags stay as they are in the file.

    Args:
        source: a file such as `es_dev.conll` (it may be gzipped); a folder in the layout of the release
            (`ES-Spanish/es_dev.conll`, the folder of one language, or one above); an archive of it (zip, tar, also
            packed with gzip, bzip2 or xz); None for the Hub.
        language: version 1: bn, de, en, es, fa, hi, ko, mix, multi, nl, ru, tr, zh; version 2: bn, de, en, es, fa, fr,
            hi, it, multi, pt, sv, uk, zh.
        split: `train`, `validation` (also `dev`) or `test`; None for all that there are (from the
            Hub, all three). A single file is the split that its name tells, or the one that is named here.
        version: 1, six labels, or 2, finer ones.
        repository, revision: of a data set on the Hub, instead of `MULTICONER_HUB[version]`.
        streaming: read while iterating, and keep nothing. From the Hub the files of the splits are downloaded first.
        cache_dir: where Arrow files (and files from the Hub) are kept, instead of the caches of `datasets` and
            `huggingface_hub`.

    Returns:
        A `DatasetDict`, or a `Dataset` if a split is named; `IterableDatasetDict` and `IterableDataset` when
        streaming. A `Dataset` is memory-mapped, and its cache file is named by the hash of what was read.

    Raises:
        InputError: for an unknown language, split or version, if there are no such files or the Hub cannot be reached,
            and for malformed files, with the line. When streaming, the last come when that line is due.

    Source: Malmasi et al. 2022, MultiCoNER; Fetahu et al. 2023, MultiCoNER v2.
    """
    require_choice("version", version, (1, 2))
    require_choice("language", language, LANGUAGES[version])
    layout = Layout(
        f"MultiCoNER version {version}, language {language!r},",
        {name: (f"{language}_{word}.conll",) for name, word in USUAL_WORDS.items()},
        folder=language,
        parquet_folders=(f"{language}/", f"* ({language.upper()})/"),
    )
    asked = {"repository": repository, "revision": revision}
    files = find_files(source, split, layout, MULTICONER_HUB[version], cache_dir, **asked)
    _require_language(files, language)
    columns = partial(sentence_features, {"ner_tags": iob_tags(LABELS[version])}, domain="string")
    corpus = Corpus(f"multiconer {version}", columns, _tables)
    return corpus.load(files, split, streaming=streaming, cache_dir=cache_dir)


def _tables(file: CorpusFile, features: Features) -> Iterator[pa.Table]:
    """Read the sentences of a file, in parts."""
    for part in sentence_parts(file, {"ner_tags": -1}, _identities):
        yield part.table(features)


def _identities(part: DocumentFile) -> dict[str, list[str | None]]:
    """Read the id and domain of each sentence from the last comment before it that gives them."""
    given = [(line, match) for line, text in part.comments if (match := _IDENTITY.match(text))]
    lines = np.array([0, *(line for line, _ in given)])
    last = np.searchsorted(lines, part.document_lines) - 1
    ends = part.token_lines[part.tags[0].offsets[1:] - 1] if part.token_lines is not None else part.document_lines
    missing = lines[last] <= np.concatenate(([0], ends[:-1]))
    if missing.any():
        problem = "there is no comment with the id of the sentence that begins here."
        remedy = "MultiCoNER has one before each sentence, '# id ...'. Read other files with load_conll."
        raise part.locate(InputError(problem, remedy, document=int(np.argmax(missing))))
    found = [given[index - 1][1] for index in last.tolist()]
    return {"id": [match[1] for match in found], "domain": [match[2] for match in found]}


def _require_language(files: Files, language: str) -> None:
    """Refuse a file whose name gives another language."""
    codes = "|".join({*LANGUAGES[1], *LANGUAGES[2]})
    for file in chain.from_iterable(files.values()):
        found = re.match(rf"({codes})_(?:train|dev|test)\b", file.path.name.lower())
        if found and found[1] != language:
            remedy = f"Use language={found[1]!r}, or give another file."
            raise InputError(f"by its name this file is of language {found[1]!r}.", remedy, source=file.name)
