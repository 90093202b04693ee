"""The report of errors: what is in it, and in headless Chromium what a reader does with it."""

import base64
import csv
import io
import json
import random
import re
from itertools import combinations, pairwise
from urllib.parse import urlencode

import numpy as np
import pytest

from headless import EVERY_LINK, SAVED
from random_corpora import as_spans, random_pair
from spanometer import Spans, errors
from spanometer.alignment.matched_spans import KINDS, MatchedSpans
from spanometer.alignment.overlaps import Alignment
from spanometer.analysis.errors.examples import Context
from spanometer.analysis.errors.find import rows_of_view
from spanometer.documents.layers import LineRuns
from spanometer.readers import read, tag_lists
from spanometer.spans.wording import Wording
from spanometer.web.error_report import error_report, write_error_report

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
    found = errors(references, predictions, confidence=None).with_context(context)
    return data_of(error_report(found, **options))


def marks_of(data, system, passage):
    """The marks of a passage: start, length and a label's code, or minus the number of an error, from 1."""
    flat = data["systems"][system]["marks"][passage] if system is not None else data["marks"][passage]
    return [flat[place : place + 3] for place in range(0, len(flat), 3)]


def decoded(text):
    return [ord(sign) - 48 for sign in text]


def large(documents, words, prediction, **options):
    reference = [[(0, 1, "A")]] * documents
    sides = [spans(side, [len(words)] * documents) for side in (reference, prediction)]
    found = errors(*sides, words=[words] * documents, confidence=None)
    return error_report(found, **options)


SIDES = [spans(side, map(len, WORDS)) for side in (REFERENCE, PREDICTION)]
CONTEXT = Context(
    wording=Wording.of_words(WORDS),
    line_runs=LineRuns(np.arange(len(LINES)), LINES, len(LINES)),
)


def data_of(html):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    return json.loads(found[1])


def test_columns_by_hand():
    data = data_for(*SIDES, CONTEXT)
    assert data["passages"]["line"] == [1, 11, 15] and data["passages"]["document"] == [1, 3, 4]
    assert data["passages"]["text"][0] == " ".join(WORDS[0])
    code = {name: number for number, name in enumerate(data["labels"])}
    assert marks_of(data, None, 0) == [[0, 1, code["PER"]], [2, 2, code["ORG"]], [5, 1, code["LOC"]]]
    assert marks_of(data, 0, 0) == [[0, 1, -1], [3, 1, -2], [5, 1, -3]]
    (system,) = data["systems"]
    assert system["amounts"] == [3, 2, 2]
    kinds = [list(KINDS)[kind] for kind in decoded(system["kind"])]
    assert kinds == ["wrong_label", "wrong_boundary", "missing", "spurious", "spurious", "missing", "spurious"]
    assert [data["strings"][string] for string in system["string"]][:5] == ["Ada", "Acme Inc", "Rome", "Bob", "Rome"]
    assert system["line"][:5] == [1, 3, 6, 11, 13]


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_random_corpora(seed, kind):
    *sides, lengths = random_pair(seed, kind)
    sides = [as_spans(side, lengths) for side in sides]
    words = [[f"w{number}" for number in range(length)] for length in lengths]
    data = data_for(*sides, Context(wording=Wording.of_words(words)))
    rows = MatchedSpans(Alignment(*sides)).to_arrow().to_pylist()
    expected = [row["kind"] for row in rows if row["kind"] != "correct"]
    system = data["systems"][0]
    assert [list(KINDS)[kind] for kind in decoded(system["kind"])] == expected
    for passage, document in enumerate(data["passages"]["document"]):
        assert data["passages"]["text"][passage] == " ".join(words[document - 1])
        for number, side in ((None, sides[0]), (0, sides[1])):
            span, start, end = side.pieces()
            here = side.document[span] == document - 1
            label = [side.labels[code] for code in side.label[span]]
            pieces = sorted(zip(start[here].tolist(), end[here].tolist(), np.array(label, object)[here], strict=True))
            marks = []
            for begin, size, code in marks_of(data, number, passage):
                error = -code - 1
                if code < 0 and list(KINDS)[decoded(system["kind"])[error]] == "missing":
                    continue
                marks.append((begin, begin + size, data["labels"][system["predicted"][error] if code < 0 else code]))
            assert sorted(marks) == pieces


def test_of_a_long_document_the_surroundings_are_there():
    length = 1000
    reference = [[(100, 102, "A"), (500, 501, "A")]]
    words = [[str(number) for number in range(length)]]
    sides = spans(reference, [length]), spans([[]], [length])
    data = data_for(*sides, Context(wording=Wording.of_words(words)))
    assert data["passages"]["text"][0].split() == words[0][70:132] and data["passages"]["cut"] == [3, 3]
    assert marks_of(data, None, 1) == [[30, 1, 0]] and marks_of(data, 0, 1) == [[30, 1, -2]]
    # an error beside a passage is one there too
    sides = spans([[(110, 111, "A"), (130, 131, "A")]], [length]), spans([[]], [length])
    data = data_for(*sides, Context(wording=Wording.of_words(words)))
    assert [marks_of(data, 0, passage) for passage in (0, 1)] == [
        [[30, 1, -1], [50, 1, -2]],
        [[10, 1, -1], [30, 1, -2]],
    ]
    text = " ".join(words[0])
    sides = spans([[(0, 1, "A")]], [len(text)]), spans([[]], [len(text)])
    passages = data_for(*sides, Context(wording=Wording.of_texts([text])))["passages"]
    assert (passages["text"], passages["cut"]) == ([text[:201]], [2])


def test_above_the_limit_all_errors_count():
    data = data_of(large(100, ["x", "y"], [[]] * 100, most=10))
    (system,) = data["systems"]
    assert (len(system["kind"]), sum(system["amounts"]), len(data["passages"]["text"])) == (100, 10, 10)


def test_nothing_of_the_corpus_is_markup():
    options = {"title": HOSTILE[0], "heading": [("<b>", HOSTILE[0])], "by": {HOSTILE[1]: [*HOSTILE]}}
    html = error_report(small(), **options)
    assert HOSTILE[0] not in html and HOSTILE[1] not in html.replace(json.dumps(HOSTILE[1]), "")
    assert html.count("<script") == 2 and html.count("</script>") == 2
    assert data_of(html)["passages"]["text"][-1] == " ".join(HOSTILE)
    assert not re.search(r"\ssrc=|\shref=\"[^#]|url\(|@import", html.partition("<script")[0])


def test_the_report_has_scores_kinds_buckets_and_probable_errors(tmp_path):
    path = tmp_path / "report.html"
    train = Spans.from_dicts([[{"start": 0, "end": 1, "label": "LOC"}]]), Wording.of_words([["Rome"]])
    found = small(PREDICTION, REFERENCE)
    write_error_report(found, path, title="A & B", train=train, by={"year": [1, 2, 3, 4]})
    text = path.read_text(encoding="utf-8")
    shown = re.sub(r"<[^>]+>", " ", text.partition("<script")[0])
    for expected in (
        "A &amp; B",
        "wrong boundary",
        "if fixed",
        "Changes between systems",
        found.signature,
    ):
        assert expected in shown
    buckets = {bucket["by"]: bucket["names"] for bucket in data_of(text)["systems"][0]["buckets"]}
    assert buckets["mentions in training"] == ["seen", "unseen"] and buckets["year"] == ["1", "2", "3", "4"]


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
    browser.set_window_size(1280, 900)
    browser.get_log("performance")
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.dataset.ready") == "yes"
    return browser


def articles(browser):
    """The places of the sentences that are shown."""
    script = (
        "return [...document.querySelectorAll('#sentences article')].map((card) => card.getAttribute('aria-label'))"
    )
    return browser.execute_script(script)


def click(browser, selector, place=0):
    browser.execute_script(f"document.querySelectorAll({json.dumps(selector)})[{place}].click()")


def follow(browser, **choice):
    """Choose by the fragment of the address; count the errors and their sentences."""
    browser.execute_script("location.hash = arguments[0]", urlencode(choice))
    browser.execute_async_script("setTimeout(arguments[0], 0)")
    return found(browser)


def found(browser):
    amounts = re.findall(r"[\d,]+", browser.find_element("id", "found").get_attribute("textContent"))
    return [int(amount.replace(",", "")) for amount in amounts[:2]]


def pressed(browser):
    """The number of each button of a filter."""
    script = """return Object.fromEntries([...document.querySelectorAll('#panel button b')].map((count) =>
      [count.parentNode.textContent.replace(count.textContent, '').replace(/^\\W+/, '').trim(), count.textContent]))"""
    return {name: int(count.replace(",", "")) for name, count in browser.execute_script(script).items()}


def test_every_number_is_what_its_click_shows(page):
    links, wrong = page.execute_async_script(EVERY_LINK)
    assert links >= 60 and wrong == []


def test_filters(page):
    assert follow(page, system="system 0", order="text") == [7, 3]
    assert articles(page) == ["document 1, line 1, 3, 6", "document 3, line 11, 13", "document 4, line 15, 16"]
    click(page, ".er-kind.sm-missing")
    assert found(page) == [2, 2] and "kind=missing" in page.current_url
    click(page, ".er-kind.sm-spurious")
    assert found(page) == [5, 3]
    # filters survive a change of system
    click(page, "#systems button", 1)
    assert found(page) == [5, 3] and "kind=missing%2Cspurious" in page.current_url
    click(page, "#clear")
    assert follow(page, system="system 0", reference="", predicted="LOC") == [1, 1]
    hits = [mark.text.split()[0] for mark in page.find_elements("css selector", "mark.er-hit")]
    assert hits == ["Rome"]
    assert follow(page, system="system 0", mention="Rome") == [2, 2]
    assert follow(page, system="system 0", search="LINE 15") == [2, 1]
    assert follow(page, system="system 0", boundary="shorter") == [1, 1]
    assert follow(page, system="system 1", other="system 0", change="fixed") == [3, 2]


def test_what_is_chosen_is_saved(page):
    """The CSV and JSON lines have the errors that are shown, and a table's CSV its rows."""
    follow(page, system="system 0", kind="missing")
    rows = [json.loads(line) for line in page.execute_async_script(SAVED, "#jsonl").split("\n")[:-1]]
    assert [(row["line"], row["kind"], row["reference_label"], row["mention"]) for row in rows] == [
        (6, "missing", "LOC", "Rome"),
        (15, "missing", "PER", HOSTILE[0]),
    ]
    table = list(csv.DictReader(io.StringIO(page.execute_async_script(SAVED, "#csv"))))
    assert [row["text"] for row in table] == [" ".join(WORDS[0]), " ".join(HOSTILE)]
    labels = page.execute_async_script(SAVED, "[data-name=labels]:not([id]) .er-button")
    assert ",correct,wrong label,wrong boundary,wrong both,missing,spurious\n" in labels
    strings = page.execute_async_script(SAVED, "#strings-table .er-button")
    assert list(csv.reader(io.StringIO(strings)))[1:] == [
        ["Rome", "1", "LOC → missing"],
        [HOSTILE[0], "1", "PER → missing"],
    ]


def test_keys(page):
    from selenium.webdriver.common.keys import Keys

    body = page.find_element("css selector", "body")
    focus = "return document.activeElement"
    body.send_keys("j")
    page.switch_to.active_element.send_keys("j")
    assert page.execute_script(f"{focus}.getAttribute('aria-label')") == articles(page)[1]
    page.switch_to.active_element.send_keys("k")
    assert page.execute_script(f"{focus}.getAttribute('aria-label')") == articles(page)[0]
    page.switch_to.active_element.send_keys("/")
    assert page.execute_script(f"{focus}.id") == "search"
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    page.switch_to.active_element.send_keys("?")
    assert page.execute_script("return document.getElementById('help').open")
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    # one tab stop for each group, arrows within it
    stops = (
        "return [...document.querySelectorAll('[role=group]')].map((each) => each.querySelectorAll('[tabindex=\"0\"]'))"
    )
    assert {len(group) for group in page.execute_script(stops)} == {1}
    page.execute_script("document.querySelector('#kinds button').focus()")
    page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert "kind=wrong_boundary" in page.current_url


def test_hostile_texts_are_texts(page):
    follow(page, system="system 0", order="text")
    assert page.execute_script("return window.hurt") is None
    text = page.execute_script("return document.querySelectorAll('#sentences article')[2].textContent")
    assert HOSTILE[0] in text and HOSTILE[1] in text
    labels = page.execute_script("return [...document.getElementById('predicted').options].map((one) => one.text)")
    assert "<b> (1)" in labels
    isolated = "return getComputedStyle(document.querySelector('#sentences .sm-line > [dir]')).unicodeBidi"
    assert page.execute_script(isolated) == "isolate"
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
        ground = "return getComputedStyle(document.documentElement).backgroundColor"
        assert page.execute_script(ground) == ("rgb(255, 255, 255)" if scheme == "dark" else "rgb(21, 24, 28)")
        panel = page.find_element("id", "panel")
        assert panel.is_displayed() == (width == 1280)
        if width < 600:
            # scores, counts and gains are on the screen; filters are in the drawer
            cells = (
                "return [...document.querySelectorAll('.er-head td')].map((each) => each.getBoundingClientRect().right)"
            )
            assert max(page.execute_script(cells)) <= width
            page.find_element("id", "open").click()
            assert panel.is_displayed() and page.execute_script("return document.activeElement.id") == "close"
            page.find_element("id", "close").click()
            assert not panel.is_displayed()
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
    follow(page, system="system 0")
    printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert printed.startswith(b"%PDF")
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert page.find_element("id", "printed").text == "Printed: all 3 sentences with the selected errors."
        assert not page.find_element("id", "panel").is_displayed()
        assert page.find_element("id", "sentences").is_displayed()
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


@pytest.mark.parametrize("labels", [2, 60])
def test_large_reports(browser, tmp_path, labels):
    """50,000 sentences with 20,000 errors are 5 MB at most; sentences are drawn as the reader scrolls."""
    generator = random.Random(0)
    documents = 50_000 if labels == 2 else 2_000
    words = [generator.choices(["alpha", "beta", "gamma", "delta"], k=20) for _ in range(documents)]
    right = [generator.randrange(labels) for _ in range(documents)]
    reference = spans([[(0, 1, "A"), (5, 7, f"B{label}")] for label in right], [20] * documents)
    wrong = [f"B{(label + (number % 5 < 2)) % labels}" for number, label in enumerate(right)]
    prediction = spans([[(0, 1, "A"), (5, 7, label)] for label in wrong], [20] * documents)
    html = error_report(errors(reference, prediction, words=words, confidence=None))
    assert len(html.encode()) < 5_000_000
    path = tmp_path / "large.html"
    path.write_text(html, encoding="utf-8")
    page = opened(browser, path)
    count = documents * 2 // 5
    assert found(page) == [count, count]
    assert 40 <= len(articles(page)) <= 120
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    said = page.find_element("id", "printed").get_attribute("textContent")
    assert said.startswith("Printed: the first ")
    click(page, "#matrix-table summary")
    page.execute_async_script("setTimeout(arguments[0], 50)")
    cells = page.execute_script(
        "return [...document.querySelectorAll('#matrix a')].map((cell) => Number(cell.textContent.replace(',', '')))"
    )
    assert sum(cells) == count and len(cells) == labels


@pytest.mark.parametrize("corpus", ["conll03", "multiconer"])
def test_combined_filters_against_python(browser, tmp_path, corpus, data):
    """A real output, and one with more errors, by all pairs of filters."""
    if corpus == "conll03":
        file = read(data / "conll03_test_tags.tsv", columns=[1, 2])
        sides = [tag_lists(tags) for tags in file.tags]
    else:
        sides = [tag_lists(read(data / f"multiconer_es_dev{end}.conll").tags[0]) for end in ("", "_system")]
    worse = ["O" * (number % 7 == 0) or tag for number, tag in enumerate(tag for tags in sides[1] for tag in tags)]
    ends = np.cumsum([0, *map(len, sides[1])]).tolist()
    systems = {"old": sides[1], "new": [worse[low:high] for low, high in pairwise(ends)]}
    words = [[f"w{len(tag)}{place % 3}" for place, tag in enumerate(tags)] for tags in sides[0]]
    found_errors = errors(sides[0], systems, words=words, confidence=None, repair="conlleval")
    path = tmp_path / "report.html"
    path.write_text(error_report(found_errors), encoding="utf-8")
    page = opened(browser, path)
    for name, system in found_errors.systems.items():
        listed = system.examples().rows.to_pylist()
        label = listed[0]["reference_label"] or listed[0]["predicted_label"]
        text = listed[0]["reference_text"] or listed[0]["predicted_text"]
        tests = {
            ("kind", "missing,wrong_label"): lambda row: row["kind"] in ("missing", "wrong_label"),
            ("boundary", "shorter,merged"): lambda row: row["boundary"] == "shorter" or row["merged"],
            ("reference", label): lambda row, label=label: row["reference_label"] == label,
            ("predicted", ""): lambda row: row["predicted_label"] is None,
            ("mention", text): lambda row, text=text: (row["reference_text"] or row["predicted_text"]) == text,
        }
        for (one, fits), (other, suits) in combinations(tests.items(), 2):
            expected = [row for row in listed if fits(row) and suits(row)]
            choice = {"system": name, **dict([one, other])}
            assert follow(page, **choice)[0] == len(expected), (name, one, other)
            assert sum(map(len, rows_of_view(found_errors, urlencode(choice)).values())) == len(expected)
        follow(page, system=name)
        counts = pressed(page)
        assert {kind: counts[kind.replace("_", " ")] for kind in ("missing", "wrong_label")} == {
            kind: system.counts[kind] for kind in ("missing", "wrong_label")
        }
    change = found_errors.difference("old", "new").change.tolist()
    numbers = {"fixed": change.count(0), "new": change.count(1), "both": change.count(2) + change.count(3)}
    for name, number in numbers.items():
        choice = {"system": "new", "other": "old", "change": name}
        rows = rows_of_view(found_errors, urlencode(choice))
        assert follow(page, **choice)[0] == number == sum(map(len, rows.values()))
        assert [system for system, of_system in rows.items() if len(of_system)] == ["old" if name == "fixed" else "new"]


def test_labels_are_escaped():
    """A mark from right to left in a label turned the list of strings round."""
    words, odd = [["Ada", "wrote"]], "P\u202eR"
    sides = (spans([[(0, 1, label)]], [2]) for label in (odd, "X"))
    data = data_for(*sides, Context(wording=Wording.of_words(words)))
    assert data["labels"] == ["P\\u202eR", "X"]
