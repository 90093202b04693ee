"""Documents of langextract, extracted by the library itself with a model that says what the test wants."""

import json
import warnings

import pytest

pytest.importorskip("langextract", reason="langextract is not installed")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import langextract as lx
    from langextract.core.base_model import BaseLanguageModel
    from langextract.core.types import ScoredOutput

import spanometer
from spanometer import InputError
from spanometer.commands.main import main
from spanometer.grounding import GroundingPolicy, ground
from spanometer.integrations.language_models import from_langextract

TEXT = "Ann met Bob in Rome. Ann liked Rome."
SAID = [("PER", "Ann"), ("PER", "bob"), ("LOC", "Rome"), ("PER", "Ann"), ("ORG", "Acme Limited")]
GOLD = [
    {"start": 0, "end": 3, "label": "PER"},
    {"start": 8, "end": 11, "label": "PER"},
    {"start": 15, "end": 19, "label": "LOC"},
    {"start": 21, "end": 24, "label": "PER"},
    {"start": 31, "end": 35, "label": "LOC"},
]


class Model(BaseLanguageModel):
    """Says the same to every prompt."""

    def infer(self, batch_prompts, **_):
        output = json.dumps({"extractions": [{label: mention, f"{label}_attributes": {}} for label, mention in SAID]})
        for _prompt in batch_prompts:
            yield [ScoredOutput(score=1.0, output=output)]


@pytest.fixture(scope="module")
def document():
    example = lx.data.ExampleData(text="Eve", extractions=[lx.data.Extraction("PER", "Eve")])
    options = {"fence_output": False, "use_schema_constraints": False, "show_progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lx.extract(TEXT, "Find the names.", examples=[example], model=Model(), **options)


def bounds(spans):
    return [(span["start"], span["end"], span["label"]) for span in spans.to_dicts()[0]]


def test_where_langextract_found_them(document):
    given = from_langextract(document)
    found = [(one.extraction_class, one.char_interval) for one in document.extractions]
    assert [item.start for item in given["answers"][0].items] == [each and each.start_pos for _, each in found]
    trusted = ground(**given, policy=GroundingPolicy(offsets="trust"))
    placed = sorted((each.start_pos, each.end_pos, label) for label, each in found if each is not None)
    assert bounds(trusted.spans) == placed == [(0, 3, "PER"), (8, 11, "PER"), (15, 19, "LOC"), (21, 24, "PER")]
    # what it did not find is a predicted span all the same
    assert trusted.wrong_mention == ("Acme Limited",)


def test_the_point_that_is_called_after_it(document):
    assert bounds(ground(**from_langextract([document]), policy="langextract").spans) == [
        (0, 3, "PER"),
        (8, 11, "PER"),
        (15, 19, "LOC"),
        (21, 24, "PER"),
    ]
    # case counts there
    assert ground(**from_langextract([document])).wrong_mention == ("bob", "Acme Limited")


def test_the_lines_that_it_writes(document, tmp_path, capsys):
    """As it found them, or as answers, which are looked for again."""
    lx.io.save_annotated_documents([document], tmp_path, "out.jsonl", show_progress=False)
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": document.document_id, "text": TEXT, "spans": GOLD}) + "\n")
    found = spanometer.read(tmp_path / "out.jsonl")
    assert len(found.spans) == 4
    assert found.left_out == ("line 1: 'Acme Limited' of 'ORG', which has no offsets.",)

    def scored(*options):
        arguments = ["score", str(gold), str(tmp_path / "out.jsonl"), "--measures", "span_f", "--json", *options]
        assert main(arguments) == 0
        return json.loads(capsys.readouterr().out)["measures"]["span_f"]

    assert scored()["scores"]["precision"] == 1
    answers = scored("--answer-key", "extractions", "--grounding", "langextract")
    assert (answers["scores"]["precision"], answers["scores"]["recall"]) == (0.8, 0.8)
    assert "|grounding:~langextract|" in answers["signature"]


def test_what_is_no_document():
    with pytest.raises(InputError, match="document 0: 'x' is not a document with a text"):
        from_langextract(["x"])
