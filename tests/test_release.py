"""What is published: metadata, and the wheel and the source distribution in empty environments."""

import configparser
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

import spanometer
from spanometer.measures import ALL_MEASURES

ROOT = Path(__file__).parents[1]

needs_network = pytest.mark.skipif(
    os.environ.get("SPANOMETER_CLEAN_VENV") != "1",
    reason="installs packages into empty environments: set SPANOMETER_CLEAN_VENV=1",
)

EXAMPLES = """
import doctest, sys
from pathlib import Path
import spanometer
cards = [Path(spanometer.path(name)) / "README.md" for name in sys.argv[2:]]
for path in [Path(sys.argv[1]), *cards]:
    found = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert found.attempted and not found.failed, path
"""


def test_the_citation_names_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == spanometer.__version__
    assert citation["repository-code"].endswith("/spanometer")


def test_the_changelog_has_a_section_of_the_version():
    """The workflow makes the text of the release from it."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(spanometer.__version__)}\b", changes, re.MULTILINE)


def test_dependencies_have_lower_bounds_and_no_upper_ones():
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    wanted = [settings["options"]["install_requires"], *settings["options.extras_require"].values()]
    for requirement in "\n".join(wanted).split():
        assert re.fullmatch(r"[\w.-]+(\[[\w,]+\])?>=[\d.]+", requirement), requirement


def test_classifiers_name_the_versions_that_are_tested():
    settings = configparser.ConfigParser()
    settings.read(ROOT / "setup.cfg")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    tested = workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]
    assert re.findall(r":: (3\.\d+)$", settings["metadata"]["classifiers"], re.MULTILINE) == tested


def test_the_texts_on_installation_are_right_before_and_after_the_release():
    for name in ("README.md", "docs/install.md"):
        text = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert "From version 0.1.0 on, `pip install spanometer` installs the latest release." in text
        assert not re.search("once Spanometer is released", text, re.IGNORECASE)


def test_what_is_public():
    assert dir(spanometer) == sorted(spanometer.__all__)
    for name in spanometer.__all__:
        assert getattr(spanometer, name) is not None


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The wheel and the source distribution, built from a clone."""
    folder = tmp_path_factory.mktemp("build")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder / "clone")], check=True)
    python = environment(folder / "venv")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "build>=1.2"], check=True)
    subprocess.run([python, "-m", "build", "--outdir", str(folder / "dist"), str(folder / "clone")], check=True)
    return {path.suffix: path for path in (folder / "dist").iterdir()}


def environment(folder):
    """Make an empty environment, and return its Python."""
    venv.create(folder, with_pip=True)
    return str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")


@needs_network
def test_distributions_hold_what_is_read_at_run_time(distributions):
    with zipfile.ZipFile(distributions[".whl"]) as wheel, tarfile.open(distributions[".gz"]) as source:
        for names in (wheel.namelist(), source.getnames()):
            wanted = [
                "spanometer/py.typed",
                "LICENSE",
                "data/example.conll",
                "protocols/conlleval.toml",
                "web/report.html",
                "space/page.css",
            ]
            wanted += [f"metrics/{name}/{file}" for name in ALL_MEASURES for file in (f"{name}.py", "README.md")]
            for ending in wanted:
                assert any(name.endswith(ending) for name in names), ending


@needs_network
def test_the_source_distribution_is_whole_but_has_no_tests(distributions):
    with tarfile.open(distributions[".gz"]) as source:
        names = {name.partition("/")[2] for name in source.getnames()}
    kept = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    left_out = {name.partition("/")[0] for name in kept if name and name not in names}
    assert left_out == {".ci", ".github", ".gitignore", ".pre-commit-config.yaml", "tests"}


@needs_network
def test_the_source_distributions_docs_build(distributions, tmp_path):
    with tarfile.open(distributions[".gz"]) as source:
        source.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    python = environment(tmp_path / "venv")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "-e", f"{folder}[docs]"], check=True)
    subprocess.run([python, "-m", "mkdocs", "build", "--strict", "--quiet"], cwd=folder, check=True)
    assert "<svg" in (folder / "site" / "install" / "index.html").read_text(encoding="utf-8")


@needs_network
@pytest.mark.parametrize("kind", [".whl", ".gz"])
def test_an_empty_environment_runs_the_demo_and_the_examples(distributions, kind, tmp_path):
    python = environment(tmp_path / "venv")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(distributions[kind])], check=True)
    run = [python, "-m", "spanometer", "demo"]
    assert "The example corpus" in subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    settings = {**os.environ, "HF_HOME": str(tmp_path / "huggingface"), "HF_HUB_OFFLINE": "1"}
    run = [python, "-c", EXAMPLES, str(ROOT / "README.md"), *ALL_MEASURES]
    subprocess.run(run, cwd=tmp_path, env=settings, check=True)
