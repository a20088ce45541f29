"""The model: a hand on a hoist, two fingers, a ball on a table."""

from __future__ import annotations

from typing import Any

import inloop as il
from inloop.gallery import gravity_along

RADIUS, MASS, G = 0.04, 0.5, 9.81  # of the ball [m, kg, m/s²]
FRICTION = 0.4
HAND_MASS, FINGER_MASS = 1.2, 0.15  # [kg]
GRIP = 14.0  # of each finger [N]
OPEN = 0.012  # initial gap between pad and ball [m]
HOLDING, HOIST = 60.0, 28.0  # damping of a finger [N·s/m], natural frequency of the hoist [1/s]
REACH = 0.012  # limit of the position error [m], which limits the speed to 0.17 m/s
SIDES = {"left": -1.0, "right": 1.0}


def gripper() -> il.Model:
    """A hand on a hoist with two fingers that close on a ball, which lies on a table.

    Inputs: "lift" [m] is the set-point of the hoist, "squeeze" [N] is added to each finger's grip.
    """
    m = il.Model("gripper", gravity=gravity_along("-z"), doc="Gripper that lifts by friction.")
    mu = m.parameter("mu", FRICTION, unit="1", range=(0.0, 1.5), doc="friction of the pads")
    grip = m.parameter("grip", GRIP, unit="N", range=(0.0, 60.0), doc="force of each finger")
    lift = m.input("lift", "m", "set-point of the hoist")
    squeeze = m.input("squeeze", "N", "force of each finger in addition to the grip")
    hand = m.body("hand", on=m.ground, joint=il.prismatic("z"), mass=HAND_MASS)
    # a servo that carries the hand, yields by 4 mm under the ball, and has a limited speed
    carried = HAND_MASS + 2.0 * FINGER_MASS
    m.joint_force(
        hand,
        lambda q, qd: carried * (HOIST**2 * _limited(lift - q, REACH) - 2.0 * HOIST * qd + G),
        name="hoist",
    )
    ball = m.body(
        "ball",
        on=m.ground,
        joint=il.free(position=(0.0, 0.0, RADIUS - 1e-9)),
        mass=MASS,
        inertia=(0.4 * MASS * RADIUS**2,) * 3,
    )
    tread = il.sphere(RADIUS)
    m.contact(m.ground, il.plane(), ball, tread, law=il.hard(friction=0.5), name="table")
    for side, way in SIDES.items():
        out = (way, 0.0, 0.0)
        at = hand.point(side, (way * (RADIUS + OPEN), 0.0, RADIUS))
        # positive is open, limited by the width of the hand
        joint = il.prismatic(out, limits=(-2.0 * OPEN, 0.04), initial=(0.0, 0.0))
        finger = m.body(side, on=at, joint=joint, mass=FINGER_MASS)
        m.hard_stop(finger, 0.0, name=f"{side}_end")
        m.joint_force(finger, lambda q, qd: -(grip + squeeze) - HOLDING * qd, name=f"{side}_motor")
        # the outside of the pad faces the ball
        pad = finger.frame("pad", rotation=_towards(-way))
        m.contact(pad, il.plane(), ball, tread, law=il.hard(friction=mu), name=f"{side}_pad")
    return m


def _limited(x: Any, most: float) -> Any:
    return il.maximum(-most, il.minimum(x, most))


def _towards(way: float) -> tuple[tuple[float, ...], ...]:
    """Rotation whose z axis is along ±x of the finger."""
    return ((0.0, 0.0, way), (0.0, 1.0, 0.0), (-way, 0.0, 0.0))
