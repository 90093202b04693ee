"""Named repair policies, and the grid of all policies: a reader's actions at each kind of illegal pair.

A reader goes through a document with at most one open span. In BIOES (and its renamings BILOU and BMES) it can meet
eight kinds of illegal pairs: a B, an S, an O or the end of the document while a span is open; an I or E without an open
span; an I or E with another label than the open span. `PLACES` lists the actions for each; a policy is one choice for
each place. 32 of the 7,776 policies read every input like another policy; the grid has the other 7,744. In IOB2 only
the I can be wrong: 12 policies.

The named policies `conlleval`, `discard` and `bes` are points of the grid. `convert` is not, because it changes legal S
and E tags too; it is reported beside the grid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from operator import contains

import numpy as np

from ..arrays import ranges
from ..exceptions import InputError, setting
from .policy_grid import GridPlace, PolicyGrid
from .schemes import (
    BEGIN,
    CONTINUES,
    CONTINUES_CONVERTED,
    END,
    INSIDE,
    OUTSIDE,
    ROLES,
    SINGLE,
    Scheme,
    continuations,
)


@dataclass(frozen=True)
class Repair:
    """A policy for illegal pairs of tags.

    Attributes:
        name: the value of `repair=`.
        help: a short description.
        continues: which pairs of neighbouring tags are in one span; shape (previous role, role, same label).
        well_formed: keep only spans that open and close as the scheme allows.
        refuse: raise an `InputError` at the first illegal pair.
        skips: roles whose tokens are skipped.
        needs: roles that the scheme must have.
        label: chooses the label of a span from the labels of its tokens; None takes the first.
        actions: the actions of a policy of the grid, which is then used instead.
    """

    name: str
    help: str
    continues: np.ndarray
    well_formed: bool = False
    refuse: bool = False
    skips: str = ""
    needs: str = ""
    label: Callable[[Sequence[str]], str] | None = None
    actions: tuple[str, ...] = ()


def _brackets() -> np.ndarray:
    """Make the table of `bes`: without I and O, only a B and the next E are in one span, with any labels."""
    table = np.zeros_like(CONTINUES)
    table[BEGIN, END] = True
    return table


REPAIRS: dict[str, Repair] = {
    repair.name: repair
    for repair in (
        Repair("conlleval", "read them like the CoNLL script", CONTINUES),
        Repair("discard", "drop spans that are not well-formed", CONTINUES, well_formed=True),
        Repair("bes", "use only B, E and S", _brackets(), skips="I", needs="BES"),
        Repair("convert", "read S as B and E as I", CONTINUES_CONVERTED, needs="B"),
        Repair("raise", "raise an error", CONTINUES, refuse=True),
    )
}


def _script() -> np.ndarray:
    """Make the table of conlleval.pl, which knows no S, nor what a B or an S behind an E means."""
    table: np.ndarray = CONTINUES | continuations("BI", "S") | continuations("E", "BS") | continuations("S", "BIES")
    return table


def _runs() -> np.ndarray:
    """Make the table of flair: E and S do not close spans, and an E continues an open span of any label."""
    table = np.zeros_like(CONTINUES)
    table[:, INSIDE, 1] = table[:, END] = True
    return table


TOOLS: dict[str, Repair] = {
    repair.name: repair
    for repair in (
        Repair("conlleval.pl", "the CoNLL script, also of E and S, which it misreads", _script()),
        Repair("explainaboard", "ExplainaBoard", CONTINUES, actions=("open", "absorb")),
        Repair("flair", "flair", _runs(), label=lambda labels: Counter(labels).most_common(1)[0][0]),
        Repair("nereval", "the script of GermEval 2014", CONTINUES | CONTINUES[..., ::-1], label="+".join),
        Repair(
            "stanza",
            "Stanza",
            CONTINUES,
            actions=("close", "open", "relabel", "close", "single", "end relabelled", "close", "close"),
        ),
    )
}
"""Tools that read illegal tags in their own way."""


KEEP, CLOSE, DROP = range(3)
PASS, OPEN, LONE, FINISH, FINISH_RELABELLED, RELABEL = range(6)

_FINAL = len(ROLES)
"""The role of the end of a document."""

_ALONE, _SAME, _OTHER = range(3)
"""The states of a reader: no open span, an open span of the tag's label, or of another label."""

Action = tuple[int, int]
"""A reader's action on a tag, first for the open span, then for the token.

The span: `KEEP`, `CLOSE` (it ends before this token) or `DROP`. The token: `PASS` (an open span continues over it),
`OPEN` (a span opens), `LONE` (a one-token span), `FINISH` (the open span ends with it), `FINISH_RELABELLED` (the same,
with the tag's label), `RELABEL` (the open span continues with the tag's label).
"""


@dataclass(frozen=True)
class Place(GridPlace):
    """A place where a reader meets an illegal pair.

    Attributes:
        role: the role of the tag.
        states: the states of the reader, see `_ALONE`.
    """

    role: int
    states: tuple[int, ...]


def _new_span(name: str, token: int) -> dict[str, Action]:
    """List the actions that close or drop the open span, then open a span or skip the tag."""
    return {
        f"close+{name}": (CLOSE, token),
        "close+skip": (CLOSE, PASS),
        f"drop+{name}": (DROP, token),
        "drop+skip": (DROP, PASS),
    }


_I_ALONE = Place(
    "I alone", "an I without an open span", {"open": (KEEP, OPEN), "skip": (KEEP, PASS)}, INSIDE, (_ALONE,)
)
_I_OTHER = Place(
    "I other",
    "an I of another label than the open span's",
    {**_new_span("open", OPEN), "absorb": (KEEP, PASS), "relabel": (KEEP, RELABEL)},
    INSIDE,
    (_OTHER,),
)
_BIOES = (
    Place(
        "B",
        "a B while a span is open",
        {"close": (CLOSE, OPEN), "drop": (DROP, OPEN), "absorb": (KEEP, PASS)},
        BEGIN,
        (_SAME, _OTHER),
    ),
    _I_ALONE,
    _I_OTHER,
    Place(
        "O",
        "an O while a span is open",
        {"close": (CLOSE, PASS), "drop": (DROP, PASS), "absorb": (KEEP, PASS)},
        OUTSIDE,
        (_SAME, _OTHER),
    ),
    Place("E alone", "an E without an open span", {"single": (KEEP, LONE), "skip": (KEEP, PASS)}, END, (_ALONE,)),
    Place(
        "E other",
        "an E of another label than the open span's",
        {**_new_span("single", LONE), "end": (KEEP, FINISH), "end relabelled": (KEEP, FINISH_RELABELLED)},
        END,
        (_OTHER,),
    ),
    Place(
        "S",
        "an S while a span is open",
        {"close": (CLOSE, LONE), "drop": (DROP, LONE), "absorb": (KEEP, PASS)},
        SINGLE,
        (_SAME, _OTHER),
    ),
    Place(
        "end",
        "the end of the document while a span is open",
        {"close": (CLOSE, PASS), "drop": (DROP, PASS)},
        _FINAL,
        (_SAME, _OTHER),
    ),
)

PLACES = {"BIOES": _BIOES, "BIO": (_I_ALONE, _I_OTHER)}
"""The places of each kind of scheme, in the order of policies' choices."""

NAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "BIOES": {
        "conlleval": ("close", "open", "close+open", "close", "single", "close+single", "close", "close"),
        "discard": ("drop", "skip", "drop+skip", "drop", "skip", "drop+skip", "drop", "drop"),
        "bes": ("close", "skip", "absorb", "absorb", "skip", "end", "close", "close"),
    },
    "BIO": {"conlleval": ("open", "close+open"), "discard": ("skip", "close+skip")},
}
"""The named policies as points of the grid."""

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

_KINDS = {"IOBES": "BIOES", "BILOU": "BIOES", "BMES": "BIOES", "IOB2": "BIO"}

_LEGAL: dict[tuple[int, int], Action] = {
    (OUTSIDE, _ALONE): (KEEP, PASS),
    (BEGIN, _ALONE): (KEEP, OPEN),
    (SINGLE, _ALONE): (KEEP, LONE),
    (INSIDE, _SAME): (KEEP, PASS),
    (END, _SAME): (KEEP, FINISH),
    (_FINAL, _ALONE): (KEEP, PASS),
}
"""The action on a legal tag, by role and state."""

_LEGAL_BIO = _LEGAL | {
    (role, state): (CLOSE, token)
    for role, token in ((OUTSIDE, PASS), (BEGIN, OPEN), (_FINAL, PASS))
    for state in (_SAME, _OTHER)
}


@dataclass(frozen=True, eq=False)
class RepairGrid(PolicyGrid):
    """All policies of one kind of scheme.

    Attributes:
        kind: `BIOES` or `BIO`.
    """

    places: tuple[Place, ...]
    kind: str

    @classmethod
    def of(cls, scheme: Scheme) -> RepairGrid:
        """Find the grid of a scheme: IOBES, BILOU and BMES share a grid, IOB2 has its own.

        Raises:
            InputError: for other schemes.
        """
        if scheme.name not in _KINDS:
            raise InputError(
                f"there is no grid of repair policies for {scheme.name}.",
                f"Convert the tags to {', '.join(_KINDS)} first (spanometer convert).",
            )
        return _grid(_KINDS[scheme.name])

    @property
    def sizes(self) -> np.ndarray:
        """The number of actions of each place."""
        return np.array([len(place.actions) for place in self.places])

    @property
    def named(self) -> dict[str, int]:
        """The named policies."""
        return {policy: self.find(actions) for policy, actions in NAMED[self.kind].items()}

    @property
    def published(self) -> dict[str, tuple[str, ...]]:
        """The published tools and rules that are named policies."""
        return PUBLISHED[self.kind]


@cache
def _grid(kind: str) -> RepairGrid:
    places = PLACES[kind]
    everything = np.array(list(product(*(range(len(place.actions)) for place in places))), dtype=np.int8)
    grid = RepairGrid(places, everything, kind)
    choices = everything[[not _is_twin(grid.describe(policy)) for policy in range(len(grid))]]
    choices.flags.writeable = False
    return RepairGrid(places, choices, kind)


def _is_twin(policy: Mapping[str, str]) -> bool:
    """Check whether a policy equals the policy that absorbs instead of relabelling.

    If only an E closes a span, and an E of another label sets the span's label, the label of an open span never shows.
    """
    return (
        policy["I other"] == "relabel"
        and policy.get("E other") == "end relabelled"
        and all("close" not in policy[place] for place in ("B", "O", "S", "end"))
    )


@dataclass(frozen=True, eq=False)
class GridReadings:
    """All different readings of documents under the policies of a grid.

    Attributes:
        document: the document of each reading, ascending.
        reading, start, end, label: the spans of all readings.
        of_policy: the reading of each document under each policy, shape (policies, documents).
    """

    document: np.ndarray
    reading: np.ndarray
    start: np.ndarray
    end: np.ndarray
    label: np.ndarray
    of_policy: np.ndarray


def read_all(grid: RepairGrid, roles: np.ndarray, labels: np.ndarray, offsets: np.ndarray) -> GridReadings:
    """Read documents under all policies of a grid.

    Policies that agree at the few places in a document read it alike. So a document is read once for each combination
    of actions at its places.

    Args:
        grid: the policies.
        roles: the role of each token's tag, see `schemes.ROLES`.
        labels: the label code of each token's tag; ignored outside spans.
        offsets: the begin of each document and the end of the last, shape (documents + 1).
    """
    documents, places = len(offsets) - 1, len(grid.places)
    met = np.zeros((documents, places), dtype=bool)
    reader = _GridReader(grid, roles, labels, offsets)
    while True:
        sizes = np.where(met, grid.sizes, 1)
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
    return GridReadings(document, *spans, of_policy)


def actions_in(text: str) -> tuple[str, ...]:
    """Read the comma-separated actions of a policy; empty for other text."""
    actions = tuple(action.strip() for action in text.split(","))
    return actions if any(_fit(actions, places) for places in PLACES.values()) else ()


def places_of(actions: Sequence[str], scheme: Scheme) -> tuple[Place, ...]:
    """Find the places of a scheme's grid; raise an `InputError` if the actions do not fit it."""
    places = PLACES[RepairGrid.of(scheme).kind]
    if not _fit(actions, places):
        listed = "; ".join(f"{place.name}: {', '.join(place.actions)}" for place in places)
        raise InputError(
            f"{setting('repair', ','.join(actions))} is not a policy for {scheme.name}.",
            f"Give an action for each place ({listed}).",
            option="repair",
        )
    return places


def _fit(actions: Sequence[str], places: Sequence[Place]) -> bool:
    return len(actions) == len(places) and all(map(contains, (place.actions for place in places), actions))


def read_policy(
    actions: Sequence[str], scheme: Scheme, roles: np.ndarray, labels: np.ndarray, offsets: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Read documents under one policy.

    Returns:
        The document, start, end and label code of each span, in the order of the text.
    """
    places = places_of(actions, scheme)
    grid = RepairGrid(places, np.zeros((0, len(places)), dtype=np.int8), _KINDS[scheme.name])
    choice = [list(place.actions).index(action) for place, action in zip(places, actions, strict=True)]
    documents = np.arange(len(offsets) - 1)
    columns, _ = _GridReader(grid, roles, labels, offsets).read(documents, np.tile(choice, (len(documents), 1)))
    order = np.lexsort((columns[1], columns[0]))
    return tuple(column[order].astype(np.int32) for column in columns)


class _GridReader:
    """Reads many documents at once, token after token, each with its own actions."""

    def __init__(self, grid: RepairGrid, roles: np.ndarray, labels: np.ndarray, offsets: np.ndarray) -> None:
        # a token of padding, so that the last document ends before a token too
        self._roles, self._labels = np.append(roles, OUTSIDE), np.append(labels, -1)
        self._offsets, self._places = offsets, len(grid.places)
        # a last, nameless place for legal tags: there the situation itself is the action's number
        self._place = np.full((_FINAL + 1, 3), self._places)
        self._actions = np.zeros((self._places + 1, 3 * (_FINAL + 1), 2), dtype=np.int8)
        for (role, state), action in (_LEGAL if grid.kind == "BIOES" else _LEGAL_BIO).items():
            self._actions[self._places, 3 * role + state] = action
        for number, place in enumerate(grid.places):
            self._place[place.role, list(place.states)] = number
            self._actions[number, : len(place.actions)] = list(place.actions.values())

    def read(
        self, document: np.ndarray, choices: np.ndarray
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Read the spans (reading, start, end, label) of all readings, and the places in each reading."""
        lengths = np.diff(self._offsets)[document]
        order = np.argsort(-lengths, kind="stable")
        length, base = lengths[order], self._offsets[document[order]]
        choice = choices[order]
        met = np.zeros((len(order), self._places + 1), dtype=bool)
        open_label = np.full(len(order), -1, dtype=np.int64)
        open_start = np.zeros(len(order), dtype=np.int64)
        written: list[tuple[np.ndarray, ...]] = []
        for position in range(int(lengths.max(initial=0)) + 1):
            going = int(np.searchsorted(-length, -position, side="right"))
            at_end = length[:going] == position
            token = base[:going] + position
            role = np.where(at_end, _FINAL, self._roles[token])
            label = np.where(at_end, -1, self._labels[token])
            opened, started = open_label[:going].copy(), open_start[:going].copy()
            state = np.where(opened < 0, _ALONE, np.where(opened == label, _SAME, _OTHER))
            place = self._place[role, state]
            met[np.arange(going), place] = True
            chosen = choice[np.arange(going), np.minimum(place, self._places - 1)]
            action = np.where(place < self._places, chosen, 3 * role + state)
            span, then = self._actions[place, action].T
            current = np.full(going, position)
            for closing, start, end, name in (
                ((span == CLOSE) & (opened >= 0), started, current, opened),
                (then == FINISH, started, current + 1, opened),
                (then == FINISH_RELABELLED, started, current + 1, label),
                (then == LONE, current, current + 1, label),
            ):
                index = np.flatnonzero(closing)
                written.append((order[index], start[index], end[index], name[index]))
            ended = (span != KEEP) | (then == FINISH) | (then == FINISH_RELABELLED)
            open_label[:going] = np.where((then == OPEN) | (then == RELABEL), label, np.where(ended, -1, opened))
            open_start[:going] = np.where(then == OPEN, position, started)
        reading, start, end, name = (np.concatenate(column) for column in zip(*written, strict=True))
        in_order = np.empty_like(met)
        in_order[order] = met
        return (reading, start, end, name), in_order[:, : self._places]
