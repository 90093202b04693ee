"""CoNLL-2003: named entities in English news."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from datasets import ClassLabel, Features, List, Value

from ..errors import InputError, require_choice
from ..readers import TagFile, read_parts
from ..spans.spans import Spans
from ..tags.decoding import illegal_pairs, pair_problem
from ..tags.schemes import get_scheme
from ..tags.tags import Tags
from .corpus_file import CorpusFile
from .hub import CONVERTED, HubRepository
from .layout import Layout
from .loading import Loaded, Source, TaggedCorpus, files_of_splits, load
from .parts import Part, parquet_parts, required_width

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
"""The names of the tags, in the order of the codes that the data set on the Hub has."""

CONLL03_HUB = HubRepository("eriktks/conll2003", CONVERTED)
"""Where the corpus is on the Hub; its tags are IOB2 there."""

_COLUMNS = {"ner_tags": LABELS, "chunk_tags": CHUNKS}


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
    """The English corpus of the CoNLL-2003 shared task.

    Columns: `id` (string, the number of the sentence), `tokens` (list of strings), `pos_tags`, `chunk_tags`, `ner_tags`
    (lists of `ClassLabel`, with the codes of the data set on the Hub), `document` (int32, the number of the news story,
    counted from 0 by `-DOCSTART-` lines; None before the first, and on the Hub, which has none).

    Args:
        source: a file (it may be gzipped), a folder or an archive (zip, tar, also packed with gzip, bzip2 or xz) with
            the files of the release, `eng.train`, `eng.testa` and `eng.testb`, or with `train.txt`, `valid.txt` and
            `test.txt`; None for the Hub.
        split: `train`, `validation` (also `testa`) or `test` (also `testb`); None for all that there are (from
            the Hub, all three). A single file is the split that its name tells, or the one that is named here.
        scheme: `IOB2`, or `IOB1` as the corpus was first released; `ner_tags` and `chunk_tags` are written in it,
            whichever of the two the file has.
        repository, revision: of a data set on the Hub, in place of `CONLL03_HUB`.
        streaming: read while iterating, and keep nothing. From the Hub the files of the splits are downloaded first.
        cache_dir: as in `load_multiconer`.

    Returns:
        As `load_multiconer`.

    Raises:
        InputError: as `load_multiconer`; also where `ner_tags` follow neither scheme from first to last.

    Source: Tjong Kim Sang and De Meulder 2003, Introduction to the CoNLL-2003 shared task.
    """
    require_choice("scheme", scheme, SCHEMES)
    files = files_of_splits(source, split, _LAYOUT, CONLL03_HUB, repository, revision, cache_dir)
    return load(CoNLL03(scheme), files, split, streaming=streaming, cache_dir=cache_dir)


_LAYOUT = Layout(
    "CoNLL-2003",
    {
        "train": ("eng.train", "train.txt"),
        "validation": ("eng.testa", "valid.txt"),
        "test": ("eng.testb", "test.txt"),
    },
    configurations=("conll2003", "default"),
    whole=True,
)


class CoNLL03(TaggedCorpus):
    """How files of CoNLL-2003 are read."""

    def __init__(self, scheme: str) -> None:
        self.key = f"conll03 {scheme}"
        self._scheme = scheme
        tags = {
            column: List(ClassLabel(names=["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]))
            for column, labels in _COLUMNS.items()
        }
        self.features = Features(
            {
                "id": Value("string"),
                "tokens": List(Value("string")),
                "pos_tags": List(ClassLabel(names=list(PARTS_OF_SPEECH))),
                "chunk_tags": tags["chunk_tags"],
                "ner_tags": tags["ner_tags"],
                "document": Value("int32"),
            }
        )

    def parts(self, file: CorpusFile) -> Iterator[Part]:
        """The sentences of a file, in parts."""
        given: str | None = None
        for part in self._parquet(file) if file.path.suffix == ".parquet" else self._columns(file):
            # unknown labels first: they are what is wrong with tags that cannot be decoded
            part.require_names(self.features)
            given = given or _scheme_of(part)
            columns = dict(part.columns)
            columns["ner_tags"] = self._in_scheme(part, given)
            if "chunk_tags" in columns and len(illegal_pairs(columns["chunk_tags"], get_scheme(self._scheme))):
                # both schemes mean the same spans
                columns["chunk_tags"] = Spans.from_tags(columns["chunk_tags"], scheme="IOB2").encode(self._scheme)
            yield Part(columns, part.values, part.locate)

    def _columns(self, file: CorpusFile) -> Iterator[Part]:
        documents = sentences = 0
        with file.open() as stream:
            for part in read_parts(stream, columns=[2, 3, 4], words=1, name=file.name):
                required_width(part, 4, "CoNLL-2003")
                names = ("pos_tags", "chunk_tags", "ner_tags")
                count = len(part.document_lines)
                numbers = list(map(str, range(sentences, sentences + count)))
                yield Part(
                    {"tokens": part.words or part.tags[0], **dict(zip(names, part.tags, strict=True))},
                    {"id": numbers, "document": _documents(part, documents)},
                    part.locate,
                )
                sentences += count
                documents += len(part.docstart_lines)

    def _parquet(self, file: CorpusFile) -> Iterator[Part]:
        columns = {name: (name,) for name in ("tokens", "pos_tags", "chunk_tags", "ner_tags")}
        return parquet_parts(file, columns, {"id": ("id",)})

    def _in_scheme(self, part: Part, given: str | None) -> Tags:
        """The entity tags in the wanted scheme; an `InputError` where they do not follow the file's own."""
        tags = part.columns["ner_tags"]
        if given is None:
            return tags
        known = get_scheme(given)
        pairs = illegal_pairs(tags, known)
        if len(pairs):
            index, at_end = (int(value) for value in pairs[0])
            document, position = tags.place(index)
            raise part.locate(
                InputError(
                    pair_problem(tags, known, index, bool(at_end)),
                    f"The entity tags of CoNLL-2003 are legal {' or '.join(SCHEMES)} from first to last (here, "
                    f"{given}). Read others with load_conll.",
                    document=document,
                    position=position,
                )
            )
        return tags if given == self._scheme else Spans.from_tags(tags, scheme=given).encode(self._scheme)


def _scheme_of(part: Part) -> str | None:
    """The scheme of the entity tags: that which they follow furthest; None where there are none."""
    tags = part.columns["ner_tags"]
    first = {}
    for scheme in SCHEMES:
        pairs = illegal_pairs(tags, get_scheme(scheme))
        first[scheme] = int(pairs[0][0]) if len(pairs) else len(tags.codes)
    # without spans both are as good
    return None if len(set(first.values())) == 1 else max(first, key=lambda scheme: first[scheme])


def _documents(part: TagFile, before: int) -> list[int | None]:
    """The number of the document of each sentence, from 0."""
    numbers = before + np.searchsorted(part.docstart_lines, part.document_lines) - 1
    return [None if number < 0 else number for number in numbers.tolist()]
