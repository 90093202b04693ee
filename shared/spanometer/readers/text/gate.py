"""GATE's XML documents."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.record import Record
from ..formats import Format, register
from ..source import Source
from ..xml_text import element_of

_REMEDY = "Save the document as GATE XML."
_DEFAULT = "default"
_MARKUP = "Original markups"
"""The annotation set that has the markup of the original page."""


def read_gate(source: Source) -> Iterator[Record | str]:
    """Read the annotations of a document. Their types are the labels, and each annotation set is an annotator.

    The set without a name is called `default`. The set of the original markup is left out and listed.

    Raises:
        InputError: if the document has no text, or if an annotation has no type or an unknown node; see also
            `documents_of`.
    """
    document = element_of(source)
    content = document.find("TextWithNodes")
    if content is None:
        raise source.refuse("the document has no text.", _REMEDY, 1)
    text, places = content.text or "", dict[str | None, int]()
    for node in content:
        places[node.get("id")] = len(text)
        text += node.tail or ""
    for of_set in document.iterfind("AnnotationSet"):
        name = of_set.get("Name", _DEFAULT)
        if name == _MARKUP:
            yield f"the annotation set {name!r}."
            continue
        record = Record(text=text, annotator=name, place=f"annotation set {name!r}")
        for each in of_set.iterfind("Annotation"):
            start, end, label = (each.get(key) for key in ("StartNode", "EndNode", "Type"))
            if label is None or start not in places or end not in places:
                problem = f"the annotation {each.get('Id')!r} in the set {name!r} has no type, or no place in the text."
                raise source.refuse(problem, _REMEDY, 1)
            record.add(places[start], places[end], label)
        yield record


register(Format("gate", "GATE's XML", lambda source: b"<GateDocument" in source.head[:1000], read_gate))
