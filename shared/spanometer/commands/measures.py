"""The measures that a command computes, and their intervals: options, and the objects that they choose."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ..analysis.scores.official import OfficialScores
from ..counts.statistics import Resampling
from ..exceptions import InputError, mention, setting
from ..grounding.policies import StringPolicy
from ..measures.aligned import FMeasure
from ..measures.base import Measure
from ..measures.notation import read_reading, reading_of, signatures_in
from ..measures.registry import is_everything, listed_measures, names_of, options_by_name, read_measures
from ..options import options_of
from ..protocols.protocol import Protocol
from ..readers.lists import read_word_probabilities
from .help import known_measures
from .input_files import CONTENTS, INPUTS, InputFiles
from .inputs import read_with
from .options import add_options, destination, destinations, read_options, refuse

_SCORED = {"spans": "spans", "entities": "entity trees", "attributes": "attributes of spans"}
"""The names of the inputs of measures."""

_REMEDIES = {
    "attributes": "Use only --measures span_attribute.",
    "entities": "Use --measures eter, or score one of HIPE's columns as tags: --column, with --documents document_id "
    "--outside _.",
    "spans": "Use measures of spans.",
    "tags": "Use measures of spans.",
    "strings": "A policy for strings finds no spans. Leave out --measures, or choose a policy for spans, such as "
    "--grounding strict.",
}
"""The remedies for a measure that needs another content."""

COMPARED = tuple(StringPolicy().compared)
"""Options of `mention_f` that are part of a policy for strings."""

_INTERVALS = "Add --confidence 0.95, or leave it out."
"""The remedy for options of intervals without a level."""

EXAMPLE = '"span_f,token_f(format=BIO)"'
"""Measures with options."""


def add_measure_options(
    parser: argparse.ArgumentParser,
    available: Mapping[str, type[Measure]],
    *,
    default: str,
    intervals: bool = False,
    protocols: bool = False,
) -> None:
    """Add the choice of measures, and the options that most measures share.

    Args:
        parser: of the command.
        available: the measures by name.
        default: the measures that are computed if none is named, in words.
        intervals: also add the options of intervals.
        protocols: also add the choice of an official scorer.
    """
    scoring = parser.add_argument_group("measures")
    scoring.add_argument(
        "--measures",
        metavar="NAMES",
        action="append",
        help=f"measures, such as {EXAMPLE}; by default {default}",
    )
    if protocols:
        scoring.add_argument(
            "--protocol",
            metavar="NAME",
            help="scores of an official scorer; see help protocols",
        )
    add_options(scoring, FMeasure)
    if intervals:
        add_options(scoring, Resampling, optional=("confidence",))
    # errors call the options of single measures as --measures does
    own = {name: name for measure in available.values() for name in options_of(measure)}
    parser.set_defaults(flags={**own, "measure": "--measures", **parser.get_default("flags")})


def take_signatures(options: argparse.Namespace) -> None:
    """Set the options of reading that signatures among the measures, or a protocol, name; `--average none` too.

    `--average none` is replaced by `--per-label` in commands that have it.

    Options on the command line take precedence. The measures of a protocol follow the named measures.

    Raises:
        InputError: if two signatures differ in one, or one differs from the protocol.
    """
    if getattr(options, "average", None) == "none" and hasattr(options, "per_label"):
        options.average, options.per_label = None, True
    options.signatures = signatures_in(item for _, item in listed_measures(options.measures or []))
    reading = reading_of(options.signatures, known_measures())
    name = getattr(options, "protocol", None)
    options.official = None
    if name is not None or "protocol" in reading:
        options.official = protocol = Protocol.named(reading["protocol"] if name is None else name)
        given = [option for option in protocol.instead if getattr(options, option, None) is not None]
        reading = reading_of([protocol.signature(given), *options.signatures], known_measures())
        options.measures = (
            options.measures if name is None else [*(options.measures or []), *protocol.measures.values()]
        )
        if getattr(options, "column", None) is not None:
            # official keys may name the column
            options.official = replace(protocol, reading={**protocol.reading, "column": options.column})
        # files of a task may lack some of its labels
        warnings.filterwarnings("ignore", "(label_map|labels|ignore_labels): ")
        if getattr(options, "systems", None) and "," in reading.get("column", ""):
            # a protocol names the columns of a single file
            reading.pop("column")
    # columns of Parquet files have the name of a number of annotators
    declared = {each.name: (name, each) for name, each in options.declared.items() if each.name != "references"}
    given = [name for name, (key, _) in declared.items() if getattr(options, key, None) is not None]
    values = read_reading(reading, {name: each for name, (_, each) in declared.items()}, given)
    # a signature has the seed of its measure beside the seed of draws
    options.own_seed = options.__dict__.get("seed") is not None
    options.own_reading = [] if options.official is None else [declared[name][0] for name in values]
    for name, value in values.items():
        setattr(options, declared[name][0], value if isinstance(value, bool) else reading[name])


def under_protocol(options: argparse.Namespace, results: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Add the protocol to the signatures of results, if there is one and they are its own.

    Returns:
        The results, and a line for the heading that says whether they are official; none without a protocol.
    """
    protocol: Protocol | None = options.official
    if protocol is None:
        return dict(results), {}
    state = OfficialScores.of(protocol, [result.signature for result in results.values()])
    if not state.changes:
        results = {name: replace(each, signature=protocol.signed(each.signature)) for name, each in results.items()}
    return dict(results), {"protocol": state.text}


def require_signatures(options: argparse.Namespace, results: Iterable[str]) -> None:
    """Raise an `InputError` unless the results have the signatures that the command line names."""
    for signature, result in zip(options.signatures, results, strict=False):
        if signature is not None:
            signature.require(result)


def named_measures(options: argparse.Namespace, available: Mapping[str, type[Measure]]) -> list[str]:
    """List the names of the measures that the command line names."""
    return list(options_by_name(options.measures or [], available))


def shared_options(options: argparse.Namespace) -> dict[str, Any]:
    """Read the options of all measures that have them; their seed is the seed of draws."""
    declared = {**options_of(FMeasure), **({"seed": options_of(Resampling)["seed"]} if options.own_seed else {})}
    texts = {name: getattr(options, destination(each), None) for name, each in declared.items()}
    return {
        name: text if isinstance(text, bool) else declared[name].read(text)
        for name, text in texts.items()
        if text is not None
    }


def default_measures(content: str) -> list[str]:
    """List the names of the measures for files of a content."""
    return list(names_of(None, INPUTS[content]))


def chosen_content(
    options: argparse.Namespace, source: InputFiles, paths: Sequence[str], contents: Sequence[str] = tuple(CONTENTS)
) -> str:
    """Choose the content of files by the named measures, the options of reading, and the files themselves.

    Raises:
        InputError: for options of reading that have no effect.
    """
    known = known_measures()
    inputs = {known[name].input for name in named_measures(options, known)}
    return source.content_of(options, paths, contents, inputs)


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
    files = {"token_probabilities": partial(read_with, read_word_probabilities)}
    return list(
        read_measures(options.measures or default, available, shared_options(options), files, signed=True).values()
    )


def read_request(
    options: argparse.Namespace,
    content: str,
    available: Mapping[str, type[Measure]],
    default: Iterable[str],
    *others: object,
) -> Sequence[Any]:
    """Read the measures of files of a content, see `chosen_measures`; `others` have options too.

    Raises:
        InputError: also for a measure of another content, and for options that no measure has.
    """
    if is_everything(options.measures):
        options.measures = names_of(options.measures, INPUTS.get(content, "spans"))
    measures = chosen_measures(options, available, default)
    for measure in measures:
        if measure.input != INPUTS.get(content, measure.input):
            what = _SCORED.get(measure.input, "strings")
            raise InputError(f"{measure.name} scores {what}, not {CONTENTS[content]}.", _REMEDIES[content])
    require_used(options, *measures, *others)
    return measures


def require_policy(measures: Iterable[Any], policy: StringPolicy) -> None:
    """Raise an `InputError` if a measure compares strings otherwise than their policy."""
    for measure in measures:
        own = {name: getattr(measure, name) for name in COMPARED}
        if own not in (policy.compared, StringPolicy().compared):
            options = " and ".join(mention(name) for name in own)
            raise InputError(
                f"{setting('grounding', str(policy))} and {measure.name} compare strings in different ways.",
                f"The policy says how strings are compared: leave out {options}.",
            )


def need_words(measures: Iterable[Any]) -> bool:
    """Check whether measures look at the words of the reference."""
    return any(measure.needs_tokens for measure in measures)


def chosen_resampling(options: argparse.Namespace) -> Resampling | None:
    """Read the options of intervals; None without a level."""
    resampling = read_options(Resampling, options)
    return None if options.confidence is None else resampling


def require_used(options: argparse.Namespace, *used: object) -> None:
    """Raise an `InputError` for an option that nothing has.

    Args:
        options: the command line.
        used: the measures, and the options of intervals if there are any.
    """
    measures = [each for each in used if isinstance(each, Measure)]
    taken = destinations(*(type(each) for each in used if each is not None and not isinstance(each, Measure)))
    taken |= {name for measure in measures for name in measure.options() if name in (*options_of(FMeasure), "seed")}
    remedies = {Measure: ("these measures", "Leave it out."), Resampling: ("scores without intervals", _INTERVALS)}
    for kind, (what, remedy) in remedies.items():
        owned = [name for name, owners in options.owners.items() if any(issubclass(owner, kind) for owner in owners)]
        refuse(options, [name for name in owned if name not in taken], what, remedy)
