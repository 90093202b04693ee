"""Answers in the envelopes of programming interfaces, batches, chats and harnesses."""

import json

import pytest

import spanometer
from spanometer import InputError
from spanometer.readers.formats import detect
from tests.answer_samples import ENTITIES
from tests.answer_samples import GOLD as GOLD_ROWS

TEXT = "Ann saw Bob in Rome."
GOLD = {"id": "a", "text": TEXT, "spans": [{"start": 0, "end": 3, "label": "PER"}]}


def envelopes_of(name, text, entities):
    """The answer in every envelope."""
    items = {"entities": entities}
    answer = json.dumps(items)
    by_label = {label: [each["text"] for each in entities if each["label"] == label] for label in ("PER", "LOC", "ORG")}
    bare = [{"type": each["label"], "text": each["text"], "score": 0.5} for each in entities]
    words = [{"entity_group": each["type"], "word": each["text"], "score": 0.5} for each in bare]
    call = {"name": "f", "arguments": items}
    tool = {"id": "call_1", "type": "function", "function": {"name": "extract", "arguments": answer}}
    calling = {"role": "assistant", "content": None, "tool_calls": [tool]}
    claude = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "extract", "input": items}]

    return {
        "tool calls": {"id": "chatcmpl-1", "choices": [{"index": 0, "message": calling}]},
        "tool calls, parsed": {"choices": [{"message": {"role": "assistant", "tool_calls": [{"function": call}]}}]},
        "a function call": {
            "choices": [
                {"message": {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": answer}}}
            ]
        },
        "a chat that calls": {"messages": [{"role": "user", "content": text}, calling]},
        "Responses": {
            "id": "resp_1",
            "output": [
                {"type": "reasoning", "summary": []},
                {"type": "function_call", "name": "f", "arguments": answer},
            ],
        },
        "Responses, text": {"output_text": answer, "output": []},
        "Anthropic": {"id": "msg_1", "type": "message", "role": "assistant", "content": claude},
        "Anthropic, a batch": {
            "custom_id": name,
            "result": {"type": "succeeded", "message": {"role": "assistant", "content": claude}},
        },
        "OpenAI, a batch": {
            "id": "batch_req_1",
            "custom_id": name,
            "response": {"status_code": 200, "body": {"choices": [{"message": calling}]}},
            "error": None,
        },
        "Gemini": {
            "candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": items}}]}}]
        },
        "Gemini, text": {
            "key": name,
            "response": {
                "candidates": [
                    {"content": {"parts": [{"text": "Hm.", "thought": True}, {"text": answer}], "role": "model"}}
                ]
            },
        },
        "Bedrock": {
            "output": {"message": {"role": "assistant", "content": [{"toolUse": {"name": "f", "input": items}}]}}
        },
        "Ollama": {"model": "m", "message": {"role": "assistant", "content": answer}, "done": True},
        "Ollama, generate": {"model": "m", "response": answer, "done": True},
        "sharegpt": {"conversations": [{"from": "human", "value": text}, {"from": "gpt", "value": answer}]},
        "lm-eval": {"doc_id": 0, "doc": {"id": name, "text": text}, "resps": [[answer]], "filtered_resps": [answer]},
        "LightEval": {"model_response": {"text": [answer]}},
        "vLLM": {"request_id": "0", "prompt": text, "outputs": [{"index": 0, "text": answer}]},
        "text-generation-inference": [{"generated_text": answer}],
        "GLiNER2": {"entities": by_label},
        "entities without offsets": {"id": name, "entities": bare},
        "a pipeline without offsets": words,
        **{key: {"id": name, key: answer} for key in ("answer", "response", "completion", "output", "generated_text")},
        "an output that is a value": {"output": items},
    }


ANN = [{"text": "Ann", "label": "PER"}]
ENVELOPES = envelopes_of("a", TEXT, ANN)
ITEMS = {"entities": ANN}
ANSWER = json.dumps(ITEMS)
TOOL = {"id": "call_1", "type": "function", "function": {"name": "extract", "arguments": ANSWER}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [TOOL]}


@pytest.fixture
def read(file):
    return lambda *rows, name="answers.jsonl": spanometer.read(
        file("".join(f"{json.dumps(row)}\n" for row in rows), name)
    )


@pytest.mark.parametrize("name", ENVELOPES)
def test_ten_texts(name, read, file):
    items = [[{"text": mention, "label": label} for label, mention, *_ in entities] for entities in ENTITIES]
    rows = [envelopes_of(row["id"], row["text"], found)[name] for row, found in zip(GOLD_ROWS, items, strict=True)]
    gold = read(*GOLD_ROWS, name="gold.jsonl")
    assert spanometer.score(gold, read(*rows)).flat()["span_f_f1"] == 1
    assert detect(file(json.dumps(rows[0]), "answers.jsonl")).name == "answers"
    # all at once, in one array
    array = [{"id": gold["id"], "answer": row} for gold, row in zip(GOLD_ROWS, rows, strict=True)]
    answers = spanometer.read(file(json.dumps(array), "array.json"))
    assert spanometer.score(gold, answers).flat()["span_f_f1"] == 1
    # without the answer: an error, or a number
    for row in json.loads(json.dumps(rows).replace("entities", "e").replace("text", "t").replace('"word"', '"w"')):
        try:
            answers = read(*rows[:5], row)
        except InputError:
            continue
        assert answers.left_out or answers.answers[-1] != ""


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
