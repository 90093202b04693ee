"""Answers in the envelopes of programming interfaces, batches, chats and harnesses."""

import json

import pytest

import spanometer
from spanometer.readers.formats import detect

TEXT = "Ann saw Bob in Rome."
GOLD = {"id": "a", "text": TEXT, "spans": [{"start": 0, "end": 3, "label": "PER"}]}
ITEMS = {"entities": [{"text": "Ann", "label": "PER"}]}
ANSWER = json.dumps(ITEMS)
TOOL = {"id": "call_1", "type": "function", "function": {"name": "extract", "arguments": ANSWER}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [TOOL]}
CLAUDE = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "extract", "input": ITEMS}]

ENVELOPES = {
    "tool calls": {"id": "chatcmpl-1", "choices": [{"index": 0, "message": CALLING}]},
    "tool calls, parsed": {
        "choices": [{"message": {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ITEMS}}]}}]
    },
    "a function call": {
        "choices": [
            {"message": {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": ANSWER}}}
        ]
    },
    "a chat that calls": {"messages": [{"role": "user", "content": TEXT}, CALLING]},
    "Responses": {
        "id": "resp_1",
        "output": [{"type": "reasoning", "summary": []}, {"type": "function_call", "name": "f", "arguments": ANSWER}],
    },
    "Responses, text": {"output_text": ANSWER, "output": []},
    "Anthropic": {"id": "msg_1", "type": "message", "role": "assistant", "content": CLAUDE},
    "Anthropic, a batch": {
        "custom_id": "a",
        "result": {"type": "succeeded", "message": {"role": "assistant", "content": CLAUDE}},
    },
    "OpenAI, a batch": {
        "id": "batch_req_1",
        "custom_id": "a",
        "response": {"status_code": 200, "body": {"choices": [{"message": CALLING}]}},
        "error": None,
    },
    "Gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": ITEMS}}]}}]
    },
    "Gemini, text": {
        "key": "a",
        "response": {
            "candidates": [
                {"content": {"parts": [{"text": "Hm.", "thought": True}, {"text": ANSWER}], "role": "model"}}
            ]
        },
    },
    "Bedrock": {"output": {"message": {"role": "assistant", "content": [{"toolUse": {"name": "f", "input": ITEMS}}]}}},
    "Ollama": {"model": "m", "message": {"role": "assistant", "content": ANSWER}, "done": True},
    "Ollama, generate": {"model": "m", "response": ANSWER, "done": True},
    "sharegpt": {"conversations": [{"from": "human", "value": TEXT}, {"from": "gpt", "value": ANSWER}]},
    "lm-eval": {"doc_id": 0, "doc": {"text": TEXT}, "resps": [[ANSWER]], "filtered_resps": [ANSWER]},
    "LightEval": {"model_response": {"text": [ANSWER]}},
    "vLLM": {"request_id": "0", "prompt": TEXT, "outputs": [{"index": 0, "text": ANSWER}]},
    "text-generation-inference": [{"generated_text": ANSWER}],
    "GLiNER2": {"entities": {"PER": ["Ann"]}},
    "entities without offsets": {"id": "a", "entities": [{"text": "Ann", "type": "PER", "score": 0.5}]},
    "a pipeline without offsets": [{"entity_group": "PER", "score": 0.9, "word": "Ann"}],
    **{key: {"id": "a", key: ANSWER} for key in ("answer", "response", "completion", "output", "generated_text")},
    "an output that is a value": {"output": ITEMS},
}


@pytest.fixture
def read(file):
    return lambda *rows, name="answers.jsonl": spanometer.read(
        file("".join(f"{json.dumps(row)}\n" for row in rows), name)
    )


@pytest.mark.parametrize("row", ENVELOPES.values(), ids=ENVELOPES)
def test_envelopes(row, read, file):
    assert detect(file(json.dumps(row), "answers.jsonl")).name == "answers"
    gold = read(GOLD, name="gold.jsonl")
    assert spanometer.score(gold, read(row)).flat()["span_f_f1"] == 1
    # all at once, in one array
    answers = spanometer.read(file(json.dumps([{"id": "a", "answer": row}]), "array.json"))
    assert spanometer.score(gold, answers).flat()["span_f_f1"] == 1


def test_several_calls_are_one_answer(read):
    calls = [{"function": {"name": "f", "arguments": json.dumps({"PER": [name]})}} for name in ("Ann", "Bob")]
    answers = read({"choices": [{"message": {"role": "assistant", "tool_calls": calls}}]})
    assert list(answers.answers) == ['{"PER": ["Ann"]}\n{"PER": ["Bob"]}']


def test_the_last_message_of_a_chat_counts(read):
    other = {**CALLING, "tool_calls": [{"function": {"name": "look_up", "arguments": '{"query": "Rome"}'}}]}
    chat = [{"role": "user", "content": TEXT}, other, {"role": "tool", "content": "a town"}, CALLING]
    answers = read({"messages": chat}, {"messages": [*chat[:3], {"role": "assistant", "content": "None"}]})
    assert list(answers.answers) == [ANSWER, "None"]


@pytest.mark.parametrize(
    "failed",
    [
        {"custom_id": "b", "response": None, "error": {"code": "e", "message": "too slow"}},
        {"custom_id": "b", "response": {"status_code": 500, "body": {"error": {"message": "too slow"}}}, "error": None},
        {"custom_id": "b", "result": {"type": "errored", "error": {"type": "error", "error": {"message": "too slow"}}}},
    ],
)
def test_failed_requests_are_documents_without_items(failed, read):
    answers = read({"custom_id": "a", "answer": ANSWER}, failed)
    assert answers.left_out == ("line 2: the line is a request that failed ('too slow').",)
    gold = read(
        GOLD, {"id": "b", "text": "Bob slept.", "spans": [{"start": 0, "end": 3, "label": "PER"}]}, name="gold.jsonl"
    )
    report = spanometer.score(gold, answers)
    assert report.measures["span_f"].counts == {"both": 1, "predicted": 1, "reference": 2}


def test_keys_lead_into_lists(file):
    path = file(json.dumps({"all": [{"say": ANSWER}], "doc": {"text": TEXT}}), "answers.jsonl")
    answers = spanometer.read(path, format="answers", answer_key="all.0.say", text_key="doc.text")
    assert (list(answers.answers), answers.documents.texts) == ([ANSWER], (TEXT,))
