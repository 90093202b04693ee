"""The words of documents, for measures that need them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import read_documents
from ..exceptions import InputError, setting
from ..options import option
from ..tags.tags import Tags
from .base import Measure

TOKENS_REMEDY = "Pass one list of words for each document, tokens=[['The', 'Seine'], ...]."


def tokens_option(help: str) -> Any:
    """Declare the option `tokens` of a measure with its help text."""
    return option(None, help=help, type="list of lists of str", repr=False, compare=False)


def read_tokens(tokens: Any) -> Any:
    """Convert iterators over documents' words to lists, because they can be read only once.

    Encoded words and None are returned unchanged.
    """
    return tokens if tokens is None or isinstance(tokens, Tags) else read_documents(tokens, TOKENS_REMEDY)


def with_words(measures: Iterable[Measure], words: Callable[[], Any]) -> list[Any]:
    """Give the measures that need words the words of the documents; `words` is called only if they are needed."""
    listed: list[Any] = list(measures)
    tokens = words() if any(measure.needs_tokens for measure in listed) else None
    return [replace(measure, tokens=tokens) if measure.needs_tokens else measure for measure in listed]


def words_of(tokens: Any, lengths: np.ndarray, *, exact: bool) -> Tags:
    """Encode the words of documents, and check that they fit the documents.

    Args:
        tokens: the words of each document.
        lengths: the number of tokens of each document.
        exact: True if these lengths are exact, False if documents may have more words.
    """
    words = encoded_words(tokens)
    require_fit(words.lengths, lengths, exact, "tokens", "words")
    return words


def encoded_words(tokens: Any) -> Tags:
    """Encode the words of documents."""
    if isinstance(tokens, Tags):
        return tokens
    try:
        return Tags.from_lists(tokens)
    except InputError as error:
        problem = error.problem.replace("is not a tag", "is not a word")
        place: dict[str, Any] = {"document": error.document, "position": error.position}
        raise InputError(problem, TOKENS_REMEDY, side="tokens", **place) from None


def require_fit(sizes: np.ndarray, lengths: np.ndarray, exact: bool, name: str, noun: str) -> None:
    """Raise an `InputError` if the words or probabilities do not fit the annotated documents."""
    remedy = f"Pass {setting(name)} with the {noun} of the documents that both sides annotate."
    if len(sizes) != len(lengths):
        raise InputError(
            f"got {noun} for {len(sizes)} documents, but annotations for {len(lengths)}.", remedy, side=name
        )
    unfit = sizes != lengths if exact else sizes < lengths
    if unfit.any():
        document = int(np.argmax(unfit))
        problem = f"got {sizes[document]} {noun} for {lengths[document]} annotated tokens."
        raise InputError(problem, remedy, side=name, document=document)
