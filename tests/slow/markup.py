"""Markup read by an XML parser, slowly and obviously. Only for words and names that XML can hold."""

import xml.etree.ElementTree as ElementTree

JOINED = "--"
"""What stands for `+` in names; XML does not allow it there."""


def read(text, entity_types):
    """Words, and entities as (start, end, types, components), sorted."""
    root = ElementTree.fromstring(f"<root>{text.replace('+', JOINED)}</root>")
    words, entities = [], []
    walk(root, [], words, entities, entity_types)
    return words, sorted((start, end, types, tuple(sorted(parts))) for start, end, types, parts in entities)


def walk(element, around, words, entities, entity_types):
    """Collect words and entities; `around` holds the components of all entities that enclose the element."""
    words += (element.text or "").split()
    for child in element:
        types = tuple(child.tag.split(JOINED))
        is_entity = types[0].split(".")[0] in entity_types
        start = len(words)
        parts = []
        walk(child, [*around, parts] if is_entity else around, words, entities, entity_types)
        if is_entity:
            entities.append((start, len(words), types, parts))
        if around:
            around[-1].append((start, len(words), types[0]))
        words += (child.tail or "").split()
