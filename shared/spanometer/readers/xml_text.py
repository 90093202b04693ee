"""XML of one document, as annotation tools export it."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, fromstring

from .source import Source


def element_of(source: Source) -> Element:
    """Read the root element of a file, which is held as a whole.

    Raises:
        InputError: for what is no XML, for declarations of entities, and for a file longer than a line may be.
    """
    data = b""
    for line, block in source.blocks(lines=False):
        data += block
        source.require_short(len(data), "the document is longer than {}", "Split it", line)
    if b"<!ENTITY" in data:
        raise source.refuse("the file declares entities of XML.", "Leave the declarations out.")
    try:
        # text, so that an encoding that the file names does not count
        return fromstring(data.decode())
    except ParseError as error:
        raise source.refuse(f"this is not XML ({error}).", "Export the document again.", error.position[0]) from None
