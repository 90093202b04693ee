"""What the readers of entity trees hand over: entities and words, with the lines that they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ..spans.entities import Entities
from ..spans.markup import Entity
from ..spans.spans import Spans

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True)
class LeftOut:
    """Something in a file that has no place in an entity tree: the line on which it begins, and what it is."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.problem}"


@dataclass(frozen=True, eq=False)
class EntityFile:
    """The entities of a file.

    Attributes:
        source: what errors call the file.
        format: what it was read as, `hipe`, `quaero` or `jsonl`.
        documents: the documents' names: those in the file, or their numbers from 0.
        entities: for each document a list of `{"start": int, "end": int, "types": [str, ...], "components": [{"start":
            int, "end": int, "label": str}, ...]}`; offsets in tokens of the document, `end` exclusive. Entities
            that nest are both in the list, the longer one first; components are ordered by start, end and label.
        words: for each document its words; None where the file has none (JSON lines).
        document_lines: int64, the number of the line, from 1, on which each document begins.
        token_lines: int64, the line of every token; None where a document is not one token a line.
        left_out: what was read and is in no entity, in the order of the file. A system's output may have components
            that no entity encloses; they are here, so that they are not lost unseen.
        columns: for hipe the spans of each column by its name, as they were decoded, with what is left out.
        comments: for hipe the comments, each with the number of its line.
    """

    source: str
    format: str
    documents: tuple[str, ...]
    entities: list[list[Entity]]
    words: list[list[str]] | None
    document_lines: np.ndarray
    token_lines: np.ndarray | None = None
    left_out: tuple[LeftOut, ...] = ()
    columns: Mapping[str, Spans] = field(default_factory=dict)
    comments: tuple[tuple[int, str], ...] = ()

    @property
    def lengths(self) -> np.ndarray | None:
        """The documents' lengths in tokens, int64; None where the file has no words."""
        return None if self.words is None else np.fromiter(map(len, self.words), np.int64, len(self.words))

    def line(self, document: int, position: int | None = None) -> int:
        """The line of a document, or of a token of it."""
        lengths = self.lengths
        if self.token_lines is None or position is None or lengths is None:
            return int(self.document_lines[document])
        return int(self.token_lines[int(lengths[:document].sum()) + position])

    def locate(self, error: InputError) -> InputError:
        """An error about a document and token of this file, said of the file and line."""
        if error.document is None:
            return error.in_file(self.source)
        line = self.line(error.document, error.position)
        return error.in_file(self.source, line, error.position if self.token_lines is None else None)

    def to_entities(self) -> Entities:
        """The entities as columns, with the documents' lengths where the file has words; duplicates collapse."""
        try:
            return Entities.from_dicts(self.entities, lengths=self.lengths)
        except InputError as error:
            raise self.locate(error) from None

    def to_dataset(self) -> Dataset:
        """A `datasets.Dataset` with a row for each document.

        Its columns are `id` (string), `tokens` (list of strings; where the file has words) and `entities` (list of
        structs as in `entities`).
        """
        from datasets import Dataset, Features, List, Value

        component = {"start": Value("int64"), "end": Value("int64"), "label": Value("string")}
        entity = {
            "start": Value("int64"),
            "end": Value("int64"),
            "types": List(Value("string")),
            "components": List(component),
        }
        columns = {"id": list(self.documents), "tokens": self.words, "entities": self.entities}
        features = {"id": Value("string"), "tokens": List(Value("string")), "entities": List(entity)}
        if self.words is None:
            del columns["tokens"], features["tokens"]
        return Dataset.from_dict(columns, features=Features(features))
