"""The modules under the real `evaluate`."""

import json
import math
import multiprocessing
import subprocess
import sys
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pyarrow as pa
import pytest

import spanometer
from spanometer import InputError
from spanometer.measures import MEASURES
from spanometer.module import CONFIGURATIONS

ROOT = Path(__file__).parents[1]

REFERENCES = [["B-PER", "I-PER", "O", "B-LOC"], ["O"], [], ["B-PER", "B-PER"]]
PREDICTIONS = [["B-PER", "O", "O", "B-LOC"], ["O"], [], ["B-PER", "I-PER"]]
SPAN_F = {"precision": 1 / 3, "recall": 1 / 4, "f1": 2 / 7}

REFERENCE_SPANS = [
    [{"start": 0, "end": 2, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}],
    [],
    [],
    [{"start": 0, "end": 1, "label": "PER"}, {"start": 1, "end": 2, "label": "PER"}],
]
PREDICTED_SPANS = [
    [{"start": 0, "end": 1, "label": "PER"}, {"start": 3, "end": 4, "label": "LOC"}],
    [],
    [],
    [{"start": 0, "end": 2, "label": "PER"}],
]


# what spans and fragments are scored by only where the documents' lengths are known
NEED_LENGTHS = ("chance_kappa_f1", "unitizing_alpha")


@pytest.fixture(params=MEASURES)
def name(request):
    return request.param


def load(name, *arguments, **options):
    return evaluate.load(str(ROOT / "metrics" / name), *arguments, **options)


def fragments_of(documents):
    return [
        [{"label": span["label"], "fragments": [[span["start"], span["end"]]]} for span in document]
        for document in documents
    ]


def test_load_and_compute(name):
    module = load(name)
    assert module.name == name
    result = module.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert list(result) == list(MEASURES[name].keys)
    assert all(type(value) is float for value in result.values())
    if name == "span_f":
        assert result == SPAN_F


def test_load_from_a_checkout_by_relative_path(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert evaluate.load(f"metrics/{name}").name == name


def test_load_by_name(name):
    expected = load(name).compute(predictions=PREDICTIONS, references=REFERENCES)
    for module in (spanometer.load(name), evaluate.load(spanometer.path(name))):
        assert module.compute(predictions=PREDICTIONS, references=REFERENCES) == expected
    assert spanometer.load(name, "spans").configuration == "spans"
    with pytest.raises(InputError, match="there is no module 'sequence_f'"):
        spanometer.load("sequence_f")


def test_configurations_agree(name):
    expected = load(name).compute(predictions=PREDICTIONS, references=REFERENCES, details=True)
    lengths = [len(document) for document in REFERENCES]
    for configuration, convert in (("spans", list), ("fragments", fragments_of)):
        module = load(name, configuration)
        for options in ({"lengths": lengths},) if name in NEED_LENGTHS else ({}, {"lengths": lengths}):
            result = module.compute(
                predictions=convert(PREDICTED_SPANS), references=convert(REFERENCE_SPANS), details=True, **options
            )
            assert result["signature"].startswith(f"{name}|input:{configuration}|")
            assert {key: result[key] for key in result if key != "signature"} == {
                key: expected[key] for key in expected if key != "signature"
            }


def test_unknown_configuration():
    with pytest.raises(InputError, match="Use one of 'tags', 'spans', 'fragments'"):
        load("span_f", "span")


def test_details(name):
    result = load(name).compute(predictions=PREDICTIONS, references=REFERENCES, details=True)
    keys = MEASURES[name].keys
    assert list(result) == [*keys, "per_label", "counts", "signature"]
    assert list(result["per_label"]) == ["LOC", "PER"]
    assert [values["support"] for values in result["per_label"].values()] == [1, 3]
    assert all(list(values) == [*keys, "support"] for values in result["per_label"].values())
    assert result["signature"].startswith(f"{name}|scheme:IOB2|repair:conlleval|")
    assert result["signature"].endswith(f"|average:micro|zero_division:0|v:{spanometer.__version__}")
    json.dumps(result)


def test_averages(name):
    module = load(name)
    per_label = module.compute(predictions=PREDICTIONS, references=REFERENCES, details=True)["per_label"]
    for key in MEASURES[name].keys:
        macro = module.compute(predictions=PREDICTIONS, references=REFERENCES, average="macro")[key]
        assert math.isclose(macro, (per_label["LOC"][key] + per_label["PER"][key]) / 2)
        weighted = module.compute(predictions=PREDICTIONS, references=REFERENCES, average="weighted")[key]
        assert math.isclose(weighted, (per_label["LOC"][key] + 3 * per_label["PER"][key]) / 4)


def test_add_and_add_batch(name):
    expected = load(name).compute(predictions=PREDICTIONS, references=REFERENCES)
    module = load(name)
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        module.add(prediction=prediction, reference=reference)
    assert len(module) == 4
    assert module.compute() == expected
    module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    module.add(prediction=PREDICTIONS[2], reference=REFERENCES[2])
    assert module.compute(predictions=PREDICTIONS[3:], references=REFERENCES[3:]) == expected
    # a batch may come in between single documents
    module.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    module.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert module.compute() == expected


def test_keep_in_memory(name):
    module = load(name, keep_in_memory=True)
    for _ in range(2):
        assert module.compute(predictions=PREDICTIONS, references=REFERENCES) == load(name).compute(
            predictions=PREDICTIONS, references=REFERENCES
        )


def test_other_rows(name):
    expected = load(name).compute(predictions=PREDICTIONS, references=REFERENCES)
    column = datasets.Dataset.from_dict({"tags": REFERENCES})["tags"]
    for convert in (
        lambda rows: [np.array(row, dtype="<U8") for row in rows],
        lambda rows: [np.array(row, dtype=object) for row in rows],
        lambda rows: [tuple(row) for row in rows],
        lambda rows: tuple(rows),
        lambda rows: [[np.str_(tag) for tag in row] for row in rows],
        lambda rows: [pa.array(row, pa.string()) for row in rows],
    ):
        assert load(name).compute(predictions=convert(PREDICTIONS), references=convert(REFERENCES)) == expected
    assert load(name).compute(predictions=PREDICTIONS, references=column) == expected
    square = np.array([["B-A", "I-A"], ["O", "B-A"]])
    assert load(name).compute(predictions=square, references=square)[MEASURES[name].headline] == 1.0


def test_numpy_offsets():
    spans = [[{"start": np.int64(0), "end": np.int32(2), "label": np.str_("A"), "text": "passed over"}]]
    assert load("span_f", "spans").compute(predictions=spans, references=spans)["f1"] == 1.0


def test_no_documents(name):
    result = load(name).compute(predictions=[], references=[])
    assert list(result) == list(MEASURES[name].keys)
    with pytest.raises(InputError, match="nothing to score"):
        load(name).compute()


def test_combine():
    combined = evaluate.combine([str(ROOT / "metrics" / name) for name in ("span_f", "bcubed", "sl_icm")])
    result = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert set(result) == {
        *(f"{name}_{key}" for name in ("span_f", "bcubed") for key in ("precision", "recall", "f1")),
        "sl_icm",
        "sl_icm_norm",
    }
    assert result["span_f_f1"] == SPAN_F["f1"]
    for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True):
        combined.add(prediction=prediction, reference=reference)
    assert combined.compute() == result


def test_save(tmp_path, name):
    result = load(name).compute(predictions=PREDICTIONS, references=REFERENCES, details=True)
    file = evaluate.save(tmp_path / "result.json", **result)
    written = json.loads(Path(file).read_text())
    assert {key: written[key] for key in result} == result


def run_process(number, root, cache, results):
    import evaluate

    module = evaluate.load(
        f"{root}/metrics/bcubed",
        num_process=2,
        process_id=number,
        experiment_id="two",
        cache_dir=cache,
    )
    half = slice(0, 2) if number == 0 else slice(2, 4)
    module.add_batch(predictions=PREDICTIONS[half], references=REFERENCES[half])
    results.put((number, module.compute(scheme="IOB2", details=True)))


def test_two_processes(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [
        context.Process(target=run_process, args=(number, str(ROOT), str(tmp_path), results)) for number in (0, 1)
    ]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=120) for _ in processes)
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == 0
    assert found[1] is None
    assert found[0] == load("bcubed").compute(predictions=PREDICTIONS, references=REFERENCES, details=True)


# errors

BAD_TAGS = {
    "None for a tag": (
        [["O"], ["B-A", None]],
        [["O"], ["B-A", "O"]],
        "predictions, document 1, token 1: None is not a tag",
    ),
    "a number for a tag": ([["O"], ["B-A", 3]], [["O"], ["B-A", "O"]], "document 1, token 1: 3 .of type int. is not"),
    "a number in NumPy": ([np.array([0, 1])], [["O", "O"]], "document 0, token 0: 0 .of type int. is not a tag"),
    "bytes": ([[b"O"]], [["O"]], "document 0, token 0: b'O' .of type bytes. is not a tag"),
    "NaN": ([["O", float("nan")]], [["O", "O"]], "document 0, token 1: nan"),
    "a string for a document": ([["O"], "B-A"], [["O"], ["B-A"]], "document 1: 'B-A' is not a document"),
    "a string for all": ("B-A", [["B-A"]], "'B-A' is not a list of documents"),
    "a list of tags": (["B-A", "O"], ["B-A", "O"], "document 0: 'B-A' is not a document"),
    "None for a document": ([None], [["O"]], "document 0: None is not a document"),
    "nested too deep": ([[["O"]]], [[["O"]]], "is not a tag"),
    "a lone surrogate": ([["B-\ud800"]], [["O"]], "document 0, token 0"),
    "unequal lengths": ([["O"], ["O", "O"]], [["O"], ["O"]], "document 1: 2 predicted tags, 1 reference tags"),
    "unequal counts": ([["O"]], [["O"], ["O"]], "1 predicted documents, 2 reference documents"),
    "no references": ([["O"]], None, "there are no references"),
    "unknown prefix": ([["O"], ["O", "Z-A"]], [["O"], ["O", "O"]], "predictions, document 1, token 1: 'Z-A' has no"),
    "suffix style": ([["A-B"]], [["O"]], "predictions, document 0, token 0: 'A-B' has its prefix behind its label"),
    "empty label": ([["B-"]], [["O"]], "predictions, document 0, token 0: 'B-' has an empty label"),
}


@pytest.mark.parametrize("case", BAD_TAGS)
def test_bad_tags(name, case):
    predictions, references, message = BAD_TAGS[case]
    module = load(name)
    with pytest.raises(InputError, match=message):
        module.compute(predictions=predictions, references=references)
    assert module.compute(predictions=PREDICTIONS, references=REFERENCES) == load(name).compute(
        predictions=PREDICTIONS, references=REFERENCES
    )


def span(start=0, end=1, label="A"):
    return {"start": start, "end": end, "label": label}


BAD_SPANS = {
    "end before start": ([[], [span(), span(3, 2)]], r"predictions, document 1, span 1: the end 2 is not behind"),
    "empty span": ([[], [span(1, 1)]], "the end 1 is not behind the start 1"),
    "negative": ([[], [span(-1, 1)]], "document 1, span 0: the start -1 is negative"),
    "empty label": ([[], [span(label="")]], "document 1, span 0: the label is empty"),
    "None label": ([[], [span(label=None)]], "the label None .of type NoneType. is not a string"),
    "number label": ([[], [span(label=3)]], "the label 3"),
    "float offset": ([[], [span(0.7, 2)]], "the start 0.7 .of type float. is not an integer"),
    "bool offset": ([[], [span(False, True)]], "the start False"),
    "text offset": ([[], [span("0", 1)]], "the start '0'"),
    "huge offset": ([[], [span(0, 2**70)]], "out of range"),
    "None offset": ([[], [span(None, 1)]], "the start None"),
    "missing key": ([[], [{"start": 0, "label": "A"}]], "has no 'end'"),
    "no dict": ([[], [(0, 1, "A")]], "is not a span"),
    "no list": ([[], span()], "is not a document"),
    "a list of spans": ([span(), span()], "is not a document"),
    "past the end": ([[], [span(2, 5)]], "ends at 5, but the document has 4 tokens"),
    "unequal counts": ([[]], "1 predicted documents, 2 reference documents"),
}


@pytest.mark.parametrize("case", BAD_SPANS)
def test_bad_spans(name, case):
    predictions, message = BAD_SPANS[case]
    module = load(name, "spans")
    with pytest.raises(InputError, match=message):
        module.compute(predictions=predictions, references=[[], [span(0, 2)]], lengths=[4, 4])
    result = module.compute(predictions=[[span()]], references=[[span()]], lengths=[8])
    assert result[MEASURES[name].headline] == 1.0


@pytest.mark.parametrize("name", NEED_LENGTHS)
def test_lengths_are_needed_where_spans_do_not_tell_them(name):
    for configuration, convert in (("spans", list), ("fragments", fragments_of)):
        module = load(name, configuration)
        documents = convert(REFERENCE_SPANS)
        with pytest.raises(InputError, match=r"lengths are not known.*\nGive them with lengths="):
            module.compute(predictions=documents, references=documents)
        result = module.compute(predictions=documents, references=documents, lengths=[5, 1, 0, 2])
        assert result[MEASURES[name].headline] == 1.0


@pytest.mark.parametrize("name", NEED_LENGTHS)
def test_discontinuous_spans_have_no_place_at_random(name):
    module = load(name, "fragments")
    good = [[{"label": "A", "fragments": [[0, 2], [2, 3]]}]]
    bad = [[{"label": "A", "fragments": [[1, 2], [4, 5]]}]]
    with pytest.raises(InputError, match="predictions, document 0, token 1: a span of 'A' is discontinuous"):
        module.compute(predictions=bad, references=good, lengths=[9])
    assert module.compute(predictions=good, references=good, lengths=[9])[MEASURES[name].headline] == 1.0


@pytest.mark.parametrize("name", NEED_LENGTHS)
def test_spans_that_overlap_within_one_side(name):
    module = load(name, "spans")
    nested = [[span(0, 4), span(1, 2)]]
    with pytest.raises(InputError, match="references, document 0, token 1: a span of 'A' overlaps another") as raised:
        module.compute(predictions=[[span()]], references=nested, lengths=[9])
    if name == "chance_kappa_f1":
        assert "placement='layers'" in raised.value.remedy
        assert "kappa_f1" in module.compute(predictions=[[span()]], references=nested, lengths=[9], placement="layers")


def test_simulations_of_the_module():
    module = load("chance_kappa_f1")
    sides = {"predictions": PREDICTIONS, "references": REFERENCES}
    result = module.compute(**sides, n_simulations=50, details=True)
    assert list(result)[:5] == ["f1", "chance_f1", "kappa_f1", "chance_f1_std", "p_value"]
    assert all(type(result[key]) is float for key in list(result)[:5])
    assert "|n_simulations:50|seed:0|" in result["signature"]
    assert module.compute(**sides, n_simulations=50, details=True) == result


BAD_FRAGMENTS = {
    "no fragments": ([], "the span has no fragments"),
    "one bound": ([[1]], r"the fragment \[1\] is not a pair"),
    "three bounds": ([[1, 2, 3]], "is not a pair"),
    "reversed": ([[4, 6], [2, 1]], "the end 1 is not behind the start 2"),
    "negative": ([[-2, 1]], "the start -2 is negative"),
    "float": ([[0, 1.5]], "has a bound that is not an integer"),
    "no list": (3, "is not a list of pairs|are not a list of pairs"),
    "flat": ([0, 2], "is not a pair"),
    "None": (None, "are not a list of pairs"),
}


@pytest.mark.parametrize("case", BAD_FRAGMENTS)
def test_bad_fragments(case):
    fragments, message = BAD_FRAGMENTS[case]
    module = load("link_f", "fragments")
    good = [{"label": "A", "fragments": [[0, 2], [3, 4]]}]
    with pytest.raises(InputError, match=message) as raised:
        module.compute(predictions=[good, [*good, {"label": "A", "fragments": fragments}]], references=[good, good])
    assert (raised.value.side, raised.value.document, raised.value.span) == ("predictions", 1, 1)
    assert module.compute(predictions=[good], references=[good])["f1"] == 1.0


BAD_OPTIONS = {
    "unknown": ({"avrage": "macro"}, "has no option 'avrage'.\nDid you mean 'average'"),
    "average": ({"average": "mean"}, "Use one of 'micro', 'macro', 'weighted'"),
    "scheme": ({"scheme": "BIO"}, "Use one of 'IO', 'IOB1', 'IOB2'"),
    "repair": ({"repair": "strict"}, "Use one of 'conlleval'"),
    "zero_division": ({"zero_division": 0.5}, "Use 0.0, 1.0 or nan"),
    "zero_division warn": ({"zero_division": "warn"}, "Use 0.0, 1.0 or nan"),
    "details": ({"details": "yes"}, "True or False"),
    "lengths": ({"lengths": [1]}, "tags give the documents' lengths themselves"),
    "repair of scheme": ({"scheme": "IOE1", "repair": "convert"}, "needs a scheme with tags for B"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_found_before_any_data_is_touched(name, case):
    options, message = BAD_OPTIONS[case]
    module = load(name)
    module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    with pytest.raises(InputError, match=message):
        module.compute(predictions=[None], references=[None], **options)
    assert len(module) == 2
    assert module.compute(predictions=PREDICTIONS[2:], references=REFERENCES[2:]) == load(name).compute(
        predictions=PREDICTIONS, references=REFERENCES
    )


def test_a_bad_batch_leaves_the_good_ones():
    module = load("span_f")
    module.add_batch(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    with pytest.raises(InputError, match="document 3, token 0: None is not a tag"):
        module.add_batch(predictions=[["O"], [None]], references=[["O"], ["O"]])
    with pytest.raises(InputError, match="document 2: 1 predicted tags, 2 reference tags"):
        module.add(prediction=["O"], reference=["O", "O"])
    with pytest.raises(InputError, match="no such input"):
        module.add_batch(predictions=[["O"]], references=[["O"]], words=[["a"]])
    with pytest.raises(InputError, match="no such input"):
        module.add(prediction=["O"], reference=["O"], words=["a"])
    with pytest.raises(InputError, match="is not a tag"):
        module.add(predictions=[["O"]], references=[["O"]])
    module.add_batch(predictions=PREDICTIONS[2:], references=REFERENCES[2:])
    assert module.compute() == SPAN_F


def test_wrong_data_leaves_nothing_behind():
    module = load("span_f")
    module.add_batch(predictions=[["X-A"]], references=[["O"]])
    with pytest.raises(InputError, match="X-A"):
        module.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert len(module) == 0
    files = list(Path(module.data_dir).glob("*.arrow"))
    assert module.compute(predictions=PREDICTIONS, references=REFERENCES) == SPAN_F
    assert list(Path(module.data_dir).glob("*.arrow")) == files


def test_scheme_and_repair_are_for_tags():
    module = load("span_f", "spans")
    with pytest.raises(InputError, match="scheme and repair are for tags"):
        module.compute(predictions=[[]], references=[[]], scheme="IOB2")


def test_raise_names_side_document_and_token():
    module = load("span_f")
    with pytest.raises(InputError, match="predictions, document 1, token 1: 'I-B' cannot follow 'B-A' in IOB2"):
        module.compute(predictions=[["O"], ["B-A", "I-B"]], references=[["O"], ["B-A", "I-A"]], repair="raise")


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_info(name, configuration):
    module = load(name, configuration)
    assert module.info.license == "Apache-2.0"
    assert module.description.strip() and module.inputs_description.strip() and module.citation.strip()
    assert set(module.features) == {"predictions", "references"}
    assert "scheme (str)" in module.compute.__doc__


def test_load_in_a_fresh_process_from_another_folder(tmp_path):
    code = (
        "import evaluate, spanometer; m = evaluate.load(spanometer.path('link_f')); "
        "print(m.compute(predictions=[['B-A', 'I-A']], references=[['B-A', 'I-A']]))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "{'precision': 1.0, 'recall': 1.0, 'f1': 1.0}\n"
