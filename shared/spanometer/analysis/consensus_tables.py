"""The tables of a consensus: votes, annotators, ties, labels, and all spans with their outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tables.table import Cell, Number, Table, amount
from .votes import Voted, distinct_spans

if TYPE_CHECKING:
    from ..readers.document_file import DocumentFile
    from .consensus import Consensus

_LISTED = 10
"""How many ties are printed."""

_COLUMNS = ("start", "end", "label", "votes", "annotators")


def vote_table(found: Consensus) -> Table:
    """Return for each number of votes how many spans have it, and how many of these are in the consensus."""
    votes, size = found.candidates.votes, len(found.names)
    of_all, of_chosen = (np.bincount(some, minlength=size + 1).tolist() for some in (votes, votes[_is_chosen(found)]))
    rows: list[list[Cell]] = [
        [f"{number} of {size}", amount(of_all[number]), amount(of_chosen[number])] for number in range(size, 0, -1)
    ]
    return Table("votes", ("spans", "in the consensus"), rows, kind="votes", keys=("spans", "in_consensus"))


def annotator_table(found: Consensus) -> Table:
    """Return for each annotator the spans, how many are in the consensus, and how many nobody else has."""
    voters, chosen, alone = found.candidates.voters, _is_chosen(found), found.candidates.votes == 1
    rows: list[list[Cell]] = []
    for name, has in zip(found.names, voters.T, strict=True):
        number, kept = int(has.sum()), int((has & chosen).sum())
        share = kept / number if number else float("nan")
        rows.append([name, amount(number), amount(kept), Number(share, "share"), amount(int((has & alone).sum()))])
    heads = ("spans", "in the consensus", "share", "nobody else has")
    keys = ("spans", "in_consensus", "share", "alone")
    return Table("annotator", heads, rows, kind="annotators", keys=keys)


def label_table(found: Consensus) -> Table:
    """Return for each label how many spans anybody has, how many there are in the consensus, and the ties."""
    labels = sorted({*found.candidates.spans.labels, *found.spans.labels})
    groups = (found.candidates, found.chosen, found.ties)
    numbers = [
        np.bincount(group.spans.with_labels(tuple(labels)).label, minlength=len(labels)).tolist() for group in groups
    ]
    rows = [[label, *map(amount, of_label)] for label, *of_label in zip(labels, *numbers, strict=True)]
    heads = ("spans", "in the consensus", "ties")
    return Table("label", heads, rows, kind="labels", keys=("spans", "in_consensus", "ties"))


def tie_table(found: Consensus, *, briefly: bool = False) -> Table:
    """Return the spans that half of the annotators have, or the first of them."""
    ties = found.ties
    if briefly and len(ties) > _LISTED:
        ties = ties.take(np.arange(len(ties)) < _LISTED)
    title = f"ties (the first {_LISTED})" if len(ties) < len(found.ties) else "ties"
    return _listed(found, ties, [], title, "ties")


def span_table(found: Consensus) -> Table:
    """Return all spans that anybody has or that were made of tokens, with their votes and outcome."""
    groups = [found.candidates, found.chosen, found.ties, found.overruled]
    known = distinct_spans([group.spans for group in groups])
    voters = np.zeros((len(known), len(found.names)), dtype=bool)
    for place, group in reversed(list(enumerate(groups))):
        # spans have one order everywhere
        voters[known.voters[:, place]] = group.voters
    _, chosen, tie, overruled = known.voters.T
    outcome = np.select([chosen, overruled, tie], ["chosen", "overruled", "tie"], "outvoted")
    return _listed(found, Voted(known.spans, voters), [("outcome", outcome.tolist())], "spans", "spans")


def described(found: Consensus) -> dict[str, Any]:
    """Return a consensus as built-in types."""

    def rows(table: Table) -> list[dict[str, Any]]:
        keys = (table.names or table.title, *(table.keys or table.heads))
        return [dict(zip(keys, map(_plain, row), strict=True)) for row in table.rows if row is not None]

    return {
        "annotators": list(found.names),
        "rule": found.voting.called,
        "needed_votes": found.needed,
        "documents": found.spans.documents,
        "spans": len(found.chosen),
        "candidates": len(found.candidates),
        "ties": rows(tie_table(found)),
        "overruled": len(found.overruled),
        "contradicting": found.contradicting,
        "votes": rows(vote_table(found)),
        "per_annotator": rows(annotator_table(found)),
        "per_label": rows(label_table(found)),
        "signature": found.signature,
    }


def _plain(cell: Cell) -> Any:
    if isinstance(cell, Number):
        whole = cell.kind == "amount"
        return int(cell.value) if whole else None if np.isnan(cell.value) else cell.value
    return cell if isinstance(cell, str) else cell[0]


def _is_chosen(found: Consensus) -> np.ndarray:
    """Flag the candidates that are in the consensus."""
    known = distinct_spans([found.candidates.spans, found.chosen.spans]).voters
    return np.asarray(known[known[:, 0], 1])


def _listed(found: Consensus, voted: Voted, more: Sequence[tuple[str, Sequence[str]]], title: str, kind: str) -> Table:
    """Return spans as a table, with their texts if they are known."""
    spans = voted.spans
    columns: list[Sequence[Cell]] = [
        _documents(found.file, spans.document.tolist()),
        list(map(amount, spans.start.tolist())),
        list(map(amount, spans.end.tolist())),
        [spans.labels[label] for label in spans.label.tolist()],
        list(map(amount, voted.votes.tolist())),
        [", ".join(names) for names in found.voters(voted)],
        *(values for _, values in more),
    ]
    heads = [*_COLUMNS, *(name for name, _ in more)]
    texts = None if found.file is None else _texts(found.file, voted)
    if texts is not None:
        columns.append(texts)
        heads.append("text")
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(title, heads, rows, kind=kind, names="document", keys=heads)


def _documents(file: DocumentFile | None, numbers: Sequence[int]) -> list[Cell]:
    ids = None if file is None else file.documents.ids
    return [str(number) if ids is None else ids[number] for number in numbers]


def _texts(file: DocumentFile, voted: Voted) -> list[str] | None:
    """Return the text under each span, from its first character or token to its last."""
    documents, spans = file.documents, voted.spans
    bounds = list(zip(*(column.tolist() for column in (spans.document, spans.start, spans.end)), strict=True))
    texts, tokens, words = documents.texts, documents.tokens, file.words
    if not file.in_tokens:
        return None if texts is None else [texts[document][start:end] for document, start, end in bounds]
    if texts is not None and tokens is not None:
        first = tokens.offsets
        places = [(d, int(tokens.start[first[d] + s]), int(tokens.end[first[d] + e - 1])) for d, s, e in bounds]
        return [texts[document][start:end] for document, start, end in places]
    return None if words is None else [" ".join(words[document][start:end]) for document, start, end in bounds]
