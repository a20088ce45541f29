"""Type checkers see every joint and every sensor that is found at run time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import inloop as il
from inloop.joints.kinds import WRITTEN as JOINTS
from inloop.model.sensors.kinds import WRITTEN as SENSORS
from inloop.model.written_stubs import STUBS, stub

USER = """
import inloop as il

m = il.Model("press")
nut = m.body("nut", on=m.ground, joint=il.screw("z", 0.002), mass=1.0)
m.sensor("turns", il.sensors.encoder(nut))
m.couple({"nut": 1.0, "other": -2.0})
m.couple({nut: 1.0}, offset=None)
reveal_type(il.screw("z", 0.002))
il.screw("z", pich=0.002)
m.gear("nut", nut)
il.no_such_joint("z")
"""


@pytest.mark.parametrize("target", STUBS, ids=lambda path: path.parent.name)
def test_stubs_are_those_of_the_kinds(target: Path) -> None:
    assert target.read_text(encoding="utf-8") == stub(STUBS[target]), "run make format"


def test_all_of_them_are_written_as_il() -> None:
    assert all(getattr(il, name) is function for name, function in JOINTS.items())
    assert all(getattr(il.sensors, name) is function for name, function in SENSORS.items())
    assert set(JOINTS) <= set(il.__all__) and set(SENSORS) <= set(il.sensors.__all__)
    assert len(set(il.__all__)) == len(il.__all__)


def test_mypy_knows_what_a_user_writes(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(USER)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "user.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = [line.partition(":")[2] for line in done.stdout.splitlines() if "user.py" in line]
    assert [line.partition("[")[2] for line in told if "error" in line] == [
        "call-arg]", "call-arg]", "attr-defined]",
    ], done.stdout + done.stderr  # fmt: skip
    assert any('Revealed type is "inloop.joints.spec.JointSpec"' in line for line in told)
