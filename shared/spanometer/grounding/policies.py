"""Grounding policies (an action for each situation in which spans are ambiguous), and normal forms of texts."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, ClassVar, Self
from unicodedata import category, combining, normalize

import numpy as np

from ..exceptions import InputError, shown
from ..options import CheckedOptions, option, options_of
from ..spans.texts import of_characters

FORMS = {
    "exact": "unchanged",
    "case": "lower case",
    "loose": "lower case and Unicode form NFKC, unified quotes and hyphens, no white space or invisible characters",
}
"""The normal forms with positions in the text."""

STRING_FORMS = {
    **FORMS,
    "squad": "lower case, no ASCII punctuation, no articles (a, an, the), single spaces between words",
}
"""The normal forms of mentions that are compared as strings."""

_QUOTES = frozenset("\"'`´‘’‚‛“”„‟‹›«»′″‵‶＂＇「」『』〝〞〟")
_HYPHENS = frozenset("−⁃﹣－")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MOST_MARKS = 30
_SHORT = 200
_JAMO = re.compile("[\u1160-\u11ff\ud7b0-\ud7ff]")


def squad(mention: str) -> str:
    """Normalise a mention like SQuAD: lower case, without ASCII punctuation and articles, with single spaces."""
    return " ".join(_ARTICLES.sub(" ", mention.lower().translate(_PUNCTUATION)).split())


@dataclass(frozen=True, eq=False)
class NormalForm:
    """The normal form of a text.

    Attributes:
        text: the normal form.
        start, end: the boundaries in the text from which each character comes, int64; None if positions are unchanged.
    """

    text: str
    start: np.ndarray | None = None
    end: np.ndarray | None = None

    def bounds(self, first: int, last: int) -> tuple[int, int]:
        """Return the boundaries in the text of characters `first` to `last` (exclusive) of the normal form."""
        if self.start is None or self.end is None:
            return first, last
        return int(self.start[first]), int(self.end[last - 1])


def form_of(text: str, fold: str) -> NormalForm:
    """Compute the normal form of a text. `squad` has no positions, so it can be used only for mentions."""
    if fold == "exact":
        return NormalForm(text)
    if fold == "squad":
        return NormalForm(squad(text))
    if fold == "case" and text.isascii():
        return NormalForm(text.lower())
    borders = np.arange(len(text) + 1) if fold == "case" else _clusters(of_characters([text], _joins).astype(bool))
    whole = len(borders) == len(text) + 1
    parts = text if whole else [text[start:end] for start, end in pairwise(borders.tolist())]
    forms = list(map(str.lower if fold == "case" else _loose, parts))
    sizes = np.fromiter(map(len, forms), np.int64, len(forms))
    return NormalForm("".join(forms), np.repeat(borders[:-1], sizes), np.repeat(borders[1:], sizes))


def form_text(text: str, fold: str) -> str:
    """Compute the normal form of a text as a string, with a cache for short texts."""
    return _short_form(text, fold) if len(text) <= _SHORT else form_of(text, fold).text


@lru_cache(1 << 14)
def _short_form(text: str, fold: str) -> str:
    return form_of(text, fold).text


def _clusters(joins: np.ndarray) -> np.ndarray:
    """Return the borders of characters with their combining marks; very long runs of marks are cut."""
    place = np.arange(len(joins))
    begins = ~joins
    begins[:1] = True
    since = place - np.maximum.accumulate(np.where(begins, place, 0))
    begins |= since % _MOST_MARKS == 0
    return np.append(np.flatnonzero(begins), len(joins))


@lru_cache(1 << 16)
def _loose(cluster: str) -> str:
    """Compute the loose form of a character with its marks."""
    if cluster in _QUOTES:
        return "'"
    kept = []
    for character in normalize("NFKC", cluster):
        if character in _QUOTES:
            kept.append("'")
        elif character in _HYPHENS or category(character) == "Pd":
            kept.append("-")
        elif not character.isspace() and category(character) != "Cf":
            kept.append(character.lower())
    return "".join(kept)


def _joins(character: str) -> bool:
    """Check whether a character can combine with the previous one."""
    return combining(character) != 0 or bool(_JAMO.match(character)) or character in "\uff9e\uff9f"


COUNTS = {
    "items": "all items",
    "placed": "items that became spans",
    "surplus": "items without a free occurrence: all occurrences of the mention belong to other items",
    "absent": "items whose mention is not in the text",
    "overlapping": "items that were removed because they overlap another item",
    "outside": "items with a label that the model was not asked for",
    "broken": "missing answers, and answers that cannot be parsed",
    "rewritten": "answers that repeat the text and mark the mentions, but change words of the text",
    "repaired": "answers whose JSON has comments, curly quotes, or unescaped quotes",
    "unread": "items with unreadable offsets",
    "other_fields": "keys, values and lines of an answer that belong to no item",
    "turned": "items with the mention before the label, in formats that allow both orders",
}
"""The counts of answers."""

OUTCOMES = ("placed", "surplus", "absent", "overlapping", "outside", "broken")
"""The possible outcomes of an item, see `COUNTS`.

An item is broken if the policy drops its answer because it is broken.
"""


class AnswerPolicy(CheckedOptions):
    """Actions for ambiguous answers; `GroundingPolicy` is for spans, `StringPolicy` for strings.

    Attributes:
        places: the situations with a choice of actions, in the order of a policy's actions.
        further: further situations, which are written only if their action is not the default.
        kind: what items become: spans or strings.
        other_kind: the predicate of a sentence about policies of the other kind.
    """

    places: ClassVar[tuple[str, ...]]
    further: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str]
    other_kind: ClassVar[str]

    broken: str = option(
        "empty",
        help=f"how to read {COUNTS['broken']}",
        choices={"empty": "they have no items", "salvage": "keep the items before the break"},
    )
    outside: str = option(
        "keep", help=f"how to treat {COUNTS['outside']}", choices={"keep": "like other items", "drop": "left out"}
    )

    def __str__(self) -> str:
        """Return the name of the policy, with `~` if it only approximates its project.

        If it has no name, return the actions.
        """
        names = (name if point.exact else f"~{name}" for name, point in self.named().items() if point.policy == self)
        return next(names, ",".join(self.actions))

    def predicts(self, outcome: str) -> bool:
        """Check whether an item with this outcome, which has no place, counts as predicted."""
        return outcome in ("surplus", "absent") and getattr(self, outcome) != "drop"

    @classmethod
    def named(cls) -> dict[str, NamedPolicy]:
        """The named policies of this kind, which are rules of published projects."""
        return {name: point for name, point in (NAMED | NAMED_STRINGS).items() if isinstance(point.policy, cls)}

    @property
    def actions(self) -> tuple[str, ...]:
        """The action at each place; further places are included only if their action is not the default."""
        further = (place for place in self.further if getattr(self, place) != getattr(type(self), place))
        return tuple(getattr(self, place) for place in (*self.places, *further))

    @classmethod
    def of(cls, policy: Self | str) -> Self:
        """Return a policy from its name, or from comma-separated actions in the order of `places`.

        Raises:
            InputError: if the name or an action is unknown.
        """
        if isinstance(policy, cls):
            return policy
        named = cls.named()
        text = str(policy).removeprefix("~") if isinstance(policy, (str, AnswerPolicy)) else ""
        if text in named:
            found: Self = named[text].policy
            return found
        if cls.describes(text):
            try:
                return cls.with_actions(action.strip() for action in text.split(","))
            except InputError as error:
                # a place is no option of its own
                spelled = error.respelled(lambda name, _: f"the case {name!r}")
                problem = spelled.problem.replace("value for", "action in the grounding policy for")
                raise spelled.placed(problem=problem) from None
        problem, remedy = f"{shown(text)} is not a policy for {cls.kind}.", f"{shown(text)} {cls.other_kind}"
        if not isinstance(policy, AnswerPolicy) and text not in AnswerPolicy.named():
            problem = f"unknown grounding policy {shown(text or policy)}."
            cases = f"these {len(cls.places)} cases, in this order: {', '.join(map(repr, cls.places))}"
            remedy = f"Or write one action for each of {cases}. For example: {','.join(cls().actions)!r}."
        raise InputError(problem, f"Use one of {', '.join(named)}. {remedy}", option="policy")

    @classmethod
    def with_actions(cls, actions: Iterable[str]) -> Self:
        """Create a policy from actions in the order of `places`; actions at further places may be omitted."""
        return cls(**dict(zip((*cls.places, *cls.further), actions, strict=False)))

    @classmethod
    def describes(cls, policy: str) -> bool:
        """Check whether a text is the name of a policy, or a list of actions of the right length."""
        further = policy.count(",") + 1 - len(cls.places)
        return policy.removeprefix("~") in cls.named() or 0 <= further <= len(cls.further)

    @classmethod
    def choices(cls) -> list[Iterable[str]]:
        """Return the possible actions at each place."""
        return [options_of(cls)[place].choices for place in cls.places]

    @classmethod
    def grid(cls) -> Iterator[Self]:
        """Return an iterator over all policies with the default actions at further places."""
        return map(cls.with_actions, product(*cls.choices()))


_SPAN = "count as wrong predicted spans"


def _unplaced(subject: str, wrong: str, **others: str) -> Any:
    """Declare the actions for an unplaced item: leave it out, count it as wrong, or others."""
    return option("wrong", help=f"how to treat {subject}", choices={"drop": "left out", "wrong": wrong, **others})


class GroundingPolicy(AnswerPolicy):
    """Actions for ambiguous spans in answers. There are 9,216 policies for answers without offsets.

    Attributes:
        fold: how text and mention are normalised.
        inside: how to treat a mention that begins or ends inside a token of the text.
        repeat: which of several occurrences an item gets.
        overlap: how to treat placed spans that overlap.
        offsets: how to use offsets in an answer.
    """

    places: ClassVar[tuple[str, ...]] = (
        "broken", "outside", "fold", "inside", "repeat", "surplus", "absent", "overlap",
    )  # fmt: skip
    further: ClassVar[tuple[str, ...]] = ("offsets",)
    kind: ClassVar[str] = "spans"
    other_kind: ClassVar[str] = "works only with the measure mention_f."

    fold: str = option("exact", choices=FORMS)
    inside: str = option(
        "whole",
        choices={
            "allow": "accept this occurrence",
            "whole": "ignore this occurrence",
            "expand": "extend it to the whole token",
            "contract": "shrink it to its whole tokens, if any",
        },
    )
    repeat: str = option(
        "prefer free",
        choices={
            "first": "the first",
            "all": "all of them",
            "next": "the first that no item has",
            "next by label": "the first that no item of this label has",
            "next free": "the first that overlaps no item",
            "prefer free": "the first that overlaps no item, or else as next by label",
            "order": "the first after the last placed item",
            "chain": "all items at once, in their order and without overlap, with the most tokens; ties: the one that "
            "ends first",
        },
    )
    surplus: str = _unplaced(COUNTS["surplus"], _SPAN)
    absent: str = _unplaced(
        COUNTS["absent"],
        _SPAN,
        fuzzy="placed where at least three quarters of their tokens occur in order, otherwise wrong",
    )
    overlap: str = option(
        "keep",
        choices={
            "keep": "all stay",
            "longest": "the longer span wins; ties: the first in the text",
            "earlier": "the first item in the answer wins",
            "later": "the last item in the answer wins",
        },
    )
    offsets: str = option(
        "ignore",
        choices={
            "ignore": "do not use the offsets",
            "check": "use offsets if the text at the offsets equals the mention",
            "trust": "use all offsets inside the text, even if the text there differs from the mention",
            "nearest": "take the occurrence of the mention that is nearest to the offsets",
        },
    )


PLACES = GroundingPolicy.places
"""The situations for answers without offsets, in the order of a policy's actions."""


class StringPolicy(AnswerPolicy):
    """Actions for answers that are scored as strings. There are 128 policies.

    `fold` and `copies` are also options of the measure `mention_f`, see `compared`.

    Attributes:
        fold: how texts and mentions are normalised.
        copies: how to count repeated mentions.
    """

    places: ClassVar[tuple[str, ...]] = ("broken", "outside", "fold", "copies", "surplus", "absent")
    kind: ClassVar[str] = "strings"
    other_kind: ClassVar[str] = "works with measures that score spans, and with grounding.ground."

    fold: str = option("exact", choices=STRING_FORMS)
    copies: str = option("multiset", choices={"set": "once", "multiset": "each copy counts"})
    surplus: str = _unplaced(
        "how to treat more copies of a mention, over all labels, than in the text", "like other predicted mentions"
    )
    absent: str = _unplaced(COUNTS["absent"], "like other predicted mentions")

    @property
    def compared(self) -> dict[str, str]:
        """The options of `mention_f` that compare mentions as this policy does."""
        return {"fold": self.fold, "copies": self.copies}


@dataclass(frozen=True)
class NamedPolicy:
    """A policy with a name.

    Attributes:
        policy: the actions.
        source: the project and the file with the rule.
        exact: True if it equals the rule; otherwise it is the most similar policy.
    """

    policy: Any
    source: str
    exact: bool


def _named(kind: type[AnswerPolicy], *rows: tuple[str, str, str]) -> dict[str, NamedPolicy]:
    """Create policies from rows of name, actions and source; `~` before the name: it only approximates the rule."""
    return {
        name.removeprefix("~"): NamedPolicy(kind.with_actions(actions.split(",")), source, not name.startswith("~"))
        for name, actions, source in rows
    }


NAMED = _named(
    GroundingPolicy,
    ("strict", "empty,keep,exact,whole,prefer free,wrong,wrong,keep", "Spanometer's default"),
    ("uie", "salvage,drop,exact,whole,next by label,drop,drop,keep", "UIE and CodeIE, src/converters/record.py"),
    ("~gpt-ner", "salvage,drop,exact,whole,order,drop,drop,keep", "GPT-NER, openai_access/compute_f1.py"),
    ("~promptner", "salvage,drop,case,whole,next,drop,drop,earlier", "PromptNER, algorithms.py"),
    (
        "~euroeval",
        "salvage,drop,exact,expand,all,drop,drop,later",
        "EuroEval, src/euroeval/task_group_utils/token_classification.py",
    ),
    (
        "spacy-llm-v2",
        "salvage,drop,case,contract,all,drop,drop,longest",
        "spacy-llm's tasks v1 and v2, tasks/span/parser.py",
    ),
    # if the first match is inside a word, these two projects find nothing, but the policies continue the search
    (
        "~spacy-llm-first",
        "salvage,drop,case,contract,first,drop,drop,longest",
        "spacy-llm's tasks v1 and v2 with single_match",
    ),
    ("~spacy-llm-v3", "salvage,drop,case,contract,order,drop,drop,longest", "spacy-llm's tasks v3"),
    ("~langextract", "empty,keep,case,whole,chain,drop,fuzzy,keep", "LangExtract, langextract/resolver.py"),
    ("lettucedetect", "empty,keep,exact,allow,next free,drop,drop,keep", "LettuceDetect, detectors/llm.py"),
    ("~llmner", "empty,drop,exact,allow,first,drop,drop,keep", "llmner, llmner/utils.py"),
    ("~pelagios", "salvage,drop,exact,allow,all,drop,drop,longest", "Pelagios' cookbook, notebooks/tasks/utils.py"),
)
"""The named policies for spans, which follow the rules of published projects."""

NAMED_STRINGS = _named(
    StringPolicy,
    ("strict-strings", "empty,keep,exact,multiset,wrong,wrong", "Spanometer's default for strings"),
    ("universalner", "empty,keep,squad,set,wrong,wrong", "UniversalNER, src/eval/evaluate.py"),
    ("gollie", "empty,drop,case,multiset,drop,drop", "GoLLIE, src/tasks/utils_typing.py"),
    ("~instructuie", "salvage,keep,loose,set,wrong,wrong", "InstructUIE, src/evaluation/evaluator.py"),
    ("uie-strings", "salvage,drop,exact,multiset,wrong,drop", "UIE and CodeIE, src/eval/scorer.py"),
    ("~knowcoder", "salvage,keep,exact,multiset,wrong,drop", "KnowCoder, eval/src/metric.py, convert_ner.py"),
    ("lm-eval", "salvage,keep,squad,multiset,wrong,wrong", "lm-evaluation-harness, afrobench/masakhaner/*/utils.py"),
)
"""The named policies for strings; their names differ from the names in `NAMED`."""
