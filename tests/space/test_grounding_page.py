"""The page `grounding`: a text and an answer in, what policies make of it out."""

import base64
import csv
import io
import json
import re

import pytest

from headless import require_fit, served, space_app, started, wait
from page_answers import Reader, headline, text_of
from spanometer.grounding import NAMED, NAMED_STRINGS, ground
from spanometer.space import measure_page
from spanometer.space.grounding_page import FIELDS, MAX_ANSWER, MAX_ITEMS, MAX_PLACES, MAX_TEXT, form, marked, why
from spanometer.space.texts import examples_of

TEXT = "Paris Hilton lives in Paris."
ANSWER = '[["PER", "Paris Hilton"], ["LOC", "Paris"], ["CITY", "Rome"]]'
HOSTILE = "<img/src=x/onerror=window.hurt=1>"


def page(text, answer, **changed):
    return result(text, answer, **changed).html


def result(text, answer, **changed):
    return form().response({"text": text, "answer": answer, **FIELDS.initial, **changed})


def mention_page(**texts):
    """The HTML of the page of mention F1."""
    page = measure_page.form("mention_f")
    return page.response({**page.fields.initial, **texts}).html


def outcome_of(html, policy):
    """The part of the page with the outcome of a policy."""
    parts = html.split('role="group"')[1:]
    return next(part for part in parts if policy in re.search("<h3>.: (.*?)</h3>", part)[1].split(", "))


def test_nested_and_crossing_marks():
    outer, inner = (0, 12, "PER", "disputed"), (0, 5, "LOC", "agreed")
    assert list(marked("Paris Hilton.", [inner, outer])) == [
        ("Paris", [outer, inner], [inner]),
        (" Hilton", [outer], [outer]),
        (".", [], []),
    ]
    one, other = (0, 3, "A", "agreed"), (2, 5, "B", "agreed")
    assert list(marked("abcdef", [other, one])) == [
        ("ab", [one], []),
        ("c", [one, other], [one]),
        ("de", [other], [other]),
        ("f", [], []),
    ]


def test_marks_are_cut_with_the_text():
    long, behind = (1, 9, "A", "agreed"), (5, 7, "B", "agreed")
    assert list(marked("abcd", [long, behind])) == [("a", [], []), ("bcd", [long], [long])]


def test_mention_f1_by_the_rules_of_projects():
    """Two of three items are right, one of them a string elsewhere; a squad's set has each form once."""
    reference = '[["PER", "paris hilton"], ["LOC", "Paris"]]'
    html = mention_page(text=TEXT, answer=ANSWER, reference=reference)
    rows = re.findall(r"<tr><td[^>]*>([~\w-]+)</td>(.*?)</tr>", html.partition("Rules of projects")[2])
    scores = {name: re.findall(r"\d\.\d{4}", row) for name, row in rows}
    assert scores["universalner"] == ["0.6667", "1.0000", "0.8000"]
    assert {name.removeprefix("~") for name in scores} >= set(NAMED_STRINGS) and "~instructuie" in scores


def test_the_page_of_mention_f_begins_with_mention_f1():
    """Two of two reference mentions are among three predicted mentions, or one if letter case counts."""
    for mention, options, f1 in (
        ("Paris Hilton", {}, "0.8000"),
        ("paris hilton", {}, "0.4000"),
        ("paris hilton", {"fold": "case"}, "0.8000"),
    ):
        reference = json.dumps([["PER", mention], ["LOC", "Paris"]])
        html = mention_page(text=TEXT, answer=ANSWER, reference=reference, **options)
        assert headline(html) == f1 and "Outcomes of the policies" not in html
        assert "1 document, 2 reference mentions, 3 predicted mentions" in html
    assert "the reference is empty" in mention_page(text=TEXT, answer=ANSWER)


def test_the_page_of_mention_f_has_the_links_of_other_measures():
    page = measure_page.form("mention_f")
    assert page.button == "Score"
    for part in ("metrics/mention_f/README.md", "arxiv.org/abs/2308.03279"):
        assert part in page.heading


def test_what_policies_make_of_an_answer():
    html = page(TEXT, ANSWER, asked_labels="PER,LOC")
    strict = text_of(outcome_of(html, "strict"))
    assert re.search(r"Paris Hilton ≠ PER disputed lives in Paris ≠ LOC disputed \.", strict)
    assert "Rome CITY absent; counts as a false positive" in strict
    # first: the item Paris is within Paris Hilton, which is longer
    first = text_of(outcome_of(html, "spacy-llm-first"))
    assert "Paris LOC overlapping; dropped without a penalty" in first
    assert "Rome CITY outside; dropped without a penalty" in first


@pytest.mark.parametrize("example", examples_of("answers").values(), ids=examples_of("answers"))
def test_examples(example):
    given = {name: example[name] for name in ("asked_labels", "aliases")}
    html = page(example["text"], example["answer"], **given)
    reader = Reader(html)
    assert not reader.unbalanced and not reader.open and "alert" not in html
    letters = re.findall(r"<h3>(.): (.*?)</h3>", html)
    assert len(letters) >= 3 and sorted(", ".join(names for _, names in letters).split(", ")) == sorted(NAMED)
    for name in NAMED:
        assert name in text_of(html)


def test_what_is_taken_along():
    answered = result(TEXT, ANSWER, asked_labels="PER,LOC", grounding="spacy-llm-first", offsets="check")
    html, records = answered.html, json.loads(answered.files["grounding.json"])
    assert {record["policy"] for record in records} == set(NAMED)
    for name, point in NAMED.items():
        found = ground([TEXT], [ANSWER], policy=point.policy, asked_labels=["PER", "LOC"])
        of_policy = [record for record in records if record["policy"] == name]
        spans = {(one["label"], one["start"], one["end"]) for one in of_policy if one["start"] is not None}
        assert spans == {(one["label"], one["start"], one["end"]) for one in found.spans.to_dicts()[0]}
        assert sum(one["counts_as_wrong"] for one in of_policy) == len(found.wrong_mention)
    rows = list(csv.DictReader(io.StringIO(answered.files["grounding.csv"])))
    assert {(row["policy"], row["item"]) for row in rows} == {(name, str(one)) for name in NAMED for one in (1, 2, 3)}
    code = re.search("<code>(from spanometer.*?)</code>", html, re.DOTALL)[1].replace("&#39;", "'")
    known = {"text": TEXT, "answer": ANSWER}
    exec(code.replace("grounded.spans.to_dicts(),", "said = grounded.spans.to_dicts(),"), known)
    assert known["grounded"].policy.offsets == "check" and known["grounded"].total["overlapping"] == 1


def test_a_policy_of_your_own():
    actions = "salvage,keep,case,allow,all,wrong,wrong,keep"
    html = page("Rome, ROME, Romes", '[["LOC", "rome"]]', grounding=actions)
    assert re.search(r"Rome . LOC.* ROME . LOC.* Rome . LOC.* s", text_of(outcome_of(html, "your own")))
    assert len(re.findall("<h3>", page(TEXT, ANSWER, grounding="langextract"))) < len(NAMED)
    error = text_of(page(TEXT, ANSWER, grounding="nothing"))
    assert "unknown grounding policy" in error and "Use one of strict, uie" in error


@pytest.mark.parametrize(
    ("text", "answer", "said"),
    [
        ("", ANSWER, "the text is empty"),
        (TEXT, " ", "the answer is empty"),
        ("a" * (MAX_TEXT + 1), ANSWER, f"more than {MAX_TEXT:,}"),
        (TEXT, "a" * (MAX_ANSWER + 1), f"more than {MAX_ANSWER:,}"),
        (TEXT, json.dumps([["A", "b"]] * (MAX_ITEMS + 1)), f"{MAX_ITEMS + 1} items"),
        ("a " * 4000, json.dumps([["A", "a"]] * 100), f"more than {MAX_PLACES:,}"),
    ],
)
def test_what_is_too_much(text, answer, said):
    html = page(text, answer)
    assert "alert" in html and said in text_of(html)


def test_invalid_options_are_named_as_the_page_does():
    assert "“Aliases”" in text_of(page(TEXT, ANSWER, aliases="PLACE"))


@pytest.mark.parametrize(
    "answer", ["no items", "[" * MAX_ANSWER, "<a>" * 6000, "\ud800\0", '[["X", "\ud800"], ["\0", 1]]']
)
def test_any_answer_has_a_page(answer):
    html = page("text \ud800 \0 here", answer)
    assert not Reader(html).unbalanced and "Each policy" in html


def test_notes():
    assert "cannot be parsed" in page(TEXT, '[["PER", "Paris Hilton"], ["LOC", "Par')
    assert "The model has changed the text" in page(TEXT, "[Paris Hilton](PER) lived in [Paris](LOC).")
    assert "The answer has no items" in page(TEXT, "nothing")


@pytest.mark.parametrize("token", [HOSTILE, "{{value}}", "${window.hurt=1}", '"onmouseover="window.hurt=1'])
def test_nothing_of_the_input_is_markup(token):
    html = page(f"{token} here", json.dumps([[token, token], [token, "gone" + token]]), asked_labels=token)
    assert token not in html
    reader = Reader(html)
    assert not {"img", "script"} & reader.tags and "onmouseover" not in reader.attributes


def test_the_picture_shows_the_numbers_beside_it():
    html = why()
    picture = base64.b64decode(re.search(r"svg\+xml;base64,([^\"]*)", html)[1]).decode()
    named = re.findall(r"0\.\d{4}", html.partition("<figcaption")[0])
    assert len(named) == 10 and all(f">{number}<" in picture or f" {number}<" in picture for number in named)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    pytest.importorskip("gradio", reason="gradio is not installed (the extra space)")
    yield from started(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    yield from served(space_app("grounding", tmp_path_factory), tmp_path_factory)


def test_in_a_browser(browser, address):
    def found(selector):
        return browser.find_elements("css selector", f"#results {selector}")

    def said():
        return browser.execute_script("return document.querySelector('#results').innerText")

    def type_into(name, text):
        box = browser.find_element("css selector", f"#{name} textarea, #{name} input")
        box.send_keys("\ue009a\ue000", "\ue017", text)
        return box

    def press(label):
        buttons = browser.find_elements("css selector", "button")
        next(button for button in buttons if button.text == label).click()

    browser.get(address)
    wait(browser, lambda: found(".sm-headline"))
    press(list(examples_of("answers"))[2])
    wait(browser, lambda: "The answer cannot be parsed" in said())
    type_into("text", f"{HOSTILE} met Ann in Rome")
    wait(browser, lambda: [part for part in found(".sm-changed") if part.is_displayed()])
    type_into("answer", json.dumps([["PER", "Ann"], ["PER", HOSTILE], ["LOC", "Oslo"]]))
    type_into("asked_labels", "PER, LOC")
    browser.find_element("id", "start").click()
    wait(browser, lambda: "Oslo LOC" in said().replace("\n", " "))
    assert not [part for part in found(".sm-changed") if part.is_displayed()]
    assert browser.execute_script("return window.hurt") is None
    type_into("grounding", "nonsense").send_keys("\ue007")
    (error,) = wait(browser, lambda: found("[role=alert]"))
    assert "unknown grounding policy" in error.text
    type_into("grounding", "").send_keys("\ue007")
    wait(browser, lambda: found(".sm-headline"))
    for control in browser.find_elements("css selector", "input, textarea, select, button, a"):
        if control.is_displayed():
            assert control.accessible_name.strip(), control.get_attribute("outerHTML")[:300]
    for width, scheme in ((390, "dark"), (1280, "light")):
        require_fit(browser, "grounding", width, scheme, lambda: found(".sm-headline"))
