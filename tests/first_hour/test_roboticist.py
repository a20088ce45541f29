"""An hour of a roboticist: my URDF, its torques, where it starts, and the robot in the browser."""

from __future__ import annotations

import csv
import json
import math
import subprocess
from typing import Any

import numpy as np
import pytest
from desk import Desk
from playwright.sync_api import Browser

UPPER, LOWER = (1.9, 0.35, 0.31), (0.8, 0.27, 0.14)  # mass [kg], length, center [m]
GRAVITY = 9.81


def link(name: str, mass: float, center: float) -> str:
    return f"""<link name="{name}"><inertial><origin xyz="{center} 0 0"/><mass value="{mass}"/>
    <inertia ixx="0.001" iyy="0.01" izz="0.01"/></inertial></link>"""


def joint(name: str, parent: str, child: str, at: float) -> str:
    return f"""<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
    <origin xyz="{at} 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.5" effort="40" velocity="6"/></joint>"""


FILES = {
    "arm.urdf": f"""<robot name="arm"><link name="base"/>
  {link("upper", UPPER[0], UPPER[2])}
  {link("lower", LOWER[0], LOWER[2])}
  {joint("shoulder", "base", "upper", 0.0)}
  {joint("elbow", "upper", "lower", UPPER[1])}
</robot>""",
    "torques.py": """
import json
import inloop as il

plant = il.load("arm.urdf").compile()
q = [0.3, -0.5]
weight = plant.inverse_dynamics(q, [0, 0], [0, 0])
mass = plant.mass_matrix(q)
print(json.dumps({"coordinates": plant.coordinates, "weight": list(weight), "M": mass.tolist()}))
""",
    "let_go.py": """
import inloop as il

with il.attach("first-hour-arm") as box:
    box.clock.advance(0.2)
    held = box.peek()["shoulder.q"]
    box.parameters["hold"] = 0
    box.clock.advance(0.2)
    print(held, box.peek()["shoulder.q"])
""",
}
COMMANDS = (
    "inloop run arm.urdf --q shoulder=0.3 --q elbow=-0.5 --held --seconds 0.2 --save held.csv",
    "python torques.py",
)
STUDIO = (
    "inloop studio arm.urdf --q shoulder=0.3 --name first-hour-arm --clock held --port 0 "
    "--no-browser --json"
)
LATER = ("python let_go.py",)


def weight_torques(q: list[float]) -> list[float]:
    """What carries the arm: about y a positive angle lowers it."""
    (m1, l1, c1), (m2, _, c2) = UPPER, LOWER
    lower = -m2 * GRAVITY * c2 * math.cos(q[0] + q[1])
    upper = -(m1 * c1 + m2 * l1) * GRAVITY * math.cos(q[0])
    return [upper + lower, lower]


def test_the_robot_stays_and_weighs_what_it_should(desk: Desk) -> None:
    run, torques = map(desk.types, COMMANDS)
    assert "OK at t = 0.2 s" in run
    with (desk.folder / "held.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert float(rows[-1]["shoulder.q"]) == pytest.approx(0.3, abs=1e-9)
    assert float(rows[-1]["elbow.q"]) == pytest.approx(-0.5, abs=1e-9)
    told = json.loads(torques)
    assert told["coordinates"] == ["shoulder", "elbow"]
    np.testing.assert_allclose(told["weight"], weight_torques([0.3, -0.5]), rtol=1e-12)
    # the last link alone turns about the elbow
    assert told["M"][1][1] == pytest.approx(0.01 + LOWER[0] * LOWER[2] ** 2, rel=1e-12)


def started(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What the studio says when it is ready."""
    text = ""
    assert process.stdout is not None
    for line in process.stdout:
        text += line
        if line.startswith("}"):
            break
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


@pytest.mark.long
def test_the_robot_in_the_browser(desk: Desk, browser: Browser) -> None:
    with desk.starts(STUDIO) as process:
        page = browser.new_page()
        mistakes: list[str] = []
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        page.goto(started(process)["address"])
        page.wait_for_function("() => window.inloop?.view.motion.frames.length > 0", timeout=120e3)
        assert "arm" in page.title() or "arm" in page.inner_text("body")
        held, fallen = map(float, desk.types(LATER[0]).split())
        page.close()
    assert held == pytest.approx(0.3, abs=1e-9)  # until somebody lets it go
    assert fallen > 0.4
    assert not mistakes
