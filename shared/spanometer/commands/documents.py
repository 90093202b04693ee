"""Files of documents with spans: exports of annotation tools, outputs of systems, JSON lines; and their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..analysis.results import Report
from ..counts.statistics import Resampling
from ..errors import InputError, counted
from ..options import check_options, option
from ..readers.document_file import DocumentFile
from ..readers.formats import AUTO, formats_of
from ..readers.pairing import Paired, Pairing, pair
from ..readers.reading import read_documents, require_one_annotator
from ..readers.source import Limits
from ..readers.tag_file import TagFile
from ..spans.characters import UNITS
from ..tags.decoding import LabelDecoding
from .inputs import Input, PairInput, Side, detected, read_with, require_distinct
from .options import text
from .tag_files import COLUMN


@dataclass(frozen=True, kw_only=True)
class DocumentLayout(Limits, LabelDecoding, Input):
    """How files of documents are read, whatever their format."""

    title: ClassVar[str] = "documents with spans"
    content: ClassVar[type[DocumentFile]] = DocumentFile
    input: ClassVar[str] = "spans"
    remedy: ClassVar[str] = "Use measures of spans."

    format: str = option(
        AUTO,
        help="form of the files",
        choices=(AUTO, *dict.fromkeys([*formats_of(DocumentFile), *formats_of(TagFile)])),
    )
    column: str | None = text("COLUMN", f"tag column of files of tags: {COLUMN}")
    annotator: str | None = text("NAME", "whose spans to read, if a file has those of several annotators")
    offset_unit: str | None = option(
        None, help="what offsets count, if a file does not tell", choices=UNITS, optional=True, metavar="UNIT"
    )
    text_key: str | None = text("KEY", "the key of the text in the tasks of Label Studio")
    label_key: str | None = text("KEY", "the tag (from_name) whose labels are read in the tasks of Label Studio")

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        check_options(self)

    def read(self, path: str) -> DocumentFile:
        """Read a file of any format that has spans, those of one annotator."""
        found = detected(path) if self.format == AUTO else None
        of_documents = found is not None and found.content is DocumentFile
        own: dict[str, Any] = {}
        if of_documents or self.format in formats_of(DocumentFile):
            own = {name: getattr(self, name) for name in ("offset_unit", "text_key", "label_key")}
        file = read_with(
            read_documents,
            path,
            format=found.name if found is not None and of_documents else self.format,
            annotator=self.annotator,
            column=self.column,
            scheme=self.scheme,
            repair=self.repair,
            prefix=self.prefix,
            limits=self.limits,
            **own,
        )
        return require_one_annotator(file)


@dataclass(frozen=True, kw_only=True)
class DocumentInput(DocumentLayout, Pairing, PairInput):
    """Two files of documents with spans, of any formats, scored by measures of spans."""

    def read_pair(self, paths: Sequence[str]) -> tuple[Paired, dict[str, Side]]:
        """Read both sides and bring their spans into one unit."""
        if len(paths) == 1:
            raise InputError("there is no file with the system's spans.", "Give PREDICTION.")
        require_distinct(paths)
        references, predictions = map(self.read, paths)
        paired = pair(references, predictions, Pairing(**{name: getattr(self, name) for name in _PAIRING}))
        return paired, {"reference": side_of(references), "prediction": side_of(predictions)}

    def score(
        self, paths: Sequence[str], measures: Sequence[Any], resampling: Resampling | None
    ) -> tuple[Report, dict[str, Side]]:
        """Read both sides and score them in one unit, which the signature names."""
        paired, sides = self.read_pair(paths)
        report = Report.of(
            paired.references, paired.predictions, measures, {"input": "spans", **paired.choices}, resampling=resampling
        )
        size = counted(report.documents, "document")
        if paired.unit == "character" and report.tokens is not None:
            report = replace(report, tokens=None)
            size += f", {counted(int(sum(_lengths(paired))), 'character')}"
        moved = Side("; ".join(paired.notes), {"notes": list(paired.notes)}, paired.left_out)
        return replace(report, documents_text=size), {
            **sides,
            **({"carried": moved} if moved.text or moved.left_out else {}),
        }


_PAIRING = tuple(Pairing.__dataclass_fields__)


def _lengths(paired: Paired) -> Any:
    return () if paired.references.lengths is None else paired.references.lengths


def side_of(file: DocumentFile) -> Side:
    """Return a file as commands show it: what it has, and what was not read of it."""
    spans = counted(len(file.spans), "span")
    unit = "tokens" if file.in_tokens else "characters"
    described = {"file": file.source, "spans": len(file.spans), "unit": unit, "notes": list(file.notes)}
    notes = "".join(f" ({note})" for note in file.notes)
    return Side(
        f"{file.source}, {spans} of {unit}{notes}", {**described, "left_out": list(file.left_out)}, file.left_out
    )
