"""The Spaces' pages in headless Chromium: every app is started as a Space starts it, and used."""

import importlib.util
import json
import time

import pytest

from headless import CHROMIUM, DRIVER, PATIENCE, require_fit, served, space_app, started
from page_answers import examples_on
from spanometer.measures import MEASURES

missing = [name for name in ("gradio", "selenium") if importlib.util.find_spec(name) is None]
missing += [name for name, path in (("chromium", CHROMIUM), ("chromedriver", DRIVER)) if path is None]
if missing:
    pytest.skip(f"not installed: {', '.join(missing)}", allow_module_level=True)

from selenium.common.exceptions import StaleElementReferenceException  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

# a page of each form, with an option that changes the score of its first example: the id and value of its control
PAGES = {
    "span_f": ("average", "macro"),
    "chance_kappa_f1": ("level", "span"),
    "gamma": ("samples", 50),
    "eter": ("alpha", 0.9),
    "span_attribute": ("include_falsy", True),
}
BY_DEFAULT = [name for name, measure in MEASURES.items() if measure.quick]
BROKEN = {"eter": "<pers.ind> Ada", "span_attribute": '[]\n[{"start": 1\n'}
HOSTILE = "<script>window.hurt=1</script>", "<img/src=x/onerror=window.hurt=1>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    yield from started(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module", params=PAGES)
def app(request, tmp_path_factory):
    """The name and the address of a running app."""
    for address in served(space_app(request.param, tmp_path_factory), tmp_path_factory):
        yield request.param, address


@pytest.fixture
def page(app, browser):
    """The page, freshly loaded, with the score of its first example."""
    name, address = app
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.set_window_size(1280, 900)
    opened = Page(browser, name)
    browser.get(address)
    opened.wait(lambda: opened.found(".sm-headline"))
    return opened


class Page:
    """What a reader does with a page."""

    def __init__(self, browser, name):
        self.browser, self.name = browser, name
        self.examples = examples_on(name)

    def wait(self, condition):
        for _ in range(PATIENCE * 10):
            try:
                value = condition()
                if value:
                    return value
            except StaleElementReferenceException:
                pass
            time.sleep(0.1)
        raise AssertionError(f"{self.name}: nothing happened; the results say {self.text[:500]!r}")

    def found(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, f"#results {selector}")

    @property
    def text(self):
        return self.browser.execute_script("return document.querySelector('#results').innerText")

    @property
    def score(self):
        return self.browser.execute_script("return (document.querySelector('#results .sm-headline b')||{}).innerText")

    def box(self, side):
        return self.browser.find_element(By.CSS_SELECTOR, f"#{side} textarea")

    def type(self, side, text):
        box = self.box(side)
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.DELETE)
        box.send_keys(text)

    def press(self, label):
        buttons = self.browser.find_elements(By.TAG_NAME, "button")
        next(button for button in buttons if button.text == label).click()

    def choose(self, option, value):
        part = self.browser.find_element(By.ID, option)
        if value is True:
            part.find_element(By.TAG_NAME, "input").click()
        elif isinstance(value, str):
            next(label for label in part.find_elements(By.TAG_NAME, "label") if label.text == value).click()
        else:
            field = part.find_element(By.TAG_NAME, "input")
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(str(value), Keys.TAB)

    def active(self):
        """What has the focus: the id of the part that it is in, or its text."""
        return self.browser.execute_script(
            "const a = document.activeElement, p = a.closest('[id]:not([id^=component]):not([id^=range])');"
            "return [a.tagName, a.id || (p ? p.id : ''), a.innerText || '']"
        )

    def tab_to(self, wanted):
        """Press Tab until the focus is on a part of that id, or a button of that text."""
        seen = []
        for _ in range(80):
            ActionChains(self.browser).send_keys(Keys.TAB).perform()
            seen.append(self.active())
            if wanted in (seen[-1][1], seen[-1][2]):
                return
        raise AssertionError(f"{self.name}: {wanted} cannot be reached by Tab: {seen}")


def test_examples_run(page):
    scores = [page.score]
    for example in page.examples[1:]:
        page.press(example.name)
        page.wait(lambda example=example: page.box("prediction").get_property("value") == example.prediction)
        # another example, another signature or score; the last of the tags' has the first one's
        page.wait(lambda: page.score and page.score != scores[-1])
        scores.append(page.score)
    assert all(float(score.replace("−", "-")) <= 1.5 for score in scores)
    assert page.name in page.found(".sm-signature")[0].text
    if page.name == "span_attribute":
        assert "✗ missing" in page.text and "+ spurious" in page.text and len(page.found("table")) == 2
    else:
        assert all(name in page.text for name in {page.name, *BY_DEFAULT, "eter"})
        page.browser.switch_to.frame(page.found("iframe")[0])
        assert page.browser.find_elements(By.CSS_SELECTOR, "#sentences mark.sm-correct")
        page.browser.switch_to.default_content()
    if page.name == "chance_kappa_f1":
        charts = page.browser.find_elements(By.CSS_SELECTOR, ".sm-chart img")
        assert [chart.get_attribute("alt") for chart in charts] == ["F1 by chance", "Random places of spans"]


def test_an_option_changes_the_score(page):
    before = page.score
    option, value = PAGES[page.name]
    page.choose(option, value)
    # a number is scored while it is typed, digit by digit
    page.wait(lambda: f"{option}:{'yes' if value is True else value}" in page.found(".sm-signature")[0].text)
    assert page.score not in (before, None)


def test_the_text_of_every_option_has_room(page):
    blocks = "[...document.querySelectorAll('#options .form > .block')].map((each) => [each.id, each.clientWidth])"
    widths = dict(page.browser.execute_script(f"return {blocks}"))
    assert PAGES[page.name][0] in widths and min(widths.values()) >= 200, widths


def test_a_file_is_uploaded(page, tmp_path):
    example = page.examples[1]
    for side in ("reference", "prediction"):
        file = tmp_path / f"{side}.txt"
        file.write_text(getattr(example, side), encoding="utf-8")
        upload(page, side, file)
        page.wait(lambda side=side: page.box(side).get_property("value") == getattr(example, side))
    before = page.score
    page.press("Score")
    page.wait(lambda: page.score not in (before, None))


def upload(page, side, file):
    inputs = page.browser.find_elements(By.CSS_SELECTOR, "input[type=file]")
    inputs[("reference", "prediction").index(side)].send_keys(str(file))


def test_a_malformed_file_is_told_in_words(page, tmp_path):
    binary = tmp_path / "binary.conll"
    binary.write_bytes(b"\x00\xff\x00")
    upload(page, "prediction", binary)
    (error,) = page.wait(lambda: page.found("[role=alert]"))
    assert "not a text file" in error.text and "binary.conll" in error.text
    broken = BROKEN.get(page.name, "Ada B-PER\nsaw\n")
    file = tmp_path / "broken.txt"
    file.write_text(broken, encoding="utf-8")
    upload(page, "prediction", file)
    page.wait(lambda: page.box("prediction").get_property("value") == broken)
    page.press("Score")
    page.wait(lambda: page.found("[role=alert]") and "Prediction, line" in page.text)
    assert "Traceback" not in page.text and page.score is None
    page.press(page.examples[0].name)
    page.wait(lambda: page.score)


@pytest.mark.parametrize("token", [*HOSTILE, "{{value}}", "${window.hurt=1}"])
def test_markup_and_scripts_do_not_run(page, token):
    if page.name == "eter":
        # to the markup <script> is a component, and </script> closes it
        text = f"<pers.ind> {token} </pers.ind>"
        sides = text, text
    elif page.name == "span_attribute":
        span = {"start": 0, "end": 1, "label": token, "attributes": {token: [token, "b"]}}
        text = json.dumps({"tokens": [token], "spans": [span]})
        sides = text, text
    else:
        sides = f"{token} B-{token}\nb O\n", f"{token} B-{token}\nb B-X\n"
    page.type("reference", sides[0])
    page.type("prediction", sides[1])
    page.press("Score")
    page.wait(lambda: ("hurt" if "hurt" in token else token) in page.text)
    time.sleep(0.3)
    assert page.browser.execute_script("return window.hurt") is None
    assert not page.found("script") and not page.found("img")


def test_keyboard_only(page):
    for part in ("reference", "Upload a file: reference", "prediction", "Upload a file: prediction"):
        page.tab_to(part)
    page.tab_to(page.examples[1].name)
    before = page.score
    ActionChains(page.browser).send_keys(Keys.ENTER).perform()
    page.wait(lambda: page.score not in (before, None))
    page.tab_to("start")
    ActionChains(page.browser).send_keys(Keys.ENTER).perform()
    page.wait(lambda: page.score)
    option, second = ("average_precision", "edsnlp") if page.name == "span_attribute" else ("average", "macro")
    page.tab_to(option)
    ActionChains(page.browser).send_keys(Keys.ARROW_DOWN).perform()
    page.wait(lambda: f"{option}:{second}" in page.text)
    # the rest opens
    page.tab_to("The same in Python")
    ActionChains(page.browser).send_keys(Keys.ENTER).perform()
    page.wait(lambda: page.found("details[open]"))


def test_a_score_of_other_texts_is_grey(page):
    def stale():
        return [part.text for part in page.found(".sm-changed") if part.is_displayed()]

    assert not stale()
    before = page.box("prediction").get_property("value")
    page.box("prediction").send_keys("\n")
    assert "The texts have changed" in page.wait(stale)[0]
    assert float(page.found("section")[0].value_of_css_property("opacity")) < 0.6
    # the text that was scored, again
    page.box("prediction").send_keys(Keys.BACKSPACE)
    page.wait(lambda: not stale() and page.box("prediction").get_property("value") == before)
    page.box("prediction").send_keys("\n")
    page.wait(stale)
    page.press("Score")
    page.wait(lambda: not stale() and page.score)


def test_the_call_is_copied(page):
    origin = page.browser.current_url
    page.browser.execute_cdp_cmd("Browser.grantPermissions", {"origin": origin, "permissions": ["clipboardReadWrite"]})
    page.found("details summary")[0].click()
    page.found(".sm-copy")[0].click()
    page.wait(lambda: page.found(".sm-copy")[0].text == "Copied")
    read = "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))"
    assert page.browser.execute_async_script(read).startswith(f"import evaluate\n\n{page.name} = evaluate.load(")
    listed = page.browser.find_element(By.ID, "taken").text
    assert page.name[:5] in listed and "json" in listed and "csv" in listed


def test_controls_have_names(page):
    for control in page.browser.find_elements(By.CSS_SELECTOR, "input, textarea, select, button, a"):
        if control.is_displayed():
            assert control.accessible_name.strip(), control.get_attribute("outerHTML")[:300]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(page, scheme):
    for width in (390, 1280):
        require_fit(page.browser, page.name, width, scheme, lambda: page.found(".sm-headline"))
        options = page.browser.find_element(By.CSS_SELECTOR, "#options input")
        page.wait(lambda options=options, width=width: options.is_displayed() == (width > 500))
        for table in filter(lambda table: table.is_displayed(), page.found(".sm-scroll")):
            wide = page.browser.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", table)
            (hint,) = page.browser.execute_script("return [arguments[0].previousElementSibling]", table)
            assert hint.is_displayed() == wide


def test_nothing_comes_from_elsewhere(page):
    # what the browser asked for before
    page.browser.get_log("performance")
    page.browser.refresh()
    page.wait(lambda: page.score)
    page.press("Score")
    page.wait(lambda: page.score)
    messages = (json.loads(entry["message"])["message"] for entry in page.browser.get_log("performance"))
    asked = {
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    }
    assert asked, "no requests were logged"
    elsewhere = {url for url in asked if not url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:"))}
    assert not elsewhere
