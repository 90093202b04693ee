"""JSON lines of what language models answered, which becomes spans only beside a text, see `grounding`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.record import Record
from ...exceptions import InputError, setting
from ...options import CheckedOptions, text
from ..formats import Evidence, Format, register
from ..source import Source
from .records import are_bounds, are_words, first_object, is_object, rows

_ANSWER = "answer"
_NAMES = ("id", "custom_id", "document_id")
_PARTS = ("messages", "output", "response", "result", "body", "message")
"""Keys under which chats have their messages, and programming interfaces hand them on."""

_NO_CHAT = object()

_DECISIONS = ("accept", "reject", "ignore")
"""What an annotator answers in Prodigy."""

_REMEDY = (
    'Write an object a line: {"id": ..., "text": ..., "answer": ...}, or a chat with "messages" or "choices"; '
    f"{setting('answer_key')} names another key."
)


@dataclass(frozen=True, kw_only=True)
class AnswerLines(CheckedOptions):
    """The options of reading.

    Attributes:
        answer_key: by default `answer`, or what a chat shows; keys within objects have dots between, `answers.gpt`.
        text_key: by default `text`; texts may also be those of the other side.
    """

    answer_key: str | None = text(
        "KEY",
        "the key of the answers of a language model; dots lead into objects, answers.gpt-4o; several with commas "
        "between are several systems",
    )
    text_key: str | None = text(
        "KEY", "the key of the text beside answers of a language model, or in the tasks of Label Studio"
    )


def read_answers(source: Source, options: AnswerLines) -> DocumentFile:
    """Read objects with an answer, and `text`, `id` and `tokens` where they are known.

    An answer is a string, null, or a value as `read_answer` takes it. Of a chat it is what the assistant said last: in
    `messages`, in `choices`, in the `output` of OpenAI's responses, in the lines of its batches and of Anthropic's. The
    file has no spans until it is paired with texts.

    Raises:
        InputError: names the line, for an object without an answer, and for a text that is no string.
    """
    answers: list[Any] = []

    def records() -> Iterator[Record]:
        for line, place, row in rows(source, "answers"):
            where = place or "the line"
            if not isinstance(row, dict):
                raise source.refuse(f"{where} is no object.", _REMEDY, line)
            try:
                answers.append(_answer(row, options.answer_key))
            except InputError as error:
                raise source.refuse(f"{where} {error.problem}", error.remedy, line) from None
            yield record_of(source, line, place, row, options.text_key)

    return replace(documents_of(source, records()), answers=answers)


def record_of(source: Source, line: int, place: str, row: Any, text_key: str | None) -> Record:
    """Read an object's name, text and tokens; an `InputError` if it has no text under a key that is named."""
    text = row.get(text_key or "text") if isinstance(row, dict) else None
    if (text_key is not None or text is not None) and not isinstance(text, str):
        problem = f"{place or 'the line'} has no text under {text_key or 'text'!r}."
        raise source.refuse(problem, f"Name the key of the text with {setting('text_key')}.", line)
    tokens = row.get("tokens")
    return Record(
        text=text,
        tokens=tokens if text is not None and are_bounds(tokens) else None,
        words=tokens if text is None and are_words(tokens) else None,
        id=next((row[key] for key in _NAMES if row.get(key) is not None), None),
        line=line,
        place=place,
    )


def _answer(row: Mapping[str, Any], key: str | None) -> Any:
    """Return the answer of an object."""
    if key is not None:
        return _said(_under(row, key))
    if _ANSWER in row:
        return _said(row[_ANSWER])
    said = _in_chat(row)
    if said is not _NO_CHAT:
        return said
    keys = ", ".join(map(repr, row))
    raise InputError(f"has no {_ANSWER!r}; its keys are {keys or 'none'}.", _REMEDY)


def _under(row: Any, key: str) -> Any:
    """Read the value under a key; dots in it separate nested keys, or are part of one."""
    if isinstance(row, dict):
        if key in row:
            return row[key]
        for place, sign in enumerate(key):
            if sign == "." and key[:place] in row:
                return _under(row[key[:place]], key[place + 1 :])
    known = ", ".join(map(repr, row)) if isinstance(row, dict) else ""
    raise InputError(f"has nothing under {key!r}.", f"The keys there are {known}." if known else _REMEDY)


def _said(value: Any) -> Any:
    """Take the assistant's last message of a chat, or else the value itself."""
    said = _in_chat(value)
    return value if said is _NO_CHAT else said


def _in_chat(value: Any) -> Any:
    """Take the assistant's last message of a chat, or of a response of a programming interface.

    Raises:
        InputError: for a chat in which the assistant says nothing.
    """
    if isinstance(value, list):
        messages = [part for part in value if is_object(part, "role", "content")]
        said = [part["content"] for part in messages if part["role"] == "assistant"]
        if messages and not said:
            raise InputError("is a chat without a message of the assistant.", "Leave the line out, or add its answer.")
        return _content(said[-1]) if said else _NO_CHAT
    if not isinstance(value, dict):
        return _NO_CHAT
    if is_object(value, "role", "content"):
        return _content(value["content"])
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and isinstance(first.get("text"), str):
        return first["text"]
    parts = (first, *(value.get(key) for key in _PARTS))
    return next((said for part in parts if (said := _in_chat(part)) is not _NO_CHAT), _NO_CHAT)


def _content(content: Any) -> Any:
    """Join the parts of a message's text."""
    if not isinstance(content, list):
        return content
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "".join(part for part in parts if isinstance(part, str))


def _evidence(source: Source) -> Evidence:
    row = first_object(source)
    decided = row.get(_ANSWER) in _DECISIONS if isinstance(row.get(_ANSWER), str) else False
    if isinstance(row.get("spans"), list) or decided or "_task_hash" in row:
        return Evidence.NONE
    try:
        found = _ANSWER in row or _in_chat(row) is not _NO_CHAT
    except (InputError, RecursionError):
        found = True
    return Evidence.CERTAIN if found else Evidence.NONE


register(Format("answers", "JSON lines of answers of a language model", _evidence, read_answers))


def read_text_lines(source: Source, options: AnswerLines) -> DocumentFile:
    """Read objects with `text`, or another key, and `id` and `tokens` where they are known; there are no spans.

    Raises:
        InputError: names the line, for an object without a text.
    """
    key = options.text_key or "text"
    return documents_of(source, (record_of(source, *row, key) for row in rows(source, "texts")))


def _evidence_of_texts(source: Source) -> Evidence:
    # a reference without spans is mostly one whose spans are not found
    return Evidence.POSSIBLE if isinstance(first_object(source).get("text"), str) else Evidence.NONE


register(Format("texts", "JSON lines of texts", _evidence_of_texts, read_text_lines))
