"""What the README says is so."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spanometer import Spans
from spanometer.measures import MEASURES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("path", "examples"), [("README.md", 10), ("docs/results.md", 8), ("docs/errors.md", 8), ("docs/grounding.md", 11)]
)
def test_python_examples(path, examples):
    result = doctest.testfile(str(ROOT / path), module_relative=False, encoding="utf-8")
    assert result.attempted > examples
    assert result.failed == 0


def test_screen_is_that_of_the_demo():
    run = subprocess.run(
        [sys.executable, "-m", "spanometer", "demo"], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    screen = re.search(r"```text\n(The example corpus\n.*?)```", README, re.DOTALL).group(1)
    assert run.stdout.startswith(screen)


REFERENCE = "B-ORG I-ORG I-ORG I-ORG O B-PER I-PER O B-LOC O O"
SYSTEMS = {
    "exact": REFERENCE,
    "cut short": "B-ORG I-ORG I-ORG O O B-PER I-PER O B-LOC O O",
    "cut in two": "B-ORG I-ORG B-ORG I-ORG O B-PER I-PER O B-LOC O O",
    "too long": "B-ORG I-ORG I-ORG I-ORG I-ORG B-PER I-PER O B-LOC O O",
    "short one missed": "B-ORG I-ORG I-ORG I-ORG O B-PER I-PER O O O O",
    "long one missed": "O O O O O B-PER I-PER O B-LOC O O",
    "one invented": "B-ORG I-ORG I-ORG I-ORG O B-PER I-PER O B-LOC O B-LOC",
    "wrong label": "B-ORG I-ORG I-ORG I-ORG O B-LOC I-LOC O B-LOC O O",
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_one_error_at_a_time(system):
    row = re.search(rf"^\| {system} \|(.*)\|$", README, re.MULTILINE).group(1)
    reference, predicted = (Spans.from_tags([tags.split()]) for tags in (REFERENCE, SYSTEMS[system]))
    found = []
    head = re.search(r"^\| system \|(.*)\|$", README, re.MULTILINE).group(1)
    for measure in (MEASURES[name.strip()]() for name in head.split("|")):
        score = measure.score(measure.counts(reference, predicted))
        found.append(f"{score[measure.headline]:.3f}")
    assert [value.strip() for value in row.split("|")] == found


def test_every_module_is_in_the_table():
    for name in MEASURES:
        assert f"[`{name}`](metrics/{name}/README.md)" in README
