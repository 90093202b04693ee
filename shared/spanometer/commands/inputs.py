"""Inputs of commands: kinds of files, how they are named and opened, and the places of errors in them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, TypeVar
from weakref import finalize

import numpy as np

from ..documents import joining as matching
from ..documents.document_file import DocumentFile
from ..exceptions import InputError, counted, mention, printable
from ..grounding.grounded import AnswerCounts
from ..measures.base import Measure
from ..readers.columns.layout import DOCSTART
from ..readers.formats import Format, detect
from ..readers.source import open_file, spooled
from ..spans.spans import Spans
from .options import STANDARD_INPUT, names_in

File = TypeVar("File")

_SHOWN = 3
"""The maximum number of left-out items that are shown; JSON has all."""


@dataclass(frozen=True)
class ShownFile:
    """The description of a file that a command shows.

    Attributes:
        text: a summary of the file on one line.
        described: the same for JSON.
        left_out: the items that the reader left out.
        remarks: differences from the reference's spans that may be mistakes.
    """

    text: str
    described: Mapping[str, Any]
    left_out: Sequence[str] = ()
    remarks: Sequence[str] = ()

    @classmethod
    def by(cls, file: DocumentFile, *texts: str, **described: Any) -> ShownFile:
        """Describe a file by texts after its name, and by values for JSON."""
        return cls(", ".join([file.source, *texts]), {"file": file.source, **described}, file.left_out)

    @classmethod
    def of(cls, file: DocumentFile, grounded: AnswerCounts | None = None) -> ShownFile:
        """Describe a file: its items, notes on them, and the items that were left out; answers may be grounded."""
        if file.tags:
            columns = " and ".join(file.columns)
            return cls.by(file, columns, column=columns)
        if file.entities is not None:
            entities, components = len(file.entities), len(file.entities.components)
            metonymic = int((np.diff(file.entities.type_offsets) > 1).sum())
            text = f"{counted(entities, 'entity', 'entities')}, {counted(components, 'component')}"
            sizes = {"entities": entities, "components": components, "metonymic": metonymic}
            texts = file.format, text, f"{metonymic:,} metonymic"
            return cls.by(file, *texts, format=file.format, **sizes, left_out=list(file.left_out))
        described: dict[str, Any]
        if file.answers is None:
            unit = "tokens" if file.in_tokens else "characters"
            described = {"spans": len(file.spans), "unit": unit}
            text = f"{counted(len(file.spans), 'span')} of {unit}"
        else:
            described = {"answers": len(file.answers), **({} if grounded is None else grounded.total)}
            text = counted(len(file.answers), "answer") if grounded is None else grounded.summary
        text = "; ".join([text, *(note.rstrip(".") for note in file.notes)])
        return cls.by(file, text, **described, notes=list(file.notes), left_out=list(file.left_out))

    def beside(self, references: Spans, predictions: Spans, measures: Sequence[Measure]) -> ShownFile:
        """Add a remark if there are no spans, or if the system predicts labels that the reference lacks."""
        sides = ({side.labels[code] for code in np.unique(side.label)} for side in (references, predictions))
        expected, predicted = sides
        missed, unknown = sorted(expected - predicted), sorted(predicted - expected)
        if not expected and not predicted:
            remark = "no spans on either side"
        elif not (expected and unknown) or all(each.options().get("match_labels") is False for each in measures):
            return self
        else:
            listed = {"the reference": missed, self.described["file"]: unknown}
            remark = "; ".join(f"only in {where}: {_first_of(labels)}" for where, labels in listed.items() if labels)
            alike = len(missed) == len(unknown) == 1
            example = f"{unknown[0]}={missed[0]} gives both the same name" if alike else "OLD=NEW renames labels"
            remark += printable(f" (--label-map {example})") if missed else ""
        return replace(self, described={**self.described, "remarks": [remark]}, remarks=[remark])


def documents_in(file: DocumentFile, *, briefly: bool = False) -> str:
    """Return the number of documents in words; if the file has no document boundaries, the number of sentences."""
    number = counted(len(file.document_lines), "sentence" if file.sentences else "document")
    if briefly or not file.sentences:
        return number
    if not file.docstart_lines:
        return f"{number} (no document boundaries found)"
    reading = file.tags[0].reading if file.tags else file.decoding
    lines = counted(len(file.docstart_lines), f"{reading.get('boundary', DOCSTART)} line")
    return f"{number} ({lines}: add --documents={DOCSTART} to resample documents instead of sentences)"


def _first_of(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _SHOWN:,} more" if len(labels) > _SHOWN else ""
    return ", ".join(map(printable, labels[:_SHOWN])) + more


def size_of(documents: int | str, tokens: int | None, unit: str = "token") -> str:
    """Return the size of a corpus in words; `documents` can be in words already."""
    number = documents if isinstance(documents, str) else counted(documents, "document")
    return ", ".join([number, *([] if tokens is None else [counted(tokens, unit)])])


def headlines(
    sides: Sequence[tuple[str, ShownFile]], documents: int | str, tokens: int | None = None, unit: str = "token"
) -> list[tuple[str, str]]:
    """Return the lines above the results: each side, the size of the corpus, and the items that readers left out."""
    lines = [*((name, side.text) for name, side in sides), ("size", size_of(documents, tokens, unit))]
    for name, side in sides:
        more = f"; and {len(side.left_out) - _SHOWN:,} more (--json has all)" if len(side.left_out) > _SHOWN else ""
        if side.left_out:
            listed = "; ".join(item.rstrip(".") for item in side.left_out[:_SHOWN])
            lines.append(("left out", f"{len(side.left_out):,} of {name}: {listed}{more}"))
    remarks = dict.fromkeys(remark for _, side in sides for remark in side.remarks)
    return [*lines, *(("note", remark) for remark in remarks)]


def detected(path: str, encoding: str, content: str | None = None, name: str | None = None) -> Format | None:
    """Detect the format of a file from its beginning, see `readers.detect`."""
    opened = InputPath.of(path)
    return detect(opened.start, content, name, encoding=encoding)


class InputPath(str):
    """The path of an input file, with its copy and its key.

    Attributes:
        copy: a copy of a file that can be read only once (a pipe, standard input); None for other files.
        key: the key of a language model's answers, if it is set.
    """

    copy: BinaryIO | None = None
    key: str | None = None
    _opened: InputPath | None = None

    @classmethod
    def of(cls, path: str, key: str | None = None) -> InputPath:
        """Create it; copy a file that can be read only once, so that its format can be detected before it is read."""
        named = cls(path)
        named.key = key
        if isinstance(path, InputPath):
            named.copy, named._opened = path.copy, path
        elif path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
            with open_file(path, path) if path != STANDARD_INPUT else nullcontext(sys.stdin.buffer) as stream:
                named.copy = spooled(stream)
            finalize(named, named.copy.close)
        return named

    @property
    def start(self) -> str | BinaryIO:
        """The path, or the copy, rewound to its start."""
        if self.copy is None:
            return str(self)
        self.copy.seek(0)
        return self.copy


def input_paths(paths: Sequence[str], keys: str | None = None, *, systems: int = 1) -> list[InputPath]:
    """Return the files of several sides; the files of systems are repeated for each key of answers.

    Args:
        paths: the files.
        keys: the keys, separated by commas.
        systems: the index of the first file of a system. If there is none, the file of the reference also has the
            answers.

    Raises:
        InputError: if two files are standard input or the same pipe, or if keys are wrong.
    """
    pipes = [pipe for pipe in map(_pipe, paths) if pipe is not None]
    for path in paths:
        if pipes.count(_pipe(path)) > 1:
            what = "standard input" if path == STANDARD_INPUT else path
            raise InputError(f"{what} is given twice, but can be read only once.", "Give different files.")
    opened = list(map(InputPath.of, paths))
    if keys is None:
        return opened
    names, answers = _names_in(keys, "answer_key", "key"), opened[systems:] or opened[:1]
    return [*opened[:systems], *(InputPath.of(path, key) for path in answers for key in names)]


def _pipe(path: str) -> object:
    """Return the identity of a file that can be read only once; None for other files."""
    try:
        status = os.fstat(sys.stdin.fileno()) if path == STANDARD_INPUT else os.stat(path)
    except (AttributeError, OSError, ValueError):
        # standard input may be no file, as in a test
        return STANDARD_INPUT if path == STANDARD_INPUT else None
    regular = (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)) and path != STANDARD_INPUT
    return None if regular else (status.st_dev, status.st_ino)


def progress_bar(*steps: Any, **settings: Any) -> Any:
    """Create a progress bar on a terminal, which appears after a second and vanishes at its end."""
    from tqdm import tqdm

    return tqdm(*steps, delay=1, leave=False, disable=None, **settings)


def read_with(reader: Callable[..., File], path: str, **options: Any) -> File:
    """Read a file or standard input, with a progress bar."""
    opened, what = InputPath.of(path), f"reading {printable(os.path.basename(path))}"
    size = os.path.getsize(path) if path != STANDARD_INPUT and os.path.isfile(path) else None
    with progress_bar(desc=what, total=size, unit="B", unit_scale=True) as bar:
        return reader(opened.start, name=called(path), progress=bar.update, **options)


@contextmanager
def located(files: Mapping[str, DocumentFile]) -> Iterator[None]:
    """Replace the document in an `InputError` by the line of its file.

    Args:
        files: the files by the names of sides in errors; "" is for errors without a side.
    """
    try:
        yield
    except InputError as error:
        raise matching.located(error, files) from None


def named(written: str | None, default: Sequence[str], what: str) -> list[str]:
    """Return the names of sides, which are separated by commas, or the default names. All names must differ.

    Args:
        written: the names.
        default: the default names, one for each side.
        what: the noun for a side, `annotator` or `system`.
    """
    if written is None:
        return list(default)
    names = _names_in(written, "names", "name")
    if len(names) != len(default):
        problem = f"got {counted(len(names), 'name')} for {counted(len(default), what)}."
        raise InputError(problem, f"Give one name for each {what}.")
    return names


def _names_in(text: str, option: str, noun: str) -> list[str]:
    """Split names or keys that are separated by commas; raise an `InputError` if one is empty or repeated."""
    names = list(names_in(text))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(f"{mention(option)} has an empty or repeated {noun}.", f"Give each {noun} once.")
    return names


def names_of(paths: Sequence[str]) -> list[str]:
    """Name annotators or systems after their files, by the shortest names that are distinct."""
    bare = [os.path.basename(os.path.normpath(called(path))).removesuffix(".gz") for path in paths]
    stems = [os.path.splitext(name)[0] for name in bare]
    keys = [getattr(path, "key", None) or "" for path in paths]
    candidates = [stems, bare, list(paths)]
    if any(keys):
        # nested keys differ mostly after the dot
        short = [key.partition(".")[2] or key or stem for key, stem in zip(keys, stems, strict=True)]
        candidates = [short, [f"{stem} {key}".strip() for key, stem in zip(keys, stems, strict=True)]]
    # one file given twice
    candidates.append([f"{name} ({number})" for number, name in enumerate(bare, start=1)])
    return next(names for names in candidates if len(set(names)) == len(paths))


def called(path: str) -> str:
    """Return what messages call a file."""
    return "standard input" if path == STANDARD_INPUT else path
