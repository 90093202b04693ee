"""The form of a page: its fields and the function that responds; `serving` shows it with Gradio."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from ..counts.statistics import Resampling
from ..exceptions import ASKED, spell_python
from ..options import Option, options_of
from .texts import texts

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Response:
    """The results of a page as HTML, its charts, and files to take along, by name."""

    html: str
    charts: Sequence[Figure | None] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Box:
    """A box for a text.

    Attributes:
        name: of its value.
        label: its name on the page.
        info: a line below the label.
        read: reads an uploaded file for it; None if it takes no files.
    """

    name: str
    label: str
    info: str = ""
    read: Callable[[str], str] | None = None


@dataclass(frozen=True)
class Upload:
    """A field for a file, or for several."""

    name: str
    label: str
    several: bool = False


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a page.

    Attributes:
        title: of the page.
        heading: HTML above the form.
        button: the text of the button that asks for an answer.
        respond: gives the answer to the values of all fields, by name.
        limits: how much the page takes, in words.
        kept: what happens to the input.
        uploads, boxes, controls: the fields.
        hint: a line above the examples.
        examples: by name the values of some fields; the first one is there at the beginning.
        charts: the titles of charts.
        below: HTML below the results.
    """

    title: str
    heading: str
    button: str
    respond: Callable[[Mapping[str, Any]], Response]
    limits: str
    kept: str = "Texts are scored on the server of this Space and are not stored."
    uploads: Sequence[Upload] = ()
    boxes: Sequence[Box] = ()
    controls: Sequence[Control] = ()
    hint: str = "Examples:"
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    charts: Sequence[str] = ()
    below: str = ""


CONFIDENCE = replace(options_of(Resampling)["confidence"], default=None, choices=(0.9, 0.95, 0.99), optional=True)
"""The level of intervals on a page."""


@dataclass(frozen=True)
class Control:
    """A control of a page.

    Attributes:
        name: the keyword.
        label: its name on the page.
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


@dataclass(frozen=True)
class Fields:
    """The options of a page, as it shows them.

    Attributes:
        options: by name, each with a label.
        values: first values of controls whose options have other defaults.
        hints: lines below the labels; by default the options' help.
        unset: by option, the text of the choice that stands for None.
    """

    options: Mapping[str, Option]
    values: Mapping[str, Any] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    unset: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_app(cls, name: str, options: Mapping[str, Option], values: Mapping[str, Any] | None = None) -> Self:
        """Take the labels and hints of a page without a measure from `pages.toml`; its labels choose the options."""
        own = texts()["apps"][name]
        labelled = {option: replace(options[option], label=label) for option, label in own["labels"].items()}
        return cls(labelled, values or {}, own["hints"], own["unset"])

    @property
    def controls(self) -> tuple[Control, ...]:
        """Return the controls."""
        return tuple(map(self._control, self.options.values()))

    def read(self, values: Mapping[str, Any], names: Iterable[str] | None = None) -> dict[str, Any]:
        """Read the values of options from the values of their controls.

        Args:
            values: by name.
            names: the options; by default all.

        Raises:
            InputError: for an invalid value.
        """
        chosen = self.options if names is None else [name for name in self.options if name in set(names)]
        return {name: _read(self.options[name], values[name]) for name in chosen}

    def spell(self, name: str, value: str | None) -> str:
        """Spell an option as the label of its control, see `errors.spelled`."""
        label = self.options[name].label if name in self.options else None
        if value == ASKED:
            return label or ""
        if label is None:
            return spell_python(name, value)
        return f"“{label}”" if value in (None, "...") else f"“{label}” to {value}"

    def _control(self, option: Option) -> Control:
        # an empty text stands for the default
        given_as_text = option.kind is None and not option.choices
        first = "" if given_as_text else self.values.get(option.name, option.default)
        choices = [(_text(choice), _text(choice)) for choice in option.choices]
        if choices and option.optional:
            choices.insert(0, (self.unset.get(option.name, "default"), ""))
        help_ = _sentence(re.sub(f"^{re.escape(option.label)}[,;] ", "", _sentence(option.help)))
        info = self.hints.get(option.name) or help_
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
