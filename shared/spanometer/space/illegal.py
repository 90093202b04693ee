"""Illegal tags of both sides: how many there are, where, and what two repair policies make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from ..analysis.scores.measure_result import MeasureResult
from ..exceptions import counted
from ..spans.spans import pair_from_tags
from ..tables.table import Table
from ..tags.decoding import REPAIRS
from ..tags.validation import Validation
from ..web.templates import Section, number, shown
from .corpus import PageCorpus
from .pages import key_title
from .templates import excerpt

SHOWN_PAIRS = 20
"""How many illegal pairs of a side are shown; all of them are counted."""


def illegal_tags(corpus: PageCorpus, result: MeasureResult, score: Callable[..., float]) -> Iterator[Section]:
    """Yield the section of illegal tags, unless all tags are legal.

    Args:
        corpus: with its tags.
        result: of the page.
        score: scores a corpus; used for the same tags under the other policy.
    """
    scheme, policy = corpus.reading["scheme"], corpus.reading["repair"]
    names = "reference", "prediction"
    sides = {name: Validation(tags, scheme=scheme) for name, tags in zip(names, corpus.tags, strict=True)}
    if not any(map(len, sides.values())):
        return
    other = "conlleval" if policy == "discard" else "discard"
    *spans, _ = pair_from_tags(*corpus.tags, scheme=scheme, repair=other)
    scores = {
        policy: result.scores[result.measure.headline],
        other: score(result.measure, replace(corpus, spans=spans)),
    }
    sentences = counted(len(corpus.words), "sentence")
    parts = [
        f"The {name} has {counted(len(side), 'illegal pair')} of tags, in {len(side.affected):,} of {sentences}."
        for name, side in sides.items()
        if len(side)
    ]
    policies = [f"{number(value)} with the policy {name} ({REPAIRS[name].help})" for name, value in scores.items()]
    parts.append(f"{key_title(result.measure, result.measure.headline)} is {', and '.join(policies)}.")
    heads = "sentence", "token", "illegal", policy, other
    rows = [row for name, side in sides.items() for row in _rows(name, side, corpus, (policy, other))]
    table = Table("side", heads, rows, left=1 + len(heads))
    first = f" Shown: the first {SHOWN_PAIRS} of each side." if sum(map(len, sides.values())) > len(rows) else ""
    yield Section("Illegal tags", [table], " ".join(parts) + first)


def _rows(name: str, side: Validation, corpus: PageCorpus, policies: tuple[str, str]) -> Iterator[list[str]]:
    """Yield a row for each of a side's first illegal pairs: its place, and the spans that each policy reads there."""
    for pair in islice(side, SHOWN_PAIRS):
        words = corpus.words[pair.document]
        spans = (
            "; ".join(f"{shown(label)}: {excerpt(words[start:end])}" for label, start, end in pair.policies[policy])
            for policy in policies
        )
        token = f"{pair.position + 1:,} {shown(words[pair.position])}"
        yield [name, f"{pair.document + 1:,}", token, shown(str(pair)), *(text or "no span" for text in spans)]
