"""A headless browser for the tests."""

import importlib.util
import shutil

import pytest

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
