"""Files of entity trees: how they are read, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from ..analysis.comparison.systems import SYSTEM
from ..documents.places_in_files import require_same_tokens
from ..exceptions import InputError, counted
from ..options import check_options, option, options_of
from ..readers.columns.hipe import LEVELS
from ..readers.entity_file import EntityFile, read_entities
from ..readers.formats import formats_of
from ..readers.source import Limits
from ..readers.text.markup import EntityTypes
from ..readers.text.quaero import DOCUMENTS
from ..spans.entities import Entities
from ..tags.decoding import Decoding
from ..tags.schemes import SCHEMES, canonical
from .corpus import Corpus, Pair, ScoredFiles, by_role, default_names, require_system
from .inputs import ComparedWords, Side, located, read_with

_INPUTS = {"quaero": "markup", "jsonl": "entities"}
"""Formats whose content the modules take too, and what these call it."""

_NONE = pa.nulls(0)
"""Stands for the column of entities of a file that is needed no more."""


@dataclass(frozen=True, kw_only=True)
class TreeInput(EntityTypes, Decoding, Limits, ComparedWords, ScoredFiles):
    """Files of entity trees, scored by measures of these."""

    title: ClassVar[str] = "entity trees"
    content: ClassVar[type[EntityFile]] = EntityFile
    input: ClassVar[str] = "entities"
    remedy: ClassVar[str] = (
        "Ask for eter, or name one of HIPE's columns with --column (and --documents document_id --outside _)."
    )

    format: str = option("auto", help="form of the files", choices=("auto", *formats_of(EntityFile)))
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
        entities = [_columns(reference, reference.lengths)]
        files = [_without_rows(reference)]
        reference = replace(reference, column=_NONE)
        for path in paths[1:]:
            system = self._read(path)
            _require_same_names(reference, system)
            require_same_tokens(reference, system, ignore_words=self.ignore_words)
            if reference.lengths is None and system.lengths is not None:
                with located({"": reference}):
                    entities[0].with_lengths(system.lengths)
            entities.append(_columns(system, reference.lengths))
            files.append(_without_rows(system))
        named = by_role(files, default_names(paths, annotators), names, annotators)
        return Corpus(
            files=named,
            given=dict(zip(named, entities, strict=True)),
            shown=list(map(side_of, files, entities)),
            reading=self.reading(files),
            document_lines=files[0].document_lines,
        )

    def pair(self, corpus: Corpus, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference together."""
        reading = self.reading((corpus.first, corpus.files[f"{SYSTEM}{name}"]))
        return replace(super().pair(corpus, name, measures), reading=reading)

    def reading(self, files: Iterable[EntityFile]) -> dict[str, str]:
        """Return how sides were read, for the signature: what can change the number with their formats."""
        formats = list(dict.fromkeys(file.format for file in files))
        described = {"input": "+".join(_INPUTS.get(format, format) for format in formats)}
        if "hipe" in formats:
            described.update({name: str(getattr(self, name)) for name in ("level", "scheme", "repair")})
        if "quaero" in formats:
            described.update(entity_types=",".join(sorted(self.known)), documents=self.documents)
        return described

    def _read(self, path: str) -> EntityFile:
        """Read a file, without the names of its documents unless these are HIPE's: others are not compared."""
        options = {name: getattr(self, name) for name in options_of(self) if name != "ignore_words"}
        given = {name: value for name, value in options.items() if value is not None}
        file = read_with(read_entities, path, **given)
        return file if file.format == "hipe" else replace(file, documents=())


def side_of(file: EntityFile, entities: Entities) -> Side:
    """Return a file with the numbers of its entities, their components, and those that have several types."""
    components = len(entities.component_start)
    metonymic = int((np.diff(entities.type_offsets) > 1).sum())
    numbers = [
        counted(len(entities), "entity", "entities"),
        counted(components, "component"),
        f"{metonymic:,} metonymic",
    ]
    described = {
        "file": file.source,
        "format": file.format,
        "entities": len(entities),
        "components": components,
        "metonymic": metonymic,
        "left_out": list(map(asdict, file.left_out)),
    }
    return Side(", ".join([file.source, file.format, *numbers]), described, list(map(str, file.left_out)))


def _without_rows(file: EntityFile) -> EntityFile:
    """Return a file without words and entities, of which nothing but their columns is needed."""
    return replace(file, words=None, column=_NONE)


def _columns(file: EntityFile, lengths: np.ndarray | None) -> Entities:
    """Return the entities, checked against the documents' lengths if either side has them."""
    entities = file.to_entities()
    if lengths is None or entities.lengths is not None:
        return entities
    with located({"": file}):
        return entities.with_lengths(lengths)


def _require_same_names(reference: EntityFile, system: EntityFile) -> None:
    """Compare the names of HIPE's documents: in another order they may have the same lengths."""
    if not reference.format == system.format == "hipe":
        return
    for document, (one, other) in enumerate(zip(reference.documents, system.documents, strict=False)):
        if one != other:
            raise InputError(
                f"the reference document that begins here is {one!r}, the predicted one ({system.source_of(document)}, "
                f"line {system.line(document)}) is {other!r}.",
                "Both sides must have the same documents, in the same order.",
                source=reference.source_of(document),
                line=reference.line(document),
            )
