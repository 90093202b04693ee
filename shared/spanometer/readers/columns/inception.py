"""Exports of INCEpTION: WebAnno TSV 3, UIMA CAS (JSON and XMI), and projects with a folder for each document."""

import glob
import os
import re
import sys
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ...documents.document_file import DocumentFile, documents_of
from ...documents.joining import read_together
from ...documents.layers import Named, Record
from ...exceptions import InputError, all_of, counted, setting
from ...options import CheckedOptions, text
from ...spans.arrow import LONGEST
from ...spans.texts import code_points
from ..formats import blanks_before, register
from ..json.records import first_object, rows, value_in
from ..source import Source

Refusal = Callable[[str, str], InputError]
"""Creates an error from a problem and a remedy."""


class LayerReading(CheckedOptions):
    """Options for reading exports of INCEpTION, which have layers.

    Attributes:
        layer: the layer, by its name or the last part of its name; by default the only layer.
        feature: the feature that has the labels; by default `value`, otherwise the only feature. If the layer has no
            feature, its name is the label of all spans.
    """

    layer: str | None = text("NAME", "name of the annotation layer to read (WebAnno TSV and UIMA CAS)")
    feature: str | None = text("NAME", "name of the feature that holds the labels (WebAnno TSV and UIMA CAS)")


def _short(name: str) -> str:
    """Return the name of a layer without its package."""
    return name.rpartition(".")[2]


def _chosen(noun: str, wanted: str | None, names: Mapping[str, str], where: str, refuse: Refusal) -> str:
    """Return the name that is wanted, or the only name; empty if there are no names.

    Args:
        noun: `layer` or `feature`.
        wanted: a name, or its short form; None means the only name.
        names: the names, with the short form of each.
        where: how the problem begins.
        refuse: a function that creates the error.
    """
    fitting = [name for name, short in names.items() if wanted in (None, name, short)]
    listed = ", ".join(map(repr, names.values())) or "none"
    if wanted is not None and not fitting:
        raise refuse(f"{where} no {noun} {wanted!r}.", f"{all_of(noun, names.values(), 'The')}.")
    if len(fitting) > 1:
        raise refuse(f"{where} several {noun}s: {listed}.", f"Set {setting(noun)} to one of these {noun}s.")
    return next(iter(fitting), "")


Layers = Mapping[str, Collection[str]]
"""The layers of spans in a file by name, with the features that can be labels."""

Records = Callable[[str, str], Iterator[Record]]
"""Yields the documents of a file with the spans of a layer, labelled by a feature; each name can be empty."""

_Parser = Callable[[Source, LayerReading], tuple[Layers, Records]]


def _read(parse: _Parser, source: Source, options: LayerReading, layer: str | None = None) -> Iterator[Record]:
    """Yield the documents of a file; if the chosen `layer` is passed, the file need not have it."""
    layers, records = parse(source, options)
    refuse = partial(source.refuse, line=1)
    if layer is None:
        layer = _chosen("layer", options.layer, {name: _short(name) for name in layers}, "the file has", refuse)
    if layer not in layers:
        return records("", "")
    features = {name: name for name in layers[layer]}
    wanted = options.feature or ("value" if "value" in features else None)
    return records(layer, _chosen("feature", wanted, features, f"the layer {_short(layer)!r} has", refuse))


_HEADER = b"#FORMAT=WebAnno TSV 3"
_TEXT = "#Text="
_LAYER = re.compile(r"^#T_(SP|CH|RL)=([^|\r\n]*)\|?([^\r\n]*)", re.MULTILINE)
_FIRST_ROW = re.compile(rb"^[^#\s]", re.MULTILINE)
_NONE, _NO_VALUE = "_", "*"
_STACKED = re.compile(r"(?<!\\)((?:\\\\)*)\|")
"""The end of a stacked value in a cell."""
_NUMBERED = re.compile(r"(.*?)(?<!\\)((?:\\\\)*)\[(\d+)\]", re.DOTALL)
_LINK = re.compile(r"(?<!\\)->(\d+-\d+)$")
"""A cell of a chain layer: the number of the chain, and of the mention in it."""
_ESCAPED_TEXT, _ESCAPED = re.compile(r"\\([tnrbf\\])"), re.compile(r"\\(->|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_DIGITS = 18
"""Numbers with more digits than this may not fit 64 bits."""
_WEBANNO_REMEDY = "Export the document again, as WebAnno TSV v3.3."


@dataclass(frozen=True)
class _Layer:
    """A layer of spans or chains.

    Attributes:
        name: its full name.
        features: the names of its features; some are empty.
        first: its first column.
        is_chain: whether its spans are mentions in chains.
    """

    name: str
    features: Sequence[str]
    first: int
    is_chain: bool

    def label_features(self, options: LayerReading) -> list[str]:
        """List the features that can be labels; features of chains and slots are labels only if they are named so."""
        features = [name for name in self.features if name]
        slots = len(features) > 1 and any("ROLE_" in name for name in features)
        unlabelled = options.feature is None and "value" not in features and (self.is_chain or slots)
        return [] if unlabelled else features

    def items(self, cells: Sequence[str], feature: str) -> Iterator[tuple[str, str | None]]:
        """Yield the label of each span in a row, and the number or link of the span, if it has one.

        Without a feature, the label is the name of the layer.
        """
        last = len(self.features) - 1 if self.is_chain else 0
        place = self.first + (self.features.index(feature) if feature else last)
        if cells[place] == _NONE:
            return
        items = _split(cells[place])
        links = _split(cells[self.first]) if self.is_chain else items
        for item, link in zip(items, links if len(links) == len(items) else items, strict=True):
            numbered = _NUMBERED.fullmatch(item)
            value = item if numbered is None else numbered[1] + numbered[2]
            if self.is_chain:
                # the numbers in brackets belong to chains, not to mentions
                numbered, value = _LINK.search(link), _LINK.sub("", value)
            label = _short(self.name) if not feature or value == _NO_VALUE else _unescaped(value, _ESCAPED, "tnr")
            yield label, None if numbered is None else numbered[numbered.re.groups]


def read_webanno(source: Source, options: LayerReading) -> Iterator[Record]:
    """Read one layer of spans of a document.

    Offsets are UTF-16 units. All rows of a span have the same number in brackets. All rows of a mention in a chain have
    the same link (`->1-2`). A row with neither is a separate span. The file does not contain the text between
    sentences; it is replaced by spaces. Relations, slots and links of chains are not read.

    Raises:
        InputError: if the file has another version of the format, if a row is malformed, or if the layer or feature is
            unknown or ambiguous; the error names the line. See also `documents_of`.
    """
    return _read(_webanno, source, options)


def _webanno(source: Source, options: LayerReading) -> tuple[Layers, Records]:
    if not source.head.startswith(_HEADER):
        raise source.refuse("this is not WebAnno TSV 3.", f"{_WEBANNO_REMEDY} Version 2 has no offsets.", 1)
    while _FIRST_ROW.search(source.head) is None and source.read_on():
        pass
    declarations = _FIRST_ROW.split(source.head, 1)[0].decode(errors="replace")
    layers, columns = dict[str, _Layer](), 3
    for kind, name, listed in _LAYER.findall(declarations):
        # a slot has two features (roles and targets), a relation one more than its header
        features = listed.split("|")
        if kind != "RL" and name in layers:
            raise source.refuse(f"the layer {_short(name)!r} is declared twice.", _WEBANNO_REMEDY, 1)
        if kind != "RL":
            layers[name] = _Layer(name, features, columns, kind == "CH")
        columns += len(features)

    def records(layer: str, feature: str) -> Iterator[Record]:
        yield _document(source, columns, layers.get(layer), feature)

    return {name: layer.label_features(options) for name, layer in layers.items()}, records


def _document(source: Source, columns: int, layer: _Layer | None, feature: str) -> Record:
    """Read the rows of a document and the spans of a layer."""
    record, numbered = Record(), dict[str, int]()
    spans = record.spans
    # the line, start and end of each token, and its form
    places, forms = array("i"), list[str]()
    pending, parts, reached = list[str](), list[str](), 0
    for number, line in source.lines():
        if line.startswith(_TEXT):
            pending.append(line[len(_TEXT) :])
        if line.startswith("#") or not line.strip():
            continue
        cells = line.split("\t")
        start, end = _bounds(source, cells, number, columns)
        if pending:
            # offsets are UTF-16 units
            sentence = _unescaped("\n".join(pending))
            parts += (blanks_before(source, start, reached, 1), sentence)
            reached, pending = start + len(sentence.encode("utf-16-le", "surrogatepass")) // 2, []
        if "." not in cells[0]:
            places.extend((number, start, end))
            forms.append(sys.intern(cells[2]))
        for label, key in () if layer is None else layer.items(cells, feature):
            place = len(spans) if key is None else numbered.setdefault(key, len(spans))
            if place == len(spans):
                record.add(start, end, label)
                continue
            first, last, other = spans[place]
            if other != label:
                problem = f"span [{key}] has the value {other!r} in one row, but {label!r} in another row."
                raise source.refuse(problem, _WEBANNO_REMEDY, number)
            spans[place] = min(first, start), max(last, end), label
    record.text = "".join(parts)
    record.tokens = _token_bounds(source, record.text, np.array(places).reshape(-1, 3), forms)
    return record


def _bounds(source: Source, cells: list[str], line: int, columns: int) -> tuple[int, int]:
    bounds = cells[1].split("-") if len(cells) > 2 else []
    whole = len(bounds) == 2 and all(bound.isdecimal() for bound in bounds)
    if not whole or len(cells) < columns or not all(cells[3:columns]):
        problem = f"this row must have offsets, a token and {counted(columns - 3, 'annotation')}."
        raise source.refuse(problem, _WEBANNO_REMEDY, line)
    start, end = (int(bound) if len(bound) <= _DIGITS else LONGEST + 1 for bound in bounds)
    if max(start, end) > LONGEST:
        raise source.refuse(f"the token's offsets {cells[1]} are out of range.", _WEBANNO_REMEDY, line)
    return start, end


def _token_bounds(source: Source, text: str, places: np.ndarray, forms: Sequence[str]) -> np.ndarray:
    """Return the boundaries of each token in characters; raise an `InputError` for a token that is not in the text."""
    bounds = code_points(text, places[:, 1:].ravel(), "utf-16").reshape(-1, 2)
    for (line, start, end), form, (first, last) in zip(places, forms, bounds, strict=True):
        if first < 0 or last < 0 or text[first:last] != _unescaped(form):
            problem = f"the characters from {start} to {end} of the sentence are not the token {form!r}."
            raise source.refuse(problem, _WEBANNO_REMEDY, int(line))
    return bounds[places[:, 2] > places[:, 1]]


def _split(cell: str) -> list[str]:
    """Split the stacked values of a cell; values can be empty."""
    # a file has no NUL
    return _STACKED.sub("\\1\0", cell).split("\0")


def _unescaped(text: str, escaped: re.Pattern[str] = _ESCAPED_TEXT, known: str = "tnrbf") -> str:
    return escaped.sub(lambda match: _ESCAPES[match[1]] if match[1] in known else match[1], text)


register(
    "webanno",
    "WebAnno TSV 3",
    lambda source: source.head.startswith(b"#FORMAT=WebAnno TSV"),
    read_webanno,
    units=("utf-16",),
)


_STRUCTURES, _TYPE, _ID, _SOFA = "%FEATURE_STRUCTURES", "%TYPE", "%ID", "@sofa"
_OWN = frozenset({_TYPE, _ID, _SOFA, "@begin", "begin", "end", "sofa", "{http://www.omg.org/XMI}id"})
_NOT_LAYERS = ("DocumentAnnotation", "DocumentMetaData", "Token", "Sentence", "TagsetDescription", "CASMetadata")
"""The short names of types that annotators do not create."""

_CAS_REMEDY = "Export the document as UIMA CAS JSON, or UIMA CAS XMI (XML 1.0)."


def read_cas(source: Source, options: LayerReading) -> Iterator[Record]:
    """Read one layer of a document's annotations.

    Every Sofa (text) becomes a document. Offsets are UTF-16 units. The type system is not read, so subtypes are
    separate layers.

    Raises:
        InputError: if the file has another structure, or if the layer or feature is unknown or ambiguous; see also
            `documents_of`.
    """
    return _read(_cas, source, options)


def _cas(source: Source, options: LayerReading) -> tuple[Layers, Records]:
    if _is_xmi(source):
        structures, members = _of_xmi(source)
    else:
        document, *_ = rows(source, "feature structures")
        listed, views = document.get(_STRUCTURES), document.get("%VIEWS")
        if not isinstance(listed, list):
            raise source.refuse(f"the file has no list {_STRUCTURES!r}.", _CAS_REMEDY, 1)
        structures = [each for each in listed if isinstance(each, dict)]
        of_views = [value_in(view, "%MEMBERS") for view in views.values()] if isinstance(views, dict) else []
        members = list(chain(*(each for each in of_views if isinstance(each, list))))
    indexed = set(map(str, members))
    texts: dict[str, str] = {}
    # by type, and by the number of the Sofa: the boundaries and the other features
    annotations: dict[str, dict[str, list[tuple[int, int, Mapping[str, Any]]]]] = {}
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
            annotations.setdefault(kind, {}).setdefault(sofa, []).append((start, end, features))
    if not texts:
        raise source.refuse("the file has no text (the sofaString of a Sofa).", _CAS_REMEDY, 1)

    def records(layer: str, feature: str) -> Iterator[Record]:
        for sofa, content in texts.items():
            record = Record(text=content, id=sofa if len(texts) > 1 else None)
            for start, end, features in annotations.get(layer, {}).get(sofa, ()):
                record.add(start, end, str(features.get(feature) or _short(layer)))
            tokens = [each.get(sofa, ()) for kind, each in annotations.items() if _short(kind) == "Token"]
            units = np.array(sorted({bounds[:2] for of_kind in tokens for bounds in of_kind})).reshape(-1, 2)
            if len(units):
                record.tokens = code_points(content, units.ravel(), "utf-16").reshape(-1, 2)
            yield record

    layers = {}
    for kind, by_sofa in annotations.items():
        if _short(kind) not in _NOT_LAYERS or options.layer in (kind, _short(kind)):
            layers[kind] = dict.fromkeys(chain.from_iterable(each[2] for each in chain(*by_sofa.values())))
    return layers, records


def _of_xmi(source: Source) -> tuple[list[dict[str, Any]], list[str]]:
    """Convert XMI to the structure of the JSON format: feature structures, and the members of the views."""
    structures: list[dict[str, Any]] = []
    members: list[str] = []
    (root,) = source.elements()
    for element in root:
        space, _, name = element.tag.removeprefix("{http:///").partition("}")
        kind = f"{space.removesuffix('.ecore').replace('/', '.')}.{name}"
        if kind == "uima.cas.View":
            members += element.get("members", "").split()
            continue
        bounds = {key: int(element.get(key, "")) for key in ("begin", "end") if element.get(key, "").isdecimal()}
        own = {_TYPE: kind, _ID: element.get("{http://www.omg.org/XMI}id"), _SOFA: element.get("sofa")}
        structures.append({**element.attrib, **bounds, **own})
    return structures, members


def _is_xmi(source: Source) -> bool:
    return b"<xmi:XMI" in source.head[:10_000]


def _shows(source: Source) -> bool:
    return _is_xmi(source) or _STRUCTURES in first_object(source)


register("uima_cas", "UIMA CAS", _shows, read_cas, units=("utf-16",))


_ANNOTATIONS = "annotation"
_PARSERS: Mapping[str, _Parser] = {".tsv": _webanno, ".json": _cas, ".xmi": _cas}
"""The parser of each file extension."""

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
    for document, name in sorted(map(os.path.split, glob.glob("*/*", root_dir=folder, include_hidden=True))):
        user, ending = os.path.splitext(name)
        if ending in _PARSERS and user == _UNTOUCHED:
            untouched += 1
        elif ending in _PARSERS:
            files[f"{document}/{user}"] = os.path.join(folder, document, name)
        elif not name.startswith("."):
            others.append(f"{document}/{name}: this is neither WebAnno TSV nor UIMA CAS.")
    if not files:
        problem = f"the folder has no annotator's file, such as {_ANNOTATIONS}/<document>/<user>.tsv."
        raise project.refuse(problem, "Export the project as WebAnno TSV v3.3, and unpack it (and any archives in it).")

    # a file has only the layers that its annotator used
    names: dict[str, str] = {}
    for file in files.values():
        with Source.open(file, **limits) as source:
            names |= {name: _short(name) for name in _parser(file)(source, options)[0]}
    refuse = partial(InputError, source=project.name, option="layer")
    layer = _chosen("layer", options.layer, names, "the files have", refuse)

    def read(file: str) -> DocumentFile:
        with Source.open(file, **limits) as source:
            return documents_of(source, _read(_parser(file), source, options, layer), units=("utf-16",))

    together = read_together(project.name, files, read)
    documents, annotators = zip(*(name.rsplit("/", 1) for name in files), strict=True)
    together = replace(together, documents=replace(together.documents, ids=documents), annotators=annotators)
    _require_one_text(together)
    notes = together.notes
    if untouched:
        not_read = f"{counted(untouched, 'file')} not read, because the documents are not annotated yet"
        notes = (*notes, f"{not_read} ({_UNTOUCHED}).")
    return replace(together, left_out=(*together.left_out, *others), notes=notes)


def _parser(file: str) -> _Parser:
    return _PARSERS[os.path.splitext(file)[1]]


def _require_one_text(file: DocumentFile) -> None:
    """Raise an `InputError` unless all annotators of a document have the same text."""
    places: dict[str, int] = {}
    texts, names = file.documents.texts or (), file.documents.ids or ()
    for place, (name, content) in enumerate(zip(names, texts, strict=True)):
        first = places.setdefault(name, place)
        if texts[first] != content:
            both = f"{file.source_of(first)} and {file.source_of(place)}"
            problem = f"two annotators of {name!r} have different texts: {both}."
            each = setting("format", "webanno")
            remedy = f"Export the project again, or read every file as a document with {each}."
            raise InputError(problem, remedy, source=file.source, option="format")


def _refuse(source: Source, options: LayerReading) -> DocumentFile:
    problem = "this is a file, but INCEpTION projects are folders."
    raise source.refuse(problem, f"Give the folder, or set {setting('format', 'webanno')}.")


register(
    "inception",
    "a project of INCEpTION",
    None,
    _refuse,
    read_folder=read_project,
    paths=rf"[/\\]({_ANNOTATIONS}|curation)[/\\][^/\\]+[/\\][^/\\]+\.(tsv|json|xmi)$",
)
