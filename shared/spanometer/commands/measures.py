"""The measures that a command computes, and their intervals: options, and the objects created from them."""

import argparse
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..analysis.scores.measure_result import SuitingMeasures
from ..counts.statistics import Resampling
from ..exceptions import InputError
from ..measures.aligned import FMeasure
from ..measures.base import Measure
from ..measures.notation import read_reading, reading_of, signatures_in
from ..measures.registry import NAMED_MEASURES, is_everything, listed_measures, names_of, read_measures
from ..options import Option, options_of
from ..protocols.protocol import Protocol, names
from ..readers.option_files import read_word_probabilities
from .input_files import CONTENTS, INPUTS, read_with
from .options import add_options, offer, read_options, read_values, refuse_others

_REMEDIES = {
    "attributes": "Use only --measures span_attribute.",
    "entities": "Use --measures eter. To score one column of a HIPE file as tags, add --column NAME "
    "--documents document_id --outside _",
    "strings": "With this --grounding policy, answers are strings, not spans. Leave out --measures, or choose a "
    "policy for spans, such as --grounding strict.",
}
"""The remedies if a measure needs another kind of content."""


def add_measure_options(
    parser: argparse.ArgumentParser, available: Mapping[str, type[Measure]], *, default: str, protocols: bool = False
) -> None:
    """Add the option for measures, and the options that most measures have.

    Args:
        parser: the parser of the command.
        available: the measures by name.
        default: the measures that are computed if none is named, in words.
        protocols: whether to add the option for an official scorer.
    """
    scoring = parser.add_argument_group("measures")
    listed = f'measures, such as "span_f,token_f(format=BIO)" (default: {default})'
    action = scoring.add_argument("--measures", metavar="NAMES", action="append", help=listed)
    offer(action, [available] * len(available))
    if protocols:
        offer(scoring.add_argument("--protocol", metavar="NAME", help="score like the official scorer NAME"), [names()])
    add_options(parser, "measures", FMeasure)
    # errors write an option that only one measure has together with this measure, as --measures does
    own: dict[str, str] = {}
    for measure in available.values():
        own |= {name: name if name in own else f"{measure.name}({name}" for name in options_of(measure)}
    parser.set_defaults(flags={**own, "measure": "--measures", **parser.get_default("flags")})


class MeasureRequest:
    """The measures that a command line names, with their intervals, and the official scorer if it names one.

    Signatures among the measures, or a protocol, set reading options; options on the command line override them. The
    measures of a protocol come after the named measures. In commands that have `--per-label`, it replaces
    `--average none`.

    Attributes:
        options: the command line.
        protocol: the official scorer; None if none is named.

    Raises:
        InputError: if two signatures have different reading options, or if one differs from the protocol.
    """

    protocol: Protocol | None = None

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        if getattr(options, "average", None) == "none" and hasattr(options, "per_label"):
            options.average, options.per_label = None, True
        self._signatures = signatures_in(item for _, item in listed_measures(options.measures or []))
        reading = reading_of(self._signatures, NAMED_MEASURES)
        name = getattr(options, "protocol", None)
        if name is not None or "protocol" in reading:
            self.protocol = protocol = Protocol.named(reading["protocol"] if name is None else name)
            given = [option for option in protocol.instead if getattr(options, option, None) is not None]
            reading = reading_of([protocol.signature(given), *self._signatures], NAMED_MEASURES)
            if name is not None:
                options.measures = [*(options.measures or []), *protocol.measures.values()]
            if getattr(options, "column", None) is not None:
                # official keys may name the column
                self.protocol = replace(protocol, reading={**protocol.reading, "column": options.column})
            # files of a task may lack some of its labels
            warnings.filterwarnings("ignore", "((reference_)?label_map|labels|ignore_labels): ")
            if getattr(options, "systems", None) and "," in reading.get("column", ""):
                # a protocol names the columns of a single file
                reading.pop("column")
        # columns of Parquet files have the name of a number of annotators
        declared = {each.name: (name, each) for name, each in options.declared.items() if each.name != "references"}
        given = [name for name, (key, _) in declared.items() if getattr(options, key, None) is not None]
        values = read_reading(reading, {name: each for name, (_, each) in declared.items()}, given)
        # a signature has the seed of its measure beside the seed of draws
        self._has_seed = options.__dict__.get("seed") is not None
        options.official = dict.fromkeys((declared[name][0] for name in values), self.protocol)
        for name, value in values.items():
            setattr(options, declared[name][0], value if isinstance(value, bool) else reading[name])

    def measures(self, available: Mapping[str, type[Measure]], default: Iterable[str]) -> list[Any]:
        """Return the measures with their options.

        Args:
            available: all measures that can be named, by name.
            default: the names of the measures that are computed if none is named.

        Raises:
            InputError: if a measure is unknown, or if an option has an invalid value.
        """
        files = {"token_probabilities": partial(read_with, read_word_probabilities)}
        named = self.options.measures or default
        return list(read_measures(named, available, self.shared_options, files, signed=True).values())

    def measures_of(
        self, content: str, available: Mapping[str, type[Measure]], default: Iterable[str] | None, *others: object
    ) -> Sequence[Any]:
        """Return the measures for files with this kind of content, see `measures`.

        `others` are further owners of options.

        Raises:
            InputError: if a measure needs another kind of content, or if no measure has an option; see also `measures`.
        """
        kind = INPUTS.get(content, "spans")
        everything = is_everything(self.options.measures)
        if everything:
            self.options.measures = names_of(self.options.measures, kind)
        measures: Sequence[Any] = self.measures(available, names_of(None, kind) if default is None else default)
        for measure in measures:
            if measure.input != INPUTS.get(content, measure.input):
                remedy = _REMEDIES.get(content, "Use measures of spans.")
                raise InputError(f"`{measure.name}` cannot score {CONTENTS[content]}.", remedy)
        self.require_used(*measures, *others)
        return SuitingMeasures(measures) if everything else measures

    @property
    def shared_options(self) -> dict[str, Any]:
        """The options that apply to all measures which have them; their seed is also the seed of resampling."""
        declared = {**options_of(FMeasure), **({"seed": options_of(Resampling)["seed"]} if self._has_seed else {})}
        return read_values(declared, self.options)

    @property
    def resampling(self) -> Resampling | None:
        """The options of intervals; None if no confidence level is set."""
        resampling = read_options(Resampling, self.options)
        return None if self.options.confidence is None else resampling

    def require_used(self, *used: object) -> None:
        """Raise an `InputError` for an option that neither the measures nor the intervals have."""
        of_measures = {*options_of(FMeasure), "seed"}
        taken: list[Option] = []
        for each in filter(None, used):
            names = of_measures & each.options().keys() if isinstance(each, Measure) else options_of(each)
            taken += [options_of(each)[name] for name in names]
        refuse_others(self.options, Measure, taken, "these measures")
        remedy = "Add --confidence 0.95 to compute intervals."
        refuse_others(self.options, Resampling, taken, "scores without intervals", remedy)

    def require_signatures(self, results: Iterable[str]) -> None:
        """Raise an `InputError` unless the results have the signatures that the command line names."""
        for signature, result in zip(self._signatures, results, strict=False):
            if signature is not None:
                signature.require(result)

    def under_protocol(self, results: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
        """If there is a protocol, add it to the signatures of the results that belong to it.

        Returns:
            The results, and a line for the top that says whether they are official; empty without a protocol.

        Raises:
            InputError: unless the results have the signatures that the command line names.
        """
        line = {}
        if self.protocol is not None:
            state = self.protocol.official([result.signature for result in results.values()])
            line = {"protocol": state.text}
            if not state.changes:
                signed = self.protocol.signed
                results = {name: replace(each, signature=signed(each.signature)) for name, each in results.items()}
        self.require_signatures([result.signature for result in results.values()])
        return dict(results), line
