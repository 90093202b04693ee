"""The options for parsing and grounding answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..exceptions import InputError
from ..options import option, options_of, replaced_option, text
from ..spans.texts import Tokens
from ..tags.schemes import label_map_in, labels_option
from .answers import FORMATS
from .grounded import AnswerInput, Grounded, ground
from .policies import NAMED, PLACES, GroundingPolicy


@dataclass(frozen=True, kw_only=True)
class AnswerReading:
    """Options for grounding answers of language models, see `ground`.

    Raises:
        InputError: if a value is invalid.
    """

    grounding: Any = option(
        "strict",
        help=f"policy for finding the items of a language model's answers in the text: {', '.join(NAMED)}; or actions "
        f"for {', '.join(PLACES)}, separated by commas",
        metavar="POLICY",
        topic="answers",
    )
    asked_labels: Sequence[str] | None = labels_option(
        "labels in the model's prompt; other labels are outside", metavar="LABEL,...", topic="answers"
    )
    aliases: Mapping[str, str] | None = option(
        None,
        help="labels that models use, and their names in the reference",
        type="dict of str",
        optional=True,
        metavar="ALIAS=LABEL,...",
        topic="answers",
        parse=partial(label_map_in, name="aliases"),
    )
    offsets: str | None = replaced_option(
        GroundingPolicy, "offsets", default=None, optional=True, help="how to use offsets in answers", topic="answers"
    )
    answer_format: str = option("auto", help="format of answers", choices=FORMATS, topic="answers")
    item_mention_key: str | None = text("KEY", "key of the mention in JSON items", topic="answers")
    item_label_key: str | None = text("KEY", "key of the label in JSON items", topic="answers")

    def __post_init__(self) -> None:
        """Check the values."""
        for name in ("offsets", "answer_format", "item_mention_key", "item_label_key"):
            options_of(AnswerReading)[name].check(getattr(self, name))
        try:
            self.policy  # noqa: B018 (it is checked when it is made)
        except InputError as error:
            raise error.placed(option="grounding") from None
        for name, kinds in (("asked_labels", (list, tuple, set, frozenset)), ("aliases", Mapping)):
            names = getattr(self, name)
            if names is not None and not (isinstance(names, kinds) and _are_labels(names)):
                raise options_of(AnswerReading)[name].refusal(names, "Use names of labels.")

    @property
    def policy(self) -> GroundingPolicy:
        """The policy, including the handling of offsets."""
        policy = GroundingPolicy.of(self.grounding)
        return policy if self.offsets is None else replace(policy, offsets=self.offsets)

    @property
    def answering(self) -> AnswerReading:
        """A copy with only these options."""
        return AnswerReading(**{name: getattr(self, name) for name in options_of(AnswerReading)})

    @property
    def item_keys(self) -> dict[str, str | None]:
        """The keys of mentions and labels, as arguments of functions in `grounding`."""
        return {"item_mention_key": self.item_mention_key, "item_label_key": self.item_label_key}

    @property
    def answer_reading(self) -> dict[str, Any]:
        """The options for parsing answers, as arguments of functions in `grounding`."""
        names = {"asked_labels": self.asked_labels, "aliases": self.aliases, "format": self.answer_format}
        return {**names, **self.item_keys}

    def ground(self, texts: Iterable[str], answers: Iterable[Any], tokens: Tokens | None = None) -> Grounded:
        """Find the spans of answers in their texts, see `ground`."""
        return ground(texts, answers, policy=self.policy, tokens=tokens, **self.answer_reading)

    def signed_answers(self) -> dict[str, str]:
        """Describe for the signature how answers were grounded."""
        reading = self.asked_labels, self.aliases, self.answer_format, None, self.item_keys
        return AnswerInput((), (), *reading).signed(self.policy)


def _are_labels(names: Any) -> bool:
    try:
        listed = [*names, *(names.values() if isinstance(names, Mapping) else ())]
    except Exception:
        # a caller's object may fail in any way
        return False
    return bool(listed) and all(isinstance(name, str) and name.strip() for name in listed)
