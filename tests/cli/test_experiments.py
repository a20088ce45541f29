"""`inloop run NAME --experiment E`: figures by name, a drawing, clear errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inloop.cli import main
from inloop.cli.commands.experiment import show_outcome
from inloop.gallery import Outcome

Capture = pytest.CaptureFixture[str]
FIGURE6 = ("run", "simple_action", "--experiment", "figure6", "--seconds", "0.7")


def test_figures_are_told_by_name(capsys: Capture, tmp_path: Path) -> None:
    figure, table = tmp_path / "figure.png", tmp_path / "run.npz"
    assert main([*FIGURE6, "--json", "--plot", str(figure), "--save", str(table)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["model"] == "simple_action" and data["experiment"] == "figure6"
    # what a run tells, and the figures of the experiment
    assert data["t"] == pytest.approx(0.7) and set(data["q"]) == {"hand", "key", "pad", "hammer"}
    assert {"outputs", "energy", "constraint_violation", "status"} <= set(data)
    assert 0.3 < data["figures"]["release 1 [s]"] < 0.7
    assert figure.read_bytes().startswith(b"\x89PNG") and table.stat().st_size > 1000


def test_parameters_act_and_people_get_a_table(capsys: Capture) -> None:
    assert main([*FIGURE6, "--set", "M1=3"]) == 0
    text = capsys.readouterr().out
    assert "release 1 [s]" in text and "switch times" in text
    row = next(r for r in text.splitlines() if "F_KU at rest" in r)
    # key and hammer at rest, with less than half of the key's weight: 8.1 N before
    assert 3.5 < float(row.split()[-1]) < 4.5


def test_a_table_of_its_own_takes_the_place_of_the_list(capsys: Capture) -> None:
    figures = {"A, 100 N/m: jumps [N]": 59.3}
    show_outcome(Outcome(figures, draw=print, notes=("RMS",), table="100 N/m   59 N"))
    text = capsys.readouterr().out
    assert "100 N/m   59 N" in text and "RMS" in text and "jumps" not in text
    show_outcome(Outcome(figures, draw=print))
    assert "A, 100 N/m: jumps [N]   59.3" in capsys.readouterr().out


def test_experiments_are_listed_and_described(capsys: Capture) -> None:
    assert main(["list"]) == 0
    rows = [r.split(maxsplit=1) for r in capsys.readouterr().out.splitlines()]
    assert ["simple_action", "figure6, encoder"] in rows
    assert main(["list", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["mechanisms"]
    assert {e["name"] for e in entries if "figure6" in e["experiments"]} == {"simple_action"}
    assert main(["describe", "simple_action"]) == 0
    assert "--experiment encoder: " in capsys.readouterr().out
    assert main(["describe", "simple_action", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["experiments"]) == {"figure6", "encoder"}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("simple_action", "--experiment", "figur6"), "Did you mean 'figure6'?"),
        (("pendulum", "--experiment", "figure6"), "'pendulum' has no experiment 'figure6'"),
        (("simple_action", "--experiment", "figure6", "--step", "1"), "Remove --step."),
        (("simple_action", "--experiment", "figure6", "--set", "k3=1"), "no parameter 'k3'"),
        (("simple_action", "--experiment", "figure6", "--plot", "a.foo"), ".png"),
        (("simple_action", "--experiment", "encoder", "--save", "a.npz"), "not a single run"),
        (("crane.py", "--experiment", "figure6"), "only mechanisms of the gallery"),
    ],
)
def test_what_cannot_be_is_told(
    words: tuple[str, ...],
    text: str,
    capsys: Capture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crane.py").write_text('import inloop as il\nm = il.Model("crane")\n')
    short = ("--seconds", "0.05") if "encoder" in words else ()
    assert main(["run", *words, *short]) == 2
    assert text in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["crane.py"]
