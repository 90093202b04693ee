"""`spanometer.score`: plain lists in, a report out."""

import json
import random
import subprocess
import sys

import pyarrow as pa
import pytest

import spanometer
from entity_corpora import random_entity_documents
from random_corpora import random_pair
from random_tags import random_tags
from spanometer import Spans
from spanometer.measures import MEASURES, ChanceKappaF1, Eter, SlIcm, SpanAttribute, SpanF
from spanometer.spans.attributes import Attributes
from spanometer.spans.entities import Entities

REFERENCES = [["B-ORG", "I-ORG", "O", "B-PER"], ["O", "B-PER"]]
PREDICTIONS = [["B-ORG", "I-ORG", "O", "O"], ["B-PER", "B-PER"]]


def test_by_hand():
    # two of three predicted spans are right, two of three reference spans found; PER: one of two and one of two
    report = spanometer.score(REFERENCES, PREDICTIONS)
    result = report.measures["span_f"]
    assert result.scores == {"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3}
    assert result.per_label["PER"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "support": 2}
    assert result.counts == {"both": 2, "predicted": 3, "reference": 3}
    assert result.signature.startswith(
        "span_f|scheme:IOB2|repair:conlleval|match_labels:yes|average:micro|zero_division:0|v:"
    )
    assert (report.documents, report.tokens, report.reference_spans, report.predicted_spans) == (2, 6, 3, 3)


@pytest.mark.filterwarnings("ignore:nothing was scored")
@pytest.mark.parametrize("seed", range(6))
def test_every_measure_of_spans(seed):
    references, predictions, lengths = random_pair(seed, "flat")
    sides = [
        [
            [{"start": min(tokens), "end": max(tokens) + 1, "label": label} for label, tokens in document]
            for document in side
        ]
        for side in (references, predictions)
    ]
    pair = [Spans.from_dicts(side, lengths=lengths) for side in sides]
    expected = {name: measure().counts(*pair).score() for name, measure in MEASURES.items()}
    for given in (sides, pair, [spans.to_arrow() for spans in pair]):
        report = spanometer.score(*given, measures=list(MEASURES), lengths=lengths)
        assert {result.name: result.scores for result in report.results} == expected
    # spans of two labels may overlap, which tags cannot write
    generator = random.Random(seed)
    tags = [[random_tags(generator, "IOB2", length) for length in lengths] for _ in sides]
    pair = [Spans.from_tags(side, scheme="IOB2") for side in tags]
    expected = {name: measure().counts(*pair).score() for name, measure in MEASURES.items()}
    for given in (tags, [pa.array(side, pa.list_(pa.string())) for side in tags]):
        report = spanometer.score(*given, measures=list(MEASURES), scheme="IOB2")
        assert {result.name: result.scores for result in report.results} == expected


def test_fragments():
    parted = [[{"label": "DRUG", "fragments": [[0, 1], [3, 5]]}, {"label": "DRUG", "fragments": [[7, 8]]}]]
    report = spanometer.score(parted, [parted[0][:1]])
    assert report.results[0].scores["recall"] == 0.5
    assert "|input:fragments|" in report.results[0].signature


def test_entities_are_scored_by_eter():
    references, predictions = random_entity_documents(random.Random(1))
    report = spanometer.score(references, predictions)
    expected = Eter().counts(Entities.from_dicts(references), Entities.from_dicts(predictions)).score()
    assert report.measures["eter"].scores == expected
    assert "entities" in report.size
    with pytest.warns(UserWarning, match="nothing was scored: neither side has a span or an entity"):
        assert spanometer.score([[], []], [[], []], measures="eter").eter == 0


def test_attributes():
    references = [[{"start": 0, "end": 1, "label": "X", "attributes": {"negated": True}}]]
    predictions = [[{"start": 0, "end": 1, "label": "X", "attributes": {"negated": False}}]]
    measure = SpanAttribute(default_values={"negated": False})
    report = spanometer.score(references, predictions, measures=measure)
    pair = [Attributes.from_dicts(side) for side in (references, predictions)]
    assert report.results[0].scores == measure.counts(*pair).score()
    assert report.flat()["span_attribute_negated_r"] == 0
    # the same spans without asking for attributes
    assert spanometer.score(references, predictions).flat()["span_f_f1"] == 1


def test_options_go_to_the_measures_that_have_them():
    asked = ["span_f", "intersection_f", ChanceKappaF1()]
    report = spanometer.score(REFERENCES, PREDICTIONS, measures=asked, average="macro", cap=True)
    assert [result.measure.average for result in report.results] == ["macro", "macro", "micro"]
    assert report.measures["intersection_f"].measure.cap


def test_results_with_names_of_their_own():
    measures = {"micro": SpanF(), "macro": SpanF(average="macro"), "plain": "span_f"}
    report = spanometer.score(REFERENCES, PREDICTIONS, measures=measures, average="weighted")
    assert [result.measure.average for result in report.results] == ["micro", "macro", "weighted"]
    assert list(report.to_dict()["measures"]) == ["micro", "macro", "plain"]
    # ORG is right, PER half right: the mean of 1 and 1/2
    assert report.flat()["macro_f1"] == 0.75


def test_intervals():
    options = {"confidence": 0.9, "n_resamples": 50, "interval_method": "percentile", "seed": 3}
    report = spanometer.score(REFERENCES, PREDICTIONS, measures=["span_f", "chance_kappa_f1"], **options)
    low, high = report.measures["span_f"].intervals["f1"]
    assert 0 <= low <= 2 / 3 <= high <= 1
    assert "confidence:0.9|interval_method:percentile|n_resamples:50|seed:3|" in report.measures["span_f"].signature
    assert report.measures["chance_kappa_f1"].measure.seed == 3
    assert (report.flat()["span_f_f1_low"], report.flat()["span_f_f1_high"]) == (low, high)


def test_flat():
    report = spanometer.score(REFERENCES, PREDICTIONS, measures=["span_f", SlIcm()])
    assert list(report.flat()) == ["span_f_precision", "span_f_recall", "span_f_f1", "sl_icm", "sl_icm_norm"]
    found = report.flat(per_label=True)
    assert found["span_f_PER_f1"] == 0.5
    assert found["span_f_PER_support"] == 2
    assert found["sl_icm_ORG_norm"] == report.measures["sl_icm"].per_label["ORG"]["sl_icm_norm"]
    assert {type(value) for value in found.values()} == {float, int}
    json.dumps(found, allow_nan=False)
    named = spanometer.score([["B-macro"]], [["O"]], measures={"f": SpanF(), "f_macro": SpanF()})
    assert named.flat()["f_macro_f1"] == 0


def test_without_the_frameworks(tmp_path):
    # the core, and the command line, where evaluate and datasets cannot be imported
    script = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("evaluate", "datasets", "pandas", "huggingface_hub"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
import spanometer
from spanometer.commands.main import main
from spanometer.measures import MEASURES
report = spanometer.score([["B-X", "O"]], [["B-X", "B-X"]], measures=list(MEASURES), confidence=0.9, n_resamples=5)
assert report.measures["span_f"].scores["precision"] == 0.5
assert spanometer.agreement([[["B-X"]], [["B-X"]]]).f1[0, 1] == 1
assert main(["score", sys.argv[1], sys.argv[1]]) == 0
assert main(["compare", sys.argv[1], sys.argv[1], sys.argv[1], "--n-resamples", "10"]) == 0
assert main(["validate", sys.argv[1]]) == 0
assert main(["demo"]) == 0
try:
    spanometer.load("span_f")
except spanometer.InputError as error:
    print(error, file=sys.stderr)
try:
    main(["--help"])
except SystemExit as end:
    assert end.code == 0
"""
    (file := tmp_path / "file.conll").write_text("Ada B-PER\nfell O\n\nBob B-PER\n")
    run = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "evaluate cannot be imported" in run.stderr
    assert "Traceback" not in run.stderr


def test_files(tmp_path):
    gold, system = tmp_path / "gold.conll", tmp_path / "system.jsonl"
    gold.write_text("Ada B-PER\nLovelace I-PER\nslept O\n")
    system.write_text('{"text": "Ada Lovelace slept", "spans": [{"start": 0, "end": 10, "label": "PER"}]}\n')
    files = spanometer.read(gold), spanometer.read(system)
    with pytest.warns(UserWarning, match="predictions: 1 span moved by 2 characters to fit tokens"):
        report = spanometer.score(*files, to_tokens="overlap", measures=["span_f", "token_f"], average="macro")
    assert report.measures["span_f"].scores["f1"] == report.measures["token_f"].scores["f1"] == 1
    assert "|unit:token|to_tokens:overlap|" in report.measures["span_f"].signature
    assert spanometer.score(*files, unit="character").measures["span_f"].scores["f1"] == 0
    assert spanometer.score(files[0], files[0]).measures["span_f"].scores["f1"] == 1
