"""The report of errors: what is in it, and in headless Chromium what a reader does with it."""

import base64
import json
import random
import re

import numpy as np
import pytest

from random_corpora import as_spans, random_pair
from spanometer import InputError, Spans, errors
from spanometer.alignment.matched_spans import KINDS, MatchedSpans
from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.errors.contexts import Context
from spanometer.documents.places_in_files import LineRuns
from spanometer.spans.wording import Wording
from spanometer.web.error_report import error_report, report_data, write_error_report

HOSTILE = "</script><script>window.hurt=1</script>", "<img/src=x/onerror=window.hurt=1>", "%DATA%", "\u202ea\u2028"
WORDS = [["Ada", "of", "Acme", "Inc", "saw", "Rome"], ["Rome", "fell"], ["Bob", "of", "Rome"], [*HOSTILE]]
REFERENCE = [[(0, 1, "PER"), (2, 4, "ORG"), (5, 6, "LOC")], [(0, 1, "LOC")], [], [(0, 1, "PER")]]
PREDICTION = [[(0, 1, "ORG"), (3, 4, "ORG")], [(0, 1, "LOC")], [(0, 1, "PER"), (2, 3, "LOC")], [(1, 2, "<b>")]]
LINES = np.array([1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18])


def spans(documents, lengths):
    rows = [[{"start": start, "end": end, "label": label} for start, end, label in row] for row in documents]
    return Spans.from_dicts(rows, lengths=list(lengths))


def small(*outputs):
    """The errors of one or more systems."""
    predictions = {f"system {number}": spans(output, map(len, WORDS)) for number, output in enumerate(outputs)}
    found = errors(spans(REFERENCE, map(len, WORDS)), predictions or spans(PREDICTION, map(len, WORDS)), n_resamples=50)
    return found.with_context(CONTEXT)


def data_for(references, predictions, context, **options):
    matched = MatchedSpans.of(Alignment(references, predictions))
    return report_data(matched, (references, predictions), context, **{"most": 10_000, **options})


def large(documents, words, prediction, **options):
    reference = [[(0, 1, "A")]] * documents
    sides = [spans(side, [len(words)] * documents) for side in (reference, prediction)]
    found = errors(*sides, words=[words] * documents, confidence=None)
    return error_report(found, **options)


SIDES = [spans(side, map(len, WORDS)) for side in (REFERENCE, PREDICTION)]
CONTEXT = Context(
    wording=Wording.of_words(WORDS),
    source="gold",
    line_runs=LineRuns(np.arange(len(LINES)), LINES, len(LINES)),
)


def data_of(html):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    return json.loads(found[1])


def test_passages_have_both_sides():
    data = data_for(*SIDES, CONTEXT)
    assert [passage["line"] for passage in data["passages"]] == [1, 11, 15]
    assert data["passages"][0]["units"] == WORDS[0]
    kind = {name: code for code, name in enumerate(KINDS)}
    label = {name: code for code, name in enumerate(data["labels"])}
    reference, prediction = data["passages"][0]["sides"]
    assert reference == [
        [0, 1, label["PER"], kind["wrong_label"], 0],
        [2, 4, label["ORG"], kind["wrong_boundary"], 1],
        [5, 6, label["LOC"], kind["missing"], 2],
    ]
    assert [mark[3:] for mark in prediction] == [[kind["wrong_label"], 0], [kind["wrong_boundary"], 1]]
    assert [error[4] for error in data["errors"]] == [1, 1, 2, 1, 2, 1, 1]


def test_the_matrix_has_every_span():
    data = data_for(*SIDES, CONTEXT)
    cells = {(row, column): (same, other) for row, column, same, other in data["matrix"]}
    code = {name: number for number, name in enumerate(data["labels"])}
    assert cells[code["PER"], code["ORG"]] == (1, 0)
    assert cells[code["ORG"], code["ORG"]] == (0, 1)
    assert cells[code["LOC"], code["LOC"]] == (1, 0)
    assert sum(map(sum, cells.values())) == 8


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_random_corpora(seed, kind):
    *sides, lengths = random_pair(seed, kind)
    sides = [as_spans(side, lengths) for side in sides]
    words = [[f"w{number}" for number in range(length)] for length in lengths]
    data = data_for(*sides, Context(wording=Wording.of_words(words)))
    rows = MatchedSpans.of(Alignment(*sides)).to_arrow().to_pylist()
    expected = [row for row in rows if row["kind"] != "correct"]
    assert [list(KINDS)[error[0]] for error in data["errors"]] == [row["kind"] for row in expected]
    for passage in data["passages"]:
        document = passage["document"]
        assert passage["units"] == words[document]
        for side, marks in zip(sides, passage["sides"], strict=True):
            span, start, end = side.pieces()
            here = side.document[span] == document
            label = [side.labels[code] for code in side.label[span]]
            pieces = sorted(zip(start[here].tolist(), end[here].tolist(), np.array(label, object)[here], strict=True))
            assert sorted((mark[0], mark[1], data["labels"][mark[2]]) for mark in marks) == pieces


def test_of_a_long_document_the_surroundings_are_there():
    length = 1000
    reference = [[(100, 102, "A"), (500, 501, "A")]]
    words = [[str(number) for number in range(length)]]
    sides = spans(reference, [length]), spans([[]], [length])
    first, second = data_for(*sides, Context(wording=Wording.of_words(words)))["passages"]
    assert (first["units"], first["cut"]) == (words[0][70:132], [True, True])
    assert second["sides"] == [[[30, 31, 0, list(KINDS).index("missing"), 1]], []]
    text = " ".join(words[0])
    sides = spans([[(0, 1, "A")]], [len(text)]), spans([[]], [len(text)])
    (passage,) = data_for(*sides, Context(wording=Wording.of_texts([text])))["passages"]
    assert (passage["units"], passage["cut"]) == (text[:201], [False, True])


def test_what_is_left_out_is_said():
    html = large(100, ["x", "y"], [[]] * 100, most=10)
    assert len(data_of(html)["systems"][0]["errors"]) == 10
    assert "Left out: the sentences of 90 errors. 10 of 100 were drawn at random (seed 0)" in html
    assert "Left out" not in large(100, ["x", "y"], [[]] * 100, most=100)
    assert html != large(100, ["x", "y"], [[]] * 100, most=10, seed=1)


def test_nothing_of_the_corpus_is_markup():
    options = {"title": HOSTILE[0], "heading": [("<b>", HOSTILE[0])], "by": {HOSTILE[1]: [*HOSTILE]}}
    html = error_report(small(), **options)
    assert HOSTILE[0] not in html and HOSTILE[1] not in html.replace(json.dumps(HOSTILE[1]), "")
    assert html.count("<script") == 2 and html.count("</script>") == 2
    assert data_of(html)["systems"][0]["passages"][-1]["units"] == [*HOSTILE]
    assert not re.search(r"\s(src|href)=|url\(|@import", html.partition("<script")[0])


def test_the_report_has_scores_kinds_buckets_and_probable_errors(tmp_path):
    path = tmp_path / "report.html"
    train = Spans.from_dicts([[{"start": 0, "end": 1, "label": "LOC"}]]), Wording.of_words([["Rome"]])
    found = small(PREDICTION, REFERENCE)
    write_error_report(found, path, title="A & B", train=train, by={"year": [1, 2, 3, 4]})
    text = path.read_text(encoding="utf-8")
    shown = re.sub(r"<[^>]+>", " ", text.partition("<script")[0])
    for expected in (
        "A &amp; B",
        "Scores",
        "wrong boundary",
        "if fixed",
        "mentions in training",
        "unseen",
        "year",
        "The systems beside each other",
        found.signature,
    ):
        assert expected in shown
    with pytest.raises(InputError, match=r"'report\.txt' is not the name of a page"):
        write_error_report(found, "report.txt")


def test_suspicious_references_are_listed():
    assert "Suspicious references" in error_report(small())
    side = SIDES[0]
    assert "Suspicious references" not in error_report(errors(side, side, confidence=None))


@pytest.fixture
def page(browser, tmp_path):
    """The small report of two systems, opened from disk."""
    path = tmp_path / "report.html"
    html = error_report(small(PREDICTION, [[], [], [], []]))
    path.write_text(html, encoding="utf-8")
    return opened(browser, path)


def opened(browser, path):
    browser.get_log("performance")
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.dataset.ready") == "yes"
    return browser


def shown(browser):
    """The lines of the sentences that are shown."""
    script = (
        "return [...document.querySelectorAll('#sentences article')].map((card) => card.getAttribute('aria-label'))"
    )
    return browser.execute_script(script)


def click(browser, selector, place=0):
    browser.execute_script(f"document.querySelectorAll({json.dumps(selector)})[{place}].click()")


def choose(browser, name, value):
    script = "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
    browser.execute_script(f"{script} field.dispatchEvent(new Event('change'))", name, str(value))


def search(browser, text):
    script = "const field = document.getElementById('search'); field.value = arguments[0];"
    browser.execute_script(f"{script} field.dispatchEvent(new Event('input'))", text)
    browser.execute_async_script("setTimeout(arguments[0], 200)")


def found(browser):
    return browser.find_element("id", "found").text


def test_filters(page):
    assert shown(page) == ["document 0, line 1", "document 2, line 11", "document 3, line 15"]
    assert found(page) == "7 errors in 3 sentences."
    click(page, ".er-kind.sm-missing")
    assert shown(page) == ["document 0, line 1", "document 3, line 15"]
    click(page, ".er-kind.sm-spurious")
    assert found(page) == "5 errors in 3 sentences."
    click(page, ".er-kind.sm-missing")
    assert shown(page) == ["document 2, line 11", "document 3, line 15"]
    click(page, "#clear")
    choose(page, "label", 1)
    assert (found(page), shown(page)) == ("1 error in 1 sentence.", ["document 0, line 1"])
    choose(page, "label", -1)
    choose(page, "predicted", 1)
    assert shown(page) == ["document 2, line 11"]
    hits = [mark.text for mark in page.find_elements("css selector", "mark.er-hit")]
    assert [text.splitlines()[0].split()[0] for text in hits] == ["Rome"]


def test_search_and_order(page):
    search(page, "ROME")
    assert shown(page) == ["document 0, line 1", "document 2, line 11"]
    search(page, "line 15")
    assert shown(page) == ["document 3, line 15"]
    search(page, "nowhere")
    assert (shown(page), found(page)) == ([], "0 errors in 0 sentences.")
    click(page, "#clear")
    choose(page, "label", -1)
    choose(page, "order", "times")
    assert shown(page) == ["document 2, line 11", "document 3, line 15"]
    click(page, "#strings .er-link")
    assert page.find_element("id", "search").get_attribute("value") == "Rome"


def test_the_matrix_filters(page):
    cells = page.find_elements("css selector", ".er-matrix button")
    (wrong,) = [cell for cell in cells if cell.get_attribute("title") == "PER → ORG"]
    page.execute_script("arguments[0].click()", wrong)
    assert found(page) == "1 error in 1 sentence."
    click(page, "#layers button", 2)
    cells = page.find_elements("css selector", ".er-matrix button")
    assert [(cell.get_attribute("title"), cell.text) for cell in cells] == [("ORG → ORG", "1")]


def test_several_systems(page):
    click(page, "#systems button", 1)
    assert found(page) == "5 errors in 3 sentences."
    parts = page.find_elements("css selector", ".er-system")
    assert [part.is_displayed() for part in parts] == [False, True]
    click(page, "#systems button", 0)
    assert found(page) == "7 errors in 3 sentences."


def test_hostile_texts_are_texts(page):
    assert page.execute_script("return window.hurt") is None
    text = page.execute_script("return document.querySelectorAll('#sentences article')[2].textContent")
    assert HOSTILE[0] in text and HOSTILE[1] in text
    labels = page.execute_script("return [...document.getElementById('label').options].map((one) => one.text)")
    assert "<b>" in labels
    assert not [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]
    requests = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [one["params"]["request"]["url"] for one in requests if one["method"] == "Network.requestWillBeSent"]
    assert [url for url in sent if not url.startswith("file:")] == []


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_dark_pages_are_readable(page, width, scheme):
    try:
        emulate(page, scheme, width)
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert page.execute_script("return document.documentElement.classList.contains('dark')") == (scheme == "dark")
        click(page, "#theme")
        assert page.execute_script("return document.documentElement.classList.contains('dark')") == (scheme == "light")
        ratio = "return getComputedStyle(document.documentElement).backgroundColor"
        assert page.execute_script(ratio) == ("rgb(255, 255, 255)" if scheme == "dark" else "rgb(21, 24, 28)")
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def emulate(page, scheme, width):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    # layout and the change of the colour scheme
    page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def test_print(page):
    printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert page.find_element("id", "printed").text == "Printed: all 3 sentences with the errors that were chosen."
        assert not page.find_element("id", "filters").is_displayed()
        assert page.find_element("id", "sentences").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_ten_thousand_errors_are_shown_in_steps(browser, tmp_path):
    generator = random.Random(0)
    documents = 50_000
    words = [generator.choices(["alpha", "beta", "gamma", "delta"], k=20) for _ in range(documents)]
    reference = spans([[(0, 1, "A"), (5, 7, "B")]] * documents, [20] * documents)
    prediction = spans([[(0, 1, "A"), (5, 7, "AB"[number % 4 > 0])] for number in range(documents)], [20] * documents)
    html = error_report(errors(reference, prediction, words=words, confidence=None))
    path = tmp_path / "large.html"
    path.write_text(html, encoding="utf-8")
    page = opened(browser, path)
    assert (
        "Left out: the sentences of 2,500 errors. 10,000 of 12,500"
        in page.find_element("css selector", ".sm-note").text
    )
    assert found(page) == "10,000 errors in 10,000 sentences of the 10,000 errors in this report."
    cards = len(shown(page))
    assert 40 <= cards <= 120
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    said = page.find_element("id", "printed").get_attribute("textContent")
    assert said == f"Printed: the first {cards} of 10,000 sentences with the errors that were chosen."
    click(page, "#more")
    assert len(shown(page)) == cards + 40
    search(page, "alpha beta gamma delta alpha beta")
    assert 0 < len(shown(page)) < 40


def test_labels_of_strings_are_escaped():
    """A mark from right to left in a label turned the list of strings round."""
    words, odd = [["Ada", "wrote"]], "P\u202eR"
    sides = (spans([[(0, 1, label)]], [2]) for label in (odd, "X"))
    data = data_for(*sides, Context(wording=Wording.of_words(words)))
    assert [labels for _, _, labels in data["strings"]] == ["P\\u202eR → X"]
