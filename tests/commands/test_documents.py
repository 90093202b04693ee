"""Files of documents with spans on the command line."""

import json

import pytest

CONLL = "Ada B-PER\nLovelace I-PER\nwrote O\n. O\n\nIn O\nRome B-LOC\n"
TEXTS = ["Ada Lovelace wrote.", "In Rome"]
SPANS = [[[0, 12, "PER"]], [[3, 7, "LOC"]]]


def doccano(texts=TEXTS, spans=SPANS):
    rows = zip(texts, spans, strict=True)
    return "".join(
        json.dumps({"id": n, "text": text, "label": found, "Comments": []}) + "\n"
        for n, (text, found) in enumerate(rows)
    )


def lines(texts=TEXTS, spans=SPANS, **more):
    keys = ("start", "end", "label")
    return "".join(
        json.dumps({"text": text, "spans": [dict(zip(keys, span, strict=True)) for span in found], **more}) + "\n"
        for text, found in zip(texts, spans, strict=True)
    )


def studio(texts=TEXTS, spans=SPANS):
    def region(text, start, end, label):
        value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
        return {"type": "labels", "from_name": "label", "value": value}

    return json.dumps(
        [
            {
                "id": number,
                "data": {"text": text},
                "annotations": [{"completed_by": 1, "result": [region(text, *span) for span in found]}],
            }
            for number, (text, found) in enumerate(zip(texts, spans, strict=True))
        ]
    )


FORMS = {"conll": CONLL, "doccano.jsonl": doccano(), "spans.jsonl": lines(), "studio.json": studio()}


@pytest.mark.parametrize("form", FORMS)
def test_standard_input(run, file, standard_input, form):
    standard_input(FORMS[form].encode())
    arguments = ["-", file("gold.jsonl", doccano()), "--measures", "span_f", "--score-only"]
    assert run("score", *arguments)[:2] == (0, "1.0000\n")
