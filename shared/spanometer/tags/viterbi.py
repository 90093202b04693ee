"""Logits to the best legal tag path, for whole corpora at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import offsets_of, place_of, runs
from ..errors import InputError, without_option
from .decoding import read_roles, scheme_of
from .schemes import OUTSIDE, Scheme
from .tags import Tags

PAD = -1
"""Stands instead of a label in padded arrays where there is no token."""

_FEW = 512
"""Up to this many sentences one maximum over many labels is quicker than one label after another."""

_BLOCK = 1 << 18
"""About how many tokens are decoded at a time, so that memory stays bounded."""


def decode(
    logits: Any,
    labels: Sequence[str],
    *,
    scheme: str | None = None,
    lengths: Any = None,
    mask: Any = None,
    transitions: Any = None,
) -> np.ndarray | list[np.ndarray]:
    """Find the legal path with the highest sum of logits, and of transition scores if they are given, exactly.

    The path maximises Σ_t logits[t, y_t] + Σ_t transitions[y_(t-1), y_t] over all paths y that are legal in the scheme
    from the sentence's beginning to its end. Sums are taken in float64; among equal paths one is chosen, always the
    same.

    Args:
        logits: float32 or float64 (or float16), shape (sentences, tokens, labels), padded; or a list with an array of
            shape (tokens, labels) for each sentence. -inf forbids a label at a token.
        labels: the tags that the last axis stands for, for example `["O", "B-PER", "I-PER"]`.
        scheme: name of the tag scheme; None infers it from the labels' prefixes.
        lengths: with padded logits: number of tokens of each sentence, with the padding after them.
        mask: with padded logits, instead of `lengths`: shape (sentences, tokens), true for the tokens that are tagged.
            Others are skipped as if they were not there, wherever they stand.
        transitions: shape (labels, labels), the score of going from the first label to the second.

    Returns:
        Indices of labels, int64: shape (sentences, tokens) for padded logits, with `PAD` where there is no token; for a
        list, a list of arrays of shape (tokens).

    Raises:
        InputError: for logits with NaN or +inf, or with nothing but -inf at a token; for numbers of labels, lengths or
            shapes that do not fit; and if no legal path exists.
    """
    legality = Legality.of(labels, scheme)
    scores = Scores.read(logits, len(labels), lengths=lengths, mask=mask)
    paths = best_paths(scores, legality, _transitions(transitions, len(labels)))
    return scores.shaped(paths)


@dataclass(frozen=True, eq=False)
class Legality:
    """The labels that may begin and end a sentence, and follow each other.

    Attributes:
        labels: the tags.
        scheme: their scheme.
        begins, ends: booleans, shape (labels).
        follows: booleans, shape (previous label, label).
    """

    labels: tuple[str, ...]
    scheme: Scheme
    begins: np.ndarray
    ends: np.ndarray
    follows: np.ndarray

    @classmethod
    @without_option("prefix")
    def of(cls, labels: Sequence[str], scheme: str | None) -> Legality:
        """Find the legal pairs of some tags under a scheme, inferred from the prefixes if it is None."""
        names = _checked_labels(labels)
        tags = Tags(np.arange(len(names)), names, np.array([0, len(names)]))
        try:
            known = scheme_of(scheme, tags)
            roles, codes, _ = read_roles(tags, known)
        except InputError as error:
            raise error.placed(side="labels", document=None) from None
        same = (codes[:, None] == codes[None, :]).astype(int)
        table = known.legal()
        legal = table[roles[:, None], roles[None, :], same]
        begins, ends = table[OUTSIDE, roles, 0], table[roles, OUTSIDE, 0]
        if not _reaches_end(begins, ends, legal):
            raise InputError(
                f"no path over the labels {', '.join(names)} is legal in {known.name}.",
                "Give all the labels of the model, and their scheme.",
            )
        return cls(names, known, begins, ends, legal)


def _checked_labels(labels: Sequence[str]) -> tuple[str, ...]:
    if isinstance(labels, (str, bytes)) or not all(isinstance(label, str) for label in labels):
        raise InputError(f"labels={labels!r} is not a list of tags.", "Give the tags, labels=['O', 'B-PER', ...].")
    names = tuple(labels)
    if not names:
        raise InputError("there are no labels.", "Give the tags, labels=['O', 'B-PER', ...].")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the label {twice!r} occurs twice.", "Give each label once, in the order of the logits.")
    return names


def _reaches_end(begins: np.ndarray, ends: np.ndarray, follows: np.ndarray) -> bool:
    reached = begins
    for _ in range(len(begins)):
        reached = reached | follows[reached].any(axis=0)
    return bool((reached & ends).any())


@dataclass(frozen=True, eq=False)
class Scores:
    """The logits of all sentences' tokens, laid end to end.

    Attributes:
        token: shape (tokens, labels).
        offsets: int64, sentence s has the tokens `offsets[s]` to `offsets[s + 1]`.
        mask: of padded logits, true for the places that hold tokens; None for a list.
    """

    token: np.ndarray
    offsets: np.ndarray
    mask: np.ndarray | None

    @classmethod
    def read(cls, logits: Any, labels: int, *, lengths: Any = None, mask: Any = None) -> Scores:
        """Check logits, see `decode`."""
        if isinstance(logits, (list, tuple)):
            if lengths is not None or mask is not None:
                raise InputError("a list of arrays needs neither lengths nor mask.", "Leave them out.")
            scores = cls._from_list(logits, labels)
        else:
            scores = cls._from_padded(logits, labels, lengths, mask)
        scores._refuse_values()
        return scores

    @classmethod
    def _from_list(cls, logits: Sequence[Any], labels: int) -> Scores:
        arrays = [_floats(array, sentence) for sentence, array in enumerate(logits)]
        for sentence, array in enumerate(arrays):
            if array.ndim != 2 or array.shape[1] != labels:
                raise InputError(
                    f"logits of shape {array.shape}, {labels} labels.",
                    "Give an array of shape (tokens, labels) for each sentence.",
                    document=sentence,
                )
        offsets = offsets_of([len(array) for array in arrays])
        token = np.concatenate(arrays) if arrays else np.zeros((0, labels))
        return cls(token, offsets, None)

    @classmethod
    def _from_padded(cls, logits: Any, labels: int, lengths: Any, mask: Any) -> Scores:
        array = _floats(logits, None)
        if array.ndim != 3 or array.shape[2] != labels:
            raise InputError(
                f"logits of shape {array.shape}, {labels} labels.",
                "Padded logits have the shape (sentences, tokens, labels); else give a list of arrays.",
            )
        tagged = _mask(array.shape[:2], lengths, mask)
        offsets = offsets_of(tagged.sum(axis=1))
        return cls(array[tagged], offsets, tagged)

    def _refuse_values(self) -> None:
        # the largest logit tells all three: NaN and +inf pass into it
        with np.errstate(invalid="ignore", over="ignore"):
            largest = self.token.max(axis=1, initial=-np.inf)
        bad = ~np.isfinite(largest)
        if not bad.any():
            return
        token = int(np.argmax(bad))
        sentence, position = place_of(self.offsets, token)
        values = self.token[token]
        if np.isnan(values).any():
            problem, remedy = "a logit is NaN.", "Look for a division by zero or an overflow in the model."
        elif np.isposinf(values).any():
            problem, remedy = "a logit is +inf.", "Logits are finite, or -inf to forbid a label."
        else:
            problem, remedy = "all logits are -inf.", "Leave at least one label possible at each token."
        raise InputError(problem, remedy, document=sentence, position=position)

    def shaped(self, paths: np.ndarray) -> np.ndarray | list[np.ndarray]:
        """Return labels of all tokens, laid end to end, in the form in which the logits came."""
        if self.mask is None:
            return np.split(paths, self.offsets[1:-1]) if len(self.offsets) > 1 else []
        padded = np.full(self.mask.shape, PAD, dtype=np.int64)
        padded[self.mask] = paths
        return padded


def _floats(array: Any, sentence: int | None) -> np.ndarray:
    try:
        values = np.asarray(array)
    except (ValueError, TypeError):
        values = np.asarray(None)
    if values.size == 0 and values.dtype.kind in "fiu":
        values = values.astype(np.float64)
    if values.dtype.kind != "f":
        raise InputError(
            f"logits of type {values.dtype} are not floating-point numbers.",
            "Give float32 or float64; of tensors, tensor.float().cpu().numpy().",
            document=sentence,
        )
    return values


def _mask(shape: tuple[int, ...], lengths: Any, mask: Any) -> np.ndarray:
    if lengths is not None and mask is not None:
        raise InputError("lengths and mask are both given.", "Give one of the two.")
    if mask is not None:
        tagged = np.asarray(mask)
        if tagged.shape != shape or not (tagged.dtype == bool or np.isin(tagged, (0, 1)).all()):
            raise InputError(
                f"a mask of shape {tagged.shape} and type {tagged.dtype}; the logits have {shape}.",
                "Give one boolean for each token of the padded logits.",
            )
        return tagged.astype(bool)
    if lengths is None:
        return np.ones(shape, dtype=bool)
    counts = np.asarray(lengths)
    if counts.shape != shape[:1] or (counts.size and counts.dtype.kind not in "iu"):
        raise InputError(f"lengths of shape {counts.shape}; {shape[0]} sentences.", "Give one whole number for each.")
    wrong = (counts < 0) | (counts > shape[1])
    if wrong.any():
        sentence = int(np.argmax(wrong))
        raise InputError(
            f"a length of {counts[sentence]}; the logits have {shape[1]} tokens.",
            "Lengths are between 0 and the padded length.",
            document=sentence,
        )
    return np.arange(shape[1]) < counts[:, None]


def _transitions(transitions: Any, labels: int) -> np.ndarray | None:
    if transitions is None:
        return None
    values = np.asarray(transitions)
    if values.shape != (labels, labels) or values.dtype.kind not in "fiu":
        raise InputError(
            f"transitions of shape {values.shape} and type {values.dtype}; {labels} labels.",
            "Give numbers of shape (labels, labels): from the first label to the second.",
        )
    if np.isnan(values).any() or np.isposinf(values).any():
        raise InputError("a transition score is NaN or +inf.", "Scores are finite, or -inf to forbid a pair.")
    return values.astype(np.float64)


def best_paths(scores: Scores, legality: Legality, transitions: np.ndarray | None) -> np.ndarray:
    """Return the best legal path of each sentence: label indices of all tokens, laid end to end, int64."""
    lengths = np.diff(scores.offsets)
    # sentences of similar length together: those that still go on at a step are the first ones
    order = np.argsort(-lengths, kind="stable")
    paths = np.empty(len(scores.token), dtype=np.int64)
    for left, right in zip(*runs(np.cumsum(lengths[order]) // _BLOCK), strict=True):
        _decode_block(scores, order[left:right], lengths, legality, transitions, paths)
    return paths


def greedy_paths(scores: Scores, legality: Legality) -> np.ndarray:
    """Decode left to right, at each token the best label that may follow the one before (Strubell et al. 2017).

    Nothing makes such a path end legally. If no label may follow, the best of all is taken.

    Returns:
        Label indices of all tokens, laid end to end, int64.
    """
    lengths = np.diff(scores.offsets)
    order = np.argsort(-lengths, kind="stable")
    first = scores.offsets[order]
    paths = np.empty(len(scores.token), dtype=np.int64)
    allowed = np.broadcast_to(legality.begins, (len(order), len(legality.labels)))
    for position in range(int(lengths.max(initial=0))):
        going = int(np.searchsorted(-lengths[order], -position, side="left"))
        token = first[:going] + position
        values = np.where(allowed[:going], scores.token[token], -np.inf)
        stuck = np.isneginf(values.max(axis=1))
        values[stuck] = scores.token[token[stuck]]
        paths[token] = values.argmax(axis=1)
        allowed = legality.follows[paths[token]]
    return paths


def _decode_block(
    scores: Scores,
    sentences: np.ndarray,
    lengths: np.ndarray,
    legality: Legality,
    transitions: np.ndarray | None,
    paths: np.ndarray,
) -> None:
    """Decode some sentences, the longest first, into `paths`."""
    first, length = scores.offsets[sentences], lengths[sentences]
    steps = int(length[0]) if len(length) else 0
    if steps == 0:
        return
    # how many sentences have a token at each step
    going = np.searchsorted(-length, -np.arange(steps), side="left")
    first = first[: going[0]]
    step = _Step(legality.follows, transitions)
    forbidden = np.where(legality.begins, 0.0, -np.inf)[:, None]
    score = scores.token[first].T + forbidden
    ends = np.where(legality.ends, 0.0, -np.inf)[:, None]
    final = np.empty(going[0], dtype=np.int64)
    back: list[np.ndarray] = []
    for position in range(steps):
        if position:
            count = going[position]
            score, pointers = step(score[:, :count])
            score += scores.token[first[:count] + position].T
            back.append(pointers)
        stop = going[position + 1] if position + 1 < steps else 0
        finished = score[:, stop:] + ends
        final[stop : score.shape[1]] = finished.argmax(axis=0)
        lost = np.isneginf(finished.max(axis=0))
        if lost.any():
            sentence = int(sentences[stop + int(np.argmax(lost))])
            raise InputError(
                f"no legal path of {lengths[sentence]} tokens over the labels {', '.join(legality.labels)} "
                f"in {legality.scheme.name} has a score above -inf.",
                "Give all labels of the model, and forbid fewer of them with -inf.",
                document=sentence,
            )
    current = final[:0]
    for position in range(steps - 1, -1, -1):
        count = going[position]
        if position + 1 < steps:
            current = step.previous(back[position], current)
        current = np.concatenate([current, final[len(current) : count]])
        paths[first[:count] + position] = current


class _Step:
    """One step of the recursion for many sentences at once.

    Labels that may follow the same labels share one maximum: every scheme has few such groups, so that a step costs
    little more than the number of labels, not its square. Transition scores separate them again.
    """

    def __init__(self, follows: np.ndarray, transitions: np.ndarray | None) -> None:
        self._transitions = transitions
        if transitions is None:
            before, self._group = np.unique(follows.T, axis=0, return_inverse=True)
            self._group = self._group.ravel()
        else:
            before, self._group = follows.T, np.arange(len(follows))
        members = [np.flatnonzero(row) for row in before]
        self._pointer_type = np.uint8 if len(follows) <= 256 else np.uint16
        self._groups = len(members)
        # groups of two, those of the labels inside spans, are compared all at once
        self._pairs = np.array([number for number, labels in enumerate(members) if len(labels) == 2], dtype=np.int64)
        self._first, self._second = np.array([members[number] for number in self._pairs]).reshape(-1, 2).T
        self._others = [(number, labels) for number, labels in enumerate(members) if len(labels) != 2]

    def __call__(self, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the best scores of paths into each label before its own logit, and the label before it by group.

        Args:
            score: best scores of paths that end in each label, shape (labels, sentences).
        """
        count = score.shape[1]
        best = np.full((self._groups, count), -np.inf)
        pointers = np.zeros((self._groups, count), dtype=self._pointer_type)
        if len(self._pairs):
            first, second = (self._reached(score, labels, self._pairs) for labels in (self._first, self._second))
            better = second > first
            best[self._pairs] = np.maximum(first, second)
            pointers[self._pairs] = np.where(better, self._second[:, None], self._first[:, None])
        for group, labels in self._others:
            if len(labels) == 0:
                continue
            if count <= _FEW:
                reached = self._reached(score, labels, np.asarray(group))
                chosen = reached.argmax(axis=0)
                best[group] = reached[chosen, np.arange(count)]
                pointers[group] = labels[chosen]
                continue
            for label in labels:
                reached = self._reached(score, np.array([label]), np.asarray(group))[0]
                better = reached > best[group]
                np.copyto(best[group], reached, where=better)
                np.copyto(pointers[group], label, where=better, casting="unsafe")
        return best[self._group], pointers

    def _reached(self, score: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
        """Return scores of the paths that come from each label into its group, shape (labels, sentences)."""
        reached: np.ndarray = score[labels]
        return reached if self._transitions is None else reached + self._transitions[labels, groups][:, None]

    def previous(self, pointers: np.ndarray, current: np.ndarray) -> np.ndarray:
        """Return the labels before the current ones on their best paths."""
        return np.asarray(pointers[self._group[current], np.arange(len(current))], dtype=np.int64)
