"""INCEpTION projects, with a folder for each document: `annotation/<document>/<user>.tsv` (or .json, .xmi)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.joining import read_together
from ...documents.record import Named
from ...exceptions import InputError, counted, setting
from ..formats import Format, LayerReading, register
from ..json.uima_cas import layers_of_cas, read_cas
from ..source import Source
from .webanno import layers_of, read_webanno

_ANNOTATIONS = "annotation"
_OF_CAS = (layers_of_cas, read_cas)
_READERS: Mapping[str, Any] = {".tsv": (layers_of, read_webanno), ".json": _OF_CAS, ".xmi": _OF_CAS}
"""For each file extension: a function that lists the layers of a file, and a function that reads it."""

_UNTOUCHED = "INITIAL_CAS"
"""The file name of an imported document that nobody has annotated yet."""


def read_project(project: Named, options: LayerReading, **limits: Any) -> DocumentFile:
    """Read the annotators' files of a project, or its curation.

    Args:
        project: a project exported as WebAnno TSV 3 or UIMA CAS, or its folder `annotation` or `curation`.
        options: the options for each file.
        limits: the options of `Limits`.

    Raises:
        InputError: if the folder has another structure, if annotators of a document have different texts, or if the
            layer is ambiguous; see also `read_webanno`.
    """
    folder = os.path.join(project.name, _ANNOTATIONS)
    folder = folder if os.path.isdir(folder) else project.name
    files: dict[str, str] = {}
    others: list[str] = []
    untouched = 0
    for document in sorted(os.listdir(folder)):
        place = os.path.join(folder, document)
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else []:
            user, ending = os.path.splitext(name)
            if ending in _READERS and user == _UNTOUCHED:
                untouched += 1
            elif ending in _READERS:
                files[f"{document}/{user}"] = os.path.join(place, name)
            elif not name.startswith("."):
                others.append(f"{document}/{name}: this is neither WebAnno TSV nor UIMA CAS.")
    if not files:
        problem = f"the folder has no annotator's file, such as {_ANNOTATIONS}/<document>/<user>.tsv."
        remedy = "Export the project as WebAnno TSV v3.3, and unpack it (and any archives in it)."
        raise project.refuse(problem, remedy)

    with_layer = _files_with_layer(project.name, files, options, limits)

    def read(file: str) -> DocumentFile:
        with Source.open(file, **limits) as source:
            records = _reader(file)[1](source, options, with_spans=file in with_layer)
            return documents_of(source, records, units=("utf-16",))

    together = read_together(project.name, files, read)
    documents, annotators = zip(*(name.rsplit("/", 1) for name in files), strict=True)
    file = replace(together, documents=replace(together.documents, ids=documents), annotators=annotators)
    _require_one_text(file)
    notes = []
    if untouched:
        notes.append(f"{counted(untouched, 'file')} of documents before annotation ({_UNTOUCHED}) not read.")
    return replace(file, left_out=(*file.left_out, *others), notes=(*file.notes, *notes))


def _files_with_layer(
    project: str, files: Mapping[str, str], options: LayerReading, limits: Mapping[str, Any]
) -> Collection[str]:
    """Return the files that have the chosen layer. A file has only the layers that its annotator used."""
    layers: dict[str, dict[str, str]] = {}
    for file in files.values():
        with Source.open(file, **limits) as source:
            layers[file] = dict(_reader(file)[0](source))
    names = {name: short for of_file in layers.values() for name, short in of_file.items()}
    chosen = options.chosen(names, partial(InputError, source=project, option="layer"), "files have")
    return [file for file, of_file in layers.items() if chosen in of_file]


def _reader(file: str) -> Any:
    return _READERS[os.path.splitext(file)[1]]


def _require_one_text(file: DocumentFile) -> None:
    """Raise an `InputError` unless all annotators of a document have the same text."""
    places: dict[str, int] = {}
    texts, names = file.documents.texts or (), file.documents.ids or ()
    for place, (name, text) in enumerate(zip(names, texts, strict=True)):
        first = places.setdefault(name, place)
        if texts[first] != text:
            raise InputError(
                f"two annotators of {name!r} have different texts: {file.source_of(first)} and "
                f"{file.source_of(place)}.",
                f"Export the project again, or read every file as a document with {setting('format', 'webanno')}.",
                source=file.source,
                option="format",
            )


def _refuse(source: Source, options: LayerReading) -> DocumentFile:
    problem = "this is a file, but a project is a folder."
    raise source.refuse(problem, f"Name the folder, or set {setting('format', 'webanno')}.")


register(
    Format(
        "inception",
        "a project of INCEpTION",
        None,
        _refuse,
        read_folder=read_project,
        paths=rf"[/\\]({_ANNOTATIONS}|curation)[/\\][^/\\]+[/\\][^/\\]+\.(tsv|json|xmi)$",
    )
)
