"""Values in a language model's answers: JSON and Python literals, also incomplete ones."""

from __future__ import annotations

import ast
import json
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

DEEPEST = 200
"""At most this many values may be open at once, as in Python; what nests deeper is broken there."""

_TOKEN = re.compile(
    r"""\s*+(?:(?P<sign>[\[\](){},:])|(?P<string>"(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')"""
    r"""|(?P<number>[-+]?\d[\w.+-]*+)|(?P<word>true|false|null|True|False|None|NaN)\b)""",
    re.DOTALL,
)
_WORDS = {"true": True, "True": True, "false": False, "False": False}
_OPENING = {"[": "]", "(": ")", "{": "}"}


@dataclass(eq=False)
class Mapping:
    """A mapping: its keys and values in turn, repeated keys included.

    Attributes:
        entries: pairs of a key and a value, complete.
        closed: whether it has its closing bracket.
    """

    entries: list[tuple[Any, Any]] = field(default_factory=list)
    closed: bool = False


_JSON = json.JSONDecoder(object_pairs_hook=lambda entries: Mapping(entries, closed=True), strict=False)


def read_value(text: str) -> tuple[Any, bool]:
    """Read the value that begins with the first bracket of a text, and whether it is whole.

    Text behind a whole value is ignored. A value that breaks off, or stops being a JSON or Python literal, is returned
    as far as it is complete. None if there is no bracket.
    """
    opening = re.search(r"[\[{]", text)
    if opening is None:
        return None, False
    try:
        return _JSON.raw_decode(text, opening.start())[0], True
    except (ValueError, RecursionError):
        return _as_far_as_possible(text, opening)


def _as_far_as_possible(text: str, opening: re.Match[str]) -> tuple[Any, bool]:
    """Read a value that is not whole, or not JSON, as far as it goes."""
    root: list[Any] | Mapping = Mapping() if opening[0] == "{" else []
    stack = [_OpenValue(root, _OPENING[opening[0]])]
    place = opening.end()
    while token := _TOKEN.match(text, place):
        place = token.end()
        top = stack[-1]
        sign = token["sign"]
        if sign in _OPENING:
            child: list[Any] | Mapping = Mapping() if sign == "{" else []
            if len(stack) == DEEPEST or not top.takes(child):
                break
            stack.append(_OpenValue(child, _OPENING[sign]))
        elif sign is None:
            if not top.takes(_scalar(token)):
                break
        elif sign == top.closing:
            if not top.close():
                break
            stack.pop()
            if not stack:
                return root, True
        elif not top.separate(sign):
            break
    return root, False


def _scalar(token: re.Match[str]) -> Any:
    """Read the value of a token that is no sign."""
    if token["string"] is not None:
        return _string(token["string"])
    if token["number"] is not None:
        try:
            return int(token["number"]) if len(token["number"]) < 20 else float(token["number"])
        except ValueError:
            return float("nan")
    return _WORDS.get(token["word"])


def _string(written: str) -> str:
    """Read the string of a literal with its quotes."""
    if "\\" not in written:
        return written[1:-1]
    try:
        return str(json.loads(written, strict=False))
    except ValueError:
        pass
    try:
        with warnings.catch_warnings():
            # about escapes that Python does not know
            warnings.simplefilter("ignore")
            return str(ast.literal_eval(written))
    except (ValueError, SyntaxError):
        return written[1:-1]


class _OpenValue:
    """A value that is being read."""

    def __init__(self, value: list[Any] | Mapping, closing: str) -> None:
        self.value = value
        self.closing = closing
        self.key: list[Any] = []
        self.after_colon = False
        self.expects_value = True

    def takes(self, value: Any) -> bool:
        """Take a value; return False if no value may stand there."""
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
        """Take a comma or colon; return False if it may not stand there."""
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
        """Take the closing bracket, also after a comma; return False if it may not stand there."""
        if self.after_colon or not self._without_key():
            return False
        if isinstance(self.value, Mapping):
            self.value.closed = True
        return True

    def _without_key(self) -> bool:
        """Turn the key of a mapping without values, a set, into a value; return False if it is no value."""
        if not self.key or isinstance(self.value, list):
            return True
        self.value.entries.append((None, self.key.pop()))
        return True
