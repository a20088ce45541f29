"""Without a compiler everything that does not keep time runs, with the same results."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import runs_anywhere

from inloop.native.building.locking import exclusive

SCRIPT = Path(runs_anywhere.__file__)


@pytest.fixture(scope="module")
def told(of_all_workers: Path) -> dict[str, Any]:
    """What a process says that finds no compiler, and nothing in the cache; once, whoever asks."""
    home = of_all_workers / "no_compiler"
    with exclusive(home.with_suffix(".lock"), patience=900.0):
        if not (home / "told.json").exists():
            run_all(home)
    found = json.loads((home / "told.json").read_text())
    assert isinstance(found, dict)
    return found


def run_all(home: Path) -> None:
    home.mkdir(exist_ok=True)
    environment = {"PATH": str(home), "HOME": str(home), "INLOOP_CACHE": str(home / "cache")}
    command = [sys.executable, str(SCRIPT)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert not list(home.rglob("*.so"))
    (home / "told.json").write_text(done.stdout)


@pytest.fixture(scope="module")
def runs(told: dict[str, Any]) -> dict[str, Any]:
    return dict(told["runs"])


def flat(value: Any) -> list[float]:
    """All numbers of a result, in order."""
    if isinstance(value, dict):
        return [number for key in sorted(value) for number in flat(value[key])]
    if isinstance(value, list):
        return [number for entry in value for number in flat(entry)]
    return [] if isinstance(value, str) else [float(value)]


# what a last bit can become within a run: almost nothing, but for friction that holds by microns
LARGEST = {"double_pendulum": 1e-9, "stick_slip": 1e-10}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", runs_anywhere.RUNS)
def test_runs_agree_with_compiled_ones(name: str, runs: dict[str, Any]) -> None:
    expected = json.loads(json.dumps(runs_anywhere.RUNS[name]()))
    found, wanted = np.array(flat(runs[name])), np.array(flat(expected))
    assert len(found) == len(wanted) > 3
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=LARGEST.get(name, 1e-11))


def test_one_sentence_names_the_remedy(told: dict[str, Any]) -> None:
    (note,) = told["notes"]
    assert "pip install inloop[cc]" in note and "runs as Python" in note and "\n" not in note


def test_a_swing_takes_as_long_as_the_elliptic_integral_says(runs: dict[str, Any]) -> None:
    end = runs["pendulum"]["rk4"]
    assert end["q"][0] == pytest.approx(-math.pi / 2.0, abs=1e-9)
    assert end["qd"][0] == pytest.approx(0.0, abs=1e-8)
    # √(g/l) about the position at rest, and no damping
    np.testing.assert_allclose(runs["pendulum"]["A"], [[0.0, 1.0], [-9.81, 0.0]], atol=1e-9)
    frequency = math.sqrt(9.81) / (2.0 * math.pi)
    assert runs["pendulum"]["frequency"] == pytest.approx(frequency, rel=1e-9)


def test_impacts_come_when_the_geometric_series_says(runs: dict[str, Any]) -> None:
    first = math.sqrt(2.0 / 9.81)
    flights = 2.0 * first * 0.9 ** np.arange(1, 20)
    exact = first + np.concatenate([[0.0], np.cumsum(flights)])
    np.testing.assert_allclose(runs["bouncing_ball"]["impacts"], exact, rtol=1e-10)
    assert abs(runs["bouncing_ball"]["q"][0]) < 1e-12  # it lies still


def test_a_driven_slider_is_where_trigonometry_says(runs: dict[str, Any]) -> None:
    angle, rate = 2.0, 2.0
    x = 0.2 * math.cos(angle) + math.sqrt(0.5**2 - (0.2 * math.sin(angle)) ** 2)
    across = 0.2 * math.sin(angle)
    xd = -rate * across * (1.0 + 0.2 * math.cos(angle) / math.sqrt(0.5**2 - across**2))
    for way in ("led", "sampled"):
        assert runs["crank"][way]["q"][2] == pytest.approx(x, abs=1e-9)
        assert runs["crank"][way]["qd"][2] == pytest.approx(xd, abs=1e-8)


def test_energy_is_kept(runs: dict[str, Any]) -> None:
    loop = runs["four_bar"]
    assert loop["energy"][1] == pytest.approx(loop["energy"][0], abs=1e-9)
    assert loop["violation"] < 1e-9 and max(map(abs, loop["qd"])) > 0.5  # and it moves
    for found in runs["double_pendulum"].values():
        assert found["energy"][1] == pytest.approx(found["energy"][0], abs=1e-6)


def test_a_controller_runs_as_its_stepper_does(runs: dict[str, Any]) -> None:
    end = pytest.approx(runs["controlled"]["q"][0], rel=1e-13)
    assert runs["controlled"]["stepped"] == end
    assert runs["controlled"]["inside"] == end
