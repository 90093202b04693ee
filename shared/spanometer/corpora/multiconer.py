"""MultiCoNER: complex named entities in many languages; short sentences, lower case."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from datasets import ClassLabel, Features, List, Value

from ..errors import InputError, require_choice
from ..readers import TagFile, read_parts
from .corpus_file import CorpusFile
from .hub import HubRepository
from .layout import Layout, unknown
from .loading import Loaded, Source, TaggedCorpus, files_of_splits, load
from .parts import Part, parquet_parts, required_width

LANGUAGES = {
    1: {
        "bn": "Bangla",
        "de": "German",
        "en": "English",
        "es": "Spanish",
        "fa": "Farsi",
        "hi": "Hindi",
        "ko": "Korean",
        "mix": "Code-mixed",
        "multi": "Multilingual",
        "nl": "Dutch",
        "ru": "Russian",
        "tr": "Turkish",
        "zh": "Chinese",
    },
    2: {
        "bn": "Bangla",
        "de": "German",
        "en": "English",
        "es": "Spanish",
        "fa": "Farsi",
        "fr": "French",
        "hi": "Hindi",
        "it": "Italian",
        "multi": "Multilingual",
        "pt": "Portuguese",
        "sv": "Swedish",
        "uk": "Ukrainian",
        "zh": "Chinese",
    },
}
"""The languages of both versions, by the codes that begin their files' names."""

LABELS = {
    1: ("CORP", "CW", "GRP", "LOC", "PER", "PROD"),
    2: (
        *("Facility", "OtherLOC", "HumanSettlement", "Station"),
        *("VisualWork", "MusicalWork", "WrittenWork", "ArtWork", "Software", "OtherCW"),
        *("MusicalGRP", "PublicCorp", "PrivateCorp", "OtherCorp", "AerospaceManufacturer", "SportsGRP"),
        *("CarManufacturer", "TechCORP", "ORG"),
        *("Scientist", "Artist", "Athlete", "Politician", "Cleric", "SportsManager", "OtherPER"),
        *("Clothing", "Vehicle", "Food", "Drink", "OtherPROD"),
        *("Medication/Vaccine", "MedicalProcedure", "AnatomicalStructure", "Symptom", "Disease"),
    ),
}
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
    """MultiCoNER, version 1 (SemEval-2022 task 11) or 2 (SemEval-2023 task 2).

    Columns: `id` (string), `tokens` (list of strings), `ner_tags` (list of `ClassLabel`, `O` first, IOB2), `domain`
    (string or None: what the release says of the sentence's origin). Tags stay as they are in the file.

    Args:
        source: a file such as `es_dev.conll` (it may be gzipped); a folder in the layout of the release
            (`ES-Spanish/es_dev.conll`, the folder of one language, or one above); an archive of it (zip, tar, also
            packed with gzip, bzip2 or xz); None for the Hub.
        language: version 1: bn, de, en, es, fa, hi, ko, mix, multi, nl, ru, tr, zh; version 2: bn, de, en, es, fa, fr,
            hi, it, multi, pt, sv, uk, zh.
        split: `train`, `validation` (also `dev`) or `test`; None for all that there are (from the
            Hub, all three). A single file is the split that its name tells, or the one that is named here.
        version: 1, six labels, or 2, finer ones.
        repository, revision: of a data set on the Hub, in place of `MULTICONER_HUB[version]`.
        streaming: read while iterating, and keep nothing. From the Hub the files of the splits are downloaded first.
        cache_dir: where Arrow files (and files from the Hub) are kept, in place of the caches of `datasets` and
            `huggingface_hub`.

    Returns:
        A `DatasetDict`, or a `Dataset` where a split is named; `IterableDatasetDict` and `IterableDataset` when
        streaming. A `Dataset` is memory-mapped, and its cache file is named by the hash of what was read.

    Raises:
        InputError: for an unknown language, split or version, where there are no such files, where the Hub cannot be
            reached, and for malformed files, with the line. When streaming, the last come when that line is due.

    Source: Malmasi et al. 2022, MultiCoNER; Fetahu et al. 2023, MultiCoNER v2.
    """
    require_choice("version", version, (1, 2))
    if not isinstance(language, str) or language not in LANGUAGES[version]:
        error = unknown(f"language of MultiCoNER version {version},", language, tuple(LANGUAGES[version]))
        other = 3 - version
        if isinstance(language, str) and language in LANGUAGES[other]:
            raise InputError(error.problem, f"Version {other} has it: version={other}.")
        raise error
    layout = _layout(language, version)
    files = files_of_splits(source, split, layout, MULTICONER_HUB[version], repository, revision, cache_dir)
    _require_language(files, language)
    return load(MultiCoNER(version), files, split, streaming=streaming, cache_dir=cache_dir)


class MultiCoNER(TaggedCorpus):
    """How files of MultiCoNER are read."""

    def __init__(self, version: int) -> None:
        self.key = f"multiconer {version}"
        names = ["O", *(f"{prefix}-{label}" for label in LABELS[version] for prefix in "BI")]
        self.features = Features(
            {
                "id": Value("string"),
                "tokens": List(Value("string")),
                "ner_tags": List(ClassLabel(names=names)),
                "domain": Value("string"),
            }
        )

    def parts(self, file: CorpusFile) -> Iterator[Part]:
        """The sentences of a file, in parts."""
        if file.path.suffix == ".parquet":
            columns = {"tokens": ("tokens",), "ner_tags": ("ner_tags",)}
            yield from parquet_parts(file, columns, {"id": ("sample_id", "id"), "domain": ("domain",)})
            return
        with file.open() as stream:
            for part in read_parts(stream, columns=[-1], words=1, name=file.name):
                required_width(part, 4, "MultiCoNER")
                words = part.words or part.tags[0]
                yield Part({"tokens": words, "ner_tags": part.tags[0]}, _identities(part), part.locate)


def _identities(part: TagFile) -> dict[str, list[str | None]]:
    """Id and domain of each sentence, from the last comment before it that gives them."""
    matches = [(line, _IDENTITY.match(text)) for line, text in part.comments]
    given = [(line, match) for line, match in matches if match]
    lines = [line for line, _ in given]
    last = np.searchsorted(lines, part.document_lines) - 1
    ends = part.token_lines[part.tags[0].offsets[1:] - 1] if part.token_lines is not None else part.document_lines
    previous = np.concatenate(([0], ends[:-1]))
    missing = (last < 0) | (np.array([0, *lines])[last + 1] < previous)
    if missing.any():
        raise InputError(
            "there is no comment with the id of the sentence that begins here.",
            "MultiCoNER has one before each sentence, '# id ...'. Read other files with load_conll.",
            source=part.source,
            line=part.line(int(np.argmax(missing))),
        )
    found = [given[index][1] for index in last.tolist()]
    return {"id": [match[1] for match in found], "domain": [match[2] for match in found]}


def _layout(language: str, version: int) -> Layout:
    names = {"train": ("train",), "validation": ("dev",), "test": ("test",)}
    return Layout(
        f"MultiCoNER version {version}, language {language!r},",
        {split: tuple(f"{language}_{word}.conll" for word in words) for split, words in names.items()},
        folder=language,
        configurations=(language, f"{LANGUAGES[version][language]} ({language.upper()})"),
    )


def _require_language(files: dict[str, tuple[CorpusFile, ...]], language: str) -> None:
    """Refuse a file whose name gives another language."""
    codes = "|".join(sorted({code for languages in LANGUAGES.values() for code in languages}))
    for of_split in files.values():
        for file in of_split:
            found = re.match(rf"({codes})_(?:train|dev|test)\b", file.path.name.lower())
            if found and found[1] != language:
                raise InputError(
                    f"by its name this file is of the language {found[1]!r}, and language={language!r} is asked for.",
                    f"Use language={found[1]!r}, or give another file.",
                    source=file.name,
                )
