"""GATE's documents in XML."""

from __future__ import annotations

from collections.abc import Iterator

from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ..formats import Format, register
from ..source import Source
from ..xml_text import element_of

_REMEDY = "Save the document as GATE XML."
_DEFAULT = "default"
_MARKUP = "Original markups"
"""The set that holds the markup of the page that a document was made from."""


def read_gate(source: Source) -> DocumentFile:
    """Read the annotations of a document; their types are the labels, and each annotation set is an annotator's.

    The set without a name is called `default`. The set of the original markup is left out, which is listed.

    Raises:
        InputError: for a document without text, for an annotation without a type or with a node that the text lacks,
            and as `documents_of`.
    """
    left_out: list[str] = []
    return documents_of(source, _records(source, left_out), left_out=left_out)


def _records(source: Source, left_out: list[str]) -> Iterator[Record]:
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
            left_out.append(f"the annotation set {name!r}.")
            continue
        record = Record(text=text, annotator=name, place=f"annotation set {name!r}")
        for each in of_set.iterfind("Annotation"):
            start, end, label = (each.get(key) for key in ("StartNode", "EndNode", "Type"))
            if label is None or start not in places or end not in places:
                problem = f"the annotation {each.get('Id')!r} of the set {name!r} has no type, or no place in the text."
                raise source.refuse(problem, _REMEDY, 1)
            record.add(places[start], places[end], label)
        yield record


register(Format("gate", "GATE's XML", lambda source: b"<GateDocument" in source.head[:1000], read_gate))
