"""Answers of language models as items: labels and mentions, in the order of the answer, perhaps with offsets."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..arrays import is_utf8, listed
from ..exceptions import InputError, has_control_characters, printable, shown
from .literals import Mapping, read_value

FORMATS = {
    "auto": "told from the answer",
    "json": "JSON or a Python literal, also fenced or within prose",
    "tags": "the text with elements, as in <PER>Ann</PER>, or in TEI",
    "links": "the text with [Ann](PER)",
    "marks": "the text with @@Ann##, of one label",
    "lines": "lines of a label, a colon and mentions with commas between",
}
"""The formats of answers."""

DEEPEST_ELEMENTS = 50
"""Elements within as many others are no items, so that all mentions together are not much longer than the answer."""

_LABEL_KEYS = (
    "label", "type", "entity_type", "entity_label", "entity_group", "class", "category", "tag", "extraction_class",
    "entity",
)  # fmt: skip
_MENTION_KEYS = ("text", "mention", "span", "word", "phrase", "surface", "extraction_text", "name", "value", "entity")
_BOUND_KEYS = (("start", "end"), ("start_char", "end_char"), ("begin", "end"), ("start_index", "end_index"))
_WRAPPERS = {
    *("entities", "named_entities", "items", "results", "result", "extractions", "annotations", "spans", "output"),
    *("answer", "answers", "ner", "data"),
}
_TEI_NAMES = frozenset(("persName", "placeName", "orgName", "geogName", "objectName", "eventName", "name", "rs"))
_NOTHING = frozenset(("", "none", "n/a", "null", "nothing", "-", "[]", "==none=="))

_LINK = re.compile(r"\[([^\[\]]*+)\]\(([^()]*+)\)")
_MARK = re.compile(r"@@((?:(?!@@|##).)*+)##", re.DOTALL)
_ELEMENT = re.compile(r"<[?!][^<>]*+>|<(/?)([A-Za-z_][\w.:-]*+)([^<>]*+)>", re.DOTALL)
_TYPE = re.compile(r"""\btype\s*=\s*["']([^"'<>]*)["']""")
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:[A-Za-z]*+[ \t]*+\n)?(.*?)(?:```|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BULLET = re.compile(r"\A(?:[-*•]|\d{1,9}[.)])[ \t]++")
_LONGEST_LABEL = 100


class Item(NamedTuple):
    """A label and a mention, and the bounds that the answer gives, in characters, if it does."""

    label: str
    mention: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Answer:
    """The items of an answer, and its defects.

    Attributes:
        items: in the order of the answer; in a broken answer, the complete items before the break.
        broken: whether it does not parse.
        text: for inline markup, the answer without the marks, in which the items have their bounds; else None.
        unread: how many values are neither an item nor part of one; an item without a label is unread.
    """

    items: tuple[Item, ...] = ()
    broken: bool = False
    text: str | None = None
    unread: int = 0

    def rewrites(self, text: str) -> bool:
        """Check whether this is inline markup in a text that differs from the given text."""
        return self.text is not None and self.text.split() != text.split()

    def counts(self, text: str) -> tuple[int, int, int]:
        """Count the defects of the answer to a text: whether it is broken, rewritten, and how much is unread."""
        return int(self.broken), int(self.rewrites(text)), self.unread


_LABELS_REMEDY = "Give the labels that were asked for, as strings."


def read_answer(answer: Any, *, format: str = "auto", labels: Collection[str] = ()) -> Answer:
    """Read the items of an answer.

    Thoughts (`<think>`) and fences are left out. JSON and Python literals are read from the first bracket
    on: lists of `[label, mention]` or `[label, mention, start, end]`, objects with a label and a text, mappings from
    labels to mentions, and these within `{"entities": ...}`. A mention without a character but white space is no item.

    Args:
        answer: a string; bytes are read as UTF-8; None is a broken answer; a list or a mapping is read as JSON is.
        format: one of `FORMATS`.
        labels: the labels that the model was asked for, if known: with a single label, answers need not name it; of two
            keys that may be a label, the one among the labels is. Two strings in a list of lists are always a label and
            a mention.

    Returns:
        The items; no answer raises an error by its content.

    Raises:
        InputError: for an answer of another type, and an unknown format.
    """
    if not (isinstance(format, str) and format in FORMATS):
        raise InputError(
            f"unknown format of answers {shown(format)}.", f"Use one of {', '.join(FORMATS)}.", option="format"
        )
    labels = listed(labels, _LABELS_REMEDY, option="labels")
    if not all(isinstance(label, str) for label in labels):
        raise InputError(f"labels are {shown(labels)}.", _LABELS_REMEDY, option="labels")
    if answer is None:
        return Answer(broken=True)
    if isinstance(answer, (list, tuple, dict)):
        return Answer(broken=True) if _is_unreadable(answer) else _of_value(answer, True, labels)
    if isinstance(answer, (bytes, bytearray)):
        answer = bytes(answer).decode("utf-8", "replace")
    if not isinstance(answer, str):
        raise InputError(f"an answer is {shown(answer)}.", "Answers are strings, or lists of [label, mention].")
    written = _without_thoughts(answer)
    return _READERS[_format_of(written) if format == "auto" else format](written, labels)


def _is_unreadable(value: Any) -> bool:
    """Check whether a value contains itself, nests too deeply, or cannot be read at all."""
    try:
        json.dumps(value, default=lambda _: None, skipkeys=True)
    except Exception:  # the caller's objects may raise anything
        return True
    return False


def _without_thoughts(answer: str) -> str:
    """Remove the model's thoughts, and everything around the first fenced block."""
    # the beginning of the thoughts may belong to the prompt
    written = _THOUGHTS.sub("", answer).rpartition("</think>")[2]
    fenced = _FENCED.search(written)
    return fenced[1] if fenced else written


def _without_comments(written: str) -> str:
    """Remove the comments of markup; an unclosed comment stays."""
    head, closing, rest = written.rpartition("-->")
    return _COMMENT.sub("", head + closing) + rest


def _format_of(written: str) -> str:
    """Guess the format of an answer."""
    begun = written.lstrip()
    if begun[:1] == "{" or (begun[:1] == "[" and not _LINK.match(begun)):
        return "json"
    if _MARK.search(written):
        return "marks"
    if _LINK.search(written):
        return "links"
    if any(mark[1] for mark in _ELEMENT.finditer(_without_comments(written))):
        return "tags"
    if re.search(r"[\[{]", written):
        return "json"
    return "lines" if ":" in written else "json"


def _read_json(written: str, labels: Collection[str]) -> Answer:
    return _of_value(*read_value(written), labels)


def _of_value(value: Any, complete: bool, labels: Collection[str]) -> Answer:
    reading = _Reading(labels)
    reading.read(value)
    return Answer(tuple(reading.items), broken=not complete, unread=reading.unread)


@dataclass
class _Reading:
    """The items of a value, read one after the other without recursion."""

    labels: Collection[str]
    items: list[Item] = field(default_factory=list)
    unread: int = 0

    def read(self, root: Any) -> None:
        """Read a value and all that is in it."""
        only = next(iter(self.labels)) if len(self.labels) == 1 else None
        waiting: list[tuple[Any, str | None, bool]] = [(root, None, False)]
        while waiting:
            value, label, in_list = waiting.pop()
            is_list = isinstance(value, (list, tuple))
            if is_list:
                parts: Iterable[tuple[Any, str | None]] = self._of_list(value, label, in_list)
            elif isinstance(value, dict):
                parts = self._of_mapping(Mapping(list(value.items()), closed=True), label)
            elif isinstance(value, Mapping):
                parts = self._of_mapping(value, label)
            else:
                parts = ()
                if isinstance(value, str) and (label or only):
                    self._add(label or only or "", value)
                elif value is not None:
                    self.unread += 1
            waiting.extend((part, name, is_list) for part, name in reversed(list(parts)))

    def _add(self, label: Any, mention: str, bounds: tuple[Any, Any] = (None, None)) -> None:
        name = _name(str(label))
        if not name:
            self.unread += 1
        elif mention.strip():
            bounded = all(isinstance(bound, int) and not isinstance(bound, bool) for bound in bounds)
            self.items.append(Item(name, mention, *(bounds if bounded else (None, None))))

    def _of_list(self, values: Sequence[Any], label: str | None, in_list: bool) -> Iterator[tuple[Any, str | None]]:
        texts = [value for value in values[:2] if isinstance(value, str)]
        is_pair = len(texts) == 2 and len(values) in (2, 4) and not any(isinstance(value, str) for value in values[2:])
        if label is None and is_pair and (in_list or not self._are_mentions(values)):
            self._add(values[0], values[1], (*values[2:], None, None)[:2])
            return
        if label is not None and len(values) == 3 and texts == [values[0]] and _are_numbers(values[1:]):
            self._add(label, values[0], (values[1], values[2]))
            return
        yield from ((value, label) for value in values)

    def _are_mentions(self, values: Sequence[Any]) -> bool:
        """Check whether two strings, outside a list of pairs, are two mentions of the only label."""
        return len(self.labels) == 1 and values[0] not in self.labels

    def _of_mapping(self, mapping: Mapping, label: str | None) -> Iterator[tuple[Any, str | None]]:
        entries = mapping.entries
        values = {key: value for key, value in reversed(entries) if isinstance(key, str)}
        mention_key = next((key for key in _MENTION_KEYS if _is_wording(values.get(key))), None)
        label_key = next((key for key in _LABEL_KEYS if key != mention_key and isinstance(values.get(key), str)), None)
        if mention_key and (label_key or (label is not None and mention_key in ("text", "mention", "span", "word"))):
            name = values[label_key] if label_key else label
            wording = values[mention_key]
            if isinstance(wording, str):
                first, last = next((pair for pair in _BOUND_KEYS if set(pair) <= set(values)), ("", ""))
                self._add(name, wording, (values.get(first), values.get(last)))
            else:
                yield wording, name
            return
        if not mapping.closed and (mention_key or label_key) and len(entries) < 2:
            # an object that breaks off before it has a label and a mention
            return
        for key, value in entries:
            if key is None:
                yield value, label
            elif isinstance(key, str) and key.removesuffix("_attributes") != key and key[:-11] in values:
                continue
            else:
                yield value, self._label_of(str(key), value, label)

    def _label_of(self, key: str, value: Any, outer: str | None) -> str | None:
        """Read a key of a mapping as a label; None if it only wraps the items."""
        if key in self.labels:
            return key
        if outer is not None:
            return outer
        return None if key.lower() in _WRAPPERS and isinstance(value, (list, tuple, dict, Mapping)) else key


def _name(label: str) -> str:
    """Normalise a label: without outer blanks, controls and lone surrogates escaped."""
    name = label.strip()
    return name if not has_control_characters(name) and is_utf8(name) else printable(name)


def _is_wording(value: Any) -> bool:
    """Check whether a value may be a mention, or a list of mentions."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(part, str) for part in value)
    return isinstance(value, str)


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, int) and not isinstance(value, bool) for value in values)


def _read_lines(written: str, labels: Collection[str]) -> Answer:
    items, unread = [], 0
    only = next(iter(labels)) if len(labels) == 1 else None
    for line in written.splitlines():
        head, colon, listed = line.partition(":")
        label = _name(_BULLET.sub("", head.lstrip(), count=1).strip("* \t")) if colon else ""
        if not 0 < len(label) <= _LONGEST_LABEL:
            if only is None or not line.strip():
                unread += bool(line.strip())
                continue
            label, listed = only, line
        for mention in listed.lstrip("* \t").split(","):
            mention = mention.strip().strip("\"'`").strip()
            if mention.lower() not in _NOTHING:
                items.append(Item(label, mention))
    return Answer(tuple(items), unread=unread)


def _read_links(written: str, labels: Collection[str]) -> Answer:
    return _inline(written, ((link.span(), _name(link[2]), link[1]) for link in _LINK.finditer(written)))


def _read_marks(written: str, labels: Collection[str]) -> Answer:
    label = next(iter(labels)) if len(labels) == 1 else "ENTITY"
    return _inline(written, ((mark.span(), label, mark[1]) for mark in _MARK.finditer(written)))


def _inline(written: str, marked: Iterable[tuple[tuple[int, int], str, str]]) -> Answer:
    """Read the items of marks that do not nest, and the text without them."""
    pieces, items, place, size, unread = [], [], 0, 0, 0
    for (start, end), label, mention in marked:
        pieces += [written[place:start], mention]
        size += start - place
        if mention.strip() and label:
            items.append(Item(label, mention, size, size + len(mention)))
        unread += not label
        size += len(mention)
        place = end
    return Answer(tuple(items), text="".join([*pieces, written[place:]]), unread=unread)


def _read_tags(written: str, labels: Collection[str]) -> Answer:
    """Read elements, which may nest.

    With labels every element is an item, whatever its name. Without labels, TEI's elements for names are items, if
    there are any. `type` is the label of `<rs>` and `<name>`.
    """
    written = _without_comments(written)
    names = {mark[2] for mark in _ELEMENT.finditer(written) if mark[2]}
    tei = bool(names & _TEI_NAMES)
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
            kind = _TYPE.search(mark[3]) if name in ("rs", "name") else None
            opened.append((name, _name(kind[1]) if kind else name, size, number))
        elif opened and any(element[0] == name for element in opened[-20:]):
            while opened[-1][0] != name:
                opened.pop()
                broken = True
            _, label, start, number = opened.pop()
            if len(opened) >= DEEPEST_ELEMENTS:
                broken = True
            elif not tei or name in _TEI_NAMES or name in labels:
                closed.append((number, Item(label, "", start, size)))
        else:
            broken = True
    pieces.append(html.unescape(written[place:]))
    text = "".join(pieces)
    items, unread = [], 0
    for _, item in sorted(closed):
        mention = " ".join(text[item.start : item.end].split())
        if mention and item.label:
            items.append(item._replace(mention=mention))
        unread += not item.label
    return Answer(tuple(items), broken=broken or bool(opened), text=text, unread=unread)


_READERS = {
    "json": _read_json,
    "tags": _read_tags,
    "links": _read_links,
    "marks": _read_marks,
    "lines": _read_lines,
}
