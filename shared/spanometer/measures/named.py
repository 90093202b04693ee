"""Measures as users name them: by name, or as objects with options of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ..errors import InputError
from .base import Measure

Kind = TypeVar("Kind", bound=Measure)


def read_measures(measures: Any, kind: type[Any], known: Mapping[str, type[Kind]]) -> dict[str, Kind]:
    """The measures by the names of their results.

    Args:
        measures: the name of a measure, or a measure with options of its own, or several of both; or a mapping that
            names the results itself, for one measure with different options.
        kind: what they are to be measures of: their class.
        known: those that can be asked for by name.

    Raises:
        InputError: for what is no such measure, for none at all, and where two results would have one name.
    """
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        measures = (measures,)
    if isinstance(measures, Mapping):
        named = {name: _read_measure(measure, kind, known) for name, measure in measures.items()}
    else:
        named = {}
        for measure in (_read_measure(measure, kind, known) for measure in measures):
            if measure.name in named:
                raise InputError(
                    f"{measure.name} is asked for twice.",
                    "Name the results, measures={'span_f': SpanF(), 'span_f_macro': SpanF(average='macro')}.",
                )
            named[measure.name] = measure
    if not named:
        raise InputError("no measures are asked for.", _known_measures(known))
    return named


def _read_measure(measure: Any, kind: type[Any], known: Mapping[str, type[Kind]]) -> Kind:
    if isinstance(measure, kind):
        return measure
    if not isinstance(measure, str) or measure not in known:
        raise InputError(f"{measure!r} is not a measure.", _known_measures(known))
    return known[measure]()


def _known_measures(known: Mapping[str, type[Measure]]) -> str:
    names, example = ", ".join(known), next(iter(known.values())).__name__
    return f"The measures are {names}; with options of their own, as in {example}(average='macro')."
