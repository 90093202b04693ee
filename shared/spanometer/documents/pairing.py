"""Pairing of the documents of two sides, with conversion of their spans to the same unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..arrays import offsets_of
from ..exceptions import InputError, counted, mention, on_side, plain_ends, require_same_text, setting
from ..grounding.grounded import Grounded, Unplaced, ground, with_unplaced
from ..grounding.reading import AnswerReading
from ..options import changed, check_options, option
from ..spans.spans import Spans
from ..spans.texts import Tokens, aligned_places, joined, line_end_places, moved_to, words_in_text
from ..spans.tokenisation import POLICIES, without_gaps, without_overlaps
from .document_file import DocumentFile, decoding_of, without_missing
from .joining import SCORED_DOCUMENTS, matched, require_same_words, scored_documents
from .stated import compared
from .units import Carrying, require_tokenizer, signed, tokenizer_option, tokens_of

_TO_CHARACTERS = {
    "remedy": f"Give a text or words, or score tokens with {setting('unit', 'token')}.",
    "option": "unit",
}
"""The remedy if tokens have no character offsets."""


@dataclass(frozen=True, kw_only=True)
class Pairing(AnswerReading):
    """The options for pairing two sides, and for grounding answers of language models.

    Raises:
        InputError: if a value is not allowed.
    """

    unit: str | None = option(
        None,
        help="unit of spans",
        choices={
            "token": "tokens of the reference",
            "character": "characters of the text, as code points",
        },
        optional=True,
    )
    to_tokens: str = option("strict", help="how to align character spans with tokens", choices=POLICIES)
    trim: str = option(
        "nothing",
        help="what to remove from both ends of character spans",
        choices={
            "nothing": "",
            "blanks": "white space",
            "punctuation": "white space and punctuation marks",
        },
    )
    join_fragments: bool = option(
        False, help="join the fragments of a character span if only white space separates them", kind=bool
    )
    merge_overlaps: str = option(
        "nothing",
        help="merge overlapping spans of the same label",
        choices={"nothing": "", "references": "in the reference", "all": "in the reference and the predictions"},
    )
    split_spans: str | None = tokenizer_option(
        "replace each character span by spans of single tokens, made with this tokenizer"
    )
    texts: str = option(
        "same",
        help="how equal the texts of reference and predictions must be",
        choices={
            "same": "the texts must be equal",
            "line_ends": "line ends and byte order marks may differ",
            "aligned": "the texts may differ, as in OCR output, and are aligned",
        },
    )
    tokenizer: str | None = tokenizer_option("make tokens from the text, instead of using the reference's tokens")

    scored_documents: str = option("same", help="which documents to score", choices=SCORED_DOCUMENTS)
    ignore_words: bool = option(
        False, help="do not check that reference and predictions have the same words", kind=bool
    )

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

    def scored_spans(self, sides: Sequence[Spans]) -> list[Spans]:
        """Remove spans from documents in which the reference (the first side) has no span with a scored label."""
        if self.scored_documents != "reference_with_spans":
            return list(sides)
        own = np.bincount(sides[0].document, minlength=sides[0].documents) > 0
        return [side.picked(np.flatnonzero(own[side.document])) for side in sides]

    @property
    def of_spans(self) -> Pairing:
        """A copy of these options, without options for answers, for sides that have spans."""
        return replace(self, **vars(AnswerReading()))


@dataclass(eq=False)
class PairedSide(Carrying):
    """The documents of a side during and after pairing.

    Attributes:
        name: `references` or `predictions`.
        lost: a description of each span without a position in the unit.
        grounded: the grounded answers, if the side has answers.
    """

    name: str = ""
    lost: list[str] = field(default_factory=list)
    grounded: Grounded | None = None

    @property
    def unplaced(self) -> Unplaced | None:
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
            raise InputError(
                "Spanometer looks for the mentions of answers in the texts, but no file has texts.",
                "Give a reference with texts or words. If the file of answers also has the texts, name their key with "
                f"{setting('text_key')}.",
                source=self.file.source,
            )
        options = {"policy": pairing.policy, "tokens": tokens, **pairing.answer_reading}
        self.grounded = on_side(self.name, ground, self.texts, self.file.answers, **options)
        self.notes += self.grounded.warnings
        self.put(spans=self.grounded.spans)

    def merge_overlaps(self) -> None:
        """Merge overlapping spans of the same label."""
        spans = without_overlaps(self.file.spans)
        if number := len(self.file.spans) - len(spans):
            self.notes.append(f"{counted(number, 'span')} merged with an overlapping one.")
        self.put(spans=spans)

    def join_fragments(self) -> None:
        """Merge fragments of spans of characters that only whitespace separates."""
        if not self.file.in_tokens and self.texts is not None and self.file.spans.fragments is not None:
            spans, number = without_gaps(self.file.spans, self.texts)
            if number:
                self.notes.append(
                    f"Fragments with only white space between them were joined in {counted(number, 'span')}."
                )
            self.put(spans=spans)


@dataclass(frozen=True, eq=False, kw_only=True)
class Paired:
    """The spans of two sides in the same unit and the same documents.

    Attributes:
        sides: the sides by name. The file of the reference has the common texts and tokens.
        unit: `token` or `character`.
        choices: the options that had an effect, for the signature.
        remarks: notes about the texts, one sentence each.
    """

    sides: Mapping[str, PairedSide]
    unit: str
    choices: Mapping[str, object]
    remarks: Sequence[str]

    @property
    def file(self) -> DocumentFile:
        """The reference after pairing, with spans, texts and tokens in this unit."""
        return self.sides["references"].file

    @property
    def grounded(self) -> dict[str, Grounded]:
        """The grounded answers of each side that has answers."""
        return {name: side.grounded for name, side in self.sides.items() if side.grounded is not None}

    @cached_property
    def _spans(self) -> list[Spans]:
        sides = self.sides.values()
        return with_unplaced([side.file.spans for side in sides], [side.unplaced for side in sides])

    @property
    def references(self) -> Spans:
        """The reference spans. Answer items that are not in the text are placed after the end of their documents."""
        return self._spans[0]

    @property
    def predictions(self) -> Spans:
        """The predicted spans; see `references`."""
        return self._spans[1]

    @property
    def size(self) -> int | None:
        """The total length of the texts in the unit, without items after their ends; None if unknown."""
        lengths = self.file.lengths
        return None if lengths is None else int(lengths.sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes about the texts, and about the changes on each side."""
        return (*self.remarks, *by_side({name: side.notes for name, side in self.sides.items()}))

    @property
    def left_out(self) -> tuple[str, ...]:
        """The lost spans of each side."""
        return tuple(by_side({name: side.lost for name, side in self.sides.items()}))


def unit_of(signatures: Iterable[str]) -> str:
    """Return the unit in which the corpus is counted, `token` or `character`, from the signatures of scores."""
    return "character" if any("|unit:character|" in signature for signature in signatures) else "token"


def by_side(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """List the texts of all sides, each with the name of its side in front."""
    return [f"{side}: {text}" for side, listed in texts.items() for text in listed]


def pair(references: DocumentFile, predictions: DocumentFile, pairing: Pairing | None = None) -> Paired:
    """Pair the documents of two sides, check that their texts are the same, and convert the spans to the same unit.

    Documents are paired by name if both sides have the same names; otherwise by text if no text is repeated; otherwise
    in order. By default, the unit is the token if the reference's spans are in tokens or a `tokenizer` is set,
    otherwise the character.

    Raises:
        InputError: if a document is missing on one side, if texts differ, or if spans cannot be converted. The error
            names file and place.
    """
    chosen = pairing or Pairing()
    files = {"references": references, "predictions": predictions}
    files, left_out = scored_documents(files, chosen.scored_documents)
    files = dict(zip(files, without_missing(*matched(*files.values())), strict=True))
    references_side, predictions_side = (PairedSide(file, left_out.get(name, []), name) for name, file in files.items())
    try:
        return _paired(references_side, predictions_side, chosen)
    except InputError as error:
        file = files.get(error.side or "references")
        raise error if file is None or error.document is None else file.locate(error.placed(side=None)) from None


def _paired(references: PairedSide, predictions: PairedSide, pairing: Pairing) -> Paired:
    sides = references, predictions
    remarks: list[str] = []
    choices: dict[str, str] = {}
    with_texts = any(side.texts is not None for side in sides)
    for side in sides:
        if pairing.texts != "same" and side.texts is not None:
            # grounded in the side's own text, before offsets are moved to the reference's text
            side.ground(pairing)
    _share_texts(references, predictions, pairing, remarks, choices)
    tokens, made_by = _common_tokens(references, pairing, with_texts=with_texts)
    for side in sides:
        side.ground(pairing, tokens)
    answered = [side.grounded for side in sides if side.grounded is not None]
    for grounded in answered:
        choices.update(grounded.choices)
    for name in changed(pairing.answering) if not answered else ():
        raise InputError(
            f"{mention(name)} is for answers of language models, but no side has answers.",
            f"Name the key of the answers with {setting('answer_key')}, or remove {mention(name)}.",
        )
    carries = tokens is not None and pairing.to_tokens != Pairing.to_tokens
    unit = pairing.unit or ("token" if references.file.in_tokens or pairing.tokenizer or carries else "character")
    if unit == "character" and pairing.to_tokens != Pairing.to_tokens:
        raise InputError(
            f"{mention('to_tokens')} converts spans to tokens, but these spans are scored in characters.",
            f"Make tokens with {setting('tokenizer', 'words')}, or remove {mention('to_tokens')}.",
            option="to_tokens",
        )
    if pairing.join_fragments:
        choices["join_fragments"] = "yes"
        for side in sides:
            side.join_fragments()
    if pairing.trim != "nothing":
        choices["trim"] = pairing.trim
        for side in sides:
            side.trim(pairing.trim)
    if pairing.merge_overlaps != "nothing":
        choices["merge_overlaps"] = pairing.merge_overlaps
        for side in sides if pairing.merge_overlaps == "all" else sides[:1]:
            side.merge_overlaps()
    if pairing.split_spans is not None:
        choices["split_spans"] = signed(pairing.split_spans)
        for side in sides:
            side.split_spans(pairing.split_spans)
    for side in sides:
        if unit == "character":
            on_side(side.name, side.to_characters, **_TO_CHARACTERS)
        else:
            on_side(side.name, _to_tokens, side, references, tokens, pairing, choices)
    if made_by is not None and (unit == "token" or answered):
        choices["tokenizer"] = signed(made_by)
    references.put(
        tokens=references.tokens if tokens is None or unit == "character" else tokens,
        answers=None,
        words=references.file.words if references.file.tokenizer == made_by else None,
        stated=None,
    )
    return Paired(
        sides={side.name: side for side in sides},
        unit=unit,
        choices={
            **decoding_of({side.name: side.file for side in sides}),
            "unit": unit,
            **choices,
            **({} if references.file.missing is None else {"missing": "left_out"}),
            **({} if pairing.scored_documents == "same" else {"scored_documents": pairing.scored_documents}),
        },
        remarks=remarks,
    )


def _share_texts(
    references: PairedSide,
    predictions: PairedSide,
    pairing: Pairing,
    remarks: list[str],
    choices: dict[str, str],
) -> None:
    """Give both sides the text of the reference.

    Compare the texts, find words in the text, or create it from the words.
    """
    texts, predicted = references.texts, predictions.texts
    if texts is not None and predicted is not None:
        if pairing.texts != "same":
            choices["texts"] = pairing.texts
            _align(references, predictions, pairing.texts)
        else:
            remedy = (
                f"Both sides must annotate the same text. {setting('texts', 'line_ends')} ignores line ends and byte "
                f"order marks; {setting('texts', 'aligned')} aligns the texts."
            )
            for document, (text, other) in enumerate(zip(texts, predicted, strict=True)):
                require_same_text(text, other, document, remedy, "texts")
        return
    common = texts if texts is not None else predicted
    if common is not None:
        for side in (references, predictions):
            of_side = side.file.words
            if side.texts is None and of_side is not None:
                side.put(tokens=on_side(side.name, _words_in_texts, of_side, common), texts=common)
            elif side.texts is None and not side.file.in_tokens:
                side.put(texts=common)
                remarks += on_side(side.name, _compare_stated, side, common)
                side.put(spans=side.file.spans.with_lengths(np.fromiter(map(len, common), np.int64, len(common))))
        return
    for side, without in ((references, predictions), (predictions, references)):
        if side.file.words is not None and without.file.words is None and not without.file.in_tokens:
            made, tokens = joined(side.file.words, " ")
            side.put(texts=tuple(made), tokens=tokens)
            remarks.append("No file has texts, so texts were made from the words, with blanks between them.")
            _share_texts(references, predictions, pairing, remarks, choices)
            return
    if references.file.words is None or predictions.file.words is None:
        if not pairing.ignore_words:
            remarks += on_side(predictions.name, _compare_with_stated, predictions, references)
        return
    in_tokens = references.file.in_tokens and predictions.file.in_tokens and pairing.unit != "character"
    if in_tokens and pairing.ignore_words:
        return
    require_same_words(references.file, predictions.file)
    # documents with different numbers of words may have the same text in other tokens
    same = np.array_equal(references.file.words.lengths, predictions.file.words.lengths)
    if same and in_tokens:
        # spans of the same tokens stay as they are
        return
    made, tokens = joined(references.file.words)
    for side in (references, predictions):
        side.put(texts=tuple(made), tokens=tokens)
    if not same:
        others, tokens = joined(predictions.file.words)
        predictions.put(tokens=tokens)
        for document, texts_here in enumerate(zip(made, others, strict=True)):
            require_same_text(*texts_here, document, "Both sides must annotate the same text.")


def _words_in_texts(words: Sequence[Sequence[str]], texts: Sequence[str]) -> Tokens:
    return Tokens.from_lists([words_in_text(row, texts[document], document) for document, row in enumerate(words)])


def _compare_stated(side: PairedSide, texts: Sequence[str]) -> list[str]:
    """Compare the span texts of this side's file with the other side's text, see `compared`."""
    stated = side.file.stated
    return [] if stated is None else compared(stated.beside(texts), side.place)


def _compare_with_stated(side: PairedSide, other: PairedSide) -> list[str]:
    """Compare the texts that both files give for the same span boundaries, see `compared`."""
    here, there = side.file.stated, other.file.stated
    if here is None or there is None or side.file.in_tokens != other.file.in_tokens:
        return []
    return compared(here.beside_stated(there), side.place, f"differ from the span texts in {other.file.source}")


def _align(references: PairedSide, predictions: PairedSide, how: str) -> None:
    """Move predicted spans and tokens to the reference's text."""
    texts, others = references.texts or (), predictions.texts or ()
    if how == "line_ends":
        for document, (text, other) in enumerate(zip(texts, others, strict=True)):
            require_same_text(plain_ends(text), plain_ends(other), document, "Check that both texts are the same.")
        if not references.file.in_tokens:
            _move(references, list(map(line_end_places, texts)), list(map(plain_ends, texts)))
        _move(predictions, list(map(line_end_places, others)), list(map(plain_ends, others)))
        return
    if predictions.file.in_tokens:
        problem = f"{setting('texts', 'aligned')} needs spans of characters, but the predicted spans are in tokens."
        raise InputError(problem, "Convert the predictions to characters first.", option="texts")
    differing = sum(text != other for text, other in zip(texts, others, strict=True))
    places = [aligned_places(other, text) for text, other in zip(texts, others, strict=True)]
    lost = _move(predictions, places, list(texts))
    predictions.notes.append(f"texts that differ were aligned: {differing:,} of {len(texts):,}.")
    name = predictions.file.documents.name
    predictions.lost += [f"a span in {name(document)} is not in the reference's text." for document in lost]


def _move(side: PairedSide, places: list[np.ndarray], texts: list[str]) -> list[int]:
    """Move spans and tokens to another text; return the documents of spans that the other text lacks."""
    spans, tokens = side.file.spans, side.tokens
    if tokens is not None:
        base = offsets_of([len(place) for place in places])[tokens.document]
        flat = np.concatenate([np.zeros(0, np.int64), *places])
        side.put(tokens=replace(tokens, start=flat[base + tokens.start], end=flat[base + tokens.end]))
    side.put(texts=tuple(texts))
    if side.file.in_tokens:
        return []
    moved, lost = moved_to(spans, places, np.fromiter(map(len, texts), np.int64, len(texts)))
    side.put(spans=moved)
    return list(spans.document[lost].tolist())


def _common_tokens(references: PairedSide, pairing: Pairing, *, with_texts: bool) -> tuple[Tokens | None, str | None]:
    """Return the tokens that both sides use, and the tokenizer that made them (None if they come from the file)."""
    if pairing.tokenizer is None:
        return references.tokens, references.file.tokenizer
    if not with_texts:
        raise InputError(
            "the documents have no text to make tokens from.",
            f"Leave out {setting('tokenizer')}, or give files with texts.",
            option="tokenizer",
        )
    try:
        return tokens_of(tuple(references.texts or ()), pairing.tokenizer), pairing.tokenizer
    except InputError as error:
        raise error.placed(side=references.name if error.document is not None else None) from None


def _to_tokens(
    side: PairedSide, references: PairedSide, tokens: Tokens | None, pairing: Pairing, choices: dict[str, str]
) -> None:
    """Convert the spans of a side to the common tokens, and record moved and lost spans."""
    # without bounds, tokens are assumed to be the same
    unknown = pairing.tokenizer is None and (side.tokens is None or tokens is None)
    if side.file.in_tokens and (unknown or _same_tokens(side.tokens, tokens)):
        return
    if tokens is None:
        raise InputError(
            "the reference has no tokens.",
            f"Score characters with {setting('unit', 'character')}, make tokens with {setting('tokenizer', 'words')}, "
            "or give a reference with tokens.",
            option="unit",
        )
    choices["to_tokens"] = pairing.to_tokens
    side.to_characters(**_TO_CHARACTERS)
    spans, name = side.file.spans, references.file.documents.name
    carried = side.to_tokens(tokens, pairing.to_tokens)
    problem = "begins or ends within a token" if pairing.to_tokens == "drop" else "has no token"
    side.lost += [
        f"the span of {spans.labels[spans.label[span]]!r} from character {spans.start[span]} to {spans.end[span]} in "
        f"{name(int(spans.document[span]))} {problem}."
        for span in carried.lost.tolist()
    ]


def _same_tokens(tokens: Tokens | None, others: Tokens | None) -> bool:
    if tokens is None or others is None:
        return False
    fields = ("offsets", "start", "end")
    return tokens is others or all(np.array_equal(getattr(tokens, name), getattr(others, name)) for name in fields)
