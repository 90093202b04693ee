"""brat's standoff annotation: a file of annotations, and the text beside it."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, setting
from .document_file import DocumentFile, documents_of
from .formats import Evidence, Format, register
from .offsets import Offsets
from .records import Record
from .source import Limits, Source

_SPAN = re.compile(r"(\S+) (\d+ \d+(?:; ?\d+ \d+)*)")
_LINE = re.compile(rb"\s*(?:T\d+\t\S+ \d+ \d+(?:; ?\d+ \d+)*\t|[REAMN]\d+\t\S+ \S|#\d+\t\S+ [A-Z]\d+|\*\t)")
_UNITS = ("codepoint", "utf-16")
_REMEDY = "Write lines of T1, type and offsets, text, separated by tabs: T1<tab>Drug 0 7<tab>Aspirin."


def read_brat(source: Source, options: Offsets) -> DocumentFile:
    """Read the text-bound annotations of an .ann file, and their attributes; the text is in the .txt file beside it.

    Offsets are code points; the texts that annotations state decide whether they are UTF-16 units (old clients wrote
    these behind emoji). A span of several fragments is discontinuous, and its stated text is its fragments' texts,
    joined by blanks. Attributes with a value have it as text, the others are True. Relations, events and notes are not
    read, nor attributes of these; annotations whose type is not one word are left out, each is listed. Without the
    .txt file, documents have no text.

    Raises:
        InputError: names the line, for a line of another form, and as `documents_of`.
    """
    left_out: list[str] = []
    record = _record(source, left_out)
    record.text = _text_beside(source.name, source.encoding)
    return documents_of(source, [record], units=options.units(*_UNITS), left_out=left_out)


def read_brat_folder(path: str | os.PathLike[str], options: Offsets, **limits: Any) -> DocumentFile:
    """Read all .ann files of a folder and of those in it, see `read_brat`; a document's name is its path there.

    An empty .ann file is a document without spans.

    Raises:
        InputError: as `read_brat`; it names the file, or the folder if there is no .ann file.
    """
    folder = _Folder(os.fspath(path))
    encoding = Limits(**limits).encoding
    left_out: list[str] = []
    records = []
    for file in sorted(glob.glob(os.path.join(glob.escape(folder.name), "**", "*.ann"), recursive=True)):
        name = os.path.relpath(file, folder.name)
        mine: list[str] = []
        if os.path.getsize(file):
            with Source.open(file, **limits) as source:
                record = _record(source, mine)
        else:
            record = Record(spans=[])
        record.text, record.id, record.place = _text_beside(file, encoding), name.removesuffix(".ann"), name
        left_out += [f"{name}, {one}" for one in mine]
        records.append(record)
    if not records:
        raise folder.refuse("the folder has no .ann file.", "Name a folder of brat's files, or a file.")
    return documents_of(folder, records, units=options.units(*_UNITS), left_out=left_out)


@dataclass(frozen=True)
class _Folder:
    """What errors about a folder call it."""

    name: str

    def refuse(self, problem: str, remedy: str = "", line: int | None = None) -> InputError:
        """Return an error about this folder."""
        return InputError(problem, remedy, source=self.name, line=line)


def _record(source: Source, left_out: list[str]) -> Record:
    spans: list[tuple[int, int, str]] = []
    fragments: dict[int, list[tuple[int, int]]] = {}
    stated: list[str | None] = []
    number_of: dict[str, int] = {}
    attributes: list[dict[str, Any]] = []
    later: list[list[str]] = []
    for number, line in source.lines():
        cells = line.split("\t")
        if cells[0][:1] in ("A", "M") and len(cells) > 1:
            later.append(cells[1].split(" ", 2))
        if cells[0][:1] != "T":
            if line.strip() and cells[0][:1] not in "REAMN#*":
                raise source.refuse("this is no line of brat's annotation.", _REMEDY, number)
            continue
        found = _SPAN.fullmatch(cells[1]) if len(cells) > 1 else None
        if found is None:
            left_out.append(f"line {number}: an annotation whose type is not one word, or without offsets.")
            continue
        if cells[0] in number_of:
            raise source.refuse(f"the annotation {cells[0]} is there twice.", _REMEDY, number)
        pairs = [tuple(map(int, pair.split())) for pair in found[2].split(";")]
        bounds = sorted((start, end) for start, end in pairs)
        number_of[cells[0]] = len(spans)
        if len(bounds) > 1:
            fragments[len(spans)] = bounds
        spans.append((bounds[0][0], bounds[-1][1], found[1]))
        stated.append(cells[2] if len(cells) > 2 else None)
        attributes.append({})
    for name, *rest in later:
        if rest and rest[0] in number_of:
            attributes[number_of[rest[0]]][name] = rest[1] if len(rest) > 1 else True
    name = os.path.basename(source.name).removesuffix(".ann")
    return Record(spans=spans, fragments=fragments, stated=stated, attributes=attributes, id=name)


def _text_beside(name: str, encoding: str) -> str | None:
    path = f"{name.removesuffix('.ann')}.txt"
    if not name.endswith(".ann") or not os.path.isfile(path):
        return None
    try:
        with open(path, encoding=encoding, newline="") as file:
            return file.read().removeprefix("\ufeff")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the text cannot be read ({error}).", f"Save it as UTF-8, or name {setting('encoding')}.", source=path
        ) from None


def _evidence(source: Source) -> Evidence:
    return Evidence.CERTAIN if _LINE.match(source.head) else Evidence.NONE


register(
    Format(
        name="brat",
        content=DocumentFile,
        mark="brat's annotation",
        evidence=_evidence,
        read=read_brat,
        reading=Offsets,
        read_folder=read_brat_folder,
        ending=".ann",
    )
)
