"""The errors of systems: their kinds, their labels, and the cost of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Never, Unpack

from ...alignment.matched_spans import MatchedSpans
from ...alignment.overlaps import Alignment
from ...counts.statistics import Resampling
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.sides import read_sides
from ...exceptions import InputError, on_side, require_no_more
from ...measures.registry import MEASURES, read_measures
from ...options import CheckedOptions, option
from ...readers.reading import beside_files
from ..comparison.comparison import NAMED, REFERENCES, SYSTEM, named_systems
from ..scores.report import corpus_size
from .answers import AnswerErrors
from .contexts import context_of_sides
from .errors import Errors, SystemErrors

ONLY = "prediction"
"""The name of a system if there is only one."""


class Matching(CheckedOptions):
    """Options for matching spans in error analyses."""

    min_overlap: float = option(
        0.0,
        help="match only predicted spans that cover at least this share of the reference span; with 0, one token is "
        "enough",
        kind=float,
        low=0,
        high=1,
        metavar="SHARE",
    )


@shares(DrawnSideArguments)
def errors(
    references: Any,
    predictions: Any,
    *more: Never,
    measure: Any = "span_f",
    min_overlap: float = 0.0,
    words: Any = None,
    confidence: float | None = 0.95,
    **arguments: Unpack[DrawnSideArguments],
) -> Errors:
    """Find the errors in predicted spans: their kinds, their labels, and the cost of each kind.

        result = spanometer.errors(references, predictions)
        result.only.counts["missing"], result.only.per_label["ORG"]["wrong_label"], result.only.costs.kinds[0].gain
        result.only.confusion("exact").to_csv(), result.only.matched.to_frame()

        result = spanometer.errors(references, {"old": old, "new": new})
        result.shared.to_frame(), result.difference("old", "new")

    Reference and predicted spans are matched one to one, see `MatchedSpans`. A pair is `correct`, or has a
    `wrong_label`, a `wrong_boundary` (`shorter`, `longer`, `shifted`) or both. Unmatched spans are `missing` or
    `spurious`. So the kinds add up to the number of spans on each side.

    Args:
        references: a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of either, or a file read
            by `spanometer.read`.
        predictions: a system's output in one of these forms; if the reference has texts, also raw answers and the
            outputs of pipelines, see `score`; or a mapping with the outputs of several systems by name.
        measure: the measure of costs, by name or with options (`SpanF(average="macro")`); costs are changes of its
            main score.
        min_overlap: match a predicted span with a reference span only if it covers at least this proportion of it.
        words: the words of each document, for examples and buckets by string; files have their own.
        confidence: the confidence level of the intervals of costs, over documents; None computes no intervals.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`;
            and how corpora are resampled for intervals: `interval_method`, `n_resamples` and `seed`, see
            `arguments.DrawArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if options are wrong, if there are no systems, or if annotations cannot be read or matched.
    """
    require_no_more(more, "Pass several systems together by their names, {'old': ..., 'new': ...}.")
    chosen = Matching(min_overlap=min_overlap)
    resampling = Resampling.chosen(confidence, arguments)
    options = SideReading.of(errors, arguments)
    chosen_measures = list(read_measures(measure, MEASURES).values())
    if len(chosen_measures) != 1:
        raise InputError("costs of errors need exactly one measure.", "Name one.", option="measure")
    sides = beside_files(_sides(references, predictions), answers="grounding" in arguments)
    read = read_sides(sides, options)
    spans, reading = read.with_common_labels(), read.reading
    reference = spans.pop(REFERENCES)
    several = isinstance(predictions, Mapping)
    systems = {}
    for name, side in spans.items():
        bare = name.removeprefix(SYSTEM)
        systems[bare] = SystemErrors(
            name=bare if several else "",
            references=reference,
            predictions=side,
            matched=on_side(name, MatchedSpans.of, Alignment(reference, side), min_overlap=chosen.min_overlap),
            measure=chosen_measures[0],
            resampling=resampling,
            choice=options.choice,
            answers=AnswerErrors(read.grounded[name]) if name in read.grounded else None,
        )
    result = Errors(
        **corpus_size(reference, reading),
        systems=systems,
        signature=chosen_measures[0].signature({**reading, "min_overlap": chosen.min_overlap}, resampling),
    )
    return result.with_context(context_of_sides(read, words))


def _sides(references: Any, predictions: Any) -> dict[str, Any]:
    """Return the reference and the systems by the names that errors use."""
    if not isinstance(predictions, Mapping):
        return {REFERENCES: references, ONLY: predictions}
    if not predictions:
        raise InputError("there are no systems.", NAMED)
    return {REFERENCES: references, **named_systems(predictions)}
