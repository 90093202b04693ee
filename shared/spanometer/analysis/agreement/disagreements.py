"""The places where annotators differ, for adjudication, and their cost in agreement."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Never, Self, Unpack

import numpy as np
import pyarrow as pa
import pyarrow.compute

from ...alignment.places import Places
from ...arrays import arrow_array, as_lists, offsets_by, offsets_of, plain, strings, take_segments
from ...counts.counts import Counts
from ...counts.statistics import Estimate, Resampling
from ...documents.arguments import DrawArguments, SideArguments, SideReading, require_arguments, shares
from ...documents.sides import ANNOTATOR, read_sides, require_no_answers
from ...exceptions import InputError, counted, printable, require_no_more
from ...measures.aligned import require_lengths
from ...measures.base import Measure, signature_of
from ...measures.chance_kappa_f1 import ChanceKappaF1
from ...measures.start_probabilities import kept_probabilities
from ...readers.json.records import json_line
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, TableColumn, amounts, arrow_table, defined_interval
from ..errors.examples import Context, context_of_sides
from ..scores.report import CorpusResult, corpus_size
from .agree import count_jointly, pair_and_joint_measure
from .annotators import (
    DIFFERENCES,
    LabelConfusion,
    count_pair,
    mean_over_pairs,
    named_annotators,
    pair_differences,
    place_costs,
)

SHOWN = 20
"""The maximum number of places, and of pairs of confused labels, that are printed."""

NOTHING = "–"
"""The text for an annotator without a span at a place."""


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
            change is above 0, the others agree better without this annotator. The changes of kappa add up to 0. If
            alpha is left out, its two keys are too.
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
        columns = [column for column in COLUMNS if column.key in self.values]
        team = {"kappa_f1": self.mean_kappa_f1, "alpha": self.alpha}
        rows: list[Any] = [(("all", "bold"), self.spans.sum(), *(team.get(column.key) for column in columns)), None]
        for place in self.order:
            intervals = {key: defined_interval(bounds[:, place]) for key, bounds in self.intervals.items()}
            values = ((self.values[each.key][place], intervals.get(each.key)) for each in columns)
            rows.append(((self.names[place], "cyan"), self.spans[place], *values))
        return Table.of("annotator", [*amounts("spans"), *columns], rows, kind="annotators", confidence=self.confidence)

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        annotators = {}
        for place, name in enumerate(self.names):
            values = {key: each[place] for key, each in self.values.items()}
            intervals = {key: bounds[:, place] for key, bounds in self.intervals.items()}
            annotators[name] = {"spans": self.spans[place], **values, "intervals": intervals}
        team = {"mean_kappa_f1": self.mean_kappa_f1, "alpha": self.alpha}
        return dict(plain({**team, "annotators": annotators, "signatures": self.signatures}))


class LeaveOneOutArguments(DrawArguments, total=False):
    """Arguments for resampling, and for the measures of `Disagreements.leave_one_out`."""

    placement: str
    method: str
    uniform_threshold: float
    average: str
    zero_division: float


class Disagreements(CorpusResult):
    """The result of `disagreements`: all places where annotators differ.

    Its tables are `places`, a row for each place; `kinds`, the number of places with each kind of difference;
    `confused`, the pairs of confused labels; and `confusion`, the matrix of labels.

    Attributes:
        names: the annotators.
        sides: the spans of each annotator, with common labels.
        places: the places where they differ, with each annotator's spans there, in text order; see `Places`.
        cost: the cost of each place, in the same order, see `place_costs`.
        level: the unit of the costs, `token` or `span`.
        match_labels: False if only boundaries are compared.
        reading: how the spans were read, for signatures.
        context: the words and lines of the documents, if known.
    """

    names: tuple[str, ...]
    sides: tuple[Spans, ...]
    places: Places
    cost: np.ndarray
    level: str
    match_labels: bool
    reading: Mapping[str, object]
    context: Context = field(default_factory=Context)

    def __len__(self) -> int:
        """Count the places."""
        return len(self.places)

    @property
    def signature(self) -> str:
        """The options of reading and the unit of the costs."""
        return signature_of("disagreements", {**self.reading, "match_labels": self.match_labels, "level": self.level})

    @property
    def mean_f1(self) -> float:
        """The mean F1 over all pairs of annotators, which is 1 minus the sum of the costs of all disagreements.

        The F1 of two annotators without spans is 1.
        """
        return float(1 - self.cost.sum())

    @cached_property
    def _differences(self) -> tuple[np.ndarray, LabelConfusion]:
        return pair_differences(self.places, self.sides)

    @property
    def kinds(self) -> np.ndarray:
        """The number of differences of each kind at each place, int64, shape (places, kinds), see `DIFFERENCES`."""
        return self._differences[0]

    @property
    def confusions(self) -> LabelConfusion:
        """The labels that annotators confuse."""
        return self._differences[1]

    @cached_property
    def order(self) -> np.ndarray:
        """The indices of the places, the highest cost first; then by the number of differences, then in text order."""
        # rounding makes equal sums equal: the order of summing changes their last bits
        return np.lexsort((-self.kinds.sum(axis=1), -np.round(self.cost, 12)))

    @shares(LeaveOneOutArguments, ChanceKappaF1)
    def leave_one_out(
        self,
        *,
        variant: str | None = "2016",
        confidence: float | None = 0.95,
        **arguments: Unpack[LeaveOneOutArguments],
    ) -> LeaveOneOut:
        """Compute the team's agreement without each annotator in turn.

        Args:
            variant: the variant of alpha; None leaves out alpha.
            confidence: the confidence level of the intervals over documents; None computes no intervals.
            **arguments: `placement`, `method`, `uniform_threshold`, `average` and `zero_division` of the measures, see
                `agreement`; `interval_method`, `n_resamples` and `seed` of the intervals, see `statistics.Resampling`.

        Raises:
            InputError: if there are fewer than three annotators, if document lengths are unknown, or if a measure is
                undefined for the spans.
        """
        require_arguments(Disagreements.leave_one_out, arguments)
        own = {"match_labels": self.match_labels, "level": self.level, "variant": variant}
        resampling = Resampling.chosen(confidence, arguments)
        require_lengths(self.sides[0].lengths, "the F1 expected by chance")
        chance, alpha = pair_and_joint_measure({**arguments, **own})
        annotated = {f"{ANNOTATOR}{name}": side for name, side in zip(self.names, self.sides, strict=True)}
        count = len(annotated)
        if count < 3:
            problem = f"leaving one annotator out needs at least three annotators, got {count}."
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
        of_team = math.nan
        if alpha is not None:
            teams = [annotated, *({name: annotated[name] for name in annotated if name != out} for out in annotated)]
            joint = _headlines(alpha, [count_jointly(team, alpha, per_document=kept) for team in teams], resampling)
            values |= {"alpha": joint[1:], "alpha_change": joint[1:] - joint[:1]}
            of_team = float(joint.point[0])
        return LeaveOneOut(
            names=self.names,
            spans=np.array(list(map(len, self.sides))),
            mean_kappa_f1=float(means.point[0, 0]),
            alpha=of_team,
            values={key: each.point for key, each in values.items()},
            intervals={} if confidence is None else {key: each.bounds(confidence) for key, each in values.items()},
            confidence=confidence,
            signatures={each.name: each.signature(self.reading, resampling) for each in (chance, alpha) if each},
        )

    def with_context(self, context: Context) -> Self:
        """Return a copy with the words and lines of the documents."""
        return replace(self, context=context.fitting(self.places.spans))

    def to_arrow(self) -> pa.Table:
        """Convert to an Arrow table with a row for each place, the highest cost first.

        Its columns are `document` (from 1), `name` and `line` if known, `start` and `end` (exclusive) in tokens,
        `kinds` (a list of names, see `DIFFERENCES`), `differences` (the number of differences of pairs), `cost`, with
        words also `before`, `text` and `after`, and `readings`: the different annotations of the place, the most
        frequent first. Each reading has `annotators` (names) and `spans` with `start`, `end`, `label`, with words also
        `text`, and `fragments` if there are discontinuous spans.
        """
        places, order = self.places, self.order
        document, start, end = (column[order] for column in (places.document, places.start, places.end))
        row, kind = np.nonzero(self.kinds[order])
        counts, taken = take_segments(offsets_by(places.readings.place, len(self)), order)
        columns = {
            **self.context.places(document, start, places.offsets),
            "start": arrow_array(start.astype(np.int32)),
            "end": arrow_array(end.astype(np.int32)),
            "kinds": as_lists(offsets_by(row, len(order)), strings(kind, tuple(DIFFERENCES))),
            "differences": arrow_array(self.kinds[order].sum(axis=1)),
            "cost": arrow_array(self.cost[order]),
            **self.context.texts(document, start, end),
            "readings": as_lists(offsets_of(counts), self._readings().take(arrow_array(taken))),
        }
        return pa.table(columns)

    def to_json_lines(self) -> str:
        """Write a line of JSON for each place, see `to_arrow`."""
        return "".join(map(json_line, self.to_arrow().to_pylist()))

    def parts(self) -> Iterator[Part]:
        """Yield the size, the kinds of differences, confused labels, and the first places."""
        yield from (*super().parts(), Copyable(self.signature))

    @property
    def size(self) -> str:
        """The size of the corpus and the number of places, in words."""
        return f"{super().size}; {self.number}"

    @property
    def number(self) -> str:
        """The number of places in words."""
        return f"{counted(len(self), 'place')} where {counted(len(self.names), 'annotator')} differ"

    def lines(self) -> Iterator[Part]:
        """Yield what `parts` yields, but leave out the size of the corpus and the signature."""
        yield from ("", kind_table(self))
        if self.confusions.confused():
            yield from ("", self.confusions.table(SHOWN))
        yield from ("", *shown_places(self))

    def tables(self) -> list[Table]:
        """List all tables."""
        return [place_table(self), kind_table(self), *self.confusions.tables()]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON."""
        return {
            "annotators": list(self.names),
            "documents": self.documents,
            "tokens": self.tokens,
            "mean_f1": self.mean_f1,
            "places": self.to_arrow().to_pylist(),
            "confusions": self.confusions.to_dict(),
            "signature": self.signature,
        }

    def _readings(self) -> pa.StructArray:
        """Convert all readings to structs."""
        readings, spans = self.places.readings, self.places.spans
        row, annotator = np.nonzero(readings.annotators)
        annotators = as_lists(offsets_by(row, len(readings)), strings(annotator, self.names))
        chosen = readings.span
        bounds = {name: arrow_array(getattr(spans, name)[chosen]) for name in ("start", "end")}
        columns = {**bounds, "label": strings(spans.label[chosen], spans.labels)}
        if self.context.wording is not None:
            columns["text"] = self.context.wording.of(spans).take(arrow_array(chosen))
        if spans.fragments is not None:
            pieces = spans.fragments.take(chosen)
            flat = arrow_array(np.stack([pieces.start, pieces.end], axis=1).astype(np.int32).ravel())
            columns["fragments"] = as_lists(pieces.offsets, as_lists(np.arange(0, len(flat) + 1, 2), flat))
        spans_read = as_lists(readings.offsets, pa.StructArray.from_arrays(list(columns.values()), list(columns)))
        return pa.StructArray.from_arrays([annotators, spans_read], ["annotators", "spans"])


def _headlines(measure: Measure, counts: Sequence[Counts], resampling: Resampling | None) -> Estimate:
    """Estimate the main score of each of several counts."""
    return measure.joint_estimates(counts, resampling)[measure.headline][-1]


@shares(SideArguments)
def disagreements(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    names: Sequence[str] | None = None,
    words: Any = None,
    match_labels: bool = True,
    level: str = "token",
    **arguments: Unpack[SideArguments],
) -> Disagreements:
    """Find all places where two or more annotators of the same documents differ, for adjudication.

        result = spanometer.disagreements({"ann": tags_of_ann, "ben": tags_of_ben, "cat": tags_of_cat}, words=words)
        result.to_arrow(), result.to_frame(), result.to_json_lines(), result.to_csv("places")
        result.confusions.confused()

    A place is a group of overlapping spans that not all annotators have, see `alignment.places.Places`. Its cost is the
    amount by which the mean F1 of pairs would rise if all annotators agreed there, see `place_costs`.

    Args:
        annotations, names: the annotations and names of the annotators, see `agreement`: tags, `Spans` (also nested or
            discontinuous), or files read by `spanometer.read`.
        words: the words of each document, to show texts; files have their own.
        match_labels: False compares only boundaries.
        level: the unit of the costs: `token`, as in the F1 of `agreement`, or `span`. If only some annotators split a
            span into two of the same label, this costs nothing with `token`, because all have the same tokens.
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two annotators, or if annotations cannot be read or compared; the error
            names the annotator.
    """
    require_no_more(more, "Pass all annotators as one list, or as one mapping such as {'ann': ..., 'ben': ...}.")
    measure = ChanceKappaF1(match_labels=match_labels, level=level)
    options = SideReading.of(disagreements, arguments).for_annotators()
    read = read_sides(require_no_answers(named_annotators(annotations, names)), options)
    sides, reading = read.with_common_labels(match=measure.match_labels), read.reading
    spans = tuple(sides.values())
    places = Places(spans)
    return Disagreements(
        names=tuple(name.removeprefix(ANNOTATOR) for name in sides),
        sides=spans,
        places=places,
        cost=place_costs(places, level),
        level=level,
        **corpus_size(spans[0], reading),
        match_labels=measure.match_labels,
        reading=reading,
        context=context_of_sides(read, words).fitting(places.spans),
    )


def kind_table(disagreements: Disagreements) -> Table:
    """Return a table by kind of difference: the number of places with it, of differences of pairs, and their cost.

    A place can have several kinds, so the rows need not add up to the last row.
    """
    kinds, cost, total = disagreements.kinds, disagreements.cost, len(disagreements)
    there, sums, costs = (kinds > 0).sum(axis=0), kinds.sum(axis=0), cost @ (kinds > 0)
    columns_of_kinds = zip(DIFFERENCES, there, there / max(total, 1), sums, costs, strict=True)
    rows: list[Sequence[Any] | None] = [((name, "cyan"), *values) for name, *values in columns_of_kinds]
    rows += [None, ("all places", total, 1.0 if total else 0.0, kinds.sum(), cost.sum())]
    columns = [*amounts("places"), TableColumn("share", kind="share"), *amounts("differences"), TableColumn("cost")]
    return Table.of("kind", columns, rows, kind="kinds")


def place_table(disagreements: Disagreements) -> Table:
    """Return a table of places, the highest cost first, with a column for each annotator's spans."""
    places = disagreements.to_arrow()
    kinds, own = places.column_names.index("kinds"), places.column_names[:-1]
    rows = places.select(own).set_column(kinds, "kinds", pa.compute.binary_join(places["kinds"], ", "))
    of_places = places["readings"].to_pylist()
    readings = [{name: reading_text(each) for each in place for name in each["annotators"]} for place in of_places]
    for name in disagreements.names:
        # an annotator may have the name of another column
        head = f"annotator {name}" if name in own else name
        rows = rows.append_column(head, pa.array([of_place[name] for of_place in readings], pa.string()))
    return arrow_table(rows, left=len(own), kind="places")


def reading_text(reading: Mapping[str, Any]) -> str:
    """Write the spans of a reading in one line, such as `ORG Acme Inc | LOC Rome`.

    Without words, write their offsets.
    """
    texts = []
    for span in reading["spans"]:
        pieces = span.get("fragments") or [(span["start"], span["end"])]
        covered = span["text"] if "text" in span else " ".join(f"{start}–{end}" for start, end in pieces)
        texts.append(f"{span['label']} {covered}")
    return " | ".join(texts) or NOTHING


def shown_places(disagreements: Disagreements) -> Iterator[Part]:
    """Yield the first places as lines: position, text, and the spans of each annotator."""
    wording = disagreements.context.wording
    if len(disagreements) > SHOWN:
        yield from (f"the {SHOWN:,} most costly of {len(disagreements):,} places:", "")
    for row in disagreements.to_arrow().slice(0, SHOWN).to_pylist():
        text = row.get("text", f"{row['start']}–{row['end']}")
        where = [f"line {row['line']}"] if row.get("line") else []
        where += [f"document {row.get('name', row['document'])}", f"cost {row['cost']:.2g}"]
        yield [(printable(text), "bold"), f"  {', '.join(row['kinds'])}  ", (", ".join(where), "dim")]
        if wording is not None:
            around = (row["before"], row["text"], row["after"])
            yield [("  ", ""), printable(wording.shown.separator.join(part for part in around if part))]
        for reading in row["readings"]:
            names = ", ".join(reading["annotators"])
            yield [(f"  {printable(names)}: ", "dim"), printable(reading_text(reading))]
        yield ""
