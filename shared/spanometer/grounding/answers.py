"""Parsing of language model answers to items: labels and mentions, with or without offsets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from ..arrays import listed
from ..exceptions import InputError, shown
from .items import Item, ItemReading
from .layouts import (
    CALL,
    LINK,
    MARK,
    Marked,
    elements,
    has_elements,
    linked,
    marked,
    read_calls,
    read_lines,
    read_rows,
    rows_of,
    says_nothing,
)
from .literals import read_values

FORMATS = {
    "auto": "detected",
    "json": "JSON or Python literals, also in code fences or prose",
    "tags": "the text with XML tags, as in <PER>Ann</PER>, or TEI",
    "links": "the text with [Ann](PER)",
    "marks": "the text with @@Ann##, for a single label",
    "lines": "lists, or lines such as 'PER: Ann, Ben' or 'Ann: PER'",
    "rows": "a Markdown or CSV table",
    "calls": "Python calls, as in [Person(span='Ann')]",
}
"""The formats of answers."""

_THOUGHTS = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:[A-Za-z]*+[ \t]*+\n)?(.*?)(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Answer:
    """The items of an answer, and its defects.

    Attributes:
        items: the items in order; if the answer is broken, the complete items before the break.
        broken: whether the answer is missing, cut off, or looks like items but cannot be parsed.
        text: for inline markup, the answer without the markup, to which offsets of items refer; otherwise None.
        unread: the number of items with unreadable offsets.
        other_fields: the number of keys, values and lines outside items.
        turned: the number of items with the mention before the label, if the format allows both orders.
        repaired: whether its JSON has comments, curly quotes, or unescaped quotes.
    """

    items: tuple[Item, ...] = ()
    broken: bool = False
    text: str | None = None
    unread: int = 0
    other_fields: int = 0
    turned: int = 0
    repaired: bool = False

    def rewrites(self, text: str) -> bool:
        """Check whether this is inline markup of a different text."""
        return self.text is not None and self.text.split() != text.split()

    def counts(self, text: str) -> tuple[int, ...]:
        """Count the defects of the answer to a text, in the order of the last entries of `grounded.COUNTS`."""
        of_answer = map(int, (self.broken, self.rewrites(text), self.repaired))
        return (*of_answer, self.unread, self.other_fields, self.turned)


_LABELS_REMEDY = "Give the labels that were asked for, as strings."


def read_answer(
    answer: Any,
    *,
    format: str = "auto",
    asked_labels: Collection[str] = (),
    text: str | None = None,
    item_mention_key: str | None = None,
    item_label_key: str | None = None,
) -> Answer:
    """Parse the items of an answer.

    Thoughts (`<think>`) and text around fenced blocks are ignored. All JSON values and Python literals are parsed:
    lists of `[label, mention]`, also with offsets; objects with a label and a mention; mappings from labels to
    mentions; and these inside `{"entities": ...}`. If the form does not show which string is the label, the asked
    labels or the text decide, by majority. Blank mentions are not items. An answer has no items if it is empty, repeats
    the text, or says that there is nothing.

    Args:
        answer: a string, UTF-8 bytes, or a list or mapping, which is read like JSON; None is a broken answer.
        format: one of `FORMATS`.
        asked_labels: the labels that the model was asked for. If there is only one, answers need not name it.
        text: the text of the answer, which helps to tell labels from mentions and to find the unit of offsets.
        item_mention_key, item_label_key: the keys of mentions and labels in objects, if they are unusual.

    Returns:
        The items; the content of an answer never raises an error.

    Raises:
        InputError: if the answer has another type, or if the format is unknown.
    """
    if not (isinstance(format, str) and format in FORMATS):
        raise InputError(
            f"unknown format of answers {shown(format)}.", f"Use one of {', '.join(FORMATS)}.", option="format"
        )
    labels = listed(asked_labels, _LABELS_REMEDY, option="asked_labels")
    if not all(isinstance(label, str) for label in labels):
        problem = f"asked_labels are {shown(labels)}, not a list of strings."
        raise InputError(problem, _LABELS_REMEDY, option="asked_labels")
    reading = ItemReading(labels, text, item_mention_key, item_label_key)
    if answer is None:
        return Answer(broken=True)
    if isinstance(answer, (list, tuple, dict)):
        if _is_unreadable(answer):
            return Answer(broken=True)
        reading.read(answer)
        return _answer_of(reading)
    if isinstance(answer, (bytes, bytearray)):
        answer = bytes(answer).decode("utf-8", "replace")
    if not isinstance(answer, str):
        problem = f"an answer is {shown(answer)}, not a string or a list."
        raise InputError(problem, "Give each answer as a string, or as a list of [label, mention].")
    written = _without_thoughts(answer)
    if format == "auto" and (says_nothing(written) or _repeats(written, text)):
        # thoughts that break off leave no answer
        return Answer(broken=not written.strip() and "<think" in answer and "</think" not in answer)
    chosen = _format_of(written) if format == "auto" else format
    if chosen in _INLINE:
        items, unmarked, broken, unnamed = _INLINE[chosen](written, labels)
        return Answer(items, broken=broken, text=unmarked, other_fields=unnamed)
    if chosen == "json":
        values = read_values(written)
        for value in values.values:
            reading.read(value)
        unread = not values.values and not set("[{").isdisjoint(written)
        return _answer_of(reading, broken=unread or not values.whole, repaired=values.repaired)
    if chosen == "calls":
        return _answer_of(reading, broken=not read_calls(written, reading))
    if chosen == "rows":
        read_rows(rows_of(written), reading)
    else:
        read_lines(written, reading)
    return _answer_of(reading)


_INLINE: dict[str, Callable[[str, Collection[str]], Marked]] = {
    "tags": elements,
    "links": lambda written, _: linked(written),
    "marks": marked,
}
"""The parsers of answers that repeat the text, by format."""


def _answer_of(reading: ItemReading, *, broken: bool = False, repaired: bool = False) -> Answer:
    items = reading.collect()
    return Answer(
        items,
        broken=broken,
        unread=reading.unread,
        other_fields=reading.other_fields,
        turned=reading.turned,
        repaired=repaired,
    )


def _is_unreadable(value: Any) -> bool:
    """Check whether a value contains itself, is nested too deeply, or cannot be iterated."""
    try:
        json.dumps(value, default=lambda _: None, skipkeys=True)
    except Exception:  # the caller's objects may raise anything
        return True
    return False


def _without_thoughts(answer: str) -> str:
    """Remove thoughts and text around fenced blocks."""
    # the beginning of the thoughts may belong to the prompt
    written = _THOUGHTS.sub("", answer).rpartition("</think>")[2]
    blocks = [block for block in _FENCED.findall(written) if block.strip()]
    return "\n".join(blocks) if blocks else written.replace("```", "")


def _repeats(written: str, text: str | None) -> bool:
    """Check whether an answer is the text itself, without marks."""
    return text is not None and written.split() == text.split()


def _format_of(written: str) -> str:
    """Guess the format of an answer."""
    begun = written.lstrip()
    if begun[:1] == "{" or (begun[:1] == "[" and not LINK.match(begun) and not CALL.search(begun)):
        return "json"
    if MARK.search(written):
        return "marks"
    if LINK.search(written):
        return "links"
    if has_elements(written):
        return "tags"
    if CALL.search(written):
        return "calls"
    if re.search(r"[\[{]\s*[\[{\"'(]", written):
        return "json"
    return "rows" if rows_of(written) else "lines"
