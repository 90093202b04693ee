"""A linear tagger: multinomial logistic regression on hashed words and character n-grams of a window.

It is much weaker than a neural tagger. It is useful here because it learns in a minute on one processor. Like most
taggers that are fine-tuned today, it scores the tags of each token independently of the neighbouring tags, so its best
tags can form illegal pairs.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from spanometer.exceptions import InputError
from spanometer.tags.tags import Tags

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_EDGE = "\n"
"""Stands for the positions before and after a document; it never occurs as a word."""

_AFFIX = 3
"""The length of the prefixes and suffixes of neighbouring words."""


@dataclass(frozen=True, kw_only=True)
class TaggerSettings:
    """The settings of a tagger and its training.

    Attributes:
        window: the number of words on either side that are features.
        ngrams: the maximum length of character n-grams of the word itself.
        buckets: the number of features into which each position of the window is hashed.
        epochs: the number of passes over the training data. It is small, so the result is only near the optimum.
        penalty: the weight of half the squared norm of the coefficients, against the summed log loss (1/C of
            scikit-learn).
        seed: the seed for the order of training examples, and for resampling.
    """

    window: int = 2
    ngrams: int = 5
    buckets: int = 1 << 17
    epochs: int = 20
    penalty: float = 0.1
    seed: int = 0


def tag_logits(words: Tags, tags: Tags, held_out: Tags, settings: TaggerSettings) -> np.ndarray:
    """Train the tagger, and compute the logits of each held-out token's tags, shape (tokens, tags).

    The tagger is scikit-learn's `LogisticRegression` with stochastic average gradient.

    Args:
        words, tags: the training data; each of the tags occurs.
        held_out: the words to tag.
        settings: the settings of the tagger.

    Raises:
        InputError: if all tokens have the same tag, or if scikit-learn is missing.
    """
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        train, test = (window_features(each, settings) for each in (words, held_out))
    except ImportError:
        raise InputError(
            "the experiments need scikit-learn, which is not installed.",
            "Install it: pip install 'spanometer[experiments]'.",
        ) from None
    if len(tags.names) < 2:
        raise InputError("all tokens to train on have the same tag.", "Train on a corpus with spans.")
    model = LogisticRegression(
        solver="saga", C=1.0 / settings.penalty, max_iter=settings.epochs, tol=0.0, random_state=settings.seed
    )
    with warnings.catch_warnings():
        # it does not converge in so few epochs, see TaggerSettings
        warnings.simplefilter("ignore", category=ConvergenceWarning)
        model.fit(train, tags.codes)
    logits = np.asarray(model.decision_function(test))
    # with two classes scikit-learn gives the logit of the second against the first
    return logits if logits.ndim == 2 else np.stack([np.zeros_like(logits), logits], axis=1)


def window_features(words: Tags, settings: TaggerSettings) -> csr_matrix:
    """Hash features of each token: its word's shape and character n-grams, and its neighbours' words and affixes.

    Features are computed once for each distinct word, then combined for the positions of the window.

    Returns:
        Shape (tokens, positions * buckets).
    """
    from scipy.sparse import hstack
    from sklearn.feature_extraction import FeatureHasher

    hasher = FeatureHasher(settings.buckets, input_type="string")
    places = []
    for offset in range(-settings.window, settings.window + 1):
        features = [_features(name, 0 if offset else settings.ngrams) for name in (*words.names, _EDGE)]
        places.append(hasher.transform(features)[_neighbours(words, offset)])
    return hstack(places, format="csr")


def _neighbours(words: Tags, offset: int) -> np.ndarray:
    """Return the index of the word at this offset from each token; outside the document, a special index."""
    token = np.arange(len(words.codes))
    document = np.repeat(np.arange(len(words.lengths)), words.lengths)
    place = token + offset
    inside = (place >= words.offsets[document]) & (place < words.offsets[document + 1])
    return np.where(inside, words.codes[np.where(inside, place, token)], len(words.names))


def _features(word: str, ngrams: int) -> list[str]:
    """Return the word, its shape, and its character n-grams up to this length; without n-grams, its affixes."""
    marked = f"<{word.lower()}>"
    parts = [marked[start : start + size] for size in range(1, ngrams + 1) for start in range(len(marked) - size + 1)]
    return [f"word {word.lower()}", f"shape {_shape(word)}", *(parts or [marked[: _AFFIX + 1], marked[-_AFFIX - 1 :]])]


def _shape(word: str) -> str:
    """Return the shape of a word, with repeated signs written once: `McKay-2024` becomes `XxXx-9`."""
    kinds = ("X" if char.isupper() else "x" if char.islower() else "9" if char.isdigit() else char for char in word)
    return "".join(kind for kind, _ in groupby(kinds))
