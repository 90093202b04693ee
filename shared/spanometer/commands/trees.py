"""Files of entity trees: how they are read, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..analysis.comparison.systems import SYSTEM
from ..documents.document_file import DocumentFile
from ..documents.matching import require_same_tokens
from ..exceptions import InputError
from ..options import check_options, option, options_of
from ..readers.columns.hipe import LEVELS
from ..readers.entities import read_entities
from ..readers.formats import formats_of
from ..readers.source import Limits
from ..readers.text.markup import EntityTypes
from ..readers.text.quaero import DOCUMENTS
from ..tags.decoding import Decoding
from ..tags.schemes import SCHEMES, canonical
from .corpus import Corpus, Pair, ScoredFiles, by_role, default_names, require_system
from .inputs import ComparedWords, located, read_with

_INPUTS = {"quaero": "markup", "jsonl": "entities"}
"""Formats whose content the modules take too, and what these call it."""


@dataclass(frozen=True, kw_only=True)
class TreeInput(EntityTypes, Decoding, Limits, ComparedWords, ScoredFiles):
    """Files of entity trees, scored by measures of these."""

    title: ClassVar[str] = "entity trees"
    content: ClassVar[str] = "entities"
    input: ClassVar[str] = "entities"
    remedy: ClassVar[str] = (
        "Ask for eter, or name one of HIPE's columns with --column (and --documents document_id --outside _)."
    )

    format: str = option("auto", help="form of the files", choices=("auto", *formats_of("entities")))
    level: str = option("fine", help="types of HIPE's columns", choices=tuple(LEVELS))
    scheme: str | None = option(
        "IOB2",
        help="scheme of the tags in HIPE's columns",
        choices=tuple(SCHEMES),
        optional=True,
        parse=canonical,
        metavar="SCHEME",
    )
    documents: str = option("lines", help="what a document of markup is", choices=DOCUMENTS, metavar="WHAT")

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        EntityTypes.__post_init__(self)

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Read the reference and the systems, all of the same documents and tokens."""
        require_system(paths, "the system's entities", "Give PREDICTION.")
        reference = self._read(paths[0])
        # from there on nothing but the columns is needed of words and entities
        files = [replace(reference, words=None)]
        for path in paths[1:]:
            system = self._read(path)
            _require_same_names(reference, system)
            require_same_tokens(reference, system, ignore_words=self.ignore_words)
            _with_lengths(reference, system.lengths)
            files.append(replace(_with_lengths(system, reference.lengths), words=None))
        named = by_role(files, default_names(paths, annotators), names, annotators)
        return Corpus(files=named, reading=self.reading(files))

    def pair(self, corpus: Corpus, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference together."""
        reading = self.reading((corpus.first, corpus.files[f"{SYSTEM}{name}"]))
        return replace(super().pair(corpus, name, measures), reading=reading)

    def reading(self, files: Iterable[DocumentFile]) -> dict[str, str]:
        """Return how sides were read, for the signature: what can change the number with their formats."""
        formats = list(dict.fromkeys(file.format for file in files))
        described = {"input": "+".join(_INPUTS.get(format, format) for format in formats)}
        if "hipe" in formats:
            described.update({name: str(getattr(self, name)) for name in ("level", "scheme", "repair")})
        if "quaero" in formats:
            described.update(entity_types=",".join(sorted(self.known)), documents=self.documents)
        return described

    def _read(self, path: str) -> DocumentFile:
        """Read a file."""
        options = {name: getattr(self, name) for name in options_of(self) if name != "ignore_words"}
        given = {name: value for name, value in options.items() if value is not None}
        return read_with(read_entities, path, **given)


def _with_lengths(file: DocumentFile, lengths: np.ndarray | None) -> DocumentFile:
    """Give the entities the documents' lengths of the other side, checked, unless they have their own."""
    if lengths is None or file.lengths is not None:
        return file
    with located({"": file}):
        return replace(file, entities=file.trees.with_lengths(lengths))


def _require_same_names(reference: DocumentFile, system: DocumentFile) -> None:
    """Compare the names of HIPE's documents: in another order they may have the same lengths."""
    if not reference.format == system.format == "hipe":
        return
    names = (reference.documents.ids or (), system.documents.ids or ())
    for document, (one, other) in enumerate(zip(*names, strict=False)):
        if one != other:
            raise InputError(
                f"the reference document that begins here is {one!r}, the predicted one ({system.source_of(document)}, "
                f"line {system.line(document)}) is {other!r}.",
                "Both sides must have the same documents, in the same order.",
                source=reference.source_of(document),
                line=reference.line(document),
            )
