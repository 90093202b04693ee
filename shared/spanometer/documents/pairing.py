"""Pairing of the documents of two sides, with conversion of their spans to the same unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import ne
from typing import Any

import numpy as np

from ..arrays import offsets_of
from ..exceptions import InputError, counted, mention, on_side, plain_ends, require_same_text, setting
from ..grounding.grounded import Grounded, ground
from ..grounding.reading import AnswerReading
from ..options import changed, check_options, option
from ..spans.spans import Spans
from ..spans.texts import Tokens, aligned_places, joined, line_end_places, moved_to, words_in_text
from ..spans.tokenisation import POLICIES, split_at, without_gaps, without_overlaps
from .document_file import decoding_of
from .joining import SCORED_DOCUMENTS, matched, require_same_words
from .stated import compared
from .units import Carrying, require_tokenizer, signed, tokenizer_option, tokens_of

_TO_CHARACTERS = {"remedy": f"Give a text or words, or score tokens with {setting('unit', 'token')}.", "option": "unit"}
"""The remedy if tokens have no character offsets."""


@dataclass(frozen=True, kw_only=True)
class Pairing(AnswerReading):
    """The options for pairing two sides, and for grounding answers of language models.

    Attributes:
        unit: unit of the positions of spans (default: the reference's unit, or token if a tokenizer is set).
        to_tokens: how to align character spans with tokens.
        trim: what to remove from both ends of character spans.
        join_fragments: join the fragments of a character span if only white space separates them.
        merge_overlaps: merge overlapping spans of the same label.
        texts: whether the texts of reference and predictions may differ.
        scored_documents: which documents to score.
        ignore_words: do not check that reference and predictions have the same words.

    Raises:
        InputError: if a value is not allowed.
    """

    unit: str | None = option(
        None, choices={"token": "tokens of the reference", "character": "characters of the text, as code points"}
    )
    to_tokens: str = option("strict", choices=POLICIES)
    trim: str = option(
        "nothing", choices={"nothing": "", "blanks": "white space", "punctuation": "white space and punctuation marks"}
    )
    join_fragments: bool = option(False, kind=bool)
    merge_overlaps: str = option(
        "nothing",
        choices={"nothing": "", "references": "only the reference's spans", "all": "the spans of both sides"},
    )
    split_spans: str | None = tokenizer_option("split each span of characters into one-token spans, by this tokenizer")
    texts: str = option(
        "same",
        choices={
            "same": "the texts must be equal",
            "line_ends": "line endings and byte order marks may differ",
            "aligned": "the texts may differ, as in OCR output; Spanometer aligns them",
        },
    )
    tokenizer: str | None = tokenizer_option(
        "make tokens from the text with this tokenizer, even if the file has tokens"
    )

    scored_documents: str = option("same", choices=SCORED_DOCUMENTS)
    ignore_words: bool = option(False, kind=bool)

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        check_options(self)
        require_tokenizer(self.tokenizer)
        require_tokenizer(self.split_spans)
        if self.tokenizer is not None and self.unit == "character":
            raise InputError(
                f"{mention('tokenizer')} has no effect with {setting('unit', 'character')}.",
                f"Remove {mention('tokenizer')}, or set {setting('unit', 'token')}.",
                option="tokenizer",
            )

    @property
    def of_spans(self) -> Pairing:
        """A copy of these options, without options for answers, for sides that have spans."""
        return replace(self, **vars(AnswerReading()))


@dataclass(eq=False)
class PairedSide(Carrying):
    """The documents of a side during and after pairing.

    Attributes:
        name: what errors call the side.
        lost: a description of each span without a position in the unit.
        grounded: the grounded answers, if the side has answers.
    """

    name: str = ""
    lost: list[str] = field(default_factory=list)
    grounded: Grounded | None = None

    @property
    def unplaced(self) -> Spans | None:
        """The answer items that are not in the text; None if the side has no answers."""
        if self.grounded is None:
            return None
        return self.grounded.unplaced_tokens if self.file.in_tokens else self.grounded.unplaced

    def place(self, document: int) -> str:
        """Describe where a document is."""
        return f"{self.file.source}, {self.file.documents.name(document)}"

    def ground(self, pairing: Pairing, tokens: Tokens | None = None) -> None:
        """Ground the answers of this side, if it has answers."""
        if self.file.answers is None or self.grounded is not None:
            return
        if self.texts is None:
            key = f"If this file has texts, set {setting('text_key')} to the key of the texts."
            problem, remedy = "the answers need texts, but no file has texts.", "Give a reference with texts or words."
            raise InputError(problem, f"{remedy} {key}", source=self.file.source)
        options = {"policy": pairing.policy, "tokens": tokens, **pairing.answer_reading}
        self.grounded = on_side(self.name, ground, self.texts, self.file.answers, **options)
        self.notes += self.grounded.warnings
        self.put(spans=self.grounded.spans)

    def take_text(self, texts: tuple[str, ...]) -> list[str]:
        """Use the texts of the other side: find the words in them, or compare the span texts; returns remarks."""
        if self.file.words is not None:
            rows = enumerate(zip(self.file.words, texts, strict=True))
            tokens = Tokens.from_lists([words_in_text(words, text, document) for document, (words, text) in rows])
            self.put(texts=texts, tokens=tokens)
        elif not self.file.in_tokens:
            remarks = [] if self.file.stated is None else compared(self.file.stated.beside(texts), self.place)
            spans = self.file.spans.with_lengths(np.fromiter(map(len, texts), np.int64, len(texts)))
            self.put(texts=texts, spans=spans)
            return remarks
        return []

    def compare_stated(self, other: PairedSide) -> list[str]:
        """Compare the texts that both files give for the same span boundaries, see `compared`."""
        here, there = self.file.stated, other.file.stated
        if here is None or there is None or self.file.in_tokens != other.file.in_tokens:
            return []
        return compared(here.beside_stated(there), self.place, f"differ from the span texts in {other.file.source!r}")

    def move(self, places: Sequence[np.ndarray], texts: Sequence[str]) -> list[int]:
        """Move spans and tokens to other texts; returns the documents of spans that these texts lack.

        `places` maps the characters of each document, see `aligned_places`.
        """
        tokens = self.tokens
        if tokens is not None:
            base = offsets_of(list(map(len, places)))[tokens.document]
            flat = np.concatenate([np.zeros(0, np.int64), *places])
            self.put(tokens=replace(tokens, start=flat[base + tokens.start], end=flat[base + tokens.end]))
        self.put(texts=tuple(texts))
        if self.file.in_tokens:
            return []
        spans, lengths = self.file.spans, np.fromiter(map(len, texts), np.int64, len(texts))
        moved, lost = moved_to(spans, places, lengths)
        self.put(spans=moved, missing=self.file.missing and moved_to(self.file.missing, places, lengths)[0])
        return list(spans.document[lost].tolist())

    def change_spans(self, pairing: Pairing, *, merge: bool) -> None:
        """Join fragments, trim, merge overlapping spans of the same label, and split spans, see `Pairing`."""
        fragments = self.file.spans.fragments
        if pairing.join_fragments and not self.file.in_tokens and self.texts is not None and fragments is not None:
            spans, number = without_gaps(self.file.spans, self.texts)
            if number:
                joint = counted(number, "span")
                self.notes.append(f"Fragments with only white space between them were joined in {joint}.")
            self.put(spans=spans)
        self.trim(pairing.trim)
        if merge:
            spans = without_overlaps(self.file.spans)
            if number := len(self.file.spans) - len(spans):
                self.notes.append(f"{counted(number, 'span')} merged with an overlapping one.")
            self.put(spans=spans)
        if pairing.split_spans is not None:
            if self.file.in_tokens or self.texts is None:
                problem = "only spans of characters can be split into tokens."
                raise InputError(problem, f"Leave out {mention('split_spans')}.", source=self.file.source)
            self.put(spans=split_at(self.file.spans, tokens_of(self.texts, pairing.split_spans)))


def unit_of(signatures: Iterable[str]) -> str:
    """Return the unit in which the corpus is counted, `token` or `character`, from the signatures of scores."""
    return "character" if any("|unit:character|" in signature for signature in signatures) else "token"


def by_side(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """List the texts of all sides, each with the name of its side in front."""
    return [f"{side}: {text}" for side, listed in texts.items() for text in listed]


def pair(references: PairedSide, predictions: PairedSide, pairing: Pairing) -> Pair:
    """Pair the documents of two sides, check that their texts are the same, and convert the spans to the same unit.

    Documents are paired by name if both sides have the same names; otherwise by text if no text is repeated; otherwise
    in order. By default, the unit is the token if the reference's spans are in tokens or a `tokenizer` is set,
    otherwise the character.

    Raises:
        InputError: if a document is missing on one side, if texts differ, or if spans cannot be converted. The error
            names file and place.
    """
    sides = references, predictions
    references.file, predictions.file = matched(references.file, predictions.file)
    files = {side.name: side.file for side in sides}
    result = Pair(references, predictions, pairing)
    try:
        result.convert()
    except InputError as error:
        file = files.get(error.side or references.name)
        raise error if file is None or error.document is None else file.locate(error.placed(side=None)) from None
    result.choices = {
        **decoding_of({side.name: side.file for side in sides}),
        **result.choices,
        **({"missing": "left_out"} if any(side.file.missing is not None for side in sides) else {}),
        **({} if pairing.scored_documents == "same" else {"scored_documents": pairing.scored_documents}),
    }
    return result


@dataclass(eq=False)
class Pair:
    """Two sides whose spans are converted to the same unit.

    Attributes:
        references, predictions: the sides. The file of the reference gets the common texts and tokens.
        pairing: the options.
        choices: the options that had an effect, for the signature.
        remarks: notes about the texts, one sentence each.
    """

    references: PairedSide
    predictions: PairedSide
    pairing: Pairing
    choices: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def sides(self) -> tuple[PairedSide, PairedSide]:
        """Both sides."""
        return self.references, self.predictions

    def convert(self) -> None:
        """Give both sides the same texts and the same unit."""
        references, pairing = self.references, self.pairing
        with_texts = any(side.texts is not None for side in self.sides)
        for side in self.sides:
            if pairing.texts != "same" and side.texts is not None:
                # grounded in the side's own text, before offsets are moved to the reference's text
                side.ground(pairing)
        self.share_texts()
        tokens, made_by = self._common_tokens(with_texts=with_texts)
        for side in self.sides:
            side.ground(pairing, tokens)
        answered = [side.grounded for side in self.sides if side.grounded is not None]
        for name in changed(pairing.answering) if not answered else ():
            raise InputError(
                f"{mention(name)} is for answers of language models, but neither side has answers.",
                f"Set {setting('answer_key')} to the key of the answers, or remove {mention(name)}.",
            )
        moves = pairing.to_tokens != Pairing.to_tokens
        in_tokens = references.file.in_tokens or pairing.tokenizer or (moves and tokens is not None)
        unit = pairing.unit or ("token" if in_tokens else "character")
        if unit == "character" and moves:
            raise InputError(
                f"{mention('to_tokens')} moves spans to tokens, but these spans are scored in characters.",
                f"To score in tokens, set {setting('tokenizer', 'words')}. Otherwise, remove {mention('to_tokens')}.",
                option="to_tokens",
            )
        self.choices = {"unit": unit, **self.choices}
        for grounded in answered:
            self.choices |= grounded.choices
        for name in ("join_fragments", "trim", "merge_overlaps", "split_spans"):
            value = getattr(pairing, name)
            if name in changed(pairing):
                self.choices[name] = "yes" if value is True else signed(value)
        merged = {"nothing": (), "references": (references,), "all": self.sides}[pairing.merge_overlaps]
        for side in self.sides:
            side.change_spans(pairing, merge=side in merged)
        for side in self.sides:
            if unit == "character":
                on_side(side.name, side.to_characters, **_TO_CHARACTERS)
            else:
                on_side(side.name, self._to_tokens, side, tokens)
        if made_by is not None and (unit == "token" or answered):
            self.choices["tokenizer"] = signed(made_by)
        references.put(
            tokens=references.tokens if tokens is None or unit == "character" else tokens,
            answers=None,
            words=references.file.words if references.file.tokenizer == made_by else None,
            stated=None,
        )

    def share_texts(self) -> None:
        """Give both sides the text of the reference: compare texts, find words in a text, or join the words."""
        references, predictions = self.sides
        texts, predicted = references.texts, predictions.texts
        if texts is not None and predicted is not None:
            self._compare_texts(texts, predicted)
        elif (common := texts if texts is not None else predicted) is not None:
            side = predictions if predicted is None else references
            self.remarks += on_side(side.name, side.take_text, common)
        if texts is not None or predicted is not None:
            # also if only one side has a text: further sides can have other line ends
            for side in self.sides if self.pairing.texts == "line_ends" else ():
                if side.texts is not None:
                    self.choices["texts"] = "line_ends"
                    side.move(list(map(line_end_places, side.texts)), list(map(plain_ends, side.texts)))
            return
        words, others = references.file.words, predictions.file.words
        for side, without in (self.sides, self.sides[::-1]):
            if side.file.words is not None and without.file.words is None and not without.file.in_tokens:
                made, tokens = joined(side.file.words, " ")
                side.put(texts=tuple(made), tokens=tokens)
                self.remarks.append("No file has texts, so texts were made from the words, with blanks between them.")
                self.share_texts()
                return
        if words is None or others is None:
            if not self.pairing.ignore_words:
                self.remarks += on_side(predictions.name, predictions.compare_stated, references)
            return
        in_tokens = references.file.in_tokens and predictions.file.in_tokens and self.pairing.unit != "character"
        if in_tokens and self.pairing.ignore_words:
            return
        require_same_words(references.file, predictions.file)
        # documents with different numbers of words may have the same text in other tokens
        if in_tokens and np.array_equal(words.lengths, others.lengths):
            # spans of the same tokens stay as they are
            return
        (made, tokens), (other_texts, other_tokens) = joined(words), joined(others)
        references.put(texts=tuple(made), tokens=tokens)
        predictions.put(texts=tuple(made), tokens=other_tokens)
        for document, pair_of_texts in enumerate(zip(made, other_texts, strict=True)):
            require_same_text(*pair_of_texts, document, "Both sides must annotate the same text.")

    def _compare_texts(self, texts: Sequence[str], others: Sequence[str]) -> None:
        """Compare the texts of both sides; if they may differ, move the predictions to the reference's text."""
        predictions, how = self.predictions, self.pairing.texts
        plain: Callable[[str], str] = plain_ends if how == "line_ends" else str
        remedy = (
            "Check that both texts are the same."
            if how == "line_ends"
            else "Both sides must annotate the same text. If the texts differ only in line endings or byte order marks,"
            f" set {setting('texts', 'line_ends')}. If they differ more, set {setting('texts', 'aligned')}."
        )
        for document, (text, other) in enumerate(zip(texts, others, strict=True)) if how != "aligned" else ():
            require_same_text(plain(text), plain(other), document, remedy, "texts" if how == "same" else None)
        if how != "aligned":
            return
        self.choices["texts"] = how
        if predictions.file.in_tokens and texts != others:
            problem = f"{setting('texts', how)} needs spans of characters, but the predicted spans are in tokens."
            raise InputError(problem, "Convert the predictions to characters first.", option="texts")
        differing = sum(map(ne, texts, others))
        lost = predictions.move(list(map(aligned_places, others, texts)), texts)
        predictions.notes.append(f"texts that differ were aligned: {differing:,} of {len(texts):,}.")
        name = predictions.file.documents.name
        predictions.lost += [f"a span in {name(document)} is not in the reference's text." for document in lost]

    def _common_tokens(self, *, with_texts: bool) -> tuple[Tokens | None, str | None]:
        """Return the tokens that both sides use, and the tokenizer that made them (None if they come from the file)."""
        references, tokenizer = self.references, self.pairing.tokenizer
        if tokenizer is None:
            in_tokens = self.pairing.unit == "token" or self.pairing.to_tokens != Pairing.to_tokens
            if in_tokens and references.tokens is None and references.texts is not None:
                on_side(references.name, references.take_text, references.texts)
            return references.tokens, references.file.tokenizer
        if not with_texts:
            raise InputError(
                "the documents have no text to make tokens from.",
                f"Leave out {setting('tokenizer')}, or give files with texts.",
                option="tokenizer",
            )
        return tokens_of(references.texts or (), tokenizer), tokenizer

    def _to_tokens(self, side: PairedSide, tokens: Tokens | None) -> None:
        """Convert the spans of a side to the common tokens, and record moved and lost spans."""
        policy = self.pairing.to_tokens
        # without bounds, tokens are assumed to be the same
        unknown = self.pairing.tokenizer is None and (side.tokens is None or tokens is None)
        if side.file.in_tokens and (unknown or (tokens is not None and tokens.same(side.tokens))):
            return
        if tokens is None:
            raise InputError(
                "the reference has no tokens.",
                f"Score characters with {setting('unit', 'character')}, make tokens with "
                f"{setting('tokenizer', 'words')}, or give a reference with tokens.",
                option="unit",
            )
        self.choices["to_tokens"] = policy
        side.to_characters(**_TO_CHARACTERS)
        spans, name = side.file.spans, self.references.file.documents.name
        carried = side.to_tokens(tokens, policy)
        problem = "begins or ends within a token" if policy == "drop" else "has no token"
        side.lost += [
            f"the span labelled {label!r} from character {start} to {end} in {name(document)} {problem}."
            for document, start, end, label in spans.picked(carried.lost).rows()
        ]
