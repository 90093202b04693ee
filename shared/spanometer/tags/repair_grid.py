"""The space of repair policies: what a reader of tags can do at each place where it meets an illegal pair.

A reader goes through a document with at most one span open. In BIOES (and its renamings BILOU and BMES) it meets
something illegal in eight places: a B, an S, an O or the end of the document while a span is open; an I or E without an
open span; an I or E of another label than the open span's. At each it can do one of a few things, listed in `PLACES`;
a policy is one choice for each place. Of the 7,776 policies 32 read every input as another one does; the grid is the
7,744 that differ. In IOB2 only the I can be wrong: 12 policies.

The named policies `conlleval`, `discard` and `bes` are points of the grid. `convert` is none (it reads S and E as other
tags even where they are legal) and is reported beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from ..arrays import ranges
from ..errors import InputError
from .schemes import BEGIN, END, INSIDE, OUTSIDE, ROLES, SINGLE, Scheme

KEEP, CLOSE, DROP = range(3)
PASS, OPEN, LONE, FINISH, FINISH_RELABELLED, RELABEL = range(6)


@dataclass(frozen=True)
class Action:
    """What a reader does with one tag.

    Attributes:
        name: what it is called in a policy.
        text: what it does, in words.
        span: what becomes of the open span first: `KEEP`, `CLOSE` (it ends before this token) or `DROP`.
        token: what becomes of the token then: `PASS` (nothing; an open span goes on over it), `OPEN` (a span opens),
            `LONE` (a one-token span), `FINISH` (the open span ends with it), `FINISH_RELABELLED` (so it does, and takes
            the tag's label), `RELABEL` (the open span goes on and takes the tag's label).
    """

    name: str
    text: str
    span: int
    token: int


@dataclass(frozen=True)
class Place:
    """A place where a reader meets an illegal pair, and what it can do there."""

    name: str
    text: str
    actions: tuple[Action, ...]


def _other(name: str, text: str, close_name: str, token: int, more: tuple[Action, ...]) -> Place:
    """The places where a tag meets an open span of another label."""
    return Place(
        name,
        text,
        (
            Action(f"close+{close_name}", f"close the span before it, {close_name}", CLOSE, token),
            Action("close+skip", "close the span before it, skip the token", CLOSE, PASS),
            Action(f"drop+{close_name}", f"drop the span, {close_name}", DROP, token),
            Action("drop+skip", "drop the span, skip the token", DROP, PASS),
            *more,
        ),
    )


_B = Place(
    "B",
    "a B while a span is open",
    (
        Action("close", "close the span before it, open another", CLOSE, OPEN),
        Action("drop", "drop the span, open another", DROP, OPEN),
        Action("absorb", "the span goes on over it", KEEP, PASS),
    ),
)
_I_ALONE = Place(
    "I alone",
    "an I without an open span",
    (Action("open", "open a span", KEEP, OPEN), Action("skip", "skip the token", KEEP, PASS)),
)
_I_OTHER = _other(
    "I other",
    "an I of another label than the open span's",
    "open",
    OPEN,
    (
        Action("absorb", "the span goes on over it with its own label", KEEP, PASS),
        Action("relabel", "the span goes on over it and takes its label", KEEP, RELABEL),
    ),
)
_O = Place(
    "O",
    "an O while a span is open",
    (
        Action("close", "close the span before it", CLOSE, PASS),
        Action("drop", "drop the span", DROP, PASS),
        Action("absorb", "the span goes on over it", KEEP, PASS),
    ),
)
_E_ALONE = Place(
    "E alone",
    "an E without an open span",
    (Action("single", "a one-token span", KEEP, LONE), Action("skip", "skip the token", KEEP, PASS)),
)
_E_OTHER = _other(
    "E other",
    "an E of another label than the open span's",
    "single",
    LONE,
    (
        Action("end", "the span ends with it and keeps its own label", KEEP, FINISH),
        Action("end relabelled", "the span ends with it and takes its label", KEEP, FINISH_RELABELLED),
    ),
)
_S = Place(
    "S",
    "an S while a span is open",
    (
        Action("close", "close the span before it, a one-token span", CLOSE, LONE),
        Action("drop", "drop the span, a one-token span", DROP, LONE),
        Action("absorb", "the span goes on over it", KEEP, PASS),
    ),
)
_END = Place(
    "end",
    "the end of the document while a span is open",
    (Action("close", "close the span", CLOSE, PASS), Action("drop", "drop the span", DROP, PASS)),
)

PLACES = {"BIOES": (_B, _I_ALONE, _I_OTHER, _O, _E_ALONE, _E_OTHER, _S, _END), "BIO": (_I_ALONE, _I_OTHER)}
"""The places of each kind of scheme, in the order in which policies give their choices."""

NAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "BIOES": {
        "conlleval": ("close", "open", "close+open", "close", "single", "close+single", "close", "close"),
        "discard": ("drop", "skip", "drop+skip", "drop", "skip", "drop+skip", "drop", "drop"),
        "bes": ("close", "skip", "absorb", "absorb", "skip", "end", "close", "close"),
    },
    "BIO": {"conlleval": ("open", "close+open"), "discard": ("skip", "close+skip")},
}
"""The named policies as points of the grid."""

_KINDS = {"IOBES": "BIOES", "BILOU": "BIOES", "BMES": "BIOES", "IOB2": "BIO"}

_LEGAL = {
    # what a reader does with a legal tag, by role and state: no open span, one of the same label, one of another label
    (OUTSIDE, 0): (KEEP, PASS),
    (BEGIN, 0): (KEEP, OPEN),
    (SINGLE, 0): (KEEP, LONE),
    (INSIDE, 1): (KEEP, PASS),
    (END, 1): (KEEP, FINISH),
    (len(ROLES), 0): (KEEP, PASS),
}
_LEGAL_BIO = {
    **_LEGAL,
    **{(OUTSIDE, state): (CLOSE, PASS) for state in (1, 2)},
    **{(BEGIN, state): (CLOSE, OPEN) for state in (1, 2)},
    **{(len(ROLES), state): (CLOSE, PASS) for state in (1, 2)},
}
_WHERE = {
    "B": [(BEGIN, 1), (BEGIN, 2)],
    "I alone": [(INSIDE, 0)],
    "I other": [(INSIDE, 2)],
    "O": [(OUTSIDE, 1), (OUTSIDE, 2)],
    "E alone": [(END, 0)],
    "E other": [(END, 2)],
    "S": [(SINGLE, 1), (SINGLE, 2)],
    "end": [(len(ROLES), 1), (len(ROLES), 2)],
}


@dataclass(frozen=True, eq=False)
class Grid:
    """All policies of one kind of scheme.

    Attributes:
        kind: `BIOES` or `BIO`.
        places: the places.
        choices: int8, shape (policies, places): the index of the action that each policy takes in each place.
    """

    kind: str
    places: tuple[Place, ...]
    choices: np.ndarray

    @classmethod
    def of(cls, scheme: Scheme) -> Grid:
        """The grid of a scheme: IOBES, BILOU and BMES share one, IOB2 has its own; an `InputError` for others."""
        if scheme.name not in _KINDS:
            raise InputError(
                f"there is no grid of repair policies for {scheme.name}.",
                f"There is one for {', '.join(_KINDS)}; convert the tags first (spanometer convert).",
            )
        return _grid(_KINDS[scheme.name])

    def __len__(self) -> int:
        """The number of policies."""
        return len(self.choices)

    @property
    def sizes(self) -> np.ndarray:
        """How many actions each place has."""
        return np.array([len(place.actions) for place in self.places])

    @property
    def named(self) -> dict[str, int]:
        """The policies that have names."""
        names = [{action.name: index for index, action in enumerate(place.actions)} for place in self.places]
        points = {
            policy: [names[place][action] for place, action in enumerate(actions)]
            for policy, actions in NAMED[self.kind].items()
        }
        return {policy: int((self.choices == point).all(axis=1).argmax()) for policy, point in points.items()}

    def describe(self, policy: int) -> dict[str, str]:
        """What a policy does, by place."""
        return {
            place.name: place.actions[action].name
            for place, action in zip(self.places, self.choices[policy], strict=True)
        }


@cache
def _grid(kind: str) -> Grid:
    places = PLACES[kind]
    everything = np.array(list(product(*(range(len(place.actions)) for place in places))), dtype=np.int8)
    grid = Grid(kind, places, everything)
    choices = everything[[not _is_twin(grid.describe(policy)) for policy in range(len(grid))]]
    choices.flags.writeable = False
    return Grid(kind, places, choices)


def _is_twin(policy: Mapping[str, str]) -> bool:
    """Whether a policy reads every input as the one does that absorbs where it relabels.

    Where nothing closes a span but an E, and an E of another label gives the span that label, the label of a span
    that is open never shows.
    """
    return (
        policy["I other"] == "relabel"
        and policy.get("E other") == "end relabelled"
        and all("close" not in policy[place] for place in ("B", "O", "S", "end"))
    )


@dataclass(frozen=True, eq=False)
class Readings:
    """Every different way in which the policies of a grid read some documents.

    Attributes:
        document: for each reading the document that it reads, ascending.
        reading, start, end, label: the spans of all readings.
        of_policy: shape (policies, documents): the reading of each document under each policy.
    """

    document: np.ndarray
    reading: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    of_policy: np.ndarray


def read_all(grid: Grid, roles: np.ndarray, labels: np.ndarray, offsets: np.ndarray) -> Readings:
    """Read documents under all policies of a grid.

    A document meets few of the places, and policies that agree there read it alike. So the places that a document meets
    are found first, and it is read once for each choice of actions there.

    Args:
        grid: the policies.
        roles: role of each token's tag, see `schemes.ROLES`.
        labels: label code of each token's tag; of no meaning where it is outside.
        offsets: shape (documents + 1), where documents begin.
    """
    documents, places = len(offsets) - 1, len(grid.places)
    met = np.zeros((documents, places), dtype=bool)
    reader = _Reader(grid, roles, labels, offsets)
    while True:
        sizes = np.where(met, grid.sizes, 1)
        counts = sizes.prod(axis=1)
        document = np.repeat(np.arange(documents), counts)
        nth = ranges(np.zeros(documents, dtype=np.int64), counts)
        # the choice of each place is a digit of the reading's number within its document
        weights = np.cumprod(np.concatenate([np.ones((documents, 1), np.int64), sizes[:, :-1]], axis=1), axis=1)
        choices = nth[:, None] // weights[document] % sizes[document]
        spans, found = reader.read(document, choices)
        grown = met.copy()
        np.logical_or.at(grown, document, found)
        if (grown == met).all():
            break
        met = grown
    first = np.cumsum(counts) - counts
    of_policy = grid.choices.astype(np.int64) @ np.where(met, weights, 0).T + first
    return Readings(document, *spans, of_policy)


class _Reader:
    """Reads many documents at once, token after token, each under its own choice of actions."""

    def __init__(self, grid: Grid, roles: np.ndarray, labels: np.ndarray, offsets: np.ndarray) -> None:
        self._roles, self._labels, self._offsets = roles, labels, offsets
        self._places = len(grid.places)
        legal = _LEGAL if grid.kind == "BIOES" else _LEGAL_BIO
        # a last, nameless place for all that is legal: there the situation itself is the action's number
        self._place = np.full((len(ROLES) + 1, 3), self._places)
        most = max(3 * (len(ROLES) + 1), *(len(place.actions) for place in grid.places))
        self._span = np.zeros((self._places + 1, most), dtype=np.int8)
        self._token = np.zeros((self._places + 1, most), dtype=np.int8)
        for (role, state), (span, token) in legal.items():
            self._span[self._places, 3 * role + state] = span
            self._token[self._places, 3 * role + state] = token
        for number, place in enumerate(grid.places):
            for role, state in _WHERE[place.name]:
                self._place[role, state] = number
            for index, action in enumerate(place.actions):
                self._span[number, index], self._token[number, index] = action.span, action.token

    def read(
        self, document: np.ndarray, choices: np.ndarray
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Spans (reading, start, end, label) of each reading, and which places it met."""
        lengths = np.diff(self._offsets)[document]
        order = np.argsort(-lengths, kind="stable")
        length, base = lengths[order], self._offsets[document[order]]
        choice = choices[order]
        met = np.zeros((len(order), self._places + 1), dtype=bool)
        open_label = np.full(len(order), -1, dtype=np.int64)
        open_start = np.zeros(len(order), dtype=np.int64)
        written: list[tuple[np.ndarray, ...]] = []
        for position in range(int(lengths.max(initial=-1)) + 1):
            going = int(np.searchsorted(-length, -position, side="right"))
            at_end = length[:going] == position
            token = np.where(at_end, 0, base[:going] + position)
            role = np.where(at_end, len(ROLES), self._roles[token] if len(self._roles) else 0)
            label = np.where(at_end, -1, self._labels[token] if len(self._labels) else 0)
            opened, started = open_label[:going].copy(), open_start[:going].copy()
            state = np.where(opened < 0, 0, np.where(opened == label, 1, 2))
            place = self._place[role, state]
            met[np.arange(going), place] = True
            chosen = choice[np.arange(going), np.minimum(place, self._places - 1)]
            action = np.where(place < self._places, chosen, 3 * role + state)
            span, then = self._span[place, action], self._token[place, action]
            here = np.full(going, position)
            for which, start, end, name in (
                ((span == CLOSE) & (opened >= 0), started, here, opened),
                (then == FINISH, started, here + 1, opened),
                (then == FINISH_RELABELLED, started, here + 1, label),
                (then == LONE, here, here + 1, label),
            ):
                index = np.flatnonzero(which)
                written.append((order[index], start[index], end[index], name[index]))
            ended = (span != KEEP) | (then == FINISH) | (then == FINISH_RELABELLED)
            open_label[:going] = np.where((then == OPEN) | (then == RELABEL), label, np.where(ended, -1, opened))
            open_start[:going] = np.where(then == OPEN, position, started)
        columns = [np.concatenate(column) for column in zip(*written, strict=True)] or [np.zeros(0, dtype=np.int64)] * 4
        in_order = np.empty_like(met)
        in_order[order] = met
        return (columns[0], columns[1], columns[2], columns[3]), in_order[:, : self._places]
