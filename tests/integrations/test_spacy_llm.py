"""Answers that spacy-llm keeps, of its own tasks with a model that says what the test wants."""

import warnings
from typing import Any, Iterable  # noqa: UP035 (spacy-llm looks at the name)

import pytest

pytest.importorskip("spacy_llm", reason="spacy-llm is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from spacy.tokens import DocBin
    from spacy_llm.registry import registry
    from spacy_llm.util import assemble_from_config

import spanometer
from spanometer import InputError, Spans
from spanometer.grounding import NAMED, ground
from spanometer.integrations.language_models import from_spacy_llm

TEXTS = [
    "Ann met Bob in Rome. Ann liked Rome, Italy.",
    "An apple for Apple",
    "Paris Hilton in Paris",
    "Romania and Oman",
    "Nobody.",
]
SAID = [
    "PER: Ann, bob\nLOC: Rome, Italy\nORG: Acme",
    "ORG: Apple",
    "PER: Paris Hilton\nLOC: Paris",
    "LOC: Oman, Romania",
    "",
]
REASONED = [
    "1. Ann | True | PER | a person\n2. Bob | False | PER | no\n3. Rome | True | LOC | a town\n4. Ann | True | PER | x",
    "1. Apple | True | ORG | a firm",
    "1. Paris Hilton | True | PER | a person\n2. Paris | True | LOC | a town",
    "1. Oman | True | LOC | x\n2. Romania | True | LOC | y",
    "none",
]
CONFIG = """
[nlp]
lang = "en"
pipeline = ["llm"]

[components]

[components.llm]
factory = "llm"
save_io = true

[components.llm.task]
@llm_tasks = "spacy.{task}"
labels = ["PER", "LOC"]
{more}

[components.llm.model]
@llm_models = "said.v1"
reasoned = {reasoned}
"""


@registry.llm_models("said.v1")
def said(reasoned: bool):
    """A model that answers by the text that is in the prompt."""

    def answer(prompt):
        found = [place for place, text in enumerate(TEXTS) if text in str(prompt)]
        return (REASONED if reasoned else SAID)[found[-1]]

    def model(prompts: Iterable[Iterable[Any]]) -> Iterable[Iterable[Any]]:
        for of_document in prompts:
            yield [answer(prompt) for prompt in of_document]

    return model


def processed(task, more="", reasoned=False):
    config = CONFIG.format(task=task, more=more, reasoned=str(reasoned).lower())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from confection import Config

        nlp = assemble_from_config(Config().from_str(config))
        return list(nlp.pipe(TEXTS))


def entities(documents):
    return [[(span.start_char, span.end_char, span.label_) for span in doc.ents] for doc in documents]


def bounds(spans):
    return [[(span["start"], span["end"], span["label"]) for span in row] for row in spans.to_dicts()]


@pytest.mark.parametrize(
    ("task", "more", "policy", "within_a_word"),
    [
        ("NER.v2", "", "spacy-llm-v2", [(0, 7, "LOC"), (12, 16, "LOC")]),
        ("NER.v2", "single_match = true", "spacy-llm-first", [(0, 7, "LOC")]),
        ("NER.v3", "", "spacy-llm-v3", [(0, 7, "LOC")]),
    ],
)
def test_the_named_policies_are_what_the_library_does(task, more, policy, within_a_word):
    """But where the first match is within a word: there the library gives up, and the policy looks on."""
    documents = processed(task, more, reasoned=task == "NER.v3")
    found = ground(**from_spacy_llm(documents), policy=policy, asked_labels=["PER", "LOC"])
    expected = entities(documents)
    assert expected.pop(3) == within_a_word
    ours = bounds(found.spans)
    assert (ours.pop(3) == within_a_word) == NAMED[policy].exact
    assert ours == expected
    assert sum(map(len, expected)) > 4


def test_strict_leaves_nothing_out():
    documents = processed("NER.v2")
    found = ground(**from_spacy_llm(documents), asked_labels=["PER", "LOC"])
    assert found.wrong_mention == ("bob", "Acme")
    assert found.total["items"] == 10


def test_documents_as_files(tmp_path):
    """spaCy's own files are read as they are; scores are those of the policy."""
    documents = processed("NER.v2")
    DocBin(docs=documents).to_disk(tmp_path / "system.spacy")
    gold = Spans.from_dicts([[{"start": 0, "end": 3, "label": "PER"}], [], [], [], []])
    grounded = ground(**from_spacy_llm(documents), policy="spacy-llm-v2", asked_labels=["PER", "LOC"])
    of_file = spanometer.score(spanometer.read(tmp_path / "system.spacy"), spanometer.read(tmp_path / "system.spacy"))
    assert of_file.predicted_spans == len(grounded.spans)
    report = spanometer.score(gold, grounded, measures="span_f")
    assert report.predicted_spans == len(grounded.spans)
    assert "|grounding:spacy-llm-v2|asked_labels:LOC,PER|" in report.measures["span_f"].signature


def test_a_document_without_an_answer():
    with pytest.raises(InputError, match="document 0: the document has no answer of 'other'"):
        from_spacy_llm(processed("NER.v2"), component="other")
