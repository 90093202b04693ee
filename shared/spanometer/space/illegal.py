"""Illegal tags of both sides: how many there are, where, and what two repair policies make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from ..exceptions import counted
from ..spans.spans import pair_from_tags
from ..tables.table import Table
from ..tags.decoding import REPAIRS
from ..tags.validation import IllegalPair, Validation
from ..web.templates import shortened, shown
from .corpus import Corpus

SHOWN_PAIRS = 20
"""How many illegal pairs are shown; all of them are counted."""

_SHOWN_WORDS = 12


def illegal_tags(corpus: Corpus, value: float, score: Callable[[Corpus], float]) -> dict[str, Any] | None:
    """Return what the template `illegal.html` shows; None if all tags are legal.

    Args:
        corpus: with its tags.
        value: its score.
        score: scores a corpus; used for the same tags under the other policy.
    """
    if corpus.tags is None:
        return None
    scheme, policy = corpus.reading["scheme"], corpus.reading["repair"]
    sides = {
        name: Validation(tags, scheme=scheme)
        for name, tags in zip(("reference", "prediction"), corpus.tags, strict=True)
    }
    total = sum(map(len, sides.values()))
    if not total:
        return None
    other = "conlleval" if policy == "discard" else "discard"
    references, predictions, _ = pair_from_tags(*corpus.tags, scheme=scheme, repair=other)
    reread = replace(corpus, references=references, predictions=predictions)
    policies = policy, other
    heads = "sentence", "token", "illegal", *policies
    rows = chain.from_iterable(
        (_row(name, pair, corpus, policies) for pair in islice(side, SHOWN_PAIRS)) for name, side in sides.items()
    )
    return {
        "found": _found(sides, len(corpus.words)),
        "policies": {name: REPAIRS[name].help for name in policies},
        "scores": {policy: value, other: score(reread)},
        "tables": {
            "Where they are, and the spans that each policy reads there"
            + (f": the first of {total:,}" if total > SHOWN_PAIRS else ""): Table(
                "side", heads, list(islice(rows, SHOWN_PAIRS)), left=len(heads) + 1
            )
        },
    }


def _found(sides: Mapping[str, Validation], documents: int) -> str:
    parts = [
        f"The {name} has {counted(len(side), 'illegal pair')} of tags, in {len(side.affected):,} of "
        f"{counted(documents, 'sentence')}."
        for name, side in sides.items()
        if len(side)
    ]
    return " ".join(parts)


def _row(side: str, pair: IllegalPair, corpus: Corpus, policies: tuple[str, str]) -> list[str]:
    words = corpus.words[pair.document]
    spans = (
        "; ".join(f"{shown(label)}: {_text(words[start:end])}" for label, start, end in pair.policies[policy])
        for policy in policies
    )
    token = f"{pair.position + 1:,} {shown(words[pair.position])}"
    return [side, f"{pair.document + 1:,}", token, shown(str(pair)), *(text or "no span" for text in spans)]


def _text(words: Sequence[str]) -> str:
    return " ".join(map(shortened, words[:_SHOWN_WORDS])) + (" …" if len(words) > _SHOWN_WORDS else "")
