"""Every notebook runs from its first cell to its last, ends with a check, and holds no outputs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "examples/notebooks").glob("*.ipynb"))
# in a process of its own: what Jupyter warns of is not our business
RUN = """
import sys
import nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[2])
"""


def cells(path: Path, kind: str = "code") -> list[dict[str, Any]]:
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["nbformat"] == 4
    return [cell for cell in data["cells"] if cell["cell_type"] == kind]


def test_the_notebooks_that_are_there() -> None:
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_clean_and_ends_with_a_check(path: Path) -> None:
    for cell in cells(path):
        assert cell["outputs"] == [] and cell["execution_count"] is None
    assert "assert" in "".join(cells(path)[-1]["source"])
    assert any("## Check" in "".join(cell["source"]) for cell in cells(path, "markdown"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[] if path.name[0] == "3" else [pytest.mark.long])
        for path in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
def test_a_notebook_runs_and_shows_its_pictures(path: Path, tmp_path: Path) -> None:
    done = tmp_path / "done.ipynb"
    command = [sys.executable, "-c", RUN, str(path), str(done)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-4000:]
    shown = [output for cell in cells(done) for output in cell["outputs"]]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    # cards and animations, and figures in place
    assert {"text/html", "image/png"} <= kinds
    pages = ["".join(o["data"]["text/html"]) for o in shown if "text/html" in o.get("data", {})]
    assert any(page.startswith("<iframe srcdoc=") for page in pages)
    assert any("<svg" in page and not page.startswith("<iframe") for page in pages)
