"""The wheel works where there is neither npm nor a compiler, and brings the studio's page."""

from __future__ import annotations

import json
import math
import subprocess
import zipfile
from pathlib import Path

import pytest

EVALUATION = """
import json
import inloop as il

m = il.Model("arm")
m.body("arm", on=m.ground, joint=il.revolute("y"), mass=1.3, com=(0.4, 0, 0), inertia=(1, 0.2, 1))
plant = m.compile(backend="python")
tau = plant.inverse_dynamics([0.7], [1.1], [2.0])
print(json.dumps({"tau": tau[0], "from": il.__file__}))
"""


def call(clean: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A program of the clean environment; no other one can be found, a compiler neither."""
    program, *others = words
    environment = {"PATH": str(clean), "HOME": str(clean.parent)}
    command = [str(clean / program), *others]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_the_wheel_brings_the_page_and_its_licenses(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {Path(name).name for name in archive.namelist()}
    assert {"three.module.min.js", "three.core.min.js", "uPlot.esm.js", "uPlot.min.css"} <= names
    assert {
        "LICENSE",
        "LICENSE.three.txt",
        "LICENSE.uPlot.txt",
        "index.html",
        "il_plant.h",
    } <= names


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("words", "text"),
    [((), "inloop studio piano"), (("--help",), "COMMAND"), (("list",), "puma560")],
)
def test_commands(clean: Path, words: tuple[str, ...], text: str) -> None:
    done = call(clean, "inloop", *words)
    assert done.returncode == 0, done.stderr
    assert text in done.stdout and not done.stderr


def test_equations_are_evaluated_as_python(clean: Path) -> None:
    done = call(clean, "python", "-W", "error", "-c", EVALUATION)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    # about y a positive angle lowers the arm: (I + m l²) qdd - m g l cos q
    exact = (0.2 + 1.3 * 0.4**2) * 2.0 - 1.3 * 9.81 * 0.4 * math.cos(0.7)
    assert told["tau"] == pytest.approx(exact, rel=1e-14)
    assert Path(told["from"]).is_relative_to(clean.parent)


def test_a_run_needs_no_compiler_and_says_once_what_it_lacks(clean: Path) -> None:
    done = call(clean, "inloop", "run", "pendulum", "--seconds", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "OK"
    assert done.stderr.startswith("note: No C compiler works here")
    assert "pip install inloop[cc]" in done.stderr and done.stderr.count("\n") == 1


def test_what_keeps_time_needs_a_compiler_and_says_so_in_one_line(clean: Path) -> None:
    done = call(clean, "inloop", "run", "pendulum", "--rate", "1000")
    assert done.returncode == 2
    assert done.stderr.startswith("error: running in real time needs a C compiler")
    assert "pip install inloop[cc]" in done.stderr and done.stderr.count("\n") == 1
