"""Score systems against several annotators, and the annotators against each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Never, Unpack

import numpy as np

from ...arrays import plain
from ...counts.counts import Counts
from ...counts.statistics import Estimate, Resampling
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.sides import ANNOTATOR, read_sides
from ...exceptions import InputError, counted, require_no_more, shown
from ...measures.base import Measure
from ...measures.registry import MEASURES, read_measures
from ...tables.table import Cell, Part, Table, TableColumn
from ..comparison.comparison import EstimatedScores, named_systems
from ..scores.measure_result import interval_notes, notes_of
from ..scores.report import CorpusResult, corpus_size, kind_of, signature_lines
from .annotators import count_pair, named_annotators

WAYS = ("mean", "best")
"""The ways to combine the scores against several references."""


@dataclass(frozen=True, kw_only=True)
class MeasureAgainst:
    """The result of one measure.

    Attributes:
        measure: the measure with its options.
        against: the scores of each system and annotator against each other annotator.
        together: the scores of each system and annotator against all other annotators, combined in each of the `WAYS`.
        ceiling: the mean of the annotators' scores in `together`, for each of the `WAYS`.
        same_terms: for each of the `WAYS`, each system's scores against all annotators except one, averaged over the
            annotator that is left out.
        differences: `same_terms` minus `ceiling`, for each system.
        best: for each system and annotator, the annotator against which the main score is best.
        signature: the measure, its options and the options of reading.
        notes: notes for readers of the scores, see `Measure.notes`.
    """

    measure: Measure
    against: Mapping[str, Mapping[str, EstimatedScores]]
    together: Mapping[str, Mapping[str, EstimatedScores]]
    ceiling: Mapping[str, EstimatedScores]
    same_terms: Mapping[str, Mapping[str, EstimatedScores]]
    differences: Mapping[str, Mapping[str, EstimatedScores]]
    best: Mapping[str, str]
    signature: str
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        own = {name: value for name, value in vars(self).items() if name != "measure" and (value or name != "notes")}
        return {"headline": self.measure.headline, **plain(own)}


class AgainstReferences(CorpusResult, eq=True):
    """The result of `score_against`.

    It has one table for each measure and key, named `against`.

    Attributes:
        references: the names of the annotators.
        systems: the names of the systems.
        measures: the result of each measure, by name.
        confidence: the confidence level of the intervals; None if there are none.
    """

    references: tuple[str, ...]
    systems: tuple[str, ...]
    measures: Mapping[str, MeasureAgainst]
    confidence: float | None

    def lines(self) -> Iterator[Part]:
        """Yield the table of each measure's main score, the legend and the signatures."""
        for name, result in self.measures.items():
            yield from ("", against_table(self, name, result.measure.headline))
        yield from ("", *notes(self), "", *signature_lines(self.measures))

    def tables(self) -> list[Table]:
        """Make a table for each measure and key."""
        return [against_table(self, name, key) for name, result in self.measures.items() for key in result.measure.keys]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "references": list(self.references),
            "systems": list(self.systems),
            "documents": self.documents,
            "tokens": self.tokens,
            **({} if self.confidence is None else {"confidence": self.confidence}),
            "measures": {name: result.to_dict() for name, result in self.measures.items()},
        }


@shares(DrawnSideArguments)
def score_against(
    references: Sequence[Any] | Mapping[str, Any],
    systems: Any,
    *more: Never,
    measures: Any = ("span_f",),
    names: Sequence[str] | None = None,
    confidence: float | None = None,
    **arguments: Unpack[DrawnSideArguments],
) -> AgainstReferences:
    """Score systems against the annotations of two or more people, and score these people against each other.

        result = spanometer.score_against({"ann": ann, "ben": ben, "cat": cat}, {"tagger": output}, confidence=0.95)
        result.measures["span_f"].together["tagger"]["mean"].scores["f1"]

    Each system is scored against each annotator. These scores are combined in two ways:

    - **mean**: the plain mean of the scores against each annotator.
    - **best**: the score against the annotator with the best main score (usually F1) over the corpus. Precision and
      recall are also from this annotator. A resampled corpus can have a different best annotator.

    `best` grows with the number of references; `mean` does not.

    **The human ceiling** (`ceiling`) is the mean score of the annotators, if each one is scored against all others like
    a system. An annotator has one reference fewer than a system, so the ceiling of `best` tends to be too low. For a
    fair comparison, `same_terms` scores a system against all annotators except one, and averages over the annotator
    that is left out. For `mean` this makes no difference. `differences` is `same_terms` minus `ceiling`.

    Intervals come from resampled documents. All scores use the same resampled corpora, so differences have intervals
    too.

    Args:
        references: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or a file read by `spanometer.read`; a mapping also gives their names.
        systems: the outputs of systems by their names, in any of these forms; or one output.
        measures: names of measures of spans, or measures with options, see `compare`.
        names: the annotators' names, by default `1`, `2`, `3` ...
        confidence: the confidence level of intervals; None computes no intervals.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`;
            and how corpora are resampled for intervals: `interval_method`, `n_resamples` and `seed`, see
            `arguments.DrawArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two annotators, no system or no documents, if annotations cannot be read or
            compared (the error names the annotator or system), if options are wrong, or if a measure is undefined.
    """
    require_no_more(more, "Pass all systems as one mapping, such as {'old': ..., 'new': ...}.")
    resampling = Resampling.chosen(confidence, arguments)
    chosen = read_measures(measures, MEASURES)
    options = SideReading.of(score_against, arguments).for_annotators()
    people = named_annotators(references, names)
    outputs = systems if isinstance(systems, Mapping) else {"system": systems}
    named = named_systems(outputs)
    for name in outputs:
        if f"{ANNOTATOR}{name}" in people:
            problem = f"a system and an annotator have the same name, {shown(name)}."
            raise InputError(problem, "Give each a different name.")
    sides, reading, *_ = read_sides({**people, **named}, options)
    reading = {**reading, "references": len(people)}
    first = next(iter(sides.values()))
    if first.documents == 0:
        raise InputError("there are no documents.", "Give at least one document.")
    called = [*(name.removeprefix(ANNOTATOR) for name in people), *outputs]
    counts = {
        (called[side], called[person]): count_pair(sides, (person, side), list(chosen.values()), per_document=True)
        for person, side in product(range(len(people)), range(len(sides)))
        if side != person
    }
    results = {}
    for place, (name, measure) in enumerate(chosen.items()):
        of_measure = {pair: of_pair[place] for pair, of_pair in counts.items()}
        results[name] = _measured(measure, of_measure, resampling, measure.signature(reading, resampling))
    return AgainstReferences(
        references=tuple(called[: len(people)]),
        systems=tuple(called[len(people) :]),
        **corpus_size(first, reading),
        measures=results,
        confidence=confidence,
    )


def _measured(
    measure: Measure, counts: Mapping[tuple[str, str], Counts], resampling: Resampling | None, signature: str
) -> MeasureAgainst:
    """Estimate the scores of all sides by one measure.

    Args:
        measure: the measure.
        counts: the counts of each annotator and system against each other annotator, by their names.
        resampling: how documents are resampled; None computes no intervals.
        signature: the signature of the result.
    """
    people, keys = list(dict.fromkeys(person for _, person in counts)), measure.keys
    sides, number = list(dict.fromkeys([*people, *(side for side, _ in counts)])), len(people)
    of_pairs = measure.joint_estimates(list(counts.values()), resampling, measure.score_totals)
    # a person is never compared with itself; there any value is
    place_of = {pair: place for place, pair in enumerate(counts)}
    places = np.array([[place_of.get((side, person), 0) for person in people] for side in sides])
    # shape (sides, people, keys)
    against = Estimate.combined(lambda *each: np.stack(each, axis=-1)[:, places], *(of_pairs[key] for key in keys))
    # each side against all others and, after them, each system against all people without one of them
    without = list(product(range(number, len(sides)), range(number)))
    scored = [*((side, side) for side in range(len(sides))), *without]
    chosen = np.array([[person not in row for person in range(number)] for row in scored])

    def best(values: np.ndarray) -> np.ndarray:
        """Return the person with the best main score in each corpus, given values of all scored sides."""
        headlines = values[..., keys.index(measure.headline)]
        worth = headlines if measure.results[measure.headline].better != "lower" else -headlines
        worth = np.where(np.isnan(worth), np.finfo(float).min, worth)
        return np.asarray(np.argmax(np.where(chosen, worth, -np.inf), axis=-1))

    def combined(values: np.ndarray) -> np.ndarray:
        """Combine the scores in each of the `WAYS`, shape (corpora, scored sides, ways, keys)."""
        mean = np.where(chosen[..., None], values, 0.0).sum(axis=-2) / chosen.sum(axis=-1, keepdims=True)
        return np.stack([mean, np.take_along_axis(values, best(values)[..., None, None], axis=-2)[..., 0, :]], axis=-2)

    def scores(values: Estimate, *names: Sequence[str]) -> Any:
        """Convert values to scores by the names on each axis; the last axis has the keys."""
        if names:
            return {name: scores(values[place], *names[1:]) for place, name in enumerate(names[0])}
        by_key = {key: values[place] for place, key in enumerate(keys)}
        intervals = {} if resampling is None else measure.intervals_of(by_key, resampling)
        return EstimatedScores(scores={key: float(each.point) for key, each in by_key.items()}, intervals=intervals)

    of_scored = against[[side for side, _ in scored]]
    together = Estimate.combined(combined, of_scored)
    ceiling = Estimate.combined(lambda values: values[:, :number].mean(axis=1), together)
    left_out = together[len(sides) :]
    terms = Estimate.combined(lambda each: each.reshape(len(each), -1, number, *each.shape[2:]).mean(axis=2), left_out)
    differences = Estimate.combined(lambda own, human: own - human[:, None], terms, ceiling)
    systems, best_people = sides[number:], best(of_scored.point)
    return MeasureAgainst(
        measure=measure,
        against={
            name: {person: scores(against[side, place]) for place, person in enumerate(people) if place != side}
            for side, name in enumerate(sides)
        },
        together=scores(together, sides, WAYS),
        ceiling=scores(ceiling, WAYS),
        same_terms=scores(terms, systems, WAYS),
        differences=scores(differences, systems, WAYS),
        best={name: people[best_people[side]] for side, name in enumerate(sides)},
        signature=signature,
        notes=notes_of(measure, {f"{side} against {person}": each for (side, person), each in counts.items()}),
    )


def against_table(scores: AgainstReferences, name: str, key: str) -> Table:
    """Return a table with each system and annotator, the annotators' mean, and each system on the same terms."""
    result = scores.measures[name]
    nowhere = [None] * len(scores.references)

    def cells(values: Mapping[str, EstimatedScores], names: Sequence[str], *, signed: bool = False) -> list[Cell]:
        column = TableColumn(key, kind=kind_of(result.measure, key), signed=signed)
        return [column.cell(values[name].defined(key) if name in values else None) for name in names]

    rows: list[Sequence[Any] | None] = []
    for row in (*scores.systems, *scores.references):
        rows.append(((row, "cyan"), *cells(result.against[row], scores.references), *cells(result.together[row], WAYS)))
    rows += [None, ("annotators", *nowhere, *cells(result.ceiling, WAYS))]
    for system in scores.systems:
        rows.append((f"{system}, same terms", *nowhere, *cells(result.same_terms[system], WAYS)))
        rows.append((f"{system} minus annotators", *nowhere, *cells(result.differences[system], WAYS, signed=True)))
    columns = [TableColumn(each, each, named=True) for each in (*scores.references, *WAYS)]
    title, about = key if name.startswith(key) else f"{name} {key}", {"measure": name, "key": key}
    return Table.of(title, columns, rows, kind="against", names="scored", about=about, confidence=scores.confidence)


def notes(scores: AgainstReferences) -> list[str]:
    """Explain the rows and columns."""
    lines = [
        "mean: the mean score against all annotators. best: the score against the annotator with the best score.",
        f"annotators: each annotator scored against {counted(len(scores.references) - 1, 'other')}, averaged. same "
        "terms: the system scored against all annotators except one, averaged over the annotator left out.",
    ]
    return [*lines, *([] if scores.confidence is None else interval_notes(scores.documents))]
