"""Errors that only generated answers can have: absent and surplus items, unrequested labels, broken answers."""

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
"""The kinds of errors of generated answers, with explanations."""


class KindOfAnswer(NamedTuple):
    """The number of errors of one kind.

    Attributes:
        number: the number of items; for broken answers, the number of answers.
        predicted: the number of these items that count as predicted spans, whether or not they are in the text.
    """

    number: int
    predicted: int


@dataclass(frozen=True, eq=False)
class AnswerErrors:
    """The errors of one system's answers, in addition to the errors of its spans.

    They depend only on texts and answers, not on the reference. An item with an unrequested label has the kind
    `outside`; it can also be absent or surplus. If the grounding policy drops an item, it is counted here but is no
    predicted span. If the policy keeps an item that is not in the text, this is a spurious span.

    Attributes:
        grounded: the grounded answers.
    """

    grounded: Grounded

    @cached_property
    def kinds(self) -> dict[str, KindOfAnswer]:
        """The number of errors of each kind, see `ANSWER_KINDS`."""
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
        """Return the kinds of errors of an item."""
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
        """Return a table with a row for each kind."""
        rows = [((kind, "cyan"), *numbers) for kind, numbers in self.kinds.items()]
        columns = amounts("number", predicted="of these\npredicted")
        about = {"system": system} if system else {}
        return Table.of("error of answers", columns, rows, kind="answers", names="error", about=about)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts of the answers, and the number of errors of each kind."""
        return {**self.grounded.total, "kinds": {kind: numbers._asdict() for kind, numbers in self.kinds.items()}}
