"""Train a small token classifier with the `Trainer` of `transformers`, with Spanometer's measures after each epoch.

The model has random weights and a vocabulary of its own, made from the training file: nothing is downloaded, and a CPU
is enough. By default it learns from four fifths of the example corpus that comes with Spanometer and is scored on the
rest; it will not be good, and that is not the point.

    python examples/train_ner.py
    python examples/train_ner.py --train train.conll --dev dev.conll --epochs 5 --output model

Needs `pip install "spanometer[train]"`.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    BertForTokenClassification,
    PrinterCallback,
    ProgressCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)
from transformers.utils.logging import disable_progress_bar

from spanometer import InputError
from spanometer.integrations.trainer import IGNORED, TokenClassificationMetrics
from spanometer.readers import read, tag_lists
from spanometer.tables.screen import page, show
from spanometer.tables.table import Copyable, Number, Table

MEASURES = ("span_f", "link_f", "sl_icm")
SHOWN = ("span_f_precision", "span_f_recall", "span_f_f1", "link_f_f1", "sl_icm_norm")
BEST = "span_f_f1"

PAD, BEGIN, END = range(3)
_SPECIAL = ("[pad]", "[begin]", "[end]", "[?]")


@dataclass(frozen=True)
class Sentence:
    """The words of a sentence and their tags."""

    words: list[str]
    tags: list[str]


class Vocabulary:
    """Numbers for the words that occur at least twice, and for the shapes of all others (`Xx` for `Ada`)."""

    def __init__(self, sentences: list[Sentence]) -> None:
        counts = Counter(word for sentence in sentences for word in sentence.words)
        frequent = sorted(word for word, count in counts.items() if count > 1)
        shapes = sorted({self._shape(word) for word in counts})
        names = dict.fromkeys([*_SPECIAL, *(f"[{shape}]" for shape in shapes), *frequent])
        self._numbers = {name: index for index, name in enumerate(names)}

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, word: str) -> int:
        unknown = self._numbers["[?]"]
        return self._numbers.get(word, self._numbers.get(f"[{self._shape(word)}]", unknown))

    @staticmethod
    def _shape(word: str) -> str:
        cases = "".join("X" if char.isupper() else char for char in word)
        cases = re.sub(r"\d+", "0", re.sub(r"[^\W\d_X]+", "x", cases))
        return re.sub(r"(.)\1+", r"\1", cases)


class Encoder:
    """Sentences to what the model takes, and lists of these to padded batches."""

    def __init__(self, vocabulary: Vocabulary, label2id: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._label2id = label2id

    def encode(self, sentence: Sentence) -> dict[str, list[int]]:
        """Numbers of the words between the two special tokens, which have no label."""
        return {
            "input_ids": [BEGIN, *(self._vocabulary[word] for word in sentence.words), END],
            "labels": [IGNORED, *(self._label2id[tag] for tag in sentence.tags), IGNORED],
        }

    @staticmethod
    def collate(examples: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        """Pad to the longest sentence of the batch."""
        length = max(len(example["input_ids"]) for example in examples)

        def padded(key: str, value: int) -> torch.Tensor:
            return torch.tensor([example[key] + [value] * (length - len(example[key])) for example in examples])

        input_ids = padded("input_ids", PAD)
        return {
            "input_ids": input_ids,
            "attention_mask": (input_ids != PAD).long(),
            "labels": padded("labels", IGNORED),
        }


class PrintEvaluations(TrainerCallback):
    """One line for each evaluation."""

    _KEYS = ("loss", *SHOWN)
    _WIDTH = max(map(len, _KEYS))

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Print the heads of the columns."""
        print("epoch", *(f"{key:>{self._WIDTH}}" for key in self._KEYS))

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float], **_: Any) -> None:
        """Print what was just measured."""
        scores = (f"{metrics[f'eval_{key}']:.4f}" for key in self._KEYS)
        print(f"{state.epoch:5.2f}", *(f"{score:>{self._WIDTH}}" for score in scores), flush=True)


def main() -> None:
    """Read, train, score."""
    options = _parser().parse_args()
    # a model this small gains nothing from more, and loses where the processor is shared
    torch.set_num_threads(1)
    set_seed(options.seed)
    disable_progress_bar()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            _run(options, Path(scratch))
    except InputError as error:
        raise SystemExit(f"train_ner: {error}") from None


def _run(options: argparse.Namespace, scratch: Path) -> None:
    train, dev = _read_corpora(options)
    labels = sorted({"O", *(tag for sentence in train + dev for tag in sentence.tags)})
    vocabulary = Vocabulary(train)
    encoder = Encoder(vocabulary, {label: index for index, label in enumerate(labels)})
    model = _build_model(len(vocabulary), labels, longest=max(len(sentence.words) for sentence in train + dev))
    metrics = TokenClassificationMetrics(model.config.id2label, measures=MEASURES)
    print(
        f"{len(train)} sentences to train on, {len(dev)} to score; {len(labels)} labels, {len(vocabulary)} words and "
        f"shapes, {model.num_parameters():,} parameters\n"
    )
    trainer = Trainer(
        model=model,
        args=_training_arguments(options, scratch),
        train_dataset=[encoder.encode(sentence) for sentence in train],
        eval_dataset=[encoder.encode(sentence) for sentence in dev],
        data_collator=encoder.collate,
        compute_metrics=metrics.compute_metrics,
        preprocess_logits_for_metrics=metrics.preprocess_logits_for_metrics,
        callbacks=[PrintEvaluations()],
    )
    for printer in (PrinterCallback, ProgressCallback):
        trainer.remove_callback(printer)
    trainer.train()
    _show_best(trainer, metrics)
    if options.output is not None:
        trainer.save_model(str(options.output))
        print(f"\nThe model is in {options.output}.")


def _read_corpora(options: argparse.Namespace) -> tuple[list[Sentence], list[Sentence]]:
    """The sentences to train on and those to score; one in five of the former where there is no file of the latter."""
    if options.train is None:
        with resources.as_file(resources.files("spanometer") / "data" / "example.conll") as path:
            sentences = _read_sentences(path, "reference")
    else:
        sentences = _read_sentences(options.train, options.column)
    if options.dev is not None:
        return sentences, _read_sentences(options.dev, options.column)
    train = [sentence for index, sentence in enumerate(sentences) if index % 5 != 4]
    dev = [sentence for index, sentence in enumerate(sentences) if index % 5 == 4]
    if not dev:
        raise InputError(f"{len(sentences)} sentences are too few to set one in five aside.", "Name a file with --dev.")
    return train, dev


def _read_sentences(path: Path, column: str | None) -> list[Sentence]:
    file = read(path, columns=[column], words=True)
    if file.words is None:
        raise InputError("there is no column of words.", "Give a word and a tag on each line.", source=str(path))
    return [Sentence(*pair) for pair in zip(tag_lists(file.words), tag_lists(file.tags[0]), strict=True)]


def _build_model(words: int, labels: list[str], longest: int) -> BertForTokenClassification:
    config = BertConfig(
        vocab_size=words,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=longest + 2,
        pad_token_id=PAD,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )
    return BertForTokenClassification(config)


def _training_arguments(options: argparse.Namespace, scratch: Path) -> TrainingArguments:
    by_steps = options.max_steps > 0
    return TrainingArguments(
        output_dir=str(scratch),
        num_train_epochs=options.epochs,
        max_steps=options.max_steps,
        per_device_train_batch_size=8,
        per_device_eval_batch_size=32,
        learning_rate=2e-3,
        weight_decay=0.01,
        eval_strategy="steps" if by_steps else "epoch",
        eval_steps=max(1, options.max_steps // 2) if by_steps else None,
        save_strategy="best",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model=BEST,
        logging_strategy="no",
        dataloader_pin_memory=torch.cuda.is_available(),
        report_to="none",
        disable_tqdm=True,
        seed=options.seed,
    )


def _show_best(trainer: Trainer, metrics: TokenClassificationMetrics) -> None:
    """The best model's scores with either way of decoding, from the same logits, and how they were made."""
    trainer.preprocess_logits_for_metrics = None
    output = trainer.predict(trainer.eval_dataset)
    rows = []
    signatures = []
    for decode in ("argmax", "viterbi"):
        decoded = TokenClassificationMetrics(metrics.labels, measures=MEASURES, decode=decode)
        scores = decoded.compute_metrics((output.predictions, output.label_ids))
        rows.append([decode, *(Number(scores[key]) for key in SHOWN)])
        signatures += decoded.signatures().values()
    show(page(), "", Table("best model", SHOWN, rows), "", "How the numbers were made", Copyable(*signatures))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Train a small token classifier on a CPU, scored by Spanometer after each epoch."
    )
    parser.add_argument(
        "--train",
        type=Path,
        metavar="FILE",
        help="a word and a tag on each line, sentences parted by blank lines (default: the example corpus)",
    )
    parser.add_argument("--dev", type=Path, metavar="FILE", help="what to score on (default: one sentence in five)")
    parser.add_argument("--column", help="number or name of the tags' column in these files (default: the last)")
    parser.add_argument("--epochs", type=float, default=10, help="how often to go over the training data (default: 10)")
    parser.add_argument("--max-steps", type=int, default=-1, metavar="N", help="stop after so many batches of eight")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="where to save the best model (default: nowhere)")
    parser.add_argument("--seed", type=int, default=0)
    return parser


if __name__ == "__main__":
    main()
