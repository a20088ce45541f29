"""Type checkers see every joint and every sensor that is found at run time."""

from __future__ import annotations

from pathlib import Path

import pytest

import inloop as il
from inloop.joints.kinds import WRITTEN as JOINTS
from inloop.model.sensors.kinds import WRITTEN as SENSORS
from inloop.model.written_stubs import STUBS, stub


@pytest.mark.parametrize("target", STUBS, ids=lambda path: path.parent.name)
def test_stubs_are_those_of_the_kinds(target: Path) -> None:
    assert target.read_text(encoding="utf-8") == stub(STUBS[target]), "run make format"


def test_all_of_them_are_written_as_il() -> None:
    assert all(getattr(il, name) is function for name, function in JOINTS.items())
    assert all(getattr(il.sensors, name) is function for name, function in SENSORS.items())
    assert set(JOINTS) <= set(il.__all__) and set(SENSORS) <= set(il.sensors.__all__)
    assert len(set(il.__all__)) == len(il.__all__)
