"""Where the metric modules are found, and that the wheel has them."""

import runpy
from pathlib import Path

import pytest

from spanometer import path
from spanometer.integrations import module_folders

ROOT = Path(__file__).parents[2]


def test_folders_of_the_checkout():
    found = module_folders.module_folders()
    assert {name: folder.name for name, folder in found.items()} == {name: name for name in found}
    assert found["span_f"] == ROOT / "metrics" / "span_f"
    assert path("span_f") == str(found["span_f"])


def test_the_wheel_has_every_file_of_every_module(monkeypatch):
    setuptools = pytest.importorskip("setuptools")
    given = {}
    monkeypatch.setattr(setuptools, "setup", given.update)
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(ROOT / "setup.py"))
    found = {folder: {Path(file) for file in files} for folder, files in given["data_files"]}
    assert found == {
        f"share/spanometer/metrics/{name}": {file.relative_to(ROOT) for file in folder.iterdir() if file.is_file()}
        for name, folder in module_folders.module_folders().items()
    }


def test_folders_of_an_installed_package(tmp_path, monkeypatch):
    """As `pip install --target` leaves them: beside the package."""
    for file in ("span_f/span_f.py", "span_f/app.py", "notes/other.py"):
        script = tmp_path / "share" / "spanometer" / "metrics" / file
        script.parent.mkdir(parents=True, exist_ok=True)
        script.touch()
    package = tmp_path / "spanometer" / "integrations" / "module_folders.py"
    monkeypatch.setattr(module_folders, "__file__", str(package))
    monkeypatch.setattr(module_folders.metadata, "files", lambda name: [])
    assert module_folders.module_folders() == {"span_f": tmp_path / "share" / "spanometer" / "metrics" / "span_f"}
