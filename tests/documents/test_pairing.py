"""Two sides' documents in one unit."""

from itertools import permutations

import numpy as np
import pytest

from builders import pair
from spanometer.documents.document_file import documents_of
from spanometer.documents.layers import Record
from spanometer.documents.pairing import Pairing
from spanometer.documents.sides import files_together
from spanometer.exceptions import InputError
from spanometer.readers.source import Source

TEXT = "Ada Lovelace-Byron wrote."
TOKENS = [(0, 3), (4, 12), (12, 13), (13, 18), (19, 24), (24, 25)]
WORDS = [TEXT[start:end] for start, end in TOKENS]


@pytest.fixture
def made(file):
    def make(*records, name="a.jsonl", in_tokens=False):
        with Source.open(file("{}\n", name)) as source:
            return documents_of(source, records, in_tokens=in_tokens)

    return make


def bounds(spans):
    return list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))


def test_words_beside_their_text(made):
    """Scored in tokens, spans of characters get the words of their own file; by default they stay characters."""
    both = made(Record(text=TEXT, words=WORDS, spans=[(0, 18, "PER"), (1, 3, "X")]))
    found = pair(both, both)
    assert (found.choices["unit"], bounds(found.references)) == ("character", [(0, 18), (1, 3)])
    assert sorted(bounds(pair(both, both, Pairing(to_tokens="expand")).predictions)) == [(0, 1), (0, 4)]
    whole = made(Record(text=TEXT, words=WORDS, spans=[(0, 18, "PER")]))
    assert bounds(pair(whole, whole, Pairing(unit="token")).references) == [(0, 4)]
    other = made(Record(text=TEXT, words=[*WORDS[:-1], "!"], spans=[(0, 18, "PER")]))
    with pytest.raises(InputError, match="the word is '!', but the text has") as caught:
        pair(other, both, Pairing(unit="token"))
    assert (caught.value.source[-7:], caught.value.position) == ("a.jsonl", 5)


def test_characters_and_tokens(made):
    """Words without a text against a text without words, both ways round and in both units."""
    words = made(Record(words=WORDS, spans=[(0, 4, "PER")]), in_tokens=True)
    text = made(Record(text=TEXT, spans=[(0, 18, "PER")]))
    found = pair(words, text)
    assert (found.choices["unit"], bounds(found.references), bounds(found.predictions)) == ("token", [(0, 4)], [(0, 4)])
    assert found.choices == {"unit": "token", "to_tokens": "strict"}
    found = pair(text, words)
    assert (found.choices["unit"], bounds(found.references), bounds(found.predictions)) == (
        "character",
        [(0, 18)],
        [(0, 18)],
    )
    assert found.choices == {"unit": "character"}
    assert found.references.lengths.tolist() == found.predictions.lengths.tolist() == [25]
    found = pair(words, text, Pairing(unit="character"))
    assert (bounds(found.references), bounds(found.predictions)) == ([(0, 18)], [(0, 18)])


def test_spans_off_the_tokens(made):
    words = made(Record(words=WORDS, spans=[(0, 4, "PER")], line=3), in_tokens=True)
    text = made(Record(text=TEXT, spans=[(0, 10, "PER"), (18, 19, "X")], line=8), name="b.jsonl")
    with pytest.raises(InputError, match=r"\(characters 0 to 10\) begins or ends within a token") as caught:
        pair(words, text)
    assert caught.value.place.endswith("b.jsonl, line 8")
    found = pair(words, text, Pairing(to_tokens="overlap"))
    assert bounds(found.predictions) == [(0, 2)]
    assert found.notes == ("predictions: 1 span moved by 2 characters to fit tokens.",)
    assert found.left_out == ("predictions: the span labelled 'X' from character 18 to 19 in document 0 has no token.",)


def test_documents_are_paired_by_name(made):
    one = made(Record(id="a", text="x y", spans=[(0, 1, "A")]), Record(id="b", text="z", spans=[]))
    other = made(Record(id="b", text="z", spans=[(0, 1, "B")]), Record(id="a", text="x y", spans=[]))
    assert pair(one, other).predictions.document.tolist() == [1]


def test_documents_are_paired_by_text(made):
    one = made(Record(id="1", text="x y", spans=[(0, 1, "A")]), Record(id="2", text="z", spans=[]))
    other = made(Record(id="8", text="z", spans=[(0, 1, "B")]), Record(id="9", text="x y", spans=[]))
    assert pair(one, other).predictions.document.tolist() == [1]


def test_documents_that_one_side_has(made):
    one = made(Record(id="a", text="x", spans=[]), Record(id="b", text="z", spans=[]))
    with pytest.raises(
        InputError, match=r"[^ ]+ has 2 documents, but [^ ]+ has 1 document. Documents only in [^ ]+: 'b'\."
    ):
        pair(one, made(Record(id="a", text="x", spans=[])))


def test_texts_that_differ(made):
    one = made(Record(text="one two three", spans=[], line=4))
    with pytest.raises(InputError) as caught:
        pair(one, made(Record(text="one two tree", spans=[]), name="b.jsonl"))
    assert caught.value.place.endswith("a.jsonl, line 4")
    assert caught.value.problem == (
        "the texts differ at character 9: 'one two three' in the reference, 'one two tree' in the prediction."
    )


def test_line_ends(made):
    one = made(Record(text="one\r\ntwo", spans=[(5, 8, "A")]))
    other = made(Record(text="\ufeffone\ntwo", spans=[(5, 8, "A"), (1, 4, "B")]))
    with pytest.raises(InputError, match="The only difference: line endings and byte order marks"):
        pair(one, other)
    found = pair(one, other, Pairing(texts="line_ends"))
    assert (bounds(found.references), bounds(found.predictions)) == ([(4, 7)], [(0, 3), (4, 7)])
    assert found.choices == {"unit": "character", "texts": "line_ends"}
    words = made(Record(text="one\r\ntwo", tokens=[(0, 3), (5, 8)], spans=[(1, 2, "A")]), in_tokens=True)
    assert bounds(pair(words, other, Pairing(texts="line_ends")).predictions) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("order", [*permutations(("words", "more", "bare", "text"), 3), ("crlf", "bare", "plain")])
def test_positions_of_several_sides_are_in_one_text(made, order):
    """Each side has the span 'Ben'. In characters, offsets without a text count in the text of another side."""
    written = {"text": "Ann  met Ben", "crlf": "Ann\r\nmet Ben", "plain": "Ann\nmet Ben"}
    texts = {name: written.get(name, "Ann  met Ben"[not {*written} & {*order} :]) for name in order}
    spans = {name: [(len(text) - 3, len(text), "P")] for name, text in texts.items()}
    words = made(Record(words=["Ann", "met", "Ben"], spans=[(2, 3, "P")]), in_tokens=True)
    sides = {name: made(Record(text=written.get(name), spans=each)) for name, each in spans.items()}
    sides |= {name: words for name in order if name in ("words", "more")}
    paired = files_together(sides, Pairing(unit="character", texts="line_ends"))
    size = len(paired.file.documents.texts[0])
    assert [bounds(side) for side in paired.spans.values()] == [[(size - 3, size)]] * 3


def test_aligned_texts(made):
    one = made(Record(text="The quick brown fox", spans=[(4, 9, "A")]))
    other = made(Record(text="The qu1ck, brown x fox", spans=[(4, 9, "A"), (17, 18, "B"), (19, 22, "C")]))
    found = pair(one, other, Pairing(texts="aligned"))
    assert (bounds(found.references), bounds(found.predictions)) == ([(4, 9)], [(4, 9), (16, 19)])
    assert found.notes == ("predictions: texts that differ were aligned: 1 of 1.",)
    assert found.left_out == ("predictions: a span in document 0 is not in the reference's text.",)


def test_trimmed(made):
    one = made(Record(text="a, b", spans=[(0, 1, "A")]))
    other = made(Record(text="a, b", spans=[(0, 3, "A")]))
    found = pair(one, other, Pairing(trim="punctuation"))
    assert bounds(found.predictions) == [(0, 1)]
    assert found.notes == ("predictions: 1 span cut by 2 characters.",)
    assert found.choices["trim"] == "punctuation"


def test_words_that_are_not_in_the_text(made):
    text = made(Record(text="Ada wrote", spans=[]), Record(text="it.", spans=[]))
    words = made(Record(words=["Ada", "wrote"], spans=[]), Record(words=["at", "."], spans=[], line=5), in_tokens=True)
    with pytest.raises(InputError, match=r"the word is 'at', but the text has 'it\.' here") as caught:
        pair(text, words)
    assert caught.value.document is None


def test_nothing_to_carry_with(made):
    bare = made(Record(spans=[(0, 2, "A")]), in_tokens=True)
    with pytest.raises(InputError, match="the tokens have no character offsets"):
        pair(bare, bare, Pairing(unit="character"))
    text = made(Record(text="x", spans=[]))
    with pytest.raises(InputError, match="the reference has no tokens"):
        pair(text, text, Pairing(unit="token"))
    assert np.array_equal(pair(bare, bare).references.start, [0])


def test_words_and_offsets_without_a_text(made):
    """What a system says of the words with blanks between them; what it states must be there."""
    words = made(Record(words=["Ada", "Lovelace", "wrote"], spans=[(0, 2, "PER")]), in_tokens=True)
    found = pair(words, made(Record(spans=[(0, 12, "PER")], stated=["Ada Lovelace"])))
    assert (found.choices["unit"], bounds(found.references), bounds(found.predictions)) == ("token", [(0, 2)], [(0, 2)])
    assert found.notes == ("No file has texts, so texts were made from the words, with blanks between them.",)
    found = pair(made(Record(spans=[(13, 18, "X")])), words)
    assert (found.choices["unit"], bounds(found.references), bounds(found.predictions)) == (
        "character",
        [(13, 18)],
        [(0, 12)],
    )
    with pytest.raises(InputError, match=r"1 of 1 span texts differ"):
        pair(words, made(Record(spans=[(0, 12, "PER")], stated=["AdaLovelace w"])))


def test_spans_split_into_words(made):
    """One span over two names is not equal to two spans, but its words are."""
    text = "Ada Lee!"
    one, other = made(Record(text=text, spans=[(0, 8, "A")])), made(Record(text=text, spans=[(0, 3, "A"), (4, 7, "A")]))
    found = pair(one, other, Pairing(split_spans="blanks"))
    assert bounds(found.references) == [(0, 3), (4, 8)] and bounds(found.predictions) == [(0, 3), (4, 7)]
    assert found.choices["split_spans"] == "blanks" and found.choices["unit"] == "character"
    tokens = made(Record(words=["Ada", "Lee"], spans=[(0, 1, "A")]), in_tokens=True)
    with pytest.raises(InputError, match="only spans of characters can be split into tokens"):
        pair(tokens, tokens, Pairing(split_spans="blanks"))
