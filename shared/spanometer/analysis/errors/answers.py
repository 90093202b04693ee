"""Errors that only generated answers have: mentions not in the text, surplus copies, unknown labels, broken formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...grounding.grounded import AnswerOutcomes, Grounded, outcomes_by_answer
from ...grounding.outcomes import Outcome
from ...tables.table import Table, amounts

ANSWER_KINDS = {
    "hallucinated": "items whose mention is not in the text",
    "copied too often": "items whose mention is in the text, but others have all of its occurrences",
    "outside the labels": "items with a label that nobody asked for, wherever their mention is",
    "format broken": "answers that do not parse",
}
"""The kinds of errors of generated answers, and what is counted of each."""

_BY_OUTCOME = {"absent": "hallucinated", "surplus": "copied too often"}


class KindOfAnswer(NamedTuple):
    """How many errors of a kind there are.

    Attributes:
        number: of items; of the format of answers.
        predicted: how many items of these count as predicted spans, with or without a place.
    """

    number: int
    predicted: int


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """The errors of one system's answers, beside those of its spans.

    They follow from texts and answers alone, before anything is compared with the reference. An item with a label
    outside the labels is counted there, and by its mention too. What the policy of grounding leaves out is counted, but
    is no predicted span; items without a place that it keeps are among the spurious spans.

    Attributes:
        grounded: the answers, grounded.
    """

    grounded: Grounded

    @cached_property
    def kinds(self) -> dict[str, KindOfAnswer]:
        """The numbers of each kind, see `ANSWER_KINDS`."""
        counts = dict.fromkeys(ANSWER_KINDS, 0)
        predicted = dict.fromkeys(ANSWER_KINDS, 0)
        for answer in outcomes_by_answer(self.grounded):
            counts["format broken"] += answer.read.broken
            for outcome in answer.outcomes:
                stays = outcome.wrong or outcome.kind == "placed"
                predicted["format broken"] += stays and answer.read.broken
                for kind in self.kinds_of(outcome):
                    counts[kind] += 1
                    predicted[kind] += stays
        return {kind: KindOfAnswer(counts[kind], predicted[kind]) for kind in ANSWER_KINDS}

    @property
    def found(self) -> bool:
        """Whether there is any."""
        return any(kind.number for kind in self.kinds.values())

    def kinds_of(self, outcome: Outcome) -> list[str]:
        """List the kinds of errors that an item is."""
        labels = self.grounded.source.labels
        outside = labels is not None and outcome.item.label not in labels
        return [
            *([_BY_OUTCOME[outcome.kind]] if outcome.kind in _BY_OUTCOME else []),
            *(["outside the labels"] if outside else []),
        ]

    def answers(self) -> Iterator[AnswerOutcomes]:
        """Yield the answers that have some."""
        for answer in outcomes_by_answer(self.grounded):
            if answer.read.broken or any(map(self.kinds_of, answer.outcomes)):
                yield answer

    def table(self, system: str = "") -> Table:
        """Show a row for each kind."""
        rows = [((kind, "cyan"), *numbers) for kind, numbers in self.kinds.items()]
        columns = amounts("number", predicted="of these\npredicted")
        about = {"system": system} if system else {}
        return Table.of("error of answers", columns, rows, kind="answers", names="error", about=about)

    def to_dict(self) -> dict[str, Any]:
        """List the counts of the answers, and the numbers of each kind."""
        kinds = {kind.replace(" ", "_"): numbers._asdict() for kind, numbers in self.kinds.items()}
        return {**self.grounded.total, "kinds": kinds}
