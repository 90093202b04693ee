"""What commands share that score: options that choose measures, and the measures that they choose."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ..errors import InputError

if TYPE_CHECKING:
    from ..counts.resampling import Resampling
    from ..measures.base import Measure

_OWN_OPTIONS = {
    "token_format": ("token_f", "format"),
    "cap": ("intersection_f", "cap"),
    "prior": ("sl_icm", "prior"),
    "log_base": ("sl_icm", "log_base"),
    "matching": ("sl_icm", "matching"),
    "token_probability": ("sl_icm", "token_probabilities"),
    "corpus_probabilities": ("sl_icm", "tokens"),
    "level": ("chance_kappa_f1", "level"),
    "placement": ("chance_kappa_f1", "placement"),
    "method": ("chance_kappa_f1", "method"),
    "simulations": ("chance_kappa_f1", "n_simulations"),
    "seed": ("chance_kappa_f1", "seed"),
    "variant": ("unitizing_alpha", "variant"),
    "alpha": ("eter", "alpha"),
    "type_cost": ("eter", "type_cost"),
    "subtype_cost": ("eter", "subtype_cost"),
    "span_cost": ("eter", "span_cost"),
    "attribute": ("span_attribute", "attributes"),
    "default": ("span_attribute", "default_values"),
    "include_falsy": ("span_attribute", "include_falsy"),
    "average_precision": ("span_attribute", "average_precision"),
    "on_mismatch": ("span_attribute", "on_mismatch"),
    "micro_key": ("span_attribute", "micro_key"),
}
"""The options that belong to one measure: the measure, and what it calls them."""


def add_measure_options(group: argparse._ArgumentGroup, *, default: str) -> None:
    """Declare the options of all measures, and the choice among them."""
    group.add_argument(
        "--measure",
        metavar="NAME",
        action="append",
        help="span_f, token_f, link_f, bcubed, intersection_f, sl_icm, chance_kappa_f1 or unitizing_alpha; several "
        f"with commas, or by repeating the option; {default} by default",
    )
    add_average_options(group)


def add_average_options(group: argparse._ArgumentGroup) -> None:
    """Declare the options of all measures."""
    group.add_argument(
        "--average", metavar="AVERAGE", default="micro", help="over labels: micro (default), macro or weighted"
    )
    group.add_argument(
        "--zero-division",
        metavar="VALUE",
        type=float,
        default=0.0,
        help="value of a ratio with the denominator 0: 0 (default), 1 or nan",
    )


def add_own_options(group: argparse._ArgumentGroup, *, words: bool = True, simulations: bool = True) -> None:
    """Declare the options of single measures; without `words` those that can do without a text."""
    group.add_argument(
        "--token-format", metavar="FORMAT", help="token_f: IO (default), BIO, BIOE, BIOES or IO* (quote the star)"
    )
    group.add_argument(
        "--cap", action="store_true", default=None, help="intersection_f: a span counts as covered once at the most"
    )
    group.add_argument("--prior", metavar="PRIOR", help="sl_icm: label frequencies in spans (default) or tokens")
    group.add_argument("--log-base", metavar="BASE", type=float, help="sl_icm: base of the logarithms, by default 2")
    group.add_argument("--matching", metavar="MATCHING", help="sl_icm: mutual (default) or optimal")
    probabilities = group.add_mutually_exclusive_group()
    if words:
        probabilities.add_argument(
            "--corpus-probabilities",
            action="store_true",
            default=None,
            help="sl_icm: word probabilities from the words of the reference file",
        )
    probabilities.add_argument(
        "--token-probability", metavar="P", type=float, help="sl_icm: one probability for every word"
    )
    group.add_argument("--level", metavar="LEVEL", help="chance_kappa_f1: token (default) or span")
    group.add_argument(
        "--placement", metavar="PLACEMENT", help="chance_kappa_f1: disjoint (default), independent or layers"
    )
    group.add_argument("--method", metavar="METHOD", help="chance_kappa_f1: exact (default), uniform or auto")
    if simulations:
        group.add_argument(
            "--simulations",
            metavar="N",
            type=int,
            help="chance_kappa_f1: random pairs of annotations to draw, for a deviation and a p-value; none by default",
        )
        group.add_argument(
            "--seed",
            metavar="N",
            type=int,
            help="of the simulations of chance_kappa_f1, and of the draws of intervals; by default 0",
        )
    group.add_argument("--variant", metavar="VARIANT", help="unitizing_alpha: 1995 or 2016 (default)")


def add_tree_options(group: argparse._ArgumentGroup, said_of: str = "") -> None:
    """Declare the weight and the costs of ETER; without a value the measure has its own."""
    for name, metavar, text in (
        ("alpha", "ALPHA", "weight of the components, from 0 to 1; by default 0.5"),
        ("type-cost", "COST", "what another type costs, by default 0.5"),
        ("subtype-cost", "COST", "what another subtype of the same type costs, by default 0.25"),
        ("span-cost", "COST", "what other bounds cost, by default 0.25"),
    ):
        group.add_argument(f"--{name}", metavar=metavar, type=float, help=f"{said_of}{text}")


def add_interval_options(group: argparse._ArgumentGroup, *, seed: bool = True) -> None:
    """Declare the options of confidence intervals; `seed` unless another group declares it."""
    group.add_argument(
        "--confidence",
        metavar="LEVEL",
        type=float,
        help="also intervals of this level, such as 0.95, by resampling documents",
    )
    group.add_argument("--interval-method", metavar="METHOD", help="bca (default) or percentile")
    group.add_argument("--resamples", metavar="N", type=int, help="how many corpora are drawn, by default 1000")
    if seed:
        group.add_argument("--seed", metavar="N", type=int, help="of the draws, by default 0")


def chosen_resampling(options: argparse.Namespace) -> Resampling | None:
    """How intervals are made; None where none are asked for."""
    from ..counts.resampling import Resampling

    values = {
        "confidence": options.confidence,
        "interval_method": options.interval_method,
        "n_resamples": options.resamples,
        "seed": options.seed,
    }
    given = {name: value for name, value in values.items() if value is not None}
    resampling = Resampling(**given)
    if options.confidence is not None:
        return resampling
    if "interval_method" in given or "n_resamples" in given:
        raise InputError("there are no intervals without a level.", "Add --confidence 0.95.")
    return None


def chosen_measures(
    options: argparse.Namespace, default: Iterable[str], known: Mapping[str, type[Measure]]
) -> list[Any]:
    """The measures with their options, but for the words.

    Args:
        options: the command line.
        default: the names of those that are chosen where none is asked for.
        known: all that can be asked for, by name.
    """
    listed = [name.strip() for part in options.measure or default for name in part.split(",")]
    names = list(dict.fromkeys(listed))
    for name in names:
        if name not in known:
            raise InputError(f"there is no measure {name!r}.", f"The measures are {', '.join(known)}.")
    own: dict[str, dict[str, Any]] = {name: {} for name in names}
    for option, (name, keyword) in _OWN_OPTIONS.items():
        value = getattr(options, option, None)
        if value is None or name not in known:
            continue
        if name not in own and option == "seed" and getattr(options, "confidence", None) is not None:
            # of the intervals
            continue
        if name not in own:
            written = option.replace("_", "-")
            raise InputError(f"--{written} is an option of {name}, which is not computed.", f"Add {name} to --measure.")
        if keyword != "tokens":
            own[name][keyword] = value
    return [known[name](**_shared(known[name], options), **own[name]) for name in names]


def _shared(measure: type[Measure], options: argparse.Namespace) -> dict[str, Any]:
    """The options of all measures, without the average for one that has none."""
    if next(one for one in fields(measure) if one.name == "average").init:
        return {"average": options.average, "zero_division": options.zero_division}
    if options.average != "micro":
        raise InputError(f"{measure.name} has no averages over labels.", "Leave out --average.")
    return {"zero_division": options.zero_division}
