"""Robots of files on the command line: where they start, held or free, and what is told of it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from inloop.cli import main
from inloop.cli.commands.studio_catalog import GalleryCatalog

# a rod on a horizontal axis, horizontal at 0; its weight turns it towards positive q
ROBOT = """<robot name="rod_robot">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.4 0 0"/><mass value="1.3"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="1.5" effort="9" velocity="3"/>
    <safety_controller k_velocity="2"/></joint>
</robot>"""


@pytest.fixture
def robot(tmp_path: Path) -> str:
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return str(path)


def end_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[float, str]:
    """q at the end, and what was said beside it."""
    assert main([*words, "--json"]) == 0
    said = capsys.readouterr()
    return json.loads(said.out)["q"]["hinge"], said.err


def test_a_simulation_is_free_and_says_so(robot: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["run", robot, "--headless", "--seconds", "0.2", "--q", "hinge=0.3"]
    q, said = end_of(words, capsys)
    assert q > 0.4  # from rest by about g / 0.4 m * cos(0.3) * t² / 2
    assert "note: the joints are free" in said and "--held" in said
    assert "note: 1 joints have elastic stops" in said
    assert "note: not read: <safety_controller>" in said
    q, said = end_of([*words, "--held"], capsys)
    assert q == pytest.approx(0.3, abs=1e-9)
    assert "'hold' = 0 releases them" in said and "are free" not in said


def test_what_runs_has_the_damping_of_its_file(
    robot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A damper far stronger than the weight: qd = m g a cos q / d, and hardly any way in 0.2 s."""
    damped = ROBOT.replace("<safety_controller", '<dynamics damping="800"/><safety_controller')
    Path(robot).write_text(damped)
    q, _ = end_of(["run", robot, "--headless", "--seconds", "0.2"], capsys)
    assert q == pytest.approx(1.3 * 9.81 * 0.4 / 800 * 0.2, rel=1e-2)


def test_real_time_is_held_unless_it_is_free(
    robot: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", robot, "--rate", "1000", "--clock", "scripted", "--seconds", "0.2"]
    words += ["--name", "starting_robot", "--q", "hinge=-0.4"]
    q, said = end_of(words, capsys)
    assert q == pytest.approx(-0.4, abs=1e-9) and "--free" in said
    for free in (["--free"], ["--set", "hold=0"]):
        assert end_of([*words, *free], capsys)[0] > -0.3


def test_the_studio_starts_the_same_robot(robot: str, capsys: pytest.CaptureFixture[str]) -> None:
    args = argparse.Namespace(mechanism=robot, set=[], base=None, q=["hinge=0.2"], held=False)
    choice = GalleryCatalog().subject(args)
    command = " ".join(choice.command)
    assert "--q hinge=0.2" in command and command.endswith("--free")
    assert any("<safety_controller>" in remark for remark in choice.stage.remarks)
    assert "note: not read: <safety_controller>" in capsys.readouterr().err
    args.held = None
    held = GalleryCatalog().subject(args)
    assert "--free" not in held.command and "--held" not in held.command
    assert "hold" in held.stage.docs


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--q", "hinge"], "is not a position"),
        (["--q", "hinge=fast"], "is not a position"),
        (["--q", "hnge=0.1"], "no coordinate 'hnge'"),
        (["--q", "hinge=1.6"], "outside its limits"),
    ],
)
def test_positions_that_make_no_sense_are_refused(
    robot: str, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", robot, "--headless", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--held", "--free", "--q=a=1"])
def test_the_gallery_has_its_own_start(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "pendulum", "--headless", word]) == 2
    assert "are only for files" in capsys.readouterr().err


def test_only_robots_are_held(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.py"
    path.write_text(
        "import inloop as il\nm = il.Model('own')\n"
        "m.body('rod', on=m.ground, joint=il.revolute('y'), mass=1.0, com=(0.3, 0.0, 0.0))\n"
    )
    assert main(["run", str(path), "--headless", "--held"]) == 2
    assert "only for URDF files" in capsys.readouterr().err
    words = ["run", str(path), "--headless", "--seconds", "0.001", "--q", "rod=0.7", "--json"]
    assert main(words) == 0
    # in so short a time it falls by g / 0.3 m * t² / 2 at most
    assert json.loads(capsys.readouterr().out)["q"]["rod"] == pytest.approx(0.7, abs=2e-5)


def test_a_recording_of_a_robot_is_replayed(robot: str, tmp_path: Path) -> None:
    recording = str(tmp_path / "robot.mcap")
    words = ["--rate", "1000", "--clock", "scripted", "--seconds", "0.05"]
    start = ["--q", "hinge=0.3"]
    record = ["run", robot, *words, *start, "--name", "replayed_robot", "--record", recording]
    assert main(record) == 0
    assert main(["replay", recording, robot, *start]) == 0


def test_nothing_is_said_of_joints_that_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kite.urdf"
    path.write_text(
        '<robot name="kite"><link name="frame"><inertial><mass value="0.3"/>'
        '<inertia ixx="0.01" iyy="0.02" izz="0.03"/></inertial></link></robot>'
    )
    words = ["run", str(path), "--base", "free", "--headless", "--seconds", "0.01"]
    for held in ([], ["--held"]):
        assert main([*words, *held]) == 0
        said = capsys.readouterr().err
        assert "held" not in said and "are free" not in said
