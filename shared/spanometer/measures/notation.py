"""Measures as text: `span_f,token_f(format=BIO),matched_f(threshold=0.9)`."""

from __future__ import annotations

import ast
import gzip
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, TypeVar

from ..exceptions import InputError, shown, spell_python
from ..options import Option, options_of, require_known, same
from .base import Measure, written

Kind = TypeVar("Kind", bound=Measure)
ReadFile = Callable[[str], Any]

_ITEM = re.compile(r"(?P<name>\w+)\s*(\((?P<options>.*)\))?", re.DOTALL)
_OPTION = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=(?!=)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_EXAMPLE = "span_f,token_f(format=BIO)"


def items_in(text: str) -> list[str]:
    """Split a list of measures at the commas outside brackets and quotes."""
    items = (unquoted(item) for item in _split(text))
    return [item for item in items if item]


def read_item(
    text: Any, table: Mapping[str, type[Kind]], shared: Mapping[str, Any], files: Mapping[str, ReadFile]
) -> Kind:
    """Read a measure with its options, such as `token_f(format=BIO)`.

    Args:
        text: the measure.
        table: the measures by name.
        shared: options of all measures; a measure takes the ones that it has, unless its text sets them.
        files: functions that read the value of an option from a file; by default a file has it as text.

    Raises:
        InputError: for an unknown measure or option, and for a value that the option cannot have.
    """
    item = _ITEM.fullmatch(text) if isinstance(text, str) else None
    name = item["name"] if item else ""
    if item is None or name not in table:
        raise InputError(f"{shown(name or text)} is not a measure.", _instead(name, table))
    kind = table[name]
    declared = options_of(kind)
    values: dict[str, Any] = {}
    try:
        values.update(_values(item["options"] or "", name, declared, files))
        return kind(**{option: shared[option] for option in declared if option in shared} | values)
    except InputError as error:
        if error.option in shared and error.option not in values:
            raise
        own = error.respelled(spell_python)
        problem = own.problem if own.source or own.problem.startswith(f"{name} ") else f"{name}: {own.problem}"
        raise own.placed(problem=problem) from None


def named_apart(measures: Sequence[Measure]) -> list[str]:
    """Name results by their measures, and several results of one measure by the options that differ too."""
    names = []
    for measure in measures:
        options = [other.options() for other in measures if other.name == measure.name]
        own = measure.options()
        differing = {
            name: value for name, value in own.items() if any(not same(other.get(name), value) for other in options)
        }
        names.append(f"{measure.name}({','.join(f'{name}={_text(value)}' for name, value in differing.items())})")
    return [name.removesuffix("()") for name in names]


def unquoted(text: str) -> str:
    """Remove blanks and quotes around a text."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _text(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, bool) else written(value)


def _instead(name: str, table: Mapping[str, Any]) -> str:
    close = get_close_matches(name.lower(), table, n=1)
    listed = f"The measures are {', '.join(table)}; with options, as in {next(iter(table))}(average=macro)."
    return f"Did you mean {close[0]}?" if close else listed


def _split(text: str) -> Iterator[str]:
    """Yield the parts of a text between the commas outside brackets and quotes."""
    start, quote = 0, ""
    closing: list[str] = []
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in _CLOSING:
            closing.append(_CLOSING[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif sign == "," and not closing:
            yield text[start:place]
            start = place + 1
    if quote or closing:
        missing = quote or closing[-1]
        raise InputError(f"{missing} is missing in {shown(text)}.", f"Write measures as in {_EXAMPLE}.")
    yield text[start:]


def _values(
    text: str, measure: str, declared: Mapping[str, Option], files: Mapping[str, ReadFile]
) -> Iterator[tuple[str, Any]]:
    """Yield the options of a measure with their values."""
    parts: list[str] = []
    for part in filter(str.strip, _split(text)):
        # values may have commas, too
        if parts and not _OPTION.match(part):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    names = [part.partition("=")[0].strip() for part in parts]
    require_known(names, declared, measure)
    for name, part in zip(names, parts, strict=True):
        if names.count(name) > 1:
            raise InputError(f"{name} is there twice.", "Set each option once.", option=name)
        if not _OPTION.match(part):
            raise InputError(f"{name} has no value.", f"Write {name}=...", option=name)
        value = part.partition("=")[2].strip()
        read_file: ReadFile = files.get(name, partial(_from_file, declared[name]))
        yield name, read_file(unquoted(value[1:])) if value.startswith("@") else _value(declared[name], value)


def _value(declared: Option, text: str) -> Any:
    """Read the value of an option: a literal of Python or a bare word."""
    try:
        literal = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        literal = text
    if isinstance(literal, (dict, list, tuple, set)) or (literal is None and text not in declared.choices):
        return literal
    word = literal if isinstance(literal, str) else text
    free = declared.kind is None and declared.parse is None and not declared.choices
    return literal if free else declared.read(list(_split(word)) if declared.repeat else word)


def _from_file(declared: Option, path: str) -> Any:
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        content = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8-sig")
    except (OSError, EOFError, ValueError) as error:
        problem = f"{path} cannot be read ({getattr(error, 'strerror', None) or error})."
        raise InputError(problem, "Name a text file in UTF-8.", option=declared.name) from None
    try:
        return _value(declared, content.strip())
    except InputError as error:
        raise error.placed(source=path) from None
