"""A consensus of several annotators: the spans that most of them have, or any, or all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Never

import numpy as np

from ..errors import InputError, counted, mention, require_no_more, setting
from ..measures.base import signature_of
from ..options import check_options, option
from ..readers.attributed import AttributedSpans
from ..readers.document_file import DocumentFile
from ..readers.pairing import Pairing
from ..readers.sides import read_sides, require_no_answers
from ..spans.spans import Spans
from ..tables.result import Result
from ..tables.table import Copyable, Part, Table
from ..tags.schemes import LabelChoice
from .annotators import ANNOTATOR, named_annotators
from .consensus_tables import annotator_table, described, label_table, span_table, tie_table, vote_table
from .votes import LabelledTokens, Voted, distinct_spans, overlapping_pairs, without_losers


@dataclass(frozen=True, kw_only=True)
class Voting:
    """How a consensus is made of annotations.

    Raises:
        InputError: for a value that is not allowed, and for `at_least` beside a rule.
    """

    rule: str = option(
        "majority",
        help="how many annotators must have a span",
        choices={
            "majority": "more than half of them; half of them is a tie, which is left out",
            "half": "at least half of them; a tie is taken in",
            "union": "one of them",
            "intersection": "all of them",
        },
    )
    at_least: int | None = option(
        None, help="how many annotators must have a span, as a number", kind=int, low=1, optional=True, metavar="N"
    )
    vote: str = option(
        "span",
        help="what is voted on",
        choices={
            "span": "whole spans, which are equal if label and bounds (or all fragments) are",
            "token": "labels of tokens, which are then read as runs",
        },
    )
    resolve: str = option(
        "nothing",
        help="which spans that have won and overlap must give way: to more votes, or else to more tokens, or to what "
        "comes first in the text, or in the alphabet of labels",
        choices={
            "nothing": "none, all stay",
            "contradictions": "those that no annotator has together; what one has nested stays",
            "overlaps": "all, so that no token is in two spans",
        },
    )

    def __post_init__(self) -> None:
        """Check the options."""
        check_options(self)
        if self.at_least is not None and self.rule != "majority":
            raise InputError(
                f"{setting('rule', self.rule)} and {mention('at_least')} are two rules.", "Leave out one of them."
            )

    @property
    def called(self) -> str:
        """The rule in words."""
        return self.rule if self.at_least is None else f"at least {self.at_least}"

    def needed(self, annotators: int) -> int:
        """Return how many votes a span needs, given the number of annotators."""
        if self.at_least is not None:
            if self.at_least > annotators:
                raise InputError(
                    f"{counted(self.at_least, 'vote')} of {counted(annotators, 'annotator')}.",
                    f"Set {setting('at_least', annotators)} or less.",
                    option="at_least",
                )
            return self.at_least
        known = {"majority": annotators // 2 + 1, "half": (annotators + 1) // 2, "union": 1}
        return known.get(self.rule, annotators)

    @property
    def has_ties(self) -> bool:
        """Whether half of the votes is a tie."""
        return self.at_least is None and self.rule in ("majority", "half")

    def signed(self) -> dict[str, object]:
        """Return the options for a signature."""
        rule = self.rule if self.at_least is None else f"at_least_{self.at_least}"
        return {"rule": rule, "vote": self.vote, "resolve": self.resolve}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Consensus(Result):
    """The result of `consensus`.

    Its tables are `votes`, how many spans have how many votes; `annotators`, what of each one's spans is in the
    consensus; `ties`; `labels`; and `spans`, all spans of anybody with their votes and outcome.

    Attributes:
        names: the annotators.
        voting: how they have voted.
        needed: how many votes win.
        chosen: the spans of the consensus, and who has them. If tokens vote, who has the label on all tokens of a span:
            that may be nobody.
        candidates: every span that an annotator has, and who.
        ties: spans, or runs of tokens, that just half of the annotators have. Under the rule `half` they have won,
            under `majority` they have not; there are none under other rules.
        overruled: spans that had won, and had to give way to one that they overlap.
        contradicting: how many spans of the consensus overlap another one that no annotator has together with them.
        file: the documents with the consensus as their spans; None unless files were given.
        signature: how the consensus was made.
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
        """The annotator's name that the consensus is given."""
        return f"{self.voting.called} of {', '.join(self.names)}"

    def documents(self, file: DocumentFile | None = None, *, votes: bool = False) -> DocumentFile:
        """Return the documents with the consensus as their spans, for `spanometer.write`; it is named as an annotator.

        Args:
            file: other documents, in the unit of the spans, by default those that were given.
            votes: whether spans have the attributes `votes`, their number, and `annotators`, who gave them.

        Raises:
            InputError: if no files were given.
        """
        known = file or self.file
        if known is None:
            raise InputError("no files were given, only their spans.", "Give what spanometer.read returns.")
        made = replace(known, spans=self.spans, annotators=(self.name,) * known.documents.size, attributes=None)
        return replace(made, attributes=AttributedSpans.from_dicts(self._attributed())) if votes else made

    def _attributed(self) -> tuple[list[dict[str, Any]], ...]:
        """Return the spans with their votes as attributes, document by document."""
        spans = self.spans
        rows: list[list[dict[str, Any]]] = [[] for _ in range(spans.documents)]
        columns = (spans.document, spans.start, spans.end, spans.label)
        for document, start, end, label, who in zip(
            *(column.tolist() for column in columns), self.voters(self.chosen), strict=True
        ):
            votes = {"votes": len(who), "annotators": ", ".join(who)}
            rows[document].append({"start": start, "end": end, "label": spans.labels[label], "attributes": votes})
        return tuple(rows)

    def voters(self, voted: Voted) -> list[list[str]]:
        """Return the names of the annotators who have each of some spans."""
        return [[name for name, has in zip(self.names, row, strict=True) if has] for row in voted.voters.tolist()]

    def parts(self) -> Iterator[Part]:
        """Return how many spans have won, by their votes and annotators, and the first ties."""
        whole = self.voting.vote == "span"
        enough = f"{self.needed} of {len(self.names)} votes"
        yield f"{counted(len(self.chosen), 'span')} in the consensus ({self.voting.called}: {enough} or more)"
        if len(self.ties):
            noun = "span" if whole else "run of tokens"
            plural = "spans" if whole else "runs of tokens"
            won = "in the consensus" if 2 * self.needed <= len(self.names) else "not in the consensus"
            yield f"{counted(len(self.ties), noun, plural)} with just half of the votes, {won}"
        if len(self.overruled):
            yield f"{counted(len(self.overruled), 'span')} with enough votes that gave way to another"
        if self.contradicting:
            yield f"{counted(self.contradicting, 'span')} that overlap another one, and no annotator has both"
        yield from ("", vote_table(self), "", annotator_table(self))
        if len(self.ties):
            yield from ("", tie_table(self, briefly=True))
        yield from ("", Copyable(self.signature))

    def tables(self) -> list[Table]:
        """Return the votes, the annotators, all ties, the labels and all spans."""
        return [vote_table(self), annotator_table(self), tie_table(self), label_table(self), span_table(self)]

    def to_dict(self) -> dict[str, Any]:
        """Return built-in types only, ready for JSON."""
        return described(self)


def consensus(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    rule: str = "majority",
    at_least: int | None = None,
    vote: str = "span",
    resolve: str = "nothing",
    names: Sequence[str] | None = None,
    scheme: str | None = None,
    repair: str = "conlleval",
    prefix: bool = True,
    id2label: Any = None,
    ignore_index: int | None = -100,
    lengths: Any = None,
    label_map: Mapping[str, str] | None = None,
    ignore_labels: Sequence[str] | None = None,
    pairing: Pairing | None = None,
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
        annotations: for each annotator a list of tag lists (or `Tags`, or an Arrow column of them), `Spans`, or what
            `spanometer.read` returns; a mapping gives their names too.
        rule: how many annotators must have a span: `majority`, more than half; `half`, half of them or more; `union`,
            one; `intersection`, all.
        at_least: how many votes a span needs, instead of a rule.
        vote: `span` or `token`; in files of characters a token is one of these.
        resolve: `nothing`, `contradictions` or `overlaps`.
        names: the annotators' names, by default `1`, `2`, `3` ...
        scheme, repair, prefix, id2label, ignore_index, lengths: of tags and spans, see `agreement`.
        label_map, ignore_labels: which labels are voted on, and as what, see `schemes.LabelChoice`.
        pairing: of files, how they are brought into one unit.

    Raises:
        InputError: for fewer than two annotators, for annotations that cannot be read or compared, and if tokens cannot
            vote; it names the annotator.
    """
    require_no_more(more, "Pass all annotators together, as a list or by their names, {'ann': ..., 'ben': ...}.")
    voting = Voting(rule=rule, at_least=at_least, vote=vote, resolve=resolve)
    choice = LabelChoice(label_map=label_map, ignore_labels=ignore_labels)
    sides, reading, file, _ = read_sides(
        require_no_answers(named_annotators(annotations, names)),
        pairing,
        choice,
        scheme=scheme,
        repair=repair,
        prefix=prefix,
        lengths=lengths,
        id2label=id2label,
        ignore_index=ignore_index,
    )
    known = tuple(name.removeprefix(ANNOTATOR) for name in sides)
    of_all = list(sides.values())
    needed = voting.needed(len(of_all))
    half = len(of_all) // 2 if len(of_all) % 2 == 0 and voting.has_ties else 0
    candidates = distinct_spans(of_all)
    if vote == "token":
        tokens = LabelledTokens(of_all, list(sides))
        won, ties = tokens.runs(needed, len(of_all)), tokens.runs(half or 1, half)
    else:
        won, ties = (candidates.take(kept) for kept in (candidates.votes >= needed, candidates.votes == half))
    kept, contradicting = _resolved(won, resolve)
    chosen = won.take(kept)
    return Consensus(
        names=known,
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
        order = np.lexsort((np.arange(len(won)), -won.sizes, -won.votes))
        rank = np.empty(len(won), dtype=np.int64)
        rank[order] = np.arange(len(won))
        kept = without_losers(first[rivals], second[rivals], rank)
    left = kept[first] & kept[second] & ~together
    return kept, len(np.union1d(first[left], second[left]))
