"""UIMA CAS as JSON and as XMI (XML), as exported by INCEpTION."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...documents.record import Record
from ...spans.arrow import LONGEST
from ...spans.characters import code_points
from ..formats import Format, LayerReading, register
from ..source import Source
from ..xml_text import element_of
from .records import first_object, is_object, rows, value_in

_STRUCTURES, _TYPE, _ID, _SOFA = "%FEATURE_STRUCTURES", "%TYPE", "%ID", "@sofa"
_OWN = frozenset({_TYPE, _ID, _SOFA, "@begin", "begin", "end", "sofa", "{http://www.omg.org/XMI}id"})
_ECORE = ".ecore"
_NOT_LAYERS = ("DocumentAnnotation", "DocumentMetaData", "Token", "Sentence", "TagsetDescription", "CASMetadata")
"""The short names of types that annotators do not create."""

_REMEDY = "Export the document as UIMA CAS JSON, or UIMA CAS XMI (XML 1.0)."


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
            raise source.refuse(f"the file has no list {_STRUCTURES!r}.", _REMEDY, 1)
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
                raise source.refuse(problem, _REMEDY, 1)
            features = {name: value for name, value in each.items() if name not in _OWN and name[:1] not in "@^%"}
            annotations.setdefault(kind, []).append((sofa, start, end, features))
    if not texts:
        raise source.refuse("the file has no text (the sofaString of a Sofa).", _REMEDY, 1)
    return texts, annotations


def _of_xmi(source: Source) -> tuple[list[dict[str, Any]], list[list[str]]]:
    """Convert XMI to the structure of the JSON format: feature structures, and the members of the views."""
    structures: list[dict[str, Any]] = []
    members: list[list[str]] = []
    for element in element_of(source):
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


register(Format("uima_cas", "UIMA CAS", _shows, read_cas, units=("utf-16",)))
