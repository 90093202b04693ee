"""The words of documents, for measures that look at them."""

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
    """Declare the option `tokens` of a measure that looks at words; `help` says what for."""
    return option(None, help=help, type="list of lists of str", repr=False, compare=False)


def read_tokens(tokens: Any) -> Any:
    """List the words of documents, as an iterator can be read only once; encoded words and None stay."""
    return tokens if tokens is None or isinstance(tokens, Tags) else read_documents(tokens, TOKENS_REMEDY)


def with_words(measures: Iterable[Measure], words: Callable[[], Any]) -> list[Any]:
    """Give the words of the documents, which a function lists, to the measures that need them."""
    listed: list[Any] = list(measures)
    tokens = words() if any(measure.needs_tokens for measure in listed) else None
    return [replace(measure, tokens=tokens) if measure.needs_tokens else measure for measure in listed]


def words_of(tokens: Any, lengths: np.ndarray, *, exact: bool) -> Tags:
    """Encode the words of documents, checked.

    Args:
        tokens: the words of each document.
        lengths: how many tokens of each document are wanted.
        exact: whether these are the documents' lengths; else documents may have more words.
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
    """Raise an `InputError` unless there are words, or probabilities, of the annotated documents."""
    remedy = f"{setting(name)} are the {noun} of the documents that both sides annotate."
    if len(sizes) != len(lengths):
        raise InputError(f"{noun} for {len(sizes)} documents, annotation of {len(lengths)}.", remedy, side=name)
    unfit = sizes != lengths if exact else sizes < lengths
    if unfit.any():
        document = int(np.argmax(unfit))
        problem = f"{sizes[document]} {noun}, {lengths[document]} annotated tokens."
        raise InputError(problem, remedy, side=name, document=document)
