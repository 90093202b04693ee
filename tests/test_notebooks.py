"""The notebooks run, and say what they say where they are read."""

import re
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (the extra notebooks)")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (the extra notebooks)")
pytest.importorskip("ipykernel", reason="ipykernel is not installed (the extra notebooks)")

FOLDER = Path(__file__).parents[1] / "notebooks"
MOST_BYTES = 100_000


def said(notebook):
    """What the cells print, but for the version."""
    texts = ["".join(output.get("text", "") for output in cell.get("outputs", ())) for cell in notebook.cells]
    return [re.sub(r"\|v:[\w.]+", "", text) for text in texts]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path):
    assert path.stat().st_size < MOST_BYTES
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    before = said(notebook)
    assert any(before) and not any(cell.get("execution_count") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute()
    assert said(notebook) == before


def test_there_is_one():
    assert list(FOLDER.glob("*.ipynb"))
