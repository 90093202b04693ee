"""The space of grounding policies: an action for each place where an answer leaves open which spans it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import product

from ..errors import InputError, shown
from ..options import check_options, option, options_of

_NORMAL_FORMS = {
    "exact": "as they are",
    "case": "each character in lower case",
    "loose": "as NFKC in lower case, with one quote and one hyphen, without white space and what is invisible",
}


@dataclass(frozen=True, kw_only=True)
class GroundingPolicy:
    """What to do where an answer leaves open which spans it means: 9,216 policies, for answers without offsets."""

    broken: str = option(
        "empty",
        help="how to read an answer that does not parse",
        choices={"empty": "it has no items", "salvage": "it has what is complete before the break"},
    )
    outside: str = option(
        "keep",
        help="how to treat items whose label is not one of the labels",
        choices={"keep": "as others", "drop": "left out"},
    )
    fold: str = option("exact", help="how text and mention are compared", choices=_NORMAL_FORMS)
    inside: str = option(
        "whole",
        help="how to treat a mention that begins or ends within a token of the text",
        choices={
            "allow": "it is there",
            "whole": "it is not there",
            "expand": "it is there, and has all of the token",
            "contract": "it is there without that token, if there are others",
        },
    )
    repeat: str = option(
        "prefer free",
        help="which of several occurrences an item is",
        choices={
            "first": "the first",
            "all": "all of them",
            "next": "the first whose bounds no item has",
            "next by label": "the first whose bounds no item of this label has",
            "next free": "the first that overlaps no item",
            "prefer free": "that, else as next by label",
            "order": "the first after the last item that was placed",
            "chain": "all items at once, in their order and without overlap, so that they have most tokens; of such "
            "the ones that end first",
        },
    )
    surplus: str = option(
        "wrong",
        help="how to treat an item that is in the text, but whose occurrences others have",
        choices={"drop": "left out", "wrong": "a predicted span that touches nothing"},
    )
    absent: str = option(
        "wrong",
        help="how to treat an item that is not in the text",
        choices={
            "drop": "left out",
            "wrong": "a predicted span that touches nothing",
            "fuzzy": "placed where three quarters of its tokens are in order, else wrong",
        },
    )
    overlap: str = option(
        "keep",
        help="how to treat placed spans that overlap",
        choices={
            "keep": "all stay",
            "longest": "longer ones win, of equals the first in the text",
            "earlier": "the item that comes first in the answer wins",
            "later": "the item that comes last in the answer wins",
        },
    )
    offsets: str = option(
        "ignore",
        help="how to treat offsets that an answer gives",
        choices={
            "ignore": "as if there were none",
            "check": "used where the text there is the mention",
            "trust": "used where they are within the text",
        },
    )

    def __post_init__(self) -> None:
        """Check the actions."""
        check_options(self)

    def __str__(self) -> str:
        """Return the name of a named policy, else the actions with commas between."""
        return next((name for name, point in NAMED.items() if point.policy == self), ",".join(self.actions))

    @property
    def actions(self) -> tuple[str, ...]:
        """The action at each place; offsets are named unless they are ignored."""
        actions = tuple(getattr(self, place) for place in PLACES)
        return actions if self.offsets == "ignore" else (*actions, self.offsets)

    @classmethod
    def of(cls, policy: GroundingPolicy | str) -> GroundingPolicy:
        """Return a policy by its name, or from its actions with commas between, in the order of `PLACES`.

        Raises:
            InputError: for a name or an action that is unknown.
        """
        if isinstance(policy, GroundingPolicy):
            return policy
        if isinstance(policy, str):
            if policy in NAMED:
                return NAMED[policy].policy
            actions = [action.strip() for action in policy.split(",")]
            if len(PLACES) <= len(actions) <= len(PLACES) + 1:
                return cls(**dict(zip((*PLACES, "offsets"), actions, strict=False)))
        raise InputError(
            f"unknown grounding policy {shown(policy)}.",
            f"Use {', '.join(NAMED)}, or an action for each place ({', '.join(PLACES)}) with commas between, as in "
            f"{','.join(NAMED['strict'].policy.actions)!r}.",
            option="policy",
        )

    @classmethod
    def grid(cls) -> Iterator[GroundingPolicy]:
        """Yield all policies for answers without offsets."""
        for actions in product(*(options_of(cls)[place].choices for place in PLACES)):
            yield cls(**dict(zip(PLACES, actions, strict=True)))


PLACES = tuple(field.name for field in fields(GroundingPolicy))[:8]
"""The places for answers without offsets, in the order in which a policy gives its actions."""


@dataclass(frozen=True)
class NamedPolicy:
    """A policy with a name.

    Attributes:
        policy: its actions.
        source: the project and the file whose rule it is.
        exact: whether it is the whole rule; otherwise it is the point that is nearest to it.
    """

    policy: GroundingPolicy
    source: str
    exact: bool = True


def _point(actions: str, source: str, *, exact: bool = True) -> NamedPolicy:
    names = (*PLACES, "offsets")
    return NamedPolicy(GroundingPolicy(**dict(zip(names, actions.split(","), strict=False))), source, exact)


NAMED: dict[str, NamedPolicy] = {
    "strict": _point("empty,keep,exact,whole,prefer free,wrong,wrong,keep", "Spanometer's default"),
    "uie": _point("salvage,drop,exact,whole,next by label,drop,drop,keep", "UIE and CodeIE, src/converters/record.py"),
    "gpt-ner": _point(
        "salvage,keep,exact,whole,order,drop,drop,keep", "GPT-NER, openai_access/compute_f1.py", exact=False
    ),
    "promptner": _point("salvage,keep,case,whole,next,drop,drop,earlier", "PromptNER, algorithms.py", exact=False),
    "euroeval": _point(
        "salvage,drop,exact,expand,all,drop,drop,later",
        "EuroEval, src/euroeval/task_group_utils/token_classification.py",
        exact=False,
    ),
    "spacy-llm-v2": _point(
        "salvage,drop,case,contract,all,drop,drop,longest", "spacy-llm's tasks v1 and v2, tasks/span/parser.py"
    ),
    "spacy-llm-first": _point(
        "salvage,drop,case,contract,first,drop,drop,longest", "spacy-llm's tasks v1 and v2 with single_match"
    ),
    "spacy-llm-v3": _point("salvage,drop,case,contract,order,drop,drop,longest", "spacy-llm's tasks v3"),
    "langextract": _point(
        "empty,keep,case,whole,chain,drop,fuzzy,keep", "LangExtract, langextract/resolver.py", exact=False
    ),
    "lettucedetect": _point("empty,keep,exact,allow,next free,drop,drop,keep", "LettuceDetect, detectors/llm.py"),
    "llmner": _point("empty,drop,exact,allow,first,drop,drop,keep", "llmner, llmner/utils.py", exact=False),
    "pelagios": _point(
        "salvage,drop,exact,allow,all,drop,drop,longest", "Pelagios' cookbook, notebooks/tasks/utils.py", exact=False
    ),
}
"""The named policies for spans: points at which published projects are."""
