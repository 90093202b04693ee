"""Answers grounded in their texts: the spans, what has no place, and how many items became what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain
from typing import Any

import numpy as np

from ..arrays import code_type, listed
from ..errors import InputError, counted, shown
from ..spans.documents import Tokens
from ..spans.spans import Spans, in_order
from ..spans.words import words_and_signs
from .answers import Answer, Item, read_answer
from .placing import Bounds, Placement, TextIndex, place
from .policies import GroundingPolicy

COUNTS = ("items", "placed", "surplus", "absent", "overlapping", "outside", "broken", "rewritten", "unread")
"""What is counted of each document, see `Grounded`."""

_MOST_ANCHORS = 20_000_000


@dataclass(frozen=True, eq=False)
class Grounded:
    """Answers grounded under a policy.

    Attributes:
        spans: what was placed, in characters, each label and bounds once; the lengths are those of the texts.
        wrong_document, wrong_label, wrong_mention: of each item that counts as a predicted span, but has no place.
        counts: int64, a column for each of `COUNTS`, a row for each document: items, whatever became of them; those
            that have a place, that are surplus, that are absent, that lost their place to an overlap; those with a
            label outside the labels; answers that are broken, and whose text is not the text; values that are no item.
        policy: the policy.
    """

    spans: Spans
    wrong_document: np.ndarray
    wrong_label: tuple[str, ...]
    wrong_mention: tuple[str, ...]
    counts: np.ndarray
    policy: GroundingPolicy

    @property
    def total(self) -> dict[str, int]:
        """The counts over all documents, by name."""
        return dict(zip(COUNTS, self.counts.sum(axis=0).tolist(), strict=True))

    def sides(self, references: Spans) -> tuple[Spans, Spans]:
        """Return both sides as measures take them: items without a place are spans behind the end of their text.

        There they touch no span of the reference, whatever the measure. Each is as long as its mention, and as many
        characters are added to the document's length on both sides.

        Raises:
            InputError: for references of another number of documents, or past the end of a text.
        """
        lengths = self.spans.lengths
        assert lengths is not None
        if references.documents != self.spans.documents:
            raise InputError(
                f"{counted(references.documents, 'document')} in the reference, "
                f"{counted(self.spans.documents, 'answer')}.",
                "Give an answer for each document; None if there is none.",
            )
        size = np.fromiter(map(len, self.wrong_mention), np.int64, len(self.wrong_mention))
        within = np.cumsum(size) - size
        before = np.zeros(len(lengths), dtype=np.int64)
        added = np.bincount(self.wrong_document, weights=size, minlength=len(lengths)).astype(np.int64)
        before[1:] = np.cumsum(added)[:-1]
        start = lengths[self.wrong_document] + within - before[self.wrong_document]
        references.with_lengths(lengths)
        predictions = _spans(
            np.concatenate([self.spans.document, self.wrong_document]),
            np.concatenate([self.spans.start, start]),
            np.concatenate([self.spans.end, start + size]),
            [*(self.spans.labels[code] for code in self.spans.label.tolist()), *self.wrong_label],
            lengths + added,
        )
        return references.with_lengths(lengths + added), predictions


def ground(
    texts: Iterable[str],
    answers: Iterable[Any],
    *,
    policy: GroundingPolicy | str = "strict",
    labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
    tokens: Tokens | Sequence[Iterable[tuple[int, int]]] | None = None,
    format: str = "auto",
) -> Grounded:
    """Find the spans that generated answers mean in their texts, without a look at the reference.

    An answer is read into items, each a label and a mention; items are taken in the order of the answer and looked for
    in the text, as strings, never as patterns. Under the policy `strict` every item is a predicted span: where its
    mention stands as whole tokens and nothing was placed yet, else at the first place that no item of its label has,
    else one without a place. No policy places an item by what the reference says.

    Args:
        texts: the texts.
        answers: what the model wrote for each, see `read_answer`; or what that returned.
        policy: a name, actions with commas between, or a `GroundingPolicy`.
        labels: those that were asked for; items with others are outside. All labels belong if it is None.
        aliases: labels of answers and those that they stand for.
        tokens: the texts' tokens, in characters; by default runs of letters, digits and underscores, and each other
            sign.
        format: the format of the answers.

    Returns:
        The spans, in characters, the items without a place, and the counts.

    Raises:
        InputError: for texts and answers of different number, texts that are no strings, tokens that do not fit, or an
            unknown policy or format.
    """
    chosen = GroundingPolicy.of(policy)
    read_texts = _read_texts(texts)
    read_answers = _read_answers(answers, len(read_texts), format, _known(labels, aliases))
    indices = text_indices(read_texts, tokens)
    known = None if labels is None else frozenset(labels)
    rows = [
        _ground(answer, index, chosen, known, aliases or {})
        for answer, index in zip(read_answers, indices, strict=True)
    ]
    sizes = [len(row.spans) for row in rows]
    flat = list(chain.from_iterable(row.spans for row in rows))
    bounds = np.array([span[:2] for span in flat], dtype=np.int64).reshape(-1, 2)
    document = np.repeat(np.arange(len(rows)), sizes)
    lengths = np.fromiter(map(len, read_texts), np.int64, len(read_texts))
    wrong = [item for row in rows for item in row.wrong]
    return Grounded(
        _spans(document, bounds[:, 0], bounds[:, 1], [span[2] for span in flat], lengths),
        np.repeat(np.arange(len(rows)), [len(row.wrong) for row in rows]),
        tuple(item.label for item in wrong),
        tuple(item.mention for item in wrong),
        np.array([row.counts for row in rows], dtype=np.int64).reshape(-1, len(COUNTS)),
        chosen,
    )


def text_indices(
    texts: Sequence[str], tokens: Tokens | Sequence[Iterable[tuple[int, int]]] | None = None
) -> list[TextIndex]:
    """Return texts in which mentions can be looked for.

    Raises:
        InputError: for tokens of another number of documents, or past the end of a text.
    """
    if tokens is None:
        tokens = words_and_signs(texts)
    elif not isinstance(tokens, Tokens):
        tokens = Tokens.from_lists(tokens)
    if len(tokens.lengths) != len(texts):
        raise InputError(
            f"{counted(len(texts), 'text')}, and tokens of {counted(len(tokens.lengths), 'document')}.",
            "Give the tokens of each text.",
            option="tokens",
        )
    starts, ends, offsets = tokens.start.tolist(), tokens.end.tolist(), tokens.offsets.tolist()
    indices = []
    for document, text in enumerate(texts):
        first, last = offsets[document], offsets[document + 1]
        if first < last and ends[last - 1] > len(text):
            raise InputError(
                f"a token ends at {ends[last - 1]}, the text at {len(text)}.",
                "Tokens are pairs of characters' offsets in the text, the end exclusive.",
                document=document,
            )
        indices.append(TextIndex(text, starts[first:last], ends[first:last]))
    return indices


@dataclass(frozen=True, eq=False)
class Resolved:
    """The items of one answer under a policy.

    Attributes:
        read: the items, none of a broken answer that is taken as empty.
        named: those that are looked for, under the labels that aliases stand for.
        outside: how many items have a label outside the labels.
        placement: where the named items are.
        kept: the number and the bounds of each named item that stays when overlaps are resolved.
        rewritten: whether the text of inline markup is not the text.
    """

    read: Sequence[Item]
    named: Sequence[Item]
    outside: int
    placement: Placement
    kept: list[tuple[int, Bounds]]
    rewritten: bool

    @property
    def surplus(self) -> list[bool]:
        """Of each named item, whether others have all of its occurrences."""
        return [here and not spans for here, spans in zip(self.placement.present, self.placement.spans, strict=True)]

    @property
    def absent(self) -> list[bool]:
        """Of each named item, whether it is not in the text, nor in other words."""
        return [
            not here and not spans for here, spans in zip(self.placement.present, self.placement.spans, strict=True)
        ]


def resolve(
    answer: Answer,
    index: TextIndex,
    policy: GroundingPolicy,
    labels: frozenset[str] | None,
    aliases: Mapping[str, str],
) -> Resolved:
    """Return what becomes of the items of an answer in its text, see `ground`."""
    read = () if answer.broken and policy.broken == "empty" else answer.items
    named = [item._replace(label=aliases.get(item.label, item.label)) for item in read]
    outside = 0 if labels is None else sum(item.label not in labels for item in named)
    if outside and policy.outside == "drop":
        named = [item for item in named if labels is None or item.label in labels]
    rewritten = answer.text is not None and answer.text.split() != index.text.split()
    if policy.offsets == "check" and answer.text is not None:
        named = carried_over(named, answer.text, index)
    placement = place(named, index, policy)
    bounds = [(number, span) for number, spans in enumerate(placement.spans) for span in dict.fromkeys(spans)]
    return Resolved(read, named, outside, placement, without_overlap(bounds, policy.overlap), rewritten)


@dataclass(frozen=True, eq=False)
class _Row:
    spans: set[tuple[int, int, str]]
    wrong: list[Item]
    counts: tuple[int, ...]


def _ground(
    answer: Answer,
    index: TextIndex,
    policy: GroundingPolicy,
    labels: frozenset[str] | None,
    aliases: Mapping[str, str],
) -> _Row:
    """Return what an answer means in its text."""
    found = resolve(answer, index, policy, labels, aliases)
    surplus, absent = found.surplus, found.absent
    placed = {number for number, _ in found.kept}
    lost = sum(bool(spans) for spans in found.placement.spans) - len(placed)
    wrong = [
        item
        for item, left, gone in zip(found.named, surplus, absent, strict=True)
        if (left and policy.surplus == "wrong") or (gone and policy.absent != "drop")
    ]
    counts = (len(found.read), len(placed), sum(surplus), sum(absent), lost, found.outside)
    return _Row(
        {(*span, found.named[number].label) for number, span in found.kept},
        wrong,
        (*counts, int(answer.broken), int(found.rewritten), answer.unread),
    )


def without_overlap(bounds: list[tuple[int, Bounds]], rule: str) -> list[tuple[int, Bounds]]:
    """Return the spans of items that stay when overlaps are resolved."""
    if rule == "keep" or len(bounds) < 2:
        return bounds
    order = {
        "longest": lambda one: (one[1][0] - one[1][1], one[1][0]),
        "earlier": lambda one: (one[0],),
        "later": lambda one: (-one[0],),
    }[rule]
    taken = bytearray(max(end for _, (_, end) in bounds))
    kept = []
    for number, (start, end) in sorted(bounds, key=order):
        if taken.find(1, start, end) < 0:
            taken[start:end] = b"\1" * (end - start)
            kept.append((number, (start, end)))
    return kept


def carried_over(items: Sequence[Item], written: str, index: TextIndex) -> list[Item]:
    """Return items with the offsets of a rewritten text carried over to the text; without, where that cannot be.

    Tokens of both are aligned by their loose forms (difflib); an item whose tokens face neighbouring tokens has their
    bounds. In long texts tokens that are very frequent are no anchors of the alignment.
    """
    tokens = words_and_signs([written])
    other = TextIndex(written, tokens.start.tolist(), tokens.end.tolist())
    here, there = other.folded_tokens("loose"), index.folded_tokens("loose")
    counts, others = Counter(here), Counter(there)
    frequent = sum(count * others[token] for token, count in counts.items()) > _MOST_ANCHORS
    facing: dict[int, int] = {}
    for first, second, size in SequenceMatcher(None, here, there, autojunk=frequent).get_matching_blocks():
        facing.update(zip(range(first, first + size), range(second, second + size), strict=True))
    carried = []
    for item in items:
        bounds: tuple[int | None, int | None] = (None, None)
        if item.start is not None and item.end is not None:
            first, last = other.tokens_of(item.start, item.end)
            places = [facing.get(token, -1) for token in range(first, last)]
            if places and places[0] >= 0 and places == list(range(places[0], places[0] + len(places))):
                bounds = (index.starts[places[0]], index.ends[places[-1]])
        carried.append(item._replace(start=bounds[0], end=bounds[1]))
    return carried


def _read_texts(texts: Iterable[str]) -> list[str]:
    rows = listed(texts, "Texts are a list of strings.")
    for document, text in enumerate(rows):
        if not isinstance(text, str):
            raise InputError(f"a text is {shown(text)}.", "Texts are strings.", document=document)
    return rows


def _read_answers(answers: Iterable[Any], texts: int, format: str, labels: Sequence[str]) -> list[Answer]:
    rows = listed(answers, "Answers are a list with a string for each text.")
    if len(rows) != texts:
        raise InputError(
            f"{counted(texts, 'text')}, but {counted(len(rows), 'answer')}.",
            "Give an answer for each text; None if there is none.",
            document=min(texts, len(rows)),
        )
    read = []
    for document, answer in enumerate(rows):
        try:
            read.append(answer if isinstance(answer, Answer) else read_answer(answer, format=format, labels=labels))
        except InputError as error:
            raise error.placed(document=document) from None
    return read


def _known(labels: Iterable[str] | None, aliases: Mapping[str, str] | None) -> list[str]:
    """Return the labels that answers may give."""
    return [] if labels is None else list(dict.fromkeys([*labels, *(aliases or {})]))


def _spans(
    document: np.ndarray, start: np.ndarray, end: np.ndarray, labels: Sequence[str], lengths: np.ndarray
) -> Spans:
    """Return spans of labels given as names."""
    names = tuple(sorted(set(labels)))
    code = {name: number for number, name in enumerate(names)}
    codes = np.fromiter(map(code.__getitem__, labels), code_type(len(names)), len(labels))
    document, start, end = (column.astype(np.int32) for column in (document, start, end))
    return in_order(Spans(document, start, end, codes, names, len(lengths), lengths))
