"""Combine the annotations of several annotators by vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Never, Unpack

import numpy as np

from ...arrays import inverse
from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.sides import read_sides, require_no_answers
from ...exceptions import require_no_more
from ...measures.base import signature_of
from .annotators import ANNOTATOR, named_annotators
from .consensus import Consensus, Voting
from .votes import LabelledTokens, Voted, overlapping_pairs, without_losers


@shares(SideArguments)
def consensus(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    rule: str = "majority",
    at_least: int | None = None,
    vote: str = "span",
    resolve: str = "nothing",
    names: Sequence[str] | None = None,
    **arguments: Unpack[SideArguments],
) -> Consensus:
    """Combine the annotations of two or more annotators of the same documents by vote.

        result = spanometer.consensus({"ann": ann, "ben": ben, "cat": cat})
        result.spans, result.chosen.votes, result.ties.spans
        spanometer.write(result.documents(), "gold.jsonl", format="jsonl")

    **Whole spans** (`vote="span"`): annotators vote for each of their spans. Two spans are equal if their labels and
    boundaries (of all fragments) are equal, so nested spans get separate votes. Under `majority`, any two winners share
    a voter, so they overlap only if an annotator has both. Under the other rules, spans with different labels or
    boundaries may win and overlap. All of them stay and are counted (`contradicting`), unless you set `resolve`.

    **Tokens** (`vote="token"`): annotators vote for a label on each token of their spans. Each run of tokens with
    enough votes for a label becomes a span. A run is divided before a token if more than half of the annotators who
    have the label on both sides begin a span there. Each label has its own vote; `resolve` decides between overlapping
    spans of different labels. Discontinuous spans, and overlapping spans of the same label by one annotator, are
    errors.

    **Ties** are spans with exactly half of the votes. `majority` leaves them out and `half` includes them; the result
    lists them.

    With `resolve`, winners are considered in this order: more votes, more tokens, earlier in the text, label. A span
    stays unless it overlaps a span that stays already (under `contradictions`, unless no annotator has both).

    Args:
        annotations: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or a file read by `spanometer.read`; a mapping also gives their names.
        rule: the number of annotators that must have a span: `majority`, more than half; `half`, at least half;
            `union`, one; `intersection`, all.
        at_least: the number of votes that a span needs, instead of a rule.
        vote: `span` or `token`; in files with offsets in characters, each character counts as a token.
        resolve: `nothing`, `contradictions` or `overlaps`.
        names: the annotators' names, by default `1`, `2`, `3` ...
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`.

    Raises:
        TypeError: for an unknown argument.
        InputError: for fewer than two annotators, for annotations that cannot be read or compared, and for votes
            by token on overlapping or discontinuous spans; it names the annotator.
    """
    require_no_more(more, "Pass all annotators together, as a list or by their names, {'ann': ..., 'ben': ...}.")
    voting = Voting(rule=rule, at_least=at_least, vote=vote, resolve=resolve)
    options = SideReading.of(consensus, arguments)
    sides, reading, file, _ = read_sides(require_no_answers(named_annotators(annotations, names)), options)
    voters = tuple(name.removeprefix(ANNOTATOR) for name in sides)
    of_all = list(sides.values())
    needed = voting.needed(len(of_all))
    half = len(of_all) // 2 if len(of_all) % 2 == 0 and voting.has_ties else 0
    candidates = Voted.of(of_all)
    if vote == "token":
        tokens = LabelledTokens(of_all, list(sides))
        won, ties = tokens.runs(needed, len(of_all)), tokens.runs(half or 1, half)
    else:
        won, ties = (candidates.take(kept) for kept in (candidates.votes >= needed, candidates.votes == half))
    kept, contradicting = _resolved(won, resolve)
    chosen = won.take(kept)
    return Consensus(
        names=voters,
        voting=voting,
        needed=needed,
        chosen=chosen,
        candidates=candidates,
        ties=ties,
        overruled=won.take(~kept),
        contradicting=contradicting,
        file=None if file is None else replace(file, spans=chosen.spans),
        signature=signature_of("consensus", {**reading, "annotators": len(of_all), **voting.signed()}),
    )


def _resolved(won: Voted, resolve: str) -> tuple[np.ndarray, int]:
    """Flag the spans that stay, and count how many of them contradict another."""
    first, second = overlapping_pairs(won.spans)
    together = (won.voters[first] & won.voters[second]).any(axis=1)
    kept = np.ones(len(won), dtype=bool)
    if resolve != "nothing":
        rivals = ~together if resolve == "contradictions" else np.ones(len(first), dtype=bool)
        order = np.lexsort((np.arange(len(won)), -won.spans.sizes, -won.votes))
        kept = without_losers(first[rivals], second[rivals], inverse(order))
    left = kept[first] & kept[second] & ~together
    return kept, len(np.union1d(first[left], second[left]))
