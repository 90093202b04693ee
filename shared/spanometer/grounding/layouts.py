"""Read items from answers in lines: lists, tables, comma-separated rows, and Python calls."""

from __future__ import annotations

import ast
import csv
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from .items import LABEL_KEYS, MENTION_KEYS, ItemReading, folded

_BULLET = re.compile(r"\A(?:[-*•+]|\d{1,9}[.)])[ \t]++")
_BRACKETED = re.compile(r"\A(.+?)[ \t]*\(([^()]{1,100})\)\Z")
_RULE = re.compile(r"\A[\s|:+=-]+\Z")
_QUOTES = "\"'`“”"
_EMPHASIS = "* \t"
_LONGEST_LABEL = 100
_LONGEST_CODE = 100_000
CALL = re.compile(r"""\b([A-Za-z_]\w{0,99})\(\s*(?:\w{1,30}\s*=\s*)?["']""")
NOTHING = frozenset(("", "none", "n/a", "na", "null", "nothing", "-", "[]", "{}", "==none==", "none.", "empty"))
"""Texts that mean no mention."""

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
    """Read lists and lines: `PER: Ann, Bob`, `Ann: PER`, `Ann (PER)`, a label above its mentions, and YAML of these."""
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
    """Read the items of a line; a line without a label belongs to the only asked label."""
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
            _add_labelled(label, mentions, reading)
        elif len(reading.labels) == 1 and (not colon or reading.occurs(part)):
            for mention in mentions:
                reading.add(next(iter(reading.labels)), mention)
        else:
            reading.other_fields += 1


def _add_labelled(label: str, mentions: Sequence[str], reading: ItemReading) -> None:
    """Pair the text before a colon with each mention after it."""
    labelled = reading.is_asked(label) or any(map(reading.is_asked, mentions))
    if reading.labels and reading.text is not None and not labelled and not any(map(reading.occurs, mentions)):
        reading.other_fields += 1
        return
    for mention in mentions:
        reading.add_pair(label, mention)


def _mentions(written: str) -> Iterator[str]:
    for mention in written.strip(_EMPHASIS).split(","):
        mention = mention.strip().strip(_QUOTES).strip()
        if mention.lower() not in NOTHING:
            yield mention


def rows_of(written: str) -> list[list[str]]:
    """List the rows of a Markdown table, or of rows with a header, separated by commas, semicolons or tabs."""
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
    """Find the columns of labels and mentions by the header."""
    keys = list(map(folded, head))
    mention = next((keys.index(key) for key in MENTION_KEYS if key in keys), None)
    label = next((keys.index(key) for key in LABEL_KEYS if key in keys and keys.index(key) != mention), None)
    return None if label is None or mention is None else (label, mention)


def read_rows(rows: Sequence[Sequence[str]], reading: ItemReading) -> None:
    """Read the rows of a table; without a known header each row is a label and a mention, in any order."""
    columns = _columns(rows[0]) if rows else None
    for row in islice(rows, columns is not None, None):
        cells = [cell.strip(_QUOTES) for cell in row]
        if columns is not None and len(cells) > max(columns):
            reading.read(dict(zip(rows[0], cells, strict=False)))
        elif columns is None and len(cells) == 2:
            reading.add_pair(cells[0], cells[1])
        else:
            reading.other_fields += 1


def read_calls(written: str, reading: ItemReading) -> bool:
    """Read Python calls such as `[Person(span="Ann")]`: the class is the label, its first string the mention.

    Returns:
        Whether the code parses.
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
