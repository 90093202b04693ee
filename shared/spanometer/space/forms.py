"""The forms of pages, with controls that are derived from the declared options. `serving` shows them with Gradio."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from ..counts.statistics import Resampling
from ..exceptions import ASKED, InputError, require_choice, spell_python
from ..grounding.reading import AnswerReading
from ..measures.base import SHARED, Measure
from ..measures.registry import PAGE_MEASURES
from ..options import Option, options_of
from ..readers.text.markup import EntityTypes
from ..tags.decoding import LabelDecoding
from .texts import error_message, measure_title, render, texts

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
    """A box for a text, or for files.

    Attributes:
        name: the name of its value.
        label: its name on the page.
        info: for a text, a line below the label.
        read: for a text, a function that reads an uploaded file into the box; None if it accepts no files.
        several: for files, whether there can be more than one.
    """

    name: str
    label: str
    info: str = ""
    read: Callable[[str], str] | None = None
    several: bool = False


CONFIDENCE = replace(options_of(Resampling)["confidence"], default=None, choices=(0.9, 0.95, 0.99), optional=True)
"""The confidence level of intervals on a page."""


@dataclass(frozen=True)
class Fields:
    """The options of a page, as the page shows them.

    Attributes:
        options: the options by name, each with a label.
        values: initial values of controls, if they differ from the options' defaults.
        hints: lines below the labels; by default the help of the options.
    """

    options: Mapping[str, Option]
    values: Mapping[str, Any] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_app(cls, name: str, options: Mapping[str, Option], values: Mapping[str, Any] | None = None) -> Self:
        """Create the fields of a page without a measure.

        `pages.toml` has their labels and hints, and so says which are shown.
        """
        own = texts()["apps"][name]
        labelled = {option: replace(options[option], label=label) for option, label in own["labels"].items()}
        return cls(labelled, values or {}, own["hints"])

    @property
    def initial(self) -> dict[str, Any]:
        """The initial values of the controls."""
        return {name: self._initial(option) for name, option in self.options.items()}

    def _initial(self, option: Option) -> Any:
        first = self.values.get(option.name, option.default)
        if option.choices:
            return _text(first)
        # an empty text stands for the default
        return "" if option.kind is None else first

    def choices(self, option: Option) -> list[tuple[str, str]]:
        """List the choices of a control, if it has any: pairs of a text and a value."""
        values = list(map(_text, option.choices))
        unset = [(texts()["unset"].get(option.name, "default"), "")] if values and option.optional else []
        return [*unset, *zip(values, values, strict=True)]

    def info(self, option: Option) -> str | None:
        """Return the line below the label of a control."""
        help_ = re.sub(rf"^{re.escape(option.label)}( \([^)]*\))?[,;] ", "", _sentence(option.help))
        info = self.hints.get(option.name) or _sentence(help_)
        return None if info == _sentence(option.label) else info

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


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a page.

    Attributes:
        title: the title of the page.
        heading: HTML above the form.
        button: the text of the submit button.
        respond: a function that computes the response from the values of all fields, by name; see `response`.
        limits: the maximum size of the input, in words.
        kept: what happens to the input, in words.
        uploads, boxes: the boxes for files and for texts.
        fields: the options.
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
    uploads: Sequence[Box] = ()
    boxes: Sequence[Box] = ()
    fields: Fields = Fields({})
    hint: str = "Examples:"
    examples: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    charts: Sequence[str] = ()
    below: str = ""

    @classmethod
    def of_app(cls, name: str, **parts: Any) -> Self:
        """Create the form of a page without a measure; `pages.toml` has its texts, boxes and fields for files."""
        app = texts()["apps"][name]
        own = {key: app[key] for key in ("button", "kept", "hint") if key in app}
        own |= {kind: [Box(**box) for box in app.get(kind, ())] for kind in ("boxes", "uploads")}
        return cls(title=app["title"], heading=render("app_heading.html", app=app), **own, **parts)

    def response(self, values: Mapping[str, Any]) -> Response:
        """Compute the response; if that is not possible, show an error message.

        Args:
            values: the values of the fields, by name; an empty text box can be None.
        """
        pasted = {box.name: values.get(box.name) or "" for box in self.boxes}
        try:
            return self.respond({**values, **pasted})
        except InputError as error:
            return Response(error_message(error, self.fields.spell))


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


READINGS: dict[str, type[Any]] = {"spans": LabelDecoding, "entities": EntityTypes, "mentions": AnswerReading}
"""The classes of reading options, by the kind of input. The measure of tags has its own."""


_FREQUENCIES = "from word frequencies in the text"

_WORDS = Option(
    name="token_probabilities",
    default="one unit each",
    help="information of words",
    choices=("one unit each", _FREQUENCIES),
    label="Information of words",
)


@dataclass(frozen=True, kw_only=True)
class Page(Fields):
    """The page of one measure.

    Attributes:
        kind: the class of the measure.
        title: the page's title.
        intro: what the measure counts, in one or two sentences.
        paper: how to cite the source, and its URL.
    """

    kind: type[Measure]
    title: str
    intro: str
    paper: Sequence[str]

    @property
    def input(self) -> Mapping[str, Any]:
        """The texts for this kind of input: the boxes, the remedy for an empty box, and what the snippet says."""
        return {**texts()["inputs"]["spans"], **texts()["inputs"][self.kind.input]}

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the values of the controls to values of options; words are as in Python."""
        chosen = super().read(values)
        words = {"tokens": ...} if chosen.pop(_WORDS.name, None) == _FREQUENCIES else {}
        return {**words, **chosen}


def page_of(name: str) -> Page:
    """Create the page of a measure.

    Raises:
        InputError: if there is no such measure.
    """
    require_choice("name", name, PAGE_MEASURES)
    own, kind = texts()["measures"].get(name, {}), PAGE_MEASURES[name]
    return Page(
        options=_options(kind),
        values=own.get("values", {}),
        hints=own.get("hints", {}),
        kind=kind,
        title=measure_title(name),
        intro=own.get("intro") or inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0],
        paper=own.get("paper", ()),
    )


def _options(kind: type[Measure]) -> dict[str, Option]:
    """Return the options with controls: of words, the measure, reading and all measures, and the confidence level."""
    options = options_of(kind)
    words = {_WORDS.name: _WORDS} if _WORDS.name in options else {}
    declared = {name: _on_page(option) for name, option in options.items() if option.label}
    shared = {name: declared.pop(name) for name in SHARED if name in declared}
    of_reading = options_of(READINGS[kind.input]) if kind.input in READINGS else {}
    reading = {name: option for name, option in of_reading.items() if option.label}
    # seqeval has no intervals, and a single text has none
    resampling = {} if kind.input in ("tags", "mentions") else {"confidence": CONFIDENCE}
    return {**words, **declared, **reading, **shared, **resampling}


def key_title(measure: Measure, key: str) -> str:
    """Return the title of a key of a measure's scores."""
    return measure.results[key].title if key in measure.results else str(texts()["keys"].get(key, key))


def _on_page(option: Option) -> Option:
    """Limit a numeric option to the bounds of its control."""
    if option.span is None:
        # pages do not show Python's warnings
        return replace(option, choices=tuple(choice for choice in option.choices if choice != "warn"))
    return replace(option, low=option.span[0], high=option.span[1], exclusive=False)
