"""Illegal tags on the pages, and sides without anything to score."""

import re

from page_answers import answer, examples, headline, text_of
from spanometer.space.measure_page import SHOWN_PAIRS


def section(html):
    found = re.search(r"<section>\s*<h2>Illegal tags</h2>(.*?)</section>", html, re.DOTALL)
    return found and text_of(found[1]).strip()


def test_illegal_tags_are_shown():
    # sentence 1: I-X at the beginning; sentence 2: I-X after B-Y
    reference = "a B-X\nb O\n\nc B-X\nd B-X\n"
    prediction = "a I-X\nb O\n\nc B-Y\nd I-X\n"
    shown = section(answer("span_f", reference, prediction))
    assert "The prediction has 2 illegal pairs of tags, in 2 of 2 sentences." in shown
    # of 3 spans each two are found, a and d; without the illegal ones the prediction has the wrong c alone
    assert (
        "F1 is 0.6667 with the policy conlleval (read illegal tags as the CoNLL script does), and 0.0000 with" in shown
    )
    assert "prediction 1 1 a I-X at the beginning X: a no span" in shown
    assert "prediction 2 2 d I-X after B-Y Y: c; X: d Y: c" in shown
    discarded = section(answer("span_f", reference, prediction, repair="discard"))
    assert "0.0000 with the policy discard" in discarded and "0.6667 with the policy conlleval" in discarded


def test_both_sides_and_their_words():
    shown = section(answer("span_f", "a I-X\nb B-X\n", "a I-X\nb O\n"))
    assert "The reference has 1 illegal pair of tags, in 1 of 1 sentence." in shown
    assert "The prediction has 1 illegal pair" in shown
    assert section(answer("span_f", "a B-X\n", "a B-X\n")) is None
    many = section(answer("span_f", "a I-X\nb B-X\n\n" * 30, "a O\nb O\n\n" * 30))
    assert many.count("at the beginning") == SHOWN_PAIRS and "the first 20 of each side" in many


def test_the_example_of_illegal_tags_shows_them():
    example = next(each for each in examples("spans") if each.name == "illegal tags")
    assert "I-PLACE after O" in section(answer("link_f", example.reference, example.prediction))


def test_no_entities_are_no_perfect_score():
    nothing = answer("eter", "a b\n", "a b\n")
    assert headline(nothing) == "no entities found"
    assert "No entities found: scores with the denominator 0" in nothing and "pers" in text_of(nothing)
    invented = answer("eter", "a b\n", "<pers.ind> a </pers.ind> b\n")
    assert headline(invented) == "no entities in the reference"
    # nor any other rate of errors
    shown = text_of(invented)
    assert "slot error rate –" in shown and "inserted entities 1" in shown
    assert "No spans found" in answer("span_f", "a O\n", "a O\n")
    assert "No spans" not in answer("span_f", "a B-X\n", "a O\n")


def test_plurals():
    assert "1 sentence, 1 token, 1 reference span, 1 predicted span<" in answer("span_f", "a B-X\n", "a B-X\n")
    one = "<pers.ind> a </pers.ind>"
    assert "1 document, 1 token, 1 reference entity, 1 predicted entity<" in answer("eter", one, one)
    line = '[{"start": 0, "end": 1, "label": "X", "attributes": {"a": 1}}]'
    assert "1 reference span, 1 predicted span<" in answer("span_attribute", line, line)
    assert "of 1 random annotation," in answer("chance_kappa_f1", "a B-X\nb O\n", "a B-X\nb O\n", n_simulations=1)


def test_sizes_are_in_one_unit():
    shown = text_of(answer("eter", "a " * 600_000, "a"))
    assert "1.20 MB, more than 1 MB: too much for this page" in shown and "bytes" not in shown
