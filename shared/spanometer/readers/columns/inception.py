"""Exports of INCEpTION: WebAnno TSV 3, UIMA CAS (JSON and XMI), and projects with a folder for each document."""

from __future__ import annotations

import os
import re
import sys
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ...documents.document_file import DocumentFile, documents_of
from ...documents.joining import read_together
from ...documents.layers import Named, Record
from ...exceptions import InputError, counted, setting
from ...spans.arrow import LONGEST
from ...spans.texts import code_points
from ..formats import LayerReading, blanks_before, register
from ..json.records import first_object, is_object, rows, value_in
from ..source import Source

_HEADER = b"#FORMAT=WebAnno TSV 3"
_TEXT = "#Text="
_LAYER = re.compile(r"#T_(SP|CH|RL)=(.*)")
_NONE, _NO_VALUE = "_", "*"
_ESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_STACKED = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_NUMBERED = re.compile(r"(.*?)(?<!\\)((?:\\\\)*)\[(\d+)\]", re.DOTALL)
_LINK = re.compile(r"(?<!\\)->(\d+-\d+)$")
"""A cell of a chain layer: the number of the chain, and of the mention in it."""
_TEXT_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\\\": "\\"}
_DIGITS = 18
"""Numbers with more digits than this may not fit 64 bits."""
_WEBANNO_REMEDY = "Export the document as WebAnno TSV v3.3."


@dataclass
class _Tokens:
    """The line, boundaries and form of each token."""

    lines: array[int] = field(default_factory=lambda: array("i"))
    bounds: array[int] = field(default_factory=lambda: array("i"))
    forms: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Layer:
    """A layer of spans with its columns."""

    kind: str
    name: str
    features: tuple[str, ...]
    first: int

    @property
    def short_name(self) -> str:
        """The name of the layer without its package."""
        return self.name.rpartition(".")[2]


def layers_of(source: Source) -> list[tuple[str, str]]:
    """List the full and the short name of each span layer in a file."""
    layers: list[_Layer] = []
    for _, line in _lines(source):
        if line.strip() and not line.startswith("#"):
            break
        if (declared := _LAYER.match(line)) is not None:
            layers.append(_layer(declared, 0))
    return [(each.name, each.short_name) for each in layers if each.kind != "RL"]


def read_webanno(source: Source, options: LayerReading, *, with_spans: bool = True) -> Iterator[Record]:
    """Read one layer of spans of a document; if `with_spans` is False, read only its text and tokens.

    Offsets are UTF-16 units. All rows of a span have the same number in brackets. All rows of a mention in a chain have
    the same link (`->1-2`). A row with neither is a separate span. The file does not contain the text between
    sentences; it is replaced by spaces. Relations, slots and links of chains are not read.

    Raises:
        InputError: if the file has another version of the format, if a row is malformed, or if the layer or feature is
            unknown or ambiguous; the error names the line. See also `documents_of`.
    """
    record, layers = Record(), list[_Layer]()
    tokens, sentences = _Tokens(), list[tuple[int, str]]()
    columns = 3
    pending: list[str] = []
    spans: _LayerSpans | None = None
    begun = False
    for number, line in _lines(source):
        if line.startswith("#"):
            if (declared := _LAYER.match(line)) is not None and not begun:
                layers.append(_layer(declared, columns))
                # a slot has two features (roles and targets), a relation one more than its header
                columns += len(layers[-1].features)
            elif line.startswith(_TEXT):
                pending.append(line[len(_TEXT) :])
        elif line.strip():
            cells = line.split("\t")
            bounds = _bounds(source, cells, number, columns)
            if not begun and with_spans and (chosen := _chosen(source, layers, options)) is not None:
                spans = _LayerSpans(source, record, *chosen)
            begun = True
            if pending:
                sentences.append((bounds[0], _unescaped("\n".join(pending))))
                pending = []
            if "." not in cells[0]:
                tokens.lines.append(number)
                tokens.bounds.extend(bounds)
                tokens.forms.append(sys.intern(cells[2]))
            if spans is not None:
                spans.add(cells, bounds, number)
    if not begun and with_spans:
        _chosen(source, layers, options)
    record.text = _text(source, sentences)
    record.tokens = _bounds_of(source, record.text, tokens)
    yield record


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    if not source.head.startswith(_HEADER):
        raise source.refuse("this is not WebAnno TSV 3.", f"{_WEBANNO_REMEDY} Version 2 has no offsets.", 1)
    yield from source.lines()


def _layer(declared: re.Match[str], first: int) -> _Layer:
    """Parse the declaration of a layer; `first` is its first column."""
    name, _, features = declared[2].partition("|")
    return _Layer(declared[1], name, tuple(features.split("|")), first)


def _bounds(source: Source, cells: list[str], line: int, columns: int) -> tuple[int, int]:
    bounds = cells[1].split("-") if len(cells) > 2 else []
    if (
        len(bounds) != 2
        or not all(bound.isdecimal() for bound in bounds)
        or not all((cells + [""] * columns)[3:columns])
    ):
        problem = f"this row needs a token and {counted(columns - 3, 'annotation column')}."
        raise source.refuse(problem, _WEBANNO_REMEDY, line)
    start, end = (int(bound) if len(bound) <= _DIGITS else LONGEST + 1 for bound in bounds)
    if max(start, end) > LONGEST:
        raise source.refuse(f"the token's offsets {cells[1]} are out of range.", _WEBANNO_REMEDY, line)
    return start, end


def _unescaped(cell: str) -> str:
    return re.sub(r"\\[tnrbf\\]", lambda escape: _TEXT_ESCAPES[escape[0]], cell)


def _text(source: Source, sentences: Sequence[tuple[int, str]]) -> str:
    """Join the sentences to a text, with spaces between; offsets are UTF-16 units."""
    parts: list[str] = []
    units = 0
    for start, sentence in sentences:
        parts.append(blanks_before(source, start, units, 1))
        parts.append(sentence)
        units = start + len(sentence.encode("utf-16-le", "surrogatepass")) // 2
    return "".join(parts)


def _bounds_of(source: Source, text: str, tokens: _Tokens) -> np.ndarray:
    """Return the boundaries of each token in characters; raise an `InputError` for a token that is not in the text."""
    units = np.array(tokens.bounds).reshape(-1, 2)
    bounds = code_points(text, units.ravel(), "utf-16").reshape(-1, 2)
    for place, (form, (first, last)) in enumerate(zip(tokens.forms, bounds, strict=True)):
        if first < 0 or last < 0 or text[first:last] != _unescaped(form):
            start, end = units[place]
            problem = f"the characters from {start} to {end} of the sentence are not the token {form!r}."
            raise source.refuse(problem, _WEBANNO_REMEDY, tokens.lines[place])
    return bounds[units[:, 1] > units[:, 0]]


def _chosen(source: Source, layers: Sequence[_Layer], options: LayerReading) -> tuple[_Layer, int | None] | None:
    """Choose the layer and the column of its labels.

    Returns None if the file has no layers. The column is None if the label is the name of the layer.
    """
    refuse, of_spans = partial(source.refuse, line=1), {each.name: each for each in layers if each.kind != "RL"}
    chosen = options.chosen({name: each.short_name for name, each in of_spans.items()}, refuse)
    if chosen is None:
        return None
    target = of_spans[chosen]
    features = [name for name in target.features if name]
    slots = len(features) > 1 and any("ROLE_" in name for name in features)
    if options.feature is None and "value" not in features and (target.kind == "CH" or slots):
        # names of features of chains and slots are not labels
        return target, None
    feature = options.label_feature(target.short_name, features, refuse)
    return target, target.first + target.features.index(feature) if feature else None


class _LayerSpans:
    """The spans of a layer, which are added to a record row by row."""

    def __init__(self, source: Source, record: Record, layer: _Layer, column: int | None) -> None:
        self._source, self._record, self._layer, self._column = source, record, layer, column
        self._place = layer.first if column is None else column
        if layer.kind == "CH" and column is None:
            self._place = layer.first + len(layer.features) - 1
        self._numbered: dict[str, int] = {}

    def add(self, cells: list[str], bounds: tuple[int, int], line: int) -> None:
        """Add the spans of a row."""
        if cells[self._place] == _NONE:
            return
        spans = self._record.spans
        for value, number in self._items(cells):
            label = self._layer.short_name if self._column is None or value == _NO_VALUE else _plain(value)
            place = len(spans) if number is None else self._numbered.setdefault(number, len(spans))
            if place == len(spans):
                self._record.add(*bounds, label)
                continue
            start, end, other = spans[place]
            if other != label:
                problem = f"the rows of span [{number}] have two values, {other!r} and {label!r}."
                raise self._source.refuse(problem, _WEBANNO_REMEDY, line)
            spans[place] = min(start, bounds[0]), max(end, bounds[1]), label

    def _items(self, cells: list[str]) -> Iterator[tuple[str, str | None]]:
        """Yield the value of each span in a row, and the number or link of the span, if it has one."""
        items = _split(cells[self._place])
        links = _split(cells[self._layer.first]) if self._layer.kind == "CH" else items
        for item, link in zip(items, links if len(links) == len(items) else items, strict=True):
            numbered = _NUMBERED.fullmatch(item)
            value = item if numbered is None else numbered[1] + numbered[2]
            if self._layer.kind == "CH":
                # the numbers in brackets belong to chains, not to mentions
                numbered, value = _LINK.search(link), _LINK.sub("", value)
            yield value, None if numbered is None else numbered[numbered.re.groups]


def _split(cell: str) -> list[str]:
    """Split the stacked values of a cell."""
    parts, begin = [], 0
    for match in _STACKED.finditer(cell):
        parts.append(cell[begin : match.end() - 1])
        begin = match.end()
    return [*parts, cell[begin:]]


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda match: {"t": "\t", "n": "\n", "r": "\r"}.get(match[1], match[1]), value)


register(
    "webanno",
    "WebAnno TSV 3",
    lambda source: source.head.startswith(b"#FORMAT=WebAnno TSV"),
    read_webanno,
    units=("utf-16",),
)


_STRUCTURES, _TYPE, _ID, _SOFA = "%FEATURE_STRUCTURES", "%TYPE", "%ID", "@sofa"
_OWN = frozenset({_TYPE, _ID, _SOFA, "@begin", "begin", "end", "sofa", "{http://www.omg.org/XMI}id"})
_ECORE = ".ecore"
_NOT_LAYERS = ("DocumentAnnotation", "DocumentMetaData", "Token", "Sentence", "TagsetDescription", "CASMetadata")
"""The short names of types that annotators do not create."""

_CAS_REMEDY = "Export the document as UIMA CAS JSON, or UIMA CAS XMI (XML 1.0)."


Annotation = tuple[str, int, int, Mapping[str, Any]]
"""The number of the Sofa (the text), the boundaries, and the other features."""


def layers_of_cas(source: Source) -> list[tuple[str, str]]:
    """List the full and the short name of each layer in a file."""
    return [(name, _short(name)) for name in _cas(source)[1] if _is_layer(name)]


def read_cas(source: Source, options: LayerReading, *, with_spans: bool = True) -> Iterator[Record]:
    """Read one layer of a document's annotations; if `with_spans` is False, read only its text and tokens.

    Every Sofa (text) becomes a document. Offsets are UTF-16 units. The type system is not read, so subtypes are
    separate layers.

    Raises:
        InputError: if the file has another structure, or if the layer or feature is unknown or ambiguous; see also
            `documents_of`.
    """
    texts, annotations = _cas(source)
    layers = {kind: _short(kind) for kind in annotations if _is_layer(kind) or options.layer in (kind, _short(kind))}
    refuse = partial(source.refuse, line=1)
    name = (options.chosen(layers, refuse) if with_spans else None) or ""
    names = dict.fromkeys(feature for *_, features in annotations.get(name, ()) for feature in features)
    feature = options.label_feature(_short(name), names, refuse) if name else ""
    tokens = [each for kind, of_kind in annotations.items() if _short(kind) == "Token" for each in of_kind]
    for sofa, text in texts.items():
        record = Record(text=text, id=sofa if len(texts) > 1 else None)
        for _, start, end, features in (each for each in annotations.get(name, ()) if each[0] == sofa):
            record.add(start, end, str(features.get(feature) or _short(name)))
        units = np.array(sorted({each[1:3] for each in tokens if each[0] == sofa})).reshape(-1, 2)
        if len(units):
            record.tokens = code_points(text, units.ravel(), "utf-16").reshape(-1, 2)
        yield record


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _is_layer(name: str) -> bool:
    return _short(name) not in _NOT_LAYERS


def _cas(source: Source) -> tuple[dict[str, str], dict[str, list[Annotation]]]:
    """Return the text of each Sofa, and the annotations of each type."""
    if _is_xmi(source):
        structures, members = _of_xmi(source)
    else:
        ((_, _, document),) = list(rows(source, "feature structures"))[:1]
        if not is_object(document, _STRUCTURES) or not isinstance(document[_STRUCTURES], list):
            raise source.refuse(f"the file has no list {_STRUCTURES!r}.", _CAS_REMEDY, 1)
        structures = [each for each in document[_STRUCTURES] if isinstance(each, dict)]
        views = document.get("%VIEWS")
        of_views = [value_in(view, "%MEMBERS") for view in views.values()] if isinstance(views, dict) else []
        members = [each for each in of_views if isinstance(each, list)]
    indexed = {str(number) for of_view in members for number in of_view}
    texts: dict[str, str] = {}
    annotations: dict[str, list[Annotation]] = {}
    for each in structures:
        kind, sofa = str(each.get(_TYPE)), str(each.get(_SOFA))
        if kind == "uima.cas.Sofa" and isinstance(each.get("sofaString"), str):
            texts[str(each.get(_ID))] = each["sofaString"]
        elif "begin" in each and (not indexed or str(each.get(_ID)) in indexed):
            start, end = each["begin"], each.get("end")
            if type(start) is not int or type(end) is not int or max(start, end) > LONGEST:
                problem = f"the offsets of the annotation {each.get(_ID)} of type {kind!r} are not whole numbers."
                raise source.refuse(problem, _CAS_REMEDY, 1)
            features = {name: value for name, value in each.items() if name not in _OWN and name[:1] not in "@^%"}
            annotations.setdefault(kind, []).append((sofa, start, end, features))
    if not texts:
        raise source.refuse("the file has no text (the sofaString of a Sofa).", _CAS_REMEDY, 1)
    return texts, annotations


def _of_xmi(source: Source) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """Convert XMI to the structure of the JSON format: feature structures, and the members of the views."""
    structures: list[dict[str, Any]] = []
    members: list[list[str]] = []
    (root,) = source.elements()
    for element in root:
        space, _, name = element.tag.removeprefix("{http:///").partition("}")
        kind = f"{space.removesuffix(_ECORE).replace('/', '.')}.{name}"
        values: dict[str, Any] = dict(element.attrib)
        if kind == "uima.cas.View":
            members.append(values.get("members", "").split())
            continue
        for bound in ("begin", "end"):
            if values.get(bound, "").isdecimal():
                values[bound] = int(values[bound])
        values |= {_TYPE: kind, _ID: values.get("{http://www.omg.org/XMI}id"), _SOFA: values.get("sofa")}
        structures.append(values)
    return structures, members


def _is_xmi(source: Source) -> bool:
    return b"<xmi:XMI" in source.head[:10_000]


def _shows(source: Source) -> bool:
    return _is_xmi(source) or _STRUCTURES in first_object(source)


register("uima_cas", "UIMA CAS", _shows, read_cas, units=("utf-16",))


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
        notes.append(
            f"{counted(untouched, 'file')} not read, because the documents are not annotated yet ({_UNTOUCHED})."
        )
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
    "inception",
    "a project of INCEpTION",
    None,
    _refuse,
    read_folder=read_project,
    paths=rf"[/\\]({_ANNOTATIONS}|curation)[/\\][^/\\]+[/\\][^/\\]+\.(tsv|json|xmi)$",
)
