"""The report of disagreements: what is in it, and in headless Chromium what a reader does with it."""

import json
import re

import numpy as np
import pytest

from random_corpora import as_spans, random_team
from spanometer import InputError, Spans, agreement, disagreements
from spanometer.analysis.agreement.pairs import DIFFERENCES
from spanometer.spans.wording import Wording
from spanometer.web.disagreement_report import disagreement_data, disagreement_report, write_disagreement_report

HOSTILE = "</script><script>window.hurt=1</script>", "<img/src=x/onerror=window.hurt=1>", "%DATA%", "\u202ea\u2028"
WORDS = [["Ada", "of", "Acme", "Inc", "saw", "Rome"], ["Rome", "fell"], [*HOSTILE]]
TEAM = {
    "ann": [[(0, 1, "PER"), (2, 4, "ORG"), (5, 6, "LOC")], [(0, 1, "LOC")], [(0, 1, "PER")]],
    "ben": [[(0, 1, "PER"), (3, 4, "ORG"), (5, 6, "LOC")], [(0, 1, "LOC")], [(0, 1, "<b>")]],
    "<i>": [[(0, 1, "PER"), (2, 3, "ORG"), (3, 4, "ORG")], [(0, 1, "LOC")], [(0, 1, "PER")]],
}


def team(given=None):
    """The places of a small team, or of another."""
    sides = {
        name: Spans.from_dicts(
            [[{"start": start, "end": end, "label": label} for start, end, label in row] for row in rows],
            lengths=list(map(len, WORDS)),
        )
        for name, rows in (given or TEAM).items()
    }
    return disagreements(sides, words=WORDS)


def data_of(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_places_have_their_readings():
    data = disagreement_data(team(), most=100)
    label = {name: code for code, name in enumerate(data["labels"])}
    kinds = [kind["name"] for kind in data["kinds"]]
    passages = [data["passages"][place[0]] for place in data["places"]]
    assert [passage["document"] for passage in passages] == [2, 0, 0]
    assert passages[1]["units"] == WORDS[0]
    assert [[kind for code, kind in enumerate(kinds) if place[1] >> code & 1] for place in data["places"]] == [
        ["label"],
        ["boundary", "split", "missing"],
        ["missing"],
    ]
    # who, and marks: bounds, label, how many have the span
    assert [list(reading) for reading in data["places"][1][3]] == [
        [[0], [[2, 4, label["ORG"], 1]]],
        [[1], [[3, 4, label["ORG"], 2]]],
        [[2], [[2, 3, label["ORG"], 1], [3, 4, label["ORG"], 2]]],
    ]
    assert [list(reading) for reading in data["places"][2][3]] == [
        [[0, 1], [[5, 6, label["LOC"], 2]]],
        [[2], [[5, 6, -1, 1]]],
    ]
    assert [label["<b>"], label["PER"], 2] in data["matrix"]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_random_teams(seed, kind):
    corpora, lengths = random_team(seed, kind, 4)
    words = [[f"w{number}" for number in range(length)] for length in lengths]
    found = disagreements([as_spans(one, lengths) for one in corpora], words=words)
    data = disagreement_data(found, most=10_000)
    rows = found.to_arrow().to_pylist()
    for (passage, kinds, cost, readings), row in zip(data["places"], rows, strict=True):
        assert data["passages"][passage]["units"] == words[row["document"]]
        assert [name for code, name in enumerate(DIFFERENCES) if kinds >> code & 1] == row["kinds"]
        assert cost == row["cost"]
        for (who, marks), reading in zip(readings, row["readings"], strict=True):
            assert [found.names[one] for one in who] == reading["annotators"]
            pieces = [
                [*piece, span["label"]]
                for span in reading["spans"]
                for piece in span.get("fragments", [[span["start"], span["end"]]])
            ]
            expected = sorted(pieces) or [[row["start"], row["end"], None]]
            names = [*data["labels"], None]
            assert sorted([first, last, names[label]] for first, last, label, _ in marks) == expected


def test_of_a_long_document_the_surroundings_are_there():
    words = [[str(number) for number in range(1000)]]
    sides = [Spans.from_dicts([row], lengths=[1000]) for row in ([{"start": 500, "end": 502, "label": "X"}], [])]
    data = disagreement_data(disagreements(sides, words=words), most=10)
    (passage,) = data["passages"]
    assert (passage["units"], passage["cut"]) == (words[0][470:532], [True, True])
    assert [list(reading) for reading in data["places"][0][3]] == [[[0], [[30, 32, 0, 1]]], [[1], [[30, 32, -1, 1]]]]
    text = " ".join(words[0])
    sides = [Spans.from_dicts([row], lengths=[len(text)]) for row in ([{"start": 0, "end": 1, "label": "X"}], [])]
    found = disagreements(sides)
    found = found.with_context(type(found.context)(wording=Wording.of_texts([text])))
    (passage,) = disagreement_data(found, most=10)["passages"]
    assert (passage["units"], passage["cut"]) == (text[:201], [False, True])


def test_those_that_cost_most_are_kept():
    found = team()
    data = data_of(disagreement_report(found, most=1))
    assert (len(data["places"]), data["total"]) == (1, 3)
    assert data["places"][0][2] == found.cost.max()


def test_nothing_of_the_corpus_is_markup(tmp_path):
    found = team()
    path = tmp_path / "places.html"
    whole = agreement(dict(zip(found.names, found.sides, strict=True)))
    left_out = found.leave_one_out(n_resamples=20)
    heading = [("<b>", HOSTILE[0])]
    write_disagreement_report(found, path, title=HOSTILE[0], heading=heading, agreement=whole, left_out=left_out)
    html = path.read_text(encoding="utf-8")
    assert HOSTILE[0] not in html and HOSTILE[1] not in html
    assert html.count("<script") == 2 and html.count("</script>") == 2
    assert data_of(html)["passages"][-1]["units"] == [*HOSTILE]
    assert not re.search(r"\s(src|href)=|url\(|@import", html.partition("<script")[0])
    shown = re.sub(r"<[^>]+>", " ", html.partition("<script")[0])
    for expected in ("Without each annotator", "kappa_f1", "Kinds of differences", "other annotator", found.signature):
        assert expected in shown
    with pytest.raises(InputError, match=r"'places\.txt' is not the name of a page"):
        write_disagreement_report(found, "places.txt")


@pytest.fixture
def page(browser, tmp_path):
    """The report of the small team, opened from disk."""
    path = tmp_path / "places.html"
    write_disagreement_report(team(), path)
    return opened(browser, path)


def opened(browser, path):
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.dataset.ready") == "yes"
    return browser


def shown(browser):
    """The lines of the places that are shown: who, and what."""
    script = (
        "return [...document.querySelectorAll('#sentences article')].map((card) => "
        "[...card.querySelectorAll('.sm-line')].map((line) => [...line.children].map((part) => part.textContent)))"
    )
    return browser.execute_script(script)


def found(browser):
    return browser.find_element("id", "found").text


def choose(browser, name, value):
    script = "const field = document.getElementById(arguments[0]); field.value = arguments[1];"
    browser.execute_script(f"{script} field.dispatchEvent(new Event('change'))", name, str(value))


def click(browser, selector, place=0):
    browser.execute_script(f"document.querySelectorAll({json.dumps(selector)})[{place}].click()")


def test_places_are_shown_with_who_says_what(page):
    assert shown(page)[2] == [
        ["2 ann, ben", "Ada of Acme Inc saw Rome ● LOC more than half have it"],
        ["1 <i>", "Ada of Acme Inc saw Rome – nothing "],
    ]
    assert shown(page)[1] == [
        ["1 ann", "Ada of Acme Inc ○ ORG one has it saw Rome"],
        ["1 ben", "Ada of Acme Inc ● ORG more than half have it saw Rome"],
        ["1 <i>", "Ada of Acme ○ ORG one has it Inc ● ORG more than half have it saw Rome"],
    ]
    assert page.execute_script("return window.hurt") is None
    assert not [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"]


def test_spans_that_cross_are_shown_whole(browser, tmp_path):
    crossing = {"ann": [[(0, 3, "A"), (1, 5, "B"), (2, 6, "C")], [], []], "ben": [[], [], []]}
    write_disagreement_report(team(crossing), tmp_path / "crossing.html")
    opened(browser, tmp_path / "crossing.html")
    # A holds the beginnings of B and C; what is left of C is longer, and holds that of B
    words = "Ada of Acme ○ C one has it ○ B one has it ○ A one has it Inc saw … ○ B one has it Rome … ○ C one has it"
    assert shown(browser)[0][0] == ["1 ann", words]


def test_filters(page):
    assert found(page).startswith("3 places; together they cost ")
    click(page, "#kinds button", 3)
    assert len(shown(page)) == 2
    click(page, "#kinds button", 3)
    click(page, "#kinds button", 0)
    assert len(shown(page)) == 1
    click(page, "#clear")
    # 2 against 1 in two places; at Acme Inc nobody has more than one
    choose(page, "outvoted", 2)
    assert [lines[1][0] for lines in shown(page)] == ["1 <i>"]
    choose(page, "outvoted", 0)
    assert found(page).startswith("0 places")
    click(page, "#clear")
    choose(page, "order", "text")
    assert ["ORG" in lines[0][1] for lines in shown(page)] == [True, False, False]
    click(page, "#clear")
    page.execute_script(
        "const field = document.getElementById('search'); field.value = 'SAW'; field.dispatchEvent(new Event('input'))"
    )
    page.execute_async_script("setTimeout(arguments[0], 200)")
    assert len(shown(page)) == 2


def test_the_matrix_filters(page):
    titles = [cell.get_attribute("title") for cell in page.find_elements("css selector", ".er-matrix button")]
    click(page, ".er-matrix button", titles.index("<b>, PER"))
    assert (len(shown(page)), page.find_element("id", "label").get_attribute("value")) == (1, "0")
    click(page, ".er-matrix button", titles.index("LOC, nothing"))
    assert len(shown(page)) == 1 and "LOC" in shown(page)[0][0][1]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_and_dark_pages_fit(page, width, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    try:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        assert page.execute_script("return document.documentElement.classList.contains('dark')") == (scheme == "dark")
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_ten_thousand_places_are_shown_in_steps(browser, tmp_path):
    documents = 50_000
    chance = np.random.default_rng(0)
    words = [["alpha", "beta", "gamma", "delta"] * 5] * documents
    columns = np.arange(documents, dtype=np.int32), np.full(documents, 5, np.int32), np.full(documents, 7, np.int32)
    sides = [
        Spans(
            *columns, (chance.random(documents) < 0.2).astype(np.int16), ("A", "B"), documents, np.full(documents, 20)
        )
        for _ in range(3)
    ]
    path = tmp_path / "large.html"
    write_disagreement_report(disagreements(sides, words=words), path)
    page = opened(browser, path)
    assert re.match(r"10,000 places of the 10,000 that cost most, of 2\d,\d{3};", found(page))
    assert 40 <= len(shown(page)) <= 120
