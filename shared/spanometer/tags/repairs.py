"""Named repair policies, the possible actions at each kind of illegal pair, and grids of all policies.

A reader goes through a document token by token and has at most one open span. In BIOES (and in BILOU and BMES, which
only rename the prefixes) it can meet eight kinds of illegal pairs: a B, an S, an O or the end of the document while a
span is open; an I or E without an open span; an I or E with another label than the open span. `PLACES` lists the
possible actions for each kind. A policy chooses one action for each, see `RepairGrid`. In IOB2 only I can be illegal.

BIOES has 7,776 combinations of actions. 32 of them always give the same spans as another one, so the grid has 7,744
policies. IOB2 has 12. The named policies `conlleval`, `discard` and `bes` are in the grid. `convert` is not, because it
also changes legal S and E tags; it is reported separately.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import contains
from typing import Any

import numpy as np

from ..arrays import ranges
from ..exceptions import InputError, setting
from .schemes import BEGIN, CONTINUES, END, INSIDE, OUTSIDE, ROLES, SINGLE, Scheme, continuations


@dataclass(frozen=True)
class Repair:
    """A policy for illegal pairs of tags.

    Attributes:
        name: the value of `repair=`.
        help: a short description.
        continues: which pairs of neighbouring tags belong to the same span; shape (previous role, role, same label).
        well_formed: keep only spans that open and close as the scheme allows.
        refuse: raise an `InputError` for the first illegal pair.
        skips: roles whose tokens are ignored.
        needs: roles that the scheme must have.
        label: a function that chooses the label of a span from the labels of its tokens; None takes the first label.
        actions: the actions of a policy of the grid; if they are set, the other attributes are not used.
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


REPAIRS: dict[str, Repair] = {
    repair.name: repair
    for repair in (
        Repair("conlleval", "read illegal tags as the CoNLL script does", CONTINUES),
        Repair("discard", "drop malformed spans", CONTINUES, well_formed=True),
        # without I and O, only B and the next E belong to one span, with any labels
        Repair("bes", "use only B, E and S, ignore I and O", continuations("B", "E", (0, 1)), skips="I", needs="BES"),
        # the rule of `CONTINUES` after S has become B, and E has become I
        Repair("convert", "read S as B, and read E as I", continuations("BIES", "IE"), needs="B"),
        Repair("raise", "raise an error", CONTINUES, refuse=True),
    )
}


# neither S nor a B or S after an E is known
_SCRIPT = CONTINUES | continuations("BI", "S") | continuations("E", "BS") | continuations("S", "BIES")

# E and S do not close spans, and E continues an open span of any label
_RUNS = continuations("OBIES", "I") | continuations("OBIES", "E", (0, 1))

_STANZA = ("close", "open", "relabel", "close", "single", "end relabelled", "close", "close")

TOOLS: dict[str, Repair] = {
    repair.name: repair
    for repair in (
        Repair("conlleval.pl", "the CoNLL script, including its misreading of E and S", _SCRIPT),
        Repair("explainaboard", "ExplainaBoard", CONTINUES, actions=("open", "absorb")),
        Repair("flair", "flair", _RUNS, label=lambda labels: Counter(labels).most_common(1)[0][0]),
        Repair("nereval", "the script of GermEval 2014", CONTINUES | CONTINUES[..., ::-1], label="+".join),
        Repair("stanza", "Stanza", CONTINUES, actions=_STANZA),
    )
}
"""Tools that read illegal tags in their own way."""


KEEP, CLOSE, DROP = range(3)
PASS, OPEN, LONE, FINISH, FINISH_RELABELLED, RELABEL = range(6)

_FINAL = len(ROLES)
"""The role that stands for the end of a document."""

_ALONE, _SAME, _OTHER = range(3)
"""The states of a reader: no open span; an open span with the label of the tag; an open span with another label."""

_OPENED = (_SAME, _OTHER)

Action = tuple[int, int]
"""What a reader does at a tag: first with the open span, then with the token.

With the span: `KEEP`, `CLOSE` (the span ends before this token) or `DROP`. With the token: `PASS` (an open span
continues), `OPEN` (a span begins), `LONE` (the token is a span), `FINISH` (the open span ends with this token),
`FINISH_RELABELLED` (the same, and the span gets the tag's label), `RELABEL` (the open span continues with the tag's
label).
"""


@dataclass(frozen=True)
class Place:
    """A situation in which the input is ambiguous, such as a kind of illegal pair that a reader can meet.

    Attributes:
        name: its name in policies.
        text: a description.
        actions: the possible actions by name.
        role: the role of the tag, if the situation is an illegal pair.
        states: the states of the reader in this situation, see `_ALONE`.
    """

    name: str
    text: str
    actions: Mapping[str, Any]
    role: int = OUTSIDE
    states: tuple[int, ...] = ()


def _new_span(name: str, token: int) -> dict[str, Action]:
    """Return the actions that close or drop the open span, and then open a span or skip the tag."""
    return {
        f"close+{name}": (CLOSE, token),
        "close+skip": (CLOSE, PASS),
        f"drop+{name}": (DROP, token),
        "drop+skip": (DROP, PASS),
    }


def _while_open(token: int) -> dict[str, Action]:
    """Return the actions at a tag that is illegal while a span is open."""
    return {"close": (CLOSE, token), "drop": (DROP, token), "absorb": (KEEP, PASS)}


_AT_FIRST_I = {"open": (KEEP, OPEN), "skip": (KEEP, PASS)}
_AT_OTHER_I = {**_new_span("open", OPEN), "absorb": (KEEP, PASS), "relabel": (KEEP, RELABEL)}
_AT_OTHER_E = {**_new_span("single", LONE), "end": (KEEP, FINISH), "end relabelled": (KEEP, FINISH_RELABELLED)}
_AT_END = {"close": (CLOSE, PASS), "drop": (DROP, PASS)}

_I_ALONE = Place("I alone", "an I without an open span", _AT_FIRST_I, INSIDE, (_ALONE,))
_I_OTHER = Place("I other", "an I whose label differs from the open span", _AT_OTHER_I, INSIDE, (_OTHER,))
_BIOES = (
    Place("B", "a B inside an open span", _while_open(OPEN), BEGIN, _OPENED),
    _I_ALONE,
    _I_OTHER,
    Place("O", "an O inside an open span", _while_open(PASS), OUTSIDE, _OPENED),
    Place("E alone", "an E without an open span", {"single": (KEEP, LONE), "skip": (KEEP, PASS)}, END, (_ALONE,)),
    Place("E other", "an E whose label differs from the open span", _AT_OTHER_E, END, (_OTHER,)),
    Place("S", "an S inside an open span", _while_open(LONE), SINGLE, _OPENED),
    Place("end", "the end of the document while a span is open", _AT_END, _FINAL, _OPENED),
)

PLACES = {"BIOES": _BIOES, "BIO": (_I_ALONE, _I_OTHER)}
"""The places of each kind of scheme, in the order of a policy's actions."""

_KINDS = {"IOBES": "BIOES", "BILOU": "BIOES", "BMES": "BIOES", "IOB2": "BIO"}

_LEGAL: dict[tuple[int, int], Action] = {
    (OUTSIDE, _ALONE): (KEEP, PASS),
    (BEGIN, _ALONE): (KEEP, OPEN),
    (SINGLE, _ALONE): (KEEP, LONE),
    (INSIDE, _SAME): (KEEP, PASS),
    (END, _SAME): (KEEP, FINISH),
    (_FINAL, _ALONE): (KEEP, PASS),
}
"""The action at a legal tag, by role and state."""

_CLOSING = ((OUTSIDE, PASS), (BEGIN, OPEN), (_FINAL, PASS))
_LEGAL_BIO = _LEGAL | {(role, state): (CLOSE, token) for role, token in _CLOSING for state in _OPENED}


def kind_of(scheme: Scheme) -> str:
    """Return the kind of a scheme, a key of `PLACES`: IOBES, BILOU and BMES have the same kind, IOB2 has its own.

    Raises:
        InputError: if there is no grid for the scheme.
    """
    if scheme.name not in _KINDS:
        remedy = f"First convert the tags to one of {', '.join(_KINDS)} (spanometer convert)."
        raise InputError(f"there are no repair actions for {scheme.name} tags.", remedy)
    return _KINDS[scheme.name]


def actions_in(text: str) -> tuple[str, ...]:
    """Split the comma-separated actions of a policy; empty if the text is not a list of actions."""
    actions = tuple(action.strip() for action in text.split(","))
    return actions if any(_fit(actions, places) for places in PLACES.values()) else ()


def places_of(actions: Sequence[str], scheme: Scheme, name: str = "") -> tuple[Place, ...]:
    """Return the places of a scheme's grid; raise an `InputError` if the actions of the policy `name` do not fit."""
    places = PLACES[kind_of(scheme)]
    if not _fit(actions, places):
        problem = f"{setting('repair', name)} has {len(actions)} actions, but {scheme.name} needs {len(places)}."
        remedy = f"Write {len(places)} actions, separated by commas."
        for number, place in enumerate(places, 1):
            *others, last = place.actions
            remedy += f" For action {number} ({place.text}), write {', '.join(others)} or {last}."
        remedy = remedy.replace("absorb", "absorb (the span continues)", 1)
        raise InputError(problem, remedy, option="repair")
    return places


def _fit(actions: Sequence[str], places: Sequence[Place]) -> bool:
    return len(actions) == len(places) and all(map(contains, (place.actions for place in places), actions))


def read_policy(
    actions: Sequence[str], scheme: Scheme, roles: np.ndarray, labels: np.ndarray, *bounds: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Decode documents under one policy; `bounds` are the offsets of documents and of their sentences.

    Returns:
        The document, start, end and label index of each span, in text order.
    """
    places = places_of(actions, scheme)
    choice = [list(place.actions).index(action) for place, action in zip(places, actions, strict=True)]
    documents = np.arange(len(bounds[0]) - 1)
    reader = PolicyReader(kind_of(scheme), roles, labels, *bounds)
    columns, _ = reader.read(documents, np.tile(choice, (len(documents), 1)))
    order = np.lexsort((columns[1], columns[0]))
    return tuple(column[order].astype(np.int32) for column in columns)


class PolicyReader:
    """Decodes many documents at once, token after token; each document can have different actions."""

    def __init__(self, kind: str, roles: np.ndarray, labels: np.ndarray, *bounds: np.ndarray) -> None:
        # a padding token between the sentences of a document ends spans as the end of a document does
        breaks = np.setdiff1d(bounds[-1], bounds[0])
        roles, labels = np.insert(roles, breaks, _FINAL), np.insert(labels, breaks, -1)
        # one padding token, so that the last document also ends before a token
        self._roles, self._labels = np.append(roles, OUTSIDE), np.append(labels, -1)
        self._padding = np.cumsum(self._roles == _FINAL)
        self._offsets, self._places = bounds[0] + np.searchsorted(breaks, bounds[0]), len(PLACES[kind])
        # the last place, without a name, is for legal tags; there the index of the action is the situation itself
        self._place = np.full((_FINAL + 1, 3), self._places)
        self._actions = np.zeros((self._places + 1, 3 * (_FINAL + 1), 2), dtype=np.int8)
        for (role, state), action in (_LEGAL if kind == "BIOES" else _LEGAL_BIO).items():
            self._actions[self._places, 3 * role + state] = action
        for number, place in enumerate(PLACES[kind]):
            self._place[place.role, list(place.states)] = number
            self._actions[number, : len(place.actions)] = list(place.actions.values())

    def read(
        self, document: np.ndarray, choices: np.ndarray
    ) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
        """Decode documents with their actions.

        Returns the spans (reading, start, end, label), and the places that occur in each reading.
        """
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
        padding = self._padding[(first := self._offsets[document[reading]]) + start] - self._padding[first]
        in_order = np.empty_like(met)
        in_order[order] = met
        return (reading, start - padding, end - padding, name), in_order[:, : self._places]


class PolicyGrid:
    """All policies of one kind. A policy is a choice of one action for each ambiguous situation (place).

    Attributes:
        places: the places.
        names: the actions of the policies that have names.
        choices: the index of each policy's action at each place, int8, shape (policies, places).
    """

    def __init__(self, places: tuple[Place, ...], names: Mapping[str, Sequence[str]]) -> None:
        self.places, self.names = places, names
        sizes = [len(place.actions) for place in places]
        self.choices = np.indices(sizes, dtype=np.int8).reshape(len(places), -1).T

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


class RepairGrid(PolicyGrid):
    """All repair policies for one kind of scheme.

    Attributes:
        kind: `BIOES` or `BIO`.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(PLACES[kind], NAMED[kind])
        self.kind = kind
        self.choices = self.choices[[not _is_twin(self.describe(policy)) for policy in range(len(self))]]
        self.choices.flags.writeable = False

    @classmethod
    def of(cls, scheme: Scheme) -> "RepairGrid":
        """Return the grid of a scheme, see `repairs.kind_of`.

        Raises:
            InputError: if the scheme has no grid.
        """
        return _cached_grid(kind_of(scheme))

    @property
    def published(self) -> dict[str, tuple[str, ...]]:
        """The published tools and rules that equal each named policy."""
        return PUBLISHED[self.kind]


_cached_grid = cache(RepairGrid)


def _is_twin(policy: Mapping[str, str]) -> bool:
    """Check whether a policy always gives the same spans as the policy with `absorb` instead of `relabel`.

    This is the case if only E closes spans and an E of another label sets the span's label: then the label of an open
    span has no effect.
    """
    relabels = policy["I other"] == "relabel" and policy.get("E other") == "end relabelled"
    return relabels and all("close" not in policy[place] for place in ("B", "O", "S", "end"))


def read_all(
    grid: RepairGrid, roles: np.ndarray, labels: np.ndarray, *bounds: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray]:
    """Decode documents under all policies of a grid. A reading is a set of spans of one document.

    Most documents have few illegal pairs, so many policies decode them in the same way. A document is decoded only once
    for each combination of actions that it needs.

    Args:
        grid: the policies.
        roles: the role of each token's tag, see `schemes.ROLES`.
        labels: the label index of each token's tag; ignored outside spans.
        bounds: the begin of each document and the end of the last, shape (documents + 1); and the same for sentences.

    Returns:
        The document of each reading, ascending; the spans (reading, start, end and label of each); and the reading of
        each document under each policy, shape (policies, documents).
    """
    documents, places = len(bounds[0]) - 1, len(grid.places)
    met = np.zeros((documents, places), dtype=bool)
    reader = PolicyReader(grid.kind, roles, labels, *bounds)
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
