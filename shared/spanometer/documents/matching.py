"""Which document of one side is which of another: by name, by text, or in order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..exceptions import InputError, counted, setting
from ..spans.documents import places_of
from .document_file import DocumentFile

_LISTED = 3


def matched(references: DocumentFile, predictions: DocumentFile) -> tuple[DocumentFile, DocumentFile]:
    """Return both sides with their documents in the order of the reference.

    Documents are matched by name if both sides have the same names, by text if no text occurs twice, else in order. If
    both sides have the same texts, each once, but under other names, as two projects of one tool do, the texts count.

    Raises:
        InputError: for documents that only one side has, and for names of several documents that differ if there are
            neither texts nor words to show that the documents are the same.
    """
    ids, others = references.documents.ids, predictions.documents.ids
    if ids is not None and others is not None and (ids == others or set(ids) == set(others)):
        references.documents.require_unique()
        predictions.documents.require_unique()
        by_name = predictions if ids == others else predictions.take(places_of(others, ids))
        if not _numbered_anew(references, by_name):
            return references, by_name
    texts, other_texts = references.documents.texts, predictions.documents.texts
    if (
        texts is not None
        and other_texts is not None
        and texts != other_texts
        and set(texts) == set(other_texts)
        and len(set(texts)) == len(texts) == len(other_texts)
    ):
        return references, predictions.take(places_of(other_texts, texts))
    sizes = references.documents.size, predictions.documents.size
    named = ids is not None and others is not None
    shown = all(side.documents.texts is not None or side.words is not None for side in (references, predictions))
    if sizes[0] != sizes[1] or (named and not shown and sizes[0] > 1):
        raise InputError(
            f"{counted(sizes[0], 'document')} here, {counted(sizes[1], 'document')} in {predictions.source}."
            f"{_missing(ids, others, predictions.source)}",
            "Both sides must annotate the same documents, with the same names or in the same order; "
            f"{setting('shared_documents', True)} leaves out what only one has.",
            source=references.source,
        )
    return references, predictions


def _numbered_anew(references: DocumentFile, predictions: DocumentFile) -> bool:
    """Return whether texts belong together otherwise than names do, as the numbers that two projects give do not."""
    texts, others = references.documents.texts, predictions.documents.texts
    if texts is None or others is None or texts == others:
        return False
    return len(set(texts)) == len(texts) and set(texts) == set(others)


def _missing(ids: Sequence[str] | None, others: Sequence[str] | None, other_source: str) -> str:
    if ids is None or others is None:
        return ""
    for one, other, where in ((ids, others, "Only here"), (others, ids, f"Only in {other_source}")):
        known = set(other)
        lacking = [name for name in one if name not in known]
        if lacking:
            return f" {where}: {_listed(list(map(repr, lacking)))}."
    return ""


def shared_documents(files: Mapping[str, DocumentFile]) -> tuple[dict[str, DocumentFile], dict[str, list[str]]]:
    """Return of all sides the documents that each of them has, in the order of the first, and what is left out of each.

    Documents are the same if they have one name, or, if the sides share no name, one text.

    Returns:
        The sides, and for each a sentence if it has other documents.

    Raises:
        InputError: for sides that share no document, and for a name or a text that a side has twice.
    """
    names = [file.documents.ids for file in files.values()]
    texts = [file.documents.texts for file in files.values()]
    for found in (names, texts):
        keys = [each for each in found if each is not None]
        of_all = set(keys[0]).intersection(*keys) if len(keys) == len(files) else set()
        if of_all:
            shared = [key for key in keys[0] if key in of_all]
            pairs = list(zip(files.items(), keys, strict=True))
            chosen = {name: _restricted(file, of_file, shared) for (name, file), of_file in pairs}
            return chosen, {name: _lacking(file, of_file, of_all) for (name, file), of_file in pairs}
    raise InputError(
        f"{' and '.join(dict.fromkeys(file.source for file in files.values()))} share no document.",
        "Documents are the same if they have one name, or one text.",
    )


def _restricted(file: DocumentFile, keys: Sequence[str], shared: Sequence[str]) -> DocumentFile:
    if len(set(keys)) < len(keys):
        file.documents.require_unique()
        raise InputError("two documents have one text.", "Give documents names.", source=file.source)
    return file.take(places_of(keys, shared))


def _lacking(file: DocumentFile, keys: Sequence[str], shared: Collection[str]) -> list[str]:
    names = [file.documents.name(place) for place, key in enumerate(keys) if key not in shared]
    return [f"{counted(len(names), 'document')} that others lack, left out: {_listed(names)}."] if names else []


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED])}{more}"
