"""Placing of an answer's mentions in its text under a policy."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..exceptions import InputError
from ..spans.texts import words_and_signs
from .items import Item
from .policies import GroundingPolicy, NormalForm, StringPolicy, form_of, form_text

Bounds = tuple[int, int]
Computed = TypeVar("Computed")

MOST_TOKENS = 100
"""Mentions with more tokens are not searched among similar words."""

MOST_CHAINS = 1 << 24
"""The maximum number of partial chains for an answer."""

_BITS = 60
_STARTS_AT_ONCE = 1 << 14


@dataclass(eq=False)
class TextIndex:
    """A text in which mentions are searched, with cached results.

    Attributes:
        text: the text.
        starts, ends: the boundaries of its tokens, in characters, ascending.
    """

    text: str
    starts: list[int]
    ends: list[int]
    _results: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def _once(self, compute: Callable[..., Computed], *arguments: str) -> Computed:
        """Compute a value once for these arguments, with a cache."""
        key = (compute.__name__, *arguments)
        if key not in self._results:
            self._results[key] = compute(*arguments)
        kept: Computed = self._results[key]
        return kept

    def form(self, fold: str) -> NormalForm:
        """Compute the normal form of the text."""
        return self._once(form_of, self.text, fold)

    def occurrences(self, mention: str, fold: str, inside: str) -> tuple[Bounds, ...]:
        """Return the boundaries of a mention's occurrences, by normal forms, from left to right without overlaps."""
        return self._once(self._occurrences, form_text(mention, fold), fold, inside)

    def _occurrences(self, folded: str, fold: str, inside: str) -> tuple[Bounds, ...]:
        form, size = self.form(fold), len(folded)
        occurrences: list[Bounds] = []
        place = form.text.find(folded) if size else -1
        while place >= 0:
            bounds = self._snapped(*form.bounds(place, place + size), inside)
            occurrences += [] if bounds is None else [bounds]
            # the search continues inside an occurrence that is not accepted
            place = form.text.find(folded, place + (1 if bounds is None else size))
        return tuple(occurrences)

    def tokens_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first token that overlaps the boundaries, and the last (exclusive)."""
        return bisect_right(self.ends, start), bisect_left(self.starts, end)

    def _snapped(self, start: int, end: int, inside: str) -> Bounds | None:
        """Adjust an occurrence to tokens; None if it is not accepted."""
        if inside == "allow":
            return start, end
        first, last = self.tokens_of(start, end)
        cut_start = first < last and self.starts[first] < start
        cut_end = first < last and self.ends[last - 1] > end
        if not (cut_start or cut_end):
            return start, end
        if inside == "whole":
            return None
        if inside == "expand":
            return min(start, self.starts[first]), max(end, self.ends[last - 1])
        first, last = first + cut_start, last - cut_end
        if first >= last:
            return None
        return self.starts[first] if cut_start else start, self.ends[last - 1] if cut_end else end

    def says(self, item: Item, fold: str) -> bool:
        """Check whether the text between the offsets of an item is its mention."""
        return form_text(self.text[item.start : item.end], fold) == form_text(item.mention, fold)

    def folded_tokens(self, fold: str) -> list[str]:
        """Return the normal forms of the tokens."""
        return self._once(self._folded_tokens, fold)

    def _folded_tokens(self, fold: str) -> list[str]:
        bounds = zip(self.starts, self.ends, strict=True)
        return [form_text(self.text[start:end], fold) for start, end in bounds]

    def similar(self, mention: str, fold: str) -> Bounds | None:
        """Return the window of tokens that has the most tokens of a mention in order; None if it has too few.

        It must have three quarters of the mention's tokens, and these must be at least a third of the window. Ties go
        to the shortest window, then to the first. Mentions of more than `MOST_TOKENS` tokens are not searched.
        """
        return self._once(self._similar, mention, fold)

    def _similar(self, mention: str, fold: str) -> Bounds | None:
        wanted = [form_text(mention[start:end], fold) for start, end in words_and_signs([mention]).bounds(0)]
        window = best_window(wanted, self.folded_tokens(fold)) if len(wanted) <= MOST_TOKENS else None
        return None if window is None else (self.starts[window[0]], self.ends[window[1] - 1])


def best_window(wanted: Sequence[str], tokens: Sequence[str]) -> Bounds | None:
    """Return the window of tokens that has the longest common subsequence with the wanted tokens.

    The subsequence must be at least a third of the window and three quarters of the wanted tokens. Ties go to the
    shortest window, then to the first.
    """
    least = ceil(0.75 * len(wanted))
    numbers = Counter(tokens)
    # tokens outside the text cannot be in common
    common = [token for token in wanted if token in numbers]
    if not wanted or sum(min(count, numbers[token]) for token, count in Counter(common).items()) < least:
        return None
    code = {token: number for number, token in enumerate(dict.fromkeys(common))}
    text = np.array([code.get(token, -1) for token in tokens])
    # a best window begins and ends with a token in common
    starts = np.flatnonzero(text >= 0)
    longest = 3 * len(common)
    # with too few wanted tokens within reach a window cannot have enough
    reach = np.searchsorted(starts, starts + longest) - np.arange(len(starts))
    starts = starts[reach >= least]
    places = [0] * len(code)
    for place, token in enumerate(common):
        places[code[token]] |= 1 << place
    blocks = (starts[first : first + _STARTS_AT_ONCE] for first in range(0, len(starts), _STARTS_AT_ONCE))
    best = min((_best_from(block, text, places, len(common), least) for block in blocks), default=_NO_WINDOW)
    return None if best == _NO_WINDOW else (best[2], best[2] + best[1])


_NO_WINDOW = (0, 0, 0)
"""Any window is better than this one."""


def _best_from(starts: np.ndarray, text: np.ndarray, places: list[int], size: int, least: int) -> tuple[int, int, int]:
    """Return the best window from any of the starts, as (- common tokens, length, start).

    It computes bit-parallel longest common subsequences (Crochemore et al. 2001) in words of 60 bits, for all starts at
    once.
    """
    words, full = -(-size // _BITS), (1 << _BITS) - 1
    masks = np.array([[place >> (_BITS * word) & full for word in range(words)] for place in [*places, 0]])
    row = np.full((words, len(starts)), full, dtype=np.int64)
    common = np.zeros(len(starts), dtype=np.int64)
    best = _NO_WINDOW
    for width in range(1, 3 * size + 1):
        inside = starts + width <= len(text)
        token = np.where(inside, text[np.minimum(starts + width - 1, len(text) - 1)], -1)
        carry = np.zeros(len(starts), dtype=np.int64)
        for word in range(words):
            mask = masks[token, word]
            total = row[word] + (row[word] & mask) + carry
            carry = total >> _BITS
            row[word] = (total & full) | (row[word] & ~mask)
        common += carry
        enough = np.flatnonzero(inside & (common >= least) & (3 * common >= width))
        if len(enough):
            top = enough[np.argmax(common[enough])]
            best = min(best, (-int(common[top]), width, int(starts[top])))
    return best


class Sighting(NamedTuple):
    """The possible places of an item, considered alone.

    Attributes:
        item: the item.
        stated: its boundaries in the answer, if the policy uses them.
        occurrences: all occurrences of its mention in the text, or its boundaries in the answer.
        similar: the most similar window of an item that is not in the text, if the policy uses it.
    """

    item: Item
    stated: Bounds | None
    occurrences: tuple[Bounds, ...]
    similar: Bounds | None


def sight(items: Iterable[Item], index: TextIndex, policy: GroundingPolicy) -> tuple[Sighting, ...]:
    """Search the mentions of items in the text."""
    sightings = []
    for item in items:
        stated = _stated(item, index, policy)
        places = (stated,) if stated else index.occurrences(item.mention, policy.fold, policy.inside)
        fuzzy = policy.absent == "fuzzy" and not places
        sightings.append(Sighting(item, stated, places, index.similar(item.mention, policy.fold) if fuzzy else None))
    return tuple(sightings)


class Outcome(NamedTuple):
    """An item and its outcome.

    Attributes:
        item: the item, with its alias replaced.
        kind: one of `OUTCOMES`.
        spans: the boundaries in the text, if the item is placed; several if it claims all of its occurrences.
        wrong: whether it is unplaced but counts as a predicted span.
    """

    item: Item
    kind: str
    spans: tuple[Bounds, ...] = ()
    wrong: bool = False


def string_outcomes(items: Iterable[Item], form: str, policy: StringPolicy) -> Iterator[Outcome]:
    """Yield the outcome of each item as a string; `form` is the normal form of the text."""
    copies: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for item in items:
        mention = form_text(item.mention.strip(), policy.fold)
        if mention not in copies:
            copies[mention] = form.count(mention) if mention else 0
        counts[mention] += 1
        kind = "absent" if not copies[mention] else "surplus" if counts[mention] > copies[mention] else "placed"
        yield Outcome(item, kind)


def place(sightings: Sequence[Sighting], index: TextIndex, policy: GroundingPolicy) -> tuple[Outcome, ...]:
    """Place the items of an answer in its text, one after another, or all at once as a chain.

    Returns the outcomes before overlaps are resolved. Items with accepted offsets come first, so that no other item
    takes their places.

    Raises:
        InputError: if a chain of items has too many occurrences.
    """
    taken = _Taken(len(index.text))
    spans: list[tuple[Bounds, ...]] = [(sighting.stated,) if sighting.stated else () for sighting in sightings]
    for sighting, mine in zip(sightings, spans, strict=True):
        taken.add(mine, sighting.item.label)
    others = [number for number, sighting in enumerate(sightings) if not sighting.stated]
    chained: Mapping[int, tuple[Bounds, ...]] = {}
    if policy.repeat == "chain":
        open_ = [taken.without(sightings[number].occurrences, sightings[number].item.label) for number in others]
        chained = dict(zip(others, _chain(open_, index), strict=True))
    meant: set[tuple[int, str]] = set()
    for number in others:
        item, _, places, window = sightings[number]
        if not places:
            spans[number] = (window,) if window else ()
        elif chained:
            spans[number] = chained[number]
        elif policy.repeat not in _OF_MENTION or (id(places), item.label) not in meant:
            spans[number] = taken.choose(policy.repeat, places, item.label)
            meant.add((id(places), item.label))
        taken.add(spans[number], item.label)
    return tuple(
        Outcome(sighting.item, "placed" if mine else "surplus" if sighting.occurrences else "absent", mine)
        for sighting, mine in zip(sightings, spans, strict=True)
    )


def _stated(item: Item, index: TextIndex, policy: GroundingPolicy) -> Bounds | None:
    """Return the boundaries in the answer if the policy accepts them, otherwise None."""
    if policy.offsets == "ignore" or item.start is None or item.end is None:
        return None
    if policy.offsets == "nearest":
        places = index.occurrences(item.mention, policy.fold, policy.inside)
        return min(places, key=lambda bounds: abs(bounds[0] - (item.start or 0)), default=None)
    if not 0 <= item.start < item.end <= len(index.text):
        return None
    return (item.start, item.end) if policy.offsets == "trust" or index.says(item, policy.fold) else None


class _Taken:
    """The places of earlier items, and choices that depend on them.

    For each list of occurrences, the number of taken ones at its beginning is cached.
    """

    def __init__(self, size: int) -> None:
        self._flags = bytearray(size)
        # by label, and of all labels under None
        self._bounds: dict[str | None, set[Bounds]] = defaultdict(set)
        self._end = 0
        self._passed: dict[tuple[int, str, str | None], int] = {}

    def add(self, spans: tuple[Bounds, ...], label: str) -> None:
        """Mark boundaries as taken by an item."""
        if not self._bounds[None].issuperset(spans):
            for start, end in spans:
                self._flags[start:end] = b"\1" * (end - start)
        self._bounds[None].update(spans)
        self._bounds[label].update(spans)
        self._end = spans[-1][1] if spans else self._end

    def choose(self, repeat: str, places: tuple[Bounds, ...], label: str) -> tuple[Bounds, ...]:
        """Choose an occurrence for an item of a label, by an action for `repeat`."""
        if repeat in _OF_MENTION:
            return self.without(places if repeat == "all" else places[:1], label)
        if repeat == "order":
            after = bisect_left(places, (self._end,))
            return places[after : after + 1]
        if repeat == "prefer free":
            return self._first("next free", places, label) or self._first("next by label", places, label)
        return self._first(repeat, places, label)

    def without(self, places: tuple[Bounds, ...], label: str) -> tuple[Bounds, ...]:
        """Remove places that an item of the label has."""
        own = self._bounds[label]
        left = tuple(bounds for bounds in places if bounds not in own) if own else places
        return left if len(left) < len(places) else places

    def _first(self, rule: str, places: tuple[Bounds, ...], label: str) -> tuple[Bounds, ...]:
        """Return the first free place; the rule says whether overlaps, any items, or only items of the label count."""
        owner = label if rule == "next by label" else None
        key = (id(places), rule, owner)
        place = self._passed.get(key, 0)
        while place < len(places) and (
            self._flags.find(1, *places[place]) >= 0 if rule == "next free" else places[place] in self._bounds[owner]
        ):
            place += 1
        self._passed[key] = place
        return places[place : place + 1]


_OF_MENTION = ("first", "all")
"""Actions with which a second item of the same mention and label gets no place."""


def require_few_occurrences(occurrences: int, most: int, repeat: str) -> None:
    """Raise an `InputError` if the items of an answer occur too often for a policy's value of `repeat`."""
    if occurrences > most:
        problem = f"the items of an answer occur more than {most:,} times in the text, too often for repeat={repeat!r}."
        raise InputError(problem, "Use a policy with another value of repeat.", option="policy")


def _chain(occurrences: Sequence[tuple[Bounds, ...]], index: TextIndex) -> list[tuple[Bounds, ...]]:
    """Return the boundaries of each item in the chain with the most tokens; ties go to the chain that ends first.

    A chain is a subsequence of the items without overlaps. Among partial chains with equally many tokens, the one that
    ends first is kept, then the one with the earlier last item.
    """
    require_few_occurrences(sum(map(len, occurrences)), MOST_CHAINS, "chain")
    # partial chains, ascending in end and in tokens: a later end is useful only with more tokens
    ends, sizes = [0], [0]
    last: list[Any] = [None]
    for number, places in enumerate(occurrences):
        longer = []
        for start, end in places:
            before = bisect_right(ends, start) - 1
            first, after = index.tokens_of(start, end)
            longer.append((end, sizes[before] + after - first, (number, (start, end), last[before])))
        for end, size, link in longer:
            at = bisect_right(ends, end)
            if sizes[at - 1] >= size:
                continue
            at -= ends[at - 1] == end
            worse = at
            while worse < len(sizes) and sizes[worse] <= size:
                worse += 1
            ends[at:worse], sizes[at:worse], last[at:worse] = [end], [size], [link]
    chosen: list[tuple[Bounds, ...]] = [() for _ in occurrences]
    link = last[-1]
    while link is not None:
        number, bounds, link = link
        chosen[number] = (bounds,)
    return chosen
