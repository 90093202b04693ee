"""Texts and words are compared wherever both sides have some, whatever the files are."""

import unicodedata

import spanometer
from spanometer.exceptions import only_difference


def attributed(text, **more):
    return {"text": text, "spans": [{"start": 0, "end": 3, "label": "PER", "attributes": {"x": "y"}}], **more}


def without_text(tokens):
    row = attributed("", tokens=tokens)
    del row["text"]
    return row


def test_texts_of_attributes(run, complaint, lines):
    """Spans of characters of two different texts scored 1.0000."""
    gold = lines("gold.jsonl", attributed("Ann won"), attributed("Ben lost"))
    other = lines("other.jsonl", attributed("Ann won"), attributed("Ben last"))
    assert run("score", gold, gold)[0] == 0
    assert "gold.jsonl, line 2: the texts differ from character 5 on: 'Ben lost'" in complaint("score", gold, other)
    assert "gold.jsonl, line 2: the texts differ" in complaint("compare", gold, gold, other)
    words = lines("words.jsonl", without_text(["Ann", "won", "a"]), without_text(["Ben", "lost", "a"]))
    assert "the word 'a' is not in the other side's text" in complaint("score", gold, words)
    assert "the word 'a' is not in the other side's text" in complaint("score", words, gold)
    some = lines("some.jsonl", attributed("Ann won"), without_text(["Ben"]))
    assert "some.jsonl, line 2: some documents have" in complaint("score", gold, some)


def test_words_beside_answers(run, complaint, lines):
    """The words of the answers' file were not read."""
    gold = lines("gold.jsonl", {"text": "Ann won", "spans": [{"start": 0, "end": 3, "label": "PER"}]})
    rows = [{"tokens": tokens, "answer": '[["PER", "Ann"]]'} for tokens in (["Ann", "won"], ["Ann", "lost"])]
    right, wrong = lines("right.jsonl", rows[0]), lines("wrong.jsonl", rows[1])
    for more in ((), ("--grounding", "gollie")):
        assert run("score", gold, right, *more)[0] == 0
        message = complaint("score", gold, wrong, *more)
        assert "wrong.jsonl, line 1, token 1: the word 'lost' is not in the other side's text" in message
    assert "the word 'lost' is not" in complaint("ground", gold, wrong)


def test_empty_documents_lack_nothing(lines):
    path = lines(
        "documents.jsonl",
        {"text": "Ann won", "tokens": [[0, 3], [4, 7]], "spans": []},
        {"text": "", "tokens": [], "spans": []},
    )
    assert spanometer.read(path).documents.tokens.lengths.tolist() == [2, 0]


def test_what_two_texts_differ_in(complaint, lines):
    composed, decomposed = "Zoë won", unicodedata.normalize("NFD", "Zoë won")
    assert only_difference(composed, decomposed) == " They differ only in Unicode normalisation."
    assert only_difference(composed, decomposed.upper()) == " They differ only in case."
    assert only_difference("a\r\nb", "a\nb") == " They differ only in line ends and byte order marks."
    assert only_difference("a", "b") == ""
    one, other = (
        lines(f"{name}.jsonl", {"text": text, "spans": []})
        for name, text in zip("ab", (composed, decomposed), strict=True)
    )
    assert "They differ only in Unicode normalisation." in complaint("score", one, other)
