"""The pages of the measures: texts, and controls made from the declared options."""

from __future__ import annotations

import inspect
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..counts.statistics import Resampling
from ..errors import ASKED, require_choice, spell_python
from ..measures.base import SHARED, Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.registry import ALL_MEASURES
from ..options import Option, options_of
from ..spans.markup import EntityTypes
from ..tags.decoding import LabelDecoding
from .templates import read_file

_READINGS: dict[str, type[LabelDecoding | EntityTypes]] = {"spans": LabelDecoding, "entities": EntityTypes}
"""How kinds of input are read, if there are options for it."""

_CONFIDENCE = replace(options_of(Resampling)["confidence"], default=None, choices=(0.9, 0.95, 0.99), optional=True)


@dataclass(frozen=True)
class Control:
    """A control of a page.

    Attributes:
        name: the keyword.
        label: what the page calls it.
        value: its first value.
        choices: pairs of a text and a value, if it is a choice.
        info: a line below the label.
        bounds: least and greatest value of a number, None if it has none.
        whole: whether it is a whole number.
        lines: whether it takes several values, one a line.
    """

    name: str
    label: str
    value: Any
    choices: tuple[tuple[str, str], ...] = ()
    info: str = ""
    bounds: tuple[float | None, float | None] | None = None
    whole: bool = False
    lines: bool = False


_WORDS = Control(
    "token_probabilities",
    "Information of the words",
    "unit",
    (("one unit each", "unit"), ("from the words of the text", "corpus")),
)


@dataclass(frozen=True)
class Page:
    """The page of one measure.

    Attributes:
        kind: the class of the measure.
        title: the page's heading.
        intro: what the measure counts, one or two sentences.
        paper: how the source is cited, and its address.
        values: the first values of controls whose options have other defaults.
        hints: lines below the labels of controls that do not take what Python takes.
    """

    kind: type[Measure]
    title: str
    intro: str
    paper: Sequence[str]
    values: Mapping[str, Any]
    hints: Mapping[str, str]

    @property
    def name(self) -> str:
        """Return the name of the measure."""
        return self.kind.name

    @property
    def input(self) -> str:
        """Return the kind of the input, see `Measure.input`."""
        return self.kind.input

    @property
    def charts(self) -> bool:
        """Return whether there are charts below the results."""
        return issubclass(self.kind, ChanceKappaF1)

    @property
    def options(self) -> dict[str, Option]:
        """Return the options with controls: a measure's own, of the reading, of all measures, the confidence."""
        declared = {name: _on_page(option) for name, option in options_of(self.kind).items() if option.label}
        shared = {name: declared.pop(name) for name in SHARED if name in declared}
        of_reading = options_of(_READINGS[self.input]) if self.input in _READINGS else {}
        reading = {name: option for name, option in of_reading.items() if option.label}
        return {**declared, **reading, **shared, "confidence": _CONFIDENCE}

    @property
    def controls(self) -> tuple[Control, ...]:
        """Return the controls of the options, and one of the page's own for measures of the words' information."""
        words = (_WORDS,) if "tokens" in options_of(self.kind) else ()
        return (*words, *map(self._control, self.options.values()))

    def _control(self, option: Option) -> Control:
        # nothing stands for the default of values that are given as text
        given_as_text = option.kind is None and not option.choices
        value = "" if given_as_text else self.values.get(option.name, option.default)
        choices = [(_text(choice), _text(choice)) for choice in option.choices]
        if choices and option.optional:
            choices.insert(0, (texts()["unset"].get(option.name, "default"), ""))
        info = self.hints.get(option.name) or _sentence(
            re.sub(f"^{re.escape(option.label)}[,;] ", "", _sentence(option.help))
        )
        is_number = option.kind in (int, float) and not choices
        return Control(
            option.name,
            option.label,
            _text(value) if choices else value,
            tuple(choices),
            "" if info == _sentence(option.label) else info,
            (option.low, option.high) if is_number else None,
            option.kind is int,
            option.repeat,
        )

    def chosen(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of the module that are not at their defaults, see `measure`; the words as in Python."""
        read = {name: _read(option, values[name]) for name, option in self.options.items()}
        chosen = {name: value for name, value in read.items() if value != self.options[name].default}
        return {"tokens": ..., **chosen} if values.get(_WORDS.name) == "corpus" else chosen

    def measure(self, values: Mapping[str, Any], words: Sequence[Sequence[str]] | None = None) -> Measure:
        """Return the measure with the options of the page.

        Args:
            values: of the controls, by name.
            words: of each document, for measures of their information.

        Raises:
            InputError: for an invalid value.
        """
        given = self._read(self.kind, values)
        if values.get(_WORDS.name) == "corpus":
            given["tokens"] = words
        return self.kind(**given)

    def shared(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that all measures take, see `measure`."""
        return self._read(Measure, values)

    def reading(self, values: Mapping[str, Any]) -> LabelDecoding | EntityTypes:
        """Return how tags or markup are read, see `measure`."""
        owner = _READINGS[self.input]
        return owner(**self._read(owner, values))

    def resampling(self, values: Mapping[str, Any]) -> Resampling | None:
        """Return how to make intervals; None if none are asked for. See `measure`."""
        return Resampling.chosen(**self._read(Resampling, values))

    def _read(self, owner: type, values: Mapping[str, Any]) -> dict[str, Any]:
        declared = options_of(owner)
        return {name: _read(option, values[name]) for name, option in self.options.items() if name in declared}

    def spell(self, name: str, value: str | None) -> str:
        """Spell an option in an error as the page calls it."""
        label = next((control.label for control in self.controls if control.name == name), None)
        if value == ASKED:
            return label or ""
        if label is None:
            return spell_python(name, value)
        return f"“{label}”" if value in (None, "...") else f"“{label}” to {value}"


@cache
def texts() -> dict[str, Any]:
    """Return the texts of the pages: titles and intros of measures, names of what simulations add to scores."""
    return tomllib.loads(read_file("pages.toml"))


def page_of(name: str) -> Page:
    """Return the page of a measure, or of a module whose page `shows` another one.

    Raises:
        InputError: for an unknown measure.
    """
    shown = texts()["measures"]
    require_choice("name", name, (*ALL_MEASURES, *(other for other, own in shown.items() if "shows" in own)))
    own = shown.get(name, {})
    kind = ALL_MEASURES[own.get("shows", name)]
    return Page(
        kind,
        own.get("title", name.replace("_", " ").capitalize()),
        own.get("intro") or inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0],
        own.get("paper", ()),
        own.get("values", {}),
        own.get("hints", {}),
    )


def space_of(name: str) -> str:
    """Return the name of a measure's Space, in the namespace of the Space that runs (which the Hub tells it)."""
    namespace, slash, _ = os.environ.get("SPACE_ID", "").partition("/")
    return f"{namespace if slash else 'spanometer'}/{name}"


def spaces() -> dict[str, str]:
    """Return the addresses of all measures' Spaces by their titles."""
    return {page_of(name).title: f"https://huggingface.co/spaces/{space_of(name)}" for name in ALL_MEASURES}


def key_title(measure: Measure, key: str) -> str:
    """Return what a key of a measure's scores is called."""
    return measure.results[key].title if key in measure.results else str(texts()["keys"].get(key, key))


def _on_page(option: Option) -> Option:
    """Return an option as pages have it: a number within the bounds of its control."""
    if option.span is None:
        return option
    return replace(option, low=option.span[0], high=option.span[1], exclusive=False)


def _sentence(phrase: str) -> str:
    return f"{phrase[0].upper()}{phrase[1:].removesuffix('.')}."


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read(option: Option, value: Any) -> Any:
    """Return the value of an option from that of its control.

    Raises:
        InputError: for an invalid value.
    """
    if isinstance(value, str):
        value = value.strip()
        if not value and option.kind is not str:
            return option.default
        value = option.read([line for line in value.splitlines() if line.strip()] if option.repeat else value)
    option.check(value)
    return value
