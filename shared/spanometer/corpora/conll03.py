"""CoNLL-2003: named entities in English news."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from ..exceptions import InputError, require_choice
from ..spans.spans import Spans
from ..tags.decoding import illegal_pairs
from ..tags.schemes import canonical, get_scheme
from .corpus import CONVERTED, Corpus, HubRepository, Loaded, Source
from .files import CorpusFile
from .sentences import Part, iob_tags, read_sentences, sentence_features

SCHEMES = ("IOB2", "IOB1")

LABELS = ("PER", "ORG", "LOC", "MISC")
CHUNKS = ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")
# fmt: off
PARTS_OF_SPEECH = (
    '"', "''", "#", "$", "(", ")", ",", ".", ":", "``", "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS", "LS",
    "MD", "NN", "NNP", "NNPS", "NNS", "NN|SYM", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM", "TO",
    "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB",
)
# fmt: on
"""The names of the tags in the order of the codes on the Hub."""

CONLL03_HUB = HubRepository("eriktks/conll2003", CONVERTED)
"""The corpus on the Hub, with IOB2 tags."""

_COLUMNS = {"pos_tags": 2, "chunk_tags": 3, "ner_tags": 4}
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
    (lists of `ClassLabel`, with the codes on the Hub), `document` (int32, the number of the news story from 0 by
    `-DOCSTART-` lines; None before the first such line and on the Hub, which has none).

    Args:
        source: a (gzipped) file, a folder or an archive (zip, tar, also with gzip, bzip2 or xz) with the files of the
            release, `eng.train`, `eng.testa` and `eng.testb`, or with `train.txt`, `valid.txt` and `test.txt`; None for
            the Hub.
        split: `train`, `validation` (also `testa`) or `test` (also `testb`); None for all. The split of a single file
            is set here or by its name.
        scheme: convert `ner_tags` and `chunk_tags` to `IOB2`, or to `IOB1` of the first release.
        repository, revision: a data set on the Hub, instead of `CONLL03_HUB`.
        streaming: read while iterating, without a cache. Files on the Hub are downloaded first.
        cache_dir: see `load_multiconer`.

    Returns:
        The same as `load_multiconer`.

    Raises:
        InputError: as for `load_multiconer`; also if the tags of a file fit neither scheme.

    Source: Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 shared task.
    """
    scheme = canonical(scheme)
    require_choice("scheme", scheme, SCHEMES)
    tags = {"pos_tags": PARTS_OF_SPEECH, "chunk_tags": iob_tags(CHUNKS), "ner_tags": iob_tags(LABELS)}
    corpus = Corpus(
        name="CoNLL-2003",
        key=f"conll03 {scheme}",
        declare=partial(sentence_features, tags, document="int32"),
        read=partial(_read, scheme),
        file_names=_FILE_NAMES,
        parquet_folders=("conll2003/", "default/", "", "data/"),
        hub=CONLL03_HUB,
    )
    files = corpus.find(source, split, cache_dir, repository=repository, revision=revision)
    return corpus.load(files, split, streaming=streaming, cache_dir=cache_dir)


def _read(scheme: str, file: CorpusFile) -> Iterator[Part]:
    """Read the sentences of a file in parts, with tags in a scheme."""
    own: str | None = None
    for part in read_sentences(file, _COLUMNS):
        own = own or _scheme_of(part)
        try:
            spans = Spans.from_tags(part.tags["ner_tags"], scheme=own or scheme, repair="raise")
        except InputError as error:
            error.remedy = (
                f"In CoNLL-2003 all entity tags are legal {' or '.join(SCHEMES)} (this file: {own or scheme}). "
                "Read other files with load_conll."
            )
            raise part.locate(error) from None
        tags = {**part.tags, "ner_tags": spans.encode(scheme)}
        if "chunk_tags" in tags:
            # both schemes mean the same spans
            tags["chunk_tags"] = Spans.from_tags(tags["chunk_tags"], scheme="IOB2").encode(scheme)
        yield replace(part, tags=tags)


def _scheme_of(part: Part) -> str | None:
    """Find the scheme that fits more entity tags from the beginning; None if both fit equally many."""
    tags = part.tags["ner_tags"]
    first = {}
    for scheme in SCHEMES:
        pairs = illegal_pairs(tags, get_scheme(scheme))
        first[scheme] = int(pairs[0][0]) if len(pairs) else len(tags.codes)
    # without spans both are as good
    return None if len(set(first.values())) == 1 else max(first, key=lambda scheme: first[scheme])
