"""Take the probability of every token from a causal language model, for SL-ICM.

A word's probability is the product of those of its pieces, each given all pieces before it in the document. Of a
document longer than the model's context the pieces are seen in windows that overlap by half, so that each has at least
half a context before it.

    python examples/token_probabilities.py gold.conll --model gpt2 > gold.tsv
    spanometer score gold.tsv system.conll --reference-column 3 --token-probability-column 2 --measures sl_icm

The output has a line for each token: the word, its probability and its tag. Without --model the model has random
weights and a vocabulary of its own, made from the file: nothing is downloaded, and the numbers mean nothing. Without a
file the example corpus that comes with Spanometer is read.

Needs `pip install "spanometer[train]"`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    set_seed,
)

from spanometer import InputError
from spanometer.readers import read, tag_lists

BEGIN = "[begin]"


def token_probabilities(model: Any, tokenizer: Any, documents: Iterable[Sequence[str]]) -> list[list[float | None]]:
    """Return P(w) of every word of every document, given the words before it.

    Args:
        model: a causal language model of `transformers`.
        tokenizer: its (fast) tokenizer, with a token for the beginning of a text, or else for its end.
        documents: the words of each document.

    Returns:
        What `measures.SlIcm` and the module `sl_icm` take as `token_probabilities`; None for a word of which the
        tokenizer leaves nothing.

    Raises:
        InputError: if the tokenizer has neither token: nothing would stand before a document's first word.
    """
    begin = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    if begin is None:
        raise InputError("the tokenizer has no token for the beginning of a text.", "Set its bos_token.")
    size = model.config.max_position_embeddings
    model.eval()
    found = []
    for words in documents:
        pieces = tokenizer(list(words), is_split_into_words=True, add_special_tokens=False)
        logarithms: list[float | None] = [None] * len(words)
        of_pieces = _log_probabilities(model, [begin, *pieces["input_ids"]], size)
        for word, logarithm in zip(pieces.word_ids(), of_pieces, strict=True):
            logarithms[word] = logarithm + (logarithms[word] or 0.0)
        probabilities = [None if one is None else torch.tensor(one, dtype=torch.float64).exp() for one in logarithms]
        # the least bit above 1 is rounding
        found.append([None if one is None else min(one.item(), 1.0) for one in probabilities])
    return found


def _log_probabilities(model: Any, pieces: list[int], size: int) -> list[float]:
    """Return the logarithm of the probability of each piece but the first, in windows of so many pieces."""
    found: list[float] = []
    for start in range(0, max(len(pieces) - 1, 1), max(size // 2, 1)):
        window = torch.tensor([pieces[start : start + size]])
        done = len(found) - start
        if done >= window.shape[1] - 1:
            continue
        with torch.no_grad():
            logits = model(input_ids=window.to(model.device)).logits[0, done:-1]
        of_window = torch.log_softmax(logits.double(), dim=-1)
        found += of_window.gather(1, window[0, done + 1 :, None].to(of_window.device))[:, 0].tolist()
    return found


def tiny_model(documents: Iterable[Sequence[str]], *, seed: int = 0, context: int = 64) -> tuple[Any, Any]:
    """Return a small causal language model with random weights, and a tokenizer made from the documents."""
    set_seed(seed)
    pieces = Tokenizer(models.BPE(unk_token="[?]"))
    pieces.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=[BEGIN, "[?]"], initial_alphabet=alphabet)
    pieces.train_from_iterator((" ".join(words) for words in documents), trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, bos_token=BEGIN, unk_token="[?]")
    begin = tokenizer.bos_token_id
    size = {"vocab_size": len(tokenizer), "n_positions": context, "n_embd": 16, "n_layer": 1, "n_head": 2}
    return GPT2LMHeadModel(GPT2Config(**size, bos_token_id=begin, eos_token_id=begin)), tokenizer


def main() -> None:
    """Read a file, and write it with a column of probabilities."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", help="a file of columns with words and tags")
    parser.add_argument("--model", help="a causal language model, by its name on the Hub or its folder")
    options = parser.parse_args()
    # a model this small gains nothing from more
    torch.set_num_threads(1)
    try:
        _run(options)
    except InputError as error:
        raise SystemExit(f"token_probabilities: {error}") from None


def _run(options: argparse.Namespace) -> None:
    file = read(options.file or str(resources.files("spanometer") / "data" / "example.conll"), words=True)
    if file.words is None:
        raise InputError("there is no column of words.", "Give a file with words.", source=file.source)
    words, tags = tag_lists(file.words), tag_lists(file.tags[0])
    if options.model is None:
        model, tokenizer = tiny_model(words)
    else:
        model = AutoModelForCausalLM.from_pretrained(options.model)
        tokenizer = AutoTokenizer.from_pretrained(options.model, add_prefix_space=True)
    for document in zip(words, token_probabilities(model, tokenizer, words), tags, strict=True):
        for word, probability, tag in zip(*document, strict=True):
            print(word, "_" if probability is None else repr(probability), tag, sep="\t")
        print()


if __name__ == "__main__":
    main()
