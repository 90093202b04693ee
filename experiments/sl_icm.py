"""Tables 1, 3 and 4 of 'Evaluating Sequence Labeling on the basis of Information Theory' (Amigó et al. 2025).

Increasing monotonicity is also measured on three corpora: the cost of each further lost or wrong token. The
paper defines *increasing monotonicity* of overlap and of noise. If two outputs lose equally many tokens of the
reference, the one that loses them evenly (two and two) is better than the one that loses them unevenly (one and three).
If two outputs add equally many tokens, the one that adds them unevenly is better. Here the reference itself is
transformed (`transformations`): all spans with four or more tokens lose their last one, two or three tokens; all spans
followed by three free tokens get one, two or three of them. The published values are the ticks in Table 1.

Table 4 has two versions: counted as the paper's code does, and with correct span lengths.

    table = Table4(Spans.from_tags(read("es_dev.conll").tags[0]))
    table.cells(PAPER), table.cells(CORRECT)

The paper transforms the reference of MultiCoNER's Spanish development set and scores the results. Nearly all printed
values are reproduced if every span, in reference and output, is one token longer than it should be, as if an exclusive
end were read as an inclusive one. Adjacent spans then share a token. To reproduce this, longer spans are passed to the
measures; the measures themselves are not changed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, cast

import numpy as np

from spanometer.analysis.advice.advise import published_properties
from spanometer.analysis.transformations.mapping import TRANSFORMATIONS, free, matched
from spanometer.analysis.transformations.transformations import (
    Extend,
    SpanTransformation,
    Transformed,
    Truncate,
    lengths_of,
)
from spanometer.exceptions import InputError, counted
from spanometer.measures import Bcubed, IntersectionF, LinkF, SlIcm, SpanF, TokenF, registry
from spanometer.measures.aligned import AlignedMeasure
from spanometer.measures.registry import read_measures
from spanometer.readers.reading import read
from spanometer.spans.spans import Spans, in_order

from .inputs import CONLL03, HIPE, MULTICONER_DEV, Inputs, published_rows, spans_of
from .properties import PropertyCheck, check_properties
from .tables import Cell

MEASURES: dict[str, AlignedMeasure] = {
    "span_f": SpanF(),
    "token_f_IO": TokenF(),
    "token_f_BIOE": TokenF(format="BIOE"),
    "link_f": LinkF(),
    "bcubed": Bcubed(),
    "intersection_f": IntersectionF(cap=True),
    "sl_icm_norm": SlIcm(),
}
"""The columns of Tables 3 and 4."""

_PRINTED = {"token_f_BIOE": "token_f_BIO_BIOE", "sl_icm_norm": "sl_icm"}
"""The rows of Table 1 that have other names in the paper."""

CORPORA: dict[str, tuple[str, dict[str, Any]]] = {
    "MultiCoNER": (MULTICONER_DEV, {}),
    "CoNLL03": (CONLL03, {"columns": [1]}),
    "HIPE": (HIPE, {"columns": ["NE-COARSE-LIT"], "documents": "document_id", "outside": "_"}),
}
"""The files of the corpora, and how they are read."""

STEPS = (1, 2, 3)
"""The numbers of tokens that are lost or added."""

CHANGES: dict[str, tuple[int, str, str, SpanTransformation]] = {
    "lost": (-1, "even", "overlap_increasing", Truncate(tokens=max(STEPS), shortest=max(STEPS) + 1)),
    "added": (1, "uneven", "noise_increasing", Extend(tokens=max(STEPS))),
}
"""For each change: its direction, what the property calls better, the property's name, and the changed spans."""

EPSILON = 1e-9
"""Scores that differ by at most this are equal."""


@dataclass(frozen=True)
class Costs:
    """The cost of a growing error by one measure.

    Attributes:
        steps: how much the first, second and third token (of each changed span) lower the score.
        even: the score if each of an even number of spans has an error of two tokens.
        uneven: the score if they have errors of one and three tokens alternately. The counts of both alternations are
            added, so that it does not matter which spans have the larger error.
    """

    steps: tuple[float, ...]
    even: float
    uneven: float

    @property
    def trend(self) -> str:
        """Whether each further token costs more or less: `rising`, `falling`, `level` or `mixed`."""
        signs = {_sign(after - before) for before, after in pairwise(self.steps)}
        return "mixed" if len(signs) > 1 else {1: "rising", -1: "falling", 0: "level"}[signs.pop()]

    @property
    def better(self) -> str:
        """Which error scores better with the same number of tokens: `even`, `uneven` or `neither`."""
        return {1: "even", -1: "uneven", 0: "neither"}[_sign(self.even - self.uneven)]


def _sign(difference: float) -> int:
    return (difference > EPSILON) - (difference < -EPSILON)


def monotonicity(corpus: str, change: str, inputs: Inputs) -> Iterator[Cell | str]:
    """Let the spans of a corpus lose or get tokens, and compare the property with the printed ticks."""
    file, options = CORPORA[corpus]
    yield from monotonicity_of(read(inputs.path(file), **options).decoded().spans, change)


def monotonicity_of(spans: Spans, change: str) -> Iterator[Cell | str]:
    """Transform a reference without overlapping spans, and score the results; costs are in percentage points."""
    direction, wanted, prop, transformation = CHANGES[change]
    chosen = transformation(spans).spans.end != spans.end
    for name, measure in MEASURES.items():
        costs = costs_of(spans, chosen, direction, measure)
        values = dict(zip(("first", "second", "third"), costs.steps, strict=True))
        values |= {"even": costs.even, "uneven": costs.uneven}
        yield from (Cell(name, column, None, 100 * value, digits=2) for column, value in values.items())
        printed = published_properties()[_PRINTED.get(name, name)][prop]
        yield Cell(name, f"{wanted} is better", printed, costs.better == wanted)
    yield f"{counted(int(chosen.sum()), 'span')} of {len(spans):,} in {counted(spans.documents, 'document')}."


def costs_of(spans: Spans, chosen: np.ndarray, direction: int, measure: AlignedMeasure) -> Costs:
    """Compute the cost of moving the ends of chosen spans by one, two and three tokens, evenly and unevenly.

    Args:
        spans: the reference.
        chosen: whether each span is changed.
        direction: -1 shortens spans, 1 extends them.
        measure: the measure.
    """

    def totals(by: np.ndarray) -> Mapping[str, np.ndarray]:
        return measure.counts(spans, ends_moved(spans, by)).per_label()

    def score(*parts: Mapping[str, np.ndarray]) -> float:
        added = {key: np.sum([part[key] for part in parts], axis=0) for key in parts[0]}
        return float(measure.score_totals(added)[measure.headline])

    by = direction * chosen.astype(np.int32)
    scores = [score(totals(by * step)) for step in (0, *STEPS)]
    rank = np.cumsum(chosen)
    paired = by * (rank <= rank.max(initial=0) // 2 * 2)
    turns = (totals(paired * np.where(rank % 2 == turn, 3, 1)) for turn in (0, 1))
    return Costs(tuple(before - after for before, after in pairwise(scores)), score(totals(2 * paired)), score(*turns))


def ends_moved(spans: Spans, by: np.ndarray) -> Spans:
    """Move the ends of spans, even past the end of their document."""
    return in_order(replace(spans, end=(spans.end + by).astype(np.int32)))


# Tables 1 and 3

TABLE1: Mapping[str, tuple[str, AlignedMeasure, bool]] = {
    row["row"]: (
        row["printed"],
        next(iter(read_measures(row["measure"], registry.MEASURES).values())),
        row["words"] == "yes",
    )
    for row in published_rows("sl_icm_table1")
}
"""Our rows: the printed row with which each is compared, the measure, and whether it gets words for every property."""

_STATED_ELSEWHERE = ("wrong_sequence", "noise", "token_informativeness")
"""The properties that need a condition that the paper does not state."""


@cache
def property_checks(row: str, as_printed: bool) -> Mapping[str, PropertyCheck]:
    """Check the measure of one of our rows for each property."""
    _, measure, words = TABLE1[row]
    return check_properties(measure, words=words, as_printed=as_printed)


def properties(inputs: Inputs) -> Iterator[Cell]:
    """Compare which measure has which formal property."""
    for row in TABLE1:
        yield from _cells(row, property_checks(row, False))


def properties_as_printed(inputs: Inputs) -> Iterator[Cell]:
    """Compare the properties that need an unstated condition, leaving out this condition."""
    for row, (_, _, words) in TABLE1.items():
        if not words:
            checks = property_checks(row, True)
            yield from _cells(row, {name: checks[name] for name in _STATED_ELSEWHERE})


def _cells(row: str, checks: Mapping[str, PropertyCheck]) -> Iterator[Cell]:
    """Yield a cell for each property, with a counterexample if the result is not as printed."""
    for name, check in checks.items():
        published = published_properties()[TABLE1[row][0]][name]
        counterexample = None if check.holds == published else str(check.counterexample)
        yield Cell(row, _words(name), published, check.holds, counterexample=counterexample)


def table3(inputs: Inputs) -> Iterator[Cell]:
    """Score both systems in the examples of Table 2."""
    # the sum is not capped, as printed in the paper
    measures = {**MEASURES, "intersection_f": IntersectionF()}
    for row in published_rows("sl_icm_table3"):
        gold = spans_of(row["gold"], inclusive=True)
        for number, system in enumerate("AB"):
            output = spans_of(row[system], inclusive=True)
            for name, measure in measures.items():
                printed = float(row[name].split(" / ")[number])
                ours = measure.score(measure.counts(gold, output))[measure.headline]
                yield Cell(f"{_words(row['property'])}, {system}", name, printed, ours, digits=3)


def _words(name: str) -> str:
    return name.replace("_", " ")


# Table 4

PAPER, CORRECT = WAYS = "paper", "correct"
"""The two versions of the table."""

_SIZE = (800, 1176)
_MATCHED = ("short_truncation", "short_extension")
"""As many spans of two tokens are changed as there are spans of four tokens."""

_BASES = {"-2": "-1", "-3": "-1", "+2": "+1", "+3": "+1"}
"""The rows that are differences, and the row that is subtracted."""


@dataclass(frozen=True)
class _Evidence:
    """The results of one measure in one version: its score by output, and the costs of tokens in the same spans.

    Spans of four tokens lose tokens; spans followed by three free tokens get tokens.
    """

    score: Mapping[str, float]
    lost: Costs
    added: Costs

    def below(self, first: str, second: str) -> bool:
        """Check whether an output scores below another."""
        return self.score[first] < self.score[second] - EPSILON

    def row_costs(self, sign: str) -> Costs:
        """Compute how much the first, second and third token cost in the rows -1 to -3 or +1 to +3."""
        rows = [self.score["gold"], *(self.score[f"{sign}{tokens}"] for tokens in STEPS)]
        return Costs(tuple(before - after for before, after in pairwise(rows)), np.nan, np.nan)

    def each_costs(self, sign: str) -> bool:
        """Check whether each token costs something in the rows -1 to -3 or +1 to +3."""
        return min(self.row_costs(sign).steps) > EPSILON

    def rows_are(self, sign: str, trend: str) -> bool:
        """Check the trend of the costs in the rows -1 to -3 or +1 to +3."""
        return self.row_costs(sign).trend == trend

    def costs_are(self, change: str, outcome: str) -> bool:
        """Check the trend of the costs of `lost` or `added` tokens, or which distribution is better."""
        costs: Costs = getattr(self, change)
        return outcome in (costs.trend, costs.better)


@dataclass(frozen=True, eq=False)
class Table4:
    """Table 4 in both versions.

    Attributes:
        references: the spans of MultiCoNER's Spanish development set (version 1, 800 sentences), from its tags.

    Raises:
        InputError: if this is another corpus, or if document lengths are unknown.
    """

    references: Spans

    def __post_init__(self) -> None:
        """Check the corpus."""
        size = self.references.documents, len(self.references)
        if size != _SIZE:
            raise InputError(
                f"MultiCoNER's Spanish development set has {_SIZE[1]:,} spans in {_SIZE[0]:,} documents, this corpus "
                f"has {counted(size[1], 'span')} in {counted(size[0], 'document')}.",
                "Read es_dev.conll of MultiCoNER version 1 (SemEval-2022).",
            )

    @cached_property
    def outputs(self) -> dict[str, Transformed]:
        """The transformed reference for each row, as from `spanometer transform --as-spans` with the row's name.

        The changed spans are all spans of four tokens, the first 46 of two tokens, or spans that are alone in their
        sentence. These choices were found by fitting the printed values. Moved spans can pass the ends of sentences
        (see `notes`). In rows +2 and +3 some spans are moved by only one token.
        """
        outputs = {"gold": Transformed(self.references, np.zeros(self.references.documents, dtype=np.int64))}
        for row in published_rows("sl_icm_table4"):
            name = row["output"]
            if name not in outputs:
                outputs[name] = self._transformed(name, match=name in _MATCHED)
        return outputs

    def _transformed(self, name: str, *, match: bool) -> Transformed:
        transformation = free(TRANSFORMATIONS[name])
        chosen = matched(name, transformation, self.references) if match else transformation
        return cast(SpanTransformation, chosen)(self.references)

    @cached_property
    def has_room_for_three(self) -> np.ndarray:
        """The 307 spans of rows +2 and +3: alone, and followed by three tokens if their end is read as inclusive."""
        # no two of them are in the same sentence, so their order does not change
        return np.asarray(self._transformed("+3", match=True).spans.end != self.references.end)

    def as_counted(self, way: str, spans: Spans) -> Spans:
        """Return spans as a version counts them: in the paper's version, one token longer at the end.

        The sentences become so long that no moved span of the paper passes their ends.
        """
        room = 2 * int((self.references.end - self.references.start).max()) + max(STEPS)
        roomy = replace(spans, lengths=lengths_of(self.references) + room)
        return ends_moved(roomy, np.ones(len(spans), dtype=np.int32)) if way == PAPER else roomy

    @cached_property
    def scores(self) -> dict[str, dict[str, dict[str, float]]]:
        """The scores of the outputs, by version, measure and output."""
        scores: dict[str, dict[str, dict[str, float]]] = {}
        for way in WAYS:
            references = self.as_counted(way, self.references)
            predictions = {name: self.as_counted(way, output.spans) for name, output in self.outputs.items()}
            scores[way] = {
                name: {
                    output: measure.score(measure.counts(references, spans))[measure.headline]
                    for output, spans in predictions.items()
                }
                for name, measure in MEASURES.items()
            }
            if way == PAPER:
                pooled = {output: pooled_bcubed(references, spans) for output, spans in predictions.items()}
                scores[way]["bcubed"] = pooled
        return scores

    def cells(self, way: str) -> Iterator[Cell]:
        """Compare the scores of a version with the printed ones."""
        for row in published_rows("sl_icm_table4"):
            output, base = row["output"], _BASES.get(row["output"])
            name = output if base is None else f"{output} (less {base})"
            for measure, score in self.scores[way].items():
                ours = score[output] - (0 if base is None else score[base])
                yield Cell(name, measure, float(row[measure]), ours, digits=3)

    def conclusions(self) -> Iterator[Cell]:
        """Yield what the rows show about increasing monotonicity and the other properties, in both versions.

        The published value is the paper's version, ours is the correct one. Comparisons of even and uneven errors use
        `measures.Bcubed` in both.
        """
        evidence = {(way, name): self._evidence(way, name) for way in WAYS for name in MEASURES}
        for row in published_rows("sl_icm_table4_statements"):
            for name in MEASURES:
                checks = (getattr(evidence[way, name], row["check"]) for way in WAYS)
                yield Cell(row["statement"], name, *(check(*row["arguments"].split()) for check in checks))

    def _evidence(self, way: str, name: str) -> _Evidence:
        spans, measure = self.as_counted(way, self.references), MEASURES[name]
        four = self.references.end - self.references.start == 4
        lost, added = costs_of(spans, four, -1, measure), costs_of(spans, self.has_room_for_three, 1, measure)
        return _Evidence(self.scores[way][name], lost, added)


def table4(way: str, inputs: Inputs) -> Iterator[Cell]:
    """Score transformed references as the paper's code counts, or with correct lengths."""
    return _table(inputs).cells(way)


def conclusions(inputs: Inputs) -> Iterator[Cell]:
    """Yield what the rows show in both versions."""
    return _table(inputs).conclusions()


@cache
def _table(inputs: Inputs) -> Table4:
    return Table4(inputs.multiconer)


def pooled_bcubed(references: Spans, predictions: Spans) -> float:
    """Compute B-cubed F1 as the paper's code does: each token in spans counts once, with its links of all labels.

    A link is a token and a label; the links of a token are those of all spans that contain it. Precision is the mean,
    over the tokens in predicted spans, of the proportion of their predicted links that the reference has too; recall is
    the same with the sides swapped. If no spans overlap, within a label or across labels, this equals
    `measures.Bcubed`. If there are no common links, it is 0.

    Args:
        references, predictions: contiguous spans with known lengths and the same list of labels.
    """
    first, second = _links(references), _links(predictions)
    common = np.minimum(first[1], second[1]) - np.maximum(first[0], second[0])
    shared = np.maximum(common, 0).sum(axis=0)
    if not shared.any():
        return 0.0
    sizes = [(end - start).sum(axis=0) for start, end in (first, second)]
    recall, precision = (float((shared[size > 0] / size[size > 0]).mean()) for size in sizes)
    return 2 * precision * recall / (precision + recall)


def _links(spans: Spans) -> tuple[np.ndarray, np.ndarray]:
    """Return the range of tokens covered by all spans over a token, shape (labels, tokens) each."""
    base = np.concatenate(([0], np.cumsum(lengths_of(spans))))
    first, last = base[spans.document] + spans.start, base[spans.document] + spans.end
    token = np.arange(base[-1])
    end = np.zeros((len(spans.labels), len(token)), dtype=np.int64)
    np.maximum.at(end, (spans.label, first), last)
    # spans of earlier documents end before the token, those of later ones begin after it
    end = np.maximum(np.maximum.accumulate(end, axis=1), token)
    start = np.full_like(end, len(token))
    np.minimum.at(start, (spans.label, last - 1), first)
    start = np.minimum(np.minimum.accumulate(start[:, ::-1], axis=1)[:, ::-1], token)
    covered = end > token
    return np.where(covered, start, token), np.where(covered, end, token)
