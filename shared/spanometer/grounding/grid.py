"""The grids of grounding policies. All policies are evaluated at once; policies that agree share a step."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..options import options_of
from ..tags.policy_grid import PolicyGrid
from ..tags.repairs import GridPlace
from .answers import Answer
from .outcomes import Predicted, Vocabulary, items_of, kept_of, predicted_of
from .placing import TextIndex, place, sight
from .policies import PLACES, AnswerPolicy, GroundingPolicy, NamedPolicy


@dataclass(frozen=True, eq=False)
class GroundingGrid(PolicyGrid):
    """All policies of a kind; the grid for spans needs answers without offsets.

    Attributes:
        policies: the policies.
    """

    policies: tuple[AnswerPolicy, ...]

    @classmethod
    def whole(cls, kind: type[AnswerPolicy] = GroundingPolicy) -> GroundingGrid:
        """Make the grid of a kind of policies, cached."""
        return _grid(kind)  # type: ignore[arg-type]  # classes can be hashed

    @property
    def named(self) -> dict[str, int]:
        """The named policies."""
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
        """Find the policy that differs from another policy in one action."""
        wanted = self.choices[policy].copy()
        wanted[number] = action
        return int((self.choices == wanted).all(axis=1).argmax())


@cache
def _grid(kind: type[AnswerPolicy]) -> GroundingGrid:
    declared = [options_of(kind)[name] for name in kind.places]
    places = tuple(GridPlace(place.name, place.help, dict.fromkeys(place.choices)) for place in declared)
    choices = np.indices([len(place.actions) for place in places], dtype=np.int8).reshape(len(places), -1).T
    return GroundingGrid(places, choices, tuple(kind.grid()))


def predicted_by_all(
    answer: Answer, index: TextIndex, vocabulary: Vocabulary
) -> tuple[np.ndarray, Sequence[Predicted]]:
    """Ground an answer under all policies: the distinct predictions, and their index for each policy (int32)."""
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
        """Make the first step."""
        return cls(np.zeros(len(_grid(GroundingPolicy)), dtype=np.int32), [None])

    def then(self, places: Sequence[str], take: Callable[[Any, GroundingPolicy], Hashable]) -> _Step:
        """Compute the next step once for each value and combination of actions at its places."""
        grid = _grid(GroundingPolicy)
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
