"""`inloop sweep`: what it writes and tells, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import inloop as il
from inloop.cli import main

PENDULUM = ["sweep", "double_pendulum", "--seconds", "0.1", "--method", "rk4"]


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, object]:
    assert main([*PENDULUM, *words, "--json"]) == code
    return dict(json.loads(capsys.readouterr().out))


def test_a_sweep_is_the_call_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--vary", "lower_mass=normal(1, 0.05)", "--vary", "upper.q=uniform(0,0.5)"]
    words += ["--runs", "30", "--seed", "5", "--design", "latin-hypercube"]
    data = told(capsys, *words, "--to", str(tmp_path / "sweep"))
    design = il.designs.latin_hypercube(
        {"lower_mass": il.designs.normal(1.0, 0.05), "upper.q": il.designs.uniform(0.0, 0.5)},
        runs=30,
        seed=5,
    )
    from inloop import gallery

    plant = gallery.get("double_pendulum").build().compile()
    many = plant.simulate_many(t_end=0.1, method="rk4", vary=design)
    assert np.array_equal(il.read_runs(tmp_path / "sweep").q, many.q)
    assert data["runs"] == 30 and data["failed"] == {} and data["status"] == "OK"
    ends = data["ends"]
    assert isinstance(ends, dict)
    np.testing.assert_allclose(ends["upper.q"]["mean"], many.q[:, -1, 0].mean(), rtol=1e-14)
    # a person sees the same
    assert main([*PENDULUM, *words, "--to", str(tmp_path / "sweep")]) == 0
    text = capsys.readouterr().out
    assert "30 runs of double_pendulum" in text and "30 OK, 0 failed; rk4" in text
    assert f"{many.q[:, -1, 0].mean():.6g}" in text


def test_lists_make_a_grid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--vary", "lower_mass=0.8,1,1.2", "--vary", "upper.q=linspace(0.1, 0.4, 4)"]
    figure = tmp_path / "grid.png"
    data = told(capsys, *words, "--to", str(tmp_path / "sweep"), "--plot", str(figure))
    assert data["runs"] == 12 and figure.stat().st_size > 1000
    read = il.read_runs(tmp_path / "sweep")
    assert sorted(set(read.varied["upper.q"])) == np.linspace(0.1, 0.4, 4).tolist()


def test_sobol_indices_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After 0.1 s the angle is still that of the start, whatever the mass."""
    words = ["--vary", "lower_mass=uniform(0.9,1.1)", "--vary", "upper.q=uniform(0.1,0.5)"]
    figure = tmp_path / "indices.svg"
    words += ["--design", "sobol", "--runs", "300", "--of", "upper.q", "--plot", str(figure)]
    data = told(capsys, *words, "--to", str(tmp_path / "sweep"))
    assert data["runs"] == 256 and figure.exists()
    found = data["sobol"]
    assert isinstance(found, dict)
    (parts,) = found.values()
    assert parts["upper.q"]["first"] > 0.8 and abs(parts["lower_mass"]["first"]) < 0.05


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing is varied. Write --vary"),
        (["--vary", "lower_mass"], "gives no values"),
        (["--vary", "lower_mass=normal(1,0.1)"], "for example --runs 1000"),
        (["--vary", "lower_mass=1,2", "--runs", "9"], "--runs cannot be combined with a grid"),
        (["--vary", "lower_mass=1,x"], "something that is not a number"),
        (["--vary", "lower_mass=linspace(1,2,0)"], "makes 0 values"),
        (["--vary", "lower_mass=1,2", "--vary", "lower_mass=1"], "varied twice"),
        (["--vary", "lower_mass=normal(1,0.1)", "--design", "grid"], "needs a list of values"),
        (["--vary", "lower_mass=normal(1,0.1)", "--design", "sobol", "--runs", "9"],
         "9 runs are too few for Sobol indices of 1 quantities. Write --runs 48 or more"),
        (["--vary", "lower_mas=1,2"], "Did you mean lower_mass"),
        (["--vary", "lower_mass=1,20"], "run 1: parameter 'lower_mass': 20 is outside"),
        (["--vary", "lower_mass=1,2", "--on", "moon"], "not a place to run"),
        (["--vary", "lower_mass=1,2", "--chunk", "0"], "0 runs in a file"),
        (["--vary", "lower_mass=1,2", "--plot", "/nowhere/at/all.png"], "there is no directory"),
    ],
)  # fmt: skip
def test_careless_words_are_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main([*PENDULUM, *words, "--to", str(tmp_path / "sweep")]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.parquet"))


def test_ctrl_c_tells_what_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from inloop.simulate.many.storing import Storing

    take, taken = Storing.take, []

    def once(self: Storing, *found: object) -> None:
        taken.append(0)
        if len(taken) == 2:
            raise KeyboardInterrupt
        take(self, *found)  # type: ignore[arg-type]

    monkeypatch.setattr(Storing, "take", once)
    words = ["--vary", "lower_mass=linspace(0.8,1.2,9)", "--chunk", "3"]
    place = str(tmp_path / "sweep")
    assert main([*PENDULUM, *words, "--to", place]) == 130
    out, err = capsys.readouterr()
    kept = il.read_runs(place).status.count("OK")
    assert f"interrupted: {kept} of 9 runs are in {place}; the same command continues" in err
    assert f"{kept} OK, 0 failed, {9 - kept} not run" in out and kept < 9
    assert main([*PENDULUM, *words, "--to", place]) == 0
    assert il.read_runs(place).status == ("OK",) * 9
