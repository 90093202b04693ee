"""`InputError`, the only error that wrong input raises."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, TypeVar
from unicodedata import category, normalize

Result = TypeVar("Result")

# Unicode noncharacters: they are reserved for marks that never leave a program
_OPEN, _EQUALS, _CLOSE = "\ufdd0", "\ufdd1", "\ufdd2"
_CLAUSE, _END = "\ufdd3", "\ufdd4"

OTHER_PLACE = "\ufdd5"
"""A placeholder in the text of an `InputError` for the place of its `other` error."""

BYTE_ORDER_MARK = "\ufeff"

_AROUND = 20
"""The number of characters shown on each side of a difference between texts."""

ASKED = "?"
"""A value that asks an interface whether it has an option; the interface returns an empty string if not."""

_CONDITIONAL = re.compile(f"{_CLAUSE}(.*?){_EQUALS}(.*?){_END}", re.DOTALL)

_NOT_IN_PYTHON = frozenset({"outside", "column", "cluster", "spans", "suffix"})
"""Options that exist only on the command line or only in the drop-in for seqeval."""


def setting(name: str, value: object = ...) -> str:
    """Mark an option and its value in the text of an `InputError`, so that each interface can spell it in its own way.

    For example, users of Python read `per_label=True` (`per_label=...` without a value), users of the command line
    `--per-label`, and users of a page the label of the control. The command line writes options of a single measure as
    Python does.
    """
    return f"{_OPEN}{name}{_EQUALS}{'...' if value is ... else shown(value)}{_CLOSE}"


def mention(name: str) -> str:
    """Mark an option's name, without a value, in the text of an `InputError`, see `setting`."""
    return f"{_OPEN}{name}{_CLOSE}"


def clause_for(name: str, clause: str) -> str:
    """Mark a clause in the text of an `InputError`; interfaces without this option omit the clause."""
    return f"{_CLAUSE}{name}{_EQUALS}{clause}{_END}"


def spell_python(name: str, value: str | None) -> str:
    """Spell an option as a keyword argument; a name without a value is in backticks, because it may be a usual word."""
    if value == ASKED:
        return "" if name in _NOT_IN_PYTHON else name
    return f"`{name}`" if value is None else f"{name}={value}"


def spelled(text: str, spell: Callable[[str, str | None], str]) -> str:
    """Replace the marked options in a text by `spell(name, value)`; the value is None if only the name is marked."""
    text = _CONDITIONAL.sub(lambda clause: clause[2] if spell(clause[1], ASKED) else "", text)
    head, *rest = text.split(_OPEN)
    parts = [head]
    for part in rest:
        inner, _, tail = part.partition(_CLOSE)
        name, equals, value = inner.partition(_EQUALS)
        parts += [spell(name, value if equals else None), tail]
    # a fourth dot would hide where the option ends
    return re.sub(r"=\.{4}$", "=...", "".join(parts))


@dataclass(eq=False, repr=False)
class InputError(ValueError):
    """An error about wrong input. It says where the input is, what is wrong and how to fix it.

    Documents and tokens are numbered from 0, as in Python lists; lines of files are numbered from 1, as in editors.

    Args:
        problem: what is wrong.
        remedy: how to fix it.
        side: `"references"` or `"predictions"`, if known.
        document: the index of the document, if known.
        position: the index of the token, or other unit, within the document, if known.
        span: the index of the span within the document's list of spans, if known.
        source: the file that was read, or another name for it.
        line: the number of the line within the file (or within a document of several lines), if known.
        column: the number of the character within the line, from 1, if known.
        option: the name of the option that has a wrong value.
        unit: the unit of `position`, if it is not tokens.
        other: if the problem is about two places, an error at the second place. The text refers to it by `OTHER_PLACE`.

    `problem` and `remedy` may contain options marked with `setting` and `mention`. `str(error)` spells them as Python
    keyword arguments; `message` and `respelled` spell them for other interfaces. Never show the raw fields to users.
    """

    problem: str
    remedy: str = ""
    _: KW_ONLY
    side: str | None = None
    document: int | None = None
    position: int | None = None
    span: int | None = None
    source: str | None = None
    line: int | None = None
    column: int | None = None
    option: str | None = None
    unit: str = "token"
    other: InputError | None = None

    def __post_init__(self) -> None:
        """Pass the message to the base class, so that the error can be pickled."""
        super().__init__(str(self))

    @property
    def place(self) -> str:
        """The place of the problem, or an empty string if it is unknown."""
        parts = [name for name in (self.source, self.side) if name is not None]
        numbers = ("document", self.document), ("line", self.line), ("column", self.column), (self.unit, self.position)
        parts += [f"{name} {number}" for name, number in (*numbers, ("span", self.span)) if number is not None]
        return ", ".join(parts)

    def texts(self, spell: Callable[[str, str | None], str]) -> tuple[str, str]:
        """Return problem and remedy as text, with options spelled by `spell`, see `spelled`."""
        place = "" if self.other is None else self.other.place
        problem, remedy = (spelled(text, spell).replace(OTHER_PLACE, place) for text in (self.problem, self.remedy))
        return problem, remedy

    def message(self, spell: Callable[[str, str | None], str], separator: str = "\n") -> str:
        """Return place, problem and remedy as text, with options spelled by `spell`, see `spelled`."""
        problem, remedy = self.texts(spell)
        located = f"{self.place}: {problem}" if self.place else problem
        return f"{located}{separator}{remedy}" if remedy else located

    def __str__(self) -> str:
        """Return `place: problem`, and the remedy on the next line."""
        return self.message(spell_python)

    def placed(self, **place: Any) -> InputError:
        """Copy the error and change parts of its place: `side`, `document`, `source` and so on."""
        return replace(self, **place)

    def respelled(self, spell: Callable[[str, str | None], str]) -> InputError:
        """Copy the error, with the options in its text spelled by `spell`, see `spelled`."""
        return replace(self, problem=spelled(self.problem, spell), remedy=spelled(self.remedy, spell))

    def in_file(self, source: str, line: int | None = None, position: int | None = None) -> InputError:
        """Copy the error and replace its document and token by a place in a file: line or token."""
        place = {"source": source, "line": line, "position": position}
        return self.placed(side=None, document=None, span=None, column=None, **place)


@contextmanager
def without_option(*names: str) -> Iterator[None]:
    """Remove clauses about these options from the remedies of errors, because the function does not have them.

    See `clause_for`.
    """
    try:
        yield
    except InputError as error:
        remedy = _CONDITIONAL.sub(lambda clause: "" if clause[1] in names else clause[0], error.remedy)
        raise replace(error, remedy=remedy) from None


def has_control_characters(text: str) -> bool:
    """Check whether a text has control characters, such as NUL, tab or a newline."""
    return not text.isprintable() and any(category(character) == "Cc" for character in text)


def printable(text: str) -> str:
    """Convert a text to one line, with control characters and lone surrogates escaped."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shortened(text: str, last: int = 0) -> str:
    """Cut a text to 60 characters, including its last ones: as many as `last`."""
    return text if len(text) <= 60 else f"{text[: 57 - last]}...{text[len(text) - last :]}"


def shown(value: object) -> str:
    """Return the `repr` of a value, cut to 60 characters; if `repr` fails, as for endless lists, return the type."""
    try:
        # arrays are printed on several lines; the last character closes a quotation or a bracket
        return shortened(repr(value).replace("\n", " "), last=1)
    except Exception:
        # a user's class may define `__repr__`; very long numbers and deep nesting raise Python's own errors
        return f"an object of type {type(value).__name__}"


def with_type(value: object) -> str:
    """Return the `repr` of a value and its type, because values such as '1' and 1 look alike; None has no type."""
    return "None" if value is None else f"{shown(value)} (of type {type(value).__name__})"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun: `1 span`, `1,200 spans`. Pass the plural if it is irregular."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def first_of(names: Sequence[str], most: int = 3) -> str:
    """List the first names, and say how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def all_of(noun: str, names: Collection[object], the: str = "the") -> str:
    """List all names: `the keys are 'a', 'b'`, `the only key is 'a'` or `there are no keys`."""
    verb = f"only {noun} is" if len(names) == 1 else f"{noun}s are"
    return f"{the} {verb} {', '.join(map(repr, names))}" if len(names) else f"{the}re are no {noun}s"


def did_you_mean(name: str, names: Iterable[str], spell: Callable[[str], str] = str) -> str:
    """Ask whether the most similar name was meant; empty if no name is similar."""
    from difflib import get_close_matches

    return "".join(f"Did you mean {spell(close)}?" for close in get_close_matches(name, names, n=1))


def choose_from(choices: Iterable[object]) -> str:
    """List the allowed values: `Use one of 1, 2, 3.`, `Use True or False.` or `The only value is 1.`."""
    allowed = list(map(repr, choices))
    start = {1: "The only value is", 2: "Use"}.get(len(allowed), "Use one of")
    return f"{start} {(' or ' if len(allowed) == 2 else ', ').join(allowed)}."


def require_choice(name: str, value: object, choices: Iterable[object]) -> None:
    """Raise an `InputError` that lists the allowed values, unless `value` is one of them."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise InputError(f"invalid value for {mention(name)}: {shown(value)}.", choose_from(choices), option=name)


def on_side(side: str, function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Call a function; if it raises an `InputError`, add the side to the error."""
    try:
        return function(*arguments, **options)
    except InputError as error:
        raise error.placed(side=side) from None


def on_both_sides(
    function: Callable[..., Result], references: Any, predictions: Any, **options: Any
) -> tuple[Result, Result]:
    """Call a function with each side, and add the side to errors, see `on_side`."""
    reference = on_side("references", function, references, **options)
    return reference, on_side("predictions", function, predictions, **options)


def require_kind(value: object, kind: type | tuple[type, ...], noun: str, remedy: str, **place: Any) -> None:
    """Raise an `InputError` at `place` unless a value is an instance of `kind`; `noun` describes `kind` in words."""
    if not isinstance(value, kind):
        raise InputError(f"{with_type(value)} is not {noun}.", remedy, **place)


def require_no_more(more: Sequence[object], remedy: str) -> None:
    """Raise an `InputError` if a function was called with too many positional arguments."""
    if more:
        problem = f"{counted(len(more), 'positional argument')} too many."
        raise InputError(problem, f"{remedy} Pass options as name=value.")


def require_sides(kind: type, references: Any, predictions: Any) -> None:
    """Raise an `InputError` unless both sides are instances of `kind` with the same number of documents."""
    for side, value in (("references", references), ("predictions", predictions)):
        remedy = f"Create {kind.__name__} with {kind.__name__}.from_dicts or {kind.__name__}.from_arrow."
        require_kind(value, kind, f"a {kind.__name__} object", remedy, side=side)
    require_same_documents(references.documents, predictions.documents)


def require_same_documents(references: int, predictions: int) -> None:
    """Raise an `InputError` unless both sides have the same number of documents."""
    if references != predictions:
        problem = f"got {counted(predictions, 'predicted document')}, but {counted(references, 'reference document')}."
        raise InputError(problem, "Both sides must annotate the same documents, in the same order.")


def require_same_words(words: Sequence[str], predicted: Sequence[str], document: int, noun: str = "word") -> None:
    """Raise an `InputError` about the first difference unless both sides of a document have the same words."""
    if words == predicted:
        return
    position = next((place for place, pair in enumerate(zip(words, predicted, strict=False)) if len({*pair}) > 1), None)
    problem = f"got {counted(len(predicted), f'predicted {noun}')}, but {counted(len(words), f'reference {noun}')}."
    if position is not None:
        word, other = shown(words[position]), shown(predicted[position])
        problem = f"the {noun} is {other} in the prediction and {word} in the reference."
    remedy = f"Both sides must annotate the same {noun}s. Use the same tokenizer for both."
    raise InputError(problem, remedy, document=document, position=position)


def plain_ends(text: str) -> str:
    """Remove the byte order mark of a text, and replace its line ends by newlines."""
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n").replace("\r", "\n")


def only_difference(first: str, second: str) -> str:
    """Say whether two strings differ only in line endings, Unicode normalisation or case; otherwise return ""."""
    ways: dict[str, Callable[[str], str]] = {
        "line endings and byte order marks": plain_ends,
        "Unicode normalisation": lambda text: normalize("NFKC", text),
        "case": lambda text: normalize("NFKC", normalize("NFKC", text).casefold()),
    }
    return next((f" The only difference: {way}." for way, plain in ways.items() if plain(first) == plain(second)), "")


def require_same_text(reference: str, prediction: str, document: int, remedy: str, option: str | None = None) -> None:
    """Raise an `InputError` that shows the first difference of two texts, unless they are equal."""
    if reference == prediction:
        return
    common = min(len(reference), len(prediction))
    place = next((place for place in range(common) if reference[place] != prediction[place]), common)
    before = max(place - _AROUND, 0)
    left, right = (shown(text[before : place + _AROUND]) for text in (reference, prediction))
    difference = only_difference(reference, prediction)
    where = f"the texts differ at character {place}: {left} in the reference, {right} in the prediction."
    raise InputError(f"{where}{difference}", remedy, document=document, option=option)
