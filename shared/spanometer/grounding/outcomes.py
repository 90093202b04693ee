"""Grounding of one answer, under one policy or all: items, places, spans, and the outcome of each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..exceptions import InputError
from ..options import options_of
from ..spans.texts import words_and_signs
from ..tags.policy_grid import PolicyGrid
from ..tags.repairs import GridPlace
from .answers import Answer
from .items import Item
from .placing import Bounds, ItemPlaces, TextIndex, place, sight
from .policies import PLACES, AnswerPolicy, GroundingPolicy, NamedPolicy

MOST_BOUNDS = 1 << 22
"""The maximum number of occurrences of an answer's items with the action `all`."""

_MOST_ANCHORS = 20_000_000


@dataclass(frozen=True)
class Vocabulary:
    """The labels that a model was asked for.

    Attributes:
        names: the labels; None allows all labels.
        aliases: maps labels in answers to labels.
    """

    names: frozenset[str] | None
    aliases: Mapping[str, str]

    @classmethod
    def of(cls, labels: Iterable[str] | None, aliases: Mapping[str, str] | None) -> Vocabulary:
        """Create it from labels (None allows all) and aliases."""
        return cls(None if labels is None else frozenset(labels), aliases or {})

    def renamed(self, item: Item) -> Item:
        """Replace the alias of an item by its label."""
        return item._replace(label=self.aliases[item.label]) if item.label in self.aliases else item

    def lack(self, item: Item) -> bool:
        """Check whether an item's label was not asked for."""
        return self.names is not None and item.label not in self.names


class Predicted(NamedTuple):
    """The predicted spans of an answer.

    Attributes:
        spans: the boundaries and labels of the distinct spans.
        wrong: the labels and mentions of unplaced items that count as predicted spans.
    """

    spans: frozenset[tuple[int, int, str]]
    wrong: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class GroundedAnswer:
    """A grounded answer.

    Attributes:
        items: the items to place, with aliases replaced.
        left_out: the number of items that were left out because of their labels.
        placement: the places of the items.
        kept: the index and boundaries of each item that is kept when overlaps are resolved, see `kept_of`.
        policy: the policy.
    """

    items: tuple[Item, ...]
    left_out: int
    placement: ItemPlaces
    kept: list[tuple[int, Bounds]]
    policy: GroundingPolicy

    @property
    def placed(self) -> list[tuple[Bounds, ...]]:
        """The boundaries of each item in order; empty if it has no place or lost its place to another item."""
        if self.policy.overlap == "keep":
            return [tuple(sorted(set(spans))) if len(spans) > 1 else spans for spans in self.placement.spans]
        kept: dict[int, list[Bounds]] = {}
        for number, bounds in self.kept:
            kept.setdefault(number, []).append(bounds)
        return [tuple(sorted(kept.get(number, ()))) for number in range(len(self.items))]

    @property
    def kinds(self) -> list[str]:
        """The outcome of each item, one of `OUTCOMES`."""
        # if all spans are kept, items of the same label with the same occurrences count once
        everyone = range(len(self.items)) if self.policy.overlap == "keep" else {number for number, _ in self.kept}
        return [
            ("placed" if number in everyone else "overlapping") if spans else "surplus" if present else "absent"
            for number, (spans, present) in enumerate(zip(*self.placement, strict=True))
        ]

    @property
    def predicted(self) -> Predicted:
        """The spans and items that count as predicted."""
        return predicted_of(self.items, self.placement, self.kept, self.policy)


class Outcome(NamedTuple):
    """An item and its outcome.

    Attributes:
        item: the item, with its alias replaced.
        kind: one of `OUTCOMES`.
        spans: the boundaries in the text, if the item is placed.
        wrong: whether it is unplaced but counts as a predicted span.
    """

    item: Item
    kind: str
    spans: tuple[Bounds, ...] = ()
    wrong: bool = False


def outcomes_of(
    answer: Answer,
    index: TextIndex,
    policy: GroundingPolicy | str = "strict",
    asked_labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> list[Outcome]:
    """Find the outcome of each item of an answer, in order, see `grounded.ground`.

    Args:
        answer: the result of `read_answer`.
        index: the text, from `grounded.text_indices`, which caches searches.
        policy: a name, comma-separated actions, or a `GroundingPolicy`.
        asked_labels: the labels that the model was asked for; None allows all.
        aliases: maps labels in answers to your labels.
    """
    chosen, vocabulary = GroundingPolicy.of(policy), Vocabulary.of(asked_labels, aliases)
    if answer.broken and chosen.broken == "empty":
        return [Outcome(vocabulary.renamed(item), "broken") for item in answer.items]
    grounded = resolve(answer, index, chosen, vocabulary)
    inside = (
        Outcome(item, kind, spans, chosen.predicts(kind))
        for item, kind, spans in zip(grounded.items, grounded.kinds, grounded.placed, strict=True)
    )
    if not grounded.left_out:
        return list(inside)
    renamed = map(vocabulary.renamed, answer.items)
    return [Outcome(item, "outside") if vocabulary.lack(item) else next(inside) for item in renamed]


def resolve(answer: Answer, index: TextIndex, policy: GroundingPolicy, vocabulary: Vocabulary) -> GroundedAnswer:
    """Ground the items of an answer in its text, see `ground`."""
    items, left_out = items_of(answer, index, policy, vocabulary)
    placement = place(items, sight(items, index, policy), index, policy)
    return GroundedAnswer(items, left_out, placement, kept_of(placement, policy, items), policy)


def items_of(
    answer: Answer, index: TextIndex, policy: GroundingPolicy, vocabulary: Vocabulary
) -> tuple[tuple[Item, ...], int]:
    """Return the result of `named_items`, with offsets in the text.

    If an answer has rewritten the text and the policy uses offsets, these are mapped to the original text.
    """
    items, left_out = named_items(answer, policy, vocabulary)
    if policy.offsets == "check" and answer.text is not None:
        items = carried_over(items, answer.text, index)
    return items, left_out


def named_items(answer: Answer, policy: AnswerPolicy, vocabulary: Vocabulary) -> tuple[tuple[Item, ...], int]:
    """Return the items to place, and the number of items left out because of their labels."""
    items = () if answer.broken and policy.broken == "empty" else tuple(map(vocabulary.renamed, answer.items))
    inside = tuple(item for item in items if policy.outside == "keep" or not vocabulary.lack(item))
    return inside, len(items) - len(inside)


def kept_of(placement: ItemPlaces, policy: GroundingPolicy, items: Sequence[Item]) -> list[tuple[int, Bounds]]:
    """Return the index and boundaries of each item that is kept when overlaps are resolved.

    If several items claim all of the same occurrences, only one of them is kept. If all spans are kept, such items of
    the same label count once.

    Raises:
        InputError: if items claim too many occurrences.
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
            f"the items of an answer occur more than {MOST_BOUNDS:,} times in the text, too often for repeat='all'.",
            "Use a policy with another value of repeat.",
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
    items: Sequence[Item], placement: ItemPlaces, kept: Sequence[tuple[int, Bounds]], policy: GroundingPolicy
) -> Predicted:
    """Return the predicted spans: spans that are kept, and unplaced items unless they are dropped."""
    wrong = tuple(
        (item.label, item.mention)
        for item, spans, present in zip(items, *placement, strict=True)
        if not spans and policy.predicts("surplus" if present else "absent")
    )
    return Predicted(frozenset((*span, items[number].label) for number, span in kept), wrong)


def without_overlap(bounds: list[tuple[int, Bounds]], rule: str) -> list[tuple[int, Bounds]]:
    """Return the spans of items that are kept when overlaps are resolved by `rule`."""
    if rule == "keep" or len(bounds) < 2:
        return bounds
    order = {
        "longest": lambda placed: (placed[1][0] - placed[1][1], placed[1][0]),
        "earlier": lambda placed: (placed[0],),
        "later": lambda placed: (-placed[0],),
    }[rule]
    covered = bytearray(max(end for _, (_, end) in bounds))
    kept = []
    for number, (start, end) in sorted(bounds, key=order):
        if covered.find(1, start, end) < 0:
            covered[start:end] = b"\1" * (end - start)
            kept.append((number, (start, end)))
    return kept


def carried_over(items: Sequence[Item], written: str, index: TextIndex) -> tuple[Item, ...]:
    """Map the offsets of items in a rewritten text to the text; items without a match lose their offsets.

    Tokens are aligned by their loose forms (difflib). The tokens of an item must be aligned with neighbouring tokens.
    In long texts very frequent tokens are ignored.
    """
    tokens = words_and_signs([written])
    rewritten = TextIndex(written, tokens.start.tolist(), tokens.end.tolist())
    forms, text_forms = rewritten.folded_tokens("loose"), index.folded_tokens("loose")
    counts, text_counts = Counter(forms), Counter(text_forms)
    frequent = sum(count * text_counts[token] for token, count in counts.items()) > _MOST_ANCHORS
    facing: dict[int, int] = {}
    for first, second, size in SequenceMatcher(None, forms, text_forms, autojunk=frequent).get_matching_blocks():
        facing.update(zip(range(first, first + size), range(second, second + size), strict=True))
    carried = []
    for item in items:
        bounds: tuple[int | None, int | None] = (None, None)
        if item.start is not None and item.end is not None:
            first, last = rewritten.tokens_of(item.start, item.end)
            places = [facing.get(token, -1) for token in range(first, last)]
            if places and places[0] >= 0 and places == list(range(places[0], places[0] + len(places))):
                bounds = (index.starts[places[0]], index.ends[places[-1]])
        carried.append(item._replace(start=bounds[0], end=bounds[1]))
    return tuple(carried)


@dataclass(frozen=True, eq=False)
class GroundingGrid(PolicyGrid):
    """All policies of a kind. The grid for spans is for answers without offsets.

    Attributes:
        policies: the policies.
    """

    policies: tuple[AnswerPolicy, ...]

    @classmethod
    @cache
    def whole(cls, kind: type[AnswerPolicy] = GroundingPolicy) -> GroundingGrid:
        """Return the grid of a kind of policies, with a cache."""
        declared = [options_of(kind)[name] for name in kind.places]
        places = tuple(GridPlace(place.name, place.help, dict.fromkeys(place.choices)) for place in declared)
        choices = np.indices([len(place.actions) for place in places], dtype=np.int8).reshape(len(places), -1).T
        return cls(places, choices, tuple(kind.grid()))

    @property
    def named(self) -> dict[str, int]:
        """The indices of the named policies."""
        return {name: self.find(point.policy.actions) for name, point in self.points.items()}

    @property
    def points(self) -> Mapping[str, NamedPolicy[AnswerPolicy]]:
        """The named policies with the sources of their rules."""
        return type(self.policies[0]).named()

    @property
    def nearest(self) -> list[str]:
        """The named policies that only approximate the rules of their projects."""
        return [name for name, point in self.points.items() if not point.exact]

    @property
    def default(self) -> str:
        """The name of the default policy."""
        return str(type(self.policies[0])())

    def with_action(self, policy: int, number: int, action: int) -> int:
        """Return the index of the policy that differs from another policy in one action."""
        wanted = self.choices[policy].copy()
        wanted[number] = action
        return int((self.choices == wanted).all(axis=1).argmax())


def predicted_by_all(
    answer: Answer, index: TextIndex, vocabulary: Vocabulary
) -> tuple[np.ndarray, Sequence[Predicted]]:
    """Ground an answer under all policies.

    Returns the index of each policy's predictions (int32) and the predictions.
    """
    read = _Step.first().then(("broken", "outside"), lambda _, policy: items_of(answer, index, policy, vocabulary)[0])
    sighted = read.then(("fold", "inside", "absent"), lambda items, policy: (items, sight(items, index, policy)))
    placed = sighted.then(("repeat",), lambda sights, policy: (sights[0], place(sights[0], sights[1], index, policy)))
    predicted = placed.then(
        ("surplus", "absent", "overlap"),
        lambda places, policy: predicted_of(places[0], places[1], kept_of(places[1], policy, places[0]), policy),
    )
    return predicted.number, predicted.values


@dataclass(frozen=True, eq=False)
class _Step:
    """A step of grounding.

    Attributes:
        number: the index of each policy's value, int32, shape (policies).
        values: the distinct values of the step.
    """

    number: np.ndarray
    values: list[Any]

    @classmethod
    def first(cls) -> _Step:
        """Return the first step, in which all policies have the same value."""
        return cls(np.zeros(len(GroundingGrid.whole()), dtype=np.int32), [None])

    def then(self, places: Sequence[str], take: Callable[[Any, GroundingPolicy], Hashable]) -> _Step:
        """Compute the next step, once for each value and combination of actions at these places."""
        grid = GroundingGrid.whole()
        key = self.number.astype(np.int64)
        for name in places:
            key = key * len(grid.places[PLACES.index(name)].actions) + grid.choices[:, PLACES.index(name)]
        _, policies, group = np.unique(key, return_index=True, return_inverse=True)
        numbers: dict[Hashable, int] = {}
        codes = [
            numbers.setdefault(take(self.values[self.number[policy]], grid.policies[policy]), len(numbers))
            for policy in policies.tolist()
        ]
        return _Step(np.array(codes, dtype=np.int32)[group.ravel()], list(numbers))
