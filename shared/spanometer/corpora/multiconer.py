"""MultiCoNER: complex named entities in many languages."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain

from ..exceptions import InputError, require_choice
from ..readers import DocumentFile
from .corpus import USUAL_WORDS, Corpus, Files, HubRepository, Loaded, Source
from .sentences import iob_tags, matching_comments, read_sentences, sentence_features

LANGUAGES = {
    1: ("bn", "de", "en", "es", "fa", "hi", "ko", "mix", "multi", "nl", "ru", "tr", "zh"),
    2: ("bn", "de", "en", "es", "fa", "fr", "hi", "it", "multi", "pt", "sv", "uk", "zh"),
}
"""The languages of both versions by their codes in file names."""

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
"""The labels of both versions in the order of the tag names; version 2 has the order on the Hub."""

MULTICONER_HUB = {
    1: HubRepository("MultiCoNER/multiconer_v1", "main"),
    2: HubRepository("MultiCoNER/multiconer_v2", "4be2d62c912977ee26ed14d2553a4fe17ca3d980"),
}
"""Both versions on the Hub, as Parquet files if there are any, else as files of the release."""

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
    (string or None: the source of the sentence in the release). Tags are not changed.

    Args:
        source: a (gzipped) file such as `es_dev.conll`; a folder of the release (`ES-Spanish/es_dev.conll`, the folder
            of one language or its parent); an archive of it (zip, tar, also with gzip, bzip2 or xz); None for the Hub.
        language: version 1: bn, de, en, es, fa, hi, ko, mix, multi, nl, ru, tr, zh; version 2: bn, de, en, es, fa, fr,
            hi, it, multi, pt, sv, uk, zh.
        split: `train`, `validation` (also `dev`) or `test`; None for all. The split of a single file is set here or by
            its name.
        version: 1 (six labels) or 2 (finer labels).
        repository, revision: a data set on the Hub, instead of `MULTICONER_HUB[version]`.
        streaming: read while iterating, without a cache. Files on the Hub are downloaded first.
        cache_dir: the folder of Arrow files and files from the Hub, instead of the caches of `datasets` and
            `huggingface_hub`.

    Returns:
        A `DatasetDict`, or a `Dataset` for a single split; with streaming an `IterableDatasetDict` or an
        `IterableDataset`. A `Dataset` is memory-mapped.

    Raises:
        InputError: for an unknown language, split or version, for missing files or an unreachable Hub, and for
            malformed lines (with streaming, when they are reached).

    Source: Malmasi et al. 2022, MultiCoNER; Fetahu et al. 2023, MultiCoNER v2.
    """
    require_choice("version", version, (1, 2))
    require_choice("language", language, LANGUAGES[version])
    corpus = Corpus(
        name=f"MultiCoNER version {version}, language {language!r},",
        key=f"multiconer {version}",
        declare=partial(sentence_features, {"ner_tags": iob_tags(LABELS[version])}, domain="string"),
        read=partial(read_sentences, columns={"ner_tags": -1}, values=_identities),
        file_names={name: (f"{language}_{word}.conll",) for name, word in USUAL_WORDS.items()},
        folder=language,
        parquet_folders=(f"{language}/", f"* ({language.upper()})/"),
        hub=MULTICONER_HUB[version],
    )
    files = corpus.find(source, split, cache_dir, repository=repository, revision=revision)
    _require_language(files, language)
    return corpus.load(files, split, streaming=streaming, cache_dir=cache_dir)


def _identities(part: DocumentFile) -> dict[str, list[str | None]]:
    """Read the id and domain of each sentence from the comments before it."""
    ends = part.document_lines if part.token_lines is None else part.token_lines[part.tags[0].offsets[1:] - 1]
    after = [0, *ends[:-1].tolist()]
    identities = {
        document: match for document, line, match in matching_comments(part, _IDENTITY) if line > after[document]
    }
    missing = set(range(part.documents.size)).difference(identities)
    if missing:
        problem = "there is no comment with the id of the sentence that begins here."
        remedy = "MultiCoNER has one before each sentence, '# id ...'. Read other files with load_conll."
        raise part.locate(InputError(problem, remedy, document=min(missing)))
    matches = [identities[document] for document in range(part.documents.size)]
    return {"id": [match[1] for match in matches], "domain": [match[2] for match in matches]}


def _require_language(files: Files, language: str) -> None:
    """Raise an `InputError` for a file with another language in its name."""
    codes = "|".join({*LANGUAGES[1], *LANGUAGES[2]})
    for file in chain.from_iterable(files.values()):
        match = re.match(rf"({codes})_(?:train|dev|test)\b", file.path.name.lower())
        if match and match[1] != language:
            remedy = f"Use language={match[1]!r}, or give another file."
            raise InputError(f"the name of this file is of language {match[1]!r}.", remedy, source=file.name)
