"""JSON lines of answers of language models, in the responses of APIs, batches, chats and test harnesses."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ...documents.document_file import DocumentFile, documents_of
from ...documents.layers import Record
from ...exceptions import InputError, all_of, setting, shown
from ...options import CheckedOptions, text
from ..formats import register
from ..source import Source
from .records import TAGS_KEY, WORDS_KEYS, Row, are_bounds, are_words, first_object, is_object, rows, value_in

NO_ANSWER = object()
"""The result for a value that is not a known kind of response."""

_PATHS = (
    # a bare answer, or the result of a chat, a harness or a library for one prompt
    *("answer", "messages", "conversations", "choices.0.message", "choices.0.text", "candidates.0.content"),
    *("filtered_resps.0", "resps.0.0", "model_response.text.0", "model_response.final_text.0", "predictions.0"),
    *("output_text", "outputs.0.text", "output.message", "output", "generated_text", "completion"),
    # a response in a line of a batch, and Ollama's response
    *("response.body", "response", "result.message", "body", "message", "prediction", "raw_output"),
)
"""The paths of answers in responses, in order of preference; dots lead into objects and lists."""

_BARE = ("answer", "output", "response", "prediction")
"""Keys whose value is the answer, unless it is another response."""

_ASSISTANTS = ("assistant", "gpt", "model", "chatbot", "bot", "ai")
_FAILED = ("errored", "expired", "canceled", "cancelled", "failed")
_ARGUMENTS = ("arguments", "input", "args")
"""The key of a tool call's arguments in the APIs of OpenAI and Mistral, of Anthropic, and of Gemini."""

_CALLS = ("function", "function_call", "functionCall", "function_calls", "toolUse", "tool_calls")
"""Keys that lead to one or several tool calls."""

_CALL_TYPES = ("tool_use", "function_call", "tool_call", "custom_tool_call")


class FailedRequest(InputError):
    """Raised if a line of a batch has an error instead of an answer."""


def answer_in(value: Any) -> Any:
    """Return the answer in a response: a text, the arguments of tool calls, or `NO_ANSWER`.

    In a chat, it is the assistant's last message. If a message calls tools, their arguments are the answer, not its
    text. Several texts or arguments are joined by newlines.

    Raises:
        FailedRequest: if a line of a batch has an error.
        InputError: if a chat has no assistant message.
    """
    if isinstance(value, list):
        return _in_list(value)
    if not isinstance(value, dict):
        return NO_ANSWER
    _require_success(value)
    if _is_message(value):
        return _in_message(value)
    for path in _PATHS:
        part, rest = part_at(value, path)
        if rest:
            continue
        answer = part if isinstance(part, str) else answer_in(part)
        if answer is not NO_ANSWER:
            return answer
        if path in _BARE and (path == "answer" or isinstance(part, (list, dict))):
            return part
    entities = value.get("entities")
    written = are_mentions(entities) or any(_are_objects(entities, "text", label) for label in ("label", "type"))
    return entities if written else NO_ANSWER


def _require_success(row: dict[str, Any]) -> None:
    result, response = row.get("result"), row.get("response")
    reasons = [
        part.get("error") or part.get("type") or part.get("status")
        for part in (row, result, response)
        if isinstance(part, dict) and (part.get("type") in _FAILED or part.get("status") in _FAILED)
    ]
    status = value_in(response, "status_code")
    if isinstance(status, int) and status >= 400:
        reasons.append(value_in(response, "body"))
    if row.get("error") and not any(row.get(key) for key in ("response", "choices", "output", "message")):
        reasons.append(row["error"])
    for reason in reasons:
        while isinstance(reason, dict):
            parts = (reason.get(key) for key in ("message", "error", "code", "type"))
            reason = next(filter(None, parts), "no reason")
        raise FailedRequest(f"is a request that failed ({shown(reason)}).")


def _in_list(values: Sequence[Any]) -> Any:
    """Return the answer in a list of messages, of parts of a message, or of one response."""
    messages = list(filter(_is_message, values))
    if any(_calls(value) for value in values if not _is_message(value)):
        return _joined(values)
    if messages:
        spoken = [message for message in messages if message.get("role", message.get("from")) in _ASSISTANTS]
        if not spoken:
            raise InputError("is a chat without an assistant message.", "Leave the line out, or add the answer.")
        return _in_message(spoken[-1])
    if values and are_mentions(values):
        return list(values)
    return answer_in(values[0]) if len(values) == 1 and isinstance(values[0], dict) else NO_ANSWER


def _is_message(value: Any) -> bool:
    keys = ("content", "parts", "tool_calls", "function_call")
    return isinstance(value, dict) and (
        ("role" in value and any(key in value for key in keys)) or ("from" in value and "value" in value)
    )


def _in_message(message: dict[str, Any]) -> Any:
    content = next((message[key] for key in ("content", "parts", "value") if key in message), None)
    parts = content if isinstance(content, list) else [content]
    return _joined([*parts, *(message[key] for key in ("tool_calls", "function_call") if message.get(key))])


def _joined(parts: Iterable[Any]) -> Any:
    """Join the arguments of all tool calls in a message, or its texts if there are no calls; None if it has neither."""
    calls: list[Any] = []
    texts: list[Any] = []
    for part in parts:
        calls += (arguments := _calls(part))
        if not arguments and _is_message(part):
            texts.append(_in_message(part))
        elif not arguments:
            texts.append(part.get("text") if isinstance(part, dict) and not part.get("thought") else part)
    if len(calls) > 1:
        return "\n".join(call if isinstance(call, str) else json.dumps(call) for call in calls)
    if calls:
        return calls[0]
    texts = [text for text in texts if isinstance(text, str)]
    return "".join(texts) if texts else None


def _calls(part: Any) -> list[Any]:
    """Return the arguments of all tool calls in a part of a message."""
    if isinstance(part, list):
        return [call for each in part for call in _calls(each)]
    if not isinstance(part, dict):
        return []
    for key in _CALLS:
        if isinstance(part.get(key), (dict, list)):
            return _calls(part[key])
    if part.get("type") in _CALL_TYPES or ("name" in part and "text" not in part):
        return next(([part[key]] for key in _ARGUMENTS if isinstance(part.get(key), (str, dict, list))), [])
    return []


def part_at(value: Any, path: str) -> tuple[Any, str]:
    """Follow a path into a value. Returns the value that is reached, and the rest of the path.

    Dots in a path lead into objects and lists, or are part of a key.
    """
    if isinstance(value, list):
        head, _, rest = path.partition(".")
        return part_at(value[int(head)], rest) if head.isdecimal() and int(head) < len(value) else (value, path)
    if not isinstance(value, dict):
        return value, path
    if path in value:
        return value[path], ""
    names = path.split(".")
    for size in range(1, len(names)):
        if (head := ".".join(names[:size])) in value:
            return part_at(value[head], ".".join(names[size:]))
    return value, path


def are_mentions(entities: Any) -> bool:
    """Check whether these are mentions without offsets: GLiNER2's mentions by label, or the words of a pipeline."""
    if isinstance(entities, dict):
        lists = [value if isinstance(value, list) else [value] for value in entities.values()]
        return bool(lists) and all(isinstance(mention, str) for mention in chain(*lists))
    return _are_objects(entities, "word", "entity_group")


def _are_objects(entities: Any, mention: str, label: str) -> bool:
    """Check whether this is a list of objects that have a mention and a label under these keys, and no offsets."""
    return (
        isinstance(entities, list)
        and bool(entities)
        and all(is_object(part, mention, label) for part in entities)
        and not any(isinstance(value, (int, list, dict)) for part in entities for value in part.values())
    )


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


class AnswerLines(CheckedOptions):
    """Options for reading answers.

    By default, the key of an answer is `answer`, or the keys of a chat.

    Attributes:
        answer_key: key of the answers. For nested objects, use dots, as in answers.gpt-4o. For several systems, name
            one key for each, separated by commas.
        text_key: the key of the text, by default `text`; texts can also come from the other side.
    """

    answer_key: str | None = text("KEY", topic="answers")
    text_key: str | None = text("KEY", "key of the text, in files of answers and in Label Studio tasks")


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
        for row in _documents(source):
            where = row.place or "the line"
            record = record_of(row, options.text_key)
            try:
                answers.append(_answer(row.value, options.answer_key))
            except FailedRequest as error:
                answers.append("")
                record.lost.append((row.line, f"{where} {error.problem}"))
            except InputError as error:
                raise row.refuse(f"{where} {error.problem}", error.remedy) from None
            yield record

    return replace(documents_of(source, records()), answers=answers)


def _documents(source: Source) -> list[Row]:
    """Return the rows; a single list of spans from a pipeline is one document."""
    documents = list(rows(source, "answers"))
    spans = [row.value for row in documents if row.place]
    return [Row(source, 1, "", spans)] if len(spans) == len(documents) and are_mentions(spans) else documents


def record_of(row: Row, text_key: str | None) -> Record:
    """Return an object's name, text and tokens.

    Raise an `InputError` if a text key is set but missing in the object.
    """
    text, tokens = row.get("text"), row.get("tokens")
    if text_key is not None:
        part, rest = part_at(row.value, text_key)
        text = text if rest else part
    if (text_key is not None or text is not None) and not isinstance(text, str):
        problem = f"{row.place or 'the line'} has no text under {text_key or 'text'!r}."
        raise row.refuse(problem, f"Set {setting('text_key')} to the key of the text.")
    # test harnesses number documents, and keep the original under `doc`
    named = row.value.get("doc", row.value) if isinstance(row.value, dict) else None
    names = (value_in(named, key) for key in _NAMES)
    return row.record(
        text=text,
        tokens=tokens if text is not None and are_bounds(tokens) else None,
        words=tokens if text is None and are_words(tokens) else None,
        id=next((name for name in names if _is_name(name)), None),
    )


def _is_name(value: Any) -> bool:
    return value is not None and not (isinstance(value, str) and _MADE_UP.match(value))


def _answer(row: Any, key: str | None) -> Any:
    """Return the answer of a row."""
    part, rest = (row, "") if key is None else part_at(row, key)
    if rest:
        remedy = f"{all_of('key', part, 'The')}." if part and isinstance(part, dict) else _REMEDY
        raise InputError(f"has no key {rest!r}.", remedy)
    answer = answer_in(part)
    if answer is not NO_ANSWER:
        return answer
    if key is not None or not isinstance(row, dict):
        return part
    if "entities" not in row:
        raise InputError(f"has no {_ANSWER!r}; {all_of('key', row)}.", _REMEDY)
    return row["entities"]


def _shows(source: Source) -> bool:
    row = first_object(source)
    decided = isinstance(row.get(_ANSWER), str) and row[_ANSWER] in _DECISIONS
    if isinstance(row.get("spans"), list) or decided or "_task_hash" in row:
        return False
    try:
        return answer_in(row) is not NO_ANSWER or answer_in([row]) is not NO_ANSWER
    except (InputError, RecursionError):
        return True


def _allows(source: Source) -> bool:
    row = first_object(source)
    return bool(row) and row.keys().isdisjoint(("text", TAGS_KEY, *WORDS_KEYS))


register("answers", "JSON lines with a language model's answers", _shows, read_answers, allows=_allows)


def read_text_lines(source: Source, options: AnswerLines) -> Iterator[Record]:
    """Read objects with `text` (or another key) and optional `id` and `tokens`, but no spans.

    Raises:
        InputError: if an object has no text; the error names the line.
    """
    return (record_of(row, options.text_key or "text") for row in rows(source, "texts"))


def _has_text(source: Source) -> bool:
    return isinstance(first_object(source).get("text"), str)


# last in detection: a reference without spans is usually one whose spans were not recognised
register("texts", "JSON lines with texts", None, read_text_lines, allows=_has_text)
