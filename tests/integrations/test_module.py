"""The modules under the real `evaluate`."""

import json
import math
import multiprocessing
import subprocess
import sys
import weakref
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pyarrow as pa
import pytest

import spanometer
from module_cases import (
    CASES,
    ETER,
    MODULES,
    NEED_LENGTHS,
    PREDICTED_SPANS,
    PREDICTIONS,
    REFERENCE_SPANS,
    REFERENCES,
    ROOT,
    SPAN_F,
    attributed,
    entity,
    fragments_of,
    load,
)
from spanometer import InputError
from spanometer.measures import MEASURES


@pytest.fixture(params=MEASURES)
def name(request):
    """A module of spans."""
    return request.param


@pytest.fixture(params=CASES)
def case(request):
    """Any module."""
    return CASES[request.param]


def test_load_and_compute(case):
    module = case.load()
    assert module.name == case.name
    result = module.compute(**case.sides)
    assert list(result) == case.keys
    if case.name == "span_attribute":
        assert all(tuple(values) == case.measure.keys for values in result.values())
        # 2.5 at 0.9 is wrong; "yes" has 1.0, True 0.5
        assert list(result["negated"].values()) == [2 / 3, 2 / 3, 2 / 3, 2, 3, 3, (1 + 2 / 3) / 3]
    else:
        assert all(type(value) is float for value in result.values())
    if case.name == "span_f":
        assert result == SPAN_F
    if case.name == "eter":
        assert math.isclose(result["eter"], ETER)


def test_a_cache_that_cannot_be_written(monkeypatch):
    def load(*_, **__):
        raise PermissionError(13, "Permission denied", "/home/nobody/.cache")

    monkeypatch.setattr(evaluate, "load", load)
    with pytest.raises(spanometer.InputError, match=r"cannot write into its cache .*/home/nobody") as caught:
        spanometer.load("span_f")
    assert "HF_HOME" in caught.value.remedy


@pytest.mark.parametrize("name", MODULES)
def test_load_by_name(name):
    case = CASES[name]
    for module in (spanometer.load(name), evaluate.load(spanometer.path(name))):
        assert module.configuration == case.configuration
        assert module.compute(**case.sides) == case.compute()
    other = {"eter": "markup", "mention_f": "mentions"}.get(name, "spans")
    assert spanometer.load(name, other).configuration == other


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


def test_details(case):
    result = case.compute(details=True)
    keys = case.measure.keys
    assert result["signature"].startswith(f"{case.name}|{case.reading}")
    assert result["signature"].endswith(f"|zero_division:0|v:{spanometer.__version__}")
    assert built_in(result)
    json.dumps(result)
    if case.name == "span_attribute":
        assert list(result) == [*case.keys, "counts", "signature", "curves"]
        assert [result[label]["support"] for label in case.labels] == [1, 3]
        return
    by_label = ["counts_per_label"]
    of_measures = {
        "eter": [*by_label, "muc_err"],
        "chance_kappa_f1": ["notes", "per_document"],
        "semeval_f": by_label,
        "fair_f": by_label,
    }
    own = of_measures.get(case.name, [])
    assert list(result) == [*keys, "per_label", "counts", "signature", *own]
    assert tuple(result["per_label"]) == case.labels
    assert [values["support"] for values in result["per_label"].values()] == [1, 3]
    assert all(list(values) == [*keys, "support"] for values in result["per_label"].values())
    assert "|average:micro|" in result["signature"]


def built_in(value):
    """Whether all numbers and names are of built-in types."""
    if isinstance(value, dict):
        return all(type(key) is str and built_in(inner) for key, inner in value.items())
    if type(value) is list:
        return all(map(built_in, value))
    # a document without spans has no chance level
    return value is None or type(value) in (int, float, str)


@pytest.mark.parametrize("case", [case for case in CASES.values() if case.averages], ids=lambda case: case.name)
def test_averages(case):
    one, three = case.compute(details=True)["per_label"].values()
    macro, weighted = (case.compute(average=average) for average in ("macro", "weighted"))
    for key in case.measure.keys:
        assert math.isclose(macro[key], (one[key] + three[key]) / 2)
        assert math.isclose(weighted[key], (one[key] + 3 * three[key]) / 4)


def test_add_and_add_batch(case):
    expected = case.compute()
    module = case.load()
    for prediction, reference in zip(*case.sides.values(), strict=True):
        module.add(prediction=prediction, reference=reference)
    assert len(module) == 4
    assert module.compute() == expected
    module.add_batch(predictions=case.predictions[:2], references=case.references[:2])
    module.add(prediction=case.predictions[2], reference=case.references[2])
    assert module.compute(predictions=case.predictions[3:], references=case.references[3:]) == expected
    # a batch may come in between single documents
    module.add(prediction=case.predictions[0], reference=case.references[0])
    module.add_batch(predictions=case.predictions[1:], references=case.references[1:])
    assert module.compute() == expected


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


def test_no_documents(case):
    result = case.load().compute(predictions=[], references=[])
    assert list(result) == (["micro"] if case.name == "span_attribute" else case.keys)
    with pytest.raises(InputError, match="nothing to score"):
        case.load().compute()


@pytest.mark.parametrize("names", [("span_f", "bcubed", "sl_icm"), ("eter",), ("span_attribute",)])
def test_combine_document_by_document(names):
    case = CASES[names[0]]
    combined = evaluate.combine([str(ROOT / "metrics" / name) for name in names])
    result = combined.compute(**case.sides)
    for prediction, reference in zip(*case.sides.values(), strict=True):
        combined.add(prediction=prediction, reference=reference)
    assert combined.compute() == result
    if len(names) == 1:
        assert result == case.compute()


def test_save(tmp_path, case):
    result = case.compute(details=True)
    file = evaluate.save(tmp_path / "result.json", **result)
    written = json.loads(Path(file).read_text())
    assert {key: written[key] for key in result} == result


OF_TWO_PROCESSES = {
    "bcubed": {"scheme": "IOB2", "details": True},
    "eter": {"details": True},
    "span_attribute": {"details": True},
}


def run_process(number, cache, results):
    found = {}
    for name, options in OF_TWO_PROCESSES.items():
        case = CASES[name]
        module = case.load(num_process=2, process_id=number, experiment_id="two", cache_dir=cache)
        half = slice(0, 2) if number == 0 else slice(2, 4)
        module.add_batch(predictions=case.predictions[half], references=case.references[half])
        found[name] = module.compute(**options)
    results.put((number, found))


def test_two_processes(tmp_path):
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=run_process, args=(number, str(tmp_path), results)) for number in (0, 1)]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=120) for _ in processes)
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == 0
    assert found[1] == dict.fromkeys(OF_TWO_PROCESSES)
    assert found[0] == {name: CASES[name].compute(details=True) for name in OF_TWO_PROCESSES}


# errors


@pytest.mark.parametrize("name", NEED_LENGTHS)
def test_lengths_are_needed_where_spans_do_not_tell_them(name):
    for configuration, convert in (("spans", list), ("fragments", fragments_of)):
        module = load(name, configuration)
        documents = convert(REFERENCE_SPANS)
        with pytest.raises(InputError, match=r"lengths are missing.\nPass the number of tokens"):
            module.compute(predictions=documents, references=documents)
        result = module.compute(predictions=documents, references=documents, lengths=[5, 1, 0, 2])
        assert result[MEASURES[name].headline] == 1.0


@pytest.mark.parametrize("options", [{"zero_division": 0.5}, {"details": "yes"}, {"lengths": 3, "avrage": "macro"}])
def test_bad_options_are_found_before_any_data_is_touched(case, options):
    module = case.load()
    module.add_batch(predictions=case.predictions[:2], references=case.references[:2])
    with pytest.raises(InputError, match="|".join(options)):
        module.compute(predictions=[case.bad], references=[case.bad], **options)
    assert len(module) == 2
    assert module.compute(predictions=case.predictions[2:], references=case.references[2:]) == case.compute()


def test_a_bad_document_leaves_the_good_ones(case):
    module = case.load()
    module.add_batch(predictions=case.predictions[:2], references=case.references[:2])
    good = case.references[0]
    for side in ("predictions", "references"):
        sides = {"predictions": [good, good], "references": [good, good], side: [good, case.bad]}
        with pytest.raises(InputError) as raised:
            module.add_batch(**sides)
        assert (raised.value.side, raised.value.document) == (side, 3)
        with pytest.raises(InputError) as raised:
            module.add(prediction=sides["predictions"][1], reference=sides["references"][1])
        assert (raised.value.side, raised.value.document) == (side, 2)
    with pytest.raises(InputError, match="got 1 predicted document, but 2 reference documents"):
        module.add_batch(predictions=[good], references=[good, good])
    with pytest.raises(InputError, match="there are no references"):
        module.add_batch(predictions=[good])
    with pytest.raises(InputError, match="unknown input words"):
        module.add_batch(predictions=[good], references=[good], words=[["a"]])
    with pytest.raises(InputError, match="unknown input words"):
        module.add(prediction=good, reference=good, words=["a"])
    assert len(module) == 2
    module.add_batch(predictions=case.predictions[2:], references=case.references[2:])
    assert module.compute() == case.compute()


# documents that can be stored, and not scored
UNREADABLE = {
    "tags": (["X-A"], ["O"], "predictions, document 0, token 0: 'X-A' has no known prefix"),
    "entities": ([entity(2, 1, "loc")], [], "predictions, document 0, span 0: the end 1 is not after the start 2"),
    "spans": ([attributed(2, 1, "DIS", {})], [], "predictions, document 0, span 0: the end 1 is not after the start 2"),
    "markup": ("<loc> a", "a", "predictions, document 0, line 1, column 1: the tag <loc> is not closed"),
    "mentions": ([("PER", " ")], [], "predictions, document 0, span 0: the text is empty"),
}


def test_wrong_data_leaves_nothing_behind(case):
    prediction, reference, message = UNREADABLE[case.configuration]
    module = case.load()
    module.add_batch(predictions=[prediction], references=[reference])
    with pytest.raises(InputError, match=message):
        module.compute(**case.sides)
    assert len(module) == 0
    files = list(Path(module.data_dir).glob("*.arrow"))
    assert module.compute(**case.sides) == case.compute()
    assert list(Path(module.data_dir).glob("*.arrow")) == files


def test_load_in_a_fresh_process_from_another_folder(tmp_path):
    code = (
        "import evaluate, spanometer; m = evaluate.load(spanometer.path('link_f')); "
        "print(m.compute(predictions=[['B-A', 'I-A']], references=[['B-A', 'I-A']]))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "{'precision': 1.0, 'recall': 1.0, 'f1': 1.0}\n"


def test_options_given_to_load_are_the_defaults_of_compute():
    sides = {"predictions": [["B-A", "B-A", "O"]], "references": [["B-A", "B-A", "B-B"]]}
    module = spanometer.load("span_f", average="macro")
    assert module.compute(**sides)["recall"] == 0.5
    assert module.compute(**sides, average="micro")["recall"] == 2 / 3
    assert "|average:macro|" in module.compute(**sides, details=True)["signature"]
    seeded = spanometer.load("span_f", seed=3, confidence=0.9, n_resamples=9)
    assert "|seed:3|" in seeded.compute(**sides, details=True)["signature"]


def test_tags_without_prefixes_and_names_of_schemes():
    module = evaluate.load(spanometer.path("span_f"))
    tags = [["PROPN", "PROPN", "VERB", "O"]]
    found = module.compute(references=tags, predictions=tags, scheme="io", prefix=False, details=True)
    assert found["signature"].startswith("span_f|scheme:IO|repair:conlleval|prefix:no|")
    assert set(found["per_label"]) == {"PROPN", "VERB"}
    assert found["per_label"]["PROPN"]["support"] == 1
    tagged = [["B-PER", "O"]]
    for name in ("BIO", "iob2", "bio2"):
        found = module.compute(references=tagged, predictions=tagged, scheme=name, details=True)
        assert found["signature"].startswith("span_f|scheme:IOB2|repair:conlleval|match_labels")
    with pytest.raises(InputError, match="tags without prefixes are read as IO, not as IOB2"):
        module.compute(references=tags, predictions=tags, scheme="bio", prefix=False)
    with pytest.raises(InputError, match="Leave out prefix=False"):
        module.compute(references=tagged, predictions=tagged, prefix=False)


def test_tables_are_let_go_one_by_one(monkeypatch):
    """While a table is written, none that came before takes memory."""
    monkeypatch.setattr("spanometer.arrays._ROWS", 50)
    module = spanometer.load("span_f")
    module.add_batch(predictions=[["O"]], references=[["O"]])
    write, written = module.writer.write_table, []

    def watched(table):
        assert all(other() is None for other in written)
        written.append(weakref.ref(table))
        write(table)

    monkeypatch.setattr(module.writer, "write_table", watched)
    tags = [["B-X", "I-X", "O", "B-Y"]] * 500
    module.add_batch(predictions=tags, references=tags)
    assert len(written) > 5
    assert module.compute()["f1"] == 1.0
