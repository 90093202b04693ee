"""The documentation: its commands and its Python do what the pages show."""

import doctest
import importlib
import re
import runpy
import shlex
from pathlib import Path

import pytest
import yaml

from spanometer import Spans
from spanometer.alignment.matched_spans import BOUNDARIES, KINDS, MARKS
from spanometer.commands.main import main
from spanometer.grounding import COUNTS
from spanometer.integrations.module_folders import module_folders
from spanometer.measures import ALL_MEASURES, MEASURES

ROOT = Path(__file__).parents[1]
FOLDERS = {
    "../README.md": "..",
    "command_line.md": "..",
    "annotation_leads.md": "doccano",
    "errors.md": "shared_task",
    "tutorials/shared_task.md": "shared_task",
    "uncertainty.md": "shared_task",
    "tutorials/attributes.md": "attributes",
    "tutorials/text.md": "text",
}
"""The folder of examples in which a page's commands and its Python run, of pages that have one."""

PAGES = {str(path.relative_to(ROOT / "docs")): path.read_text(encoding="utf-8") for path in ROOT.glob("docs/**/*.md")}
PAGES["../README.md"] = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    pytest.param(page, *found.groups(), id=f"{page} {place}")
    for page, text in PAGES.items()
    for place, found in enumerate(
        re.finditer(r"^```console\n\$ spanometer ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    )
]
EXAMPLES = [page for page, text in PAGES.items() if ">>> " in text]


@pytest.mark.parametrize(("page", "command", "screen"), COMMANDS)
def test_commands(page, command, screen, monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "examples" / FOLDERS[page])
    main(shlex.split(command.replace("\\\n", "")))
    output, error = capsys.readouterr()
    found, expected = ("\n".join(map(str.rstrip, text.splitlines())) + "\n" for text in (output + error, screen))
    assert doctest.OutputChecker().check_output(expected, found, doctest.ELLIPSIS), found


@pytest.mark.parametrize("page", EXAMPLES)
def test_python(page, monkeypatch):
    monkeypatch.chdir(ROOT / "examples" / FOLDERS.get(page, ""))
    result = doctest.testfile(str(ROOT / "docs" / page), module_relative=False, encoding="utf-8")
    assert result.attempted
    assert result.failed == 0


def test_pages_with_commands_have_a_folder():
    assert {command.values[0] for command in COMMANDS} == set(FOLDERS)


@pytest.mark.parametrize(
    ("page", "words"), [("errors.md", KINDS | BOUNDARIES | MARKS), ("grounding.md", COUNTS)], ids=["errors", "answers"]
)
def test_words_are_explained_as_they_are_declared(page, words):
    assert [row for row in words.items() if "| `{}` | {} |".format(*row) not in PAGES[page]] == []


REFERENCE = "B-ORG I-ORG I-ORG I-ORG O B-PER I-PER O B-LOC O O"
SYSTEMS = {
    "exact": REFERENCE,
    "too short": "B-ORG I-ORG I-ORG O O B-PER I-PER O B-LOC O O",
    "split in two": "B-ORG I-ORG B-ORG I-ORG O B-PER I-PER O B-LOC O O",
    "too long": "B-ORG I-ORG I-ORG I-ORG I-ORG B-PER I-PER O B-LOC O O",
    "short one missing": "B-ORG I-ORG I-ORG I-ORG O B-PER I-PER O O O O",
    "long one missing": "O O O O O B-PER I-PER O B-LOC O O",
    "one spurious": "B-ORG I-ORG I-ORG I-ORG O B-PER I-PER O B-LOC O B-LOC",
    "wrong label": "B-ORG I-ORG I-ORG I-ORG O B-LOC I-LOC O B-LOC O O",
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_one_error_at_a_time(system):
    page = PAGES["measures/index.md"]
    row = re.search(rf"^\| {system} \|(.*)\|$", page, re.MULTILINE).group(1)
    head = re.search(r"^\| system \|(.*)\|$", page, re.MULTILINE).group(1)
    reference, predicted = (Spans.from_tags([tags.split()]) for tags in (REFERENCE, SYSTEMS[system]))
    found = []
    for measure in (MEASURES[name.strip()]() for name in head.split("|")):
        score = measure.score(measure.counts(reference, predicted))
        found.append(f"{score[measure.headline]:.3f}")
    assert [value.strip() for value in row.split("|")] == found


def test_every_measure_has_a_card_with_a_description():
    """`docs/pages.py` makes the table of measures from these."""
    for name in ALL_MEASURES:
        card = (ROOT / "metrics" / name / "README.md").read_text(encoding="utf-8")
        assert re.search(r"^description: >-\n  \S", card, re.MULTILINE)


def test_rankings_are_those_of_the_tables(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    script = runpy.run_path(str(ROOT / "docs" / "rankings.py"))
    page = (ROOT / "docs" / "rankings.md").read_text(encoding="utf-8")
    assert script["filled"](page) == page
    assert page.count("<!-- rankings: ") == 1
    assert script["picture"]().count("<circle") == 27
    swapped = [int(row["swapped, both p < .05"]) for row in script["read"]("hipe_rankings")]
    assert (len(swapped), sum(swapped)) == (27, 0)


def test_the_simulation_shows_what_the_page_of_intervals_says(monkeypatch):
    """The site's build runs it with more trials and on more sizes."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    simulation = importlib.import_module("uncertainty")
    assert "docs/uncertainty.py" in yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["hooks"]
    page = PAGES["uncertainty.md"]
    assert page.count("<!-- uncertainty: ") == 4
    monkeypatch.setattr(simulation, "SIZES", (10, 100))
    monkeypatch.setattr(simulation, "TRUTH", 20_000)
    values = simulation.simulate(1, 150)
    shares = {key: value for key, (_, value) in values.items()}
    assert "fewer than 80 % of these intervals" in page
    assert all(shares["coverage sentences", "usual", size] < 0.85 for size in (10, 100))
    assert shares["coverage articles", "usual", 10] < 0.94 < shares["coverage articles", "usual", 100] + 0.05
    assert shares["half width", "usual", 10] / shares["half width", "usual", 100] == pytest.approx(10**0.5, rel=0.1)
    assert shares["significant randomisation", "0.05", 100] > 0.9 > 0.1 > shares["significant apart", "0.05", 100]
    assert shares["significant bootstrap", "0", 10] > shares["significant randomisation", "0", 10]
    assert {size for _, _, size in values} == {10, 100}
    # no cell of a table is empty
    for table in (simulation.intervals(values), simulation.tests(values)):
        assert all(cell.strip() for line in table.splitlines() for cell in line.strip("|").split("|"))
    assert simulation.picture(values).count(">difference ") == len(simulation.GAINS) - 1
    assert simulation.precision(500).startswith(
        "There are 500 corpora of each size. A share of 95 % has a standard error of 1.0 "
    )


def test_the_first_screen_is_short():
    assert len(PAGES["../README.md"].splitlines()) <= 150


SITE = "https://spanometer.github.io/spanometer/"
FILES = (
    "https://github.com/spanometer/spanometer/blob/main/",
    "https://raw.githubusercontent.com/spanometer/spanometer/main/",
)


def test_no_link_of_the_readme_is_dead_on_the_package_index():
    targets = re.findall(r"\]\(([^)]+)\)", PAGES["../README.md"])
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split()
    pages = {*navigation, *(f"measures/{path.parent.name}.md" for path in ROOT.glob("metrics/*/README.md"))}
    dead = []
    for target in targets:
        path = target.removeprefix(SITE).strip("/")
        page = target.startswith(SITE) and {f"{path}.md", f"{path}/index.md"} & pages
        if not page and not any(
            target.startswith(start) and (ROOT / target.removeprefix(start)).is_file() for start in FILES
        ):
            dead.append(target)
    assert len(targets) > 40
    assert dead == []


def test_the_picture_of_the_readme_is_drawn_from_the_scores(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    script = runpy.run_path(str(ROOT / "docs" / "pictures.py"))
    assert script["FIRST"].read_text(encoding="utf-8") == script["first_picture"]()


def test_formulas_are_no_text_of_the_search(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    pages = pytest.importorskip("latex2mathml") and importlib.import_module("pages")
    page = pages.on_page_content(r'<div class="arithmatex">\[P = 1\]</div>', None, None, None)
    assert page.startswith("<div class=formula data-search-exclude><math")


PHONE = 358
"""The width of a picture on a phone of 390 pixels."""


@pytest.fixture(scope="module")
def figures():
    """The pictures that the site's build draws, by page."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs")
        guides, pictures = (importlib.import_module(name) for name in ("guides", "pictures"))
        drawn = {name: draw() for name, draw in guides.GUIDES.items()}
        for name, draw in {**pictures.PICTURES, "../../README": pictures._first}.items():
            drawing = pictures.Drawing()
            drawn[f"measures/{name}"] = drawing.figure(draw(drawing))
    return drawn


def test_every_guide_tutorial_and_measure_has_a_picture(figures):
    marked = {page: re.findall(r"<!-- picture: (\S+) -->", text) for page, text in PAGES.items()}
    assert all(names in ([], [page.removesuffix(".md")]) for page, names in marked.items())
    measures = {f"measures/{name}" for name in (*module_folders(), "../../README")}
    assert {name for names in marked.values() for name in names} | measures == set(figures)
    navigation = (
        (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("  - Tutorials:")[2].partition("  - Measures:")[0]
    )
    pages = re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)
    assert len(pages) > 15
    assert [page for page in pages if not re.search(r"<!-- (picture|uncertainty): |!\[", PAGES[page])] == []


def test_letters_of_pictures_are_read_on_a_phone_and_on_a_dark_page(figures):
    for name, figure in figures.items():
        width = float(re.search(r'viewBox="\S+ \S+ (\S+) ', figure)[1])
        letters = float(re.search(r'font-size="(\S+)"', figure)[1])
        assert letters * PHONE / width >= 9, name
        assert 'fill="#ffffff"' not in figure, name
    readme = (ROOT / "docs" / "images" / "first.svg").read_text(encoding="utf-8")
    # the package index and the repository show it on a page of any color
    assert 'height="100%" fill="#ffffff"/>' in readme
