"""The errors of systems, and their export for annotation tools."""

from collections.abc import Iterator, Mapping
from typing import Any, Never, Unpack
from urllib.parse import parse_qs

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ...alignment.matched_spans import MatchedSpans
from ...alignment.overlaps import Alignment
from ...arrays import offsets_by
from ...counts.statistics import Resampling
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.sides import read_sides
from ...exceptions import InputError, on_side, require_choice, require_no_more, setting
from ...measures.aligned import with_words
from ...measures.registry import MEASURES, read_measures
from ...options import CheckedOptions, option
from ...readers.json.annotation_tools import PREANNOTATIONS, ReviewTask
from ...readers.reading import beside_files
from ...spans.texts import joined
from ..comparison.comparison import REFERENCES, SYSTEM, named_systems
from ..scores.report import corpus_size
from .errors import Errors, SystemErrors
from .examples import ErrorChoice, context_of_sides
from .kinds import AnswerErrors

ONLY = "prediction"
"""The name of a system if there is only one."""


class Matching(CheckedOptions):
    """Options for matching spans in error analyses.

    Attributes:
        min_overlap: match only predicted spans that cover at least this share of the reference span; with 0, one shared
            token is enough.
    """

    min_overlap: float = option(0.0, low=0, high=1, metavar="SHARE")


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
    require_no_more(more, "Pass several systems as one mapping, such as {'old': ..., 'new': ...}.")
    chosen = Matching(min_overlap=min_overlap)
    resampling = Resampling.chosen(confidence, arguments)
    options = SideReading.of(errors, arguments)
    measures = list(read_measures(measure, MEASURES).values())
    if len(measures) != 1:
        problem = f"costs of errors can be computed for one measure, not for {len(measures)}."
        raise InputError(problem, f"Choose one measure, such as {setting('measure', 'span_f')}.", option="measure")
    several = isinstance(predictions, Mapping)
    outputs = named_systems(predictions) if several else {ONLY: predictions}
    sides = beside_files({REFERENCES: references, **outputs}, answers="grounding" in arguments)
    read = read_sides(sides, options)
    measures = with_words(measures, lambda: read.words if words is None else words)
    reference, *spans = read.with_common_labels().values()
    systems = {}
    for name, side in zip(outputs, spans, strict=True):
        bare = name.removeprefix(SYSTEM)
        systems[bare] = SystemErrors(
            name=bare if several else "",
            references=reference,
            predictions=side,
            matched=on_side(name, MatchedSpans, Alignment(reference, side), min_overlap=chosen.min_overlap),
            measure=measures[0],
            resampling=resampling,
            choice=options.choice,
            answers=AnswerErrors(read.grounded[name]) if name in read.grounded else None,
        )
    result = Errors(
        **corpus_size(reference, read.reading),
        systems=systems,
        signature=measures[0].signature({**read.reading, "min_overlap": chosen.min_overlap}, resampling),
    )
    return result.with_context(context_of_sides(read, words))


_FILTERS = ("system", "other", "change", "kind", "boundary", "reference", "predicted", "mention", "order")
"""The filters of a report's view that can be used here."""


def preannotations(errors: Errors, form: str, *, view: str = "", **choice: Any) -> str:
    """Write the documents with errors for an annotation tool, with the spans of all sides as pre-annotations.

    Spans with several fragments are written with their outer boundaries.

    Args:
        errors: the errors.
        form: the tool, see `PREANNOTATIONS`.
        view: the filters of the report of errors, the part of its URL after `#`, see `rows_of_view`.
        **choice: write only documents with at least one of these errors, see `ErrorChoice`.

    Raises:
        InputError: if there is no such tool, or if documents have neither words nor texts.
    """
    require_choice("to", form, PREANNOTATIONS)
    chosen, rows = ErrorChoice(**choice), rows_of_view(errors, view)
    for name, system in errors.systems.items():
        rows[name] = np.intersect1d(rows[name], chosen.rows(system.matched))
    return "".join(PREANNOTATIONS[form](_tasks(errors, rows)))


def rows_of_view(errors: Errors, view: str) -> dict[str, np.ndarray]:
    """Return the errors of each system that a view of the report shows.

    Args:
        errors: the errors.
        view: the fragment of the report's URL, `system=new&change=fixed&kind=missing`; empty for all errors.

    Raises:
        InputError: if a filter is available only in the report, or if a value is unknown.
    """
    given = {name: values[-1] for name, values in parse_qs(view.removeprefix("#"), keep_blank_values=True).items()}
    beyond = [name for name in given if name not in _FILTERS]
    if beyond:
        problem = f"only the HTML report can filter errors by {' and '.join(map(repr, beyond))}."
        raise InputError(problem, f"In other formats, filter by {', '.join(map(repr, _FILTERS))}.", option="view")
    names, change = list(errors.systems), given.get("change")
    current, other = given.get("system") or names[-1 if change else 0], given.get("other", names[0])
    for name in (current, other):
        require_choice("system", name, names)
    # the system whose errors are shown, and the one that also makes them or not
    side, beside = (other, current) if change == "fixed" else (current, other)
    listed = (filter(None, given.get(key, "").split(",")) for key in ("kind", "boundary"))
    kinds, boundaries = (ErrorChoice(kind=tuple(names)) for names in listed)
    shown = {}
    for (name, system), makers in zip(errors.systems.items(), errors.shared.makers(), strict=True):
        matched, rows = system.matched, kinds.rows(system.matched)
        kept = np.isin(rows, boundaries.rows(matched))
        if change:
            kept &= (makers[rows] >> names.index(beside) & 1) == (change == "both")
        if change or given.get("system"):
            kept &= name == side
        labels = {label: code for code, label in enumerate(matched.alignment.labels)} | {"": -1}
        for key, of_side in (("reference", matched.reference_label), ("predicted", matched.predicted_label)):
            if key in given:
                require_choice(key, given[key], labels)
                kept &= of_side[rows] == labels[given[key]]
        if "mention" in given:
            kept &= np.array(pa.compute.equal(system.texts(rows), given["mention"]), dtype=bool)
        shown[name] = rows[kept]
    return shown


def _tasks(errors: Errors, rows: Mapping[str, np.ndarray]) -> Iterator[ReviewTask]:
    first = errors.first
    context, wording = first.context, first.context.wording
    if wording is None:
        raise InputError("the documents have no words.", "Give a file with words or texts.")
    chosen = [system.matched.document[rows[name]] for name, system in errors.systems.items()]
    documents = np.unique(np.concatenate(chosen))
    metas = pa.table(context.places(documents, np.zeros_like(documents), wording.units.offsets)).to_pylist()
    sides = {"reference": first.references, **{name: each.predictions for name, each in errors.systems.items()}}
    offsets = {name: offsets_by(side.document, side.documents) for name, side in sides.items()}
    for document, meta in zip(documents.tolist(), metas, strict=True):
        (text,), tokens = joined([wording.listed(document, 0, int(wording.lengths[document]))], wording.separator)
        bounds, spans = tokens.bounds(0), {}
        for name, side in sides.items():
            there = side.picked(slice(*offsets[name][document : document + 2].tolist()))
            spans[name] = [(bounds[start][0], bounds[end - 1][1], label) for _, start, end, label in there.rows()]
        yield ReviewTask(document + 1, text, bounds if wording.separator else [], spans, meta)
