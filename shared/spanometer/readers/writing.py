"""Documents with spans, written into files of any format that can hold them: `write_documents`."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted, fitted
from ..documents.pairing import Pairing
from ..exceptions import InputError, mention, require_choice, require_kind, setting, shown
from ..options import require_known
from .formats import writers
from .source import require_stream

_NAMES = "Documents are called by their names; give each a name of its own that a file can have."

_LEVEL = 6
"""How hard gzip tries; that of the program gzip."""


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
        to_tokens: how to align character spans with tokens, if the format has tokens: see
            `spans.tokenisation.POLICIES`. Under `strict` those that begin or end within a token cannot be held.
        trim: what to trim from the ends of character spans: `nothing`, `blanks` or `punctuation`.
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
    """Fit documents to a format; an `InputError` if it cannot hold all of them and losses are not allowed."""
    formats = writers()
    require_choice("format", format, tuple(formats))
    require_known(options, formats[format].options, f"the format {format}")
    unit = formats[format].unit
    for name, value in {"to_tokens": pairing.to_tokens != "strict", "tokenizer": pairing.tokenizer is not None}.items():
        if value and (unit == "character" or (unit is None and name == "to_tokens")):
            raise InputError(f"{setting(name)} is for tokens, and {format} has spans of characters.", "Leave it out.")
    if not documents.documents.size:
        why = documents.left_out[0] if documents.left_out else "the file has none."
        problem = f"there are no documents to write: {why}"
        raise InputError(problem, "Name another file.", source=documents.source)
    prepared = fitted(documents, formats[format], options, pairing)
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
    paths: set[str] = set()
    with writing_folder(path, replace=replace) as folder, _encoded(prepared):
        for name, content in writers()[format].write(prepared, **options):
            _require_inside(name, paths, prepared)
            file = os.path.join(folder, *name.split("/"))
            try:
                os.makedirs(os.path.dirname(file), exist_ok=True)
                with open(file, "xb") as stream:
                    stream.write(content)
            except (OSError, ValueError) as error:
                reason = (getattr(error, "strerror", None) or str(error)).lower()
                raise InputError(f"{name!r} cannot be written: {reason}.", _NAMES, source=path) from None


def _require_inside(name: str, paths: set[str], prepared: Fitted) -> None:
    parts = name.split("/")
    if not all(parts) or {".", ".."} & set(parts) or "\0" in name or "\\" in name:
        raise InputError(f"{name!r} is no name of a file.", _NAMES, source=prepared.file.source)
    if name in paths:
        remedy = f"{_NAMES} {setting('annotator')} chooses one of several annotators."
        raise InputError(f"two documents would be {name!r}.", remedy, source=prepared.file.source)
    paths.add(name)


@contextmanager
def _encoded(prepared: Fitted) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError:
        problem = "a text has half of a surrogate pair, which no file can have."
        raise InputError(problem, "Check where the text comes from.", source=prepared.file.source) from None


@contextlib.contextmanager
def writing(
    path: str | os.PathLike[str], *, replace: bool = False, together: contextlib.ExitStack | None = None
) -> Iterator[BinaryIO]:
    """Open a stream into a file that appears, or replaces another, when all is written and no error has come.

    Until then the bytes are in a hidden file beside it, which a killed process leaves there. A replaced file keeps its
    mode. What a link points to is written; a device or a pipe is written to directly.

    Args:
        path: the file.
        replace: whether a file that exists is replaced.
        together: gives the files that are written with it their names when it is closed, or none of them.

    Raises:
        InputError: as `require_writable`, and if the system refuses, a full disk for example.
    """
    name = os.fspath(path)
    require_writable(name, replace=replace)
    if os.path.exists(name) and not os.path.isfile(name):
        with _explained(name, name), open(name, "wb") as stream:
            yield stream
        return
    target = os.path.realpath(name)
    temporary = _beside(target)

    def finish(error: type[BaseException] | None, *_: Any) -> None:
        with _explained(name, temporary):
            try:
                if error is None:
                    # another process may have made the file meanwhile
                    require_writable(name, replace=replace)
                    os.replace(temporary, target)
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)

    with contextlib.ExitStack() as alone, _explained(name, temporary):
        (together or alone).push(finish)
        with open(temporary, "xb") as stream:
            if os.path.exists(target):
                shutil.copymode(target, temporary)
            yield stream


@contextlib.contextmanager
def writing_folder(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[str]:
    """Make a folder that gets its name only if no error comes; give its path until then.

    A folder of this name is renamed away before, and back if an error comes.

    Raises:
        InputError: as `require_writable`, if files of other kinds would be lost, and if the system refuses.
    """
    name = os.fspath(path)
    require_writable(name, replace=replace, folder=True)
    target = os.path.realpath(name)
    temporary, former = _beside(target), _beside(target)
    with _explained(name, temporary):
        try:
            os.mkdir(temporary)
            yield temporary
            if os.path.isdir(target):
                if others := sorted(_endings(target) - _endings(temporary)):
                    problem = f"the folder has other files too ({', '.join(others)}), which would be lost."
                    raise InputError(problem, "Name another folder.", source=name)
                shutil.copymode(target, temporary)
                os.rename(target, former)
            os.rename(temporary, target)
        finally:
            if os.path.isdir(former) and not os.path.lexists(target):
                os.rename(former, target)
            # whatever failed: what was there is deleted only if something is in its place
            for folder in (temporary, former):
                shutil.rmtree(folder, ignore_errors=True)


def require_writable(path: str, *, replace: bool, folder: bool = False) -> None:
    """Raise an `InputError` if a file, or a folder, may not be written.

    Args:
        path: its path; a device or a pipe may be a file.
        replace: whether a file may be replaced, or a folder that is not empty.
        folder: whether a folder is written.
    """
    try:
        os.lstat(path)
    except ValueError as error:
        raise InputError(f"{shown(path)} is not the name of a file: {error}.", "Choose another name.") from None
    except OSError:
        if path.endswith(os.sep) and not folder:
            raise InputError("this is the name of a folder.", "Name a file.", source=path) from None
        return
    kind = "folder" if os.path.isdir(path) else "file"
    wanted = "folder" if folder else "file"
    if kind != wanted and os.path.exists(path):
        raise InputError(f"this is a {kind}.", f"Name a {wanted}.", source=path)
    if not replace and (os.path.isfile(path) or (folder and os.listdir(path))):
        raise InputError(f"the {kind} exists already.", "Choose another name, or add --force.", source=path)
    if os.path.isfile(path) and not os.access(path, os.W_OK):
        raise InputError("the file is write-protected.", "Write to another file with -o.", source=path)


@contextlib.contextmanager
def packing(stream: BinaryIO, *, packed: bool) -> Iterator[BinaryIO]:
    """Open a stream that writes gzip into another, or give that one itself."""
    if not packed:
        yield stream
        return
    with gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, filename="", mtime=0) as packer:
        yield cast(BinaryIO, packer)


def _beside(path: str) -> str:
    """Make up a hidden name in a file's folder."""
    return os.path.join(os.path.dirname(path), f".spanometer-{os.urandom(6).hex()}.tmp")


def _endings(folder: str) -> set[str]:
    return {os.path.splitext(name)[1] or name for _, _, names in os.walk(folder) for name in names}


@contextlib.contextmanager
def _explained(path: str, temporary: str) -> Iterator[None]:
    """Turn what the system refuses to write into an `InputError` that names the file; a closed pipe is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, path, temporary):
            raise
        problem = f"cannot be written: {(error.strerror or str(error)).lower()}."
        raise InputError(problem, "Name a place that has room and may be written to.", source=path) from None
