"""Every example runs, checks itself, and draws only when asked to."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("[0-9][0-9]_*.py"))


def run(example: Path, directory: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(example), *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_the_examples_that_are_there() -> None:
    numbers = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13"]
    assert [path.name[:2] for path in EXAMPLES] == numbers


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_checks_itself_and_draws_its_figure(example: Path, tmp_path: Path) -> None:
    assert run(example, tmp_path, "--plot", "figure.png")
    (figure,) = tmp_path.iterdir()
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_nothing_is_written_unless_asked_for(tmp_path: Path) -> None:
    assert run(EXAMPLES[0], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_keeps_the_house_style(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    assert 60 <= len(text.splitlines()) <= 130
    doc = ast.get_docstring(ast.parse(text)) or ""
    assert "Objective:" in doc and "Equations:" in doc and "--plot" in doc
    assert text.count("    check(") >= 2
