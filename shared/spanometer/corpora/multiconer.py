"""MultiCoNER: complex named entities in many languages; short sentences, lower case."""

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
"""The labels of both versions, in the order of the tag names; version 2 has the order of its data set on the Hub."""

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
        streaming. A `Dataset` is memory-mapped, and its cache file is named by the hash of the files.

    Raises:
        InputError: for an unknown language, split or version, if there are no such files or the Hub cannot be reached,
            and for malformed files, with the line. When streaming, the last come when that line is due.

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
    """Read the id and domain of each sentence from the last comment with an id before it."""
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
    """Raise an `InputError` for a file whose name gives another language."""
    codes = "|".join({*LANGUAGES[1], *LANGUAGES[2]})
    for file in chain.from_iterable(files.values()):
        match = re.match(rf"({codes})_(?:train|dev|test)\b", file.path.name.lower())
        if match and match[1] != language:
            remedy = f"Use language={match[1]!r}, or give another file."
            raise InputError(f"by its name this file is of language {match[1]!r}.", remedy, source=file.name)
