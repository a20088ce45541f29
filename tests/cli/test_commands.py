"""Each command through `main([...])`: what it prints, as text and as strict JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inloop as il
from inloop import gallery
from inloop.cli import main
from inloop.cli.derivation import derive
from inloop.native import find_compiler

CRANE = Path(__file__).resolve().parents[2] / "examples" / "data" / "camera_crane.urdf"
Ask = Callable[..., Any]


def refuse(word: str) -> float:
    raise AssertionError(f"{word} is not JSON")


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Run a command with --json and parse what it prints."""

    def run(*arguments: str, code: int = 0) -> Any:
        assert main([*arguments, "--json"]) == code
        return json.loads(capsys.readouterr().out, parse_constant=refuse)

    return run


def test_list(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    found = ask("list")["mechanisms"]
    assert [entry["name"] for entry in found] == list(gallery.names())
    assert found[2]["options"]["n"]["default"] == 10
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in gallery.names())
    assert all(name in text for e in gallery.exhibits() for name in e.experiments)
    assert max(map(len, text.splitlines())) <= 80  # no line is broken in a common terminal


def test_describe(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "puma560"]) == 0
    text = capsys.readouterr().out
    assert "link_3" in text and "payload" in text and "pose q_n" in text and "Corke" in text
    data = ask("describe", "n_pendulum", "--set", "n=3")
    assert data["coordinates"] == ["rod_1", "rod_2", "rod_3"]
    assert data["parameters"][0] == {
        "name": "g", "default": 9.81, "unit": "m/s^2", "range": [0.0, 25.0],
        "doc": "gravity, along -y",
    }  # fmt: skip
    data = ask("describe", "n_pendulum", "--set", "g=1.62")
    assert data["parameters"][0]["default"] == 1.62


def test_describe_a_file(ask: Ask) -> None:
    data = ask("describe", str(CRANE))
    assert data["coordinates"] == ["pan", "lift", "extend", "tilt"]
    assert data["bodies"][-1]["merged"] == ["camera"]


def test_derive_counts_and_times(ask: Ask) -> None:
    data = ask("derive", "puma560")
    plant = gallery.get("puma560").build().compile()
    assert data["coordinates"] == list(plant.coordinates)
    for name in ("inverse_dynamics", "direct_dynamics", "mass_matrix", "bias", "energy"):
        assert data["operations"][name] == plant.operations[name]
        passes = list(data["passes"][name].values())
        assert passes == sorted(passes, reverse=True)
        assert passes[-1] == plant.operations[name]["total"]
        assert data["times"][f"derive {name}"] >= 0.0
    assert "mass_matrix_and_bias" in data["operations"]
    assert data["operations"]["prepare"]["total"] > 0
    assert 0.0 < data["seconds"] < 60.0
    assert data["files"] == []


def test_derive_with_everything_live(ask: Ask) -> None:
    data = ask("derive", "chain", "--live", "all", "--external-forces", "all", "--set", "n=3")
    assert data["parameters"] > 3 * 10
    assert data["inputs"] == 3 * 6
    named = ask("derive", "chain", "--live", "link_2.mass", "--external-forces", "link_3")
    assert (named["parameters"], named["inputs"]) == (2, 6)


def test_derive_chosen_functions(ask: Ask) -> None:
    data = ask("derive", "pendulum", "--functions", "bias, energy,bias")
    assert set(data["operations"]) == {"bias", "energy", "prepare"}
    everything = ask("derive", "pendulum", "--functions", "all")
    assert "direct_dynamics_derivatives" in everything["operations"]


@pytest.mark.long
def test_derive_counts_what_loops_and_drives_cost(ask: Ask) -> None:
    data = ask("derive", "suspension")
    plant = gallery.get("suspension").build().compile(backend="python")
    for name in ("constraints", "newton", "constrained", "drives"):
        assert data["operations"][name] == plant.operations[name]
        assert data["operations"][name]["total"] > 0
    assert "direct_dynamics" not in data["operations"]
    chosen = ask("derive", "four_bar", "--functions", "newton,constrained")
    assert set(chosen["operations"]) == {"newton", "constrained", "prepare"}
    everything = ask("derive", "car", "--functions", "all")["operations"]
    assert {"constrained", "inverse_dynamics_derivatives"} <= set(everything)


def test_derive_a_large_chain_leaves_the_large_matrix_out(ask: Ask) -> None:
    data = ask("derive", "n_pendulum", "--set", "n=61", "--functions", "inverse_dynamics")
    assert len(data["coordinates"]) == 61


def test_derive_text_shows_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "double_pendulum"]) == 0
    text = capsys.readouterr().out
    for word in ("derived", "hoist", "mul", "inverse_dynamics", "prepare", "5 live parameters"):
        assert word in text


def test_derived_c_compiles_on_its_own(ask: Ask, tmp_path: Path) -> None:
    written = ask("derive", "double_pendulum", "--out", str(tmp_path / "a" / "b"))["files"]
    sources = [name for name in written if name.endswith(".c")]
    assert len(sources) == 7
    compiler = find_compiler()
    assert compiler is not None
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    subprocess.run([*compiler.command, *strict, *sources], check=True)


def test_derived_files_are_the_same_every_time(ask: Ask, tmp_path: Path) -> None:
    for language in ("c", "python", "matlab"):
        texts = []
        for attempt in ("one", "two"):
            arguments = ("--out", str(tmp_path / attempt), "--language", language)
            files = ask("derive", "chain", *arguments)["files"]
            texts.append([Path(name).read_text(encoding="utf-8") for name in files])
        assert texts[0] == texts[1]


def test_derived_python_runs_without_inloop(ask: Ask, tmp_path: Path) -> None:
    ask("derive", "double_pendulum", "--out", str(tmp_path), "--language", "python")
    code = (
        "import sys, double_pendulum as d; "
        "pre = d.double_pendulum_prepare([9.81, 1.0, 1.0, 1.0, 1.0]); "
        "assert 'inloop' not in sys.modules; "
        "print(*d.double_pendulum_bias(pre, [0.3, 0.4], [0.5, 0.6]))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    plant = gallery.get("double_pendulum").build().compile()
    expected = plant.bias([0.3, 0.4], [0.5, 0.6])
    assert [float(x) for x in done.stdout.split()] == pytest.approx(expected, rel=1e-12)


def test_derived_matlab_has_one_file_per_function(ask: Ask, tmp_path: Path) -> None:
    files = ask("derive", "pendulum", "--out", str(tmp_path), "--language", "matlab")["files"]
    assert all(name.endswith(".m") for name in files)
    assert "pendulum_bias.m" in [Path(name).name for name in files]


def test_derive_agrees_with_the_plant_on_names() -> None:
    mechanism = gallery.get("pendulum").build().build()
    report = derive(mechanism, ["bias"], live="all", external="all")
    plant = gallery.get("pendulum").build().compile(live="all", external_forces="all")
    assert report.inputs == tuple(plant.inputs)
    assert [p.name for p in report.parameters] == list(plant.parameters)


def test_run_tells_where_it_ends(ask: Ask) -> None:
    data = ask("run", "pendulum", "--seconds", "10")
    assert data["status"] == "OK"
    assert data["t"] == pytest.approx(10.0)
    assert data["outputs"]["bar.bob.x"] == pytest.approx(-0.27508746257612, abs=1e-9)
    assert data["outputs"]["bar.bob.y"] == pytest.approx(-0.96141920509913, abs=1e-9)
    assert abs(data["qd"]["angle"]) == pytest.approx(4.34316069286468, abs=1e-9)
    energy = data["energy"]
    assert energy["total"] == pytest.approx(energy["kinetic"] + energy["potential"])
    assert abs(energy["total"]) < 1e-9 and energy["kinetic"] > 1.0
    assert data["constraint_violation"] == 0.0


def test_run_takes_step_method_and_parameters(ask: Ask) -> None:
    words = ("run", "pendulum", "--seconds", "1", "--set", "length=0.5")
    fine = ask(*words, "--step", "1e-4")
    assert fine["parameters"]["length"] == 0.5
    assert np.hypot(fine["outputs"]["bar.bob.x"], fine["outputs"]["bar.bob.y"]) == pytest.approx(
        0.5
    )
    rough = ask(*words, "--step", "1e-2", "--method", "euler")
    difference = abs(rough["q"]["angle"] - fine["q"]["angle"])
    assert 1e-6 < difference < 0.3


def test_run_outputs_agree_with_the_plant(ask: Ask) -> None:
    data = ask("run", "puma560", "--seconds", "0.4", "--set", "payload=1.5")
    plant = gallery.get("puma560").build().compile()
    q = [data["q"][name] for name in plant.coordinates]
    found = [data["outputs"][f"link_6.flange.{axis}"] for axis in "xyz"]
    assert found == pytest.approx(plant.position("link_6.flange", q), abs=1e-13)


def test_run_a_file(ask: Ask) -> None:
    data = ask("run", str(CRANE), "--seconds", "0.2")
    assert set(data["q"]) == {"pan", "lift", "extend", "tilt"}
    assert "camera.x" in data["outputs"]
    # friction near rest is sharp: its work is told less well than that of smooth laws
    assert data["energy"]["drift"] < 1e-6


FLOATER = """<robot name="floater"><link name="hull"><inertial><origin xyz="0.1 0 0"/>
<mass value="3"/><inertia ixx="0.1" iyy="0.2" izz="0.3"/></inertial></link></robot>"""


@pytest.mark.parametrize("clock", [["--headless"], ["--rate", "1000", "--clock", "scripted"]])
def test_run_a_robot_that_floats(ask: Ask, tmp_path: Path, clock: list[str]) -> None:
    file = tmp_path / "floater.urdf"
    file.write_text(FLOATER)
    data = ask("run", str(file), "--base", "free", *clock, "--seconds", "0.4")
    assert list(data["q"]) == [f"hull_{a}" for a in ("tx", "ty", "tz", "wx", "wy", "wz")]
    # it falls and does not turn
    assert data["q"]["hull_tz"] == pytest.approx(-0.5 * 9.81 * 0.4**2, rel=1e-9)
    assert data["outputs"]["hull.qw"] == pytest.approx(1.0)
    assert data["energy"]["total"] == pytest.approx(0.0, abs=1e-9)


def test_a_base_belongs_to_urdf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.py").write_text("import inloop as il\nm = il.Model('m')\n")
    for subject, told in (
        ("pendulum", "'pendulum' is not a file"),
        ("model.py", "is a Python file"),
    ):
        path = subject if subject == "pendulum" else str(tmp_path / subject)
        assert main(["describe", path, "--base", "free"]) != 0
        assert told in capsys.readouterr().err


def test_run_a_python_file(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "my_model.py"
    file.write_text(
        "import inloop as il\n"
        "m = il.Model('mine')\n"
        "m.body('cart', on=m.ground, joint=il.prismatic('z'), mass=2.0)\n"
        "if __name__ == '__main__':\n"
        "    raise SystemExit('a model file is not the main program')\n"
    )
    data = ask("run", str(file), "--seconds", "1")
    assert data["q"]["cart"] == pytest.approx(-9.81 / 2.0, rel=1e-9)


@pytest.mark.parametrize(
    ("folder", "end"),
    [
        ("a", "model = cart()"),
        ("b", "model = cart"),
        ("c", "plant = cart().compile(backend='python')"),
        ("d", "def plant():\n    return cart().compile()"),
        ("e", "one, only = 1, cart()"),
        ("f", "other = cart()\nmodel = cart()"),
    ],
)
def test_what_a_python_file_may_leave(ask: Ask, tmp_path: Path, folder: str, end: str) -> None:
    """It imports what lies beside it, as it does when Python runs it."""
    (tmp_path / f"cart_{folder}.py").write_text(
        "import inloop as il\n"
        "def cart():\n"
        "    m = il.Model('mine')\n"
        "    m.body('cart', on=m.ground, joint=il.prismatic('z'), mass=2.0)\n"
        "    return m\n"
    )
    file = tmp_path / "my_model.py"
    file.write_text(f"from cart_{folder} import cart\n{end}\n")
    before = list(sys.path)
    assert ask("describe", str(file))["coordinates"] == ["cart"]
    assert sys.path == before


def test_run_opens_no_page_and_says_nothing_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "pendulum", "--seconds", "0.1"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert "OK at t = 0.1 s" in shown.out


def test_without_words_a_short_guide(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    guide = capsys.readouterr().out
    commands = [line.split()[1] for line in guide.splitlines() if line.startswith("  inloop ")]
    assert commands == ["list", "studio", "run", "run", "run"]
    assert all(word in guide for word in ("piano", ".py", ".urdf", "--help"))


def test_run_saves_and_plots(ask: Ask, tmp_path: Path) -> None:
    names = {kind: str(tmp_path / f"run.{kind}") for kind in ("csv", "npz", "png")}
    ask("run", "double_pendulum", "--seconds", "0.5", "--save", names["csv"])
    words = ("--save", names["npz"], "--plot", names["png"])
    data = ask("run", "double_pendulum", "--seconds", "0.5", *words)
    table = np.genfromtxt(names["csv"], delimiter=",", names=True, deletechars="")
    arrays = np.load(names["npz"])
    assert table["upper.q"][-1] == arrays["upper.q"][-1] == data["q"]["upper"]
    assert Path(names["png"]).read_bytes().startswith(b"\x89PNG")


def test_a_long_run_keeps_a_bounded_number_of_states(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "long.npz"
    ask("run", "pendulum", "--seconds", "120", "--save", str(file))
    assert 9_000 < len(np.load(file)["t"]) <= 10_010


def test_check(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    data = ask("check", "puma560", "pendulum")
    assert all(item["ok"] for items in data.values() for item in items)
    assert main(["check", "puma560"]) == 0
    assert "gravity torques in q_n" in capsys.readouterr().out


def test_check_fails_when_a_figure_is_missed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(gallery.Comparison, "ok", False)
    assert main(["check", "puma560"]) == 1
    assert "MISSED" in capsys.readouterr().out


def test_bench_tells_the_way(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask("bench")["command"] == "make bench"
    assert main(["bench"]) == 0
    assert "make bench" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert il.__version__ in capsys.readouterr().out


def test_the_method_of_bodies_by_themselves_can_be_named(capsys: pytest.CaptureFixture) -> None:
    """A mechanism without them refuses it as `simulate` does, not as a word that is not known."""
    assert main(["run", "pendulum", "--method", "alpha", "--seconds", "0.1"]) == 2
    assert "method 'alpha' needs the redundant formulation" in capsys.readouterr().err
