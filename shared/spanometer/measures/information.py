"""The information that tokens carry, and sets of them, graded by rank."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ..arrays import is_number, ranges, runs
from ..errors import InputError, mention, shown
from ..tags.tags import Tags

_TABLE = 1 << 16
"""The longest set of tokens whose harmonic number is summed; those of longer ones are computed."""

_BLOCK = 1 << 20
"""This many tokens are expanded at a time."""


TOKENS_REMEDY = "Pass one list of words for each document, tokens=[['The', 'Seine'], ...]."


@dataclass(frozen=True, eq=False)
class TokenInformation:
    """The information of every token of a corpus: the same for all of them, or an array.

    Attributes:
        unit: the information of each token if it is the same for all.
        token: float64, the information of the tokens of all documents, laid end to end; or None.
    """

    unit: float = 1.0
    token: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        lengths: np.ndarray,
        *,
        exact: bool,
        tokens: Iterable[Sequence[str]] | None,
        probabilities: Mapping[str, float] | float | None,
        log_base: float,
    ) -> TokenInformation:
        """Compute -log P(w) of words and their probabilities; see `measures.SlIcm` for what each combination means.

        Args:
            lengths: how many tokens of each document are wanted.
            exact: whether these are the documents' lengths; else documents may have more words.
            tokens, probabilities, log_base: as `measures.SlIcm` has them.
        """
        if tokens is None:
            if probabilities is None:
                return cls()
            return cls(unit=-math.log(cast(float, probabilities)) / math.log(log_base) + 0.0)
        try:
            words = Tags.from_lists(tokens)
        except InputError as error:
            problem = error.problem.replace("is not a tag", "is not a word")
            raise InputError(
                problem,
                TOKENS_REMEDY,
                side="tokens",
                document=error.document,
                position=error.position,
            ) from None
        _require_fit(words.lengths, lengths, exact)
        if not isinstance(probabilities, Mapping):
            counts = np.bincount(words.codes, minlength=len(words.names))
            share = counts / max(len(words.codes), 1)
        else:
            share = np.array([_probability(word, code, words, probabilities) for code, word in enumerate(words.names)])
        # + 0.0 so that a certain word carries 0 and not -0
        information = -np.log(share) / math.log(log_base) + 0.0
        return cls(token=information[words.codes[ranges(words.offsets[:-1], lengths)]])

    def of_sizes(self, sizes: np.ndarray) -> np.ndarray:
        """Return the information of sets of tokens of these sizes if it is the same for all tokens: unit * H(size)."""
        largest = min(int(sizes.max(initial=0)), _TABLE)
        harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, largest + 1))))
        sums = harmonic[np.minimum(sizes, largest)]
        longer = sizes > largest
        if longer.any():
            from scipy.special import digamma

            sums[longer] = digamma(sizes[longer] + 1.0) + np.euler_gamma
        return np.asarray(self.unit * sums)

    def graded(self, group: np.ndarray, start: np.ndarray, end: np.ndarray, groups: int) -> np.ndarray:
        """Compute Σ_i (1 / i) information(w_i) for each group of intervals of tokens, i the rank within the group.

        Args:
            group: the group of each interval, ascending from 0; no group is empty.
            start, end: bounds in tokens of all documents laid end to end, in order within a group.
            groups: number of groups.
        """
        information = np.empty(0) if self.token is None else self.token
        size = end - start
        before = np.cumsum(size) - size
        first, last = runs(group)
        rank = before - np.repeat(before[first], last - first)
        sums = np.zeros(groups)
        # block by block, so that memory stays bounded for long or many spans
        for left, right in zip(*runs(before // _BLOCK), strict=True):
            part = slice(left, right)
            values = information[ranges(start[part], size[part])] / (ranges(rank[part], size[part]) + 1)
            owner = np.repeat(group[part] - group[left], size[part])
            sums[group[left] : group[right - 1] + 1] += np.bincount(owner, weights=values)
        return sums


def require_probability(value: object, name: str) -> None:
    """Raise an `InputError` unless the value is a number in (0, 1]."""
    if not is_number(value) or not 0 < value <= 1:
        raise InputError(
            f"invalid probability {mention(name)}: {value!r}.",
            "Probabilities are greater than 0 and at most 1.",
            option=name.partition("[")[0],
        )


def require_probabilities(probabilities: Mapping[Any, Any]) -> None:
    """Raise an `InputError` unless these are words and their probabilities, also of words that do not occur."""
    for word, value in probabilities.items():
        if not isinstance(word, str):
            problem = f"{mention('token_probabilities')}: {shown(word)} is not a word."
            raise InputError(problem, "Give a mapping of strings to probabilities.", option="token_probabilities")
        require_probability(value, f"token_probabilities[{word!r}]")


def mapping_digest(probabilities: Mapping[str, float]) -> str:
    """Return the first eight digits of a hash of the mapping, for the signature."""
    written = json.dumps(sorted((word, float(value)) for word, value in probabilities.items()))
    return hashlib.sha256(written.encode()).hexdigest()[:8]


def _probability(word: str, code: int, words: Tags, probabilities: Mapping[str, float]) -> float:
    if word not in probabilities:
        document, position = words.first(code)
        raise InputError(
            f"the word {word!r} has no probability.",
            f"Give {mention('token_probabilities')} for every word of {mention('tokens')}.",
            side="tokens",
            document=document,
            position=position,
        )
    return float(probabilities[word])


def _require_fit(words: np.ndarray, lengths: np.ndarray, exact: bool) -> None:
    """Raise an `InputError` unless the words are those of the annotated documents."""
    remedy = "tokens=... are the words of the documents that both sides annotate."
    if len(words) != len(lengths):
        raise InputError(f"words for {len(words)} documents, annotation of {len(lengths)}.", remedy, side="tokens")
    unfit = words != lengths if exact else words < lengths
    if unfit.any():
        document = int(np.argmax(unfit))
        raise InputError(
            f"{words[document]} words, {lengths[document]} annotated tokens.", remedy, side="tokens", document=document
        )
