"""Read items of inline markup: links, marks and elements around mentions in the repeated text."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Iterator

from .items import Item, named

DEEPEST_ELEMENTS = 50
"""More deeply nested elements are ignored, to bound the total length of mentions."""

LINK = re.compile(r"\[([^\[\]]*+)\]\(([^()]*+)\)")
MARK = re.compile(r"@@((?:(?!@@|##).)*+)##", re.DOTALL)
_ELEMENT = re.compile(r"<[?!][^<>]*+>|<(/?)([A-Za-z_][\w.:-]*+)([^<>]*+)>", re.DOTALL)
_KIND = re.compile(r"""\b(?:type|label|class|category)\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TEI_NAMES = frozenset(("persName", "placeName", "orgName", "geogName", "objectName", "eventName", "name", "rs"))
_GENERIC = frozenset(("entity", "ner", "span", "e", "ent", "mention", "mark", "tag", "rs", "name", "ne"))
"""Elements with their label in an attribute."""

_WRAPPERS = frozenset(
    (
        *("output", "answer", "thinking", "result", "results", "response", "text", "document", "sentence", "entities"),
        *("p", "div", "body", "html", "s", "br", "lb", "xml", "input", "think", "thought", "reasoning", "annotated"),
        *("annotation", "annotated_text", "final_answer", "scratchpad", "b", "i", "u", "em", "strong", "code", "pre"),
    )
)
"""Elements that are not entities, unless the model was asked for them."""

Marked = tuple[tuple[Item, ...], str, bool, int]
"""The items, the text without marks, whether marks are open, and the number of marks without a label."""


def without_comments(written: str) -> str:
    """Remove the comments of markup; an unclosed comment stays."""
    head, closing, rest = written.rpartition("-->")
    return _COMMENT.sub("", head + closing) + rest


def has_elements(written: str) -> bool:
    """Check whether a text has a closing element."""
    return any(mark[1] for mark in _ELEMENT.finditer(without_comments(written)))


def linked(written: str) -> Marked:
    """Read `[Ann](PER)`."""
    return _marked(written, ((link.span(), named(link[2]), link[1]) for link in LINK.finditer(written)))


def marked(written: str, labels: Collection[str]) -> Marked:
    """Read `@@Ann##` for a single label."""
    label = next(iter(labels)) if len(labels) == 1 else "ENTITY"
    return _marked(written, ((mark.span(), label, mark[1]) for mark in MARK.finditer(written)))


def _marked(written: str, marks: Iterable[tuple[tuple[int, int], str, str]]) -> Marked:
    """Read items from marks that do not nest, and the text without marks."""
    pieces, items, place, size, unnamed = [], [], 0, 0, 0
    for (start, end), label, mention in marks:
        pieces += [written[place:start], mention]
        size += start - place
        if mention.strip() and label:
            items.append(Item(label, mention, size, size + len(mention)))
        unnamed += not label
        size += len(mention)
        place = end
    return tuple(items), "".join([*pieces, written[place:]]), False, unnamed


def elements(written: str, labels: Collection[str]) -> Marked:
    """Read elements, which may nest.

    The label is the element's name, or for generic names (`entity`, `rs`) the attribute `type`, `label`, `class` or
    `category`. Wrappers (`output`, `p`) are items only if the model was asked for them. Without asked labels, TEI's
    elements for names are the items, if there are any.
    """
    written = without_comments(written)
    tei = bool({mark[2] for mark in _ELEMENT.finditer(written) if mark[2]} & _TEI_NAMES)
    folded = {label.casefold() for label in labels}
    pieces: list[str] = []
    place = size = 0
    opened: list[tuple[str, str, int, int]] = []
    closed: list[tuple[int, Item]] = []
    broken = False
    for number, mark in enumerate(_ELEMENT.finditer(written)):
        piece = html.unescape(written[place : mark.start()])
        pieces.append(piece)
        size += len(piece)
        place = mark.end()
        name = mark[2]
        if not name or mark[3].endswith("/"):
            continue
        if not mark[1]:
            kind = _KIND.search(mark[3]) if name.lower() in _GENERIC and name not in labels else None
            opened.append((name, named(kind[1]) if kind else name, size, number))
        elif opened and any(element[0] == name for element in opened[-20:]):
            while opened[-1][0] != name:
                broken = broken or not _is_wrapper(opened[-1][0], folded)
                opened.pop()
            _, label, start, number = opened.pop()
            if len(opened) >= DEEPEST_ELEMENTS:
                broken = True
            elif not _is_wrapper(name, folded) and (not tei or name in _TEI_NAMES or name.casefold() in folded):
                closed.append((number, Item(label, "", start, size)))
        else:
            broken = broken or not _is_wrapper(name, folded)
    pieces.append(html.unescape(written[place:]))
    text = "".join(pieces)
    items = list(_with_mentions(sorted(closed), text))
    broken = broken or any(not _is_wrapper(name, folded) for name, *_ in opened)
    return tuple(item for item in items if item.label), text, broken, sum(not item.label for item in items)


def _is_wrapper(name: str, folded: Collection[str]) -> bool:
    return name.lower() in _WRAPPERS and name.casefold() not in folded


def _with_mentions(closed: Iterable[tuple[int, Item]], text: str) -> Iterator[Item]:
    for _, item in closed:
        mention = " ".join(text[item.start : item.end].split())
        if mention or not item.label:
            yield item._replace(mention=mention)
