"""Fine-tune a model for token classification, as the script of that name in `transformers` does it.

It stands for the scripts that say `evaluate.load("seqeval")`: the metric's name is the one line that differs from what
such a script has with seqeval. Options, keys and numbers are the same.

    python examples/run_ner.py --model_name_or_path bert-base-cased --train_file train.json --validation_file dev.json
        --output_dir model --do_train --do_eval

To be run in a checkout; without one the name is "spanometer/seqeval". Files are JSON lines of `tokens` and `ner_tags`,
the names of the tags. Needs `pip install "spanometer[train]"`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import evaluate
import numpy as np
from datasets import load_dataset
from transformers import (
    AutoConfig,
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
    set_seed,
)

IGNORED = -100


@dataclass
class Arguments:
    """The model and the data."""

    model_name_or_path: str = field(metadata={"help": "a model, on the Hub or in a folder"})
    train_file: str = field(metadata={"help": "JSON lines to train on"})
    validation_file: str = field(metadata={"help": "JSON lines to score"})
    cache_dir: str | None = field(default=None, metadata={"help": "where to keep what is read"})
    return_entity_level_metrics: bool = field(default=False, metadata={"help": "report each label too"})


def main() -> None:
    """Read, train, score."""
    arguments, training = HfArgumentParser((Arguments, TrainingArguments)).parse_args_into_dataclasses()
    set_seed(training.seed)
    files = {"train": arguments.train_file, "validation": arguments.validation_file}
    data = load_dataset("json", data_files=files, cache_dir=arguments.cache_dir)
    labels = sorted({tag for part in data.values() for tags in part["ner_tags"] for tag in tags})
    numbers = {label: number for number, label in enumerate(labels)}
    config = AutoConfig.from_pretrained(
        arguments.model_name_or_path, id2label=dict(enumerate(labels)), label2id=numbers, num_labels=len(labels)
    )
    tokenizer = AutoTokenizer.from_pretrained(arguments.model_name_or_path)
    model = AutoModelForTokenClassification.from_pretrained(arguments.model_name_or_path, config=config)

    def tokenize(examples: dict[str, Any]) -> dict[str, Any]:
        """Split words into pieces; the first piece of a word has its label, the others have none."""
        pieces = tokenizer(examples["tokens"], truncation=True, is_split_into_words=True)
        pieces["labels"] = []
        for index, tags in enumerate(examples["ner_tags"]):
            words = pieces.word_ids(batch_index=index)
            first = [word is not None and word != before for before, word in zip([None, *words], words, strict=False)]
            pieces["labels"].append(
                [numbers[tags[word]] if new else IGNORED for new, word in zip(first, words, strict=True)]
            )
        return pieces

    data = data.map(tokenize, batched=True, remove_columns=data["train"].column_names)

    metric = evaluate.load("metrics/seqeval")

    def compute_metrics(output: Any) -> dict[str, float]:
        """Score the most probable label of each word."""
        predicted = np.argmax(output.predictions, axis=2)
        sides = [
            [
                [labels[number] for number, known in zip(row, truth, strict=True) if known != IGNORED]
                for row, truth in pairs
            ]
            for pairs in (zip(side, output.label_ids, strict=True) for side in (predicted, output.label_ids))
        ]
        results = metric.compute(predictions=sides[0], references=sides[1])
        if not arguments.return_entity_level_metrics:
            return {key.removeprefix("overall_"): value for key, value in results.items() if key.startswith("overall_")}
        flat = {}
        for key, value in results.items():
            scores = value.items() if isinstance(value, dict) else [("", value)]
            flat.update({f"{key}_{name}".rstrip("_"): score for name, score in scores})
        return flat

    trainer = Trainer(
        model=model,
        args=training,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        processing_class=tokenizer,
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=compute_metrics,
    )
    if training.do_train:
        trainer.train()
    if training.do_eval:
        metrics = trainer.evaluate()
        trainer.log_metrics("eval", metrics)
        trainer.save_metrics("eval", metrics)


if __name__ == "__main__":
    main()
