"""The pages of the measures: texts, and controls that are derived from the declared options."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..exceptions import require_choice
from ..measures.base import SHARED, Measure
from ..measures.registry import ALL_MEASURES
from ..options import Option, made, options_of
from ..readers.text.markup import EntityTypes
from ..tags.decoding import LabelDecoding
from .forms import CONFIDENCE, Control, Fields
from .texts import measure_title, texts

READINGS: dict[str, type[LabelDecoding | EntityTypes]] = {"spans": LabelDecoding, "entities": EntityTypes}
"""The classes of reading options, by the kind of input."""


_WORDS = Control(
    "token_probabilities",
    "Information of words",
    "unit",
    (("one unit each", "unit"), ("from word frequencies in the text", "corpus")),
)


@dataclass(frozen=True)
class Page:
    """The page of one measure.

    Attributes:
        kind: the class of the measure.
        title: the page's title.
        intro: what the measure counts, in one or two sentences.
        paper: how to cite the source, and its URL.
        values: initial values of controls, if they differ from the options' defaults.
        hints: lines below the labels of controls whose values differ from Python's.
    """

    kind: type[Measure]
    title: str
    intro: str
    paper: Sequence[str]
    values: Mapping[str, Any]
    hints: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name of the measure."""
        return self.kind.name

    @property
    def input(self) -> str:
        """The kind of input, see `Measure.input`."""
        return self.kind.input

    @property
    def options(self) -> dict[str, Option]:
        """The options with controls: of the measure, of reading, of all measures, and the confidence level."""
        declared = {name: _on_page(option) for name, option in options_of(self.kind).items() if option.label}
        shared = {name: declared.pop(name) for name in SHARED if name in declared}
        of_reading = options_of(READINGS[self.input]) if self.input in READINGS else {}
        reading = {name: option for name, option in of_reading.items() if option.label}
        return {**declared, **reading, **shared, "confidence": CONFIDENCE}

    @property
    def fields(self) -> Fields:
        """The options as the page shows them."""
        return Fields(self.options, self.values, self.hints, texts()["unset"])

    @property
    def controls(self) -> tuple[Control, ...]:
        """The controls of the options; measures that use the information of words have one more."""
        words = (_WORDS,) if _WORDS.name in options_of(self.kind) else ()
        return *words, *self.fields.controls

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the values of the controls to values of options; words are as in Python.

        Args:
            values: the values of the controls, by name.

        Raises:
            InputError: if a value is invalid.
        """
        words = {"tokens": ...} if values.get(_WORDS.name) == "corpus" else {}
        return {**words, **self.fields.read(values)}

    def reading(self, chosen: Mapping[str, Any]) -> LabelDecoding | EntityTypes | None:
        """Create the options for reading tags or markup from those of the page; None if the input has none."""
        return made(READINGS[self.input], chosen) if self.input in READINGS else None


def page_of(name: str) -> Page:
    """Create the page of a measure, or of a module that `shows` the page of another one.

    Raises:
        InputError: if there is no such measure.
    """
    shown = texts()["measures"]
    require_choice("name", name, (*ALL_MEASURES, *(other for other, own in shown.items() if "shows" in own)))
    own = shown.get(name, {})
    kind = ALL_MEASURES[own.get("shows", name)]
    return Page(
        kind,
        measure_title(name),
        own.get("intro") or inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0],
        own.get("paper", ()),
        own.get("values", {}),
        own.get("hints", {}),
    )


def key_title(measure: Measure, key: str) -> str:
    """Return the title of a key of a measure's scores."""
    return measure.results[key].title if key in measure.results else str(texts()["keys"].get(key, key))


def _on_page(option: Option) -> Option:
    """Limit a numeric option to the bounds of its control."""
    if option.span is None:
        return option
    return replace(option, low=option.span[0], high=option.span[1], exclusive=False)
