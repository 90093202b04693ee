"""Grids of policies: all combinations of actions for the places where input is ambiguous."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GridPlace:
    """A place where input is ambiguous.

    Attributes:
        name: the name that policies use.
        text: a description of the place.
        actions: the possible actions by name.
    """

    name: str
    text: str
    actions: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class PolicyGrid(ABC):
    """All policies of a kind: an action for each place.

    Attributes:
        places: the places.
        choices: the index of each policy's action at each place, int8, shape (policies, places).
    """

    places: tuple[GridPlace, ...]
    choices: np.ndarray

    @property
    @abstractmethod
    def named(self) -> dict[str, int]:
        """The named policies."""

    def __len__(self) -> int:
        """Count the policies."""
        return len(self.choices)

    def find(self, actions: Iterable[str]) -> int:
        """Find the policy with these actions, in the order of the places."""
        chosen = [list(place.actions).index(action) for place, action in zip(self.places, actions, strict=True)]
        return int((self.choices == chosen).all(axis=1).argmax())

    def describe(self, policy: int) -> dict[str, str]:
        """Name the action of a policy at each place."""
        choices = zip(self.places, self.choices[policy], strict=True)
        return {place.name: list(place.actions)[action] for place, action in choices}
