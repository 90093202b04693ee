"""Places where annotators differ, for adjudication: who says what there, and what it costs the agreement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Never, Self

import numpy as np
import pyarrow as pa

from ..alignment.places import Places
from ..arrays import arrow_array, as_lists, offsets_by, strings, take_segments
from ..counts.statistics import Resampling
from ..errors import counted, require_choice, require_no_more
from ..measures.aligned import require_lengths
from ..measures.base import signature_of
from ..measures.chance_kappa_f1 import ChanceKappaF1
from ..measures.unitizing_alpha import UnitizingAlpha
from ..readers.pairing import Pairing
from ..readers.sides import read_sides, require_no_answers
from ..spans.spans import Spans
from ..tables.result import Result
from ..tables.table import Copyable, Part, Table
from ..tags.schemes import LabelChoice
from .agreement import AVERAGES
from .annotator_pairs import DIFFERENCES, LabelConfusion, PairDifferences
from .annotators import ANNOTATOR, named_annotators
from .contexts import Context, context_of_documents, context_of_words
from .disagreement_tables import difference_table, kind_table, place_table, shown_places
from .leave_one_out import LeaveOneOut, leave_one_out
from .place_costs import place_costs

SHOWN = 20
"""How many places are printed."""

_MOST_CONFUSED = 20


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Disagreements(Result):
    """The result of `disagreements`: every place where annotators differ.

    Its tables are `places`, a row for each; `kinds`, how many places have each kind of difference; `differing`, at how
    many places each pair of annotators differs; `confused`, the labels that are confused, and `confusion`, the matrix.

    Attributes:
        names: the annotators.
        sides: the spans of each, with common labels.
        places: where they differ, and what each says there, in the order of the text; see `Places`.
        cost: of each place, in that order, see `place_costs`.
        level: what costs are counted in, `token` or `span`.
        documents, tokens: the size of the corpus; tokens is None if the documents' lengths are not known.
        unit: what tokens are: `token`, or `character`.
        labels: `match`, or `ignore` if only extents are compared.
        reading: how the spans were read, for signatures.
        context: the words and lines of the documents, as far as they are known.
    """

    names: tuple[str, ...]
    sides: tuple[Spans, ...]
    places: Places
    cost: np.ndarray
    level: str
    documents: int
    tokens: int | None
    unit: str
    labels: str
    reading: Mapping[str, object]
    context: Context = field(default_factory=Context)

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.places)

    @property
    def signature(self) -> str:
        """How the spans were read, and what costs are counted in."""
        return signature_of("disagreements", {**self.reading, "labels": self.labels, "level": self.level})

    @property
    def mean_f1(self) -> float:
        """The mean F1 of pairs of annotators: 1 minus the costs of all places; two without any span have F1 1."""
        return float(1 - self.cost.sum())

    @cached_property
    def differences(self) -> PairDifferences:
        """What is different between each two annotators; computed when it is asked for."""
        return PairDifferences.of(self.places, self.sides)

    @property
    def kinds(self) -> np.ndarray:
        """Differences of each kind at each place, int64, shape (places, kinds), see `DIFFERENCES`."""
        return self.differences.kinds

    @property
    def confusions(self) -> LabelConfusion:
        """Which labels are confused with which, between people."""
        return self.differences.confusion

    @cached_property
    def order(self) -> np.ndarray:
        """The places by cost, the highest first; of equal ones those with more differences, then as in the text."""
        # sums of the same numbers in another order differ in their last bits
        return np.lexsort((-self.kinds.sum(axis=1), -np.round(self.cost, 12)))

    def leave_one_out(
        self,
        *,
        placement: str = "disjoint",
        method: str = "exact",
        uniform_threshold: float = 0.99,
        variant: str | None = "2016",
        average: str = "micro",
        zero_division: float = 0.0,
        confidence: float | None = 0.95,
        interval_method: str = "bca",
        n_resamples: int = 1000,
        seed: int = 0,
    ) -> LeaveOneOut:
        """Compute the team's agreement without each annotator in turn.

        Args:
            placement, method, uniform_threshold, variant, average, zero_division: of both measures, see `agreement`.
            confidence: the level of the intervals, over documents; None makes none.
            interval_method, n_resamples, seed: of the intervals, see `statistics.Resampling`.

        Raises:
            InputError: for fewer than three annotators, unknown lengths of documents, and if a measure is not defined
                on their spans.
        """
        require_choice("average", average, AVERAGES)
        resampling = Resampling.chosen(
            confidence=confidence, interval_method=interval_method, n_resamples=n_resamples, seed=seed
        )
        shared: dict[str, Any] = {"labels": self.labels, "average": average, "zero_division": zero_division}
        chance = ChanceKappaF1(
            level=self.level, placement=placement, method=method, uniform_threshold=uniform_threshold, **shared
        )
        alpha = None if variant is None else UnitizingAlpha(variant=variant, **shared)
        require_lengths(self.sides[0].lengths, "chance")
        annotated = {f"{ANNOTATOR}{name}": side for name, side in zip(self.names, self.sides, strict=True)}
        return leave_one_out(annotated, chance, alpha, resampling, self.reading)

    def with_context(self, context: Context) -> Self:
        """Return the same with the words and lines of the documents."""
        return replace(self, context=context.fitting(self.places.spans))

    @cached_property
    def span_texts(self) -> pa.Array | None:
        """The string that each distinct span covers; None without words."""
        return None if self.context.wording is None else self.context.wording.of(self.places.spans)

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each place, the one that costs most first.

        Its columns are `document` (from 0), `name` and `line` of the place if they are known, `start` and `end`
        (exclusive) in tokens, `kinds` (list of names, see `DIFFERENCES`), `differences` (how many between two people),
        `cost`, with words `before`, `text` and `after`, and `readings`: what is said there, that of most annotators
        first; each has `annotators` (names) and `spans`, with `start`, `end`, `label`, `text` if there are words, and
        `fragments` if there are discontinuous spans.
        """
        places, order = self.places, self.order
        document, start, end = (column[order] for column in (places.document, places.start, places.end))
        columns: dict[str, pa.Array] = {"document": arrow_array(document.astype(np.int32))}
        texts = self.context.surroundings(document, start, end, places.offsets)
        columns |= {name: texts.pop(name) for name in ("name", "line") if name in texts}
        columns |= {"start": arrow_array(start.astype(np.int32)), "end": arrow_array(end.astype(np.int32))}
        row, kind = np.nonzero(self.kinds[order])
        columns["kinds"] = as_lists(offsets_by(row, len(order)), strings(kind, tuple(DIFFERENCES)))
        columns["differences"] = arrow_array(self.kinds[order].sum(axis=1))
        columns["cost"] = arrow_array(self.cost[order])
        columns |= texts
        readings = places.readings
        counts, taken = take_segments(offsets_by(readings.place, len(self)), order)
        columns["readings"] = as_lists(np.append(0, np.cumsum(counts)), self._readings().take(arrow_array(taken)))
        return pa.table(columns)

    def to_json_lines(self) -> str:
        """Return a line of JSON for each place, see `to_arrow`."""
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in self._rows())

    def parts(self) -> Iterator[Part]:
        """Return the size, the kinds of differences, the labels that are confused, and the first places."""
        yield self.size
        yield from self.lines()
        yield Copyable(self.signature)

    @property
    def size(self) -> str:
        """The size of the corpus, and how many places there are, in words."""
        size = counted(self.documents, "document")
        size = size if self.tokens is None else f"{size}, {counted(self.tokens, self.unit)}"
        return f"{size}; {self.number}"

    @property
    def number(self) -> str:
        """How many places there are, in words."""
        return f"{counted(len(self), 'place')} where {counted(len(self.names), 'annotator')} differ"

    def lines(self) -> Iterator[Part]:
        """Return the same without the size and the signature."""
        yield from ("", kind_table(self), "", difference_table(self))
        if self.confusions.confused():
            yield from ("", self.confusions.table(_MOST_CONFUSED))
        yield from ("", *shown_places(self, SHOWN))

    def tables(self) -> list[Table]:
        """Return all tables."""
        return [place_table(self), kind_table(self), difference_table(self), *self.confusions.tables()]

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON."""
        return {
            "annotators": list(self.names),
            "documents": self.documents,
            "tokens": self.tokens,
            "mean_f1": self.mean_f1,
            "places": self._rows(),
            "differing_places": self.differences.places.tolist(),
            "confusions": self.confusions.to_dict(),
            "signature": self.signature,
        }

    def _rows(self) -> list[dict[str, Any]]:
        return list(self.to_arrow().to_pylist())

    def _readings(self) -> pa.StructArray:
        """Return all readings as structs."""
        readings, spans = self.places.readings, self.places.spans
        row, annotator = np.nonzero(readings.annotators)
        annotators = as_lists(offsets_by(row, len(readings)), strings(annotator, self.names))
        chosen = readings.span
        bounds = {name: arrow_array(getattr(spans, name)[chosen]) for name in ("start", "end")}
        columns = {**bounds, "label": strings(spans.label[chosen], spans.labels)}
        if self.span_texts is not None:
            columns["text"] = self.span_texts.take(arrow_array(chosen))
        if spans.fragments is not None:
            pieces = spans.fragments.take(chosen)
            flat = arrow_array(np.stack([pieces.start, pieces.end], axis=1).astype(np.int32).ravel())
            pairs = as_lists(np.arange(0, len(flat) + 1, 2), flat)
            columns["fragments"] = as_lists(pieces.offsets, pairs)
        said = as_lists(readings.offsets, pa.StructArray.from_arrays(list(columns.values()), list(columns)))
        return pa.StructArray.from_arrays([annotators, said], ["annotators", "spans"])


def disagreements(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    names: Sequence[str] | None = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    prefix: bool = True,
    id2label: Any = None,
    ignore_index: int | None = -100,
    lengths: Any = None,
    words: Any = None,
    pairing: Pairing | None = None,
    label_map: Mapping[str, str] | None = None,
    ignore_labels: Sequence[str] | None = None,
    labels: str = "match",
    level: str = "token",
) -> Disagreements:
    """Find every place where two or more annotators of the same documents differ, for adjudication.

        found = spanometer.disagreements({"ann": tags_of_ann, "ben": tags_of_ben, "cat": tags_of_cat}, words=words)
        found.to_arrow(), found.to_frame(), found.to_json_lines(), found.to_csv("places")
        found.confusions.confused()

    A place is a group of overlapping spans that not all annotators have, see `alignment.places.Places`. Its cost is the
    part of 1 - mean F1 of pairs that lies there, see `place_costs`: the mean would rise by so much if all agreed there.

    Args:
        annotations, names: of each annotator, as for `agreement`: tags, `Spans` of any kind (nested, discontinuous), or
            files as `spanometer.read` gives them.
        scheme, repair, prefix, id2label, ignore_index, lengths: of tags and spans, see `agreement`.
        words: the words of each document, for texts; files bring their own.
        pairing: of files, how they are brought into one unit.
        label_map, ignore_labels: which labels are compared, and as what, see `schemes.LabelChoice`.
        labels: `match`, or `ignore` to compare extents alone.
        level: what costs are counted in: `token`, as F1 of `agreement` is, or `span`. Under `token` a span that only
            some split into two of the same label costs nothing, as all have the same tokens.

    Raises:
        InputError: for fewer than two annotators, and for annotations that cannot be read or compared; it names
            the annotator.
    """
    require_no_more(more, "Pass all annotators together, as a list or by their names, {'ann': ..., 'ben': ...}.")
    measure = ChanceKappaF1(labels=labels, level=level)
    choice = LabelChoice(label_map=label_map, ignore_labels=ignore_labels)
    given = require_no_answers(named_annotators(annotations, names))
    read = read_sides(
        given,
        pairing,
        choice,
        scheme=scheme,
        repair=repair,
        prefix=prefix,
        lengths=lengths,
        id2label=id2label,
        ignore_index=ignore_index,
    )
    sides, reading, file = read.with_common_labels(measure.labels), read.reading, read.file
    spans = tuple(sides.values())
    places = Places.of(spans)
    known = spans[0].lengths
    found = Disagreements(
        names=tuple(name.removeprefix(ANNOTATOR) for name in sides),
        sides=spans,
        places=places,
        cost=place_costs(places, level),
        level=level,
        documents=spans[0].documents,
        tokens=None if known is None else int(known.sum()),
        unit=str(reading.get("unit", "token")),
        labels=labels,
        reading=reading,
    )
    return found.with_context(context_of_words(words) if file is None else context_of_documents(file, reading))
