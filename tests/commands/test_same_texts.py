"""Texts and words are compared wherever both sides have some, whatever the files are."""

import unicodedata

import spanometer
from spanometer.exceptions import only_difference


def test_empty_documents_lack_nothing(lines):
    path = lines(
        "documents.jsonl",
        {"text": "Ann won", "tokens": [[0, 3], [4, 7]], "spans": []},
        {"text": "", "tokens": [], "spans": []},
    )
    assert spanometer.read(path).documents.tokens.lengths.tolist() == [2, 0]


def test_what_two_texts_differ_in():
    composed, decomposed = "Zoë won", unicodedata.normalize("NFD", "Zoë won")
    assert only_difference(composed, decomposed) == " The only difference: Unicode normalisation."
    assert only_difference(composed, decomposed.upper()) == " The only difference: case."
    assert only_difference("a\r\nb", "a\nb") == " The only difference: line endings and byte order marks."
    assert only_difference("a", "b") == ""
