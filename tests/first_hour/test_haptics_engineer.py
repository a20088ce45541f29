"""An hour of a haptics engineer: how stiff may my device be, and how does my key feel?"""

from __future__ import annotations

import json
import math

import pytest
from desk import Desk

MASS, STIFFNESS, DAMPING, PRESSED = 0.12, 300.0, 1.7, 4e-3

FILES = {
    # a key of my own: a mass on a spring and a damper, let go at 4 mm
    "key.py": f"""
import inloop as il

model = il.Model("key", gravity=(0, 0, 0))
k = model.parameter("k", {STIFFNESS}, unit="N/m", range=(0, 2000))
way = il.prismatic("z", initial=({PRESSED}, 0.0))
key = model.body("key", on=model.ground, joint=way, mass={MASS})
model.joint_force(key, lambda q, qd: -k * q - {DAMPING} * qd)
""",
    # how stiff a wall my motor and encoder can show
    "how_stiff.py": """
import json
from inloop.devices import Encoder, Rig, StiffnessRange

rig = Rig(mass=0.2, damping=0.8, period=5e-4, sensor=lambda: Encoder(1e-5))
found = StiffnessRange.of(rig)
print(json.dumps({"passive": found.passive, "stable": found.stable}))
""",
    "look.py": """
import json
import inloop as il

result = il.read("touch.mcap")
result.plot("key.q", file="touch.png")
print(json.dumps({"t": list(result.t), "q": list(result["key.q"]), "gaps": len(result.gaps)}))
""",
}
COMMANDS = (
    "inloop list",
    "python how_stiff.py",
    "inloop run key.py --rate 1000 --seconds 0.2 --record touch.mcap",
    "inloop replay touch.mcap key.py",
    "python look.py",
)


def exact(t: float) -> float:
    """The damped oscillation of a mass on a spring."""
    decay = DAMPING / (2.0 * MASS)
    omega = math.sqrt(STIFFNESS / MASS - decay**2)
    return (
        PRESSED * math.exp(-decay * t) * (math.cos(omega * t) + decay / omega * math.sin(omega * t))
    )


@pytest.mark.long
def test_the_hour(desk: Desk) -> None:
    told = dict(zip(COMMANDS, map(desk.types, COMMANDS), strict=True))
    assert "simple_action" in told["inloop list"]
    # Colgate and Schenkel: b > K T/2
    stiff = json.loads(told["python how_stiff.py"])
    assert stiff["passive"] == pytest.approx(2.0 * 0.8 * 2000.0, rel=1e-9)
    assert stiff["stable"] >= 0.99 * stiff["passive"]
    assert "200 steps repeated, 0 with different bits" in told["inloop replay touch.mcap key.py"]
    seen = json.loads(told["python look.py"])
    assert seen["gaps"] == 0 and len(seen["t"]) >= 200
    assert seen["q"] == pytest.approx([exact(t) for t in seen["t"]], abs=1e-9)
    assert (desk.folder / "touch.png").read_bytes().startswith(b"\x89PNG")
