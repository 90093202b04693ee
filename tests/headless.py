"""A headless browser for the tests."""

import base64
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tools.hub.building import build

CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def started(profile):
    """Yield a browser with a profile of its own; skips the test where there is none."""
    missing = [name for name, path in (("chromium", CHROMIUM), ("chromedriver", DRIVER)) if path is None]
    missing += [] if importlib.util.find_spec("selenium") else ["selenium"]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    with pytest.MonkeyPatch.context() as patch:
        # the driver is on this machine
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1,localhost")
        driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        yield driver
        driver.quit()


PATIENCE = 60
SCREENSHOTS = os.environ.get("SPANOMETER_SCREENSHOTS")


def space_app(name, folders):
    """Build a Space; return its app, which does not need the package. `folders` is pytest's factory of these."""
    folder = folders.mktemp("space")
    build(folder, [name])
    return folder / name / "app.py"


def served(script, folders):
    """Yield the address of an app that is started as a Space starts it; `folders` is pytest's factory of these."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {"GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port)}
    environment = {**os.environ, **own, "GRADIO_TEMP_DIR": str(folders.mktemp("gradio"))}
    log = folders.mktemp("app") / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, str(script)], env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    address = f"http://127.0.0.1:{port}/"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        for _ in range(PATIENCE * 5):
            assert process.poll() is None, log.read_text()
            try:
                opener.open(address, timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        yield address
    finally:
        process.terminate()
        process.wait()


def wait(browser, condition):
    """Return what a condition gives once that is true; fails with the text of the page."""
    for _ in range(PATIENCE * 10):
        try:
            if value := condition():
                return value
        except Exception as error:
            if type(error).__name__ != "StaleElementReferenceException":
                raise
        time.sleep(0.1)
    raise AssertionError(browser.find_element("css selector", "body").text[:3000])


def require_fit(browser, name, width, scheme, ready):
    """Require that a page, as wide as a screen and light or dark, does not scroll sideways and can be read."""
    height = 844 if width < 500 else 900
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.refresh()
    wait(browser, ready)
    root = "document.documentElement"
    assert browser.execute_script(f"return {root}.scrollWidth") <= width
    heads = browser.execute_script("return [...document.querySelectorAll('th')].map((head) => head.innerText)")
    assert not [head for head in heads if "\\n" in head]
    contrast = browser.execute_script(CONTRAST)
    assert min(contrast.values()) >= 4.5, contrast
    if SCREENSHOTS:
        size = browser.execute_script(f"return {root}.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": min(size, 8000), "scale": 1}
        picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        (Path(SCREENSHOTS) / f"{name}-{width}-{scheme}.png").write_bytes(base64.b64decode(picture["data"]))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


CONTRAST = """
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (rgb) => {
  const [r, g, b] = rgb.slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const color = parse(getComputedStyle(e).backgroundColor);
    if (color.length === 3 || color[3] > 0.9) return color;
  }
  return [255, 255, 255];
};
const found = {};
for (const selector of ['mark', 'mark .sm-tag', '.sm-headline b', 'dt', 'td', '.sm-signature', 'summary']) {
  for (const element of document.querySelectorAll('#results ' + selector)) {
    const a = light(parse(getComputedStyle(element).color)), b = light(ground(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const key = selector + ' ' + (element.className || element.parentElement.className);
    found[key] = Math.min(found[key] || 99, ratio);
  }
}
return found;
"""


SAVED = """
const done = arguments[1];
URL.createObjectURL = (blob) => { blob.text().then(done); return "#"; };
HTMLAnchorElement.prototype.click = () => {};
document.querySelector(arguments[0]).click();
"""
"""Gives the text that a button of a report saves, for `execute_async_script` with its selector."""

EVERY_LINK = """
const wrong = [], amount = (text) => Number(text.replace(/[^0-9]/g, ''));
for (const details of document.querySelectorAll('details')) details.open = true;
const done = arguments[0];
setTimeout(() => {
  const links = [...document.querySelectorAll('a[href^="#"]')].map((each) => [each.textContent, each.hash || '#']);
  for (const [text, href] of links) {
    const link = document.createElement('a');
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
    const count = amount(document.getElementById('found').textContent.split(' ')[0]);
    if (count !== amount(text)) wrong.push([text, href, count]);
  }
  done([links.length, wrong]);
}, 50);
"""
"""Follows every link of a report to errors; lists the links whose number is not what they show."""
