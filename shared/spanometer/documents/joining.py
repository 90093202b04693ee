"""Several files, read one by one and taken together as one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, TypeVar, cast

import numpy as np

from ..arrays import offsets_of
from ..exceptions import InputError
from ..spans.annotations import end_to_end
from ..spans.documents import Documents, Tokens
from .attributed import AttributedSpans
from .document_file import DocumentFile
from .places_in_files import AnnotatedFile, LineRuns, Parts
from .stated import StatedTexts
from .tag_file import TagFile, joined_tags
from .words import Words

File = TypeVar("File", bound=AnnotatedFile)
Value = TypeVar("Value")

TOGETHER: dict[type[AnnotatedFile], Callable[..., AnnotatedFile]] = {}
"""What makes one file of several, by their class: a function of the name of it, and of the files by their names."""


def read_together(path: Any, files: Mapping[str, str], read: Callable[[str], File]) -> File:
    """Read files one by one, and return what they have together.

    Raises:
        InputError: as the reader, and for files that do not go together.
    """
    found = {name: read(file) for name, file in files.items()}
    source = os.fspath(path)
    return cast(File, TOGETHER[type(next(iter(found.values())))](source, found))


def parts_together(source: str, files: Mapping[str, AnnotatedFile]) -> dict[str, Any]:
    """Return what all annotated files have."""
    parts = list(files.values())
    words = if_all(part.words for part in parts)
    some, none = ([part.source for part in parts if (part.words is None) == lacks] for lacks in (False, True))
    if some and none:
        raise InputError(f"{some[0]} has words, and this has none.", "Give files of one form.", source=none[0])
    sizes = [len(part.document_lines) for part in parts]
    runs = [part.line_runs for part in parts]
    joined = None
    if all(run is not None for run in runs):
        base = offsets_of([run.size for run in runs if run is not None])
        tokens = [run.tokens + first for run, first in zip(runs, base.tolist(), strict=False) if run is not None]
        lines = [run.lines for run in runs if run is not None]
        joined = LineRuns(np.concatenate(tokens), np.concatenate(lines), int(base[-1]))
    return {
        "source": source,
        "document_lines": np.concatenate([part.document_lines for part in parts]),
        "line_runs": joined,
        "words": None if words is None else Words.of(joined_tags(words)),
        "parts": Parts(tuple(files), tuple(part.source for part in parts), np.repeat(np.arange(len(parts)), sizes)),
    }


def _tags(source: str, files: Mapping[str, TagFile]) -> TagFile:
    first, *others = parts = list(files.values())
    for other in others:
        if other.columns != first.columns:
            raise InputError(
                f"the tags are in {' and '.join(other.columns)} here, and in {' and '.join(first.columns)} in "
                f"{first.source}.",
                "Name the columns.",
                source=other.source,
            )
    numbers = if_all(part.numbers for part in parts)
    names = if_all(part.document_names for part in parts)
    return TagFile(
        **parts_together(source, files),
        columns=first.columns,
        tags=tuple(joined_tags(of_column) for of_column in zip(*(part.tags for part in parts), strict=True)),
        numbers=None if numbers is None else np.concatenate(numbers),
        layout=first.layout,
        document_names=None if names is None else tuple(chain.from_iterable(names)),
        sentences=any(part.sentences for part in parts),
        form="several files",
    )


def _documents(source: str, files: Mapping[str, DocumentFile]) -> DocumentFile:
    first, *others = parts = list(files.values())
    for other in others:
        for kind, here, there in (
            ("spans of tokens", other.in_tokens, first.in_tokens),
            ("spans of annotators", other.annotators, first.annotators),
            ("answers of a language model", other.answers is not None, first.answers is not None),
            ("texts", other.documents.texts is not None, first.documents.texts is not None),
        ):
            if bool(here) != bool(there):
                where = (first, other) if here else (other, first)
                problem = f"{where[1].source} has {kind}, and this has {'none' if kind == 'texts' else 'others'}."
                raise InputError(problem, "Give files of one form.", source=where[0].source)
    known = [part.documents for part in parts]
    ids = document_names(files, [each.ids or range(each.size) for each in known])
    texts, tokens = if_all(each.texts for each in known), if_all(each.tokens for each in known)
    with_attributes = any(part.attributes is not None for part in parts)
    attributed = (part.attributes or AttributedSpans.without_any(part.spans) for part in parts)
    return DocumentFile(
        **parts_together(source, files),
        documents=Documents(
            size=len(ids),
            ids=ids,
            texts=None if texts is None else tuple(chain.from_iterable(texts)),
            tokens=None if tokens is None else Tokens.end_to_end(tokens),
        ),
        spans=end_to_end([part.spans for part in parts]),
        in_tokens=first.in_tokens,
        annotators=tuple(chain.from_iterable(part.annotators or () for part in parts)) or None,
        attributes=AttributedSpans.from_dicts(chain.from_iterable(attributed)) if with_attributes else None,
        stated=StatedTexts.end_to_end([part.stated for part in parts], [each.size for each in known]),
        places=tuple(chain.from_iterable(part.places or [""] * part.documents.size for part in parts)),
        answers=None if first.answers is None else [answer for part in parts for answer in part.answers or ()],
        decoding=_decoding([part.decoding for part in parts if part.decoding]),
        left_out=tuple(f"{name}: {text}" for name, part in files.items() for text in part.left_out),
        notes=tuple(f"{name}: {text}" for name, part in files.items() for text in part.notes),
    )


def document_names(files: Iterable[str], documents: Sequence[Sequence[Any]]) -> tuple[str, ...]:
    """Return the names of the documents of all files: those of the files, if each has one document."""
    one_each = all(len(names) == 1 for names in documents)
    each = zip(files, documents, strict=True)
    return tuple(file if one_each else f"{file}/{name}" for file, names in each for name in names)


def _decoding(parts: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return how the tags of all files were decoded: with the same options, but each may show a scheme of its own."""
    schemes = dict.fromkeys(str(decoding["scheme"]) for decoding in parts)
    return {**parts[0], "scheme": "+".join(schemes)} if parts else {}


def if_all(values: Iterable[Value | None]) -> list[Value] | None:
    """Return what all files have; None if some have none."""
    found = list(values)
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else None


TOGETHER |= {DocumentFile: _documents, TagFile: _tags}
