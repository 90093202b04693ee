"""Parsing of complete and incomplete JSON and Python literals in answers."""

import ast
import json
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 200
"""The maximum nesting depth, as in Python; deeper values are broken."""

_BETWEEN = r"(?:\s++|//[^\n]*+|\#[^\n]*+|/\*(?:(?!\*/).)*+\*/)*+"
_TOKEN = re.compile(
    _BETWEEN + r"""(?:(?P<sign>[\[\](){},:])|(?P<string>"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+'|“[^”]*+”)"""
    r"""|(?P<number>[-+]?\d[\w.+-]*+)|(?P<word>true|false|null|True|False|None|NaN)\b)""",
    re.DOTALL,
)
_WORDS = {"true": True, "True": True, "false": False, "False": False}
_OPENING = {"[": "]", "(": ")", "{": "}"}


_OPEN = re.compile(r"""[\[{](?=\s*+(?:[\[\]{}("'“/#\d-]|true|false|null|True|False|None|NaN|\Z))""")
"""A bracket that can begin a value."""

_FOLLOWED = re.compile(_BETWEEN + r"(?:[,:\]})]|\Z)", re.DOTALL)
_ENDS = r"(?=\s*+(?:[:\]})]|,\s*+[\[{(\"'“]|\Z))"
_UNESCAPED = {
    begin: re.compile(f"{begin}([^\\n]{{0,1000}}?){end}{_ENDS}") for begin, end in (('"', '"'), ("'", "'"), ("“", "”"))
}
"""A string with unescaped inner quotes: it ends at a quote after which the value, or the text, can end."""


@dataclass(eq=False)
class Mapping:
    """A mapping with repeated keys.

    Attributes:
        entries: the complete pairs of keys and values.
        closed: whether it has its closing bracket.
    """

    entries: list[tuple[Any, Any]] = field(default_factory=list)
    closed: bool = False


_JSON = json.JSONDecoder(object_pairs_hook=lambda entries: Mapping(entries, closed=True), strict=False)


def read_values(text: str) -> tuple[list[Any], bool, bool]:
    """Parse all lists and mappings in a text (JSON or Python literals), skipping other text.

    Parsing stops at the first value that is cut off or invalid; its complete part is the last value in the result.
    Brackets followed by a word, as in prose, are skipped.

    Returns:
        The values, whether all are complete, and whether one has comments, curly quotes, or unescaped quotes.
    """
    values: list[Any] = []
    repaired, place = False, 0
    while opening := _OPEN.search(text, place):
        try:
            value, place = _JSON.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            value, place, whole, was_repaired = _as_far_as_possible(text, opening)
            if place == opening.end() and not whole:
                continue
            repaired = repaired or was_repaired
            if not whole:
                return [*values, value], False, repaired
        values.append(value)
    return values, True, repaired


def _as_far_as_possible(text: str, opening: re.Match[str]) -> tuple[Any, int, bool, bool]:
    """Parse a value that is cut off or not JSON as far as possible.

    Returns its complete part, the end of this part, whether it is complete, and whether it was repaired.
    """
    stack = [_OpenValue(opening[0])]
    root, place, repaired = stack[0].value, opening.end(), False
    while token := _TOKEN.match(text, place):
        top, sign, end = stack[-1], token["sign"], token.end()
        curly = token["string"] is not None and token["string"][0] == "“"
        repaired = repaired or curly or bool(text[place : token.start(token.lastgroup or 0)].strip())
        if sign is None:
            value = _scalar(token)
            if token["string"] is not None and not _FOLLOWED.match(text, end):
                longer = _UNESCAPED[token["string"][0]].match(text, token.start("string"))
                if longer:
                    value, end, repaired = longer[1], longer.end(), True
            allowed = top.adds(value)
        elif sign in _OPENING:
            child = _OpenValue(sign)
            allowed = len(stack) < DEEPEST and top.adds(child.value)
            stack.append(child)
        else:
            allowed = sign in (top.closing, ",", ":") and top.ends(sign)
            if allowed and sign == top.closing:
                stack.pop()
        if not allowed:
            break
        place = end
        if not stack:
            return root, place, True, repaired
    return root, place, False, repaired


def _scalar(token: re.Match[str]) -> Any:
    """Return the value of a scalar token."""
    written, number = token["string"], token["number"]
    if number is not None:
        with suppress(ValueError):
            return int(number) if len(number) < 20 else float(number)
        return float("nan")
    if written is None:
        return _WORDS.get(token["word"])
    if "\\" in written:
        with suppress(ValueError):
            return str(json.loads(written, strict=False))
        with suppress(ValueError, SyntaxError), warnings.catch_warnings():
            # Python warns about unknown escapes
            warnings.simplefilter("ignore")
            return str(ast.literal_eval(written))
    return written[1:-1]


class _OpenValue:
    """A list or mapping that is still open.

    Since the last comma it has nothing (0), a value or key (1), a key and a colon (2), or a key and its value (3).
    """

    def __init__(self, opening: str) -> None:
        self.value: list[Any] | Mapping = Mapping() if opening == "{" else []
        self.closing = _OPENING[opening]
        self._state, self._key = 0, None

    def adds(self, value: Any) -> bool:
        """Add a value; returns False if it is not allowed here."""
        if self._state not in (0, 2):
            return False
        if isinstance(self.value, list):
            self.value.append(value)
        elif self._state == 2:
            self.value.entries.append((self._key, value))
        else:
            self._key = value
        self._state += 1
        return True

    def ends(self, sign: str) -> bool:
        """Process a colon, a comma or the closing bracket; returns False if it is not allowed here."""
        key_alone = self._state == 1 and isinstance(self.value, Mapping)
        if sign == ":":
            self._state += key_alone
            return key_alone
        if self._state == 2 or (self._state == 0 and sign == ","):
            return False
        if isinstance(self.value, Mapping):
            # a value of a set
            self.value.entries += [(None, self._key)] if key_alone else []
            self.value.closed = sign != ","
        self._state = 0
        return True
