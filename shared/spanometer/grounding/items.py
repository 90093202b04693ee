"""Extraction of items (labels and mentions) from the values in answers, in any order of label and mention."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from ..arrays import is_utf8
from ..exceptions import has_control_characters, printable
from .literals import Mapping

LABEL_KEYS = (
    *("label", "type", "entitytype", "entitylabel", "entitygroup", "entityclass", "class", "classname", "category"),
    *("entitycategory", "tag", "nertag", "extractionclass", "kind", "entity"),
)
"""Keys of a label in an object, ignoring case and punctuation, in order of preference."""

MENTION_KEYS = (
    *("text", "mention", "span", "spantext", "word", "words", "phrase", "surface", "surfaceform", "surfacetext"),
    *("extractiontext", "entitytext", "entityname", "entityvalue", "mentiontext", "matchedtext", "content", "quote"),
    *("substring", "string", "term", "match", "name", "value", "entity"),
)
"""Keys of a mention in an object, ignoring case and punctuation, in order of preference."""

_UNDER_A_LABEL = frozenset(MENTION_KEYS) - {"name", "value", "entity", "match", "content"}
"""Keys of a mention in an object that is the value of its label."""

_WRAPPERS = frozenset(
    (
        *("entities", "namedentities", "items", "results", "result", "extractions", "annotations", "spans", "output"),
        *("answer", "answers", "ner", "data", "labels", "mentions", "predictions", "response", "namedentity"),
    )
)
_OTHER = frozenset(
    (
        *("reasoning", "reason", "reasons", "rationale", "explanation", "explanations", "thought", "thoughts", "notes"),
        *("note", "comment", "comments", "evidence", "analysis", "language", "lang", "confidence", "score", "summary"),
        *("text", "input", "inputtext", "sentence", "document", "id", "source", "context", "description", "status"),
        *("message", "error", "domain", "topic", "relations", "task", "title", "query", "question", "steps", "count"),
    )
)
"""Keys that are not labels, unless the model was asked for them."""

_START = (
    *("start", "startchar", "startoffset", "startindex", "startpos", "startposition", "begin", "beginoffset", "from"),
)
_END = ("end", "endchar", "endoffset", "endindex", "endpos", "endposition", "stop", "to")
_RANGES = (
    *("span", "offsets", "offset", "position", "positions", "charinterval", "charspan", "range", "indices", "bounds"),
)
_LENGTHS = ("length", "len", "size")
_PLACES = frozenset((*_START, *_END, *_RANGES))
"""Keys of the boundaries of an item."""

_SIGNS = re.compile(r"[\W_]+")
_NUMBER = re.compile(r"\s*([+-]?\d{1,15})(?:\.0*)?\s*\Z")

Bounds = tuple[int | None, int | None]
"""The boundaries of an item in an answer; None if they are missing or unreadable."""


class Item(NamedTuple):
    """A label and a mention, with boundaries in characters if the answer has them."""

    label: str
    mention: str
    start: int | None = None
    end: int | None = None


@dataclass
class ItemReading:
    """Collects the items of an answer one by one.

    Attributes:
        labels: the labels that the model was asked for, including aliases.
        text: the text of the answer, if known.
        mention_key, label_key: the keys of mentions and labels, if set.
        counts: the counts `other_fields`, `unread` and `turned` of the answer, see `answers.Answer`.
        entries: the items, and whether label and mention may have changed places.
    """

    labels: Collection[str] = ()
    text: str | None = None
    mention_key: str | None = None
    label_key: str | None = None
    counts: dict[str, Any] = field(default_factory=Counter)
    entries: list[tuple[Item, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepare the comparison of labels."""
        self._folded = {label.casefold() for label in self.labels}
        self._occurs: dict[str, bool] = {}
        self._lower = "" if self.text is None else self.text.lower()
        self._only = next(iter(self.labels)) if len(self.labels) == 1 else None

    def collect(self) -> tuple[Item, ...]:
        """Return the items in order; an unclear pair of mention and label has the order of most pairs in the answer."""
        votes = [self._vote(item) if unclear else 0 for item, unclear in self.entries]
        majority = sum((vote > 0) - (vote < 0) for vote in votes)
        items: list[Item] = []
        for (item, unclear), vote in zip(self.entries, votes, strict=True):
            if unclear and (vote if abs(vote) > 1 else majority) < 0:
                item = item._replace(label=item.mention, mention=item.label)
                self.counts["turned"] += 1
            label = named(item.label)
            if label and item.mention.strip():
                items.append(self._corrected(item._replace(label=label)))
            else:
                self.counts["other_fields"] += not label
        return tuple(items)

    def _vote(self, item: Item) -> int:
        """Return 2 if the label is an asked label, 1 if the mention is in the text; negative for the reverse."""
        by_label = self.is_asked(item.label) - self.is_asked(item.mention)
        return 2 * by_label or self.occurs(item.mention) - self.occurs(item.label)

    def is_asked(self, label: str) -> bool:
        """Check whether a label was asked for, ignoring case."""
        return label.strip().casefold() in self._folded

    def occurs(self, mention: str) -> bool:
        """Check whether the text has a mention, ignoring case; very short mentions must be whole words."""
        if mention not in self._occurs:
            wanted = mention.strip().lower()
            whole = rf"(?<!\w){re.escape(wanted)}(?!\w)"
            short = len(wanted) < 4 and wanted.isascii()
            inside = bool(wanted) and wanted in self._lower
            self._occurs[mention] = inside and not (short and re.search(whole, self._lower) is None)
        return self._occurs[mention]

    def add(self, label: Any, mention: str, bounds: Bounds | None = None) -> None:
        """Add an item with a known label; `bounds` is None if the answer has no boundaries."""
        if not named(str(label)):
            self.counts["other_fields"] += 1
        elif mention.strip():
            self.add_pair(str(label), mention, bounds, unclear=False)

    def add_pair(self, first: str, second: str, bounds: Bounds | None = None, *, unclear: bool = True) -> None:
        """Add a label and a mention, in this order unless it is `unclear` which string is the label."""
        readable = bounds is not None and None not in bounds
        self.counts["unread"] += bounds is not None and not readable
        self.entries.append((Item(first, second, *(bounds if bounds is not None and readable else ())), unclear))

    def read(self, root: Any) -> None:
        """Parse a value and all values nested in it, without recursion."""
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
                if isinstance(value, str) and (label or self._only):
                    self.add(label or self._only, value)
                elif value is not None:
                    self.counts["other_fields"] += 1
            waiting.extend((part, name, is_list) for part, name in reversed(list(parts)))

    def _of_list(self, values: Sequence[Any], label: str | None, in_list: bool) -> Iterator[tuple[Any, str | None]]:
        numbers = list(map(whole_number, values)) if 2 < len(values) < 5 else []
        # two strings outside a list of pairs can be two mentions of the only label
        alone = self._only is not None and not in_list
        if label is None and _is_pair(values) and not (alone and not any(map(self.is_asked, values[:2]))):
            self.add_pair(values[0], values[1], (numbers[2], numbers[3]) if len(values) == 4 else None)
            return
        if label is not None and len(values) == 3 and isinstance(values[0], str) and None not in numbers[1:]:
            self.add(label, values[0], (numbers[1], numbers[2]))
            return
        if self.text is not None and len(values) == 3 and isinstance(values[2], str):
            start, end = numbers[:2]
            if start is not None and end is not None and 0 <= start < end <= len(self.text):
                # boundaries and a label without a mention, as in spaCy
                self.add(values[2], self.text[start:end], (start, end))
                return
        yield from ((value, label) for value in values)

    def _of_mapping(self, mapping: Mapping, label: str | None) -> Iterator[tuple[Any, str | None]]:
        values = {folded(key): value for key, value in reversed(mapping.entries) if isinstance(key, str)}
        mention_key, label_key = self._keys_of(values)
        under_label = (label or self._only) and (self.mention_key is not None or mention_key in _UNDER_A_LABEL)
        if mention_key and (label_key or under_label):
            wording = values[mention_key]
            # an item for each label; several mentions are parsed one by one
            for name in _listed(values[label_key] if label_key else label or self._only):
                if isinstance(wording, str):
                    self.add(name, wording, stated_bounds(values))
                else:
                    yield wording, name
            return
        if not mapping.closed and (mention_key or label_key) and len(mapping.entries) < 2:
            # an object that breaks off before it has a label and a mention
            return
        for key, value in mapping.entries:
            if key is None:
                yield value, label
            elif isinstance(key, str) and key.removesuffix("_attributes") != key and folded(key[:-11]) in values:
                continue
            else:
                yield from self._of_entry(str(key), value, label)

    def _keys_of(self, values: dict[str, Any]) -> tuple[str, str]:
        """Return the keys of an object's mention and label; empty if missing."""
        nests = not _WRAPPERS.isdisjoint(values) and any(_is_container(values.get(key)) for key in _WRAPPERS)
        if nests and self.mention_key is None:
            return "", ""
        mention_keys = MENTION_KEYS if self.mention_key is None else (folded(self.mention_key),)
        label_keys = LABEL_KEYS if self.label_key is None else (folded(self.label_key),)
        wordings = {key: value for key, value in values.items() if _is_wording(value)}
        mention = next((key for key in mention_keys if key in wordings), "")
        label = next((key for key in label_keys if key != mention and wordings.get(key)), "")
        # an asked label is a label, whatever its key is
        open_ = label and mention in label_keys and self.mention_key is None
        if open_ and self.is_asked(_listed(values[mention])[0]):
            other = next((key for key in mention_keys if key != mention and key in wordings), "")
            return (other, mention) if other else (label, mention)
        return mention, label

    def _of_entry(self, key: str, value: Any, outer: str | None) -> Iterator[tuple[Any, str | None]]:
        """Parse a key of a mapping and its value: a label with mentions, a mention with its label, or another field."""
        container = _is_container(value)
        if self.is_asked(key):
            yield value, key
        elif isinstance(value, str) and self.is_asked(value):
            self.add_pair(key, value)
        elif (folded(key) in _WRAPPERS and container) or outer is not None:
            yield value, outer
        elif folded(key) in _OTHER or (self.labels and self.text is not None and not self._mentions(value)):
            self.counts["other_fields"] += 1
        elif isinstance(value, str) and not self.labels:
            self.add_pair(key, value)
        else:
            yield value, key

    def _mentions(self, value: Any) -> bool:
        """Check whether a value contains a mention that is in the text."""
        waiting, strings = [value], list[str]()
        while waiting and len(strings) < 1000:
            part = waiting.pop()
            entries = _entries(part)
            if isinstance(part, str):
                strings.append(part)
            elif entries is not None:
                waiting += (value for _, value in entries)
            elif isinstance(part, (list, tuple)):
                waiting += part
        return any(map(self.occurs, strings))

    def _corrected(self, item: Item) -> Item:
        """Correct inclusive ends and UTF-16 offsets if the mention shows that they are such."""
        if self.text is None or item.start is None or item.end is None:
            return item
        wanted = item.mention.strip()
        for start, end in self._ways(item.start, item.end):
            if 0 <= start < end <= len(self.text) and self.text[start:end] == wanted:
                return item._replace(start=start, end=end)
        return item

    def _ways(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        assert self.text is not None
        yield start, end
        yield start, end + 1
        if not self.text.isascii() and 0 <= start < end:
            units = self.text.encode("utf-16-le", "surrogatepass")
            first, last, after = (
                len(units[: 2 * bound].decode("utf-16-le", "ignore")) for bound in (start, end, end + 1)
            )
            yield from ((first, last), (first, after))


@lru_cache(1 << 12)
def named(label: str) -> str:
    """Normalise a label: strip whitespace, and escape control characters and lone surrogates."""
    name = label.strip()
    return name if not has_control_characters(name) and is_utf8(name) else printable(name)


@lru_cache(1 << 12)
def folded(key: str) -> str:
    """Normalise a key to lower case without punctuation."""
    return _SIGNS.sub("", key.lower())


def whole_number(value: Any) -> int | None:
    """Convert a value to an integer, also from a string or a float; None for other values."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1e15 else None
    match = _NUMBER.match(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def stated_bounds(values: dict[str, Any]) -> Bounds | None:
    """Read the boundaries in an object, in any of the usual forms; None if it has none."""
    if _PLACES.isdisjoint(values):
        return None
    for name in _RANGES:
        part = values.get(name)
        entries = _entries(part)
        if entries is not None:
            return stated_bounds({folded(str(key)): value for key, value in entries})
        if isinstance(part, (list, tuple)) and not any(map(_is_container, part)):
            bounds = tuple(map(whole_number, part)) if len(part) == 2 else (None, None)
            return (bounds[0], bounds[1]) if part else None
    start, end, length = (
        next((values[key] for key in keys if values.get(key) is not None), None)
        for keys in ((*_START, "offset", "position"), _END, _LENGTHS)
    )
    if start is None and end is None:
        return None
    first, size = whole_number(start), whole_number(length)
    if end is None and first is not None and size is not None:
        return first, first + size
    return first, whole_number(end)


def _entries(value: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the keys and values of a mapping; None for other values."""
    return value.items() if isinstance(value, dict) else value.entries if isinstance(value, Mapping) else None


def _is_pair(values: Sequence[Any]) -> bool:
    """Check whether values are two strings, alone or followed by a score or two boundaries."""
    strings = len(values) in (2, 3, 4) and all(isinstance(value, str) for value in values[:2])
    return strings and not any(
        _is_container(value) or (isinstance(value, str) and (len(values) == 3 or whole_number(value) is None))
        for value in values[2:]
    )


def _is_container(value: Any) -> bool:
    return isinstance(value, (list, tuple, dict, Mapping))


def _is_wording(value: Any) -> bool:
    """Check whether a value can be a mention or a list of mentions."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(part, str) for part in value)
    return isinstance(value, str)


def _listed(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) else (value,)
