"""The information of tokens and of sets of tokens, and probabilities of words."""

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..alignment.overlaps import Pieces
from ..arrays import first_flagged, is_number, offsets_of, place_of, ranges, read_documents, run_bounds
from ..exceptions import InputError, mention, on_side, shown
from .aligned import TOKENS_REMEDY, encoded_words

_TABLE = 1 << 16
"""Up to this size, harmonic numbers are summed; for larger sets they are computed with the digamma function."""

_BLOCK = 1 << 20
"""The number of tokens that are processed at a time."""


_LISTS_REMEDY = "Pass one list for each document, with a number or None for each token."
_RANGE = "Probabilities are greater than 0 and at most 1."


@dataclass(frozen=True)
class TokenProbabilities:
    """Probabilities of the tokens of documents, for example from a language model; NaN where missing.

    Probabilities belong to the data, so any two objects compare equal: parts of a corpus have the same measure.

    Attributes:
        offsets: the start of each document's tokens, and the end of the last document.
        values: the probabilities of all tokens, document after document, float64.
    """

    offsets: np.ndarray = field(compare=False, repr=False)
    values: np.ndarray = field(compare=False, repr=False)

    @classmethod
    def read(cls, documents: Any) -> "TokenProbabilities":
        """Read the probabilities of each document: lists of numbers and None, or an Arrow column of such lists.

        Raises:
            InputError: if the input has another form, or if a number is below 0 or above 1.
        """
        if isinstance(documents, TokenProbabilities):
            return documents
        as_lists = getattr(documents, "to_pylist", None)
        rows = on_side("token_probabilities", read_documents, as_lists() if as_lists else documents, _LISTS_REMEDY)
        parts = [_numbers(row, number) for number, row in enumerate(rows)]
        offsets = offsets_of([len(part) for part in parts])
        values = np.concatenate([np.empty(0), *parts])
        if (token := first_flagged((values < 0) | (values > 1))) is not None:
            logarithms = " If the values are logarithms, apply exp to them first." if values[token] < 0 else ""
            document, position = place_of(offsets, token)
            place: dict[str, Any] = {"side": "token_probabilities", "document": document, "position": position}
            raise InputError(f"{values[token]!s} is not a probability.", f"{_RANGE}{logarithms}", **place)
        return cls(offsets, np.where(values == 0, np.nan, values))

    def of_documents(self, documents: np.ndarray) -> "TokenProbabilities":
        """Select documents in the given order."""
        sizes = np.diff(self.offsets)[documents]
        return TokenProbabilities(offsets_of(sizes), self.values[ranges(self.offsets[documents], sizes)])


def _numbers(row: Any, document: int) -> np.ndarray:
    """Read the numbers of one document, with NaN for None."""
    with suppress(TypeError, ValueError, RuntimeError):
        items = np.asarray(row).tolist() if hasattr(row, "__array__") else list(row)
        # NumPy would turn booleans and texts into numbers
        if all(item is None or is_number(item) for item in {type(item): item for item in items}.values()):
            return np.array(items, dtype=float)
    problem = f"{shown(row)} is not a list of probabilities."
    raise InputError(problem, _LISTS_REMEDY, side="token_probabilities", document=document)


def word_probabilities(corpus: Any, *, smoothing: float = 1.0) -> dict[str, Any]:
    """Estimate P(w) from the word counts of a corpus, with additive smoothing.

        P(w) = (c(w) + k) / (N + k (V + 1))

    c(w) is the count of the word, N the number of words, V the number of distinct words and k the smoothing. The
    probability of an unknown word is k / (N + k (V + 1)). The probabilities of all words and of one unknown word sum to
    1. If k = 0, P(w) is the relative frequency, and unknown words have no probability.

        probabilities = word_probabilities(training_words)
        SlIcm(tokens=words, **probabilities)

    Args:
        corpus: the words of each document, spelled as in the text, or a mapping from words to counts.
        smoothing: k, at least 0.

    Returns:
        The options `token_probabilities` (a mapping) and `unknown` of `measures.SlIcm` and of its module.

    Raises:
        InputError: if there are no words, if counts are not positive numbers, or if smoothing is negative.
    """
    if not is_number(smoothing) or not 0 <= smoothing < math.inf:
        raise InputError(f"invalid value for smoothing: {shown(smoothing)}.", "Use a finite number of at least 0.")
    if isinstance(corpus, Mapping):
        counts = dict(corpus)
    else:
        words = encoded_words(corpus)
        counts = dict(zip(words.names, np.bincount(words.codes, minlength=len(words.names)).tolist(), strict=True))
    for word, count in counts.items():
        if not is_number(count) or not 0 < count < math.inf:
            raise InputError(
                f"{shown(count)} is not a valid count of the word {shown(word)}.", "Use numbers greater than 0."
            )
    total = math.fsum(counts.values()) + smoothing * (len(counts) + 1)
    if not counts:
        raise InputError("the corpus has no words.", TOKENS_REMEDY)
    return {
        "token_probabilities": {word: (count + smoothing) / total for word, count in counts.items()},
        "unknown": smoothing / total if smoothing else None,
    }


@dataclass(frozen=True, eq=False)
class TokenInformation:
    """The information of each token of a corpus.

    Attributes:
        unit: the information of every token, if all tokens have the same.
        token: otherwise the information of each token, document after document, float64, NaN if unknown; else None.
    """

    unit: float = 1.0
    token: np.ndarray | None = None

    def unknown_in(self, start: np.ndarray, end: np.ndarray) -> int | None:
        """Return the index of the first token in these intervals that has no probability, or None."""
        if self.token is None or not (unknown := np.isnan(self.token)).any():
            return None
        before = offsets_of(unknown)
        first = int(start[before[end] > before[start]].min(initial=len(unknown)))
        return None if first == len(unknown) else first + int(np.argmax(unknown[first:]))

    def of_sets(
        self, sizes: np.ndarray, pieces: Callable[[], Pieces], token: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Compute Σ_i (1 / i) information(w_i) of token sets; i is the rank of a token within its set.

        Args:
            sizes: the number of tokens of each set.
            pieces: returns the intervals of each set, in order; no set is empty. It is called only if tokens differ in
                their information.
            token: converts positions of intervals to indices of tokens in the concatenated documents.
        """
        if self.token is None:
            return np.asarray(self.unit * _harmonic(sizes))
        of_sets = pieces()
        group, start, size = of_sets.span, token(of_sets.start), of_sets.end - of_sets.start
        before = np.cumsum(size) - size
        first, last = run_bounds(group)
        rank = before - np.repeat(before[first], last - first)
        sums = np.zeros(len(sizes))
        # in blocks, to bound memory
        for left, right in zip(*run_bounds(before // _BLOCK), strict=True):
            part = slice(left, right)
            values = self.token[ranges(start[part], size[part])] / (ranges(rank[part], size[part]) + 1)
            owner = np.repeat(group[part] - group[left], size[part])
            sums[group[left] : group[right - 1] + 1] += np.bincount(owner, weights=values)
        return sums


def _harmonic(sizes: np.ndarray) -> np.ndarray:
    """Compute the harmonic numbers H(size)."""
    largest = min(int(sizes.max(initial=0)), _TABLE)
    sums = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, largest + 1))))[np.minimum(sizes, largest)]
    if (longer := sizes > largest).any():
        from scipy.special import digamma

        sums[longer] = digamma(sizes[longer] + 1.0) + np.euler_gamma
    return np.asarray(sums)


def require_probability(value: object, name: str) -> None:
    """Raise an `InputError` unless the value is a number in (0, 1]."""
    if not is_number(value) or not 0 < value <= 1:
        raise InputError(
            f"invalid probability for {mention(name)}: {shown(value)}.", _RANGE, option=name.partition("[")[0]
        )


def mapping_digest(probabilities: Mapping[str, float]) -> str:
    """Compute a hash of the mapping, eight digits long, for the signature."""
    items = [(word, float(value)) for word, value in sorted(probabilities.items())]
    return hashlib.sha256(json.dumps(items).encode()).hexdigest()[:8]
