"""Tokenizers, and conversion of the spans of documents to another unit."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np

from ..arrays import offsets_of
from ..exceptions import InputError, choose_from, counted, require_kind, setting, shown
from ..options import option
from ..spans.texts import Tokens, between_blanks, words_and_signs
from ..spans.tokenisation import Carried, to_characters, to_tokens, trimmed
from .document_file import DocumentFile

TOKENIZERS: Mapping[str, str] = {
    "words": "each word is a token, and so is each punctuation mark or symbol",
    "blanks": "tokens are separated by white space",
    "regex:PATTERN": "each match of the regular expression PATTERN is a token",
    "spacy:LANGUAGE": "spaCy's tokenizer for LANGUAGE, as in spacy:en",
    "hf:NAME": "a Hugging Face tokenizer; NAME is its name, or the path of its tokenizer.json",
}
"""The tokenizers with explanations."""

_SECONDS = 5.0
"""The time limit, in seconds, of a regular expression for one text."""

_REMEDY = choose_from(TOKENIZERS)


def with_tokens(file: DocumentFile, tokenizer: str) -> DocumentFile:
    """Tokenize the texts of documents, see `tokens_of`; spans stay in characters."""
    texts = file.documents.texts
    if texts is None or file.in_tokens:
        problem = (
            "the documents have no text." if texts is None else "the offsets of the spans are already token offsets."
        )
        raise InputError(problem, f"Leave out {setting('tokenizer')}.", source=file.source, option="tokenizer")
    try:
        tokens = tokens_of(texts, tokenizer)
    except InputError as error:
        raise file.locate(error) if error.document is not None else error from None
    return replace(file, documents=replace(file.documents, tokens=tokens), tokenizer=tokenizer)


def tokenizer_option(help: str) -> Any:
    """Declare an option for the name of a tokenizer, with the default None."""
    kinds = "\n- ".join(f"{name}: {text}" for name, text in TOKENIZERS.items())
    return option(None, help=f"{help}:\n- {kinds}", kind=str, optional=True, metavar="NAME")


def require_tokenizer(name: str | None) -> None:
    """Raise an `InputError` if there is no such tokenizer."""
    if name is None:
        return
    require_kind(name, str, "the name of a tokenizer", _REMEDY, option="tokenizer")
    kind, colon, rest = name.partition(":")
    takes_name = {each.partition(":")[0]: ":" in each for each in TOKENIZERS}
    if takes_name.get(kind) is not bool(rest) or bool(colon) is not bool(rest):
        raise InputError(f"unknown tokenizer {shown(name)}.", _REMEDY, option="tokenizer")


# all systems compared with one reference use the same tokens
@lru_cache(maxsize=1)
def tokens_of(texts: tuple[str, ...], tokenizer: str) -> Tokens:
    """Tokenize texts.

    Args:
        texts: the texts of the documents.
        tokenizer: one of `TOKENIZERS`. Patterns have the syntax of the library `regex`, which includes Python's syntax.
            spaCy's tokens come from `spacy.blank(LANGUAGE)`, including whitespace tokens. For Hugging Face tokenizers,
            special tokens are left out, whitespace at the ends of tokens is removed, and several tokens for one
            character (such as an emoji in a byte-level tokenizer) are merged.

    Raises:
        InputError: if there is no such tokenizer, if a library is not installed, or if a pattern is invalid or takes
            too long.
    """
    require_tokenizer(tokenizer)
    kind, _, rest = tokenizer.partition(":")
    return _MAKERS[kind](texts, rest)


def signed(tokenizer: str) -> str:
    """Name a tokenizer for the signature: spaCy with its version, a file with its hash."""
    kind, _, rest = tokenizer.partition(":")
    if kind == "spacy":
        return f"{tokenizer}@{version('spacy')}"
    if kind == "hf" and os.path.isfile(file := _file_of(rest)):
        with open(file, "rb") as stream:
            return f"hf:{sha256(stream.read()).hexdigest()[:12]}"
    return tokenizer


def _file_of(name: str) -> str:
    return os.path.join(name, "tokenizer.json") if os.path.isdir(name) else name


def _by_pattern(texts: Sequence[str], pattern: str) -> Tokens:
    regex = _library("regex", "text")
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        problem = f"the regular expression {shown(pattern)} cannot be read: {error}."
        raise InputError(problem, "Correct the expression.", option="tokenizer") from None
    rows: list[list[tuple[int, int]]] = []
    for document, text in enumerate(texts):
        try:
            matches = [match.span() for match in compiled.finditer(text, timeout=_SECONDS)]
        except TimeoutError:
            problem = f"the regular expression {shown(pattern)} takes more than {_SECONDS:g} seconds."
            remedy = "Write it without nested repetitions."
            raise InputError(problem, remedy, document=document, option="tokenizer") from None
        rows.append([bounds for bounds in matches if bounds[0] < bounds[1]])
    return Tokens.from_lists(rows)


def _by_spacy(texts: Sequence[str], language: str) -> Tokens:
    spacy = _library("spacy", "spacy", called="spaCy")
    try:
        pipeline = spacy.blank(language)
    except Exception as error:
        # the language is unknown to spaCy, or needs a library that is missing
        reason = str(error).strip().partition("\n")[0]
        problem = f"spaCy has no tokenizer for {shown(language)} ({reason})."
        raise InputError(problem, f"Use another language, such as {setting('tokenizer', 'spacy:en')}.") from None
    pipeline.max_length = max(map(len, texts), default=0) + 1
    rows = [pipeline.make_doc(text).to_array(["IDX", "LENGTH"]).astype(np.int64).reshape(-1, 2) for text in texts]
    bounds = np.concatenate([np.zeros((0, 2), np.int64), *rows])
    return Tokens(offsets_of(list(map(len, rows))), bounds[:, 0], bounds.sum(axis=1)).checked()


def _by_hugging_face(texts: Sequence[str], name: str) -> Tokens:
    tokenizer = _library("tokenizers", "text").Tokenizer
    file = _file_of(name)
    try:
        made = tokenizer.from_file(file) if os.path.isfile(file) else tokenizer.from_pretrained(name)
        made.no_truncation()
        made.no_padding()
        encodings = made.encode_batch(list(texts), add_special_tokens=False)
    except Exception as error:
        # the library has no error class
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"there is no tokenizer {shown(name)} ({reason}).",
            "Give the name of a model with a tokenizer.json, or the path of one.",
            option="tokenizer",
        ) from None
    return _without_blanks(texts, [encoding.offsets for encoding in encodings])


def _without_blanks(texts: Sequence[str], rows: Sequence[Sequence[tuple[int, int]]]) -> Tokens:
    """Remove whitespace at the ends of tokens, and merge tokens that share characters."""
    documents: list[list[tuple[int, int]]] = []
    for text, row in zip(texts, rows, strict=True):
        merged: list[tuple[int, int]] = []
        for start, end in row:
            covered = text[start:end]
            start, end = start + len(covered) - len(covered.lstrip()), end - len(covered) + len(covered.rstrip())
            if start >= end:
                continue
            if merged and start < merged[-1][1]:
                start, end = merged[-1][0], max(merged.pop()[1], end)
            merged.append((start, end))
        documents.append(merged)
    return Tokens.from_lists(documents)


def _library(module: str, extra: str, called: str | None = None) -> Any:
    """Import an optional library; raise an `InputError` that names the extra if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        remedy = f'Install it with: pip install "spanometer[{extra}]"'
        raise InputError(f"{called or module} is not installed.", remedy, option="tokenizer") from None


_MAKERS: Mapping[str, Callable[[Sequence[str], str], Tokens]] = {
    "words": lambda texts, _: words_and_signs(texts),
    "blanks": lambda texts, _: between_blanks(texts),
    "regex": _by_pattern,
    "spacy": _by_spacy,
    "hf": _by_hugging_face,
}


@dataclass(eq=False)
class Carrying:
    """The documents of a file while they are converted to another unit.

    Attributes:
        file: the current documents.
        notes: a sentence about each kind of change so far.
    """

    file: DocumentFile
    notes: list[str] = field(default_factory=list)

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The texts of the documents, if known."""
        return self.file.documents.texts

    @property
    def tokens(self) -> Tokens | None:
        """The tokens of the documents, if known."""
        return self.file.documents.tokens

    def put(self, **layers: Any) -> None:
        """Replace fields of the file, or `texts` and `tokens` of its documents."""
        of_documents = {name: layers.pop(name) for name in ("texts", "tokens") if name in layers}
        self.file = replace(self.file, documents=replace(self.file.documents, **of_documents), **layers)

    def trim(self, what: str) -> None:
        """Remove whitespace, or whitespace and punctuation, from both ends of spans of characters.

        See `Pairing.trim`.
        """
        if what == "nothing" or self.file.in_tokens or self.texts is None:
            return
        spans, cut = trimmed(self.file.spans, self.texts, punctuation=what == "punctuation")
        if number := int((cut > 0).sum()):
            self.notes.append(f"{counted(number, 'span')} cut by {counted(int(cut.sum()), 'character')}.")
        self.put(spans=spans)

    def to_characters(self, **remedy: Any) -> None:
        """Convert spans of tokens to characters; raise an `InputError` with this remedy if tokens have no offsets."""
        if not self.file.in_tokens:
            return
        if self.tokens is None:
            raise InputError("the spans are in tokens, and the tokens have no character offsets.", **remedy)
        lengths = self.file.documents.lengths
        missing = self.file.missing and to_characters(self.file.missing, self.tokens, lengths)
        self.put(spans=to_characters(self.file.spans, self.tokens, lengths), missing=missing, in_tokens=False)

    def to_tokens(self, tokens: Tokens, policy: str, how: str = "") -> Carried:
        """Convert spans of characters to tokens, see `tokenisation.to_tokens`; `how` is appended to the note."""
        carried = to_tokens(self.file.spans, tokens, policy=policy)
        moved = carried.moved[carried.moved > 0]
        if len(moved):
            distance = counted(int(moved.sum()), "character")
            self.notes.append(f"{counted(len(moved), 'span')} moved by {distance} to fit tokens{how}.")
        if carried.merged:
            self.notes.append(f"{counted(carried.merged, 'span')} merged with an equal one.")
        # a token is unannotated if any part of it is
        missing = self.file.missing and to_tokens(self.file.missing, tokens, policy="expand").spans
        self.put(spans=carried.spans, missing=missing, in_tokens=True)
        return carried
