"""The pages of the measures: texts, and controls that are derived from the declared options."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..counts.statistics import Resampling
from ..exceptions import require_choice
from ..measures.base import SHARED, Measure
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.registry import ALL_MEASURES
from ..options import Option, options_of
from ..readers.text.markup import EntityTypes
from ..tags.decoding import LabelDecoding
from .forms import CONFIDENCE, Control, Fields
from .texts import measure_title, texts

_READINGS: dict[str, type[LabelDecoding | EntityTypes]] = {"spans": LabelDecoding, "entities": EntityTypes}
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
    def charts(self) -> bool:
        """Whether there are charts below the results."""
        return issubclass(self.kind, ChanceKappaF1)

    @property
    def options(self) -> dict[str, Option]:
        """The options with controls: of the measure, of reading, of all measures, and the confidence level."""
        declared = {name: _on_page(option) for name, option in options_of(self.kind).items() if option.label}
        shared = {name: declared.pop(name) for name in SHARED if name in declared}
        of_reading = options_of(_READINGS[self.input]) if self.input in _READINGS else {}
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

    def chosen(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the module's options that do not have their default values, see `measure`; words are as in Python."""
        read = self.fields.read(values)
        chosen = {name: value for name, value in read.items() if value != self.options[name].default}
        return {"tokens": ..., **chosen} if values.get(_WORDS.name) == "corpus" else chosen

    def measure(self, values: Mapping[str, Any], words: Sequence[Sequence[str]] | None = None) -> Measure:
        """Create the measure with the options of the page.

        Args:
            values: the values of the controls, by name.
            words: the words of each document, for measures that use the information of words.

        Raises:
            InputError: if a value is invalid.
        """
        options = self._read(self.kind, values)
        if values.get(_WORDS.name) == "corpus":
            options["tokens"] = words
        return self.kind(**options)

    def shared(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that all measures have, see `measure`."""
        return self._read(Measure, values)

    def reading(self, values: Mapping[str, Any]) -> LabelDecoding | EntityTypes | None:
        """Return the options for reading tags or markup, or None if the input has no such options; see `measure`."""
        owner = _READINGS.get(self.input)
        return None if owner is None else owner(**self._read(owner, values))

    def resampling(self, values: Mapping[str, Any]) -> Resampling | None:
        """Return the options of intervals; None if no confidence level is set. See `measure`."""
        read = self._read(Resampling, values)
        return Resampling.chosen(read.get("confidence"), read)

    def _read(self, owner: type, values: Mapping[str, Any]) -> dict[str, Any]:
        return self.fields.read(values, options_of(owner))


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
