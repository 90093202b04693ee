"""Answers grounded in their texts: spans, unplaced items, and counts of outcomes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from ..arrays import listed_items, name_codes, offsets_of, ordered, run_bounds
from ..exceptions import InputError, counted, require_kind, shown
from ..spans.annotations import union
from ..spans.spans import Spans, in_order
from ..spans.texts import Tokens, words_and_signs
from ..tags.schemes import signed_names
from .answers import Answer, read_answer, read_labels
from .outcomes import Predicted, Vocabulary, resolve, tally
from .placing import Outcome, TextIndex
from .policies import COUNTS, AnswerPolicy, GroundingPolicy

TextTokens = Tokens | Sequence[Iterable[tuple[int, int]]] | None
"""The tokens of texts: columns, or the boundaries of each text's tokens; None means words and signs."""

_CHARACTERS = 1_000_000
"""The approximate number of characters of texts that are tokenised at a time."""


class AnswerOutcomes(NamedTuple):
    """The outcomes of the items of an answer.

    Attributes:
        document: the number of the text.
        text: the text.
        written: the original answer.
        read: the parsed answer.
        outcomes: the outcomes of its items, in order.
        counts: the counts of the answer, in the order of `COUNTS`.
    """

    document: int
    text: str
    written: Any
    read: Answer
    outcomes: list[Outcome]
    counts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class AnswerInput:
    """Texts and answers with the options for parsing them, see `ground`."""

    texts: Any
    answers: Any
    asked_labels: Iterable[str] | None
    aliases: Mapping[str, str] | None
    format: str = "auto"
    tokens: TextTokens = None
    item_keys: Mapping[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the texts, answers and labels."""
        names = read_labels(self.asked_labels)
        rows = ordered(self.answers, "a list of answers", "Pass a list with one string for each text.")
        texts = ordered(self.texts, "a list of texts", "Pass a list of strings.")
        for name, value in (("asked_labels", names), ("answers", rows), ("texts", texts)):
            object.__setattr__(self, name, value)
        for document, text in enumerate(texts):
            if not isinstance(text, str):
                problem = f"the text is {shown(text)}, not a string."
                raise InputError(problem, "Give each text as a string.", document=document)
        remedy = "Write a mapping from the labels in answers to your labels, such as {'PERSON': 'PER'}."
        aliases = {} if self.aliases is None else self.aliases
        require_kind(aliases, Mapping, "a mapping of labels", remedy, option="aliases")
        if not all(isinstance(name, str) for pair in listed_items(aliases, remedy) for name in pair):
            problem = f"aliases is {shown(aliases)}, not a mapping of strings to strings."
            raise InputError(problem, remedy, option="aliases")
        if len(rows) != len(texts):
            raise InputError(
                f"got {counted(len(texts), 'text')}, but {counted(len(rows), 'answer')}.",
                "Pass one answer for each text, and None for a missing answer.",
            )

    @property
    def vocabulary(self) -> Vocabulary:
        """The labels that the model was asked for."""
        return Vocabulary(self.asked_labels, self.aliases)

    def read(self) -> Iterator[Answer]:
        """Yield the parsed answers one by one."""
        labels = () if self.asked_labels is None else dict.fromkeys([*self.asked_labels, *(self.aliases or ())])
        for document, (text, answer) in enumerate(zip(self.texts, self.answers, strict=True)):
            with placed_errors(document):
                options: dict[str, Any] = {"asked_labels": labels, "text": text, **self.item_keys}
                yield answer if isinstance(answer, Answer) else read_answer(answer, format=self.format, **options)

    def outcomes(self, policy: AnswerPolicy, folded: Iterable[str] | None = None) -> Iterator[AnswerOutcomes]:
        """Yield the outcomes of the items of each answer.

        Answers are grounded one by one, so that items and tokens of all texts are never held together.

        Args:
            policy: a policy for spans or for strings.
            folded: the normal forms of the texts, for a policy for strings.
        """
        vocabulary, indices = self.vocabulary, each_index(self.texts, self.tokens) if folded is None else folded
        columns = zip(self.texts, self.answers, self.read(), indices, strict=True)
        for document, (text, written, read, index) in enumerate(columns):
            with placed_errors(document):
                outcomes = resolve(read, index, policy, vocabulary)
                counts = tally(outcomes, read, text, vocabulary)
                yield AnswerOutcomes(document, text, written, read, outcomes, counts)

    def predictions(
        self, policy: AnswerPolicy, folded: Iterable[str] | None = None
    ) -> tuple[Predictions, AnswerCounts]:
        """Collect the predictions of all answers and their counts, see `outcomes`."""
        tallies = array("q")

        def predicted() -> Iterator[Predicted]:
            for answer in self.outcomes(policy, folded):
                tallies.extend(answer.counts)
                yield Predicted.of(answer.outcomes, policy)

        made = Predictions.of(predicted(), list(map(len, self.texts)))
        counts = np.array(tallies, dtype=np.int64).reshape(-1, len(COUNTS))
        size = len(made.spans) + len(made.wrong_label)
        return made, AnswerCounts(counts=counts, policy=policy, choices=self.signed(policy), predicted=size)

    def signed(self, policy: AnswerPolicy) -> dict[str, str]:
        """Describe for the signature how answers are grounded."""
        names = {"asked_labels": self.asked_labels, "aliases": self.aliases}
        signed = {name: signed_names(value) for name, value in names.items() if value}
        forms = {"answer_format": self.format, **self.item_keys}
        signed |= {name: form for name, form in forms.items() if form not in (None, "auto")}
        return {"grounding": str(policy), **signed}


@contextmanager
def placed_errors(document: int) -> Iterator[None]:
    """Add the document to errors about an answer."""
    try:
        yield
    except InputError as error:
        raise error.placed(document=document) from None


def _be(count: int) -> str:
    return "is" if count == 1 else "are"


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerCounts:
    """The counts of answers.

    Attributes:
        counts: int64, shape (documents, `COUNTS`).
        policy: the policy.
        choices: the policy and the other options, for the signature.
        predicted: the number of predicted spans, including unplaced items, or of predicted mentions.
    """

    counts: np.ndarray
    policy: Any
    choices: Mapping[str, str]
    predicted: int

    @property
    def total(self) -> dict[str, int]:
        """The counts over all documents, by name."""
        return dict(zip(COUNTS, self.counts.sum(axis=0).tolist(), strict=True))

    @property
    def summary(self) -> str:
        """Descriptions of the answers, of the items and of other counts that are not 0."""
        total = self.total
        answers, items, broken = len(self.counts), total["items"], total["broken"]
        outcomes = {name: total[name] for name in ("placed", "surplus", "absent", "overlapping")}
        outcomes["left out as outside"] = items - sum(outcomes.values())
        of_answers = _listed({"read": answers - broken, "broken": broken} if broken else {})
        names = ("outside", "rewritten", "repaired", "unread", "other_fields", "turned")
        others = [f"{name.replace('_', ' ')} {total[name]:,}" for name in names if total[name]]
        sizes = f"{counted(answers, 'answer')}{of_answers}, {counted(items, 'item')}{_listed(outcomes)}"
        return ", ".join([sizes, counted(self.predicted, "predicted span"), *others])

    @property
    def warnings(self) -> list[str]:
        """Warnings if many answers are broken, or if many items are absent, outside or unread."""
        total, answers = self.total, len(self.counts)
        texts = []
        for name, meaning in _RUBBLE.items():
            if 2 * total[name] > total["items"]:
                first = ", ".join(islice(dict.fromkeys(self._examples(name)), 3))
                such = f", such as {first}" if first else ""
                items = counted(total["items"], "item")
                texts.append(f"{total[name]:,} of {items} {_be(total[name])} {name} ({meaning}){such}")
        if 2 * total["broken"] > answers:
            numbers = np.flatnonzero(self.counts[:, list(COUNTS).index("broken")])[:3] + 1
            broken = f"{total['broken']:,} of {counted(answers, 'answer')} {_be(total['broken'])} broken"
            texts.append(f"{broken}, first in document {', '.join(map(str, numbers))}")
        remedy = "So the score says little about the model. List all with spanometer ground --list-lost."
        return [f"{text}. {remedy}" for text in texts]

    def _examples(self, name: str) -> Iterator[str]:
        """Yield the mentions or labels of the items with an outcome, if known."""
        return iter(())


_RUBBLE = {"absent": "not in the text", "outside": "of labels not asked for", "unread": "with unreadable offsets"}


def _listed(counts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return f" ({listed})" if listed else ""


@dataclass(frozen=True, eq=False)
class Predictions:
    """The predicted spans of answers.

    Attributes:
        spans: the distinct placed items, in characters.
        wrong_document, wrong_label, wrong_mention: document, label and mention of each item that is not in the text but
            counts as a predicted span.
    """

    spans: Spans
    wrong_document: np.ndarray
    wrong_label: tuple[str, ...]
    wrong_mention: tuple[str, ...]

    @classmethod
    def of(cls, predicted: Iterable[Predicted], lengths: Sequence[int]) -> Predictions:
        """Collect the predicted spans of the answers to texts with these lengths."""
        shared: dict[str, str] = {}
        bounds, of_wrong = array("q"), array("q")
        labels: list[str] = []
        wrong_label, wrong_mention = [], []
        for number, (spans, wrong) in enumerate(predicted):
            for first, last, label in spans:
                bounds.extend((number, first, last))
                # each item has its own copy of its label
                labels.append(shared.setdefault(label, label))
            for label, mention in wrong:
                of_wrong.append(number)
                wrong_label.append(shared.setdefault(label, label))
                wrong_mention.append(mention)
        document, start, end = np.ascontiguousarray(np.array(bounds, dtype=np.int32).reshape(-1, 3).T)
        sizes = np.array(lengths, dtype=np.int64)
        placed = Spans(document, start, end, *name_codes(labels), len(lengths), sizes)
        return Predictions(in_order(placed), np.array(of_wrong), tuple(wrong_label), tuple(wrong_mention))

    @property
    def size(self) -> int:
        """The number of characters of all texts."""
        return int(np.asarray(self.spans.lengths).sum())

    def sides(self, references: Spans) -> tuple[Spans, Spans]:
        """Convert both sides to spans; unplaced items become spans after the end of their text.

        There they cannot match a reference span. Each is as long as its mention, and the documents of both sides become
        longer.

        Raises:
            InputError: if the number of references differs, or if a reference is past the end of its text.
        """
        if references.documents != self.spans.documents:
            raise InputError(
                f"the reference has {counted(references.documents, 'document')}, but got "
                f"{counted(self.spans.documents, 'answer')}.",
                "Give one answer for each document, and None for a missing answer.",
            )
        references = references.with_lengths(np.asarray(self.spans.lengths))
        reference, predicted = with_unplaced([references, self.spans], [None, self.unplaced])
        return reference, predicted

    @property
    def unplaced(self) -> Spans:
        """The unplaced items, in characters, one after another in documents that have nothing else."""
        return self._in_a_row(np.fromiter(map(len, self.wrong_mention), np.int64, len(self.wrong_mention)))

    @property
    def unplaced_tokens(self) -> Spans:
        """The unplaced items in tokens: the words and punctuation marks of their mentions, at least one."""
        return self._in_a_row(np.maximum(words_and_signs(self.wrong_mention).lengths, 1))

    def _in_a_row(self, size: np.ndarray) -> Spans:
        """Place the unplaced items, which have these lengths, one after another."""
        document, documents = self.wrong_document, self.spans.documents
        start = np.cumsum(size) - size
        start -= start[np.searchsorted(document, document)]
        # int32 is enough: texts and mentions in memory have fewer than 2^31 characters
        columns = [column.astype(np.int32) for column in (document, start, start + size)]
        lengths = np.bincount(document, size, documents).astype(np.int64)
        return Spans(columns[0], columns[1], columns[2], *name_codes(self.wrong_label), documents, lengths)


@dataclass(frozen=True, eq=False, kw_only=True)
class Grounded(Predictions, AnswerCounts):
    """Answers grounded under a policy.

    Attributes:
        spans: the distinct placed items, in characters.
        wrong_document, wrong_label, wrong_mention: document, label and mention of each item that is not in the text but
            counts as a predicted span.
        source: the texts and answers, for `outcomes_by_answer`.
    """

    source: AnswerInput

    def _examples(self, name: str) -> Iterator[str]:
        for answer in outcomes_by_answer(self) if name in ("absent", "outside") else ():
            for outcome in answer.outcomes:
                if outcome.kind == name or (name == "outside" and self.source.vocabulary.lack(outcome.item)):
                    yield repr(outcome.item.label if name == "outside" else outcome.item.mention)


def with_unplaced(sides: Sequence[Spans], unplaced: Sequence[Spans | None], *, apart: bool = True) -> list[Spans]:
    """Add the unplaced items of each side as spans after the end of their documents, which become longer.

    Args:
        sides: the spans of each side, with the same documents.
        unplaced: the items of each side, see `Predictions.unplaced`.
        apart: True: items of all sides have different positions. False: only items of the first side have other
            positions than items of the other sides, and each of these has its own document lengths.
    """
    lengths = next((side.lengths for side in sides if side.lengths is not None), None)
    if lengths is None or not any(unplaced):
        return list(sides)
    empty = Spans.none(len(lengths), np.zeros_like(lengths))
    added = [empty if items is None else items for items in unplaced]
    sizes = [np.asarray(items.lengths) for items in added]
    extended, begin = [], lengths
    for side, items, size in zip(sides, added, sizes, strict=True):
        end = lengths + sum(sizes) if apart else begin + size
        base = begin[items.document].astype(np.int32)
        moved = replace(items, start=items.start + base, end=items.end + base, lengths=end)
        extended.append(union([replace(side, lengths=end), moved]))
        begin = begin + size if apart or side is sides[0] else begin
    return extended


def ground(
    texts: Iterable[str],
    answers: Iterable[Any],
    *,
    policy: GroundingPolicy | str = "strict",
    asked_labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
    tokens: TextTokens = None,
    format: str = "auto",
    item_mention_key: str | None = None,
    item_label_key: str | None = None,
) -> Grounded:
    """Find the spans of generated answers in their texts; references are never used.

    An answer is parsed into items (label and mention). Their mentions are searched in the text, in order, as strings.
    With the policy `strict` every item is a predicted span. It is placed at the first free occurrence of its mention as
    whole tokens; if there is none, at the first occurrence without an item of the same label; if there is none, it is
    unplaced.

    Args:
        texts: the texts.
        answers: the model's answer for each text, see `read_answer`, or the result of `read_answer`.
        policy: a name, comma-separated actions, or a `GroundingPolicy`.
        asked_labels: the labels that the model was asked for. Items with other labels count as `outside`. None
            allows all labels.
        aliases: maps labels in answers to your labels.
        tokens: the tokens of the texts, in characters; by default runs of letters, digits and underscores, and each
            other character except whitespace.
        format: the format of the answers.
        item_mention_key, item_label_key: the keys of mentions and labels in the items of answers, see `read_answer`.

    Returns:
        The spans in characters, the unplaced items, and the counts.

    Raises:
        InputError: if the numbers of texts and answers differ, if texts are not strings, if tokens do not fit, or if
            the policy or format is unknown.
    """
    chosen = GroundingPolicy.of(policy)
    keys = {"item_mention_key": item_mention_key, "item_label_key": item_label_key}
    source = AnswerInput(texts, answers, asked_labels, aliases, format, tokens, keys)
    predictions, counts = source.predictions(chosen)
    return Grounded(**vars(predictions), **vars(counts), source=source)


def outcomes_by_answer(grounded: Grounded) -> Iterator[AnswerOutcomes]:
    """Yield the outcomes of the items of each answer, which is parsed and grounded again."""
    return grounded.source.outcomes(grounded.policy)


def text_indices(texts: Sequence[str], tokens: TextTokens = None) -> list[TextIndex]:
    """Index texts for searching mentions.

    Raises:
        InputError: if the number of token lists differs, or if tokens are past the end of a text.
    """
    return list(each_index(texts, tokens))


def each_index(texts: Sequence[str], tokens: TextTokens) -> Iterator[TextIndex]:
    """Yield the result of `text_indices` one by one."""
    if tokens is None:
        begin = offsets_of(list(map(len, texts)))[:-1]
        for first, last in zip(*run_bounds(begin // _CHARACTERS), strict=True):
            block = texts[first:last]
            yield from each_index(block, words_and_signs(block))
        return
    if not isinstance(tokens, Tokens):
        tokens = Tokens.from_lists(tokens)
    if len(tokens.lengths) != len(texts):
        problem = f"got {counted(len(texts), 'text')}, but tokens for {counted(len(tokens.lengths), 'document')}."
        raise InputError(problem, "Pass the tokens of each text.", option="tokens")
    for document, (text, bounds) in enumerate(zip(texts, pairwise(tokens.offsets.tolist()), strict=True)):
        starts, ends = (column[slice(*bounds)].tolist() for column in (tokens.start, tokens.end))
        if ends and ends[-1] > len(text):
            raise InputError(
                f"the last token ends at character {ends[-1]}, but the text has {counted(len(text), 'character')}.",
                "Give each token as a pair [start, end] of character offsets. Ends are exclusive.",
                document=document,
            )
        yield TextIndex(text, starts, ends)
