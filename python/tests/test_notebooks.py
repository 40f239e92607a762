"""The notebooks, executed from nothing; `just notebooks` stores what they show."""

import sys
import tempfile

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


def execute(path, folder):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}, record_timing=False).execute()
    return notebook


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    """It shows the same kinds of things as what is stored: tables, pictures, text."""
    shown, stored = execute(path, tmp_path), nbformat.read(path, as_version=4)
    assert kinds(shown) == kinds(stored) and any(kinds(stored))


def kinds(notebook):
    """For every cell of code, what stands below it; warnings do not count."""
    cells = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    shown = [[o for o in outputs if o.get("name") != "stderr"] for outputs in cells]
    return [sorted({kind for o in outputs for kind in o.get("data", {"printed": ""})}) for outputs in shown]


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["check_a_claim", "experts_come_and_go", "route_a_csv"]


if __name__ == "__main__":
    for notebook in [path for path in NOTEBOOKS if path.stem in sys.argv[1:]] or NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(execute(notebook, folder), notebook)
