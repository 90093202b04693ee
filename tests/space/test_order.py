"""Answers of a form in the order of the questions, in headless Chromium."""

import time

import pytest

from headless import served, started, wait

pytest.importorskip("gradio")

APP = """
import time
from spanometer.options import Option
from spanometer.space.forms import Box, Fields, Form, Response
from spanometer.space.serving import launch

def respond(values):
    time.sleep(3 if values["pace"] == "slow" else 0)
    return Response(f"<p class=answer>{values['pace']} {values['text']}</p>")

pace = Option(name="pace", label="Pace", default="fast", choices=("fast", "slow"), help="pace")
examples = {"first": {"text": "first", "pace": "fast"}, "late": {"text": "late", "pace": "slow"}}
fields = {"boxes": [Box("text", "Text")], "fields": Fields({"pace": pace}), "examples": examples}
launch(Form(title="Order", heading="", button="Answer", respond=respond, limits="", **fields))
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    yield from started(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def address(browser, tmp_path_factory):
    script = tmp_path_factory.mktemp("order") / "app.py"
    script.write_text(APP)
    yield from served(script, tmp_path_factory)


@pytest.mark.parametrize("asked", ["start", "late", "slow"])
def test_a_late_answer_never_replaces_a_newer_one(browser, address, asked):
    def answer():
        return [part.text for part in browser.find_elements("css selector", "#results .answer")]

    def press(text):
        parts = browser.find_elements("css selector", "button, #pace label")
        next(part for part in parts if part.text == text).click()

    browser.get(address)
    wait(browser, lambda: answer() == ["fast first"])
    if asked == "late":
        press("late")
        text = "late"
        wait(browser, lambda: browser.find_element("css selector", "#text textarea").get_property("value") == "late")
    else:
        press("slow")
        if asked == "start":
            wait(browser, lambda: answer() == ["slow first"])
            press("Answer")
        text = "first"
    time.sleep(0.5)
    press("fast")
    wait(browser, lambda: answer() == [f"fast {text}"])
    time.sleep(4)
    assert answer() == [f"fast {text}"]
