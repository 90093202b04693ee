"""What commands share that read files of entity trees: options, the reading, and how it is told."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, counted, printable
from ..spans.markup import ENTITY_TYPES
from .inputs import STANDARD_INPUT, called, reading_bar, stream_or_path

if TYPE_CHECKING:
    from ..readers import EntityFile
    from ..spans.entities import Entities

_INPUTS = {"quaero": "markup", "jsonl": "entities"}
"""Formats whose content the modules take too, and what these call it."""

TREE_FORMATS = ("hipe", "quaero")
"""Forms of files that can only hold entity trees."""

_DOCUMENTS = ("lines", "blank", "file")
"""Values of --documents for markup."""

_SHOWN = 3
"""How many of the things that a reader left out are shown; JSON has all."""


@dataclass(frozen=True, eq=False)
class Trees:
    """A file and its entities as columns.

    Attributes:
        file: as it was read.
        entities: with the documents' lengths, where either side has words.
    """

    file: EntityFile
    entities: Entities

    @property
    def numbers(self) -> dict[str, int]:
        """How many entities there are, how many components they have, and how many have several types."""
        return {
            "entities": len(self.entities),
            "components": len(self.entities.component_start),
            "metonymic": int((np.diff(self.entities.type_offsets) > 1).sum()),
        }

    def __str__(self) -> str:
        """The file and these numbers, on one line."""
        numbers = self.numbers
        parts = [
            counted(numbers["entities"], "entity", "entities"),
            counted(numbers["components"], "component"),
            f"{numbers['metonymic']:,} metonymic",
        ]
        return ", ".join([printable(self.file.source), self.file.format, *parts])

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, ready for JSON."""
        left_out = [{"line": item.line, "problem": item.problem} for item in self.file.left_out]
        return {"file": self.file.source, "format": self.file.format, **self.numbers, "left_out": left_out}


def add_entity_types_option(group: argparse._ArgumentGroup) -> None:
    """Declare which tags of markup are entities."""
    group.add_argument(
        "--entity-types",
        metavar="TYPES",
        type=_names,
        help="quaero: first parts of the types of entities, with commas between; all other tags are components; by "
        f"default {','.join(ENTITY_TYPES)}",
    )


def hold_trees(options: argparse.Namespace, paths: Sequence[str], columns: Iterable[str | None]) -> bool:
    """Whether files are to be read as entity trees: as `--format` says, else told from the first that can be.

    Args:
        options: the command line.
        paths: the files; one alone has tags of both sides.
        columns: tag columns that are asked for.
    """
    if options.format != "auto":
        return options.format in TREE_FORMATS
    if len(paths) < 2 or any(column is not None for column in (*columns, options.outside)):
        return False
    if options.documents not in (None, *_DOCUMENTS):
        return False
    if getattr(options, "entity_types", None) is not None:
        return True
    from ..readers import EntityFile, detect

    # standard input can be read only once
    path = next((path for path in paths if path != STANDARD_INPUT), None)
    found = None if path is None else detect(path)
    return found is not None and found.content is EntityFile


def tree_reading(options: argparse.Namespace, level: str | None) -> dict[str, Any]:
    """How trees are read, for commands that read tags as well: what is not asked for is as in `spanometer eter`."""
    return {
        "level": level or "fine",
        "scheme": options.scheme or "IOB2",
        "repair": options.repair,
        "documents": options.documents or "lines",
        "entity_types": getattr(options, "entity_types", None),
    }


def read_trees(paths: Sequence[str], *, format: str, reading: Mapping[str, Any]) -> list[Trees]:
    """The reference and one or more systems, all of the same documents and tokens.

    Args:
        paths: the reference's first.
        format: of the files.
        reading: the options `level`, `scheme`, `repair`, `documents` and `entity_types` of the reader; the last may be
            None.

    Raises:
        InputError: said of file and line.
    """
    from ..readers import require_same_tokens

    if paths.count(STANDARD_INPUT) > 1:
        raise InputError("two files are standard input.", "Name all but one.")
    # one file may be given several times
    files = {path: _read(path, format, reading) for path in dict.fromkeys(paths)}
    reference, *systems = [files[path] for path in paths]
    columns = [_columns(reference, reference.lengths)]
    for system in systems:
        require_same_tokens(reference, system)
        _require_same_names(reference, system)
        if reference.lengths is None:
            _columns(reference, system.lengths)
        columns.append(_columns(system, reference.lengths))
    return [Trees(file, entities) for file, entities in zip((reference, *systems), columns, strict=True)]


def how_read(sides: Iterable[Trees], reading: Mapping[str, Any]) -> dict[str, str]:
    """How the reference and the systems were read, for the signature: what can change the number with their formats."""
    formats = list(dict.fromkeys(side.file.format for side in sides))
    said = {"input": "+".join(_INPUTS.get(format, format) for format in formats)}
    if "hipe" in formats:
        said.update({name: reading[name] for name in ("level", "scheme", "repair")})
    if "quaero" in formats:
        said["entity_types"] = ",".join(sorted(reading["entity_types"] or ENTITY_TYPES))
        said["documents"] = reading["documents"]
    return said


def left_out(sides: Mapping[str, Trees]) -> list[tuple[str, str]]:
    """Lines of the head that say what the readers left out of each side."""
    lines = []
    for name, side in sides.items():
        found = [str(item).rstrip(".") for item in side.file.left_out]
        more = f"; and {len(found) - _SHOWN:,} more (--json has all)" if len(found) > _SHOWN else ""
        if found:
            lines.append(("left out", printable(f"{len(found):,} of {name}: {'; '.join(found[:_SHOWN])}{more}")))
    return lines


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _read(path: str, format: str, reading: Mapping[str, Any]) -> EntityFile:
    from ..readers import read_entities

    given = {name: value for name, value in reading.items() if value is not None}
    with reading_bar(path) as bar:
        return read_entities(stream_or_path(path), format=format, name=called(path), progress=bar.update, **given)


def _columns(file: EntityFile, lengths: np.ndarray | None) -> Entities:
    """The entities, checked against the documents' lengths where either side has them."""
    entities = file.to_entities()
    if lengths is None or entities.lengths is not None:
        return entities
    try:
        return entities.with_lengths(lengths)
    except InputError as error:
        raise file.locate(error) from None


def _require_same_names(reference: EntityFile, system: EntityFile) -> None:
    """Documents in another order may have the same lengths; HIPE's have names to tell them apart."""
    if not reference.format == system.format == "hipe":
        return
    for document, (one, other) in enumerate(zip(reference.documents, system.documents, strict=False)):
        if one != other:
            raise InputError(
                f"the reference document that begins here is {one!r}, the predicted one ({system.source}, line "
                f"{system.line(document)}) is {other!r}.",
                "Both sides must have the same documents, in the same order.",
                source=reference.source,
                line=reference.line(document),
            )
