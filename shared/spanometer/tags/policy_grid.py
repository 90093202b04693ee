"""Grids of policies: every choice of an action for each place where input is ambiguous."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class GridPlace:
    """A place where input can be read in several ways.

    Attributes:
        name: the name that policies use.
        text: the place in words.
        actions: the possible actions there, by name.
    """

    name: str
    text: str
    actions: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class PolicyGrid(ABC):
    """All policies of a kind: an action for each place.

    Attributes:
        places: the places.
        choices: int8, shape (policies, places): the index of the action that each policy takes in each place.
    """

    places: tuple[GridPlace, ...]
    choices: np.ndarray

    @property
    @abstractmethod
    def named(self) -> dict[str, int]:
        """The policies that have names."""

    def __len__(self) -> int:
        """Count the policies."""
        return len(self.choices)

    def find(self, actions: Iterable[str]) -> int:
        """Find the policy with these actions, in the order of the places."""
        chosen = [list(place.actions).index(action) for place, action in zip(self.places, actions, strict=True)]
        return int((self.choices == chosen).all(axis=1).argmax())

    def describe(self, policy: int) -> dict[str, str]:
        """Describe the action of a policy at each place, by name."""
        choices = zip(self.places, self.choices[policy], strict=True)
        return {place.name: list(place.actions)[action] for place, action in choices}
