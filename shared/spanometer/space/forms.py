"""The form of a page: its fields and the function that responds. `serving` shows it with Gradio."""

import re
from collections.abc import Callable, Mapping, Sequence
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
    """The results of a page as HTML, its charts, and files to download, by name."""

    html: str
    charts: Sequence["Figure | None"] = ()
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Box:
    """A text box.

    Attributes:
        name: the name of its value.
        label: its name on the page.
        info: a line below the label.
        read: a function that reads an uploaded file into the box; None if it accepts no files.
    """

    name: str
    label: str
    info: str = ""
    read: Callable[[str], str] | None = None


@dataclass(frozen=True)
class Upload:
    """A field for one file or several files."""

    name: str
    label: str
    several: bool = False


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a page.

    Attributes:
        title: the title of the page.
        heading: HTML above the form.
        button: the text of the submit button.
        respond: a function that computes the response from the values of all fields, by name.
        limits: the maximum size of the input, in words.
        kept: what happens to the input, in words.
        uploads, boxes, controls: the fields.
        hint: a line above the examples.
        examples: the values of some fields, by the name of the example; the page starts with the first example.
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
    controls: Sequence["Control"] = ()
    hint: str = "Examples:"
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    charts: Sequence[str] = ()
    below: str = ""


CONFIDENCE = replace(options_of(Resampling)["confidence"], default=None, choices=(0.9, 0.95, 0.99), optional=True)
"""The confidence level of intervals on a page."""


@dataclass(frozen=True)
class Control:
    """A control of a page.

    Attributes:
        name: the keyword.
        label: its name on the page.
        value: its initial value.
        choices: pairs of a text and a value, if there is a choice.
        info: a line below the label.
        bounds: the minimum and maximum of a number; None if there are none.
        whole: whether it is an integer.
        lines: whether it accepts several values, one on each line.
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
    """The options of a page, as the page shows them.

    Attributes:
        options: the options by name, each with a label.
        values: initial values of controls, if they differ from the options' defaults.
        hints: lines below the labels; by default the help of the options.
        unset: for each option that can be None, the text of this choice.
    """

    options: Mapping[str, Option]
    values: Mapping[str, Any] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    unset: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_app(cls, name: str, options: Mapping[str, Option], values: Mapping[str, Any] | None = None) -> Self:
        """Create the fields of a page without a measure.

        `pages.toml` has their labels and hints, and so says which are shown.
        """
        own = texts()["apps"][name]
        labelled = {option: replace(options[option], label=label) for option, label in own["labels"].items()}
        return cls(labelled, values or {}, own["hints"], own["unset"])

    @property
    def controls(self) -> tuple[Control, ...]:
        """The controls of the options."""
        return tuple(map(self._control, self.options.values()))

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the values of controls to values of options.

        Args:
            values: the values of controls, by name.

        Raises:
            InputError: if a value is invalid.
        """
        return {name: _read(option, values[name]) for name, option in self.options.items()}

    def spell(self, name: str, value: str | None) -> str:
        """Write an option as the label of its control, see `exceptions.spelled`."""
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
        help_ = _sentence(re.sub(rf"^{re.escape(option.label)}( \([^)]*\))?[,;] ", "", _sentence(option.help)))
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
