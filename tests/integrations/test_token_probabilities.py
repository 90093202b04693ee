"""The example that takes the probabilities of tokens from a causal language model, with a tiny random one."""

import importlib.util
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from spanometer import InputError, Spans  # noqa: E402
from spanometer.measures import SlIcm  # noqa: E402

EXAMPLE = Path(__file__).parents[2] / "examples" / "token_probabilities.py"
WORDS = [["the", "Nile", "is", "long"], [], ["Ada", "sees", "the", "Seine", "and", "the", "Nile", "again", "today"]]
TAGS = [["B-LOC", "I-LOC", "O", "O"], [], ["B-PER", "O", "O", "B-LOC", "O", "O", "B-LOC", "O", "O"]]


@pytest.fixture(scope="module")
def example():
    specification = importlib.util.spec_from_file_location("token_probabilities", EXAMPLE)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    torch.set_num_threads(1)
    return module


def one_by_one(model, tokenizer, words, size):
    """P(w) of each word, its pieces asked for one at a time; `size` is the model's context."""
    pieces = tokenizer(words, is_split_into_words=True, add_special_tokens=False)
    line = [tokenizer.bos_token_id, *pieces["input_ids"]]
    found = [1.0] * len(words)
    for place, word in enumerate(pieces.word_ids(), 1):
        # the first window holds as many as fit, the others begin half a context later each
        start = 0
        while place >= start + size:
            start += size // 2
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([line[start:place]])).logits[0, -1].double()
        found[word] *= torch.softmax(logits, dim=-1)[line[place]].item()
    return found


@pytest.mark.parametrize("context", [64, 6, 3])
def test_every_word_given_those_before_it(example, context):
    # the words of the last document are not in its vocabulary, but for some: they have several pieces
    model, tokenizer = example.tiny_model(WORDS[:1] * 2, context=context)
    found = example.token_probabilities(model, tokenizer, WORDS)
    assert [len(row) for row in found] == [len(row) for row in WORDS]
    pieces = tokenizer(WORDS[2], is_split_into_words=True, add_special_tokens=False)
    assert len(pieces["input_ids"]) > len(WORDS[2]) + 6
    for words, values in zip(WORDS, found, strict=True):
        assert values == pytest.approx(one_by_one(model, tokenizer, words, context), rel=1e-4)


def test_scores_and_shards(example):
    found = example.token_probabilities(*example.tiny_model(WORDS), WORDS)
    cut = [["O" if tag == "B-LOC" else tag for tag in row] for row in TAGS]
    sides = [[Spans.from_tags([row], scheme="IOB2") for row in side] for side in (TAGS, cut)]
    whole = SlIcm(token_probabilities=found).counts(*(Spans.from_tags(side, scheme="IOB2") for side in (TAGS, cut)))
    parts = [
        SlIcm(token_probabilities=[row]).counts(reference, predicted)
        for row, reference, predicted in zip(found, *sides, strict=True)
    ]
    assert sum(parts).score() == pytest.approx(whole.score(), rel=1e-12)
    # the second word of the first document is all that is right there: it moves up in rank
    first, second = (-math.log2(value) for value in found[0][:2])
    assert parts[0].total()["matched_information"] == pytest.approx(second)
    assert parts[0].total()["reference_information"] == pytest.approx(first + second / 2)


def test_a_tokenizer_without_a_beginning(example):
    model, tokenizer = example.tiny_model(WORDS)
    tokenizer.bos_token = None
    with pytest.raises(InputError, match="no token for the beginning"):
        example.token_probabilities(model, tokenizer, WORDS)


def test_example_and_command_line(example, tmp_path, run, monkeypatch):
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    text = "the B-LOC\nNile I-LOC\nis O\n\nAda B-PER\nsees O\nRome B-LOC\n"
    gold, system, written = (tmp_path / name for name in ("gold.conll", "system.conll", "gold.tsv"))
    gold.write_text(text)
    system.write_text(text.replace("the B-LOC", "the O"))
    command = [sys.executable, str(EXAMPLE), str(gold)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    written.write_text(done.stdout)
    rows = [line.split("\t") for line in done.stdout.splitlines() if line]
    assert [row[0] for row in rows] == ["the", "Nile", "is", "Ada", "sees", "Rome"]
    columns = ["--reference-column", "3", "--token-probability-column", "2", "--measures", "sl_icm"]
    status, output, complaint = run("score", str(written), str(system), *columns, "--json")
    assert (status, complaint) == (0, "")
    values = [float(row[1]) for row in rows]
    sides = [Spans.from_tags([[*tags, "O"], ["B-PER", "O", "B-LOC"]]) for tags in (["B-LOC", "I-LOC"], ["O", "I-LOC"])]
    expected = SlIcm(token_probabilities=[values[:3], values[3:]]).counts(*sides).score()
    assert json.loads(output)["measures"]["sl_icm"]["scores"] == expected
    monkeypatch.setattr(sys, "argv", ["token_probabilities", str(tmp_path / "none")])
    with pytest.raises(SystemExit, match="cannot be read"):
        example.main()
