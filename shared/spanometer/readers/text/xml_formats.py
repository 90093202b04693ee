"""BioC in JSON and XML, GATE's XML, and XML of i2b2's tasks, MAE and MedTator."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from ...documents.layers import Record
from ..formats import Offsets, blanks_before, register
from ..json.records import Row, first_object, is_object, rows, value_in
from ..source import LINE, Source

_BIOC_REMEDY = "Each document needs a list of passages, and each passage needs an offset and a text."
_XML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE\s+collection\b|<collection>)", re.DOTALL)

_PASSAGES = re.compile(rb'\s*[\[{].*?"passages"\s*:\s*\[', re.DOTALL)


def read_bioc(source: Source, options: Offsets) -> Iterator[Record]:
    """Read the annotations of documents; the label is the infon `type`. Relations are not read.

    Offsets count from the beginning of the document. The file does not contain the text between passages; it is
    replaced by spaces. The format defines offsets as bytes, but most files count code points; the span texts in the
    file show which. Annotations with several locations are discontinuous spans.

    Raises:
        InputError: if objects are malformed; the error names the document. See also `documents_of`.
    """
    if _XML.match(source.head):
        for element in source.elements("document"):
            document = {"id": element.findtext("id"), "passages": list(map(_passage, element.iterfind("passage")))}
            yield _record(Row(source, int(element.get(LINE, 1)), "", document))
        return
    for row in rows(source, "documents", collections=True):
        for collection in _list(row.value, "PubTator3") or [row.value]:
            for document in _list(collection, "documents") or [collection]:
                yield _record(replace(row, place="", value=document))


def _passage(element: Element) -> dict[str, Any]:
    """Convert a passage or a sentence to the structure of the JSON format, adding the lines of annotations."""
    return {
        "offset": _number(element.findtext("offset")),
        "text": element.findtext("text"),
        "annotations": [
            {
                "id": annotation.get("id"),
                LINE: _number(annotation.get(LINE)),
                "infons": {infon.get("key"): infon.text for infon in annotation.iterfind("infon")},
                "text": annotation.findtext("text"),
                "locations": [
                    {name: _number(place.get(name)) for name in ("offset", "length")}
                    for place in annotation.iterfind("location")
                ],
            }
            for annotation in element.iterfind("annotation")
        ],
        "sentences": list(map(_passage, element.iterfind("sentence"))),
    }


def _number(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.strip().isdecimal() else text


def _record(row: Row) -> Record:
    name, passages = row.get("id"), row.get("passages")
    where = "a document" if name is None else f"document {name}"
    if not isinstance(passages, list):
        raise row.refuse(f"{where} has no list of passages.", _BIOC_REMEDY)
    text, annotations = "", _list(row.value, "annotations")
    for passage in passages:
        sentences = _list(passage, "sentences")
        # if the passage has no text, its sentences have it
        for part in [passage] if isinstance(value_in(passage, "text"), str) else sentences or [None]:
            offset, of_part = value_in(part, "offset"), value_in(part, "text")
            if not isinstance(offset, int) or not isinstance(of_part, str):
                raise row.refuse(f"a passage of {where} lacks an offset or a text.", _BIOC_REMEDY)
            text += blanks_before(row.source, offset, len(text), row.line) + of_part
        for part in (passage, *sentences):
            annotations += _list(part, "annotations")
    record = Record(text=text, id=name, line=row.line, place="" if name is None else where)
    for annotation in annotations:
        bounds = _bounds(row, annotation, where)
        # programs write the texts of discontinuous annotations in different ways
        stated = annotation.get("text") if len(bounds) == 1 else None
        record.add(bounds[0][0], bounds[-1][1], annotation["infons"]["type"], stated=stated, pieces=bounds)
    return record


def _list(part: Any, key: str) -> list[Any]:
    """Return the list under a key; another value becomes its only item, which raises an error when it is read."""
    values = value_in(part, key)
    return [] if values is None else list(values) if isinstance(values, list) else [values]


def _bounds(row: Row, annotation: Any, where: str) -> list[tuple[int, int]]:
    name, locations = value_in(annotation, "id"), value_in(annotation, "locations")
    row = replace(row, line=value_in(annotation, LINE) or row.line)
    called = f"{'an annotation' if name is None else f'the annotation {name!r}'} of {where}"
    if not is_object(value_in(annotation, "infons"), "type"):
        raise row.refuse(f"{called} has no label.", "Write the label in an infon with the key 'type'.")
    try:
        bounds = sorted((each["offset"], each["length"]) for each in locations)
    except (KeyError, TypeError):
        bounds = []
    if not bounds or not all(type(offset) is type(length) is int for offset, length in bounds):
        problem = f"{called} has no valid offset and length."
        raise row.refuse(problem, "Give each location an offset and a length, as whole numbers of characters.")
    return [(offset, offset + length) for offset, length in bounds]


def _shows(source: Source) -> bool:
    row = first_object(source)
    if _XML.match(source.head) or "PubTator3" in row:
        return True
    documents = row.get("documents")
    first = documents[0] if isinstance(documents, list) and documents else row
    # a collection or a document may be longer than the head
    return is_object(first, "passages") or (not row and _PASSAGES.match(source.head) is not None)


register("bioc", "BioC", _shows, read_bioc, units=("codepoint", "utf-16", "byte"))


_GATE_REMEDY = "Save the document again in GATE, as GATE XML."
_MARKUP = "Original markups"
"""The annotation set that has the markup of the original page."""


def read_gate(source: Source) -> Iterator[Record | str]:
    """Read the annotations of a document. Their types are the labels, and each annotation set is an annotator.

    The set without a name is called `default`. The set of the original markup is left out and listed.

    Raises:
        InputError: if the document has no text, or if an annotation has no type or an unknown node; see also
            `documents_of`.
    """
    (document,) = source.elements()
    content = document.find("TextWithNodes")
    if content is None:
        raise source.refuse("the GATE document has no TextWithNodes.", _GATE_REMEDY, 1)
    text, places = content.text or "", dict[str | None, int]()
    for node in content:
        places[node.get("id")] = len(text)
        text += node.tail or ""
    for of_set in document.iterfind("AnnotationSet"):
        name = of_set.get("Name", "default")
        if name == _MARKUP:
            yield f"the annotation set {name!r}."
            continue
        record = Record(text=text, annotator=name, place=f"annotation set {name!r}")
        for each in of_set.iterfind("Annotation"):
            start, end, label = (each.get(key) for key in ("StartNode", "EndNode", "Type"))
            if label is None or start not in places or end not in places:
                problem = f"the annotation {each.get('Id')!r} in the set {name!r} lacks a type or a node."
                raise source.refuse(problem, _GATE_REMEDY, 1)
            record.add(places[start], places[end], label)
        yield record


register("gate", "GATE's XML", lambda source: b"<GateDocument" in source.head[:1000], read_gate)


_FIRST = re.compile(rb"\s*(<\?xml[^>]*>\s*)?<[\w.-]+>\s*<TEXT>")
_BOUNDS = re.compile(r"(\d{1,18})~(\d{1,18})")
_I2B2_REMEDY = "Write <TEXT><![CDATA[...]]></TEXT><TAGS><NAME start=... end=... TYPE=.../></TAGS>."


def read_i2b2(source: Source, options: Offsets) -> Iterator[Record]:
    """Read the text of a document and its tags with offsets. Links and tags of the whole document are not read.

    The label is the name of the tag, followed by a slash and the value of `TYPE` if there is one: `NAME/PATIENT`.
    Offsets are code points with exclusive ends; MedTator writes `spans="0~5,7~9"`.

    Raises:
        InputError: if XML is invalid, or if the document has no text; see also `documents_of`.
    """
    (root,) = source.elements()
    record = Record(text=root.findtext("TEXT"))
    if record.text is None:
        raise source.refuse("the document has no TEXT.", _I2B2_REMEDY)
    for tag in root.iterfind("TAGS/*"):
        places = _BOUNDS.findall(tag.get("spans") or f"{tag.get('start')}~{tag.get('end')}")
        pieces = sorted((int(start), int(end)) for start, end in places)
        if pieces:
            label = "/".join(filter(None, (tag.tag, tag.get("TYPE"))))
            stated, covered = tag.get("text"), record.text[pieces[0][0] : pieces[-1][1]]
            # XML turns line ends in attributes into blanks
            stated = covered if stated is not None and stated.split() == covered.split() else stated
            stated = stated if len(pieces) == 1 else None
            record.add(pieces[0][0], pieces[-1][1], label, stated=stated, pieces=pieces)
    yield record


register(
    "i2b2",
    "XML of i2b2, MAE or MedTator",
    lambda source: _FIRST.match(source.head),
    read_i2b2,
    units=("codepoint", "utf-16"),
)
