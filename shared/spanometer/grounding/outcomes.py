"""Grounding of one answer, under one policy or all: items, places, spans, and the outcome of each item."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..options import options_of
from ..spans.texts import words_and_signs
from ..tags.repairs import Place, PolicyGrid
from .answers import Answer
from .items import Item
from .placing import Bounds, Outcome, TextIndex, place, require_few_occurrences, sight, string_outcomes
from .policies import OUTCOMES, PLACES, AnswerPolicy, GroundingPolicy, StringPolicy

MOST_BOUNDS = 1 << 22
"""The maximum number of occurrences of an answer's items with the action `all`."""

_MOST_ANCHORS = 20_000_000


class Vocabulary:
    """The labels that a model was asked for.

    Attributes:
        names: the labels; None allows all labels.
        aliases: maps labels in answers to labels.
    """

    def __init__(self, labels: Iterable[str] | None, aliases: Mapping[str, str] | None) -> None:
        self.names = None if labels is None else frozenset(labels)
        self.aliases = aliases or {}

    def renamed(self, item: Item) -> Item:
        """Replace the alias of an item by its label."""
        return Item(self.aliases[item.label], *item[1:]) if item.label in self.aliases else item

    def lack(self, item: Item) -> bool:
        """Check whether an item's label was not asked for."""
        return self.names is not None and item.label not in self.names


class Predicted(NamedTuple):
    """The predicted spans of an answer.

    Attributes:
        spans: the boundaries and labels of the distinct spans.
        wrong: the labels and mentions of unplaced items that count as predicted spans; under a policy for strings, of
            all predicted mentions.
    """

    spans: frozenset[tuple[int, int, str]]
    wrong: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], policy: AnswerPolicy) -> Predicted:
        """Collect the predicted spans of the items of an answer."""
        spans = frozenset((*span, item.label) for item, _, places, _ in outcomes for span in places)
        strings = {"placed"} if isinstance(policy, StringPolicy) else set()
        wrong = strings.union(filter(policy.predicts, OUTCOMES))
        return cls(spans, tuple(item[:2] for item, kind, _, _ in outcomes if kind in wrong))


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
    return resolve(answer, index, GroundingPolicy.of(policy), Vocabulary(asked_labels, aliases))


def resolve(answer: Answer, index: Any, policy: Any, vocabulary: Vocabulary) -> list[Outcome]:
    """Find the outcome of each item of an answer, see `outcomes_of`.

    If the answer has rewritten the text and the policy uses offsets, these are mapped to the original text.

    Args:
        answer: the answer.
        index: the text; under a policy for strings, its normal form as a string.
        policy: a policy for spans or for strings.
        vocabulary: the labels that the model was asked for.
    """
    of_all = _left_out(answer, policy, vocabulary)
    items = [item for item, reason in of_all if not reason]
    if isinstance(policy, StringPolicy):
        outcomes = string_outcomes(items, index, policy)
    else:
        if policy.offsets == "check" and answer.text is not None:
            items = carried_over(items, answer.text, index)
        outcomes = iter(settled(place(sight(items, index, policy), index, policy), policy.overlap))
    wrong = set(filter(policy.predicts, OUTCOMES))
    found = (Outcome(item, reason) if reason else next(outcomes) for item, reason in of_all)
    return [outcome._replace(wrong=True) if outcome.kind in wrong else outcome for outcome in found]


def _left_out(answer: Answer, policy: AnswerPolicy, vocabulary: Vocabulary) -> list[tuple[Item, str]]:
    """Return each item, and its outcome if the policy does not place it; empty if the policy places it."""
    broken, drops = answer.broken and policy.broken == "empty", policy.outside == "drop"
    items = map(vocabulary.renamed, answer.items)
    return [(item, "broken" if broken else "outside" if drops and vocabulary.lack(item) else "") for item in items]


def tally(outcomes: Sequence[Outcome], answer: Answer, text: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    """Count the outcomes of an answer's items in the order of `COUNTS`."""
    kinds = Counter(outcome.kind for outcome in outcomes)
    became = (kinds[kind] for kind in ("placed", "surplus", "absent", "overlapping"))
    outside = sum(outcome.kind != "broken" and vocabulary.lack(outcome.item) for outcome in outcomes)
    return (len(outcomes) - kinds["broken"], *became, outside, *answer.counts(text))


def settled(placed: Sequence[Outcome], rule: str) -> tuple[Outcome, ...]:
    """Resolve overlaps of placed items by `rule`, and return the outcome of each item.

    If several items claim all of the same occurrences, only one of them is kept, unless overlaps are kept.

    Raises:
        InputError: if items claim too many occurrences.
    """
    owners: Sequence[int] = range(len(placed))
    if rule != "keep":
        numbers = owners if rule == "later" else owners[::-1]
        owners = sorted({id(placed[number].spans): number for number in numbers}.values())
    repeated = (len(placed[number].spans) for number in owners if len(placed[number].spans) > 1)
    require_few_occurrences(sum(repeated), MOST_BOUNDS, "all")
    bounds = [(number, span) for number in owners for span in dict.fromkeys(placed[number].spans)]
    kept: dict[int, list[Bounds]] = defaultdict(list)
    for number, span in without_overlap(bounds, rule):
        kept[number].append(span)
    return tuple(
        outcome._replace(spans=tuple(sorted(kept[number])))
        if number in kept
        else Outcome(outcome.item, "overlapping" if outcome.spans else outcome.kind)
        for number, outcome in enumerate(placed)
    )


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


def carried_over(items: Sequence[Item], written: str, index: TextIndex) -> list[Item]:
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
    return carried


class GroundingGrid(PolicyGrid):
    """All policies of a kind. The grid for spans is for answers without offsets.

    Attributes:
        kind: the kind of policies.
        policies: the policies.
    """

    def __init__(self, kind: type[AnswerPolicy] = GroundingPolicy) -> None:
        declared = [options_of(kind)[name] for name in kind.places]
        places = tuple(Place(place.name, place.help, dict.fromkeys(place.choices)) for place in declared)
        super().__init__(places, {name: point.policy.actions for name, point in kind.named().items()})
        self.kind, self.policies = kind, tuple(kind.grid())

    @property
    def nearest(self) -> list[str]:
        """The named policies that only approximate the rules of their projects."""
        return [name for name, point in self.kind.named().items() if not point.exact]

    @property
    def default(self) -> str:
        """The name of the default policy."""
        return str(self.kind())


grounding_grid = cache(GroundingGrid)
"""Return the grid of a kind of policies, with a cache; by default of policies for spans."""


def predicted_by_all(
    answer: Answer, index: TextIndex, vocabulary: Vocabulary
) -> tuple[np.ndarray, Sequence[Predicted]]:
    """Ground an answer under all policies.

    Returns the index of each policy's predictions (int32) and the predictions.
    """

    def items_of(_: None, policy: AnswerPolicy) -> tuple[Item, ...]:
        return tuple(item for item, reason in _left_out(answer, policy, vocabulary) if not reason)

    grid = grounding_grid()
    number, values = np.zeros(len(grid), dtype=np.int32), list[Any]([None])
    # each step is computed once for each value of the step before it and each combination of actions at its places
    steps: tuple[tuple[tuple[str, ...], Callable[[Any, GroundingPolicy], Hashable]], ...] = (
        (("broken", "outside"), items_of),
        (("fold", "inside", "absent"), lambda items, policy: sight(items, index, policy)),
        (("repeat",), lambda sightings, policy: place(sightings, index, policy)),
        (("overlap",), lambda placed, policy: settled(placed, policy.overlap)),
        (("surplus", "absent"), Predicted.of),
    )
    for names, compute in steps:
        columns = [PLACES.index(name) for name in names]
        sizes = [len(grid.places[column].actions) for column in columns]
        key = np.ravel_multi_index((number, *grid.choices[:, columns].T), (len(values), *sizes))
        _, policies, group = np.unique(key, return_index=True, return_inverse=True)
        codes: dict[Hashable, int] = {}
        of_group = [
            codes.setdefault(compute(values[number[policy]], grid.policies[policy]), len(codes))
            for policy in policies.tolist()
        ]
        number, values = np.array(of_group, dtype=np.int32)[group.ravel()], list(codes)
    return number, values
