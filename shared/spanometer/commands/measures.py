"""The measures that a command computes, and their intervals: options, and the objects that they choose."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ..alignment.overlaps import overlap_each_other
from ..analysis.scores.counting import blocks_of
from ..counts.statistics import Resampling
from ..exceptions import InputError
from ..measures.base import Measure
from ..options import options_of
from ..spans.spans import Spans
from .inputs import Input, Kind
from .options import add_options, destinations, read_options

_DEPENDENT = ("seed", "uniform_threshold", "min_shift")
"""Options that have no effect with some values of others; options with an effect are in a measure's signature."""

_LACKING = {
    "lengths": "the documents' lengths are not known",
    "contiguous": "some spans are discontinuous",
    "disjoint": "spans of one label overlap",
}
"""The reason why a measure is not defined, by its need, see `Measure.needs`."""

_SCORED = {"spans": "spans", "entities": "entity trees", "attributes": "attributes of spans"}
"""The names of the inputs of measures."""

INTERVALS = "intervals"
"""The name of the options of intervals in help and errors."""


def add_measure_options(
    parser: argparse.ArgumentParser,
    available: Mapping[str, type[Measure]],
    *,
    default: str,
    intervals: bool = False,
    leave_out: Collection[str] = (),
) -> None:
    """Add the choice of measures, the options of all measures and the options of single measures.

    Args:
        parser: of the command.
        available: the measures by name.
        default: the measures that are computed if none is named, in words.
        intervals: also add the options of intervals.
        leave_out: names of options that the command has no use for.
    """
    scoring = parser.add_argument_group("measures")
    scoring.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        help=f"measures, with commas between; by default {default}",
    )
    add_options(scoring, {"": Measure})
    if intervals:
        add_interval_options(scoring, available)
    add_options(parser.add_argument_group("measures with options of their own"), available, leave_out=leave_out)


def add_interval_options(group: argparse._ArgumentGroup, available: Mapping[str, type[Measure]]) -> None:
    """Add the options of intervals; the help names measures that have options of the same flags."""
    add_options(group, {INTERVALS: Resampling}, optional=("confidence",))


def take_average_none(options: argparse.Namespace) -> None:
    """Replace `--average none` by `--per-label`."""
    if options.average == "none":
        options.average, options.per_label = None, True


def named_measures(options: argparse.Namespace, default: Iterable[str]) -> list[str]:
    """List the names of the chosen measures, each once."""
    listed = [name.strip() for part in options.measure or default for name in part.split(",")]
    return list(dict.fromkeys(listed))


def chosen_measures(
    options: argparse.Namespace, available: Mapping[str, type[Measure]], default: Iterable[str]
) -> list[Any]:
    """Read the measures with their options.

    Args:
        options: the command line.
        available: all that can be chosen, by name.
        default: the names of the measures that are computed if none is named.

    Raises:
        InputError: for an unknown measure, and for a value that an option cannot have.
    """
    names = named_measures(options, default)
    for name in names:
        if name not in available:
            raise InputError(f"unknown measure {name!r}.", f"The measures are {', '.join(available)}.")
    return [read_options(available[name], options) for name in names]


def read_request(
    options: argparse.Namespace,
    kind: type[Kind],
    available: Mapping[str, type[Measure]],
    default: Iterable[str],
    *others: object,
) -> tuple[Kind, Sequence[Any]]:
    """Read the options of reading and of the measures, see `chosen_measures`; `others` have options too.

    Raises:
        InputError: also for a measure of another kind of input, and for options that nothing reads.
    """
    measures = chosen_measures(options, available, default)
    for measure in measures:
        if measure.input not in (kind.input, *kind.also):
            remedy = "spanometer score takes it." if measure.input == "attributes" else kind.remedy
            what = _SCORED.get(measure.input, "strings")
            raise InputError(f"{measure.name} scores {what}, not {kind.title}.", remedy)
    source = read_options(kind, options)
    require_used(options, source, *measures, *others)
    return source, measures


class SuitingMeasures(tuple[Any, ...]):
    """All measures of a kind of input, where none is named: files that lack what some of them need get the others."""

    def of(self, *sides: Spans) -> tuple[list[Any], list[str]]:
        """List the measures that are defined for the spans, and sentences about the others."""
        lacking = {
            "lengths": all(side.lengths is None for side in sides),
            "contiguous": any(side.fragments is not None for side in sides),
            "disjoint": any(overlap_each_other(side.between(*block)) for side in sides for block in blocks_of([side])),
        }
        left_out: dict[str, list[str]] = {}
        for measure in self:
            if reasons := [_LACKING[need] for need, lacks in lacking.items() if lacks and need in measure.needs]:
                left_out.setdefault(" and ".join(reasons), []).append(measure.name)
        names = set(chain.from_iterable(left_out.values()))
        kept = [measure for measure in self if measure.name not in names]
        return kept, [f"{', '.join(measures)} left out: {reason}." for reason, measures in left_out.items()]


def chosen_resampling(options: argparse.Namespace) -> Resampling | None:
    """Read the options of intervals; None without a level."""
    resampling = read_options(Resampling, options)
    return None if options.confidence is None else resampling


def require_used(options: argparse.Namespace, *used: object) -> None:
    """Raise an `InputError` for an option that no measure and no reader has.

    Args:
        options: the command line.
        used: the measures, the options of intervals if there are any, and the kind of input.
    """
    taken = destinations(*map(type, filter(None, used)))
    unused = [
        (place, name, owner)
        for name, owners in options.owners.items()
        for place, kind in enumerate((Measure, Resampling, Input))
        for owner in owners
        if issubclass(owner, kind) and name not in taken and getattr(options, name, None) is not None
    ]
    if not unused:
        _require_effect(options, [each for each in used if each is not None])
        return
    _, name, owner = min(unused, key=lambda each: each[:2])
    flag, read = options.flags[name], next(each for each in used if isinstance(each, Input))
    remedy = "Leave it out."
    if owner is Measure:
        problem = f"{flag} is an option of other measures."
    elif issubclass(owner, Measure):
        problem = f"{flag} is an option of {owner.name}, which is not computed."
        remedy = f"Add {owner.name} to --measure." if owner.input == read.input else remedy
    elif issubclass(owner, Resampling):
        problem, remedy = "there are no intervals without a level.", "Add --confidence 0.95."
    else:
        first, *others = (each.title for each in options.owners[name] if issubclass(each, Input))
        only = f"for {first}, not" if not others and first != read.title else "not"
        problem = f"{flag} is {only} for {read.title}."
    raise InputError(problem, remedy)


def _require_effect(options: argparse.Namespace, used: Sequence[object]) -> None:
    for name in _DEPENDENT:
        owners = [each for each in used if name in options_of(type(each))]
        without = owners and all(isinstance(each, Measure) and name not in each.options() for each in owners)
        if getattr(options, name, None) is not None and without:
            remedy = "Leave it out, or add --confidence 0.95." if name == "seed" else "Leave it out."
            raise InputError(f"{options.flags[name]} changes nothing beside the other options.", remedy)
