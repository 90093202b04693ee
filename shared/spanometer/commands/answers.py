"""Files of language models' answers beside the texts that they are about; answers as strings, and their scores."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..analysis.comparison.systems import REFERENCES
from ..documents.document_file import DocumentFile
from ..documents.pairing import Pairing
from ..documents.sides import AnsweredTexts, answers_together
from ..exceptions import InputError, counted
from ..grounding.policies import NAMED_STRINGS, StringPolicy
from ..grounding.reading import AnswerReading
from ..grounding.strings import ground_strings
from ..measures.base import Measure
from ..measures.mention_f import MentionF
from ..measures.registry import ALL_MEASURES
from ..options import option, options_of, reused_option, text
from ..spans.mentions import Mentions
from .corpus import Corpus, Pair, ScoredFiles, by_role, default_names
from .documents import DocumentLayout
from .inputs import InputPath, Side, names_of, side_of
from .measures import named_measures

_MENTIONS = "the mentions of the reference"

COMPARED = tuple(StringPolicy().compared)
"""Options of `mention_f` that are part of a policy for strings."""


@dataclass(frozen=True, kw_only=True)
class AnswerFiles(DocumentLayout):
    """Spans of a reference, and answers of language models."""

    title: ClassVar[str] = "answers of language models"
    answer_labels: Sequence[str] | None = reused_option(AnswerReading, "answer_labels")
    aliases: Mapping[str, str] | None = reused_option(AnswerReading, "aliases")
    answer_format: str = reused_option(AnswerReading, "answer_format")
    shared_documents: bool = reused_option(Pairing, "shared_documents")

    @property
    def answer_reading(self) -> dict[str, Any]:
        """How answers are read, as functions of `grounding` take it."""
        return {"labels": self.answer_labels, "aliases": self.aliases, "format": self.answer_format}

    def together(self, files: Mapping[str, DocumentFile]) -> AnsweredTexts:
        """Return texts, spans and answers in one order; the reference is the first file."""
        own = ("answer_labels", "aliases", "answer_format", "shared_documents")
        return answers_together(files, Pairing(**{name: getattr(self, name) for name in own}))

    def read_all(self, paths: Sequence[str]) -> dict[str, DocumentFile]:
        """Read the reference and the systems."""
        self.require_taken(paths)
        return {
            REFERENCES: self.read(paths[0]),
            **dict(zip(names_of(paths[1:]), map(self.read, paths[1:]), strict=True)),
        }


@dataclass(frozen=True, kw_only=True)
class StringInput(AnswerFiles, ScoredFiles):
    """Answers that are scored as strings, against the words of the reference's spans, or against mentions."""

    title: ClassVar[str] = "answers as strings"
    input: ClassVar[str] = MentionF.input
    remedy: ClassVar[str] = (
        "A policy for strings finds no places: leave out --measure, or give a policy for spans, --grounding strict."
    )

    grounding: str = option(
        "strict-strings",
        help=f"policy for strings: one of {', '.join(NAMED_STRINGS)}; or an action for each place "
        f"({', '.join(StringPolicy.places)}) with commas between",
        kind=str,
        metavar="POLICY",
    )
    mentions_key: str | None = text(
        "KEY",
        "the key of the reference's mentions in JSON lines, objects with label and text and without offsets, which "
        "strings are scored against",
    )

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self.policy  # noqa: B018 (it is checked when it is made)

    @property
    def policy(self) -> StringPolicy:
        """The policy."""
        try:
            return StringPolicy.of(self.grounding)
        except InputError as error:
            raise error.placed(option="grounding") from None

    def corpus(
        self, paths: Sequence[str], names: str | None = None, *, annotators: int | None = None, words: Any = False
    ) -> Corpus:
        """Read the reference's mentions and each system's answers as strings."""
        if len(paths) == 1:
            raise InputError("there is no file with answers.", "Give PREDICTION, or name the key of the answers.")
        if self.mentions_key is not None:
            paths = [InputPath.of(paths[0], self.mentions_key), *paths[1:]]
        (_, reference), *systems = self.read_all(paths).items()
        given = {REFERENCES: replace(reference, answers=None), **dict(systems)}
        if self.mentions_key is not None:
            given[_MENTIONS] = reference
        elif reference.answers is not None:
            reference.require_spans()
        read = self.together(given)
        if self.mentions_key is None:
            gold, shown = Mentions.of_spans(read.references, read.texts), side_of(reference)
        else:
            gold = self._mentions(read.answers.pop(_MENTIONS), reference)
            shown = Side(
                f"{reference.source}, {counted(len(gold), 'mention')}",
                {"file": reference.source, "mentions": len(gold), "notes": list(reference.notes), "left_out": []},
            )
        found = (
            ground_strings(read.texts, answers, policy=self.policy, **self.answer_reading)
            for answers in read.answers.values()
        )
        grounded = [replace(each, choices={**read.decoding, **each.choices}) for each in found]
        sides = [side_of(file, grounded=each) for (_, file), each in zip(systems, grounded, strict=True)]
        files = by_role([file for _, file in (("", reference), *systems)], default_names(paths, 0), names, 0)
        return Corpus(
            files=files,
            given=dict(zip(files, (gold, *grounded), strict=True)),
            shown=[shown, *sides],
        )

    def _mentions(self, rows: Sequence[Any], reference: DocumentFile) -> Mentions:
        """Return mentions as they stand in a file; an `InputError` with the line for what is none."""
        try:
            return Mentions.from_pairs(rows)
        except InputError as error:
            # documents that only one side has may be gone, and others in their place
            raise (error if self.shared_documents else reference.locate(error)) from None

    def options_beside_policy(self, measure: MentionF) -> dict[str, Any]:
        """Return the options of the measure that are no part of a policy."""
        return {name: getattr(measure, name) for name in options_of(MentionF) if name not in COMPARED}

    def pair(self, corpus: Corpus, name: str, measures: Sequence[Any]) -> Pair:
        """Bring a system and the reference together."""
        answers = corpus.systems[name]
        compared = [replace(measure, **self.policy.compared) for measure in measures]
        pair = super().pair(corpus, name, compared)
        return replace(pair, predictions=answers.mentions, reading=answers.choices)


def are_strings(options: argparse.Namespace) -> bool:
    """Return whether the command line asks for answers as strings, by a policy for these or by their measure."""
    return StringPolicy.describes(options.grounding or "") or MentionF.name in named_measures(options, ())


def known_measures() -> dict[str, type[Measure]]:
    """Return all measures by name, that of strings too, which is not in the registry."""
    return {**ALL_MEASURES, MentionF.name: MentionF}
