"""Loaders of corpora: CoNLL-2003, MultiCoNER, HIPE, your own columns, and any file of documents with spans."""

import json
import os
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa
from datasets import Dataset, DatasetDict, Features

from ..arrays import as_lists, strings
from ..documents.layers import Words
from ..exceptions import InputError, all_of, require_choice
from ..readers import Column, DocumentFile, read_entities
from ..readers.columns.hipe import LEVELS
from ..readers.reading import read_documents
from ..spans.entities import ENTITY_TYPE
from ..spans.spans import Spans
from ..tags.decoding import illegal_pairs
from ..tags.schemes import canonical, get_scheme
from ..tags.tags import check_names, split_tag
from .corpus import CONVERTED, USUAL_WORDS, Corpus, Files, HubRepository, Loaded, Source
from .files import (
    SPLITS,
    CorpusFile,
    Part,
    iob_tags,
    is_single,
    list_files,
    matching_comments,
    read_columns,
    read_sentences,
    require_split,
    sentence_features,
)

SCHEMES = ("IOB2", "IOB1")

CONLL03_LABELS = ("PER", "ORG", "LOC", "MISC")
CHUNKS = ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")
# fmt: off
PARTS_OF_SPEECH = (
    '"', "''", "#", "$", "(", ")", ",", ".", ":", "``", "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS",
    "MD", "NN", "NNP", "NNPS", "NNS", "NN|SYM", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO",
    "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB",
)
# fmt: on
"""The names of the tags in the order of their integers on the Hub."""

CONLL03_HUB = HubRepository("eriktks/conll2003", CONVERTED)
"""Where the corpus is on the Hub, with IOB2 tags."""

_CONLL03_COLUMNS = {"pos_tags": 2, "chunk_tags": 3, "ner_tags": 4}
"""The columns of tags."""

_FILE_NAMES = {
    "train": ("eng.train", "train.txt"),
    "validation": ("eng.testa", "valid.txt"),
    "test": ("eng.testb", "test.txt"),
}


def load_conll03(
    source: Source = None,
    split: str | None = None,
    *,
    scheme: str = "IOB2",
    repository: str | None = None,
    revision: str | None = None,
    streaming: bool = False,
    cache_dir: Source = None,
) -> Loaded:
    """Load the English corpus of the CoNLL-2003 shared task.

    Columns: `id` (string, the number of the sentence), `tokens` (list of strings), `pos_tags`, `chunk_tags`, `ner_tags`
    (lists of `ClassLabel`, with the same integers as on the Hub), `document` (int32, the number of the news story, from
    0, counted by `-DOCSTART-` lines). `document` is None before the first such line, and on the Hub, which has no such
    lines.

    Args:
        source: a (gzipped) file, a folder or an archive (zip, tar, also with gzip, bzip2 or xz) with the files of the
            release, `eng.train`, `eng.testa` and `eng.testb`, or with `train.txt`, `valid.txt` and `test.txt`; None for
            the Hub.
        split: `train`, `validation` (also `testa`) or `test` (also `testb`); None means all. A single file is
            the split that this option or the name of the file says.
        scheme: convert `ner_tags` and `chunk_tags` to `IOB2`, or to `IOB1` as in the first release.
        repository, revision: a data set on the Hub, instead of `CONLL03_HUB`.
        streaming: read while iterating, without a cache. Files on the Hub are downloaded first.
        cache_dir: see `load_multiconer`.

    Returns:
        The same as `load_multiconer`.

    Raises:
        InputError: if the tags of a file fit neither scheme; see also `load_multiconer`.

    Source: Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 shared task.
    """
    scheme = canonical(scheme)
    require_choice("scheme", scheme, SCHEMES)
    tags = {"pos_tags": PARTS_OF_SPEECH, "chunk_tags": iob_tags(CHUNKS), "ner_tags": iob_tags(CONLL03_LABELS)}
    corpus = Corpus(
        name="CoNLL-2003",
        key=f"conll03 {scheme}",
        declare=partial(sentence_features, tags, document="int32"),
        read=partial(_conll03_read, scheme),
        file_names=_FILE_NAMES,
        parquet_folders=("conll2003/", "default/", "", "data/"),
        hub=CONLL03_HUB,
    )
    files = corpus.find(source, split, cache_dir, repository=repository, revision=revision)
    return corpus.load(files, split, streaming=streaming, cache_dir=cache_dir)


def _conll03_read(scheme: str, file: CorpusFile) -> Iterator[Part]:
    """Read the sentences of a file in parts, with tags in a scheme."""
    own: str | None = None
    for part in read_sentences(file, _CONLL03_COLUMNS):
        own = own or _scheme_of(part)
        try:
            spans = Spans.from_tags(part.tags["ner_tags"], scheme=own or scheme, repair="raise")
        except InputError as error:
            error.remedy = "CoNLL-2003 has no illegal tags. If this file is another corpus, read it with load_conll."
            raise part.locate(error) from None
        tags = {**part.tags, "ner_tags": spans.encode(scheme)}
        if "chunk_tags" in tags:
            # both schemes mean the same spans
            tags["chunk_tags"] = Spans.from_tags(tags["chunk_tags"], scheme="IOB2").encode(scheme)
        yield replace(part, tags=tags)


def _scheme_of(part: Part) -> str | None:
    """Return the scheme that more entity tags fit, counted from the beginning; None if both fit equally many."""
    tags = part.tags["ner_tags"]
    first = {}
    for scheme in SCHEMES:
        pairs = illegal_pairs(tags, get_scheme(scheme))
        first[scheme] = int(pairs[0][0]) if len(pairs) else len(tags.codes)
    # without spans both fit equally
    return None if len(set(first.values())) == 1 else max(first, key=lambda scheme: first[scheme])


LANGUAGES = {
    1: ("bn", "de", "en", "es", "fa", "hi", "ko", "mix", "multi", "nl", "ru", "tr", "zh"),
    2: ("bn", "de", "en", "es", "fa", "fr", "hi", "it", "multi", "pt", "sv", "uk", "zh"),
}
"""The languages of both versions by their codes in file names."""

# fmt: off
MULTICONER_LABELS = {
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
"""Where both versions are on the Hub, as Parquet files if there are any, otherwise as files of the release."""

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
        split: `train`, `validation` (also `dev`) or `test`; None means all. A single file is the split that
            this option or the name of the file says.
        version: 1 (six labels) or 2 (finer labels).
        repository, revision: a data set on the Hub, instead of `MULTICONER_HUB[version]`.
        streaming: read while iterating, without a cache. Files on the Hub are downloaded first.
        cache_dir: the folder for Arrow files and files from the Hub, instead of the caches of `datasets` and
            `huggingface_hub`.

    Returns:
        A `DatasetDict`, or a `Dataset` for a single split; with streaming an `IterableDatasetDict` or an
        `IterableDataset`. A `Dataset` is memory-mapped.

    Raises:
        InputError: if the language, split or version is unknown, if files are missing or the Hub cannot be reached, or
            if lines are malformed (with streaming, when they are reached).

    Source: Malmasi et al. 2022, MultiCoNER; Fetahu et al. 2023, MultiCoNER v2.
    """
    require_choice("version", version, (1, 2))
    require_choice("language", language, LANGUAGES[version])
    corpus = Corpus(
        name=f"MultiCoNER version {version}, language {language!r},",
        key=f"multiconer {version}",
        declare=partial(sentence_features, {"ner_tags": iob_tags(MULTICONER_LABELS[version])}, domain="string"),
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
    comments = matching_comments(part, _IDENTITY)
    identities = {document: match for document, line, match in comments if line > after[document]}
    missing = next((document for document in range(part.documents.size) if document not in identities), None)
    if missing is not None:
        problem = "there is no comment with the id of the sentence that begins here."
        remedy = "MultiCoNER has one before each sentence, '# id ...'. Read other files with load_conll."
        raise part.locate(InputError(problem, remedy, document=missing))
    # comments come in the order of documents
    return {"id": [each[1] for each in identities.values()], "domain": [each[2] for each in identities.values()]}


def _require_language(files: Files, language: str) -> None:
    """Raise an `InputError` if the name of a file contains another language."""
    codes = "|".join({*LANGUAGES[1], *LANGUAGES[2]})
    for file in chain.from_iterable(files.values()):
        match = re.match(rf"({codes})_(?:train|dev|test)\b", file.path.name.lower())
        if match and match[1] != language:
            problem = f"the file name says that the language is {match[1]!r}, but you set language={language!r}."
            raise InputError(problem, f"Use language={match[1]!r}, or give another file.", source=file.name)


_METADATA = ("language", "newspaper", "date")
_HIPE_COLUMNS = {"id": pa.string(), "tokens": pa.list_(pa.string()), "entities": pa.list_(ENTITY_TYPE)}
_SCHEMA = pa.schema({**_HIPE_COLUMNS, **dict.fromkeys(_METADATA, pa.string())})
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
        split: `train`, `validation` (also `dev`) or `test`; None means all. A single file is the split that
            this option or the name of the file says.
        level: `fine` or `coarse` types.
        streaming: read while iterating, without a cache. Each file is read as a whole.
        cache_dir: see `load_multiconer`.

    Returns:
        The same as `load_multiconer`.

    Raises:
        InputError: see `load_multiconer` and `readers.read_entities`.

    Source: Ehrmann et al. 2020, Extended overview of CLEF HIPE 2020.
    """
    require_choice("level", level, LEVELS)
    corpus = Corpus(
        name=f"HIPE, language {language!r},",
        key=f"hipe {level}",
        declare=partial(Features.from_arrow_schema, _SCHEMA),
        read=partial(_hipe_read, level),
        file_names={name: (f"*[-_]{word}[-_]{language}.tsv",) for name, word in USUAL_WORDS.items()},
    )
    return corpus.load(corpus.find(source, split, cache_dir), split, streaming=streaming, cache_dir=cache_dir)


def _hipe_read(level: str, file: CorpusFile) -> Iterator[Part]:
    """Read the documents of a file, with language, newspaper and date from the comments."""
    with file.open() as stream:
        read = read_entities(stream, format="hipe", level=level, name=file.name)
    values: dict[str, Any] = {key: [None] * read.documents.size for key in _METADATA}
    for document, _, match in matching_comments(read, _COMMENT):
        values[match[1]][document] = match[2]
    values |= {"id": read.documents.ids, "entities": read.trees.to_arrow()}
    yield Part({"tokens": Words.of(read.words or ())}, values, read.locate)


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
        split: `train`, `validation` or `test`; None means all splits. A single file is the split that this option or
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
        raise InputError(f"there is no {wanted} split.", f"{all_of('split', files, 'The')}.")
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
        fault = "names one split twice" if len(named) < len(source) else "has the key None" if named else "is empty"
        raise InputError(f"source={source!r} {fault}.", "Give one or more keys: train, validation (or dev), test.")
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
        raise InputError(f"source={source!r} does not name splits and files.", "Give {'train': 'train.jsonl', ...}.")
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
