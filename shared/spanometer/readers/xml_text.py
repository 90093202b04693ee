"""Parsing of XML files with one document."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, fromstring

from .source import Source


def element_of(source: Source) -> Element:
    """Parse a file and return its root element.

    Raises:
        InputError: if XML is invalid, if it declares entities, or if the file is longer than a line may be.
    """
    data = b""
    for line, block in source.blocks(lines=False):
        data += block
        source.require_short(len(data), "the document is longer than {}", "Split it", line)
    if b"<!ENTITY" in data:
        raise source.refuse("the file declares XML entities.", "Remove the declarations.")
    try:
        # text: the source has decoded it, whatever encoding the XML declares
        return fromstring(data.decode())
    except ParseError as error:
        raise source.refuse(f"this is not XML ({error}).", "Export the document again.", error.position[0]) from None
