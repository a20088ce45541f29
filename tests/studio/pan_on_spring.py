"""A pan on a spring, pressed by a hand, how it looks, and where it comes to rest."""

from __future__ import annotations

import inloop as il

MASS, GRAVITY, STIFFNESS, DAMPING = 1.3, 9.81, 90.0, 15.0
AXIS, HIGHEST = 0.15, 12.0  # pressing so far [m] is so much [N]


def pan() -> il.Model:
    m = il.Model("pan", gravity=(0.0, 0.0, -GRAVITY))
    m.body(
        "pan", on=m.ground, joint=il.prismatic("z", name="z"), mass=MASS, inertia=(0.1, 0.2, 0.3)
    )
    k = m.parameter("stiffness", STIFFNESS, unit="N/m", range=(20.0, 400.0))
    d = m.parameter("damping", DAMPING, unit="N*s/m", range=(0.0, 60.0))
    push = m.input("push", unit="N")
    m.joint_force("pan", lambda q, qd, t: -k * q - d * qd - push)
    return m


DEVICE = {
    "input": "push", "low": 0.0, "high": HIGHEST, "rest": 0.0, "body": "pan",
    "point": (0.1, 0.0, 0.0), "axis": (0.0, 0.0, -AXIS), "hint": "Press the pan.",
    "keys": {"KeyA": 7.5}, "midi": True,
}  # fmt: skip
LOOKS = {
    "pan": (il.visual(il.box((0.3, 0.1, 0.03))),),
    "ground": (il.visual(il.box((0.5, 0.1, 0.02)), (0.0, 0.0, -0.45)),),
}


def rest(push: float = 0.0, stiffness: float = STIFFNESS) -> float:
    """Where the pan comes to rest [m]."""
    return -(MASS * GRAVITY + push) / stiffness
