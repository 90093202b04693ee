"""Writing of documents with spans in any format that can represent them: `write_documents`."""

import gzip
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import Any, BinaryIO, cast

from ..documents.document_file import DocumentFile
from ..documents.fitting import Fitted, fitted
from ..documents.pairing import Pairing
from ..exceptions import InputError, mention, require_choice, require_kind, setting, shown, spell_python, spelled
from ..options import require_known
from .formats import writers
from .source import FileLike, require_stream

_NAMES = "Each output file is named after its document. Give each document a different name that is a valid file name."

_LEVEL = 6
"""The compression level of gzip, the same as the program's default."""


def write_documents(
    documents: DocumentFile,
    path: FileLike,
    *,
    format: str,
    lossy: bool = False,
    replace: bool = False,
    to_tokens: str = "strict",
    trim: str = "nothing",
    tokenizer: str | None = None,
    **options: Any,
) -> tuple[str, ...]:
    """Write documents and their spans into a file, either completely or not at all.

    docs/formats.md lists what each format can represent. If the format cannot represent everything, nothing is written
    and an error is raised, unless you set `lossy`.

    Args:
        documents: the result of `spanometer.read`.
        path: a file that does not exist yet, gzipped if its name ends in `.gz`, or an open binary stream. For brat: a
            folder that does not exist yet or is empty.
        format: `jsonl`, `columns`, `brat`, `doccano`, `label_studio` or `spacy`.
        lossy: simplify or leave out spans that the format cannot represent.
        replace: replace an existing file, or an existing folder that has no files of other kinds.
        to_tokens: how to convert spans of characters to tokens, if the format has tokens, see
            `spans.tokenisation.POLICIES`. With `strict`, spans that begin or end inside a token are lost.
        trim: what to remove from the ends of spans of characters: `nothing`, `blanks` or `punctuation`.
        tokenizer: a tokenizer for the texts, see `tokenizers.TOKENIZERS`; by default the file's tokens are used.
        **options: for columns `scheme` (default `IOB2`), the tag scheme; for spaCy `span_group`, a span group to write
            instead of entities.

    Returns:
        A description of each loss and change.

    Raises:
        InputError: if something would be lost (with counts and documents), if the file exists, if the format or an
            option is unknown, or if documents lack the text or tokens that the format needs.
    """
    require_kind(documents, DocumentFile, "the result of spanometer.read", "Read the file with spanometer.read.")
    require_stream(path, "write")
    require_choice("lossy", lossy, (True, False))
    require_choice("replace", replace, (True, False))
    pairing = Pairing(to_tokens=to_tokens, trim=trim, tokenizer=tokenizer)
    prepared = prepare(documents, format, pairing, options, lossy=lossy)
    if not writers()[format].folder:
        with output_to(path, replace=replace) as output:
            for part in written(prepared, format, options):
                output.write(part)
    elif isinstance(path, (str, os.PathLike)):
        write_folder(os.fspath(path), prepared, format, options, replace=replace)
    else:
        raise InputError(f"{format} writes a folder of files.", f"Name a folder with {mention('output')}.")
    return (*(spelled(str(loss), spell_python) for loss in prepared.losses), *prepared.notes)


def prepare(
    documents: DocumentFile, format: str, pairing: Pairing, options: Mapping[str, Any], *, lossy: bool
) -> Fitted:
    """Fit documents to a format; raise an `InputError` if there are losses and `lossy` is False."""
    formats = writers()
    require_choice("format", format, tuple(formats))
    require_known(options, formats[format].options, f"the format {format}")
    unit = formats[format].unit
    for name, needless in (
        ("to_tokens", pairing.to_tokens != "strict" and unit != "token"),
        ("tokenizer", pairing.tokenizer is not None and unit == "character"),
    ):
        if needless:
            problem = f"{setting(name)} is for formats with offsets in tokens, but {format} has offsets in characters."
            raise InputError(problem, f"Remove {mention(name)}.")
    if not documents.documents.size:
        first = "".join(documents.left_out[:1]).removesuffix(".").replace(": ", ", ", 1)
        problem = f"there are no documents to write ({f'left out: {first}' if first else 'the file is empty'})."
        raise InputError(problem, "Name another file.", source=documents.source)
    prepared = fitted(documents, formats[format], options, pairing)
    if prepared.losses and not lossy:
        problem = f"in the format {format!r}, {'; '.join(map(str, prepared.losses))}."
        remedy = f"Choose another format, or accept the losses with {setting('lossy', True)}. {prepared.remedy}"
        raise InputError(problem, remedy.strip(), source=documents.source, option="lossy")
    return prepared


def written(prepared: Fitted, format: str, options: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the parts of a file; for formats with folders, the name and the content of each file."""
    try:
        yield from writers()[format].write(prepared, **options)
    except UnicodeEncodeError:
        problem = "a text has half of a surrogate pair, which cannot be stored as UTF-8."
        raise InputError(problem, "Remove this half from the text.", source=prepared.file.source) from None


def write_folder(path: str, prepared: Fitted, format: str, options: Mapping[str, Any], *, replace: bool) -> None:
    """Write documents into a folder."""
    source = prepared.file.source
    with writing_folder(path, replace=replace) as folder:
        for name, content in written(prepared, format, options):
            parts = name.split("/")
            if not all(parts) or {".", ".."} & set(parts) or "\0" in name or "\\" in name:
                raise InputError(f"{name!r} is not a valid file name.", _NAMES, source=source)
            file = os.path.join(folder, *parts)
            try:
                os.makedirs(os.path.dirname(file), exist_ok=True)
                with open(file, "xb") as stream:
                    stream.write(content)
            except (OSError, ValueError) as error:
                if not isinstance(error, FileExistsError) or not os.path.isfile(file):
                    reason = (getattr(error, "strerror", None) or str(error)).lower()
                    raise InputError(f"{name!r} cannot be written: {reason}.", _NAMES, source=path) from None
                several = f"If the document has two annotators, choose one annotator with {setting('annotator')}."
                problem = f"two documents would be written to the file {name!r}."
                raise InputError(problem, f"{_NAMES} {several}", source=source) from None


@contextmanager
def writing(
    path: str | os.PathLike[str], *, replace: bool = False, together: ExitStack | None = None
) -> Iterator[BinaryIO]:
    """Open a stream for a file that appears, or replaces the old file, only after everything was written.

    Until then the bytes are in a hidden file beside it; a killed process leaves that file behind. A replaced file keeps
    its mode. If the path is a link, its target is written. Devices and pipes are written directly.

    Args:
        path: the file.
        replace: whether to replace an existing file.
        together: if set, all files written with this stack appear when it is closed without an error, otherwise none.

    Raises:
        InputError: if the system reports an error, such as a full disk; see also `require_writable`.
    """
    name = os.fspath(path)
    if os.path.exists(name) and not os.path.isfile(name):
        require_writable(name, replace=replace)
        with _explained(name, name), open(name, "wb") as stream:
            yield stream
        return
    with ExitStack() as alone:
        temporary = (together or alone).enter_context(_appearing(name, replace=replace))
        with open(temporary, "xb") as stream:
            if os.path.exists(name):
                shutil.copymode(name, temporary)
            yield stream


@contextmanager
def writing_folder(path: str | os.PathLike[str], *, replace: bool = False) -> Iterator[str]:
    """Create a folder under a temporary name, and rename it if no error is raised. Yields the temporary path.

    Raises:
        InputError: if files of other kinds would be lost, or if the system reports an error; see also
            `require_writable`.
    """
    with _appearing(os.fspath(path), replace=replace, folder=True) as temporary:
        os.mkdir(temporary)
        yield temporary


@contextmanager
def _appearing(name: str, *, replace: bool, folder: bool = False) -> Iterator[str]:
    """Yield a temporary path; the file or folder there gets its name only if no error is raised.

    An existing folder is renamed before, and gets its name back after an error.
    """
    require_writable(name, replace=replace, folder=folder)
    target = os.path.realpath(name)
    temporary, former = _beside(target), _beside(target)
    with _explained(name, temporary):
        try:
            yield temporary
            # another process may have created it meanwhile
            require_writable(name, replace=replace, folder=folder)
            if os.path.isdir(target):
                if others := sorted(_endings(target) - _endings(temporary)):
                    problem = f"files of other kinds in the folder would be lost ({', '.join(others)})."
                    raise InputError(problem, "Name another folder.", source=name)
                shutil.copymode(target, temporary)
                os.rename(target, former)
            os.replace(temporary, target)
        finally:
            if os.path.isdir(former) and not os.path.lexists(target):
                os.rename(former, target)
            with suppress(OSError):
                os.unlink(temporary)
            # whatever failed, the old folder is deleted only if a new one has replaced it
            for path in (temporary, former):
                shutil.rmtree(path, ignore_errors=True)


def require_writable(path: str, *, replace: bool, folder: bool = False) -> None:
    """Raise an `InputError` if a file or folder may not be written.

    Args:
        path: its path; devices and pipes count as files.
        replace: whether an existing file, or a folder with files, may be replaced.
        folder: whether the path is a folder.
    """
    try:
        os.lstat(path)
    except ValueError as error:
        raise InputError(f"{shown(path)} is not a valid file name: {error}.", "Choose another name.") from None
    except OSError:
        if path.endswith(os.sep) and not folder:
            raise InputError("this is the name of a folder.", "Name a file.", source=path) from None
        return
    kind = "folder" if os.path.isdir(path) else "file"
    wanted = "folder" if folder else "file"
    if kind != wanted and os.path.exists(path):
        raise InputError(f"{shown(path)} is a {kind}.", f"Name a {wanted}.")
    if not replace and (os.path.isfile(path) or (folder and os.listdir(path))):
        remedy = f"Choose another name, or add {setting('replace', True)}."
        raise InputError(f"the {kind} exists already.", remedy, source=path)
    if os.path.isfile(path) and not os.access(path, os.W_OK):
        raise InputError("the file is write-protected.", "Write to another file with -o.", source=path)


def packing(stream: BinaryIO, *, packed: bool) -> AbstractContextManager[BinaryIO]:
    """Open a stream that compresses into another stream; if `packed` is False, return the other stream."""
    if not packed:
        return nullcontext(stream)
    packer = gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=_LEVEL, filename="", mtime=0)
    return cast("AbstractContextManager[BinaryIO]", packer)


@contextmanager
def output_to(path: FileLike, *, replace: bool) -> Iterator[BinaryIO]:
    """Open a stream for a file, gzipped if its name ends in `.gz`; an open stream is yielded unchanged."""
    if not isinstance(path, (str, os.PathLike)):
        yield path
        return
    packed = os.fspath(path).lower().endswith(".gz")
    with writing(path, replace=replace) as stream, packing(stream, packed=packed) as output:
        yield output


def _beside(path: str) -> str:
    """Return a hidden name in the folder of a file."""
    return os.path.join(os.path.dirname(path), f".spanometer-{os.urandom(6).hex()}.tmp")


def _endings(folder: str) -> set[str]:
    return {os.path.splitext(name)[1] or name for _, _, names in os.walk(folder) for name in names}


@contextmanager
def _explained(path: str, temporary: str) -> Iterator[None]:
    """Convert errors of the system to an `InputError` that names the file, except for closed pipes."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename not in (None, path, temporary):
            raise
        problem = f"cannot be written: {(error.strerror or str(error)).lower()}."
        raise InputError(problem, "Check the path, the permissions and the free space.", source=path) from None
