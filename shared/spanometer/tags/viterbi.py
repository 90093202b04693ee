"""Decoding of logits to the best legal tag paths, for a whole corpus at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ..arrays import as_array, first_flagged, is_ordered, listed, offsets_of, place_of, run_bounds
from ..exceptions import InputError, counted, shown, without_option
from .decoding import read_roles, scheme_of
from .schemes import BEGIN, OUTSIDE, SINGLE, get_scheme
from .tags import Tags

PAD = -1
"""The padding value in arrays of labels."""

_SMALL = 1 << 12
"""Up to this many scores of label pairs, one maximum over all pairs is faster than one for each group of labels."""

_AT_ONCE = 1 << 16
"""The approximate number of scores that are compared at a time, so that they fit in the processor's cache."""

_BLOCK = 1 << 21
"""The approximate number of scores of tokens and labels in memory at a time."""


def decode(
    logits: Any,
    labels: Sequence[str],
    *,
    scheme: str | None = None,
    lengths: Any = None,
    mask: Any = None,
    transitions: Any = None,
) -> np.ndarray | list[np.ndarray]:
    """Find the legal path with the highest sum of logits and transition scores, exactly.

    The path maximises Σ_t logits[t, y_t] + Σ_t transitions[y_(t-1), y_t] over all paths y that are legal in the scheme
    from beginning to end of the sentence. Sums are float64; ties are always broken in the same way.

    Args:
        logits: float16, float32 or float64: a padded array of shape (sentences, tokens, labels), or a list of arrays of
            shape (tokens, labels). -inf forbids a label at a token.
        labels: the tag of each label, in the order of the last axis, for example `["O", "B-PER", "I-PER"]`.
        scheme: the name of the tag scheme; None infers it from the prefixes.
        lengths: for padded logits, the number of tokens of each sentence; padding comes last.
        mask: for padded logits, instead of `lengths`: True for tokens that have a tag, shape (sentences, tokens). Other
            tokens, anywhere in the sentence, are skipped.
        transitions: the score of each transition from the first label to the second, shape (labels, labels).

    Returns:
        Label indices, int64. For padded logits: shape (sentences, tokens), with `PAD` for padding. For a list: a list
            of arrays of shape (tokens).

    Raises:
        InputError: if logits are NaN or +inf, or -inf for all labels of a token; if shapes do not fit; or if there is
            no legal path.
    """
    legality = Legality.of(labels, scheme)
    scores = Scores(logits, len(labels), lengths=lengths, mask=mask)
    return scores.shaped(best_paths(scores, legality, read_transitions(transitions, len(labels))))


class Legality:
    """Which labels may begin and end a sentence, and which may follow each other.

    Attributes:
        labels: the tags.
        scheme: their scheme.
        begins, ends: whether each label may begin or end a sentence, shape (labels).
        follows: whether each pair is legal, shape (previous label, label).
        opens: whether each label can only begin spans (B and S), shape (labels).
    """

    def __init__(self, labels: tuple[str, ...], scheme: str | None) -> None:
        tags = Tags.each_once(labels)
        try:
            self.scheme = scheme_of(scheme, tags)
            roles, codes, _ = read_roles(tags, self.scheme)
        except InputError as error:
            raise error.placed(side="labels", document=None, unit="item") from None
        same_label = (codes[:, None] == codes[None, :]).astype(int)
        table = self.scheme.legal()
        self.labels, self.opens = labels, (roles == BEGIN) | (roles == SINGLE)
        self.follows = table[roles[:, None], roles[None, :], same_label]
        self.begins, self.ends = table[OUTSIDE, roles, 0], table[roles, OUTSIDE, 0]
        if not _reaches_end(self.begins, self.ends, self.follows):
            problem = f"the tags {', '.join(labels)} cannot form any legal {self.scheme.name} sequence."
            raise InputError(problem, "Pass all tags of the model and their scheme.")
        for array in (self.begins, self.ends, self.follows, self.opens):
            array.flags.writeable = False

    @classmethod
    @without_option("prefix")
    def of(cls, labels: Sequence[str], scheme: str | None) -> Legality:
        """Compute which pairs of tags are legal; None infers the scheme from the prefixes."""
        return _cached_legality(_checked_labels(labels), None if scheme is None else get_scheme(scheme).name)

    @cached_property
    def step(self) -> _PathStep:
        """A step of the recursion without transition scores."""
        return _PathStep(self, None)


_cached_legality = lru_cache(maxsize=16)(Legality)
"""Create a `Legality`, with a cache for training loops."""


def _checked_labels(labels: Sequence[str]) -> tuple[str, ...]:
    remedy = "Pass the model's tags, such as labels=['O', 'B-PER', 'I-PER']."
    names: tuple[Any, ...] = tuple(listed(labels, remedy)) if is_ordered(labels) else (None,)
    if not names or not all(isinstance(label, str) for label in names):
        raise InputError(f"labels={shown(labels)} {'is not a list of' if names else 'has no'} tags.", remedy)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"the tag {shown(twice)} occurs twice.", "Pass each tag once, in the order of the logits.")
    return names


def _reaches_end(begins: np.ndarray, ends: np.ndarray, follows: np.ndarray) -> bool:
    reached = begins
    for _ in range(len(begins)):
        reached = reached | follows[reached].any(axis=0)
    return bool((reached & ends).any())


class Scores:
    """The logits of all tokens, sentence after sentence.

    Attributes:
        token: the logits, shape (tokens, labels).
        offsets: int64. Sentence s has the tokens `offsets[s]` to `offsets[s + 1]`.
        mask: for padded logits, True for tokens; None for a list.

    Raises:
        InputError: see `decode`, which explains the arguments.
    """

    def __init__(self, logits: Any, labels: int, *, lengths: Any = None, mask: Any = None) -> None:
        self.mask: np.ndarray | None = None
        if isinstance(logits, (list, tuple)):
            if lengths is not None or mask is not None:
                problem = "`lengths` and `mask` have no effect with a list of arrays."
                raise InputError(problem, "Leave out `lengths` and `mask`.")
            arrays = [_floats(array, labels, sentence) for sentence, array in enumerate(logits)]
            self.token = np.concatenate(arrays) if arrays else np.zeros((0, labels))
            self.offsets = offsets_of([len(array) for array in arrays])
        else:
            array = _floats(logits, labels)
            self.mask = tagged = _mask(array.shape[:2], lengths, mask)
            self.token, self.offsets = array[tagged], offsets_of(tagged.sum(axis=1))
        self._refuse_values()

    def _refuse_values(self) -> None:
        # the largest logit shows NaN, +inf and all -inf
        with np.errstate(invalid="ignore", over="ignore"):
            largest = self.token.max(axis=1, initial=-np.inf)
        token = first_flagged(~np.isfinite(largest))
        if token is None:
            return
        sentence, position = place_of(self.offsets, token)
        values = self.token[token]
        if np.isnan(values).any():
            problem, remedy = "a logit is NaN.", "Look for a division by zero or an overflow in the model."
        elif np.isposinf(values).any():
            problem, remedy = "a logit is +inf.", "Use finite logits, or -inf to forbid a label."
        else:
            problem, remedy = "all logits are -inf.", "Each token needs a finite logit for at least one label."
        raise InputError(problem, remedy, document=sentence, position=position)

    def shaped(self, paths: np.ndarray) -> np.ndarray | list[np.ndarray]:
        """Arrange the labels of all tokens in the shape of the logits."""
        if self.mask is None:
            return np.split(paths, self.offsets[1:-1]) if len(self.offsets) > 1 else []
        padded = np.full(self.mask.shape, PAD, dtype=np.int64)
        padded[self.mask] = paths
        return padded


def _floats(array: Any, labels: int, sentence: int | None = None) -> np.ndarray:
    """Convert the logits of one sentence, or padded logits, to an array of floating-point numbers."""
    remedy = "Pass rows of the same length, in float32 or float64. Convert tensors with tensor.float().cpu().numpy()."
    values = as_array(array, "an array of logits", remedy, document=sentence)
    if values.size == 0 and values.dtype.kind in "fiu":
        values = values.astype(np.float64)
    if values.dtype.kind != "f":
        raise InputError(f"logits must be floating-point numbers, got {values.dtype.name}.", remedy, document=sentence)
    if values.ndim != (3 if sentence is None else 2) or values.shape[-1] != labels:
        wanted = f"{'documents, ' if sentence is None else ''}tokens, {labels}"
        problem = f"the shape of the logits is {values.shape}, but must be ({wanted}) for {counted(labels, 'label')}."
        padded = "padded logits of shape (documents, tokens, labels)"
        remedy = f"Pass {padded}, or a list of arrays of shape (tokens, labels)."
        raise InputError(problem, remedy, document=sentence)
    return values


def _mask(shape: tuple[int, ...], lengths: Any, mask: Any) -> np.ndarray:
    if lengths is not None and mask is not None:
        raise InputError("`lengths` and `mask` cannot be used together.", "Leave out one of them.")
    if mask is not None:
        remedy = "Pass one boolean for each token of the padded logits."
        tagged = as_array(mask, "a mask", remedy)
        if tagged.shape != shape or not (tagged.dtype == bool or np.isin(tagged, (0, 1)).all()):
            has = "values other than 0 and 1" if tagged.shape == shape else f"the shape {tagged.shape}, not {shape}"
            raise InputError(f"the mask has {has}.", remedy)
        return tagged.astype(bool)
    if lengths is None:
        return np.ones(shape, dtype=bool)
    remedy = "Give the length of each document, an integer from 0 to the padded length."
    counts = as_array(lengths, "a list of lengths", remedy)
    if counts.shape != shape[:1] or (counts.size and counts.dtype.kind not in "iu"):
        problem = f"lengths have the shape {counts.shape}, but there are {counted(shape[0], 'document')}."
        raise InputError(problem, remedy)
    if (sentence := first_flagged((counts < 0) | (counts > shape[1]))) is not None:
        problem = f"the given length is {counts[sentence]}, but it must be between 0 and {shape[1]}."
        raise InputError(problem, remedy, document=sentence)
    return np.arange(shape[1]) < counts[:, None]


def read_transitions(transitions: Any, labels: int) -> np.ndarray | None:
    """Check transition scores between labels, see `decode`; None if there are none."""
    if transitions is None:
        return None
    remedy = "Pass a table of numbers with a row and a column for each tag. "
    remedy += "Row i, column j has the score of the step from tag i to tag j."
    values = as_array(transitions, "a table of transition scores", remedy)
    if (wrong := values.shape != (labels, labels)) or values.dtype.kind not in "fiu":
        fault = f"shape {values.shape}, not {(labels, labels)}" if wrong else f"type {values.dtype.name}, not float"
        raise InputError(f"the transition scores have the {fault}.", remedy)
    if np.isnan(values).any() or np.isposinf(values).any():
        raise InputError("a transition score is NaN or +inf.", "Use finite scores, or -inf to forbid a pair of labels.")
    return values.astype(np.float64)


def best_paths(scores: Scores, legality: Legality, transitions: np.ndarray | None) -> np.ndarray:
    """Compute the label indices, int64, of the best legal path of each sentence, for all tokens."""
    lengths = scores.offsets[1:] - scores.offsets[:-1]
    # longest first, so that the sentences with a token at a step come first
    order = np.argsort(-lengths, kind="stable")
    paths = np.empty(len(scores.token), dtype=np.int64)
    step = legality.step if transitions is None else _PathStep(legality, transitions)
    most = max(_BLOCK // len(legality.labels), 1)
    for left, right in zip(*run_bounds(np.cumsum(lengths[order]) // most), strict=True):
        _decode_block(scores, order[left:right], legality, step, paths)
    return paths


def greedy_paths(scores: Scores, legality: Legality, *, from_starts: bool = False) -> np.ndarray:
    """Decode left to right: each token gets the best label that may follow the previous one.

    The end of the path may be illegal. If no label may follow, the best of all labels is taken.

    Args:
        scores: the logits.
        legality: the labels.
        from_starts: if True, spans may begin only at tokens whose best label opens a span (Strubell et al. 2017, as
            described by Kroutikov 2019). At other tokens, an illegal I or E is replaced by the best label that opens no
            span, usually O. In schemes without B and S this has no effect.

    Returns:
        The label indices of all tokens, int64.
    """
    lengths = np.diff(scores.offsets)
    order = np.argsort(-lengths, kind="stable")
    first = scores.offsets[order]
    paths = np.empty(len(scores.token), dtype=np.int64)
    starts = legality.opens[scores.token.argmax(axis=1)]
    allowed = np.broadcast_to(legality.begins, (len(order), len(legality.labels)))
    for position in range(int(lengths.max(initial=0))):
        going = int(np.searchsorted(-lengths[order], -position, side="left"))
        token = first[:going] + position
        values = np.where(allowed[:going], scores.token[token], -np.inf)
        if from_starts:
            values = np.where(legality.opens & ~starts[token][:, None], -np.inf, values)
        stuck = np.isneginf(values.max(axis=1))
        values[stuck] = scores.token[token[stuck]]
        paths[token] = values.argmax(axis=1)
        allowed = legality.follows[paths[token]]
    return paths


def _decode_block(
    scores: Scores, sentences: np.ndarray, legality: Legality, step: _PathStep, paths: np.ndarray
) -> None:
    """Decode sentences, the longest first, and store the result in `paths`."""
    first = scores.offsets[sentences]
    length = scores.offsets[sentences + 1] - first
    # the number of sentences with a token at each position; tokens are ordered by position, then sentence
    going = np.searchsorted(-length, -np.arange(length.max(initial=0)), side="left")
    if len(going) == 0:
        return
    begins = offsets_of(going)
    position = np.repeat(np.arange(len(going)), going)
    token = first[np.arange(len(position)) - begins[position]] + position
    # the best score of a path to each label of each token
    score = scores.token[token].T.astype(np.float64, order="C")
    score[~legality.begins, : going[0]] = -np.inf
    bounds = begins.tolist()
    steps = list(zip(bounds, bounds[1:], bounds[2:], strict=False))
    for before, here, after in steps:
        step.add_best(score[:, before : before + after - here], score[:, here:after])
    path = np.empty(len(token), dtype=np.int64)
    last = begins[length[: going[0]] - 1] + np.arange(going[0])
    finished = score[:, last]
    finished[~legality.ends] = -np.inf
    path[last] = finished.argmax(axis=0)
    lost = finished[path[last], np.arange(len(last))] == -np.inf
    if lost.any():
        sentence = int(sentences[: going[0]][lost].min())
        length = counted(scores.offsets[sentence + 1] - scores.offsets[sentence], "token")
        problem = f"every legal tag sequence has the score -inf (scheme {legality.scheme.name}, {length})."
        named = f"The tags are {', '.join(legality.labels)}."
        remedy = "Pass all tags of the model. If you set logits to -inf, keep at least one legal tag sequence possible."
        raise InputError(f"{problem} {named}", remedy, document=sentence)
    for before, here, after in reversed(steps):
        stop = before + after - here
        path[before:stop] = step.labels_before(score[:, before:stop], path[here:after])
    paths[token] = path


class _PathStep:
    """One step of the recursion, for many sentences at once.

    Args:
        legality: the labels.
        transitions: the score of each transition from the first label to the second; None if all are 0.
    """

    def __init__(self, legality: Legality, transitions: np.ndarray | None) -> None:
        scores = np.where(legality.follows, 0.0 if transitions is None else transitions, -np.inf)
        # scores[from, into] for all pairs, and their transpose
        self._all, self._into = scores, scores.T.copy()
        self._legality, self._transitions = legality, transitions

    @cached_property
    def _grouped(self) -> tuple[np.ndarray, list[_LabelGroups], int]:
        """The group of each label, the groups, and the number of tokens that fit in the processor's cache."""
        group, parts = _groups(self._legality.follows, self._transitions)
        widest = max(len(part.before) * (part.groups.stop - part.groups.start) for part in parts)
        return group, parts, max(_AT_ONCE // max(widest, 1), 1)

    def add_best(self, before: np.ndarray, scores: np.ndarray) -> None:
        """Add the best scores of previous tokens to the scores of tokens; both have the shape (labels, tokens)."""
        tokens = scores.shape[1]
        if self._all.size * tokens <= _SMALL:
            scores += np.maximum.reduce(before.T[:, :, None] + self._all, axis=1).T
            return
        group, parts, width = self._grouped
        if tokens > width:
            for left in range(0, tokens, width):
                block = slice(left, left + width)
                self.add_best(before[:, block], scores[:, block])
            return
        best = np.empty((parts[-1].groups.stop, tokens))
        for part in parts:
            reached = before[part.rows].reshape(*part.before.shape, tokens)
            if part.added is not None:
                reached = reached + part.added
            np.maximum.reduce(reached, axis=0, out=best[part.groups], initial=-np.inf)
        scores += best.take(group, axis=0)

    def labels_before(self, score: np.ndarray, label: np.ndarray) -> np.ndarray:
        """Return the previous labels on the best paths; ties go to the first label.

        Args:
            score: the best scores up to the previous tokens, shape (labels, tokens).
            label: the labels of the next tokens.
        """
        reached = self._into[label]
        reached += score.T
        return np.asarray(reached.argmax(axis=1))


@dataclass(frozen=True, eq=False)
class _LabelGroups:
    """Groups of labels that have the same number of possible previous labels.

    Attributes:
        groups: the indices of these groups among all groups.
        before: the possible previous labels, shape (previous labels, groups), or (previous labels, 1) if they are the
            same for all groups.
        rows: `before` as a flat index.
        added: the scores of the transitions, shape (previous labels, groups, 1); None if all are 0.
    """

    groups: slice
    before: np.ndarray
    rows: slice | np.ndarray
    added: np.ndarray | None


def _groups(follows: np.ndarray, transitions: np.ndarray | None) -> tuple[np.ndarray, list[_LabelGroups]]:
    """Group the labels; returns the group of each label and all groups.

    Without transition scores, labels with the same possible previous labels have the same maximum. Every scheme has few
    such groups, so the cost of a step is nearly linear in the number of labels.
    """
    before, group = follows.T, np.arange(len(follows))
    label = group
    if transitions is None:
        before, label, group = np.unique(before, axis=0, return_index=True, return_inverse=True)
    size = before.sum(axis=1)
    order = np.argsort(size, kind="stable")
    parts = []
    for left, right in zip(*run_bounds(size[order]), strict=True):
        chosen = order[left:right]
        labels = np.nonzero(before[chosen])[1].reshape(right - left, -1).T
        if (labels == labels[:, :1]).all():
            labels = labels[:, :1]
        added = None if transitions is None else transitions[labels, label[chosen]][:, :, None]
        parts.append(_LabelGroups(slice(left, right), labels, _rows(labels.ravel()), added))
    return np.argsort(order)[group.ravel()], parts


def _rows(labels: np.ndarray) -> slice | np.ndarray:
    """Convert labels to a slice if they are evenly spaced, to avoid a copy."""
    distance = np.diff(labels)
    if len(distance) and (distance == distance[0]).all() and distance[0] > 0:
        return slice(int(labels[0]), int(labels[-1]) + 1, int(distance[0]))
    return labels
