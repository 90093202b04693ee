"""JSON lines with answers of language models; `grounding` turns them into spans of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ...exceptions import InputError, setting
from ...options import CheckedOptions, text
from ..formats import Format, register
from ..source import Source
from .envelopes import NO_ANSWER, FailedRequest, answer_in, are_mentions, part_at
from .records import TAGS_KEY, WORDS_KEYS, Row, are_bounds, are_words, first_object, rows

_ANSWER = "answer"
_NAMES = ("custom_id", "id", "document_id", "doc_id", "key")
_MADE_UP = re.compile(r"(chatcmpl|cmpl|resp|msg|batch_req|gen|run)[-_]")
"""Prefixes of identifiers that APIs generate; these are not names of documents."""

_DECISIONS = ("accept", "reject", "ignore")
"""The values of `answer` in Prodigy, which are decisions of annotators."""

_REMEDY = (
    'On each line, write {"id": ..., "text": ..., "answer": ...}, or a chat with "messages" or "choices". For another '
    f"key, set {setting('answer_key')}."
)


@dataclass(frozen=True, kw_only=True)
class AnswerLines(CheckedOptions):
    """Options for reading answers.

    Attributes:
        answer_key: the key of the answer; by default `answer`, or the keys of a chat. Dots lead into objects:
            `answers.gpt`.
        text_key: the key of the text, by default `text`; texts can also come from the other side.
    """

    answer_key: str | None = text(
        "KEY",
        "key of the answers, with dots for nested objects (answers.gpt-4o); for several systems, give one "
        "key per system, separated by commas",
        topic="answers",
    )
    text_key: str | None = text(
        "KEY", "key of the text in a file of a language model's answers or in Label Studio tasks"
    )


def read_answers(source: Source, options: AnswerLines) -> DocumentFile:
    """Read objects with an answer, and optional `text`, `id` and `tokens`.

    An answer is a string, null, or a value for `read_answer`. It can be wrapped in any response that `answer_in` knows;
    it is then the assistant's last message or the arguments of its tool calls. A failed request is listed, and its
    document has an empty answer. The file has no spans until it is paired with texts.

    Raises:
        InputError: if an object has no answer, or if a text is not a string. The error names the line.
    """
    answers: list[Any] = []

    def records() -> Iterator[Record]:
        for line, place, row in _documents(source):
            where = place or "the line"
            record = record_of(source, line, place, row, options.text_key)
            try:
                answers.append(_answer(row, options.answer_key))
            except FailedRequest as error:
                answers.append("")
                record.lost.append((line, f"{where} {error.problem}"))
            except InputError as error:
                raise source.refuse(f"{where} {error.problem}", error.remedy, line) from None
            yield record

    return replace(documents_of(source, records()), answers=answers)


def _documents(source: Source) -> list[Row]:
    """Return the rows; a single list of spans from a pipeline is one document."""
    documents = list(rows(source, "answers"))
    spans = [row for _, place, row in documents if place]
    return [(1, "", spans)] if len(spans) == len(documents) and are_mentions(spans) else documents


def record_of(source: Source, line: int, place: str, row: Any, text_key: str | None) -> Record:
    """Return an object's name, text and tokens.

    Raise an `InputError` if a text key is set but missing in the object.
    """
    text = row.get("text") if isinstance(row, dict) else None
    if text_key is not None:
        part, rest = part_at(row, text_key)
        text = text if rest else part
    if (text_key is not None or text is not None) and not isinstance(text, str):
        problem = f"{place or 'the line'} has no text under {text_key or 'text'!r}."
        raise source.refuse(problem, f"Name the key of the text with {setting('text_key')}.", line)
    tokens = row.get("tokens") if isinstance(row, dict) else None
    # test harnesses number documents, and keep the original under `doc`
    named = row.get("doc", row) if isinstance(row, dict) else None
    return Record(
        text=text,
        tokens=tokens if text is not None and are_bounds(tokens) else None,
        words=tokens if text is None and are_words(tokens) else None,
        id=next((named[key] for key in _NAMES if _is_name(named.get(key))), None) if isinstance(named, dict) else None,
        line=line,
        place=place,
    )


def _is_name(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and _MADE_UP.match(value))


def _answer(row: Any, key: str | None) -> Any:
    """Return the answer of a row."""
    if key is not None:
        part, rest = part_at(row, key)
        if rest:
            keys = ", ".join(map(repr, part)) if isinstance(part, dict) else ""
            raise InputError(f"has no key {rest!r}.", f"Choose one of its keys: {keys}." if keys else _REMEDY)
        answer = answer_in(part)
        return part if answer is NO_ANSWER else answer
    answer = answer_in(row)
    if answer is not NO_ANSWER:
        return answer
    if isinstance(row, dict) and "entities" in row:
        return row["entities"]
    if isinstance(row, dict):
        raise InputError(f"has no {_ANSWER!r}; its keys are {', '.join(map(repr, row)) or 'none'}.", _REMEDY)
    return row


def _shows(source: Source) -> bool:
    row = first_object(source)
    decided = row.get(_ANSWER) in _DECISIONS if isinstance(row.get(_ANSWER), str) else False
    if isinstance(row.get("spans"), list) or decided or "_task_hash" in row:
        return False
    try:
        return answer_in(row) is not NO_ANSWER or answer_in([row]) is not NO_ANSWER
    except (InputError, RecursionError):
        return True


def _allows(source: Source) -> bool:
    row = first_object(source)
    return bool(row) and row.keys().isdisjoint(("text", TAGS_KEY, *WORDS_KEYS))


register(Format("answers", "JSON lines of answers of a language model", _shows, read_answers, allows=_allows))


def read_text_lines(source: Source, options: AnswerLines) -> Iterator[Record]:
    """Read objects with `text` (or another key) and optional `id` and `tokens`, but no spans.

    Raises:
        InputError: if an object has no text; the error names the line.
    """
    key = options.text_key or "text"
    return (record_of(source, *row, key) for row in rows(source, "texts"))


def _has_text(source: Source) -> bool:
    return isinstance(first_object(source).get("text"), str)


# last in detection: a reference without spans is usually one whose spans were not recognised
register(Format("texts", "JSON lines of texts", None, read_text_lines, allows=_has_text))
