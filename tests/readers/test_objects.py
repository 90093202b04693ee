"""What systems return in Python, beside a reference with texts."""

import dataclasses
import json

import numpy as np
import pytest

import spanometer
from spanometer.exceptions import InputError
from spanometer.grounding import StringPolicy
from spanometer.readers.reading import read_objects
from tests.answer_samples import ENTITIES, FORMS, GOLD, LABELS, TEXTS

ANSWERS = FORMS["pairs"]


@dataclasses.dataclass
class Result:
    """A result as Presidio's analyzer returns it."""

    entity_type: str
    start: int
    end: int
    score: float

    def to_dict(self):
        return vars(self)


class Completion:
    """A response as OpenAI's client returns it."""

    def __init__(self, content):
        self.content = content

    def model_dump(self):
        return {"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": self.content}}]}


@dataclasses.dataclass
class Entity:
    """An entity as Stanza has it."""

    start_char: int
    end_char: int
    type: str


@dataclasses.dataclass
class Document:
    """A document as Stanza has it."""

    text: str
    entities: list
    sentences: tuple = ()


def of_spans(make):
    return [[make(start, end, label) for label, _, start, end in entities] for entities in ENTITIES]


def entity_group(start, end, label):
    score = {"score": np.float32(0.5), "word": "x"}
    return {"entity_group": label, **score, "start": start, "end": np.int64(end)}


OUTPUTS = {
    "Transformers": of_spans(entity_group),
    "GLiNER": of_spans(lambda start, end, label: {"start": start, "end": end, "label": label, "score": 0.5}),
    "GLiNER2": [
        {"entities": {label: [mention for own, mention, *_ in entities if own == label] for label in LABELS}}
        for entities in ENTITIES
    ],
    "Presidio": of_spans(lambda start, end, label: Result(label, start, end, 0.5)),
    "Stanza": list(map(Document, TEXTS, of_spans(Entity))),
    "answers": ANSWERS,
    "responses": list(map(Completion, ANSWERS)),
    "objects": GOLD,
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_of_systems(name):
    answers = {"grounding": "strict"} if name in ("answers", "responses") else {}
    assert spanometer.score(GOLD, OUTPUTS[name], **answers).flat()["span_f_f1"] == 1


def test_documents_of_spacy():
    spacy = pytest.importorskip("spacy")
    language = spacy.blank("en")
    documents = list(map(language, TEXTS))
    for document, entities in zip(documents, ENTITIES, strict=True):
        document.set_ents([document.char_span(start, end, label) for label, _, start, end in entities])
    assert spanometer.score(GOLD, documents).flat()["span_f_f1"] == 1
    assert spanometer.score(documents, OUTPUTS["answers"], grounding="strict").flat()["span_f_f1"] == 1


def test_answers_beside_a_file(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in GOLD))
    report = spanometer.score(spanometer.read(path), ANSWERS, grounding="uie", asked_labels=["PER", "LOC"])
    assert report.flat()["span_f_recall"] == 18 / 22
    assert "|grounding:uie|asked_labels:LOC,PER|" in report.measures["span_f"].signature


def test_comparisons_and_errors_of_answers():
    systems = {"good": ANSWERS, "empty": ["[]"] * 9 + [None]}
    options = {"grounding": "strict", "asked_labels": LABELS}
    compared = spanometer.compare(GOLD, systems, n_permutations=10, **options).measures["span_f"]
    assert [system.scores["f1"] for system in compared.systems.values()] == [1, 0]
    assert "|grounding:strict|asked_labels:LOC,ORG,PER|" in compared.signature
    found = spanometer.errors(GOLD, systems, **options)
    assert found.systems["empty"].counts["missing"] == 22
    assert found.systems["empty"].answers.to_dict()["broken"] == 1
    assert spanometer.errors(GOLD, OUTPUTS["Presidio"]).only.errors == 0


@pytest.mark.parametrize("policy", ["gollie", "salvage,keep,loose,set,drop,drop", StringPolicy(fold="case")])
def test_answers_as_strings(policy):
    report = spanometer.score(
        GOLD, [ANSWERS[0], *["[]"] * 9], grounding=policy, asked_labels=LABELS, confidence=0.9, n_resamples=9
    )
    assert report.measures["mention_f"].scores["recall"] == 3 / 22
    assert f"|grounding:{str(policy)[:6]}" in report.measures["mention_f"].signature


def test_objects_of_another_type():
    with pytest.raises(
        InputError, match=r"document 1: <object .* is neither an answer nor the result of a known pipeline"
    ):
        read_objects([[], object()], name="predictions")
