"""Answers as mentions: labels and strings without places, under a policy for strings."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..spans.mentions import Mentions
from .answers import Answer, Item
from .forms import form_text
from .grounded import COUNTS, AnswerCounts, read_both, read_labels, signed_grounding
from .outcomes import named_items, outside
from .policies import StringPolicy


@dataclass(frozen=True, eq=False)
class GroundedStrings(AnswerCounts):
    """Answers as mentions under a policy.

    Attributes:
        mentions: those that count as predicted, as the answers write them, with all their copies.
        counts: as of `Grounded`; `placed` are items that the text has, each copy of it once.
        policy: the policy.
        choices: the policy and what else had a say, for the signature.
    """

    mentions: Mentions
    counts: np.ndarray
    policy: StringPolicy
    choices: Mapping[str, object]


def ground_strings(
    texts: Iterable[str],
    answers: Iterable[Any],
    *,
    policy: StringPolicy | str = "strict-strings",
    labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
    format: str = "auto",
) -> GroundedStrings:
    """Find the mentions that generated answers make, as strings, without a look at the reference.

    For references without offsets, and for the rules of projects that compare strings. The measure is `mention_f`, with
    the options `policy.compared`, so that the reference's mentions have the normal form of the policy too: see
    `score_strings` and `compare_strings` of `analysis.string_answers`.

    A mention, without outer blanks, is in the text if its normal form is in that of the text, be it within a word. A
    text has as many copies of a form as are found from left to right without overlap; of more items with this form,
    whatever their labels, the last ones are surplus. An item whose normal form is empty, such as "the" in `squad`, is
    not in the text.

    Args:
        texts: the texts.
        answers: what the model wrote for each, see `read_answer`; or what that returned.
        policy: a name, actions with commas between, or a `StringPolicy`.
        labels: those that were asked for; items with others are outside. All labels belong if it is None.
        aliases: labels of answers and those that they stand for.
        format: the format of the answers.

    Raises:
        InputError: for texts and answers of different number, texts that are no strings, or an unknown policy or
            format.
    """
    chosen = StringPolicy.of(policy)
    labels = read_labels(labels)
    read_texts, read_answers = read_both(texts, answers, format, labels, aliases)
    folded = (form_text(text, chosen.fold) for text in read_texts)
    return strings_of(folded, read_texts, read_answers, chosen, labels, aliases, format)


def strings_of(
    folded: Iterable[str],
    texts: Sequence[str],
    answers: Iterable[Answer],
    policy: StringPolicy,
    labels: Sequence[str] | None,
    aliases: Mapping[str, str] | None,
    format: str = "auto",
) -> GroundedStrings:
    """Return `ground_strings` of answers that are read, in texts whose normal forms are known."""
    known = None if labels is None else frozenset(labels)
    found: list[str] = []
    mentions: list[str] = []
    sizes, tallies = array("q"), array("q")
    shared: dict[str, str] = {}
    for each in zip(answers, texts, folded, strict=True):
        kept, tally = _of(*each, policy, known, aliases or {})
        sizes.append(len(kept))
        tallies.extend(tally)
        # answers write a label anew for each item
        found.extend(shared.setdefault(item.label, item.label) for item in kept)
        mentions.extend(item.mention for item in kept)
    return GroundedStrings(
        Mentions.of(
            np.repeat(np.arange(len(sizes)), sizes),
            found,
            mentions,
            len(sizes),
        ),
        np.array(tallies, dtype=np.int64).reshape(-1, len(COUNTS)),
        policy,
        signed_grounding(policy, labels, aliases, format),
    )


def _of(
    answer: Answer,
    text: str,
    folded: str,
    policy: StringPolicy,
    labels: frozenset[str] | None,
    aliases: Mapping[str, str],
) -> tuple[list[Item], tuple[int, ...]]:
    """Return the items of an answer that count as predicted, and the counts."""
    named, left_out = named_items(answer, policy, labels, aliases)
    known: dict[str, int] = {}
    seen: Counter[str] = Counter()
    kept, surplus, absent = [], 0, 0
    for item in named:
        form = form_text(item.mention.strip(), policy.fold)
        if form not in known:
            known[form] = folded.count(form) if form else 0
        seen[form] += 1
        lost = policy.absent if not known[form] else policy.surplus if seen[form] > known[form] else ""
        absent += not known[form]
        surplus += 0 < known[form] < seen[form]
        if lost != "drop":
            kept.append(item)
    placed = len(named) - surplus - absent
    became = (placed, surplus, absent, 0, left_out + outside(named, labels))
    return kept, (len(named) + left_out, *became, int(answer.broken), int(answer.rewrites(text)), answer.unread)
