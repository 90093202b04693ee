"""Extraction of answers from the responses of APIs, batches, chats and evaluation tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ...exceptions import InputError, shown

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
        InputError: if a chat has no message of the assistant.
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
    status = response.get("status_code") if isinstance(response, dict) else None
    for part in (row, result, response):
        if isinstance(part, dict) and (part.get("type") in _FAILED or part.get("status") in _FAILED):
            raise _failure(part.get("error") or part.get("type") or part.get("status"))
    if isinstance(status, int) and status >= 400:
        raise _failure((response or {}).get("body"))
    if row.get("error") and not any(row.get(key) for key in ("response", "choices", "output", "message")):
        raise _failure(row["error"])


def _failure(error: Any) -> FailedRequest:
    while isinstance(error, dict):
        error = error.get("message") or error.get("error") or error.get("code") or error.get("type") or "no reason"
    return FailedRequest(f"is a request that failed ({shown(error)}).")


def _in_list(values: Sequence[Any]) -> Any:
    """Return the answer in a list of messages, of parts of a message, or of one response."""
    messages = list(filter(_is_message, values))
    if any(_calls(value) for value in values if not _is_message(value)):
        return _joined(values)
    if messages:
        spoken = [message for message in messages if message.get("role", message.get("from")) in _ASSISTANTS]
        if not spoken:
            raise InputError("is a chat without a message of the assistant.", "Leave the line out, or add the answer.")
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
    texts: list[str] = []
    for part in parts:
        arguments = _calls(part)
        if arguments:
            calls += arguments
        elif _is_message(part):
            inner = _in_message(part)
            texts += [inner] if isinstance(inner, str) else []
        else:
            text = part.get("text") if isinstance(part, dict) and not part.get("thought") else part
            texts += [text] if isinstance(text, str) else []
    if len(calls) == 1:
        return calls[0]
    if calls:
        return "\n".join(call if isinstance(call, str) else json.dumps(call) for call in calls)
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
    place = path.find(".")
    while place >= 0:
        if path[:place] in value:
            return part_at(value[path[:place]], path[place + 1 :])
        place = path.find(".", place + 1)
    return value, path


def are_mentions(entities: Any) -> bool:
    """Check whether these are mentions without offsets: GLiNER2's mentions by label, or the words of a pipeline."""
    if isinstance(entities, dict):
        lists = [value if isinstance(value, list) else [value] for value in entities.values()]
        return bool(lists) and all(isinstance(mention, str) for mentions in lists for mention in mentions)
    return _are_objects(entities, "word", "entity_group")


def _are_objects(entities: Any, mention: str, label: str) -> bool:
    """Check whether this is a list of objects that have a mention and a label under these keys, and no offsets."""
    return (
        isinstance(entities, list)
        and bool(entities)
        and all(
            isinstance(part, dict)
            and {mention, label} <= part.keys()
            and not any(isinstance(value, (int, list, dict)) for value in part.values())
            for part in entities
        )
    )
