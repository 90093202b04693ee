"""A linear tagger: multinomial logistic regression on hashed words and character n-grams of a window.

It is no rival to a neural tagger. It is there because it learns in a minute on one processor, and because, like most
taggers that are fine-tuned today, it scores the tags of each token without regard to those of its neighbours: its best
tags make illegal pairs.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spanometer.exceptions import InputError
from spanometer.tags.tags import Tags

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_EDGE = "\n"
"""Stands for the places before and after a document; no file has it as a word."""

_AFFIX = 3
"""Length of the prefixes and suffixes of neighbouring words."""


@dataclass(frozen=True, kw_only=True)
class TaggerSettings:
    """The settings of a tagger and its training.

    Attributes:
        window: how many words to either side it looks at.
        ngrams: the longest character n-grams of the word itself.
        buckets: how many features each place of the window is hashed to.
        epochs: passes over the training part. They are few: the result is not the optimum, but near it.
        penalty: weight of half the squared norm of the coefficients, against the summed log loss (1/C of scikit-learn).
        seed: of the order in which training examples come, and of the draws of documents.
    """

    window: int = 2
    ngrams: int = 5
    buckets: int = 1 << 17
    epochs: int = 20
    penalty: float = 0.1
    seed: int = 0


class LinearTagger:
    """A scorer of tags, token by token (scikit-learn's `LogisticRegression` by stochastic average gradient)."""

    def __init__(self, settings: TaggerSettings, tags: int) -> None:
        self._tags = tags
        self._model = _sklearn("linear_model").LogisticRegression(
            solver="saga", C=1.0 / settings.penalty, max_iter=settings.epochs, tol=0.0, random_state=settings.seed
        )

    def fit(self, features: csr_matrix, tag: np.ndarray) -> Self:
        """Learn from tokens.

        Args:
            features: shape (tokens, features), see `window_features`.
            tag: code of each token's tag.

        Raises:
            InputError: if all tokens have the same tag.
        """
        if len(np.unique(tag)) < 2:
            raise InputError("all tokens to train on have the same tag.", "Train on a corpus with spans.")
        with warnings.catch_warnings():
            # it does not converge in so few epochs, see TaggerSettings
            warnings.simplefilter("ignore", category=_sklearn("exceptions").ConvergenceWarning)
            self._model.fit(features, tag)
        return self

    def logits(self, features: csr_matrix) -> np.ndarray:
        """Compute the logits of each token's tags, shape (tokens, tags); -inf for tags that it was not trained on."""
        values = self._model.decision_function(features)
        if values.ndim == 1:
            # with two classes scikit-learn gives the logit of the second against the first
            values = np.stack([np.zeros_like(values), values], axis=1)
        scores = np.full((features.shape[0], self._tags), -np.inf)
        scores[:, self._model.classes_] = values
        return scores


def window_features(words: Tags, settings: TaggerSettings) -> csr_matrix:
    """Hash features of each token: its word's shape and character n-grams, and its neighbours' words and affixes.

    Features are made for each distinct word once, then laid side by side for the places of the window.

    Returns:
        Shape (tokens, places * buckets).
    """
    from scipy.sparse import hstack

    hasher = _sklearn("feature_extraction").FeatureHasher(settings.buckets, input_type="string")
    names = (*words.names, _EDGE)
    places = []
    for offset in range(-settings.window, settings.window + 1):
        features = (
            _own_features(name, settings.ngrams) if offset == 0 else _neighbour_features(name) for name in names
        )
        places.append(hasher.transform(map(list, features))[_neighbours(words, offset)])
    return hstack(places, format="csr")


def _neighbours(words: Tags, offset: int) -> np.ndarray:
    """Return the code of the word some places after each token, or a code of its own beyond the document."""
    token = np.arange(len(words.codes))
    document = np.repeat(np.arange(len(words.lengths)), words.lengths)
    place = token + offset
    inside = (place >= words.offsets[document]) & (place < words.offsets[document + 1])
    return np.where(inside, words.codes[np.where(inside, place, token)], len(words.names))


def _own_features(word: str, longest: int) -> Iterator[str]:
    yield from _word_features(word)
    marked = f"<{word.lower()}>"
    yield from chain.from_iterable(_ngrams(marked, size) for size in range(1, longest + 1))


def _neighbour_features(word: str) -> Iterator[str]:
    yield from _word_features(word)
    marked = f"<{word.lower()}>"
    yield marked[: _AFFIX + 1]
    yield marked[-_AFFIX - 1 :]


def _word_features(word: str) -> Iterator[str]:
    yield f"word {word.lower()}"
    yield f"shape {_shape(word)}"


def _ngrams(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(len(text) - size + 1))


def _shape(word: str) -> str:
    """Write the word with letters and digits made alike, repeated ones once: `McKay-2024` is `XxXx-9`."""
    kinds = ["X" if char.isupper() else "x" if char.islower() else "9" if char.isdigit() else char for char in word]
    return "".join(kind for index, kind in enumerate(kinds) if index == 0 or kind != kinds[index - 1])


def _sklearn(module: str) -> Any:
    """Import a module of scikit-learn, when it is needed.

    Raises:
        InputError: if it is missing.
    """
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise InputError(
            "the experiments need scikit-learn, which is not installed.",
            "Install it: pip install 'spanometer[experiments]'.",
        ) from None
