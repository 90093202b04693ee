"""Parse measures from text: `span_f,token_f(format=BIO),matched_f(threshold=0.9)`, or from their signatures."""

import ast
import gzip
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeVar

from ..exceptions import InputError, did_you_mean, mention, setting, shown, spell_python
from ..options import Option, options_of, require_known, same, unescaped
from ..version import __version__
from .base import Measure, written

Kind = TypeVar("Kind", bound=Measure)
ReadFile = Callable[[str], Any]

_ITEM = re.compile(r"(?P<name>\w+)\s*(\((?P<options>.*)\))?", re.DOTALL)
_OPTION = re.compile(r"\s*(?P<name>[^\W\d]\w*)\s*=(?!=)")
_CLOSING = {"(": ")", "[": "]", "{": "}", "'": "'", '"': '"'}
_SIGN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?P<sign>[][(){},'"])((?<=['"]).*)?""", re.DOTALL)
"""A quoted text (a backslash escapes the next sign); or a bracket, a comma, or a quotation mark without its end."""
_EXAMPLE = "span_f,token_f(format=BIO)"
_HASHED = re.compile(r"(\d+-[0-9a-f]{8}|hf:[0-9a-f]{12})")
_OF_SIDES = re.compile(r"(references|annotator [^=]*)=.*,(predictions|system [^=]*|annotator [^=]*)=")
"""The form of a signature value that differs between the two files: one value for each side."""

_DRAWN = ("confidence", "interval_method", "n_resamples", "n_permutations", "seed", "draws_seed")
"""The parts of signatures about intervals and tests, which do not change scores."""

_NAMES = ("label_map", "labels", "ignore_labels", "asked_labels", "aliases", "attributes", "distances")
"""The parts of signatures that list names. Such a name can look like a measure."""


@dataclass(frozen=True)
class Signature:
    """A parsed signature, see `Measure.signature`; it may be cut off at the end.

    Attributes:
        measure: the name of the measure.
        parts: the other parts by name, without the version.
        version: the version; empty if the signature is cut off.
    """

    measure: str
    parts: Mapping[str, str]
    version: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a signature, ignoring whitespace around its parts."""
        measure, *parts = (part.strip() for part in text.split("|"))
        values: dict[str, str] = {}
        for part in filter(None, parts):
            name, colon, value = part.partition(":")
            if not colon:
                problem = f"the part {shown(part)} of the signature has no value."
                raise InputError(problem, "Write each part as NAME:VALUE, with | between the parts.")
            values[name.strip()] = unescaped(value.strip(), "|")
        return cls(measure, values, values.pop("v", ""))

    def require(self, signature: str) -> None:
        """Raise an `InputError` unless the signature of a result agrees with this one."""
        other = Signature.read(signature).parts
        added = ("n_permutations",) if "confidence" in self.parts else _DRAWN
        for name in [*self.parts, *(name for name in other if self.version and name not in (*added, "min_overlap"))]:
            if self.parts.get(name) != other.get(name):
                states = [repr(f"{name}:{own[name]}") if name in own else f"no {name!r}" for own in (self.parts, other)]
                raise InputError(
                    f"{self.measure}: the expected signature contains {states[0]}, but the result's signature "
                    f"contains {states[1]}.",
                    "Score the same kind of input with the same options, or change the expected signature.",
                )


def signatures_in(items: Iterable[Any]) -> list[Signature | None]:
    """Parse the signatures in a list of measures; the result has None for items that are not signatures."""
    return [Signature.read(item) if isinstance(item, str) and "|" in item else None for item in items]


def reading_of(signatures: Iterable[Signature | None], table: Mapping[str, type[Measure]]) -> dict[str, str]:
    """Collect the parts of signatures that are not options of a measure, such as `scheme`.

    Raises:
        InputError: if two signatures disagree.
    """
    readings: list[tuple[Signature, dict[str, str]]] = []
    for signature in filter(None, signatures):
        own = options_of(table[signature.measure]) if signature.measure in table else {}
        reading = {name: value for name, value in signature.parts.items() if name not in own}
        if "confidence" in reading:
            reading["seed"] = reading.pop("draws_seed", signature.parts.get("seed", "0"))
        if signature.version not in ("", __version__):
            warnings.warn(
                f"the signature of {signature.measure} is from version {signature.version}; this is {__version__}",
                stacklevel=3,
            )
        for other, values in readings:
            for name in {**values, **reading}:
                both = values.get(name), reading.get(name)
                if both[0] != both[1] and (None not in both or (signature.version and other.version)):
                    states = [f"no entry {name!r}" if value is None else f"{name}:{value}" for value in both]
                    raise InputError(
                        f"the signature of {other.measure} has {states[0]}, "
                        f"but the signature of {signature.measure} has {states[1]}.",
                        "Remove one of the two signatures. All measures must read the corpus with the same options.",
                    )
        readings.append((signature, reading))
    return {name: value for _, reading in readings for name, value in reading.items()}


def read_reading(reading: Mapping[str, str], declared: Mapping[str, Option], given: Collection[str]) -> dict[str, Any]:
    """Convert the reading options in signatures to values, skipping options in `given`.

    Raises:
        InputError: if the signature has only a hash of the value.
    """
    if "decode" in reading:
        raise InputError(
            f"the signature has decode:{reading['decode']}, but this function cannot decode logits.",
            "If you have logits, use TokenClassificationMetrics(decode=..., transitions=...). If you have tags, remove "
            "decode from the signature.",
        )
    values = {}
    for name, text in reading.items():
        if name in declared and name not in given:
            if _HASHED.fullmatch(text):
                raise InputError(
                    f"the signature has only a hash of {mention(name)}: {text}.", f"Pass {setting(name)} too."
                )
            if name in ("outside", "boundary") and _OF_SIDES.match(text):
                problem = f"the signature has a different {mention(name)} for each side: {text}."
                raise InputError(problem, f"Read each file in Python, with spanometer.read(FILE, {name}=...).")
            values[name] = declared[name].read(text)
    return values


def items_in(text: str, names: Collection[str]) -> list[str]:
    """Split a list of measures at commas outside brackets and quotes; a signature ends before the next measure."""
    if "|" not in text:
        return [item for item in map(unquoted, _split(text)) if item]
    begins = re.compile(rf"\s*({'|'.join(map(re.escape, names))})\s*([|(]|$)")
    items: list[str] = []
    for part in text.split(","):
        last = items[-1] if items else ""
        key = last.rpartition("|")[2].partition(":")[0].strip()
        # text that looks like a measure can be a label
        ended = key == "v" or (begins.match(part) and ("|" not in last or key not in _NAMES))
        if not items or ended:
            items.append(part)
        else:
            items[-1] += f",{part}"
    return [item for each in items for item in ([unquoted(each)] if "|" in each else items_in(each, names)) if item]


def read_item(
    text: Any, table: Mapping[str, type[Kind]], shared: Mapping[str, Any], files: Mapping[str, ReadFile]
) -> Kind:
    """Parse a measure with its options, such as `token_f(format=BIO)`.

    Args:
        text: the measure.
        table: the measures by name.
        shared: options for all measures. A measure takes those that it has and that its text does not set.
        files: functions that read the value of an option from a file. Options without a function get the file's text.

    Raises:
        InputError: if the measure or an option is unknown, or a value is invalid.
    """
    if isinstance(text, str) and "|" in text:
        return _read_signature(Signature.read(text), table, shared)
    item = _ITEM.fullmatch(text) if isinstance(text, str) else None
    name = item["name"] if item else ""
    kind = _named(name, table, name or text)
    declared = options_of(kind)
    values: dict[str, Any] = {}
    try:
        values.update(_values(item["options"] or "" if item else "", name, declared, files))
        return kind(**{option: shared[option] for option in declared if option in shared} | values)
    except InputError as error:
        if error.option in shared and error.option not in values:
            raise
        own = error.respelled(spell_python)
        problem = own.problem if own.source or own.problem.startswith(f"{name} ") else f"{name}: {own.problem}"
        raise own.placed(problem=problem) from None


def _read_signature(signature: Signature, table: Mapping[str, type[Kind]], shared: Mapping[str, Any]) -> Kind:
    """Create the measure of a signature; raise an `InputError` if shared options disagree with it."""
    name = signature.measure
    kind = _named(name, table, name)
    declared = options_of(kind)
    values = {option: shared[option] for option in declared if option in shared}
    values |= {
        option: _value(declared[option], text, signed=True)
        for option, text in signature.parts.items()
        if option in declared and option not in shared
    }
    measure = kind(**values)
    for option, value in measure.options().items():
        if written(value) != signature.parts.get(option, written(value)):
            problem = (
                f"the signature of {name} has {option}:{signature.parts[option]}, but you set {option}={shown(value)}."
            )
            raise InputError(problem, "Remove the option or the signature.", option=option)
    return measure


def named_apart(measures: Sequence[Measure]) -> list[str]:
    """Name each result by its measure. Results of the same measure also show the options in which they differ."""
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
    """Remove surrounding whitespace and quotes."""
    text = text.strip()
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _text(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, bool) else written(value)


def _named(name: str, table: Mapping[str, type[Kind]], text: Any) -> type[Kind]:
    """Return the measure with this name; if there is none, raise an `InputError` about the text that has it."""
    if name in table:
        return table[name]
    listed = f"Available: {', '.join(table)}. Write options in parentheses, as in {next(iter(table))}(average=macro)."
    raise InputError(f"the measure {shown(text)} is not available.", did_you_mean(name.lower(), table) or listed)


def _split(text: str) -> Iterator[str]:
    """Split text at commas that are outside brackets and quotes."""
    start, closing = 0, list[str]()
    for match in _SIGN.finditer(text):
        sign = match["sign"]
        if closing and sign == closing[-1]:
            closing.pop()
        elif sign in _CLOSING:
            closing.append(_CLOSING[sign])
        elif sign == "," and not closing:
            yield text[start : match.start()]
            start = match.end()
    if closing:
        raise InputError(f"the closing {closing[-1]} is missing in {shown(text)}.", f"Write measures as in {_EXAMPLE}.")
    yield text[start:]


def _values(
    text: str, measure: str, declared: Mapping[str, Option], files: Mapping[str, ReadFile]
) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each option in the text of a measure."""
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
        value = part.partition("=")[2].strip()
        if names.count(name) > 1:
            raise InputError(f"`{name}` is set twice.", "Set each option once.", option=name)
        if not _OPTION.match(part):
            raise InputError(f"`{name}` has no value.", f"Write {name}=...", option=name)
        read_file: ReadFile = files.get(name, partial(_from_file, declared[name]))
        yield name, read_file(unquoted(value[1:])) if value.startswith("@") else _value(declared[name], value)


def _value(declared: Option, text: str, *, signed: bool = False) -> Any:
    """Convert the text of an option to its value: a Python literal or a bare word, in a signature a bare word."""
    if signed and text == "None" and not declared.choices:
        return declared.default
    free = declared.kind is None and declared.parse is None and not declared.choices
    literal: Any = text
    if free or not signed:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            literal = ast.literal_eval(text)
    if isinstance(literal, (dict, list, tuple, set)) or (literal is None and text not in declared.choices):
        return literal
    word = literal if isinstance(literal, str) else text
    return literal if free else declared.read(list(_split(word)) if declared.repeat else word)


def _from_file(declared: Option, path: str) -> Any:
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        content = (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).decode("utf-8-sig")
    except (OSError, EOFError, ValueError) as error:
        problem = f"cannot read {path!r} ({getattr(error, 'strerror', None) or error})."
        raise InputError(problem, "Give a text file in UTF-8.", option=declared.name) from None
    try:
        return _value(declared, content.strip())
    except InputError as error:
        raise error.placed(source=path) from None
