"""Score systems against several annotators, and the annotators against each other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Never, Unpack

import numpy as np

from ...arrays import plain
from ...counts.counts import Counts
from ...counts.statistics import Estimate, Resampling
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.sides import read_sides
from ...exceptions import InputError, counted, require_no_more, shown
from ...measures.base import Measure
from ...measures.registry import MEASURES, read_measures
from ...spans.annotations import named_sides
from ...spans.spans import Spans
from ...tables.table import Cell, Part, Table, TableColumn
from ..comparison.comparison import NAMED, SYSTEM, EstimatedScores, joint_estimates, named_systems
from ..scores.measure_result import count_measures, interval_notes, notes_of
from ..scores.report import CorpusResult, corpus_size, kind_of, signature_lines
from .annotators import ANNOTATOR, named_annotators

_Row = tuple[str, str | None]
"""A scored side, and an annotator or None."""

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
        values = ("against", "together", "ceiling", "same_terms", "differences", "best")
        described = {name: plain(getattr(self, name)) for name in values}
        notes = {"notes": list(self.notes)} if self.notes else {}
        return {"headline": self.measure.headline, **described, "signature": self.signature, **notes}


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
        yield from ("", *notes(self), "")
        yield from signature_lines(self.measures)

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
    require_no_more(more, "Pass the systems together by their names, {'old': ..., 'new': ...}.")
    resampling = Resampling.chosen(confidence, arguments)
    chosen = read_measures(measures, MEASURES)
    options = SideReading.of(score_against, arguments)
    people = named_annotators(references, names)
    sides, reading, *_ = read_sides({**people, **_named(systems, people)}, options)
    reading = {**reading, "references": len(people)}
    first = next(iter(sides.values()))
    if first.documents == 0:
        raise InputError("there are no documents.", "Give at least one document.")
    counts = _count_pairs(sides, list(people), chosen)
    return AgainstReferences(
        references=tuple(name.removeprefix(ANNOTATOR) for name in people),
        systems=tuple(name.removeprefix(SYSTEM) for name in sides if name not in people),
        **corpus_size(first, reading),
        measures={
            name: _Measured(measure, sides, list(people), counts[name], resampling).result(
                measure.signature(reading, resampling)
            )
            for name, measure in chosen.items()
        },
        confidence=confidence,
    )


def _named(systems: Any, people: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs by the names that errors use for their systems; a single output has the name `system`."""
    outputs = systems if isinstance(systems, Mapping) else {"system": systems}
    if not outputs:
        raise InputError("there are no systems.", NAMED)
    named = named_systems(outputs)
    for name in outputs:
        if f"{ANNOTATOR}{name}" in people:
            raise InputError(
                f"a system and an annotator have the same name, {shown(name)}.", "Give each a different name."
            )
    return named


def _count_pairs(
    sides: Mapping[str, Spans], people: Sequence[str], measures: Mapping[str, Measure]
) -> dict[str, dict[_Row, Counts]]:
    """Compute the counts of each side against each other annotator, by the names of the measures."""
    of_measures: dict[str, dict[_Row, Counts]] = {name: {} for name in measures}
    for person in people:
        for side in sides:
            if side != person:
                with named_sides({"references": person, "predictions": side}):
                    counts = count_measures(sides[person], sides[side], list(measures.values()), per_document=True)
                for name, of_measure in zip(measures, counts, strict=True):
                    of_measures[name][side, person] = of_measure
    return of_measures


class _Measured:
    """The estimates of all sides for one measure."""

    def __init__(
        self,
        measure: Measure,
        sides: Mapping[str, Spans],
        people: Sequence[str],
        pairs: Mapping[_Row, Counts],
        resampling: Resampling | None,
    ) -> None:
        self._measure, self._sides, self._people, self._resampling = measure, sides, people, resampling
        self._sign = 1.0 if measure.results[measure.headline].better != "lower" else -1.0
        counted = {row: (measure, counts) for row, counts in pairs.items()}
        # the values of all keys in one array, because one key chooses the best annotator for all
        self._pairs = {
            row: Estimate.combined(lambda *of_keys: np.stack(of_keys, axis=-1), *(each[key] for key in measure.keys))
            for row, each in joint_estimates(counted, resampling).items()
        }
        self._notes = notes_of(
            measure, {f"{_bare(side)} against {_bare(str(person))}": counts for (side, person), counts in pairs.items()}
        )

    def _references(self, side: str, out: str | None) -> list[str]:
        return [person for person in self._people if person not in (side, out)]

    def result(self, signature: str) -> MeasureAgainst:
        """Collect the values of all sides."""
        systems = [side for side in self._sides if side not in self._people]
        others = {side: self._references(side, None) for side in self._sides}
        together = {side: self._together(side, None) for side in self._sides}
        ceiling = {way: _mean([together[person][way] for person in self._people]) for way in WAYS}
        without = {side: [self._together(side, person) for person in self._people] for side in systems}
        terms = {side: {way: _mean([each[way] for each in without[side]]) for way in WAYS} for side in systems}
        values: dict[str, Any] = {
            "against": {side: {person: self._pairs[side, person] for person in others[side]} for side in others},
            "together": together,
            "ceiling": ceiling,
            "same_terms": terms,
            "differences": {side: {way: terms[side][way] - ceiling[way] for way in WAYS} for side in systems},
            "best": {side: self._best_name(side) for side in others},
        }
        return MeasureAgainst(measure=self._measure, **self._shown(values), signature=signature, notes=self._notes)

    def _shown(self, values: Any) -> Any:
        """Replace nested estimates by their scores, and remove prefixes from names of systems and annotators."""
        if isinstance(values, Mapping):
            return {_bare(name): self._shown(each) for name, each in values.items()}
        return self._score(values) if isinstance(values, Estimate) else values

    def _together(self, side: str, out: str | None) -> dict[str, Estimate]:
        """Combine the scores of a side against all of its references, in each of the `WAYS`."""
        against = [self._pairs[side, person] for person in self._references(side, out)]
        return {"mean": _mean(against), "best": Estimate.combined(self._best, *against)}

    def _best(self, *against: np.ndarray) -> np.ndarray:
        """Choose the scores with the best main score in each corpus, shape (corpora, keys)."""
        stacked = np.stack(against)
        return np.asarray(np.take_along_axis(stacked, self._best_places(stacked)[None, :, None], axis=0)[0])

    def _best_places(self, values: np.ndarray) -> np.ndarray:
        """Return the best main score in each corpus, shape (corpora).

        `values` has shape (references, corpora, keys).
        """
        headlines = self._sign * values[..., self._measure.keys.index(self._measure.headline)]
        return np.asarray(np.argmax(np.where(np.isnan(headlines), -np.inf, headlines), axis=0))

    def _best_name(self, side: str) -> str:
        people = self._references(side, None)
        points = np.stack([self._pairs[side, person].point[None] for person in people])
        return _bare(people[int(self._best_places(points)[0])])

    def _score(self, values: Estimate) -> EstimatedScores:
        keys = self._measure.keys
        scores = dict(zip(keys, values.point.tolist(), strict=True))
        if self._resampling is None:
            return EstimatedScores(scores=scores, intervals={})
        of_keys = {key: values[place] for place, key in enumerate(keys)}
        return EstimatedScores(scores=scores, intervals=self._measure.intervals_of(of_keys, self._resampling))


def _mean(values: Sequence[Estimate]) -> Estimate:
    """Compute the mean of several values; NaN if one of them is NaN."""
    return Estimate.combined(lambda *each: np.mean(each, axis=0), *values)


def _bare(name: str) -> str:
    return name.removeprefix(ANNOTATOR).removeprefix(SYSTEM)


def against_table(scores: AgainstReferences, name: str, key: str) -> Table:
    """Return a table with each system and annotator, the annotators' mean, and each system on the same terms."""
    result = scores.measures[name]
    column = TableColumn(key, kind=kind_of(result.measure, key))
    nowhere = [None] * len(scores.references)

    def cells(values: Mapping[str, EstimatedScores], names: Sequence[str], *, signed: bool = False) -> list[Cell]:
        own = column._replace(signed=signed)
        return [own.cell(values[name].defined(key) if name in values else None) for name in names]

    rows: list[Sequence[Any] | None] = [
        ((row, "cyan"), *cells(result.against[row], scores.references), *cells(result.together[row], WAYS))
        for row in (*scores.systems, *scores.references)
    ]
    rows += [None, ("annotators", *nowhere, *cells(result.ceiling, WAYS))]
    for system in scores.systems:
        rows.append((f"{system}, same terms", *nowhere, *cells(result.same_terms[system], WAYS)))
        rows.append((f"{system} minus annotators", *nowhere, *cells(result.differences[system], WAYS, signed=True)))
    columns = [TableColumn(each, each, named=True) for each in (*scores.references, *WAYS)]
    title = key if name.startswith(key) else f"{name} {key}"
    about = {"measure": name, "key": key}
    return Table.of(title, columns, rows, kind="against", names="scored", about=about, confidence=scores.confidence)


def notes(scores: AgainstReferences) -> list[str]:
    """Explain the rows and columns."""
    lines = [
        "mean: the mean score against all annotators. best: the score against the annotator with the best score.",
        f"annotators: each annotator scored against {counted(len(scores.references) - 1, 'other')}, averaged. same "
        "terms: the system scored against all annotators except one, averaged over the annotator left out.",
    ]
    return [*lines, *([] if scores.confidence is None else interval_notes(scores.documents))]
