"""An hour of a ROBOTRAN user: my .mbs file, my laws, equations as C, the numbers that I know."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from desk import Desk

ARM, ROD, RATE = 0.2, 0.5, 3.0

FILES = {
    # a crank whose rod moves a slider, as MBsysPad writes it
    "engine.mbs": f"""<?xml version="1.0" encoding="UTF-8"?>
<mbsDescR7>
  <mbsname>engine</mbsname>
  <base><gravity><coordinates><x>0</x><y>0</y><z>0</z></coordinates></gravity></base>
  <bodytree>
    <body>
      <bodyname>arm</bodyname>
      <parent><bodyname>base</bodyname><pointname>origin</pointname></parent>
      <joint><jointname>crank</jointname><type>R3</type><nature>driven</nature>
        <initialvalue><q>0.4</q></initialvalue></joint>
      <mass>0.3</mass><inertia><Izz>0.01</Izz></inertia>
      <point><pointname>pin</pointname><coordinates><x>{ARM}</x></coordinates></point>
    </body>
    <body>
      <bodyname>rod</bodyname>
      <parent><bodyname>arm</bodyname><pointname>pin</pointname></parent>
      <joint><jointname>knee</jointname><type>R3</type><nature>dependent</nature>
        <initialvalue><q>-0.55</q></initialvalue></joint>
      <mass>1e-9</mass>
      <point><pointname>end</pointname><coordinates><x>{ROD}</x></coordinates></point>
    </body>
    <body>
      <bodyname>piston</bodyname>
      <parent><bodyname>base</bodyname><pointname>origin</pointname></parent>
      <joint><jointname>stroke</jointname><type>T1</type><nature>dependent</nature>
        <initialvalue><q>0.67</q></initialvalue></joint>
      <mass>0.7</mass>
      <point><pointname>eye</pointname></point>
    </body>
  </bodytree>
  <cuts>
    <ball><name>eye</name>
      <endpoint1><bodyname>rod</bodyname><pointname>end</pointname></endpoint1>
      <endpoint2><bodyname>piston</bodyname><pointname>eye</pointname></endpoint2></ball>
  </cuts>
</mbsDescR7>
""",
    "engine.py": f"""
import json
import inloop as il

model = il.load("engine.mbs")
model.joint_force("stroke", lambda qd: -40.0 * qd, name="gas")    # user_JointForces
plant = model.compile()
run = plant.simulate(t_end=1.0, step=1e-3, crank=lambda t: 0.4 + {RATE} * t)    # user_DrivenJoints
print(json.dumps({{"crank": list(run["crank.q"]), "stroke": list(run["stroke.q"]),
                  "effort": list(run["crank.effort"]), "closed": plant.formulation.independent}}))
""",
}
COMMANDS = (
    "inloop describe engine.mbs",
    "inloop derive engine.mbs",
    "inloop export engine.mbs --out engine_in_c",
    "python engine.py",
)


def stroke(angle: np.ndarray) -> np.ndarray:
    return ARM * np.cos(angle) + np.sqrt(ROD**2 - (ARM * np.sin(angle)) ** 2)


def slope(angle: np.ndarray, h: float = 1e-5) -> np.ndarray:
    return (stroke(angle + h) - stroke(angle - h)) / (2.0 * h)


def bend(angle: np.ndarray, h: float = 1e-4) -> np.ndarray:
    return (stroke(angle + h) - 2.0 * stroke(angle) + stroke(angle - h)) / h**2


@pytest.mark.long
def test_the_hour(desk: Desk) -> None:
    described, derived, exported, run = map(desk.types, COMMANDS)
    assert "crank" in described and "eye" in described and "Newton" in derived
    written = {path.name for path in (desk.folder / "engine_in_c").rglob("*")}
    assert {"Makefile", "README.md", "il_plant.h"} <= written and "engine_in_c" in exported
    told = json.loads(run)
    angle = np.array(told["crank"])
    np.testing.assert_allclose(angle[[0, -1]], [0.4, 0.4 + RATE], atol=1e-12)
    np.testing.assert_allclose(told["stroke"], stroke(angle), atol=1e-9)
    # virtual power: effort = x' (m x'' ω² + c x' ω), where the rod weighs nothing
    expected = slope(angle) * (0.7 * bend(angle) * RATE**2 + 40.0 * slope(angle) * RATE)
    np.testing.assert_allclose(told["effort"], expected, atol=1e-5)
    assert told["closed"] == [] and max(map(abs, told["effort"])) > 1.0
    assert math.isclose(float(expected[0]), told["effort"][0], abs_tol=1e-5)
