"""The consensus of annotators: its options, the vote and the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Never, Unpack

import numpy as np

from ...arrays import inverse
from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.document_file import DocumentFile
from ...documents.sides import read_sides, require_no_answers
from ...documents.stated import NO_ATTRIBUTES, StatedSpans
from ...exceptions import InputError, counted, mention, require_no_more, setting
from ...measures.base import signature_of
from ...options import CheckedOptions, option
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, TableColumn, amounts
from ..errors.examples import context_of_documents
from .annotators import ANNOTATOR, LabelledTokens, Voted, named_annotators, overlapping_pairs, without_losers

_LISTED = 10
"""The maximum number of ties that are printed."""

_COLUMNS = ("start", "end", "label", "votes", "annotators")
_SPANS = amounts("spans", in_consensus="in the consensus")


class Voting(CheckedOptions):
    """How annotators vote for a consensus.

    Raises:
        InputError: if a value is wrong, or if `at_least` is set together with a rule.
    """

    rule: str = option(
        "majority",
        common=True,
        help="how many annotators must have a span",
        choices={
            "majority": "more than half; a span with exactly half is a tie and is dropped",
            "half": "at least half; ties are kept",
            "union": "at least one",
            "intersection": "all of them",
        },
    )
    at_least: int | None = option(
        None, help="minimum number of annotators, instead of --rule", kind=int, low=1, optional=True, metavar="N"
    )
    vote: str = option(
        "span",
        help="what annotators vote on",
        choices={
            "span": "spans with label and boundaries",
            "token": "the label of each token; equal labels in a row become one span",
        },
    )
    resolve: str = option(
        "nothing",
        help="how to resolve overlapping spans in the consensus (the span with most votes stays; with equal votes, the "
        "longer span; with equal lengths too, the first span)",
        choices={
            "nothing": "keep all spans",
            "contradictions": "resolve overlaps of spans that no annotator marked together",
            "overlaps": "resolve all overlaps",
        },
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        if self.at_least is not None and self.rule != "majority":
            raise InputError(
                f"{setting('rule', self.rule)} and {mention('at_least')} exclude each other.", "Leave out one of them."
            )

    @property
    def called(self) -> str:
        """The rule in words."""
        return self.rule if self.at_least is None else f"at least {self.at_least}"

    def needed(self, annotators: int) -> int:
        """Return the number of votes that a span needs, given the number of annotators."""
        if self.at_least is not None:
            if self.at_least > annotators:
                raise InputError(
                    f"{counted(annotators, 'annotator')} cannot give {counted(self.at_least, 'vote')}.",
                    f"Set {setting('at_least', annotators)} or less.",
                    option="at_least",
                )
            return self.at_least
        votes = {"majority": annotators // 2 + 1, "half": (annotators + 1) // 2, "union": 1}
        return votes.get(self.rule, annotators)

    def signed(self) -> dict[str, object]:
        """Return the options for the signature."""
        rule = self.rule if self.at_least is None else f"at_least_{self.at_least}"
        return {"rule": rule, "vote": self.vote, "resolve": self.resolve}


class Consensus(Result):
    """The result of `consensus`.

    Its tables are `votes`, the number of spans with each number of votes; `annotators`, the proportion of each
    annotator's spans in the consensus; `ties`; `labels`; and `spans`, all spans with their votes and outcome.

    Attributes:
        names: the annotators.
        voting: the options of the vote.
        needed: the number of votes that a span needs.
        chosen: the spans of the consensus and their voters. If tokens vote, a span's voters are the annotators who have
            the label on all of its tokens; there may be none.
        candidates: all spans of the annotators and their voters.
        ties: spans, or runs of tokens, that exactly half of the annotators have. They win under the rule `half` and
            lose under `majority`; other rules have no ties.
        overruled: spans with enough votes that were removed because they overlap a span that won against them.
        contradicting: the number of spans in the consensus that overlap another span of the consensus, although no
            annotator has both.
        file: the documents with the consensus as their spans; None without files.
        signature: the options of voting and reading.
    """

    names: tuple[str, ...]
    voting: Voting
    needed: int
    chosen: Voted
    candidates: Voted
    ties: Voted
    overruled: Voted
    contradicting: int
    file: DocumentFile | None
    signature: str

    @property
    def spans(self) -> Spans:
        """The consensus."""
        return self.chosen.spans

    @property
    def name(self) -> str:
        """The annotator's name under which the consensus is written."""
        return f"{self.voting.called} of {', '.join(self.names)}"

    def documents(self, file: DocumentFile | None = None, *, votes: bool = False) -> DocumentFile:
        """Return documents with the consensus as their spans, for `spanometer.write`. The annotator is `name`.

        Args:
            file: other documents, with offsets in the same unit; by default the documents of the annotators.
            votes: whether to add the attributes `votes` (the number of votes) and `annotators` (the voters) to spans.

        Raises:
            InputError: if the annotations did not come from files.
        """
        source = file or self.file
        if source is None:
            raise InputError(
                "a consensus can be written only for annotations that were read from files.",
                "Give files read by spanometer.read.",
            )
        made = replace(source, spans=self.spans, annotators=(self.name,) * source.documents.size, stated=None)
        return replace(made, stated=self._attributed()) if votes else made

    def _attributed(self) -> StatedSpans:
        """Return the spans with their votes as attributes."""
        voters = self.voters(self.chosen)
        values = [{"attributes": {"votes": len(who), "annotators": ", ".join(who)}} for who in voters]
        return StatedSpans(self.spans, np.arange(1, len(values) + 1), [NO_ATTRIBUTES, *values])

    def voters(self, voted: Voted) -> list[list[str]]:
        """Return the names of the voters of each span."""
        return [[name for name, has in zip(self.names, row, strict=True) if has] for row in voted.voters.tolist()]

    def parts(self) -> Iterator[Part]:
        """Yield the numbers of spans by outcome, by votes and by annotator, and the first ties."""
        whole = self.voting.vote == "span"
        enough = f"at least {self.needed} of {len(self.names)} votes"
        yield f"{counted(len(self.chosen), 'span')} in the consensus ({self.voting.called}: {enough})"
        if len(self.ties):
            noun = "span" if whole else "run of tokens"
            plural = "spans" if whole else "runs of tokens"
            won = "in the consensus" if 2 * self.needed <= len(self.names) else "not in the consensus"
            yield f"{counted(len(self.ties), noun, plural)} with exactly half of the votes, {won}"
        if len(self.overruled):
            yield f"{counted(len(self.overruled), 'span')} with enough votes removed, because a better span overlaps"
        if self.contradicting:
            yield f"{counted(self.contradicting, 'span')} in only overlaps that no annotator has"
        yield from ("", vote_table(self), "", annotator_table(self))
        if len(self.ties):
            yield from ("", tie_table(self, briefly=True))
        yield from ("", Copyable(self.signature))

    def tables(self) -> list[Table]:
        """List the tables of votes, annotators, ties, labels and spans."""
        return [vote_table(self), annotator_table(self), tie_table(self), label_table(self), span_table(self)]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "annotators": list(self.names),
            "rule": self.voting.called,
            "needed_votes": self.needed,
            "documents": self.spans.documents,
            "spans": len(self.chosen),
            "candidates": len(self.candidates),
            "ties": tie_table(self).records(),
            "overruled": len(self.overruled),
            "contradicting": self.contradicting,
            "votes": vote_table(self).records(),
            "per_annotator": annotator_table(self).records(),
            "per_label": label_table(self).records(),
            "signature": self.signature,
        }


def vote_table(consensus: Consensus) -> Table:
    """Return a table by number of votes: the number of spans, and how many of them are in the consensus."""
    votes, size = consensus.candidates.votes, len(consensus.names)
    of_all, of_chosen = (np.bincount(some, minlength=size + 1) for some in (votes, votes[_is_chosen(consensus)]))
    rows = [(f"{number} of {size}", of_all[number], of_chosen[number]) for number in range(size, 0, -1)]
    return Table.of("votes", _SPANS, rows, kind="votes")


def annotator_table(consensus: Consensus) -> Table:
    """Return a table by annotator: the numbers of spans, of spans in the consensus, and of unshared spans."""
    voters, chosen, alone = consensus.candidates.voters, _is_chosen(consensus), consensus.candidates.votes == 1
    rows = []
    for name, has in zip(consensus.names, voters.T, strict=True):
        number, kept = has.sum(), (has & chosen).sum()
        rows.append((name, number, kept, kept / number if number else float("nan"), (has & alone).sum()))
    columns = [*_SPANS, TableColumn("share", kind="share"), *amounts(alone="nobody else has")]
    return Table.of("annotator", columns, rows, kind="annotators")


def label_table(consensus: Consensus) -> Table:
    """Return a table by label: the numbers of all annotators' spans, of spans in the consensus, and of ties."""
    labels = tuple(sorted({*consensus.candidates.spans.labels, *consensus.spans.labels}))
    groups = (consensus.candidates, consensus.chosen, consensus.ties)
    numbers = [np.bincount(group.spans.with_labels(labels).label, minlength=len(labels)) for group in groups]
    return Table.of("label", [*_SPANS, *amounts("ties")], zip(labels, *numbers, strict=True), kind="labels")


def tie_table(consensus: Consensus, *, briefly: bool = False) -> Table:
    """Return a table of the ties, which are spans that half of the annotators have.

    If `briefly` is True, the table has only the first ones.
    """
    ties = consensus.ties
    if briefly and len(ties) > _LISTED:
        ties = ties.take(np.arange(len(ties)) < _LISTED)
    title = f"ties (the first {_LISTED})" if len(ties) < len(consensus.ties) else "ties"
    return _listed(consensus, ties, title)


def span_table(consensus: Consensus) -> Table:
    """Return a table of candidates (annotators' spans, or runs of tokens) with their votes and outcome."""
    groups = [consensus.candidates, consensus.chosen, consensus.ties, consensus.overruled]
    every = Voted.of([group.spans for group in groups])
    voters = np.zeros((len(every), len(consensus.names)), dtype=bool)
    for place, group in reversed(list(enumerate(groups))):
        # spans have the same order everywhere
        voters[every.voters[:, place]] = group.voters
    _, chosen, tie, overruled = every.voters.T
    outcome = np.select([chosen, overruled, tie], ["chosen", "overruled", "tie"], "outvoted")
    return _listed(consensus, Voted(every.spans, voters), "spans", outcome=outcome.tolist())


def _is_chosen(consensus: Consensus) -> np.ndarray:
    """Flag the candidates that are in the consensus."""
    groups = Voted.of([consensus.candidates.spans, consensus.chosen.spans]).voters
    return np.asarray(groups[groups[:, 0], 1])


def _listed(consensus: Consensus, voted: Voted, title: str, **more: Sequence[str]) -> Table:
    """Return a table of spans with their votes, and with their texts if known."""
    spans, file = voted.spans, consensus.file
    ids = None if file is None else file.documents.ids
    documents = [str(number) if ids is None else ids[number] for number in spans.document.tolist()]
    labels, voters = [spans.labels[label] for label in spans.label], map(", ".join, consensus.voters(voted))
    values = [documents, spans.start, spans.end, labels, voted.votes, voters, *more.values()]
    wording = None if file is None else context_of_documents(file).wording
    if wording is not None:
        values.append(wording.between(spans.document, spans.start, spans.end).to_pylist())
    columns = [TableColumn(key, kind="amount") for key in (*_COLUMNS, *more, *(["text"] if wording else []))]
    return Table.of(title, columns, zip(*values, strict=True), kind=title.split()[0], names="document")


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
    boundaries (of all fragments) are equal, so nested spans get separate votes. With `majority`, any two winning spans
    have a voter in common, so they overlap only if an annotator has both. With the other rules, winning spans with
    different labels or boundaries may overlap. All of them are kept and counted (`contradicting`), unless you set
    `resolve`.

    **Tokens** (`vote="token"`): annotators vote for a label on each token of their spans. Each run of tokens with
    enough votes for a label becomes a span. A run is divided before a token if, among the annotators who have the label
    on both sides of it, more than half begin a span there. Each label has its own vote; `resolve` decides between
    overlapping spans of different labels. Discontinuous spans, and overlapping spans of the same label by one
    annotator, raise an error.

    **Ties** are spans with exactly half of the votes. `majority` leaves them out, and `half` includes them; the result
    lists them.

    With `resolve`, winning spans are considered in this order: more votes, more tokens, earlier in the text, label.
    With `overlaps`, a span is removed if it overlaps a span that has been kept. With `contradictions`, it is removed
    only if in addition no annotator has both spans.

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
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two annotators, if annotations cannot be read or compared, or if tokens vote
            and spans are discontinuous or overlap; the error names the annotator.
    """
    require_no_more(more, "Pass all annotators together, as a list or by their names, {'ann': ..., 'ben': ...}.")
    voting = Voting(rule=rule, at_least=at_least, vote=vote, resolve=resolve)
    options = SideReading.of(consensus, arguments)
    sides, reading, file, _ = read_sides(require_no_answers(named_annotators(annotations, names)), options)
    voters = tuple(name.removeprefix(ANNOTATOR) for name in sides)
    of_all = list(sides.values())
    needed = voting.needed(len(of_all))
    has_ties = at_least is None and rule in ("majority", "half") and len(of_all) % 2 == 0
    half = len(of_all) // 2 if has_ties else 0
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
    """Flag the spans that are kept, and count how many of them contradict another."""
    first, second = overlapping_pairs(won.spans)
    together = (won.voters[first] & won.voters[second]).any(axis=1)
    kept = np.ones(len(won), dtype=bool)
    if resolve != "nothing":
        rivals = ~together if resolve == "contradictions" else np.ones(len(first), dtype=bool)
        order = np.lexsort((np.arange(len(won)), -won.spans.sizes, -won.votes))
        kept = without_losers(first[rivals], second[rivals], inverse(order))
    left = kept[first] & kept[second] & ~together
    return kept, len(np.union1d(first[left], second[left]))
