"""The example that stands for scripts with `evaluate.load("seqeval")`: with either name the same numbers."""

import json
import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install spanometer[train]")
transformers = pytest.importorskip("transformers", reason="needs transformers: pip install spanometer[train]")
pytest.importorskip("accelerate", reason="needs accelerate: pip install spanometer[train]")

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples" / "run_ner.py"
PEER = ROOT / "benchmarks" / "seqeval_module"
OURS = 'evaluate.load("metrics/seqeval")'

SENTENCES = [
    (["Ada", "Lovelace", "wrote", "to", "Turin"], ["B-PER", "I-PER", "O", "O", "B-LOC"]),
    (["Turin", "answered"], ["B-LOC", "O"]),
    (["Ada", "wrote"], ["B-PER", "O"]),
    (["nobody", "answered", "Ada", "Lovelace"], ["O", "O", "B-PER", "I-PER"]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny model with random weights, its tokenizer, and a corpus."""
    folder = tmp_path_factory.mktemp("run_ner")
    words = sorted({word.lower() for sentence, _ in SENTENCES for word in sentence})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(word for word in words if word != "lovelace")]
    # of one word there are two pieces
    vocabulary += ["love", "##lace"]
    tokenizer = transformers.BertTokenizerFast(vocab={word: number for number, word in enumerate(vocabulary)})
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    transformers.set_seed(0)
    transformers.BertModel(config).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    lines = [json.dumps({"tokens": tokens, "ner_tags": tags}) for tokens, tags in SENTENCES * 4]
    for name in ("train", "dev"):
        (folder / f"{name}.json").write_text("\n".join(lines))
    return folder


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
def results_of(script, folder, output, monkeypatch, *options):
    """What a script logs of its evaluation, without timings."""
    arguments = {
        "model_name_or_path": folder / "model",
        "train_file": folder / "train.json",
        "validation_file": folder / "dev.json",
        "cache_dir": folder / "cache",
        "output_dir": folder / output,
        "num_train_epochs": 8,
        "learning_rate": 0.01,
        "report_to": "none",
    }
    flags = [str(part) for name, value in arguments.items() for part in (f"--{name}", value)]
    monkeypatch.setattr(
        sys, "argv", [str(script), *flags, "--do_train", "--do_eval", "--disable_tqdm", "True", *options]
    )
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(script), run_name="__main__")
    logged = json.loads((folder / output / "eval_results.json").read_text())
    return {key: value for key, value in logged.items() if "per_second" not in key and "runtime" not in key}


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("options", [(), ("--return_entity_level_metrics", "True")])
def test_the_name_of_the_metric_is_all_that_changes(folder, monkeypatch, options):
    text = SCRIPT.read_text(encoding="utf-8")
    assert text.count(OURS) == 1
    assert "spanometer." not in text.replace('"spanometer/seqeval"', "")
    theirs = folder / "theirs.py"
    theirs.write_text(text.replace(OURS, f"evaluate.load({str(PEER)!r})"), encoding="utf-8")
    found = results_of(SCRIPT, folder, "ours", monkeypatch, *options)
    assert found == results_of(theirs, folder, "theirs", monkeypatch, *options)
    overall = "overall_" if options else ""
    assert {f"eval_{overall}{key}" for key in ("precision", "recall", "f1", "accuracy")} <= found.keys()
    assert ("eval_PER_number" in found) == bool(options)
    assert 0 < found[f"eval_{overall}f1"] <= 1
