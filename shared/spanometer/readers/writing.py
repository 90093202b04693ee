"""Documents with spans, written into files of any format that can hold them: `write_documents`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from ..errors import InputError, mention, require_choice, require_kind, setting
from ..options import require_known
from .document_file import DocumentFile
from .fitting import Fitted, fitted
from .formats import writers
from .output import packing, writing, writing_folder
from .pairing import Pairing
from .source import require_stream


def write_documents(
    documents: DocumentFile,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str,
    lossy: bool = False,
    replace: bool = False,
    to_tokens: str = "strict",
    trim: str = "nothing",
    tokenizer: str | None = None,
    **options: Any,
) -> tuple[str, ...]:
    """Write documents and their spans into a file, whole or not at all.

    What each format can hold is in docs/formats.md. A document of which a part cannot be held is refused, unless the
    loss is asked for.

    Args:
        documents: what `spanometer.read` returns.
        path: the file, which must not exist yet, or an open binary stream; gzipped if it ends in `.gz`. For brat it is
            a folder, which must not exist yet or be empty.
        format: `jsonl`, `columns`, `brat`, `doccano`, `label_studio` or `spacy`.
        lossy: whether to write what the format can hold if that is not all.
        replace: whether a file that exists is replaced, or a folder that has no files of other kinds.
        to_tokens: how spans of characters are carried to tokens, if the format has tokens: see
            `spans.tokenisation.POLICIES`. Under `strict` those that begin or end within a token cannot be held.
        trim: what is cut off the ends of spans of characters: `nothing`, `blanks` or `punctuation`.
        tokenizer: what makes tokens of the texts, see `tokenizers.TOKENIZERS`; by default those of the file are taken.
        **options: of columns `scheme` ("IOB2"), that of the tags; of spaCy `span_group`, the group that has the spans
            instead of the entities.

    Returns:
        What was lost or changed, one text each.

    Raises:
        InputError: for what the format cannot hold, with counts and documents; for a file that exists, an unknown
            format or option, and documents without the text or the tokens that the format needs.
    """
    require_kind(documents, DocumentFile, "a file that was read", "Give what spanometer.read returns.")
    require_stream(path, "write")
    require_choice("lossy", lossy, (True, False))
    require_choice("replace", replace, (True, False))
    pairing = Pairing(to_tokens=to_tokens, trim=trim, tokenizer=tokenizer)
    prepared = prepare(documents, format, pairing, options, lossy=lossy)
    if not isinstance(path, (str, os.PathLike)):
        write_into(path, prepared, format, options)
        return (*map(str, prepared.losses), *prepared.notes)
    name = os.fspath(path)
    if writers()[format].folder:
        write_folder(name, prepared, format, options, replace=replace)
    else:
        with writing(name, replace=replace) as stream, packing(stream, packed=name.endswith(".gz")) as output:
            write_into(output, prepared, format, options)
    return (*map(str, prepared.losses), *prepared.notes)


def prepare(
    documents: DocumentFile, format: str, pairing: Pairing, options: Mapping[str, Any], *, lossy: bool
) -> Fitted:
    """Return documents as a format can hold them; an `InputError` if it cannot hold all and that is not asked for."""
    known = writers()
    require_choice("format", format, tuple(known))
    require_known(options, known[format].options, f"the format {format}")
    unit = known[format].unit
    for name, value in {"to_tokens": pairing.to_tokens != "strict", "tokenizer": pairing.tokenizer is not None}.items():
        if value and (unit == "character" or (unit is None and name == "to_tokens")):
            raise InputError(f"{setting(name)} is for tokens, and {format} has spans of characters.", "Leave it out.")
    if not documents.documents.size:
        why = documents.left_out[0] if documents.left_out else "the file has none."
        problem = f"there are no documents to write: {why}"
        raise InputError(problem, "Name another file.", source=documents.source)
    prepared = fitted(documents, known[format], options, pairing)
    if prepared.losses and not lossy:
        raise InputError(
            f"{format} cannot hold all of it: {'; '.join(map(str, prepared.losses))}.",
            f"Choose another format, or write it so, with {setting('lossy', True)}.",
            source=documents.source,
            option="lossy",
        )
    return prepared


def write_into(output: BinaryIO, prepared: Fitted, format: str, options: Mapping[str, Any]) -> None:
    """Write documents, as a format can hold them, into a stream."""
    if writers()[format].folder:
        raise InputError(f"{format} is a folder of files.", f"Name a folder with {mention('output')}.")
    with _encoded(prepared):
        for piece in writers()[format].write(prepared, **options):
            output.write(piece)


def write_folder(path: str, prepared: Fitted, format: str, options: Mapping[str, Any], *, replace: bool) -> None:
    """Write documents, as a format can hold them, into a folder."""
    known: set[str] = set()
    with writing_folder(path, replace=replace) as folder, _encoded(prepared):
        for name, content in writers()[format].write(prepared, **options):
            _require_inside(name, known, prepared)
            file = os.path.join(folder, *name.split("/"))
            try:
                os.makedirs(os.path.dirname(file), exist_ok=True)
                with open(file, "xb") as stream:
                    stream.write(content)
            except (OSError, ValueError) as error:
                reason = (getattr(error, "strerror", None) or str(error)).lower()
                raise InputError(f"{name!r} cannot be written: {reason}.", _NAMES, source=path) from None


def _require_inside(name: str, known: set[str], prepared: Fitted) -> None:
    parts = name.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\0" in name or "\\" in name:
        raise InputError(f"{name!r} is no name of a file.", _NAMES, source=prepared.file.source)
    if name in known:
        remedy = f"{_NAMES} {setting('annotator')} chooses one of several annotators."
        raise InputError(f"two documents would be {name!r}.", remedy, source=prepared.file.source)
    known.add(name)


@contextmanager
def _encoded(prepared: Fitted) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError:
        problem = "a text has half of a surrogate pair, which no file can have."
        raise InputError(problem, "Check where the text comes from.", source=prepared.file.source) from None


_NAMES = "Documents are called by their names; give each a name of its own that a file can have."
