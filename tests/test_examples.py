"""Every example runs, checks itself, and draws only when asked to."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("[0-9][0-9]_*.py"))


def test_the_examples_that_are_there() -> None:
    numbers = [f"{k:02}" for k in range(1, 26)]
    assert [path.name[:2] for path in EXAMPLES] == numbers


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_checks_itself_and_draws_its_figure(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """In this process, where everything is imported already."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example), "--plot", "figure.png"])
    runpy.run_path(str(example), run_name="__main__")
    told = capfd.readouterr()
    assert told.out and not told.err
    (figure,) = tmp_path.iterdir()
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_nothing_is_written_unless_asked_for(tmp_path: Path) -> None:
    """As a person types it."""
    command = [sys.executable, str(EXAMPLES[0])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout and not done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_keeps_the_house_style(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    assert 60 <= len(text.splitlines()) <= 130
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert doc.startswith(f"{example.name[:2]}: ")
    assert "Objective:" in doc and "Equations:" in doc and "--plot" in doc
    assert text.count("    check(") >= 2
