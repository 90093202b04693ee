"""The page `errors`: files in, the report out."""

import os

import pytest

from headless import served, space_app, started, wait

pytest.importorskip("gradio", reason="gradio is not installed (the extra space)")

from spanometer import InputError
from spanometer.space import error_page

GOLD = "Ada B-PER\nslept O\n\nin O\nRome B-LOC\n"
SYSTEM = "Ada B-PER\nslept O\n\nin O\nRome B-ORG\n"
HOSTILE = "<img/src=x/onerror=parent.hurt=1>"


@pytest.fixture
def files(tmp_path):
    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.conll").write_text(text, encoding="utf-8")
        return [str(tmp_path / f"{name}.conll") for name in texts]

    return write


def test_report(files):
    gold, one, two, train = files(gold=GOLD, one=SYSTEM, two=GOLD, train=GOLD)
    html = error_page.report_of(gold, [one, two], train)
    assert "Errors of one, two against gold.conll" in html
    assert "mentions in training" in html
    assert os.path.dirname(gold) not in html
    assert "mentions in training" not in error_page.report_of(gold, [one])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ((None, ["one"]), "no file with the reference"),
        (("gold", None), "no file with a system's predictions"),
        (("gold", ["one"] * 6), "6 systems, more than 5"),
        (("gold", ["short"]), "short.conll"),
        (("gold", ["many"]), "5,001 sentences, more than 5,000"),
        (("gold", ["large"]), "more than 5 MB"),
    ],
)
def test_what_cannot_be_done(files, given, problem):
    texts = {
        "gold": GOLD,
        "one": SYSTEM,
        "short": "Ada B-PER\n",
        "many": "a O\n\n" * 5001,
        "large": "a O\n" * 1_300_000,
    }
    path = dict(zip(texts, files(**texts), strict=True))
    reference, systems = given
    with pytest.raises(InputError, match=problem):
        error_page.report_of(reference and path[reference], systems and [path[name] for name in systems])


def test_the_frame_holds_the_report_as_text(files):
    gold, system = files(gold=GOLD.replace("Rome", HOSTILE), system=SYSTEM.replace("Rome", HOSTILE))
    found = error_page.form().response({"reference": gold, "systems": [system], "train": None})
    assert HOSTILE not in found.html and 'sandbox="allow-scripts allow-downloads"' in found.html
    assert list(found.files) == ["report.html"]
    found = error_page.form().response({"reference": gold, "systems": [], "train": None})
    assert "no file with a system" in found.html and not found.files


def test_the_example_is_that_of_the_package():
    found = error_page.form().response({"example": True})
    assert "Errors of hasty and greedy" in found.html and "PolderCon" in found.files["report.html"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    yield from started(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    yield from served(space_app("errors", tmp_path_factory), tmp_path_factory)


def test_files_in_report_out(browser, address, files):
    gold, system = files(gold=GOLD.replace("Ada", HOSTILE), system=SYSTEM.replace("Ada", HOSTILE))

    def found(selector):
        return browser.find_elements("css selector", selector)

    browser.get(address)
    wait(browser, lambda: found("#start"))
    browser.execute_script("document.querySelector('#start').click()")
    wait(browser, lambda: found("#results .sm-error"))
    assert "no file with the reference" in found("#results")[0].text
    for name, path in (("reference", gold), ("systems", system)):
        found(f"#{name} input[type=file]")[0].send_keys(path)
        wait(browser, lambda name=name: " B" in found(f"#{name}")[0].text)
    browser.execute_script("document.querySelector('#start').click()")
    wait(browser, lambda: found("#results iframe"))
    assert "report" in found("#taken")[0].text
    browser.switch_to.frame(found("#results iframe")[0])
    wait(browser, lambda: browser.execute_script("return document.documentElement.dataset.ready") == "yes")
    assert found("#found")[0].get_attribute("textContent") == "1 error in 1 sentence."
    browser.switch_to.default_content()
    assert browser.execute_script("return window.hurt") is None
    links = [link.get_attribute("href") for link in found("nav a")]
    for other in ("span_f", "gamma", "grounding", "agreement"):
        assert f"https://huggingface.co/spaces/spanometer/{other}" in links
    # a filter works in the frame, which has no address of its own
    browser.switch_to.frame(found("#results iframe")[0])
    browser.execute_script("document.querySelector('.er-head a').click()")
    assert found("#found")[0].get_attribute("textContent") == "1 error in 1 sentence."
    browser.execute_script("document.querySelector('.er-kind.sm-missing').click()")
    assert found("#found")[0].get_attribute("textContent") == "0 errors in 0 sentences."
    browser.switch_to.default_content()
    # the report of other files does not stay
    found("#systems button[aria-label='Remove this file'], #systems [aria-label='Clear']")[0].click()
    wait(browser, lambda: not found("#results iframe") and not found("#taken a"))
    (example,) = [button for button in found("button") if button.text == "Two systems on invented news"]
    browser.execute_script("arguments[0].click()", example)
    wait(
        browser, lambda: found("#results iframe") and "PolderCon" in found("#results iframe")[0].get_attribute("srcdoc")
    )
