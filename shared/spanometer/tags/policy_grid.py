"""Grids of policies: all combinations of actions in ambiguous situations. Repair policies form such a grid.

BIOES has 7,776 combinations. 32 of them always give the same spans as another one, so the grid has 7,744 policies. IOB2
has 12. The named policies `conlleval`, `discard` and `bes` are in the grid. `convert` is not, because it also changes
legal S and E tags; it is reported separately.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ..arrays import ranges
from .repairs import PLACES, Place, PolicyReader, kind_of
from .schemes import Scheme


@dataclass(frozen=True, eq=False)
class PolicyGrid:
    """All policies of one kind. A policy is a choice of one action for each ambiguous situation (place).

    Attributes:
        places: the places.
        choices: the index of each policy's action at each place, int8, shape (policies, places).
        names: the actions of the policies that have names.
    """

    places: tuple[Place, ...]
    choices: np.ndarray
    names: Mapping[str, Sequence[str]]

    @property
    def named(self) -> dict[str, int]:
        """The indices of the policies that have names."""
        return {name: self.find(actions) for name, actions in self.names.items()}

    def __len__(self) -> int:
        """Count the policies."""
        return len(self.choices)

    def find(self, actions: Iterable[str]) -> int:
        """Return the index of the policy with these actions, in the order of the places."""
        chosen = [list(place.actions).index(action) for place, action in zip(self.places, actions, strict=True)]
        return int((self.choices == chosen).all(axis=1).argmax())

    def describe(self, policy: int) -> dict[str, str]:
        """Return the name of a policy's action at each place."""
        choices = zip(self.places, self.choices[policy], strict=True)
        return {place.name: list(place.actions)[action] for place, action in choices}


NAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "BIOES": {
        "conlleval": ("close", "open", "close+open", "close", "single", "close+single", "close", "close"),
        "discard": ("drop", "skip", "drop+skip", "drop", "skip", "drop+skip", "drop", "drop"),
        "bes": ("close", "skip", "absorb", "absorb", "skip", "end", "close", "close"),
    },
    "BIO": {"conlleval": ("open", "close+open"), "discard": ("skip", "close+skip")},
}
"""The actions of the named policies."""

PUBLISHED: dict[str, dict[str, tuple[str, ...]]] = {
    "BIOES": {
        "conlleval": (
            "the CoNLL script conlleval",
            "seqeval, default mode (IOBES; it misreads BILOU and BMES)",
            "AllenNLP's bmes_tags_to_spans (with its one-token spans of O left out)",
        ),
        "discard": ("seqeval, strict mode (IOBES, BILOU)",),
        "bes": ("ignoring I and O (Yang et al. 2018)",),
        "convert": ("conversion to IOB2 (Lample et al. 2016), beside the grid",),
    },
    "BIO": {
        "conlleval": ("the CoNLL script conlleval", "seqeval, default mode", "AllenNLP's bio_tags_to_spans"),
        "discard": ("seqeval, strict mode",),
    },
}
"""The published tools and rules that equal a named policy; tests compare them on all short inputs."""


@dataclass(frozen=True, eq=False)
class RepairGrid(PolicyGrid):
    """All repair policies for one kind of scheme.

    Attributes:
        kind: `BIOES` or `BIO`.
    """

    kind: str

    @classmethod
    def of(cls, scheme: Scheme) -> "RepairGrid":
        """Return the grid of a scheme, see `repairs.kind_of`.

        Raises:
            InputError: if the scheme has no grid.
        """
        return _grid(kind_of(scheme))

    @property
    def published(self) -> dict[str, tuple[str, ...]]:
        """The published tools and rules that equal each named policy."""
        return PUBLISHED[self.kind]


@cache
def _grid(kind: str) -> RepairGrid:
    places = PLACES[kind]
    everything = np.indices([len(place.actions) for place in places], dtype=np.int8).reshape(len(places), -1).T
    grid = RepairGrid(places, everything, NAMED[kind], kind)
    choices = everything[[not _is_twin(grid.describe(policy)) for policy in range(len(grid))]]
    choices.flags.writeable = False
    return replace(grid, choices=choices)


def _is_twin(policy: Mapping[str, str]) -> bool:
    """Check whether a policy always gives the same spans as the policy with `absorb` in place of `relabel`.

    This is the case if only E closes spans and an E of another label sets the span's label: then the label of an open
    span has no effect.
    """
    relabels = policy["I other"] == "relabel" and policy.get("E other") == "end relabelled"
    return relabels and all("close" not in policy[place] for place in ("B", "O", "S", "end"))


def read_all(
    grid: RepairGrid, roles: np.ndarray, labels: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray]:
    """Decode documents under all policies of a grid. A reading is a set of spans of one document.

    Most documents have few illegal pairs, so many policies decode them in the same way. A document is decoded only once
    for each combination of actions that it needs.

    Args:
        grid: the policies.
        roles: the role of each token's tag, see `schemes.ROLES`.
        labels: the label index of each token's tag; ignored outside spans.
        offsets: the begin of each document and the end of the last, shape (documents + 1).

    Returns:
        The document of each reading, ascending; the spans (reading, start, end and label of each); and the reading of
        each document under each policy, shape (policies, documents).
    """
    documents, places = len(offsets) - 1, len(grid.places)
    met = np.zeros((documents, places), dtype=bool)
    reader = PolicyReader(grid.kind, roles, labels, offsets)
    while True:
        sizes = np.where(met, [len(place.actions) for place in grid.places], 1)
        counts = sizes.prod(axis=1)
        document = np.repeat(np.arange(documents), counts)
        nth = ranges(np.zeros(documents, dtype=np.int64), counts)
        # the choice of each place is a digit of the reading's number within its document
        weights = np.cumprod(np.concatenate([np.ones((documents, 1), np.int64), sizes[:, :-1]], axis=1), axis=1)
        choices = nth[:, None] // weights[document] % sizes[document]
        spans, places_met = reader.read(document, choices)
        grown = met.copy()
        np.logical_or.at(grown, document, places_met)
        if (grown == met).all():
            break
        met = grown
    first = np.cumsum(counts) - counts
    of_policy = grid.choices.astype(np.int64) @ np.where(met, weights, 0).T + first
    return document, spans, of_policy
