"""How one answer is grounded under a policy, step by step: items, places, spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ..exceptions import InputError
from ..spans.words import words_and_signs
from .answers import Answer, Item
from .placing import Bounds, Placement, TextIndex, place, sight
from .policies import AnswerPolicy, GroundingPolicy

MOST_BOUNDS = 1 << 22
"""At most this many occurrences do the items of one answer have that are all of theirs."""

_MOST_ANCHORS = 20_000_000


class Predicted(NamedTuple):
    """What counts as predicted of an answer.

    Attributes:
        spans: the bounds and the label of each span, once.
        wrong: the labels and mentions of the items that count as predicted spans, but have no place.
    """

    spans: frozenset[tuple[int, int, str]]
    wrong: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Outcome:
    """An answer as it was grounded.

    Attributes:
        items: those that the policy looks for, under the labels that aliases stand for.
        left_out: how many more it leaves out, as their labels are outside the labels.
        placement: where the items are.
        kept: the number and the bounds of each item that stays when overlaps are resolved, see `kept_of`.
        policy: the policy.
    """

    items: tuple[Item, ...]
    left_out: int
    placement: Placement
    kept: list[tuple[int, Bounds]]
    policy: GroundingPolicy

    @property
    def placed(self) -> list[tuple[Bounds, ...]]:
        """Of each item its bounds, in order; empty if it has no place, or lost it to others."""
        if self.policy.overlap == "keep":
            return [tuple(sorted(set(spans))) if len(spans) > 1 else spans for spans in self.placement.spans]
        kept: dict[int, list[Bounds]] = {}
        for number, bounds in self.kept:
            kept.setdefault(number, []).append(bounds)
        return [tuple(sorted(kept.get(number, ()))) for number in range(len(self.items))]

    @property
    def surplus(self) -> list[bool]:
        """Of each item, whether others have all of its occurrences."""
        return [here and not spans for spans, here in zip(*self.placement, strict=True)]

    @property
    def absent(self) -> list[bool]:
        """Of each item, whether it is not in the text, nor in other words."""
        return [not here and not spans for spans, here in zip(*self.placement, strict=True)]

    @property
    def predicted(self) -> Predicted:
        """What counts as predicted."""
        return predicted_of(self.items, self.placement, self.kept, self.policy)


def resolve(
    answer: Answer,
    index: TextIndex,
    policy: GroundingPolicy,
    labels: frozenset[str] | None,
    aliases: Mapping[str, str],
) -> Outcome:
    """Ground the items of an answer in its text, see `ground`."""
    items, left_out = items_of(answer, index, policy, labels, aliases)
    placement = place(items, sight(items, index, policy), index, policy)
    return Outcome(items, left_out, placement, kept_of(placement, policy, items), policy)


def items_of(
    answer: Answer,
    index: TextIndex,
    policy: GroundingPolicy,
    labels: frozenset[str] | None,
    aliases: Mapping[str, str],
) -> tuple[tuple[Item, ...], int]:
    """Return `named_items`; where offsets are checked those of a rewritten text are carried over to the text."""
    items, left_out = named_items(answer, policy, labels, aliases)
    if policy.offsets == "check" and answer.text is not None:
        items = carried_over(items, answer.text, index)
    return items, left_out


def named_items(
    answer: Answer, policy: AnswerPolicy, labels: frozenset[str] | None, aliases: Mapping[str, str]
) -> tuple[tuple[Item, ...], int]:
    """Return the items of an answer that a policy looks at, and how many more it leaves out as outside the labels."""
    items = () if answer.broken and policy.broken == "empty" else answer.items
    if aliases:
        items = tuple(item._replace(label=aliases.get(item.label, item.label)) for item in items)
    inside = items
    if labels is not None and policy.outside == "drop":
        inside = tuple(item for item in items if item.label in labels)
    return inside, len(items) - len(inside)


def outside(items: Sequence[Item], labels: frozenset[str] | None) -> int:
    """Return how many items have a label outside the labels."""
    return 0 if labels is None else sum(item.label not in labels for item in items)


def kept_of(placement: Placement, policy: GroundingPolicy, items: Sequence[Item]) -> list[tuple[int, Bounds]]:
    """Return the number and the bounds of each item that stays when overlaps are resolved.

    Of items that are all of the same occurrences only one can stay. Where all spans do, items of one label are one
    here.

    Raises:
        InputError: for items that are all of too many occurrences.
    """
    owner: dict[Any, int] = {}
    for number, spans in enumerate(placement.spans):
        if len(spans) > 1:
            label = items[number].label if policy.overlap == "keep" else None
            if policy.overlap == "later":
                owner[id(spans), label] = number
            else:
                owner.setdefault((id(spans), label), number)
    owners = set(owner.values())
    if sum(len(placement.spans[number]) for number in owners) > MOST_BOUNDS:
        raise InputError(
            f"the items of an answer have more than {MOST_BOUNDS:,} occurrences, too many to be all of them.",
            "Use a policy with another action for repeat.",
            option="policy",
        )
    bounds = [
        (number, span)
        for number, spans in enumerate(placement.spans)
        if len(spans) == 1 or number in owners
        for span in dict.fromkeys(spans)
    ]
    return without_overlap(bounds, policy.overlap)


def predicted_of(
    items: Sequence[Item], placement: Placement, kept: Sequence[tuple[int, Bounds]], policy: GroundingPolicy
) -> Predicted:
    """Return what counts as predicted: what stays, and items without a place unless they are dropped."""
    if_surplus, if_absent = policy.surplus == "wrong", policy.absent != "drop"
    wrong = tuple(
        (item.label, item.mention)
        for item, spans, here in zip(items, *placement, strict=True)
        if not spans and (if_surplus if here else if_absent)
    )
    return Predicted(frozenset((*span, items[number].label) for number, span in kept), wrong)


def without_overlap(bounds: list[tuple[int, Bounds]], rule: str) -> list[tuple[int, Bounds]]:
    """Return the spans of items that stay when overlaps are resolved."""
    if rule == "keep" or len(bounds) < 2:
        return bounds
    order = {
        "longest": lambda one: (one[1][0] - one[1][1], one[1][0]),
        "earlier": lambda one: (one[0],),
        "later": lambda one: (-one[0],),
    }[rule]
    taken = bytearray(max(end for _, (_, end) in bounds))
    kept = []
    for number, (start, end) in sorted(bounds, key=order):
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            kept.append((number, (start, end)))
    return kept


def carried_over(items: Sequence[Item], written: str, index: TextIndex) -> tuple[Item, ...]:
    """Return items with the offsets of a rewritten text carried over to the text; without, where that cannot be.

    Tokens of both are aligned by their loose forms (difflib); an item whose tokens face neighbouring tokens has their
    bounds. In long texts tokens that are very frequent are no anchors of the alignment.
    """
    tokens = words_and_signs([written])
    other = TextIndex(written, tokens.start.tolist(), tokens.end.tolist())
    here, there = other.folded_tokens("loose"), index.folded_tokens("loose")
    counts, others = Counter(here), Counter(there)
    frequent = sum(count * others[token] for token, count in counts.items()) > _MOST_ANCHORS
    facing: dict[int, int] = {}
    for first, second, size in SequenceMatcher(None, here, there, autojunk=frequent).get_matching_blocks():
        facing.update(zip(range(first, first + size), range(second, second + size), strict=True))
    carried = []
    for item in items:
        bounds: tuple[int | None, int | None] = (None, None)
        if item.start is not None and item.end is not None:
            first, last = other.tokens_of(item.start, item.end)
            places = [facing.get(token, -1) for token in range(first, last)]
            if places and places[0] >= 0 and places == list(range(places[0], places[0] + len(places))):
                bounds = (index.starts[places[0]], index.ends[places[-1]])
        carried.append(item._replace(start=bounds[0], end=bounds[1]))
    return tuple(carried)
