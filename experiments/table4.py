"""Table 4 of the SL-ICM paper in two versions: counted as the paper's code does, and with correct span lengths.

    table = Table4(Spans.from_tags(read("es_dev.conll").tags[0]))
    table.cells(PAPER), table.cells(CORRECT)

The paper transforms the reference of MultiCoNER's Spanish development set and scores the results. Nearly all printed
values are reproduced if every span, in reference and output, is one token longer than it should be, as if an exclusive
end were read as an inclusive one. Adjacent spans then share a token. To reproduce this, longer spans are passed to the
measures; the measures themselves are not changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import cast

import numpy as np

from spanometer.analysis.transformations.mapping import TRANSFORMATIONS, free, matched
from spanometer.analysis.transformations.transformations import SpanTransformation, Transformed, lengths_of
from spanometer.exceptions import InputError, counted
from spanometer.spans.spans import Spans

from .inputs import Inputs
from .monotonicity import EPSILON, MEASURES, STEPS, Costs, costs_of, ends_moved
from .published import published_rows
from .tables import Cell

PAPER, CORRECT = WAYS = "paper", "correct"
"""The two versions of the table."""

_SIZE = (800, 1176)
_MATCHED = ("short_truncation", "short_extension")
"""As many spans of two tokens are changed as there are spans of four tokens."""

_BASES = {"-2": "-1", "-3": "-1", "+2": "+1", "+3": "+1"}
"""The rows that are differences, and the row that is subtracted."""


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

    def notes(self) -> Iterator[str]:
        """Yield the numbers of changed spans, and of spans that pass the end of their sentence."""
        lengths, outputs = lengths_of(self.references), self.outputs.items()
        touched = ", ".join(f"{name} {output.touched}" for name, output in outputs if output.touched)
        outside = {name: int((output.spans.end > lengths[output.spans.document]).sum()) for name, output in outputs}
        further = int(self.has_room_for_three.sum())
        yield f"Changed spans: {touched}. In rows +2 and +3 only {further} spans get more than one token."
        passing = ", ".join(f"{name} {spans}" for name, spans in outside.items() if spans)
        yield f"Some changed spans end after their sentence: {passing}."

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


def paper(inputs: Inputs) -> Iterator[Cell | str]:
    """Score transformed references as the paper's code counts."""
    yield from _table(inputs).cells(PAPER)
    yield from _table(inputs).notes()


def correct(inputs: Inputs) -> Iterator[Cell]:
    """Score transformed references with correct lengths."""
    return _table(inputs).cells(CORRECT)


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
