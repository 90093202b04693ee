"""The report of disagreements: what is in it, and in headless Chromium what a reader does with it."""

import csv
import io
import json
import re

import numpy as np
import pytest

from headless import EVERY_LINK, SAVED
from random_corpora import as_spans, random_team
from spanometer import Spans, agreement, disagreements
from spanometer.web.disagreement_report import differences_from_consensus, disagreement_report

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


def test_annotators_are_compared_with_the_consensus():
    found = team()
    against, name = differences_from_consensus(found)
    assert name == "consensus"
    kinds = {
        annotator: {kind: count for kind, count in system.counts.items() if count and kind != "correct"}
        for annotator, system in against.systems.items()
    }
    # the consensus has ORG on "Inc" and LOC on "Rome", which two have each
    assert kinds == {
        "ann": {"wrong_boundary": 1},
        "ben": {"wrong_label": 1},
        "<i>": {"missing": 1, "spurious": 1},
    }
    data = data_of(disagreement_report(found))
    assert (data["reference"], [system["name"] for system in data["systems"]]) == ("consensus", [*TEAM])
    assert data["passages"]["document"] == [1, 3]
    costs = np.bincount(found.places.document, weights=found.cost)
    assert data["passages"]["cost"] == pytest.approx(costs[[0, 2]].tolist(), abs=1e-6)


def test_two_annotators_are_compared_with_each_other():
    found = team({name: TEAM[name] for name in ("ann", "ben")})
    against, name = differences_from_consensus(found)
    assert (name, list(against.systems)) == ("ann", ["ben"])
    assert against.systems["ben"].counts["wrong_label"] == against.systems["ben"].counts["wrong_boundary"] == 1


@pytest.mark.parametrize("kind", ["flat", "nested", "discontinuous"])
def test_random_teams(kind):
    for seed in range(8):
        corpora, lengths = random_team(seed, kind, 4)
        found = disagreements([as_spans(one, lengths) for one in corpora])
        against, _ = differences_from_consensus(found)
        wrong = {
            int(document)
            for system in against.systems.values()
            for document in system.matched.document[system.matched.kind > 0]
        }
        # who differs from the consensus differs from somebody
        assert wrong == set(found.places.document.tolist())


def test_nothing_of_the_corpus_is_markup():
    found = team()
    whole = agreement(dict(zip(found.names, found.sides, strict=True)))
    left_out = found.leave_one_out(n_resamples=20)
    heading = [("<b>", HOSTILE[0])]
    html = disagreement_report(found, title=HOSTILE[0], heading=heading, agreement=whole, left_out=left_out)
    assert HOSTILE[0] not in html and HOSTILE[1] not in html
    assert html.count("<script") == 2 and html.count("</script>") == 2
    assert data_of(html)["passages"]["text"][-1] == " ".join(HOSTILE)
    shown = re.sub(r"<[^>]+>", " ", html.partition("<script")[0])
    for expected in ("Without each annotator", "kappa_f1", "Kinds of differences", found.signature):
        assert expected in shown


def test_sentences_have_a_row_for_each_annotator(browser, tmp_path):
    path = tmp_path / "places.html"
    path.write_text(disagreement_report(team()), encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.execute_script("return document.documentElement.dataset.ready") == "yes"
    script = (
        "return [...document.querySelectorAll('#sentences article')].map((card) => "
        "[...card.querySelectorAll('.sm-line')].map((line) => [...line.children].map((part) => part.textContent)))"
    )
    first, second = browser.execute_script(script)
    assert [who for who, _ in first] == ["consensus", "ann", "ben", "<i>"]
    assert first[1][1].endswith("Acme Inc ≈ ORG other boundary saw Rome ✓ LOC agreed")
    assert "≠ <b> other label" in second[2][1]
    assert browser.find_element("id", "found").text == "4 differences in 2 sentences."
    links, wrong = browser.execute_async_script(EVERY_LINK)
    assert links > 10 and wrong == []
    assert browser.execute_script("return window.hurt") is None
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_what_is_saved_has_the_words_of_the_page(browser, tmp_path):
    path = tmp_path / "places.html"
    path.write_text(disagreement_report(team()), encoding="utf-8")
    browser.get(path.as_uri())
    rows = [json.loads(line) for line in browser.execute_async_script(SAVED, "#jsonl").split("\n")[:-1]]
    assert sorted((row["annotator"], row["kind"], row["consensus_label"], row["annotator_label"]) for row in rows) == [
        ("<i>", "only annotator", None, "ORG"),
        ("<i>", "only consensus", "LOC", None),
        ("ann", "other boundary", "ORG", "ORG"),
        ("ben", "other label", "PER", "<b>"),
    ]
    table = csv.DictReader(io.StringIO(browser.execute_async_script(SAVED, "#csv")))
    assert sorted(row["kind"] for row in table) == sorted(row["kind"] for row in rows)
    assert team().to_dict()["places"][0]["kinds"] == ["other label"]
