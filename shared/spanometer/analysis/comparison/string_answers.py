"""Scoring and comparison of answers as strings with `mention_f`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arrays import listed_items
from ...counts.statistics import Resampling
from ...documents.arguments import DrawArguments, shares
from ...exceptions import InputError, require_kind
from ...grounding.reading import GroundedStrings
from ...options import made
from ...spans.mentions import Mentions
from ..scores.report import Report
from ..scores.score import string_measure
from .compare import compare_sides, named_outputs
from .comparison import NAMED, REFERENCES, Comparison
from .significance import PairedArguments, PairedResampling

_REMEDY = "Give the result of grounding.ground_strings."


@shares(DrawArguments)
def score_strings(
    references: Any,
    predictions: GroundedStrings,
    *,
    confidence: float | None = None,
    per_document: bool = False,
    **options: Any,
) -> Report:
    """Score answers as strings against mentions; both are normalised as the policy of the answers says.

        report = score_strings([[("PER", "Ann")]], ground_strings(["Ann left."], answers, policy="gollie"))
        report.measures["mention_f"].scores["f1"]

    Args:
        references: `Mentions`, or a list of (label, text) pairs for each document, see `Mentions.from_pairs`.
        predictions: the answers, as `ground_strings` returns them.
        confidence: the confidence level of intervals over documents; None computes no intervals.
        per_document: whether the report keeps the scores of each document.
        **options: the options of intervals `interval_method`, `n_resamples`, `seed`, see `statistics.Resampling`, and
            the options of `mention_f` `average`, `zero_division`, `match_labels`.

    Raises:
        InputError: if options are wrong, or if the numbers of documents differ.
    """
    require_kind(predictions, GroundedStrings, "grounded strings", _REMEDY)
    measure = string_measure(predictions, options)
    resampling = Resampling.chosen(confidence, options)
    return Report.of(
        _mentions(references),
        predictions.mentions,
        [measure],
        predictions.choices,
        resampling=resampling,
        per_document=per_document,
    )


@shares(PairedArguments, PairedResampling)
def compare_strings(
    references: Any,
    systems: Mapping[str, GroundedStrings],
    *,
    per_label: bool = False,
    **options: Any,
) -> Comparison:
    """Compare the answers of several systems as strings, see `compare`.

    Args:
        references: see `score_strings`.
        systems: the answers of each system by its name, all grounded with the same options.
        per_label: see `compare`.
        **options: how corpora are resampled and outputs are swapped, see `significance.PairedResampling`, and the
            options of `mention_f`, see `score_strings`.

    Raises:
        InputError: if there are fewer than two systems, or if they are grounded with different options; see also
            `score_strings`.
    """
    resampling = made(PairedResampling, options)
    require_kind(systems, Mapping, "a mapping of systems", NAMED)
    for name, system in listed_items(systems):
        require_kind(system, GroundedStrings, "grounded strings", _REMEDY, side=f"system {name}")
    choices = [system.choices for system in systems.values()]
    if any(other != choices[0] for other in choices):
        problem = "the systems are grounded with different options."
        raise InputError(problem, "Use the same policy, labels and aliases for all.")
    outputs = named_outputs({name: system.mentions for name, system in systems.items()})
    own = {name: value for name, value in options.items() if name != "n_permutations"}
    measure = string_measure(next(iter(systems.values())), own)
    sides = {REFERENCES: _mentions(references), **outputs}
    return compare_sides(sides, {measure.name: measure}, resampling, choices[0], per_label=per_label)


def _mentions(references: Any) -> Mentions:
    return references if isinstance(references, Mentions) else Mentions.from_pairs(references)
