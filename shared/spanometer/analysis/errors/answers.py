"""Errors that only generated answers have: absent and surplus items, unrequested labels, broken answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ...grounding.grounded import AnswerOutcomes, Grounded, outcomes_by_answer
from ...grounding.outcomes import Outcome
from ...grounding.policies import COUNTS
from ...tables.table import Table, amounts

ANSWER_KINDS = {kind: COUNTS[kind] for kind in ("absent", "surplus", "outside", "broken")}
"""The kinds of errors of generated answers, explained."""


class KindOfAnswer(NamedTuple):
    """The number of errors of a kind.

    Attributes:
        number: the number of items; for broken answers, the number of answers.
        predicted: how many of these items count as predicted spans, with or without a place.
    """

    number: int
    predicted: int


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """The errors of one system's answers, in addition to the errors of its spans.

    They depend only on texts and answers, not on the reference. An item with an unrequested label counts as outside,
    and its mention may be absent or surplus, too. Items that the grounding policy drops are counted here but are no
    predicted spans. Items without a place that it keeps are spurious spans.

    Attributes:
        grounded: the grounded answers.
    """

    grounded: Grounded

    @cached_property
    def kinds(self) -> dict[str, KindOfAnswer]:
        """The numbers of each kind, see `ANSWER_KINDS`."""
        counts = dict.fromkeys(ANSWER_KINDS, 0)
        predicted = dict.fromkeys(ANSWER_KINDS, 0)
        for answer in outcomes_by_answer(self.grounded):
            counts["broken"] += answer.read.broken
            for outcome in answer.outcomes:
                stays = outcome.wrong or outcome.kind == "placed"
                predicted["broken"] += stays and answer.read.broken
                for kind in self.kinds_of(outcome):
                    counts[kind] += 1
                    predicted[kind] += stays
        return {kind: KindOfAnswer(counts[kind], predicted[kind]) for kind in ANSWER_KINDS}

    @property
    def total(self) -> int:
        """The number of errors of all kinds."""
        return sum(kind.number for kind in self.kinds.values())

    def kinds_of(self, outcome: Outcome) -> list[str]:
        """List the kinds of errors of an item."""
        labels = self.grounded.source.asked_labels
        outside = labels is not None and outcome.item.label not in labels
        unplaced = outcome.kind in ("absent", "surplus")
        return [*([outcome.kind] if unplaced else []), *(["outside"] if outside else [])]

    def answers(self) -> Iterator[AnswerOutcomes]:
        """Yield the answers with errors."""
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
        return {**self.grounded.total, "kinds": {kind: numbers._asdict() for kind, numbers in self.kinds.items()}}
