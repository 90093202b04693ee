"""A consensus of several annotators: the spans that most of them have, or any, or all."""

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

        found = spanometer.consensus({"ann": ann, "ben": ben, "cat": cat})
        found.spans, found.chosen.votes, found.ties.spans
        spanometer.write(found.documents(), "gold.jsonl", format="jsonl")

    **Whole spans** (`vote="span"`): an annotator votes for each span that he or she has. Spans are equal if label and
    bounds are, of discontinuous ones all fragments. So nested spans are voted on one by one. Under `majority` any two
    winners have a voter in common: they overlap only if an annotator has both. Under the other rules spans of other
    labels or bounds may win and overlap; they all stay, and are counted (`contradicting`), unless `resolve` says which
    give way.

    **Tokens** (`vote="token"`): an annotator votes for a label on each token that he or she has in a span of it. The
    tokens with enough votes for a label are read as runs, each a span. Within a run a new span begins at a token if
    more than half of those who have the label on it and on the token before begin one there. Labels are voted on one by
    one; where spans of two labels overlap, `resolve` says what stays, as above. Overlapping spans of one label by one
    annotator are refused, and so are discontinuous spans.

    **Ties**, just half of an even number of annotators, are left out under `majority` and taken in under `half`; both
    list them.

    If spans must give way, they are taken by their votes, the most first, then by their tokens, the most first, then in
    the order of the text, then by label. A span stays if it overlaps none that stays already (under `contradictions`,
    none that no annotator has together with it).

    Args:
        annotations: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or what `spanometer.read` returns; a mapping gives their names too.
        rule: how many annotators must have a span: `majority`, more than half; `half`, half of them or more; `union`,
            one; `intersection`, all.
        at_least: how many votes a span needs, instead of a rule.
        vote: `span` or `token`; in files of characters a token is one of these.
        resolve: `nothing`, `contradictions` or `overlaps`.
        names: the annotators' names, by default `1`, `2`, `3` ...
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`.

    Raises:
        TypeError: for an argument that there is not.
        InputError: for fewer than two annotators, for annotations that cannot be read or compared, and if tokens cannot
            vote; it names the annotator.
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
    """Flag the spans that stay, and count those of them that contradict another."""
    first, second = overlapping_pairs(won.spans)
    together = (won.voters[first] & won.voters[second]).any(axis=1)
    kept = np.ones(len(won), dtype=bool)
    if resolve != "nothing":
        rivals = ~together if resolve == "contradictions" else np.ones(len(first), dtype=bool)
        order = np.lexsort((np.arange(len(won)), -won.spans.sizes, -won.votes))
        kept = without_losers(first[rivals], second[rivals], inverse(order))
    left = kept[first] & kept[second] & ~together
    return kept, len(np.union1d(first[left], second[left]))
