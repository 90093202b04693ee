"""Agreement of any number of annotators: of each pair, of all jointly, and without each of them in turn."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Any, Never, Unpack

import numpy as np

from ...alignment.overlaps import Alignment, lay_out
from ...arrays import plain
from ...counts.counts import Column, Counts
from ...counts.statistics import Estimate, Resampling
from ...documents.arguments import DrawnSideArguments, SideReading, shares
from ...documents.joining import naming_documents
from ...documents.sides import read_sides
from ...exceptions import InputError, require_choice, require_kind, require_no_more, setting
from ...measures.aligned import require_lengths
from ...measures.base import SHARED, Measure
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.gamma import Gamma
from ...measures.start_probabilities import kept_probabilities
from ...measures.unitizing_alpha import UnitizingAlpha
from ...options import made
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, TableColumn, amounts, defined_interval
from ..scores.measure_result import NamedDocuments, count_in_blocks, notes_of
from .agreement import KEYS, Agreement, AgreementValues
from .annotators import ANNOTATOR, count_pair, matrices_of, mean_over_pairs, named_annotators
from .chance import Simulated, simulate

AVERAGES = ("micro", "macro")
"""The averages over labels that treat annotators alike; `weighted` uses the weights of one annotator."""


class AgreementArguments(DrawnSideArguments, total=False):
    """Arguments for reading, for resampling and for the measures of agreement.

    Attributes:
        level, placement, method, uniform_threshold: the options of the chance level, see `measures.ChanceKappaF1`.
        n_simulations: the number of random annotations, in which the spans of all annotators are placed at random; 0
            means none. They give the chance distribution and a p-value for every pair, for the means of pairs and for
            alpha, over the corpus and for each label; see `simulated`. With `per_document` also for the mean of each
            document. The p-value is (1 + simulations that reach the observed value) / (1 + simulations). The p-value of
            a pair's f1 is also the p-value of its kappa_f1, and the p-value of `mean_f1` is also the p-value of
            `team_kappa_f1`. With the placement `independent` alpha is undefined and has no p-value. Gamma uses its own
            random annotations (`samples`), unless `average` is `macro`.
        match_labels: False compares only boundaries, see `measures.AlignedMeasure`; all spans then have the label `_`.
        average: the average over labels, `micro` or `macro`.
        zero_division: the value of a ratio with denominator 0.
    """

    level: str
    placement: str
    method: str
    uniform_threshold: float
    n_simulations: int
    match_labels: bool
    average: str
    zero_division: float


@shares(AgreementArguments, ChanceKappaF1)
def agreement(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    names: Sequence[str] | None = None,
    variant: str | None = "2016",
    gamma: Gamma | None = None,
    per_document: bool = False,
    confidence: float | None = None,
    **arguments: Unpack[AgreementArguments],
) -> Agreement:
    """Compute the agreement of two or more annotators of the same documents, observed and corrected for chance.

    F1, chance F1 and F1 corrected for chance (`measures.ChanceKappaF1`) are computed for each pair of annotators. There
    are two values for the whole team:

        mean_kappa_f1 = the mean of (f1 - chance_f1) / (1 - chance_f1) over pairs
        team_kappa_f1 = (mean_f1 - mean_chance_f1) / (1 - mean_chance_f1)

    (The paper on the chance level considers only two annotators.) `mean_chance_f1` is the expected mean F1 of all pairs
    if all spans are placed at random; `team_kappa_f1` corrects the mean F1 for it. `team_kappa_f1` is also the mean of
    the pairs' kappa_f1 weighted by 1 - chance_f1, so both values are equal if all pairs have the same chance level. An
    example in which they differ: in a document of 4 tokens, two annotators have the span 0 to 3 and one has the span 0
    to 1. The first pair has chance F1 5/6 and kappa_f1 1; the other two pairs have 3/8 and 1/5. `mean_kappa_f1` is
    7/15. `mean_f1` is 2/3 and `mean_chance_f1` 19/36, so `team_kappa_f1` is 5/17: the perfect pair counts less, because
    its chance level is high.

    Alpha (`measures.UnitizingAlpha`) is a joint value: it compares the disagreement of all pairs with the disagreement
    expected from the units and gaps of all annotators together. Gamma (`measures.Gamma`) is joint, too.

        result = spanometer.agreement({"ann": tags_of_ann, "ben": tags_of_ben, "cat": tags_of_cat})
        result.kappa_f1[0, 2], result.mean_kappa_f1, result.alpha, result.per_label["PER"].alpha

    Args:
        annotations: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or a file read by `spanometer.read`; a mapping also gives their names.
        names: the annotators' names, by default `1`, `2`, `3` ...
        variant: the variant of alpha, `1995` or `2016`. None leaves out alpha, which is undefined if an annotator's
            spans of a label overlap.
        gamma: `measures.Gamma()`, with its options, computes gamma and gamma-cat of all annotators jointly. It uses
            `match_labels`, `average` and `zero_division` of the agreement. None leaves out gamma.
        per_document: whether to compute the values of each document too.
        confidence: the confidence level of intervals; None computes no intervals. Intervals come from resampled
            documents, the same for all annotators. Each pair, the means of pairs, alpha and gamma (whose chance level
            counts as known) have intervals, over the corpus and for each label. With a single document there are no
            intervals, but there are p-values.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`;
            how corpora are resampled for intervals: `interval_method`, `n_resamples` and `seed` (also the seed of
            simulations), see `arguments.DrawArguments`; and the options of the measures: `level`, `placement`,
            `method`, `uniform_threshold`, `n_simulations`, `match_labels`, `average` and `zero_division`, see
            `AgreementArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two annotators, or if annotations cannot be read or compared; the error
            names the annotator.
    """
    require_no_more(more, "Pass all annotators as one list, or as one mapping by name, {'ann': ..., 'ben': ...}.")
    resampling = Resampling.chosen(confidence, arguments)
    chance, alpha = pair_and_joint_measure({**arguments, "variant": variant})
    if gamma is not None:
        require_kind(gamma, Gamma, "a measure", "Give measures.Gamma(), with its options.", option="gamma")
        gamma = replace(gamma, **{name: value for name, value in chance.options().items() if name in SHARED})
    of_team = [measure for measure in (alpha, gamma) if measure is not None]
    read = read_sides(named_annotators(annotations, names), SideReading.of(agreement, arguments))
    annotated, reading = read.with_common_labels(match=chance.match_labels), read.reading
    called, size = tuple(name.removeprefix(ANNOTATOR) for name in annotated), len(annotated)
    first = next(iter(annotated.values()))
    lengths, labels = require_lengths(first.lengths, "the F1 by chance"), first.labels
    exact, drawn = replace(chance, n_simulations=0), resampling is not None
    pairs = list(combinations(range(size), 2))
    with kept_probabilities(), naming_documents(read.file):
        counts = [count_pair(annotated, pair, [exact], per_document=per_document or drawn)[0] for pair in pairs]
        alone = [count_pair(annotated, (place, place), [exact], per_document=False)[0] for place in range(size)]
        joint = {measure.name: count_jointly(annotated, measure, per_document=drawn) for measure in of_team}
    of_pairs, estimates = exact.joint_estimates(counts, resampling), dict[str, Estimate]()
    for key in KEYS:
        estimates |= {key: of_pairs[key], f"mean_{key}": Estimate.combined(mean_over_pairs, of_pairs[key])}
    means = estimates["mean_f1"], estimates["mean_chance_f1"]
    estimates["team_kappa_f1"] = Estimate.combined(exact.corrected, *means)
    for measure in of_team:
        of_all = measure.joint_estimates([joint[measure.name]], resampling)
        estimates |= {key: each[..., 0] for key, each in of_all.items()}
    points = {key: each.point for key, each in estimates.items()}
    matrices = {key: matrices_of(points[key], size, 1.0) for key in KEYS}
    matrices["chance_f1"][:, range(size), range(size)] = exact.joint_estimates(alone, None)["chance_f1"].point
    bounds = {} if resampling is None else {key: each.bounds(resampling.confidence) for key, each in estimates.items()}
    bounds |= {key: matrices_of(bounds[key], size, math.nan) for key in KEYS if bounds}
    simulated, p_values = dict[str, Simulated](), np.zeros(0)
    if chance.n_simulations:
        simulated, p_values = simulate(annotated, chance, alpha, counts, points, per_document=per_document)
    of_documents = [exact.document_scores(of_pair) for of_pair in counts] if per_document else []
    columns = {name: Column(side.document, side.label) for name, side in annotated.items()}
    spans = np.array([np.bincount(side.label, minlength=len(labels)) for side in annotated.values()])
    places = range(len(labels) + 1)
    of_places: dict[str, Any] = {
        **{key: values.tolist() for key, values in points.items()},
        **matrices,
        "spans": [*spans.T, spans.sum(axis=1)],
        "documents": [*Counts(columns, labels, len(lengths)).documents_by_label().values(), len(lengths)],
        "simulated": [{key: each[place] for key, each in simulated.items()} for place in places],
        "intervals": [{key: each[:, place] for key, each in bounds.items()} for place in places],
    }
    if simulated and gamma is not None and chance.average == "micro":
        of_places["simulated"][-1]["gamma"] = Simulated(points["gamma"][-1], gamma.simulated(joint[gamma.name]))
    values = [dict(zip(of_places, row, strict=True)) for row in zip(*of_places.values(), strict=True)]
    noted = {" - ".join(pair): of_pair for pair, of_pair in zip(combinations(called, 2), counts, strict=True)}
    return Agreement(
        names=called,
        named_documents=NamedDocuments.of(read.file),
        tokens=int(lengths.sum()),
        **values.pop(),
        per_label={label: AgreementValues(**of_label) for label, of_label in zip(labels, values, strict=True)},
        signatures={measure.name: measure.signature(reading, resampling) for measure in (chance, *of_team)},
        per_document={key: np.stack([scores[key] for scores in of_documents]) for key in KEYS if of_documents},
        confidence=confidence,
        document_p_values=p_values,
        n_simulations=chance.n_simulations,
        notes=(*notes_of(chance, noted), *(() if alpha is None else notes_of(alpha, {"alpha": joint[alpha.name]}))),
    )


def pair_and_joint_measure(values: Mapping[str, Any]) -> tuple[ChanceKappaF1, UnitizingAlpha | None]:
    """Create the measure of pairs, and the joint measure of all annotators, each from the options that it has.

    If the value of `variant` is None, alpha is left out.
    """
    chance = made(ChanceKappaF1, values)
    require_choice("average", chance.average, AVERAGES)
    return chance, None if values["variant"] is None else made(UnitizingAlpha, values)


def count_jointly(annotated: Mapping[str, Spans], measure: UnitizingAlpha | Gamma, *, per_document: bool) -> Counts:
    """Compute the counts of all annotators together, block by block of documents.

    Args:
        annotated: the annotators' spans, with common labels, by the names that errors use.
        measure: the measure.
        per_document: whether to keep the counts of each document if there are several blocks.

    Raises:
        InputError: if the measure is undefined for an annotator's spans; it names the annotator.
    """

    def count(spans: Sequence[Spans]) -> list[Counts]:
        alignment = Alignment(*spans[:2])
        laid_out = (lay_out(part, alignment.labels, alignment.offsets) for part in spans[2:])
        sides = [alignment.references, alignment.predictions, *laid_out]
        for name, side in zip(annotated, sides, strict=True):
            try:
                measure.require_units(alignment, name, side)
            except InputError as error:
                alpha = isinstance(measure, UnitizingAlpha)
                remedy = f"Set {setting('variant', None)} to leave alpha out." if alpha else "Leave gamma out."
                raise replace(error, remedy=remedy) from None
        return [measure.count_sides(sides, alignment.labels, alignment.offsets)]

    (counts,) = count_in_blocks(list(annotated.values()), count, per_document=per_document)
    return counts


COLUMNS = (
    TableColumn("with_others", "kappa with others"),
    TableColumn("kappa_f1", "kappa without"),
    TableColumn("kappa_change", "change", signed=True),
    TableColumn("alpha", "alpha without"),
    TableColumn("alpha_change", "alpha change", signed=True),
)
"""The columns with the values of each annotator."""


class LeaveOneOut(Result):
    """The agreement of a team, and its agreement without each annotator.

    Its table is `annotators`, a row for each annotator. The one who lowers the agreement most comes first.

    Attributes:
        names: the annotators.
        spans: the number of spans of each annotator.
        mean_kappa_f1: the plain mean of `kappa_f1` over all pairs.
        alpha: alpha of all annotators; NaN if left out.
        values: values for each annotator, shape (annotators), by key. `with_others`: the mean of `kappa_f1` over the
            pairs with this annotator. `kappa_f1`: the mean over the other pairs. `kappa_change`: `kappa_f1` minus
            `mean_kappa_f1`. `alpha`: alpha of the other annotators. `alpha_change`: `alpha` minus alpha of all. If a
            change is above 0, the others agree better without this annotator. The changes of kappa add up to 0.
        intervals: lower and upper bounds by the same keys, shape (2, annotators), all from the same resampled corpora;
            empty without resampling.
        confidence: the confidence level of the intervals; None if there are none.
        signatures: the measures with their options and the options of reading, by the measures' names.
    """

    names: tuple[str, ...]
    spans: np.ndarray
    mean_kappa_f1: float
    alpha: float
    values: Mapping[str, np.ndarray]
    intervals: Mapping[str, np.ndarray] = field(default_factory=dict)
    confidence: float | None = None
    signatures: Mapping[str, str] = field(default_factory=dict)

    @property
    def order(self) -> list[int]:
        """The indices of the annotators, ordered by kappa without them, the highest kappa first."""
        return [int(place) for place in np.argsort(-self.values["kappa_change"], kind="stable")]

    def parts(self) -> Iterator[Part]:
        """Yield the table and the signatures."""
        yield from (self.table(), "", Copyable(*self.signatures.values()))

    def table(self) -> Table:
        """Return a table with a row for the whole team and for each annotator."""
        team = (("all", "bold"), self.spans.sum(), None, self.mean_kappa_f1, None, self.alpha, None)
        rows: list[Sequence[Any] | None] = [team, None]
        for place in self.order:
            intervals = {key: defined_interval(bounds[:, place]) for key, bounds in self.intervals.items()}
            values = ((self.values[each.key][place], intervals.get(each.key)) for each in COLUMNS)
            rows.append(((self.names[place], "cyan"), self.spans[place], *values))
        columns = [*amounts("spans"), *COLUMNS]
        return Table.of("annotator", columns, rows, kind="annotators", confidence=self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        columns = {"spans": self.spans, **{column.key: self.values[column.key] for column in COLUMNS}}
        annotators = {}
        for place, name in enumerate(self.names):
            intervals = {key: bounds[:, place] for key, bounds in self.intervals.items()}
            annotators[name] = {**{key: values[place] for key, values in columns.items()}, "intervals": intervals}
        team = {"mean_kappa_f1": self.mean_kappa_f1, "alpha": self.alpha}
        return dict(plain({**team, "annotators": annotators, "signatures": self.signatures}))


def leave_one_out(
    annotated: Mapping[str, Spans], values: Mapping[str, Any], resampling: Resampling | None, reading: Mapping[str, Any]
) -> LeaveOneOut:
    """Compute the agreement of a team without each annotator in turn.

    Args:
        annotated: the annotators' spans, with common labels and known lengths, by the names that errors use.
        values: the options of the measures, see `pair_and_joint_measure`.
        resampling: how documents are resampled; None computes no intervals.
        reading: how spans were read, for signatures.

    Raises:
        InputError: if there are fewer than three annotators, or if a measure is undefined for their spans.
    """
    chance, alpha = pair_and_joint_measure(values)
    count = len(annotated)
    if count < 3:
        problem = f"to leave one annotator out, you need at least three annotators, got {count}."
        raise InputError(problem, "Give the annotations of three or more annotators.")
    kept, pairs = resampling is not None, list(combinations(range(count), 2))
    with kept_probabilities():
        of_pairs = [count_pair(annotated, pair, [chance], per_document=kept)[0] for pair in pairs]
    kappas = _headlines(chance, of_pairs, resampling)
    there = np.array([[person in pair for pair in pairs] for person in range(count)])
    # pairs that are NaN in the corpus are in no mean
    chosen = np.stack([np.ones_like(there), there, ~there]) & ~np.isnan(kappas.point)
    means = Estimate.combined(lambda drawn: mean_over_pairs(drawn[..., None, None, :], chosen), kappas)
    values = {"with_others": means[1], "kappa_f1": means[2], "kappa_change": means[2] - means[0]}
    team_alpha = math.nan
    if alpha is not None:
        teams = [annotated, *({name: spans for name, spans in annotated.items() if name != out} for out in annotated)]
        joint = _headlines(alpha, [count_jointly(team, alpha, per_document=kept) for team in teams], resampling)
        values |= {"alpha": joint[1:], "alpha_change": joint[1:] - joint[:1]}
        team_alpha = float(joint.point[0])
    confidence = None if resampling is None else resampling.confidence
    nothing = np.full(count, math.nan)
    return LeaveOneOut(
        names=tuple(name.removeprefix(ANNOTATOR) for name in annotated),
        spans=np.array([len(spans) for spans in annotated.values()]),
        mean_kappa_f1=float(means.point[0, 0]),
        alpha=team_alpha,
        values={column.key: values[column.key].point if column.key in values else nothing for column in COLUMNS},
        intervals={} if confidence is None else {key: estimate.bounds(confidence) for key, estimate in values.items()},
        confidence=confidence,
        signatures={each.name: each.signature(reading, resampling) for each in (chance, alpha) if each is not None},
    )


def _headlines(measure: Measure, counts: Sequence[Counts], resampling: Resampling | None) -> Estimate:
    return measure.joint_estimates(counts, resampling)[measure.headline][-1]
