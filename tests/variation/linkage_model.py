"""Mechanisms with all that derivatives have to pass through."""

from __future__ import annotations

import inloop as il

LIVE = ["crank.mass", "rocker.com.z", "crank.B.x", "coupler.C.x"]


def linkage() -> il.Plant:
    """A loop with live sizes, a bent spring, an input, and friction with a state."""
    return _linkage().compile(live=LIVE)


def striking_linkage() -> il.Plant:
    """The same whose rocker strikes a stop, then is caught and let go; friction starts anew."""
    m = _linkage()
    e = m.parameter("e", 0.6)
    stop = m.parameter("stop", -0.28)
    free, late, held = m.mode("free"), m.mode("late"), m.mode("held")
    with m.during(held):
        m.lock("rocker", name="wall")
    for mode in (free, late):
        m.event(f"strike_{mode}", lambda q: q["rocker"] - stop, mode=mode, impact=held,
                restitution=e)  # fmt: skip
    m.event("catch", lambda q: q["crank"] - 0.31, mode=free, to=held)
    m.event("let_go", lambda t: 0.155 - t, mode=held, to=late,
            then=lambda z: {"friction.z": 0.5 * z["friction.z"]})  # fmt: skip
    return m.compile(live=LIVE)


def _linkage() -> il.Model:
    m = il.Model("linkage", gravity=(0.3, 0.0, -9.81))
    k = m.parameter("k", 70.0)
    ground = m.ground.point("A", (0.1, 0.0, 0.2))
    crank = m.body(
        "crank", on=ground, joint=il.revolute("y", initial=(0.4, 2.0)),
        mass=1.3, com=(0.21, 0.0, 0.02), inertia=(0.02, 0.05, 0.04),
    )  # fmt: skip
    coupler = m.body(
        "coupler", on=crank.point("B", (0.45, 0.0, 0.0)), joint=il.revolute("y", guess=-1.4),
        mass=0.7, com=(0.3, 0.0, 0.0), inertia=(0.01, 0.03, 0.02),
    )  # fmt: skip
    rocker = m.body(
        "rocker", on=m.ground.point("D", (1.0, 0.0, 0.1)), joint=il.revolute("y", guess=-0.2),
        mass=0.9, com=(0.0, 0.0, 0.33), inertia=(0.03, 0.04, 0.02),
    )  # fmt: skip
    m.close(coupler.point("C", (0.75, 0.0, 0.0)), rocker.point("E", (0.0, 0.0, 0.6)), name="pin")
    motor = m.input("motor", unit="N*m")
    m.joint_force(
        "crank", lambda q, qd: motor - k * il.tanh(q - 0.2) - 0.3 * qd * abs(qd), "spring"
    )
    m.lugre("rocker", stiffness=300.0, damping=2.0, coulomb=0.8, static=1.1, stribeck=0.05,
            name="friction")  # fmt: skip
    return m


def ball_jointed() -> il.Plant:
    """A body that turns freely on a slide: part of its state is a quaternion."""
    m = il.Model("top", gravity=(0.0, 0.4, -9.81))
    slide = m.body("slide", on=m.ground, joint=il.prismatic("x", initial=(0.1, 0.3)), mass=2.0)
    m.body(
        "top", on=slide, joint=il.ball(), mass=1.1, com=(0.02, 0.01, 0.3),
        inertia=(0.05, 0.06, 0.02),
    )  # fmt: skip
    m.joint_force("slide", lambda q, qd: -90.0 * q - 4.0 * qd, "spring")
    return m.compile(live=["slide.mass", "top.com.z"])
