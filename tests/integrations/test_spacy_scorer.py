"""Our measures in a configuration of spaCy, with `spacy evaluate`."""

import configparser
import json
from importlib import import_module
from pathlib import Path

import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")

from spacy.cli.evaluate import evaluate  # noqa: E402
from spacy.tokens import DocBin  # noqa: E402

from spanometer.integrations.spacy import span_scorer  # noqa: E402
from tests.answer_samples import ENTITIES, TEXTS  # noqa: E402

NAME = "spanometer.span_scorer.v1"
# an installation from before the entry point does not have it
spacy.registry.scorers.register(NAME, func=span_scorer)


def documents(language, rows, spans_key=None):
    for text, entities in zip(TEXTS, rows, strict=True):
        document = language.make_doc(text)
        spans = [document.char_span(start, end, label) for label, _, start, end in entities]
        if spans_key is None:
            document.set_ents(spans)
        else:
            document.spans[spans_key] = spans
        yield document


def test_evaluate(tmp_path):
    language = spacy.blank("en")
    scorer = {"@scorers": NAME, "measures": "span_f,link_f,token_f(format=IO)"}
    ruler = language.add_pipe("entity_ruler", config={"scorer": scorer})
    ruler.add_patterns([{"label": label, "pattern": mention} for row in ENTITIES for label, mention, *_ in row[:2]])
    language.to_disk(tmp_path / "model")
    assert NAME in (tmp_path / "model" / "config.cfg").read_text()
    DocBin(docs=documents(language, ENTITIES)).to_disk(tmp_path / "dev.spacy")
    found = evaluate(str(tmp_path / "model"), tmp_path / "dev.spacy", output=tmp_path / "scores.json")
    assert found["ents_r"] == found["span_f_recall"] == 18 / 22
    assert found["ents_p"] == found["span_f_precision"] == 1
    assert {"link_f_f1", "token_f_f1"} <= found.keys()
    assert json.loads((tmp_path / "scores.json").read_text())["ents_f"] == found["span_f_f1"] == 36 / 40


def test_groups_of_spans():
    language = spacy.blank("en")
    gold, predicted = (list(documents(language, rows, "sc")) for rows in (ENTITIES, [[], *ENTITIES[1:]]))
    examples = [spacy.training.Example(*pair) for pair in zip(predicted, gold, strict=True)]
    assert span_scorer(spans_key="sc")(examples)["spans_sc_r"] == 19 / 22
    assert span_scorer()([]) == {}


def test_the_entry_point():
    settings = configparser.ConfigParser()
    settings.read(Path(__file__).parents[2] / "setup.cfg")
    name, value = settings["options.entry_points"]["spacy_scorers"].strip().split(" = ")
    module, function = value.split(":")
    assert (name, getattr(import_module(module), function)) == (NAME, span_scorer)
