"""Measures as functions take them: names, measures with options, or a mapping that names the results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from ..errors import InputError
from .base import Measure

Kind = TypeVar("Kind", bound=Measure)


def named_measures(measures: Any, known: Mapping[str, type[Kind]], kind: Any) -> dict[str, Kind]:
    """The measures by the names of their results.

    Args:
        measures: a name, a measure, several of both, or a mapping of the results' names to names and measures.
        known: the measures that can be named.
        kind: the class that every measure must have.

    Raises:
        InputError: for what is not a measure of the kind, and where two results would have one name.
    """
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        measures = (measures,)
    if isinstance(measures, Mapping):
        named = {name: _read(measure, known, kind) for name, measure in measures.items()}
    else:
        named = {}
        for given in measures:
            measure = _read(given, known, kind)
            if measure.name in named:
                raise InputError(
                    f"{measure.name} is asked for twice.",
                    "Name the results, measures={'span_f': SpanF(), 'span_f_macro': SpanF(average='macro')}.",
                )
            named[measure.name] = measure
    if not named:
        raise InputError("no measures are asked for.", _choice(known))
    return named


def _read(measure: Any, known: Mapping[str, type[Kind]], kind: Any) -> Kind:
    if isinstance(measure, kind):
        return measure
    if not isinstance(measure, str) or measure not in known:
        raise InputError(f"{measure!r} is not a measure.", _choice(known))
    return known[measure]()


def _choice(known: Mapping[str, type[Kind]]) -> str:
    return f"The measures are {', '.join(known)}; with options of their own, as in SpanF(average='macro')."
