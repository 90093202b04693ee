"""Scores and comparisons of answers as strings, by `mention_f`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arrays import listed_items
from ...counts.statistics import Resampling
from ...documents.arguments import DrawArguments, shares
from ...exceptions import InputError, require_kind
from ...grounding.strings import GroundedStrings
from ...measures.mention_f import MentionF
from ...options import made, options_of, require_known
from ...spans.mentions import Mentions
from ..scores.report import Report
from .compare import compare_sides, named_outputs
from .comparison import REFERENCES, Comparison
from .significance import PairedArguments, PairedResampling

_REMEDY = "Give what grounding.ground_strings returns."


@shares(DrawArguments)
def score_strings(
    references: Any,
    predictions: GroundedStrings,
    *,
    confidence: float | None = None,
    per_document: bool = False,
    **options: Any,
) -> Report:
    """Score answers as strings against mentions, in the normal form of their policy.

        report = score_strings([[("PER", "Ann")]], ground_strings(["Ann left."], answers, policy="gollie"))
        report.measures["mention_f"].scores["f1"]

    Args:
        references: `Mentions`, or lists of these as `Mentions.from_pairs` takes them.
        predictions: the answers, as `ground_strings` returns them.
        confidence: the level of intervals over documents; None makes none.
        per_document: whether the report has the scores of each document too.
        **options: of intervals `interval_method`, `n_resamples`, `seed`, see `statistics.Resampling`; of `mention_f`
            `average`, `zero_division`, `match_labels`.

    Raises:
        InputError: for wrong options, and for another number of documents.
    """
    require_kind(predictions, GroundedStrings, "grounded strings", _REMEDY)
    measure = _measure(predictions, options)
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
    """Compare the answers of several systems as strings, see `comparison.compare`.

    Args:
        references: as in `score_strings`.
        systems: the answers of each by its name, grounded in the same way.
        per_label: as in `compare`.
        **options: of the draws, see `significance.PairedResampling`; of `mention_f` as in `score_strings`.

    Raises:
        InputError: as `score_strings`, for fewer than two systems, and if they are grounded in different ways.
    """
    resampling = made(PairedResampling, options)
    require_kind(systems, Mapping, "a mapping of systems", "Pass the answers of each by its name, {'old': ...}.")
    for name, system in listed_items(systems):
        require_kind(system, GroundedStrings, "grounded strings", _REMEDY, side=f"system {name}")
    choices = [system.choices for system in systems.values()]
    if any(other != choices[0] for other in choices):
        raise InputError("the systems are grounded in different ways.", "Use one policy, labels and aliases for all.")
    first = next(iter(systems.values()), None)
    if first is None:
        raise InputError("there are no systems.", "Give two or more by their names.")
    measure = _measure(first, options)
    outputs = named_outputs({name: system.mentions for name, system in systems.items()})
    sides = {REFERENCES: _mentions(references), **outputs}
    return compare_sides(sides, {measure.name: measure}, resampling, first.choices, per_label=per_label)


def _measure(grounded: GroundedStrings, options: Mapping[str, Any]) -> MentionF:
    compared = grounded.policy.compared
    own = {name: value for name, value in options.items() if name not in options_of(PairedResampling)}
    require_known(own, [name for name in options_of(MentionF) if name not in compared], "mention_f")
    return MentionF(**{**own, **compared})


def _mentions(references: Any) -> Mentions:
    return references if isinstance(references, Mentions) else Mentions.from_pairs(references)
