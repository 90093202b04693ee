"""Tokens made from texts, and files scored in them."""

import json
import sys

import pytest

import spanometer
from builders import pair
from spanometer.documents.pairing import Pairing
from spanometer.documents.units import signed, tokens_of
from spanometer.exceptions import InputError

TEXT = "Ada Lovelace-Byron danced 💃 in Cafe\u0301 Zoë."
# the span of each name, by hand
NAMES = [(0, 18, "PER"), (31, 40, "LOC")]


@pytest.fixture
def written(file):
    def write(name, *rows, unit=None):
        lines = []
        for number, (text, spans, tokens) in enumerate(rows):
            row = {"id": str(number), "text": text}
            row["spans"] = [{"start": start, "end": end, "label": label} for start, end, label in spans]
            row |= {} if tokens is None else {"tokens": tokens, "unit": "token"}
            lines.append(json.dumps(row))
        return file("\n".join(lines) + "\n", name)

    return write


@pytest.fixture
def hugging_face(tmp_path):
    """The folder of a small tokenizer of one's own, with blanks before words within its offsets."""
    library = pytest.importorskip("tokenizers", reason="needs tokenizers: pip install spanometer[text]")

    def make(kind="bytes"):
        if kind == "bytes":
            made = library.Tokenizer(library.models.BPE(unk_token=None))
            made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
            made.post_processor = library.processors.ByteLevel(trim_offsets=False)
            trainer = library.trainers.BpeTrainer(
                vocab_size=300, show_progress=False, initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet()
            )
            made.train_from_iterator(["Ada Ada Lovelace danced in in"], trainer)
        else:
            words = ["[UNK]", "[CLS]", "[SEP]", "Ada", "Love", "##lace", "Byron", "-"]
            made = library.Tokenizer(library.models.WordPiece({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
            made.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
            made.post_processor = library.processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
            made.enable_truncation(3)
            made.enable_padding(length=40)
        made.save(str(tmp_path / "tokenizer.json"))
        return tmp_path

    return make


def covered(text, tokens):
    return [text[start:end] for start, end in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)]


def test_pattern():
    pytest.importorskip("regex", reason="needs regex: pip install spanometer[text]")
    assert covered(TEXT, tokens_of((TEXT,), r"regex:[\w\p{M}]+|[^\w\s]"))[:5] == [
        "Ada",
        "Lovelace",
        "-",
        "Byron",
        "danced",
    ]
    # empty matches are no tokens
    assert covered("ab a", tokens_of(("ab a",), r"regex:a*")) == ["a", "a"]
    with pytest.raises(InputError, match=r"document 1: the regular expression .* takes more than 0\.1 seconds"):
        tokens_of(("b", "a" * 60 + "b"), "regex:(?:a|aa)+$")


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr("spanometer.documents.units._SECONDS", 0.1)
    tokens_of.cache_clear()


def test_spacy():
    spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install spanometer[spacy]")
    texts = (TEXT, "", "We  don't.\n\nNo " + "x" * 1_000_001)
    tokens = tokens_of(texts, "spacy:en")
    blank = spacy.blank("en")
    blank.max_length = 2_000_000
    for document, text in enumerate(texts):
        one = tokens.take([document])
        assert covered(text, one) == [token.text for token in blank(text)]
    with pytest.raises(InputError, match="spaCy has no tokenizer for 'qq'"):
        tokens_of(texts, "spacy:qq")
    assert signed("spacy:en") == f"spacy:en@{spacy.__version__}"


def test_hugging_face(hugging_face):
    folder = hugging_face()
    tokens = tokens_of((TEXT, "", " "), f"hf:{folder}")
    found = covered(TEXT, tokens.take([0]))
    # no blanks, and the emoji's four bytes are one token
    assert found[0] == "Ada" and "💃" in found and not any(token != token.strip() for token in found)
    assert "".join(found) == TEXT.replace(" ", "")
    assert tokens.lengths.tolist()[1:] == [0, 0]
    assert tokens_of((TEXT, "", " "), f"hf:{folder / 'tokenizer.json'}").start.tolist() == tokens.start.tolist()
    assert len(signed(f"hf:{folder}")) == len("hf:") + 12


def test_special_tokens_are_no_tokens_and_nothing_is_cut_off(hugging_face):
    tokens = tokens_of(("Ada Lovelace-Byron [CLS]",), f"hf:{hugging_face('words')}")
    pieces = covered("Ada Lovelace-Byron [CLS]", tokens)
    assert pieces[:5] == ["Ada", "Love", "lace", "-", "Byron"]
    assert len(pieces) < 10


@pytest.mark.parametrize(
    ("library", "tokenizer", "extra"),
    [("regex", "regex:a", "text"), ("tokenizers", "hf:a", "text"), ("spacy", "spacy:en", "spacy")],
)
def test_missing_library(monkeypatch, library, tokenizer, extra):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match="is not installed") as caught:
        tokens_of(("a",), tokenizer)
    assert caught.value.remedy == f'Install it with: pip install "spanometer[{extra}]"'


def test_both_sides_get_the_same_tokens(written):
    gold = spanometer.read(written("gold.jsonl", (TEXT, NAMES, None)))
    system = spanometer.read(written("system.jsonl", (TEXT, [(0, 12, "PER"), (31, 41, "LOC")], None)))
    report = spanometer.score(gold, system, tokenizer="words")
    # Ada Lovelace - Byron danced 💃 in Café Zoë .
    assert report.tokens == 10
    assert "|unit:token|to_tokens:strict|tokenizer:words|" in report.results[0].signature
    found = pair(gold, system, Pairing(tokenizer="words"))
    assert (found.references.start.tolist(), found.references.end.tolist()) == ([0, 7], [4, 9])
    assert (found.predictions.start.tolist(), found.predictions.end.tolist()) == ([0, 7], [2, 10])
    found = pair(gold, system, Pairing(tokenizer="blanks", to_tokens="expand"))
    assert found.references.end.tolist() == [2, 7] == found.predictions.end.tolist()


def test_tokens_of_the_reference_are_replaced(written):
    """Spans of its own tokens are carried over the text."""
    own = [[0, 12], [12, 18], [31, 40]]
    gold = spanometer.read(written("gold.jsonl", (TEXT, [(0, 2, "PER"), (2, 3, "LOC")], own)))
    system = spanometer.read(written("system.jsonl", (TEXT, NAMES, None)))
    found = pair(gold, system, Pairing(tokenizer="words"))
    for side in (found.references, found.predictions):
        assert (side.start.tolist(), side.end.tolist(), side.lengths.tolist()) == ([0, 7], [4, 9], [10])
    assert pair(gold, system).references.end.tolist() == [2, 3]


def test_words_without_a_text(file, written):
    gold = spanometer.read(file("Ada B-PER\nLovelace-Byron I-PER\n", "gold.conll"))
    system = spanometer.read(written("system.jsonl", ("Ada Lovelace-Byron", [(0, 18, "PER")], None)))
    assert pair(gold, system, Pairing(tokenizer="words")).references.end.tolist() == [4]


def test_read_with_a_tokenizer(written):
    path = written("gold.jsonl", (TEXT, NAMES, None), ("x y", [(0, 1, "A")], None))
    gold = spanometer.read(path, tokenizer="words")
    assert gold.documents.tokens.lengths.tolist() == [10, 2]
    report = spanometer.score(gold, spanometer.read(path), unit="token")
    assert report.tokens == 12 and "|tokenizer:words|" in report.results[0].signature
    # the spans are in characters still
    assert "tokenizer" not in spanometer.score(gold, spanometer.read(path)).results[0].signature


def test_unknown_hugging_face_tokenizer(tmp_path):
    pytest.importorskip("tokenizers", reason="needs tokenizers: pip install spanometer[text]")
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(InputError, match="there is no tokenizer"):
        tokens_of(("a",), f"hf:{tmp_path}")
