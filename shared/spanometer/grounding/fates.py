"""The fate of each item of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .answers import Answer, Item
from .grounded import Grounded, each_index, read_both
from .outcomes import resolve
from .placing import Bounds, TextIndex
from .policies import GroundingPolicy

FATES = {
    "placed": "it has a place in the text",
    "surplus": "it is in the text, but others have its occurrences",
    "absent": "it is not in the text",
    "overlapping": "it lost its place to an item that overlaps it",
    "outside": "its label is outside the labels",
    "broken": "the answer does not parse, and is taken as empty",
}
"""The fates that an item can have, each with its description."""


class Fate(NamedTuple):
    """An item and its fate.

    Attributes:
        item: with the label that its alias stands for.
        fate: one of `FATES`.
        spans: its bounds in the text, of a placed item.
        wrong: whether it counts as a predicted span, though it has no place.
    """

    item: Item
    fate: str
    spans: tuple[Bounds, ...] = ()
    wrong: bool = False


def fates_of(
    answer: Answer,
    index: TextIndex,
    policy: GroundingPolicy | str = "strict",
    labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> list[Fate]:
    """Return the fate of each item of an answer, in the order of the answer; see `grounded.ground`.

    Args:
        answer: as `read_answer` gives it.
        index: its text, as `grounded.text_indices` gives it; what is found there is kept for other policies.
        policy: a name, actions with commas between, or a `GroundingPolicy`.
        labels: those that were asked for; None for all.
        aliases: labels of answers and those that they stand for.
    """
    chosen = GroundingPolicy.of(policy)
    known = None if labels is None else frozenset(labels)
    found = resolve(answer, index, chosen, known, aliases or {})
    of_named = []
    for item, places, surplus, absent in zip(found.items, found.placed, found.surplus, found.absent, strict=True):
        if surplus:
            of_named.append(Fate(item, "surplus", wrong=chosen.surplus == "wrong"))
        elif absent:
            of_named.append(Fate(item, "absent", wrong=chosen.absent != "drop"))
        elif places:
            of_named.append(Fate(item, "placed", places))
        else:
            of_named.append(Fate(item, "overlapping"))
    waiting = iter(of_named)
    listed = []
    for item in answer.items:
        named = item._replace(label=(aliases or {}).get(item.label, item.label))
        if answer.broken and chosen.broken == "empty":
            listed.append(Fate(named, "broken"))
        elif chosen.outside == "drop" and known is not None and named.label not in known:
            listed.append(Fate(named, "outside"))
        else:
            listed.append(next(waiting))
    return listed


class AnswerFates(NamedTuple):
    """The fates of the items of an answer.

    Attributes:
        document: the number of its text.
        text: the text.
        said: the answer as it was given.
        read: the same as it was read.
        fates: of its items, in their order.
    """

    document: int
    text: str
    said: Any
    read: Answer
    fates: list[Fate]


def fates_by_answer(grounded: Grounded) -> Iterator[AnswerFates]:
    """Yield the fates of the items of each answer; the answers are read and grounded again for this."""
    given = grounded.given
    texts, answers = read_both(given.texts, given.answers, given.format, given.labels, given.aliases)
    indices = each_index(texts, given.tokens)
    for document, (text, said, read, index) in enumerate(zip(texts, given.answers, answers, indices, strict=True)):
        fates = fates_of(read, index, grounded.policy, given.labels, given.aliases)
        yield AnswerFates(document, text, said, read, fates)
