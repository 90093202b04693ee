"""The pages of the measures: texts, and controls that are derived from the declared options."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..exceptions import require_choice
from ..measures.base import SHARED, Measure
from ..measures.registry import ALL_MEASURES
from ..options import Option, options_of
from ..readers.text.markup import EntityTypes
from ..tags.decoding import LabelDecoding
from .forms import CONFIDENCE, Fields
from .texts import measure_title, texts

READINGS: dict[str, type[LabelDecoding | EntityTypes]] = {"spans": LabelDecoding, "entities": EntityTypes}
"""The classes of reading options, by the kind of input."""


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

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert the values of the controls to values of options; words are as in Python."""
        chosen = super().read(values)
        words = {"tokens": ...} if chosen.pop(_WORDS.name, None) == _FREQUENCIES else {}
        return {**words, **chosen}


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
        options=_options(kind),
        values=own.get("values", {}),
        hints=own.get("hints", {}),
        unset=texts()["unset"],
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
    return {**words, **declared, **reading, **shared, "confidence": CONFIDENCE}


def key_title(measure: Measure, key: str) -> str:
    """Return the title of a key of a measure's scores."""
    return measure.results[key].title if key in measure.results else str(texts()["keys"].get(key, key))


def _on_page(option: Option) -> Option:
    """Limit a numeric option to the bounds of its control."""
    if option.span is None:
        return option
    return replace(option, low=option.span[0], high=option.span[1], exclusive=False)
