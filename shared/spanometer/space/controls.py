"""Controls of pages, made from declared options, and their values read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..counts.statistics import Resampling
from ..exceptions import ASKED, spell_python
from ..options import Option, options_of

CONFIDENCE = replace(options_of(Resampling)["confidence"], default=None, choices=(0.9, 0.95, 0.99), optional=True)
"""The level of intervals on a page."""


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


def control_of(option: Option, *, value: Any = ..., info: str = "", unset: str = "default") -> Control:
    """Return the control of an option.

    Args:
        option: with a label.
        value: its first value; by default that of the option.
        info: the line below the label; by default the option's help.
        unset: what the choice is called that stands for None.
    """
    # nothing stands for the default of values that are given as text
    given_as_text = option.kind is None and not option.choices
    first = "" if given_as_text else option.default if value is ... else value
    choices = [(_text(choice), _text(choice)) for choice in option.choices]
    if choices and option.optional:
        choices.insert(0, (unset, ""))
    info = info or _sentence(re.sub(f"^{re.escape(option.label)}[,;] ", "", _sentence(option.help)))
    is_number = option.kind in (int, float) and not choices
    return Control(
        option.name,
        option.label,
        _text(first) if choices else first,
        tuple(choices),
        "" if info == _sentence(option.label) else info,
        (option.low, option.high) if is_number else None,
        option.kind is int,
        option.repeat,
    )


def read_values(options: Mapping[str, Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options from those of their controls.

    Raises:
        InputError: for an invalid value.
    """
    return {name: _read(option, values[name]) for name, option in options.items()}


def speller(controls: Iterable[Control]) -> Callable[[str, str | None], str]:
    """Return how a page calls options in errors: by the labels of its controls, see `errors.spelled`."""
    labels = {control.name: control.label for control in controls}

    def spell(name: str, value: str | None) -> str:
        label = labels.get(name)
        if value == ASKED:
            return label or ""
        if label is None:
            return spell_python(name, value)
        return f"“{label}”" if value in (None, "...") else f"“{label}” to {value}"

    return spell


def _sentence(phrase: str) -> str:
    return f"{phrase[0].upper()}{phrase[1:].removesuffix('.')}."


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read(option: Option, value: Any) -> Any:
    if isinstance(value, str):
        value = value.strip()
        if not value and option.kind is not str:
            return option.default
        value = option.read([line for line in value.splitlines() if line.strip()] if option.repeat else value)
    option.check(value)
    return value
