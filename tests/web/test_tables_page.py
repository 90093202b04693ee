"""Pages of tables, which `-o NAME.html` writes: in headless Chromium on a desktop and a phone, light and dark."""

import pytest

from spanometer.commands.main import main

TAGS = {
    "gold": "B-PER I-PER O B-ORG I-ORG I-ORG O B-LOC",
    "careful": "B-PER I-PER O O B-ORG I-ORG O B-LOC",
    "hasty": "B-PER O O B-LOC I-LOC I-LOC O O",
}
COMMANDS = {
    "errors": ["errors", "gold.conll", "careful.conll", "hasty.conll"],
    "compare": ["compare", "gold.conll", "careful.conll", "hasty.conll"],
    "score": ["score", "gold.conll", "careful.conll", "--confidence", "0.95", "--per-label"],
    "agree": ["agree", "gold.conll", "careful.conll", "--disagreements", "--table", "html"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with files of eight sentences."""
    path = tmp_path_factory.mktemp("files")
    for name, tags in TAGS.items():
        document = "".join(f"w{place} {tag}\n" for place, tag in enumerate(tags.split()))
        (path / f"{name}.conll").write_text(f"{document}\n" * 8, encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("command", COMMANDS)
def test_page_of_tables(browser, folder, monkeypatch, capsys, command, width, scheme):
    """The page is as wide as the screen, and its text stands out from its ground; only tables scroll sideways."""
    monkeypatch.chdir(folder)
    page = folder / f"{command}.html"
    if "--table" in COMMANDS[command]:
        assert main(COMMANDS[command]) == 0
        page.write_text(capsys.readouterr().out, encoding="utf-8")
    else:
        assert main([*COMMANDS[command], "--force", "-o", page.name]) == 0
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.get(page.as_uri())
        wide, inside = browser.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= inside == width
        # the ground of a page follows the scheme of its root, as the colour of its text does
        color = browser.execute_script("return getComputedStyle(document.documentElement).color")
        assert color == ("rgb(0, 0, 0)" if scheme == "light" else "rgb(255, 255, 255)")
        heads = browser.execute_script("return [...document.querySelectorAll('th')].map((head) => head.innerText)")
        assert len(heads) > 3 and not [head for head in heads if "\\n" in head]
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
