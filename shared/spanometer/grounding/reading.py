"""The options for parsing and grounding answers, and answers as strings without positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..exceptions import InputError
from ..options import option, options_of, reused_option, text
from ..spans.mentions import Mentions
from ..tags.schemes import label_map_in, labels_option
from .answers import FORMATS
from .grounded import AnswerCounts, AnswerInput
from .policies import GroundingPolicy, StringPolicy, form_text


@dataclass(frozen=True, kw_only=True)
class AnswerReading:
    """Options for grounding answers of language models, see `ground`.

    Attributes:
        grounding: how to find the entities of an answer in the text.
        asked_labels: labels that the prompt asked for. The grounding policy decides whether to keep entities with other
            labels.
        aliases: replace labels in answers by labels of the reference.
        offsets: how to use the offsets in answers (default: the grounding policy decides).
        answer_format: format of answers.
        item_mention_key: key under which each entity in a JSON answer stores its mention.
        item_label_key: key under which each entity in a JSON answer stores its label.

    Raises:
        InputError: if a value is invalid.
    """

    grounding: Any = option("strict", metavar="POLICY", topic="answers")
    asked_labels: Sequence[str] | None = labels_option(metavar="LABEL,...", topic="answers", label="Asked labels")
    aliases: Mapping[str, str] | None = option(
        None,
        type="dict of str",
        metavar="ALIAS=LABEL,...",
        topic="answers",
        label="Aliases",
        parse=partial(label_map_in, name="aliases"),
    )
    offsets: str | None = reused_option(
        GroundingPolicy, "offsets", default=None, optional=True, help="", topic="answers"
    )
    answer_format: str = option("auto", choices=FORMATS, topic="answers", label="Format of the answer")
    item_mention_key: str | None = text("KEY", topic="answers")
    item_label_key: str | None = text("KEY", topic="answers")

    def __post_init__(self) -> None:
        """Check the values."""
        for name in ("offsets", "answer_format", "item_mention_key", "item_label_key"):
            options_of(AnswerReading)[name].check(getattr(self, name))
        try:
            self.policy  # noqa: B018 (it is checked when it is made)
        except InputError as error:
            raise error.placed(option="grounding") from None
        for name, kinds, remedy in (
            ("asked_labels", (list, tuple, set, frozenset), "Use a list of at least one label, such as ['PER']."),
            ("aliases", Mapping, "Use a mapping of labels, such as {'PERSON': 'PER'}."),
        ):
            names = getattr(self, name)
            if names is not None and not (isinstance(names, kinds) and _are_labels(names)):
                raise options_of(AnswerReading)[name].refusal(names, remedy)

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
    def answer_reading(self) -> dict[str, Any]:
        """The options for parsing answers, as arguments of functions in `grounding`."""
        names = ("asked_labels", "aliases", "item_mention_key", "item_label_key")
        return {"format": self.answer_format, **{name: getattr(self, name) for name in names}}


def _are_labels(names: Any) -> bool:
    try:
        listed = [*names, *(names.values() if isinstance(names, Mapping) else ())]
    except Exception:
        # a caller's object may fail in any way
        return False
    return bool(listed) and all(isinstance(name, str) and name.strip() for name in listed)


@dataclass(frozen=True, eq=False, kw_only=True)
class GroundedStrings(AnswerCounts):
    """The mentions in answers, parsed under a policy.

    Attributes:
        mentions: the predicted mentions as written in the answers, with all copies.
        counts: as in `Grounded`; `placed` counts items in the text, each copy once.
        policy, choices: as in `Grounded`.
        predicted: the number of predicted mentions.
    """

    mentions: Mentions


def ground_strings(
    texts: Iterable[str],
    answers: Iterable[Any],
    *,
    policy: StringPolicy | str = "strict-strings",
    asked_labels: Iterable[str] | None = None,
    aliases: Mapping[str, str] | None = None,
    format: str = "auto",
    item_mention_key: str | None = None,
    item_label_key: str | None = None,
) -> GroundedStrings:
    """Extract the mentions in generated answers as strings; references are never used.

    Use this for references without offsets, and to follow projects that compare strings. Score the result with
    `mention_f` and the options `policy.compared`; `analysis.comparison.compare.compare_strings` compares systems.

    A mention is in the text if its normal form, without outer whitespace, is in the normal form of the text, even
    inside a word. Occurrences in the text are counted from left to right without overlaps; if more items have the same
    form (with any label) than there are occurrences, the others are surplus. An item whose normal form is empty, such
    as "the" with `squad`, is not in the text.

    Args:
        texts: the texts.
        answers: the model's answer for each text, see `read_answer`, or the result of `read_answer`.
        policy: a name, comma-separated actions, or a `StringPolicy`.
        asked_labels: the labels that the model was asked for. Items with other labels count as `outside`. None
            allows all labels.
        aliases: maps labels in answers to your labels.
        format: the format of the answers.
        item_mention_key, item_label_key: the keys of mentions and labels in the items of answers, see `read_answer`.

    Raises:
        InputError: if the numbers of texts and answers differ, if texts are not strings, or if the policy or format is
            unknown.
    """
    chosen = StringPolicy.of(policy)
    keys = {"item_mention_key": item_mention_key, "item_label_key": item_label_key}
    source = AnswerInput(texts, answers, asked_labels, aliases, format, item_keys=keys)
    return strings_of(source, chosen, (form_text(text, chosen.fold) for text in source.texts))


def strings_of(source: AnswerInput, policy: StringPolicy, folded: Iterable[str]) -> GroundedStrings:
    """Extract mentions from answers to texts whose normal forms are known, see `ground_strings`."""
    predictions, counts = source.predictions(policy, folded)
    columns = (predictions.wrong_document, predictions.wrong_label, predictions.wrong_mention)
    return GroundedStrings(mentions=Mentions.of(*columns, len(source.texts)), **vars(counts))
