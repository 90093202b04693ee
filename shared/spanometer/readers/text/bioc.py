"""BioC in JSON and in XML: collections of documents, passages and annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ..formats import Evidence, Format, Offsets, blanks_before, register
from ..json.records import first_object, is_object, rows
from ..json.values import begins_with
from ..source import Source

_REMEDY = "Export the collection as BioC JSON, or XML."
_XML = re.compile(rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*(<!DOCTYPE\s+collection\b|<collection>)", re.DOTALL)

_SPLIT = "Split the document"
_ENTITY = b"<!ENTITY"
_LISTS = ("PubTator3", "documents")


def read_bioc(source: Source, options: Offsets) -> DocumentFile:
    """Read the annotations of documents; the label is the infon `type`. Relations are not read.

    Offsets count from the beginning of the document; what is between passages, which the file lacks, is blanks. They
    are code points, as a rule, or bytes, as the format's definition says; the texts that annotations state decide.
    Annotations with several locations are discontinuous.

    Raises:
        InputError: names the document, for objects of another form, and as `documents_of`.
    """
    return documents_of(source, _records(source), units=options.units("codepoint", "utf-16", "byte"))


def _records(source: Source) -> Iterator[Record]:
    if _XML.match(source.head):
        for document in _xml(source):
            yield _record(source, _document(document), 1)
        return
    for line, _, row in rows(source, "documents", *_LISTS):
        for collection in _list(row, "PubTator3") or [row]:
            for document in _list(collection, "documents") or [collection]:
                yield _record(source, document, line)


def _xml(source: Source) -> Iterator[Element]:
    """Yield the documents of a file; no more of it is held than a document, or a block."""
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    collection: Element | None = None
    before, begun, size = b"", 1, 0
    try:
        for line, block in source.blocks(lines=False):
            # the declaration may begin in the block before, which is not enough of it to be parsed
            if _ENTITY in before + block:
                raise source.refuse("the file declares entities of XML.", "Leave the declarations out.", line)
            before = block[1 - len(_ENTITY) :]
            size += len(block)
            source.require_short(size, "there is no end of a document for more than {}", _SPLIT, begun)
            # text, so that an encoding that the file names does not count
            parser.feed(block.decode())
            for event, element in cast(Iterator[tuple[str, Element]], parser.read_events()):
                collection = element if collection is None else collection
                if event == "end" and element.tag == "document":
                    yield element
                    collection.clear()
                    begun, size = line, 0
        parser.close()
    except ParseError as error:
        raise source.refuse(f"this is not XML ({error}).", _REMEDY, error.position[0]) from None


def _document(element: Element) -> dict[str, Any]:
    """Return a document of XML as JSON has it."""
    return {"id": element.findtext("id"), "passages": [_passage(one) for one in element.iterfind("passage")]}


def _passage(element: Element) -> dict[str, Any]:
    """Return a passage, or a sentence."""
    return {
        "offset": _number(element.findtext("offset")),
        "text": element.findtext("text"),
        "annotations": [
            {
                "infons": {infon.get("key"): infon.text for infon in one.iterfind("infon")},
                "text": one.findtext("text"),
                "locations": [
                    {name: _number(place.get(name)) for name in ("offset", "length")}
                    for place in one.iterfind("location")
                ],
            }
            for one in element.iterfind("annotation")
        ],
        "sentences": [_passage(one) for one in element.iterfind("sentence")],
    }


def _number(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.strip().isdecimal() else text


def _record(source: Source, document: Any, line: int) -> Record:
    if not is_object(document, "passages") or not isinstance(document["passages"], list):
        raise source.refuse("a document has no list of passages.", _REMEDY, line)
    name = document.get("id")
    where = "" if name is None else f"document {name}"
    text = ""
    found = _list(document, "annotations")
    for part in _parts(document):
        if not isinstance(part.get("offset"), int) or not isinstance(part.get("text"), str):
            raise source.refuse(f"a passage of {where or 'a document'} has no offset or no text.", _REMEDY, line)
        text += blanks_before(source, part["offset"], len(text), line) + part["text"]
        found += part["annotations"]
    spans: list[tuple[int, int, str]] = []
    fragments: dict[int, list[tuple[int, int]]] = {}
    stated: list[str | None] = []
    for annotation in found:
        bounds = _bounds(source, annotation, line, where)
        if len(bounds) > 1:
            fragments[len(spans)] = bounds
        spans.append((bounds[0][0], bounds[-1][1], annotation["infons"]["type"]))
        # programs join the parts of discontinuous annotations in ways of their own
        stated.append(annotation.get("text") if len(bounds) == 1 else None)
    return Record(
        text=text,
        spans=spans,
        fragments=fragments,
        stated=stated if any(stated) else (),
        id=None if name is None else str(name),
        line=line,
        place=where,
    )


def _list(part: Any, key: str) -> list[Any]:
    """Return a list of a part of a document; an item that is no list is one, and refused where it is read."""
    found = part.get(key) if isinstance(part, dict) else None
    return [] if found is None else list(found) if isinstance(found, list) else [found]


def _parts(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the passages, or the sentences where these have the text, with their annotations."""
    for passage in document["passages"]:
        known = passage if isinstance(passage, dict) else {}
        annotations, sentences = _list(known, "annotations"), _list(known, "sentences")
        for sentence in sentences:
            annotations += _list(sentence, "annotations")
        if isinstance(known.get("text"), str):
            yield {"offset": known.get("offset"), "text": known["text"], "annotations": annotations}
            continue
        for number, sentence in enumerate(sentences or [{}]):
            part = sentence if isinstance(sentence, dict) else {}
            yield {
                "offset": part.get("offset"),
                "text": part.get("text"),
                "annotations": annotations if number == 0 else [],
            }


def _bounds(source: Source, annotation: Any, line: int, where: str) -> list[tuple[int, int]]:
    locations = annotation.get("locations") if isinstance(annotation, dict) else None
    typed = is_object(annotation, "infons") and is_object(annotation["infons"], "type")
    if (
        not typed
        or not isinstance(locations, list)
        or not locations
        or not all(
            is_object(each, "offset", "length") and type(each["offset"]) is type(each["length"]) is int
            for each in locations
        )
    ):
        raise source.refuse(f"an annotation of {where or 'a document'} has no type, or no locations.", _REMEDY, line)
    return sorted((each["offset"], each["offset"] + each["length"]) for each in locations)


def _evidence(source: Source) -> Evidence:
    if _XML.match(source.head):
        return Evidence.CERTAIN
    row = first_object(source)
    if is_object(row, "PubTator3"):
        return Evidence.CERTAIN
    documents = row.get("documents")
    first = documents[0] if isinstance(documents, list) and documents else row
    # a collection, or a document, may be longer than the head
    ways = (("passages",), ("documents", "passages"), ("PubTator3",))
    known = is_object(first, "passages") or any(begins_with(source, *keys) for keys in ways)
    return Evidence.CERTAIN if known else Evidence.NONE


register(Format(name="bioc", content=DocumentFile, mark="BioC", evidence=_evidence, read=read_bioc, reading=Offsets))
