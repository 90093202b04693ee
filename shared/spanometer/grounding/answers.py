"""Parsing of language model answers, in several formats, to items: labels and mentions, with or without offsets."""

import ast
import csv
import html
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..arrays import listed
from ..exceptions import InputError, shown
from .items import LABEL_KEYS, MENTION_KEYS, Item, ItemReading, folded, named
from .literals import read_values

DEEPEST_ELEMENTS = 50
"""Elements that are nested more deeply are ignored, to limit the total length of mentions."""

LINK = re.compile(r"\[([^\[\]]*+)\]\(([^()]*+)\)")
MARK = re.compile(r"@@((?:(?!@@|##).)*+)##", re.DOTALL)
_ELEMENT = re.compile(r"<[?!][^<>]*+>|<(/?)([A-Za-z_][\w.:-]*+)([^<>]*+)>", re.DOTALL)
_KIND = re.compile(r"""\b(?:type|label|class|category)\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TEI_NAMES = frozenset(("persName", "placeName", "orgName", "geogName", "objectName", "eventName", "name", "rs"))
_GENERIC = frozenset(("entity", "ner", "span", "e", "ent", "mention", "mark", "tag", "rs", "name", "ne"))
"""Elements whose label is in an attribute."""

_WRAPPERS = frozenset(
    (
        *("output", "answer", "thinking", "result", "results", "response", "text", "document", "sentence", "entities"),
        *("p", "div", "body", "html", "s", "br", "lb", "xml", "input", "think", "thought", "reasoning", "annotated"),
        *("annotation", "annotated_text", "final_answer", "scratchpad", "b", "i", "u", "em", "strong", "code", "pre"),
    )
)
"""Elements that are not entities, unless the model was asked for them."""

FORMATS = {
    "auto": "detected",
    "json": "JSON or Python literals, also in code fences or prose",
    "tags": "the text with XML tags, such as <PER>Ann</PER> or TEI's <persName>",
    "links": "the text with links, as in [Ann](PER)",
    "marks": "the text with marked entities of one label, as in @@Ann##",
    "lines": "bulleted or numbered lists, or lines such as 'PER: Ann, Ben' or 'Ann: PER'",
    "rows": "a Markdown or CSV table",
    "calls": "Python calls, as in [Person(span='Ann')]",
}
"""The formats of answers."""


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


def without_comments(written: str) -> str:
    """Remove comments from markup; an unclosed comment is kept."""
    head, closing, rest = written.rpartition("-->")
    return _COMMENT.sub("", head + closing) + rest


def has_elements(written: str) -> bool:
    """Check whether a text has a closing element."""
    return any(mark[1] for mark in _ELEMENT.finditer(without_comments(written)))


def linked(written: str, _: Collection[str]) -> Answer:
    """Parse links such as `[Ann](PER)`."""
    return _marked(written, ((link.span(), named(link[2]), link[1]) for link in LINK.finditer(written)))


def marked(written: str, labels: Collection[str]) -> Answer:
    """Parse marks such as `@@Ann##`, which have a single label."""
    label = next(iter(labels)) if len(labels) == 1 else "ENTITY"
    return _marked(written, ((mark.span(), label, mark[1]) for mark in MARK.finditer(written)))


def _marked(written: str, marks: Iterable[tuple[tuple[int, int], str, str]]) -> Answer:
    """Parse items from marks that are not nested."""
    pieces, items, place, size, unnamed = [], [], 0, 0, 0
    for (start, end), label, mention in marks:
        pieces += [written[place:start], mention]
        size += start - place
        if mention.strip() and label:
            items.append(Item(label, mention, size, size + len(mention)))
        unnamed += not label
        size += len(mention)
        place = end
    return Answer(tuple(items), text="".join([*pieces, written[place:]]), other_fields=unnamed)


def elements(written: str, labels: Collection[str]) -> Answer:
    """Parse elements, which may be nested.

    The label is the element's name or, for generic names (`entity`, `rs`), the attribute `type`, `label`, `class` or
    `category`. Wrappers (`output`, `p`) are items only if the model was asked for them. If there are no asked labels
    and the answer has TEI's elements for names, only these are items.
    """
    written = without_comments(written)
    tei = bool({mark[2] for mark in _ELEMENT.finditer(written) if mark[2]} & _TEI_NAMES)
    asked = {label.casefold() for label in labels}
    pieces: list[str] = []
    place = size = 0
    opened: list[tuple[str, str, int, int]] = []
    closed: list[tuple[int, Item]] = []
    unmatched: list[str] = []
    too_deep = False

    def is_wrapper(name: str) -> bool:
        return name.lower() in _WRAPPERS and name.casefold() not in asked

    for number, mark in enumerate(_ELEMENT.finditer(written)):
        pieces.append(html.unescape(written[place : mark.start()]))
        size += len(pieces[-1])
        place = mark.end()
        name = mark[2]
        if not name or mark[3].endswith("/"):
            continue
        if not mark[1]:
            kind = _KIND.search(mark[3]) if name.lower() in _GENERIC and name not in labels else None
            opened.append((name, named(kind[1]) if kind else name, size, number))
        elif any(element[0] == name for element in opened[-20:]):
            while opened[-1][0] != name:
                unmatched.append(opened.pop()[0])
            _, label, start, number = opened.pop()
            if len(opened) >= DEEPEST_ELEMENTS:
                too_deep = True
            elif not is_wrapper(name) and (not tei or name in _TEI_NAMES or name.casefold() in asked):
                closed.append((number, Item(label, "", start, size)))
        else:
            unmatched.append(name)
    text = "".join([*pieces, html.unescape(written[place:])])
    items = [item._replace(mention=" ".join(text[item.start : item.end].split())) for _, item in sorted(closed)]
    return Answer(
        tuple(item for item in items if item.label and item.mention),
        broken=too_deep or not all(map(is_wrapper, [*unmatched, *(name for name, *_ in opened)])),
        text=text,
        other_fields=sum(not item.label for item in items),
    )


_BULLET = re.compile(r"\A(?:[-*•+]|\d{1,9}[.)])[ \t]++")
_BRACKETED = re.compile(r"\A(.+?)[ \t]*\(([^()]{1,100})\)\Z")
_RULE = re.compile(r"\A[\s|:+=-]+\Z")
_QUOTES = "\"'`“”"
_EMPHASIS = "* \t"
_LONGEST_LABEL = 100
_LONGEST_CODE = 100_000
CALL = re.compile(r"""\b([A-Za-z_]\w{0,99})\(\s*(?:\w{1,30}\s*=\s*)?["']""")
NOTHING = frozenset(("", "none", "n/a", "na", "null", "nothing", "-", "[]", "{}", "==none==", "none.", "empty"))
"""Texts that mean "no mention"."""

_NO_ITEMS = re.compile(
    r"\b(?:no|not any|none of the|without any|zero)\b[^.:\n]{0,60}\b(?:entit|mention|item|span|label|name|annotation)"
    r"|\bnone\b[^.:\n]{0,30}\b(?:found|present|identified)|\bno\b[^.:\n]{0,40}\b(?:found|present|identified|detected)",
    re.IGNORECASE,
)


def says_nothing(written: str) -> bool:
    """Check whether an answer says that there are no items: `None`, `No entities found.`, or nothing at all."""
    text = written.strip().strip(_QUOTES + "*. \t").lower()
    return text in NOTHING or (len(text) < 500 and _NO_ITEMS.search(text) is not None)


def read_lines(written: str, reading: ItemReading) -> None:
    """Parse lists and lines: `PER: Ann, Bob`, `Ann: PER`, `Ann (PER)`, a label above mentions, and YAML of these."""
    above: str | None = None
    record: dict[str, str] = {}
    for line in written.splitlines():
        bare = _BULLET.sub("", line.lstrip(), count=1)
        begins = bare != line.lstrip()
        if not bare.strip() or _RULE.match(bare):
            continue
        key, colon, rest = (part.strip(_EMPHASIS) for part in bare.partition(":"))
        field = folded(key.strip(_QUOTES))
        if colon and rest and (field in MENTION_KEYS or field in LABEL_KEYS) and not reading.is_asked(key):
            if begins or field in record:
                reading.read(record)
                record = {}
            record[field] = rest.strip(_QUOTES)
        elif (colon and not rest) or line.lstrip().startswith("#") or (not colon and reading.is_asked(key)):
            above = key.strip("# \t*").strip(_QUOTES)
        elif above is not None and begins and not colon:
            if bare.strip().lower() not in NOTHING:
                reading.add(above, bare.strip().strip(_QUOTES))
        else:
            above = None if colon else above
            _read_line(bare, reading)
    reading.read(record)


def _read_line(line: str, reading: ItemReading) -> None:
    """Parse the items of a line; if there is only one asked label, a line without a label belongs to it."""
    parts = [part for part in line.split(";") if part.strip()]
    if not (len(parts) > 1 and all(":" in part for part in parts)):
        parts = [line]
    for part in parts:
        key, colon, rest = part.partition(":")
        label = key.strip(_EMPHASIS).strip(_QUOTES).strip()
        mentions = list(_mentions(rest if colon else part))
        bracketed = [_BRACKETED.match(mention) for mention in mentions]
        if not colon and mentions and all(bracketed):
            for match in bracketed:
                assert match is not None
                reading.add_pair(match[2].strip(), match[1].strip().strip(_QUOTES))
        elif colon and 0 < len(label) <= _LONGEST_LABEL:
            labelled = not reading.labels or any(map(reading.is_asked, [label, *mentions]))
            if labelled or reading.text is None or any(map(reading.occurs, mentions)):
                for mention in mentions:
                    reading.add_pair(label, mention)
            else:
                reading.counts["other_fields"] += 1
        elif len(reading.labels) == 1 and (not colon or reading.occurs(part)):
            for mention in mentions:
                reading.add(next(iter(reading.labels)), mention)
        else:
            reading.counts["other_fields"] += 1


def _mentions(written: str) -> Iterator[str]:
    for mention in written.strip(_EMPHASIS).split(","):
        mention = mention.strip().strip(_QUOTES).strip()
        if mention.lower() not in NOTHING:
            yield mention


def rows_of(written: str) -> list[list[str]]:
    """Return the rows of a Markdown table, or of rows with a header, separated by commas, semicolons or tabs."""
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    barred = [line for line in lines if line.count("|") > 1 or (line.count("|") == 1 and line.strip("|") == line)]
    if len(barred) > 1:
        rows = [[cell.strip().strip("*`") for cell in line.strip("|").split("|")] for line in barred]
        return [row for row in rows if not all(_RULE.match(cell) or not cell for cell in row)]
    for sign in ",;\t":
        if lines and sign in lines[0] and _columns(next(iter(_split(lines[:1], sign)))) is not None:
            return _split(lines, sign)
    return []


def _split(lines: Sequence[str], sign: str) -> list[list[str]]:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign, skipinitialspace=True)]
    except csv.Error:
        return []


def _columns(head: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns of labels and mentions, given by the header; None if the header does not show them."""
    keys = list(map(folded, head))
    mention = next((keys.index(key) for key in MENTION_KEYS if key in keys), None)
    label = next((keys.index(key) for key in LABEL_KEYS if key in keys and keys.index(key) != mention), None)
    return None if label is None or mention is None else (label, mention)


def read_rows(rows: Sequence[Sequence[str]], reading: ItemReading) -> None:
    """Parse the rows of a table; if the header is unknown, each row is a label and a mention, in any order."""
    columns = _columns(rows[0]) if rows else None
    for row in islice(rows, columns is not None, None):
        cells = [cell.strip(_QUOTES) for cell in row]
        if columns is not None and len(cells) > max(columns):
            reading.read(dict(zip(rows[0], cells, strict=False)))
        elif columns is None and len(cells) == 2:
            reading.add_pair(cells[0], cells[1])
        else:
            reading.counts["other_fields"] += 1


def read_calls(written: str, reading: ItemReading) -> bool:
    """Parse Python calls such as `[Person(span="Ann")]`: the class is the label, its first string the mention.

    Returns:
        Whether the code can be parsed.
    """
    try:
        tree = ast.parse(written.strip() if len(written) <= _LONGEST_CODE else "(")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        texts = [value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
        if texts:
            reading.add(getattr(call.func, "id", ""), texts[0])
    return True


_THOUGHTS = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:[A-Za-z]*+[ \t]*+\n)?(.*?)(?:```|\Z)", re.DOTALL)


def read_labels(labels: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the labels that a model was asked for; raise an `InputError` unless they are a list of strings."""
    if labels is None:
        return None
    remedy = "Pass a list of labels, such as ['PER', 'LOC']."
    names = [] if isinstance(labels, (str, bytes)) else listed(labels, remedy, option="asked_labels")
    if isinstance(labels, (str, bytes)) or not all(isinstance(name, str) for name in names):
        raise InputError(f"asked_labels is {shown(labels)}, not a list of strings.", remedy, option="asked_labels")
    return tuple(names)


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
            f"unknown answer format {shown(format)}.", f"Use one of {', '.join(FORMATS)}.", option="format"
        )
    labels = read_labels(asked_labels) or ()
    reading = ItemReading(labels, text, item_mention_key, item_label_key)
    if answer is None or (isinstance(answer, (list, tuple, dict)) and _is_unreadable(answer)):
        return Answer(broken=True)
    if isinstance(answer, (list, tuple, dict)):
        reading.read(answer)
        return Answer(reading.collect(), **reading.counts)
    if isinstance(answer, (bytes, bytearray)):
        answer = bytes(answer).decode("utf-8", "replace")
    if not isinstance(answer, str):
        problem = f"the answer is {shown(answer)}, not a string or a list."
        raise InputError(problem, "Give each answer as a string, or as a list of pairs [label, mention].")
    written = _without_thoughts(answer)
    repeats = text is not None and written.split() == text.split()
    if format == "auto" and (repeats or says_nothing(written)):
        # if thoughts are cut off, there is no answer
        return Answer(broken=not written.strip() and "<think" in answer and "</think" not in answer)
    chosen = _format_of(written) if format == "auto" else format
    broken = repaired = False
    if chosen in _INLINE:
        return _INLINE[chosen](written, labels)
    if chosen == "json":
        values, whole, repaired = read_values(written)
        for value in values:
            reading.read(value)
        broken = not whole or not (values or set("[{").isdisjoint(written))
    elif chosen == "calls":
        broken = not read_calls(written, reading)
    elif chosen == "rows":
        read_rows(rows_of(written), reading)
    else:
        read_lines(written, reading)
    return Answer(reading.collect(), broken=broken, repaired=repaired, **reading.counts)


_INLINE: dict[str, Callable[[str, Collection[str]], Answer]] = {"tags": elements, "links": linked, "marks": marked}
"""The parsers of answers that repeat the text, by format."""


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


def _format_of(written: str) -> str:
    """Guess the format of an answer."""
    begun = written.lstrip()
    if begun[:1] == "{" or (begun[:1] == "[" and not LINK.match(begun) and not CALL.search(begun)):
        return "json"
    return next((format for format, search in _SIGNS.items() if search(written)), "lines")


_SIGNS: dict[str, Callable[[str], object]] = {
    "marks": MARK.search,
    "links": LINK.search,
    "tags": has_elements,
    "calls": CALL.search,
    "json": re.compile(r"[\[{]\s*[\[{\"'(]").search,
    "rows": rows_of,
}
"""How formats are recognised, in this order."""
