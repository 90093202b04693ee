"""Parsing of complete and incomplete JSON and Python literals in answers."""

import ast
import json
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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


class Values(NamedTuple):
    """The values in a text.

    Attributes:
        values: the values in order; the last one may be cut off.
        whole: whether all are complete.
        repaired: whether one has comments, curly quotes, or unescaped quotes.
    """

    values: list[Any]
    whole: bool
    repaired: bool


def read_values(text: str) -> Values:
    """Parse all lists and mappings in a text (JSON or Python literals), skipping other text.

    Parsing stops at the first value that is cut off or invalid; its complete part is the last value in the result.
    Brackets followed by a word, as in prose, are skipped.
    """
    values: list[Any] = []
    repaired, place = False, 0
    while opening := _OPEN.search(text, place):
        try:
            value, place = _JSON.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            literal = _as_far_as_possible(text, opening)
            if literal.end == opening.end() and not literal.whole:
                place = opening.end()
                continue
            values.append(literal.value)
            repaired, place = repaired or literal.repaired, literal.end
            if not literal.whole:
                return Values(values, False, repaired)
        else:
            values.append(value)
    return Values(values, True, repaired)


class _Literal(NamedTuple):
    """The complete part of a value, its end, whether it is complete, and whether it was repaired."""

    value: Any
    end: int
    whole: bool
    repaired: bool


def _as_far_as_possible(text: str, opening: re.Match[str]) -> _Literal:
    """Parse a value that is cut off or not JSON as far as possible."""
    root: list[Any] | Mapping = Mapping() if opening[0] == "{" else []
    stack = [_OpenValue(root, _OPENING[opening[0]])]
    place, repaired = opening.end(), False
    while token := _TOKEN.match(text, place):
        top = stack[-1]
        sign = token["sign"]
        end = token.end()
        curly = token["string"] is not None and token["string"][0] == "“"
        repaired = repaired or curly or bool(text[place : token.start(token.lastgroup or 0)].strip())
        if sign in _OPENING:
            child: list[Any] | Mapping = Mapping() if sign == "{" else []
            if len(stack) == DEEPEST or not top.adds(child):
                break
            stack.append(_OpenValue(child, _OPENING[sign]))
        elif sign is None:
            value = _scalar(token)
            if token["string"] is not None and not _FOLLOWED.match(text, end):
                longer = _UNESCAPED[token["string"][0]].match(text, token.start("string"))
                if longer:
                    value, end, repaired = longer[1], longer.end(), True
            if not top.adds(value):
                break
        elif sign == top.closing:
            if not top.close():
                break
            stack.pop()
            if not stack:
                return _Literal(root, end, True, repaired)
        elif not top.separate(sign):
            break
        place = end
    return _Literal(root, place, False, repaired)


def _scalar(token: re.Match[str]) -> Any:
    """Return the value of a scalar token."""
    if token["string"] is not None:
        return _string(token["string"])
    if token["number"] is not None:
        try:
            return int(token["number"]) if len(token["number"]) < 20 else float(token["number"])
        except ValueError:
            return float("nan")
    return _WORDS.get(token["word"])


def _string(written: str) -> str:
    """Return the string of a literal with quotes."""
    if "\\" not in written:
        return written[1:-1]
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        pass
    try:
        with warnings.catch_warnings():
            # Python warns about unknown escapes
            warnings.simplefilter("ignore")
            return str(ast.literal_eval(written))
    except (ValueError, SyntaxError):
        return written[1:-1]


class _OpenValue:
    """A list or mapping that is still open."""

    def __init__(self, value: list[Any] | Mapping, closing: str) -> None:
        self.value = value
        self.closing = closing
        self.key: list[Any] = []
        self.after_colon = False
        self.expects_value = True

    def adds(self, value: Any) -> bool:
        """Add a value; returns False if it is not allowed here."""
        if not self.expects_value:
            return False
        self.expects_value = False
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.after_colon:
            self.value.entries.append((self.key.pop(), value))
            self.after_colon = False
        else:
            self.key = [value]
        return True

    def separate(self, sign: str) -> bool:
        """Process a comma or colon; returns False if it is not allowed here."""
        if self.expects_value or sign not in ",:":
            return False
        if sign == ":":
            if not self.key or self.after_colon:
                return False
            self.after_colon = True
        elif not self._without_key():
            return False
        self.expects_value = True
        return True

    def close(self) -> bool:
        """Process the closing bracket, also after a comma; returns False if it is not allowed here."""
        if self.after_colon or not self._without_key():
            return False
        if isinstance(self.value, Mapping):
            self.value.closed = True
        return True

    def _without_key(self) -> bool:
        """Turn the key of a set into a value; returns False if it is not a value."""
        if not self.key or isinstance(self.value, list):
            return True
        self.value.entries.append((None, self.key.pop()))
        return True
