"""The measures by name: the modules of this folder, and measures registered at run time.

A module has the name of its measure; the class has the same name in CamelCase.
"""

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, TypeVar, cast

import pyarrow as pa

from ..arrays import listed
from ..counts.counts import Counts
from ..counts.stored import UNFIT, plain_options, read_description, read_stream
from ..exceptions import InputError, mention, require_kind
from ..options import options_of
from .aligned import AlignedMeasure
from .base import Measure
from .notation import ReadFile, items_in, named_apart, read_item, reading_of, signatures_in

Kind = TypeVar("Kind", bound=Measure)

_registered: dict[str, type[Measure]] = {}


class MeasureTable(Mapping[str, type[Kind]]):
    """A mapping from names to the measures of some kinds of input, including measures registered later.

    Args:
        *inputs: the kinds of input, see `Measure.input`.
    """

    def __init__(self, *inputs: str) -> None:
        self.inputs = inputs

    def _by_name(self) -> dict[str, Any]:
        return {name: measure for name, measure in _all_measures().items() if measure.input in self.inputs}

    def __getitem__(self, name: str) -> type[Kind]:
        """Return the class of the measure with this name."""
        return cast(type[Kind], self._by_name()[name])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order of `Measure.place`."""
        return iter(self._by_name())

    def __len__(self) -> int:
        """Count the measures."""
        return len(self._by_name())


MEASURES: MeasureTable[AlignedMeasure] = MeasureTable("spans")
"""The measures of spans."""

TREE_MEASURES: MeasureTable[Measure] = MeasureTable("entities")
"""The measures of entity trees."""

ALL_MEASURES: MeasureTable[Measure] = MeasureTable("spans", "entities", "attributes")
"""All measures of spans, entity trees and attributes."""

PAGE_MEASURES: MeasureTable[Measure] = MeasureTable("spans", "entities", "attributes", "tags", "mentions")
"""The measures that have a page."""

NAMED_MEASURES: MeasureTable[Measure] = MeasureTable("spans", "entities", "attributes", "mentions")
"""The measures that command lines and protocols can name."""


def names_of(measures: Any, input: str) -> Any:
    """Replace None by the default measures for an input, and "all" by all measures that are not slow."""
    if measures is not None and not is_everything(measures):
        return measures
    trait = "quick" if measures else "leading"
    return [name for name, kind in _all_measures().items() if kind.input == input and getattr(kind, trait)]


def is_everything(measures: Any) -> bool:
    """Check whether `measures` is "all"."""
    return measures == "all" if isinstance(measures, str) else isinstance(measures, list) and measures == ["all"]


def _all_measures() -> dict[str, type[Measure]]:
    """Return the measures of all kinds of input by name."""
    return {**_own_measures(), **_installed_measures(), **_registered}


@cache
def _installed_measures() -> dict[str, type[Measure]]:
    """Load the measures of other packages, from entry points in the group `spanometer.measures`.

    Skip an entry point with a warning if it is not a measure or if its name is taken.
    """
    measures: dict[str, type[Measure]] = {}
    for entry in entry_points(group="spanometer.measures"):
        try:
            measure = entry.load()
            if measure.name in {**_own_measures(), **measures} or not issubclass(measure, Measure):
                raise TypeError("its name is taken, or it is not a measure")
        except Exception as error:  # other packages may raise anything
            warnings.warn(f"the measure {entry.value} cannot be loaded ({error}).", stacklevel=2)
        else:
            measures[measure.name] = measure
    return measures


@cache
def _own_measures() -> dict[str, type[Measure]]:
    """Import the measures in the modules of this folder."""
    # in a Space modules are beside other files; those of this folder have a common prefix
    room = __name__.removesuffix("registry")
    names = [module.name for module in iter_modules([os.path.dirname(__file__)], f"{__package__}.")]
    modules = {name.removeprefix(room): import_module(name) for name in names if name.startswith(room)}
    # span_f.SpanF
    classes = (getattr(module, name.title().replace("_", ""), None) for name, module in modules.items())
    measures = [kind for kind in classes if isinstance(kind, type) and issubclass(kind, Measure)]
    return {measure.name: measure for measure in sorted(measures, key=lambda measure: (measure.place, measure.name))}


def register(measure: type[Kind]) -> type[Kind]:
    """Register your own measure under its name. It can be used as a class decorator.

    Raises:
        InputError: if another measure has this name.
    """
    if ALL_MEASURES.get(measure.name, measure) is not measure:
        raise InputError(f"a measure {measure.name!r} already exists.", "Choose another name.")
    _registered[measure.name] = measure
    return measure


def unregister(name: str) -> None:
    """Remove a registered measure."""
    del _registered[name]


def read_measures(
    measures: Any,
    table: Mapping[str, type[Kind]],
    options: Mapping[str, Any] = MappingProxyType({}),
    files: Mapping[str, ReadFile] = MappingProxyType({}),
    *,
    signed: bool = False,
) -> dict[str, Kind]:
    """Read measures and name their results.

    Args:
        measures: text such as `"span_f,token_f(format=BIO)"`, a measure object, a list of both, or a mapping from
            names of results to measures.
        table: the measures that can be named. Measure objects must have the same kinds of input.
        options: options for measures given as text. A measure takes those that it has and that its text does not set.
        files: functions that read the value of an option from a file, as in `token_probabilities=@words.tsv`.
        signed: whether the caller reads the input as the signatures say, see `notation.reading_of`.

    Returns:
        The measures by the names of their results.

    Raises:
        InputError: if a measure is unknown, if there are no measures, if a value is invalid, or if two results have the
            same name.
    """
    entries = listed_measures(measures)
    if not signed and reading_of(signatures_in(item for _, item in entries), _all_measures()):
        raise InputError(
            "the signature of this measure contains options for reading the input. Only spanometer.score accepts them.",
            "Give only the measure's options, as in span_f(average=macro). Pass the other options as arguments.",
        )
    chosen = [_read_measure(measure, table, options, files) for _, measure in entries]
    own = named_apart([measure for (name, _), measure in zip(entries, chosen, strict=True) if name is None])
    names = [own.pop(0) if name is None else name for name, _ in entries]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"{mention('measures')} contains {name} twice.",
                f"Remove one {name}, or name the results, as in measures={{'one': SpanF(), 'other': SpanF()}}.",
            )
    if not chosen:
        raise InputError("`measures` is empty.", f"The measures are {', '.join(table)}.")
    return dict(zip(names, chosen, strict=True))


def options_by_name(measures: Any, table: Mapping[str, type[Kind]]) -> dict[str, list[str]]:
    """List the names of all options of each measure given as text, see `read_measures`."""
    texts = (measure for _, measure in listed_measures(measures) if isinstance(measure, str))
    names = (re.split("[(|]", text)[0].strip() for text in texts)
    return {name: list(options_of(table[name])) for name in names if name in table}


def listed_measures(measures: Any) -> list[tuple[str | None, Any]]:
    """List the measures. Each comes with the name of its result, or with None if that is the measure's name."""
    remedy = "Pass a measure, its name, or a list or mapping of measures."
    if isinstance(measures, Mapping):
        return listed(((name, measures[name]) for name in measures), remedy)
    several = isinstance(measures, Iterable) and not isinstance(measures, (str, Measure))
    entries = listed(measures, remedy) if several else [measures]
    names = _all_measures()
    split = (items_in(entry, names) if isinstance(entry, str) else [entry] for entry in entries)
    return [(None, item) for items in split for item in items]


def _read_measure(
    measure: Any, table: Mapping[str, type[Kind]], options: Mapping[str, Any], files: Mapping[str, ReadFile]
) -> Kind:
    if isinstance(measure, Measure) and measure.input in {kind.input for kind in table.values()}:
        return cast(Kind, measure)
    if isinstance(measure, str) and measure in _all_measures() and measure not in {**table, **ALL_MEASURES}:
        problem = f"`{measure}` cannot be used in `measures`, because it scores {_all_measures()[measure].input}."
        raise InputError(problem, f"Load its module: spanometer.load({measure!r}).")
    return read_item(measure, table, options, files)


def read_counts(counts: pa.Table | bytes, *, measure: Measure | None = None) -> Counts:
    """Read counts that were stored with `counts.to_arrow()` or `counts.to_bytes()`, and their measure.

    Args:
        counts: the table or the bytes.
        measure: the measure of these counts; None creates it from the stored options.

    Raises:
        InputError: if these are not counts, if they are counts of another measure, or if the stored options are
            incomplete (word probabilities and the attributes of `SpanAttribute` are not stored).
    """
    table = read_stream(counts) if isinstance(counts, (bytes, bytearray, memoryview)) else counts
    require_kind(table, pa.Table, "a table of counts", "Pass an Arrow table or bytes.")
    if measure is not None:
        require_kind(measure, Measure, "a measure object", "Pass an object such as SpanF(), or leave out measure=...")
    own_measure = _stored_measure(table) if measure is None else measure
    return own_measure.counts_type.from_arrow(table, own_measure)


def _stored_measure(table: pa.Table) -> Measure:
    """Create the measure from the table's metadata."""
    described = read_description(table)
    name, options = described.get("measure"), described.get("options")
    measures = _all_measures()
    if not isinstance(name, str) or name not in measures or not isinstance(options, dict):
        raise InputError("the table has counts, but not the name of the measure.", "Pass measure=...")
    kind = measures[name]
    numbers = {option for option, declared in options_of(kind).items() if declared.kind is float}
    with suppress(*UNFIT):
        measure = kind.from_options(
            {option: float(value) if option in numbers else value for option, value in options.items()}
        )
        if plain_options(measure.options()) == options:
            return measure
    raise InputError(f"the measure {name!r} needs options that are not in the table.", "Pass measure=...")
