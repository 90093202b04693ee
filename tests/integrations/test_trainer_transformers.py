"""The Trainer's metrics with the real `torch` and `transformers`; the example script."""

import functools
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")

_WHY = "needs torch, transformers and accelerate: pip install spanometer[train]"
torch = pytest.importorskip("torch", reason=_WHY)
transformers = pytest.importorskip("transformers", reason=_WHY)
pytest.importorskip("accelerate", reason=_WHY)

from spanometer import InputError  # noqa: E402
from spanometer.integrations.trainer import IGNORED, TokenClassificationMetrics  # noqa: E402
from spanometer.measures import MEASURES, SlIcm, SpanF  # noqa: E402
from spanometer.tags.viterbi import decode as viterbi  # noqa: E402

# one way to decode, unless a test asks for several
Metrics = functools.partial(TokenClassificationMetrics, decode="viterbi")
EXAMPLE = Path(__file__).parents[2] / "examples" / "train_ner.py"
LABELS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]
MEASURED = ("span_f", "link_f", "sl_icm")
PAD, FIRST = 0, 1

# models this small only wait for each other's threads
torch.set_num_threads(1)


def random_batch(seed, rows=8, length=7):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(rows, length, len(LABELS), generator=generator)
    labels = torch.randint(0, len(LABELS), (rows, length), generator=generator)
    labels[torch.rand(rows, length, generator=generator) < 0.3] = IGNORED
    labels[2] = IGNORED
    return logits, labels


def by_sentence(logits, labels, decode):
    """Label numbers of the labelled positions, one sentence after the other."""
    rows = []
    for scores, row in zip(logits.numpy(), labels.tolist(), strict=True):
        kept = [position for position, label in enumerate(row) if label != IGNORED]
        path = viterbi([scores[kept]], LABELS)[0] if decode == "viterbi" else scores[kept].argmax(axis=1)
        numbers = dict(zip(kept, path.tolist(), strict=True))
        rows.append([numbers.get(position, IGNORED) for position in range(len(row))])
    return rows


class TestPreprocess:
    @pytest.mark.parametrize("decode", ["viterbi", "argmax"])
    @pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
    def test_every_sentence_by_itself(self, kind, decode):
        logits, labels = random_batch(1)
        logits = logits.to(getattr(torch, kind))
        metrics = Metrics(LABELS, decode=decode)
        found = metrics.preprocess_logits_for_metrics(logits, labels)
        assert found.tolist() == by_sentence(logits.double(), labels, decode)
        assert (found.dtype, found.device, found.shape) == (labels.dtype, logits.device, labels.shape)
        results = [metrics.compute_metrics(pair) for pair in ((found, labels), (logits, labels))]
        assert results[0] == results[1] == metrics.compute_metrics((found.numpy(), labels.numpy()))

    def test_outputs_of_many_parts(self):
        logits, labels = random_batch(2)
        metrics = Metrics(LABELS)
        alone = metrics.preprocess_logits_for_metrics(logits, labels)
        hidden = torch.zeros(8, 7, 16)
        for outputs in (
            (logits, hidden),
            (torch.tensor(0.5), (hidden, hidden), logits),
            [logits, (hidden,)],
            {"hidden_states": (hidden, hidden), "logits": logits},
        ):
            assert torch.equal(metrics.preprocess_logits_for_metrics(outputs, labels), alone)
            assert torch.equal(metrics.preprocess_logits_for_metrics(outputs, (torch.zeros(8), labels)), alone)

    def test_gradients_do_not_matter(self):
        logits, labels = random_batch(3)
        metrics = Metrics(LABELS, transitions=torch.nn.Parameter(torch.eye(5)))
        found = metrics.preprocess_logits_for_metrics(logits.requires_grad_(), labels)
        assert not found.requires_grad

    def test_without_labels_logits_stay(self):
        logits, _ = random_batch(4)
        assert Metrics(LABELS).preprocess_logits_for_metrics(logits, None) is logits

    def test_another_device(self):
        # no data there, but the result must be made there
        logits, labels = random_batch(5)
        moved = []

        class Elsewhere:
            shape = logits.shape

            def detach(self):
                return logits

            def new_tensor(self, data, dtype):
                moved.append(dtype)
                return torch.tensor(data, dtype=dtype)

        found = Metrics(LABELS).preprocess_logits_for_metrics(Elsewhere(), labels.int())
        assert found.tolist() == by_sentence(logits, labels, "viterbi")
        assert moved == [torch.int32]

    def test_wrong_batches(self):
        logits, labels = random_batch(6)
        preprocess = Metrics(LABELS).preprocess_logits_for_metrics
        for wrong, message in (
            (
                (logits[:, :, :3], labels),
                r"the model must return logits of shape \(8, 7, 5\), but it returned tensors of shape \(8, 7, 3\)",
            ),
            (((logits[0], ()), labels), r"it returned tensors of shape \(7, 5\)"),
            ((logits, labels + 9), "references, document 0, token"),
            ((logits * torch.nan, labels), "a logit is NaN"),
            ((logits, labels[0]), "none of the label arrays has two axes"),
        ):
            with pytest.raises(InputError, match=message):
                preprocess(*wrong)


def make_data(sentences, seed):
    """Word numbers whose remainder tells the tag, mostly; special tokens and some words have no label."""
    generator = np.random.default_rng(seed)
    data = []
    for length in generator.integers(1, 12, sentences):
        tags, tag = [], 0
        for _ in range(length):
            tag = int(generator.choice([0, 0, 1, 3] + ([tag + 1] if tag in (1, 3) else [tag] if tag else [])))
            tags.append(tag)
        words = [FIRST + 2 + tag + 5 * int(generator.integers(0, 4)) for tag in tags]
        labels = [IGNORED if generator.random() < 0.1 else tag for tag in tags]
        data.append({"input_ids": [FIRST, *words, FIRST + 1], "labels": [IGNORED, *labels, IGNORED]})
    return data


def collate(examples):
    length = max(len(example["labels"]) for example in examples)
    columns = {
        key: torch.tensor([example[key] + [value] * (length - len(example[key])) for example in examples])
        for key, value in (("input_ids", PAD), ("labels", IGNORED))
    }
    return {**columns, "attention_mask": (columns["input_ids"] != PAD).long()}


def make_model(**options):
    config = transformers.BertConfig(
        vocab_size=FIRST + 22,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
        **options,
    )
    return transformers.BertForTokenClassification(config)


def make_trainer(folder, metrics, model=None, **options):
    transformers.set_seed(0)
    arguments = {
        "per_device_train_batch_size": 8,
        "per_device_eval_batch_size": 7,
        "report_to": "none",
        "disable_tqdm": True,
        "use_cpu": True,
        "dataloader_pin_memory": False,
        **options,
    }
    return transformers.Trainer(
        model=model or make_model(),
        args=transformers.TrainingArguments(output_dir=str(folder), **arguments),
        train_dataset=make_data(64, 1),
        eval_dataset=make_data(30, 2),
        data_collator=collate,
        compute_metrics=metrics.compute_metrics,
        preprocess_logits_for_metrics=metrics.preprocess_logits_for_metrics,
    )


def scored_alone(trainer, decode="viterbi", measures=MEASURED):
    """What the measures say of the model's logits, taken sentence by sentence without the Trainer."""
    paths, labels = [], []
    model = trainer.model.eval()
    for example in trainer.eval_dataset:
        with torch.no_grad():
            outputs = model(input_ids=torch.tensor([example["input_ids"]]))
        labels.append(np.array([example["labels"]]))
        paths.append(np.array(by_sentence(outputs.logits, torch.tensor(labels[-1]), decode)))
    return Metrics(LABELS, measures=measures).compute_metrics((paths, labels))


def of_evaluation(found):
    """The Trainer's results that are ours."""
    ours = Metrics(LABELS, measures=MEASURED).keys
    return {key: found[f"eval_{key}"] for key in ours}


@pytest.mark.parametrize(
    "options",
    [
        {"eval_accumulation_steps": 2},
        {"eval_do_concat_batches": False},
        {"label_smoothing_factor": 0.1},
        {"bf16_full_eval": True},
        {"include_for_metrics": ["inputs", "loss"]},
    ],
    ids=lambda options: next(iter(options)),
)
@pytest.mark.parametrize("in_batches", [False, True])
def test_evaluation(tmp_path, in_batches, options):
    metrics = Metrics(LABELS, measures=MEASURED)
    trainer = make_trainer(tmp_path, metrics, batch_eval_metrics=in_batches, **options)
    found = of_evaluation(trainer.evaluate())
    if "bf16_full_eval" in options:
        # padding moves the last bits of half precision
        assert set(map(type, found.values())) == {float}
    else:
        assert found == pytest.approx(scored_alone(trainer), abs=1e-12)
    assert found["sl_icm_norm"] != 0


def test_prediction(tmp_path):
    metrics = Metrics(LABELS, measures=list(MEASURES))
    trainer = make_trainer(tmp_path, metrics)
    output = trainer.predict(trainer.eval_dataset)
    assert output.predictions.shape == output.label_ids.shape
    assert ((output.predictions == IGNORED) == (output.label_ids == IGNORED)).all()
    named = scored_alone(trainer, measures=tuple(MEASURES))
    assert {key: output.metrics[f"test_{key}"] for key in named} == pytest.approx(named, abs=1e-12)
    unlabelled = [{"input_ids": example["input_ids"]} for example in trainer.eval_dataset]
    trainer.data_collator = lambda examples: {
        key: value
        for key, value in collate([{**example, "labels": example["input_ids"]} for example in examples]).items()
        if key != "labels"
    }
    assert trainer.predict(unlabelled).predictions.shape == (30, output.label_ids.shape[1], len(LABELS))


def test_an_evaluation_that_fails(tmp_path):
    metrics = Metrics(LABELS, measures=[SpanF(), SlIcm(matching="optimal")])
    trainer = make_trainer(tmp_path, metrics, batch_eval_metrics=True)
    whole = trainer.evaluate()["eval_sl_icm"]
    wrong = [dict(example) for example in trainer.eval_dataset]
    wrong[20] = {**wrong[20], "labels": [7] * len(wrong[20]["labels"])}
    # the model's own loss would fail first
    trainer.compute_loss_func = lambda outputs, labels, num_items_in_batch=None: outputs.logits.sum() * 0
    with pytest.raises(InputError, match="id2label has tags only for 0 to 4, not for 7"):
        trainer.evaluate(wrong)
    assert trainer.evaluate()["eval_sl_icm"] == whole


def test_example(tmp_path):
    command = [sys.executable, str(EXAMPLE), "--max-steps", "4", "--output", str(tmp_path / "model")]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "206 sentences to train on, 51 to score; 11 labels" in done.stdout
    for expected in ("span_f_f1", "viterbi  ", "argmax  ", "span_f|decode:viterbi"):
        assert expected in done.stdout
    assert (tmp_path / "model" / "config.json").is_file()


def test_example_with_wrong_files(tmp_path, monkeypatch):
    specification = importlib.util.spec_from_file_location("train_ner", EXAMPLE)
    example = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "train_ner", example)
    specification.loader.exec_module(example)
    (tmp_path / "few.conll").write_text("Ada B-PER\n\nBo B-PER\n")
    (tmp_path / "bare.conll").write_text("B-PER\n\nO\n" * 9)
    (tmp_path / "words.conll").write_text("Ada PER\n\nand O\n\n" * 9)
    for name, message in (
        ("few.conll", "2 sentences are too few"),
        ("bare.conll", "bare.conll: there is no column of words"),
        ("words.conll", "'PER' has no known prefix"),
        ("none.conll", "none.conll"),
    ):
        monkeypatch.setattr(sys, "argv", ["train_ner", "--train", str(tmp_path / name)])
        with pytest.raises(SystemExit, match=message):
            example.main()


@pytest.mark.parametrize(
    "options",
    [{}, {"eval_do_concat_batches": False}, {"batch_eval_metrics": True}],
    ids=lambda options: next(iter(options), "plain"),
)
def test_viterbi_and_argmax_in_one_log(tmp_path, options):
    metrics = TokenClassificationMetrics(LABELS, measures=MEASURED, per_label=True)
    trainer = make_trainer(
        tmp_path,
        metrics,
        learning_rate=0.001,
        max_steps=2,
        eval_strategy="steps",
        eval_steps=1,
        save_strategy="steps",
        save_steps=1,
        load_best_model_at_end=True,
        metric_for_best_model="span_f_f1_viterbi",
        **options,
    )
    trainer.train()
    evaluations = [entry for entry in trainer.state.log_history if "eval_span_f_f1" in entry]
    assert trainer.state.best_metric == max(entry["eval_span_f_f1_viterbi"] for entry in evaluations)
    found = trainer.evaluate()
    for ending, decode in (("", "argmax"), ("_viterbi", "viterbi")):
        expected = scored_alone(trainer, decode)
        assert {key: found[f"eval_{key}{ending}"] for key in expected} == pytest.approx(expected, abs=1e-12)
    assert found["eval_span_f_f1"] != found["eval_span_f_f1_viterbi"]
    assert found["eval_span_f_PER_support"] + found["eval_span_f_ORG_support"] > 0
