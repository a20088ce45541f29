"""Simplified piano actions: models A and B of Gillespie and Cutkosky, key driven by a hand.

A key turns about P1, a hammer about P2 above it. The hammer rests on the key, is thrown, flies,
strikes the string, is caught. In model A the key is rigid and moves with the hand, so that the
hammer on it has no degree of freedom (sub-model A1); in flight it is a pendulum (A2). In model B
there are springs between hand and key (k1) and between key and hammer (k2): sub-models B1 and B2.

The source gives L1 = 4, L2 = 10, L3 = 1, L4 = 0.5 "m", M1 = 6.5, M2 = 0.01 kg, k1 = 620 and k2 = 15
N/m, and its drawings do not show which length is which. Here lengths are in inches, which fits the
3 inches of travel and 45 degrees of its device:

    L1  P1 to the point S on the key that carries the hammer
    L2  P2 to the center of mass of the hammer
    L3  P1 to P2, straight up
    L4  P1 to the center of mass of the key

The inertias of key and hammer are those of slender rods of lengths 2 L1 and 2 L2; k1 acts at S.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import inloop as il
from inloop.gallery import gravity_along

INCH = 0.0254  # [m]
SOURCE = "Gillespie and Cutkosky, Interactive dynamics with haptic display, Table 2"
STRING = 0.45  # angle of the hammer at which it meets the string [rad]
# initial positions of model B [rad, m]: the first is its equilibrium with the data of the source;
# the springs have no damping, so that it oscillates forever from any other position
REST_OF_B = {"key": -0.12859385834, "pad": -0.012486667825, "hammer": -0.473544148239}
LET_GO = {"key": 0.0, "pad": 0.0, "hammer": -0.2}


def simple_action(springs: bool = True, at_rest: bool = True) -> il.Model:
    """Key and hammer in the x-z plane, z up; angles are measured upward from the horizontal.

    Args:
        springs: True for model B, False for model A.
        at_rest: model B starts at rest; otherwise its key is released from the horizontal.
    """
    m = il.Model(
        "simple_action",
        gravity=gravity_along("-z"),
        doc="Simplified piano action, model " + ("B, with springs." if springs else "A, rigid."),
    )
    p = _Parameters(m)
    if springs:
        _add_soft(m, p, REST_OF_B if at_rest else LET_GO)
    else:
        _add_rigid(m, p)
    return m


class _Parameters:
    """Data of the source as parameters of a model."""

    def __init__(self, m: il.Model) -> None:
        def length(name: str, inches: float, doc: str) -> Any:
            size, doc = inches * INCH, f"{doc} ({inches:g} in)"
            return m.parameter(name, size, unit="m", range=(0.5 * size, 2.0 * size), doc=doc)

        self.L1 = length("L1", 4.0, "P1 to S on the key")
        self.L2 = length("L2", 10.0, "P2 to the center of mass of the hammer")
        self.L3 = length("L3", 1.0, "P1 to P2, straight up")
        self.L4 = length("L4", 0.5, "P1 to the center of mass of the key")
        self.M1 = m.parameter("M1", 6.5, unit="kg", range=(0.1, 10.0), doc="mass of the key")
        self.M2 = m.parameter("M2", 0.01, unit="kg", range=(0.001, 0.1), doc="mass of the hammer")
        self.string = m.parameter("string", STRING, unit="rad", range=(0.1, 1.2),
                                  doc="angle of the hammer at the string")  # fmt: skip
        self.e = m.parameter("e", 1.0, unit="1", range=(0.0, 1.0), doc="restitution of the string")


def _rod(mass: Any, length: Any) -> tuple[Any, Any, Any]:
    across = mass * length**2 / 12.0
    return (0.0, across, across)


def _add_key(m: il.Model, p: _Parameters, angle: float = 0.0) -> Any:
    return m.body(
        "key",
        on=m.ground.point("P1", (0.0, 0.0, 0.0)),
        joint=il.revolute("-y", initial=(angle, 0.0)),
        mass=p.M1,
        com=(p.L4, 0.0, 0.0),
        inertia=_rod(p.M1, 2.0 * p.L1),
    )


def _add_hammer(m: il.Model, p: _Parameters, angle: float = -0.2) -> Any:
    # q is positive upward: about -y
    return m.body(
        "hammer",
        on=m.ground.point("P2", (0.0, 0.0, p.L3)),
        joint=il.revolute("-y", guess=angle),
        mass=p.M2,
        com=(p.L2, 0.0, 0.0),
        inertia=_rod(p.M2, 2.0 * p.L2),
    )


def gap(p: Any, hammer: Any, key: Any, lift: Any = 0.0) -> Any:
    """Distance of S, lifted off the key by `lift`, below the line of the hammer [m].

    S = L1 (cos k, sin k) + lift (-sin k, cos k), and the hammer's line passes through (0, L3) at
    angle h: n · (P2 - S) with n = (-sin h, cos h).
    """
    turn = hammer - key
    return p.L3 * il.cos(hammer) + p.L1 * il.sin(turn) - lift * il.cos(turn)


def _turn_back(stiffness: Any, R: Any) -> Any:
    """No force, and a torque about y that turns the key back to the hand [N, N·m].

    The key is turned relative to the hand by an angle about -y: R = Ry(-angle).
    """
    angle = il.atan2(R[2][0], R[0][0])
    return (0.0, 0.0, 0.0), (0.0, stiffness * angle, 0.0)


def _add_rigid(m: il.Model, p: _Parameters) -> None:
    """Model A: the key moves with the hand."""
    key = _add_key(m, p)
    hammer = _add_hammer(m, p)
    m.drive(key)
    coupled, flight = m.mode("A1", doc="hammer on key"), m.mode("A2", doc="hammer in flight")
    struck = m.mode("struck", doc="hammer in the grip of the string")
    with m.during(coupled):
        m.constraint("S", lambda q: gap(p, q["hammer"], q["key"]))
    with m.during(struck):
        m.lock(hammer, name="string_contact")
    m.event("release", lambda force: force["S"], mode=coupled, to=flight, tolerance=1e-6)
    m.event("catch", lambda q: gap(p, q["hammer"], q["key"]), mode=flight, to=coupled)
    _add_string(m, p, flight, struck)


def _add_soft(m: il.Model, p: _Parameters, start: Mapping[str, float]) -> None:
    """Model B: springs between hand and key, and between key and hammer."""
    k1 = m.parameter("k1", 620.0, unit="N/m", range=(1.0, 5000.0), doc="hand to key, at S")
    k2 = m.parameter("k2", 15.0, unit="N/m", range=(1.0, 500.0), doc="key to hammer")
    # the key has its own angle: only the position of the hand acts on it, through k1
    hand = m.body("hand", on=m.ground.point("M", (0.0, 0.0, 0.0)), joint=il.revolute("-y"))
    key = _add_key(m, p, start["key"])
    pad = m.body(
        "pad",
        on=key.point("S", (p.L1, 0.0, 0.0)),
        joint=il.prismatic("z", initial=(start["pad"], 0.0)),
    )
    hammer = _add_hammer(m, p, start["hammer"])
    m.drive(hand)
    m.frame_force(hand, key, lambda R: _turn_back(k1 * p.L1**2, R), name="k1_spring")
    coupled, flight = m.mode("B1", doc="hammer on key"), m.mode("B2", doc="hammer in flight")
    struck = m.mode("struck", doc="hammer in the grip of the string")
    with m.during(coupled):
        m.constraint("contact", lambda q: gap(p, q["hammer"], q["key"], lift=q["pad"]))
        m.torsion_spring(pad, k2, name="k2_spring")
    with m.during(flight, struck):
        m.lock(pad, name="pad_rest")
    with m.during(struck):
        m.lock(hammer, name="string_contact")
    m.event("release", lambda q: -k2 * q["pad"], mode=coupled, to=flight,
            then=lambda: {"pad.q": 0.0, "pad.qd": 0.0}, tolerance=1e-9)  # fmt: skip
    m.event("catch", lambda q: gap(p, q["hammer"], q["key"]), mode=flight, to=coupled)
    _add_string(m, p, flight, struck)


def _add_string(m: il.Model, p: _Parameters, flight: str, struck: str) -> None:
    m.event("string", lambda q: p.string - q["hammer"], mode=flight, impact=struck,
            restitution=p.e)  # fmt: skip
