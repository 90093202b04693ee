"""The consensus of annotators: its options, the vote and the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Never, Self, Unpack

import numpy as np

from ...documents.arguments import SideArguments, SideReading, shares
from ...documents.document_file import DocumentFile
from ...documents.sides import ANNOTATOR, read_sides, require_no_answers
from ...exceptions import InputError, counted, require_no_more
from ...measures.base import signature_of
from ...options import CheckedOptions, option
from ...spans.annotations import distinct_spans
from ...spans.spans import Spans
from ...tables.result import Result
from ...tables.table import Copyable, Part, Table, amounts
from ..errors.examples import context_of_documents
from .annotators import named_annotators

_LISTED = 10
"""The maximum number of ties that are printed."""


class Voting(CheckedOptions):
    """How annotators vote for a consensus.

    Attributes:
        rule: how many annotators must have a span.
    """

    rule: str = option(
        "majority",
        common=True,
        choices={
            "majority": "more than half of the annotators; ties (exactly half) are dropped",
            "half": "at least half of the annotators; ties are kept",
            "union": "at least one annotator",
            "intersection": "all annotators",
        },
    )

    def needed(self, annotators: int) -> int:
        """Return the number of votes that a span needs, given the number of annotators."""
        votes = {"majority": annotators // 2 + 1, "half": (annotators + 1) // 2, "union": 1}
        return votes.get(self.rule, annotators)


@dataclass(frozen=True, eq=False)
class Voted:
    """Spans and their voters.

    Attributes:
        spans: the spans.
        voters: whether each annotator has each span, bool, shape (spans, annotators).
    """

    spans: Spans
    voters: np.ndarray

    def __len__(self) -> int:
        """Count the spans."""
        return len(self.spans)

    @property
    def votes(self) -> np.ndarray:
        """The number of votes of each span, shape (spans), int64."""
        return np.asarray(self.voters.sum(axis=1))

    def take(self, kept: np.ndarray) -> Self:
        """Select the flagged spans."""
        return replace(self, spans=self.spans.picked(np.flatnonzero(kept)), voters=self.voters[kept])


class Consensus(Result):
    """The result of `consensus`.

    Its tables are `votes`, the number of spans with each number of votes, and `ties`.

    Attributes:
        names: the annotators.
        rule: the number of annotators that must have a span, in words.
        needed: the number of votes that a span needs.
        chosen: the spans of the consensus and their voters.
        candidates: all spans of the annotators and their voters.
        ties: spans that exactly half of the annotators have. They win under the rule `half` and lose under `majority`;
            other rules have no ties.
        file: the documents with the consensus as their spans; None without files.
        signature: the options of voting and reading.
    """

    names: tuple[str, ...]
    rule: str
    needed: int
    chosen: Voted
    candidates: Voted
    ties: Voted
    file: DocumentFile | None
    signature: str

    @property
    def spans(self) -> Spans:
        """The consensus."""
        return self.chosen.spans

    @property
    def name(self) -> str:
        """The annotator's name under which the consensus is written."""
        return f"{self.rule} of {', '.join(self.names)}"

    def documents(self, file: DocumentFile | None = None) -> DocumentFile:
        """Return documents with the consensus as their spans, for `spanometer.write`. The annotator is `name`.

        Args:
            file: other documents, with offsets in the same unit; by default the documents of the annotators.

        Raises:
            InputError: if the annotations did not come from files.
        """
        source = file or self.file
        if source is None:
            problem = "Spanometer can write a consensus only for annotations from files."
            raise InputError(problem, "Pass annotations that spanometer.read returns.")
        return replace(source, spans=self.spans, annotators=(self.name,) * source.documents.size, stated=None)

    def voters(self, voted: Voted) -> list[list[str]]:
        """Return the names of the voters of each span."""
        return [[name for name, has in zip(self.names, row, strict=True) if has] for row in voted.voters.tolist()]

    def parts(self) -> Iterator[Part]:
        """Yield the numbers of spans by outcome and by votes, and the first ties."""
        enough = f"at least {self.needed} of {len(self.names)} votes"
        yield f"{counted(len(self.chosen), 'span')} in the consensus ({self.rule}: {enough})"
        if len(self.ties):
            won = "in the consensus" if 2 * self.needed <= len(self.names) else "not in the consensus"
            yield f"{counted(len(self.ties), 'span')} with exactly half of the votes, {won}"
        yield from ("", vote_table(self))
        if len(self.ties):
            yield from ("", tie_table(self, briefly=True))
        yield from ("", Copyable(self.signature))

    def tables(self) -> list[Table]:
        """List the tables of votes and ties."""
        return [vote_table(self), tie_table(self)]

    def to_dict(self) -> dict[str, Any]:
        """Convert to built-in types, ready for JSON; NaN, which JSON lacks, becomes None."""
        return {
            "annotators": list(self.names),
            "rule": self.rule,
            "needed_votes": self.needed,
            "documents": self.spans.documents,
            "spans": len(self.chosen),
            "candidates": len(self.candidates),
            "ties": tie_table(self).records(),
            "votes": vote_table(self).records(),
            "signature": self.signature,
        }


def vote_table(consensus: Consensus) -> Table:
    """Return a table by number of votes: the number of spans, and how many of them are in the consensus."""
    size = len(consensus.names)
    voted, chosen = (np.bincount(each.votes, minlength=size + 1) for each in (consensus.candidates, consensus.chosen))
    rows = [(f"{number} of {size}", voted[number], chosen[number]) for number in range(size, 0, -1)]
    return Table.of("votes", amounts("spans", in_consensus="in the consensus"), rows, kind="votes")


def tie_table(consensus: Consensus, *, briefly: bool = False) -> Table:
    """Return a table of the ties, which are spans that half of the annotators have.

    If `briefly` is True, the table has only the first ones.
    """
    shown = consensus.ties.take(np.arange(len(consensus.ties)) < (_LISTED if briefly else len(consensus.ties)))
    title = f"ties (the first {_LISTED})" if len(shown) < len(consensus.ties) else "ties"
    spans, file = shown.spans, consensus.file
    ids = None if file is None else file.documents.ids
    values: dict[str, Any] = {
        "document": [str(number) if ids is None else ids[number] for number in spans.document.tolist()],
        "start": spans.start,
        "end": spans.end,
        "label": [spans.labels[label] for label in spans.label],
        "votes": shown.votes,
        "annotators": map(", ".join, consensus.voters(shown)),
    }
    wording = None if file is None else context_of_documents(file).wording
    if wording is not None:
        values["text"] = wording.between(spans.document, spans.start, spans.end).to_pylist()
    name, *columns = amounts(*values)
    return Table.of(title, columns, zip(*values.values(), strict=True), kind="ties", names=name.key)


@shares(SideArguments)
def consensus(
    annotations: Sequence[Any] | Mapping[str, Any],
    *more: Never,
    rule: str = "majority",
    names: Sequence[str] | None = None,
    **arguments: Unpack[SideArguments],
) -> Consensus:
    """Combine the annotations of two or more annotators of the same documents by vote.

        result = spanometer.consensus({"ann": ann, "ben": ben, "cat": cat})
        result.spans, result.chosen.votes, result.ties.spans
        spanometer.write(result.documents(), "gold.jsonl", format="jsonl")

    Annotators vote for each of their spans. Two spans are equal if their labels and boundaries (of all fragments) are
    equal, so nested spans get separate votes. With `majority`, any two winning spans have a voter in common, so they
    overlap only if an annotator has both. With the other rules, winning spans with different labels or boundaries may
    overlap; all of them are kept.

    **Ties** are spans with exactly half of the votes. `majority` leaves them out, and `half` includes them; the result
    lists them.

    Args:
        annotations: for each annotator a list of tag lists or of lists of spans, `Tags`, `Spans`, an Arrow column of
            either, or a file read by `spanometer.read`; a mapping also gives their names.
        rule: the number of annotators that must have a span: `majority`, more than half; `half`, at least half;
            `union`, one; `intersection`, all.
        names: the annotators' names, by default `1`, `2`, `3` ...
        **arguments: how tags, spans and files are read: `scheme`, `repair`, `prefix`, `id2label`, `ignore_index`,
            `lengths`, `label_map`, `labels`, `ignore_labels`, and the options of files, see `arguments.SideArguments`.

    Raises:
        TypeError: if an argument is unknown.
        InputError: if there are fewer than two annotators, or if annotations cannot be read or compared; the error
            names the annotator.
    """
    require_no_more(more, "Pass all annotators as one list, or as one mapping such as {'ann': ..., 'ben': ...}.")
    options = SideReading.of(consensus, arguments).for_annotators()
    sides, reading, file, *_ = read_sides(require_no_answers(named_annotators(annotations, names)), options)
    voters = tuple(name.removeprefix(ANNOTATOR) for name in sides)
    candidates, needed = Voted(*distinct_spans(list(sides.values()))), Voting(rule=rule).needed(len(voters))
    chosen = candidates.take(candidates.votes >= needed)
    return Consensus(
        names=voters,
        rule=rule,
        needed=needed,
        chosen=chosen,
        candidates=candidates,
        ties=candidates.take((rule in ("majority", "half")) & (2 * candidates.votes == len(voters))),
        file=None if file is None else replace(file, spans=chosen.spans),
        signature=signature_of("consensus", {**reading, "annotators": len(voters), "rule": rule}),
    )
