"""The modules as metrics of `evaluate.evaluator("token-classification")`, with a model made here.

`evaluate` 0.4.6 takes a model or its folder with `transformers` 4 and 5, a ready-made pipeline only with 4: it asks for
`transformers.TFPreTrainedModel`, which 5 no longer has.
"""

import os
from pathlib import Path

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_EVALUATE_OFFLINE", "1")

_WHY = "needs torch and transformers: pip install spanometer[train]"
torch = pytest.importorskip("torch", reason=_WHY)
transformers = pytest.importorskip("transformers", reason=_WHY)

import evaluate  # noqa: E402
from datasets import ClassLabel, Dataset, Features, List, Value  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402

import spanometer  # noqa: E402
from spanometer.measures import MEASURES  # noqa: E402

MODULES = Path(__file__).parents[2] / "metrics"
LABELS = ["O", "B-PER", "I-PER", "B-LOC"]
PIECES = {"in": 0, "and": 0, "met": 0, "Ada": 1, "Bo": 1, "Lind": 2, "Rome": 3, "Ham": 3, "##burg": 2, "Fell": 2}
"""What the model makes of each piece of a word, whatever stands beside it; only the first piece of a word counts."""

TOKENS = [["Ada", "Lind", "met", "Bo", "in", "Rome"], ["Hamburg", "and", "Fell"], ["Bo"]]
REFERENCES = [[1, 2, 0, 1, 0, 3], [3, 0, 3], [0]]
PREDICTIONS = [[1, 2, 0, 1, 0, 3], [3, 0, 2], [1]]


@pytest.fixture(scope="module")
def tokenizer():
    vocabulary = {piece: number for number, piece in enumerate(["[PAD]", "[UNK]", *PIECES])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", model_max_length=32
    )


@pytest.fixture(scope="module")
def model(tokenizer):
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=len(LABELS),
        num_hidden_layers=0,
        num_attention_heads=1,
        intermediate_size=1,
        max_position_embeddings=32,
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )
    model = transformers.BertForTokenClassification(config).eval()
    embeddings = model.bert.embeddings
    with torch.no_grad():
        for table in (embeddings.word_embeddings, embeddings.position_embeddings, embeddings.token_type_embeddings):
            table.weight.zero_()
        for piece, label in PIECES.items():
            embeddings.word_embeddings.weight[tokenizer.convert_tokens_to_ids(piece), label] = 1
        model.classifier.weight.copy_(torch.eye(len(LABELS)))
        model.classifier.bias.zero_()
    return model


@pytest.fixture(scope="module")
def evaluator():
    return evaluate.evaluator("token-classification")


@pytest.fixture(scope="module")
def data():
    features = Features({"tokens": List(Value("string")), "ner_tags": List(ClassLabel(names=LABELS))})
    return Dataset.from_dict({"tokens": TOKENS, "ner_tags": REFERENCES}, features=features)


def named(rows):
    return [[LABELS[number] for number in row] for row in rows]


def scores(result):
    """The evaluator's result without its timings."""
    return {key: value for key, value in result.items() if "second" not in key}


@pytest.mark.parametrize("name", [*(name for name in MEASURES if (MODULES / name).is_dir()), "seqeval"])
def test_every_module(name, evaluator, model, tokenizer, data):
    metric = spanometer.load(name)
    found = evaluator.compute(model_or_pipeline=model, tokenizer=tokenizer, data=data, metric=metric)
    assert scores(found) == metric.compute(predictions=named(PREDICTIONS), references=named(REFERENCES))


def test_by_hand(evaluator, model, tokenizer, data):
    metric = spanometer.load("span_f")
    found = evaluator.compute(model_or_pipeline=model, tokenizer=tokenizer, data=data, metric=metric)
    assert scores(found) == {"precision": 4 / 6, "recall": 4 / 5, "f1": 8 / 11}


def test_several_modules_at_once(evaluator, model, tokenizer, data):
    metric = evaluate.combine([spanometer.load(name) for name in ("span_f", "link_f")])
    found = evaluator.compute(model_or_pipeline=model, tokenizer=tokenizer, data=data, metric=metric)
    assert found["span_f_f1"] == 8 / 11
    assert "link_f_f1" in found
