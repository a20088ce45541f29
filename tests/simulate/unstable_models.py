"""Mechanisms that fixed explicit steps easily get wrong, with what is known about them."""

from __future__ import annotations

import inloop as il

BALL, FALL = 0.1, 1.0  # radius of the ball, height of its lowest point [m]


def ball(law: object, mass: float = 1.0) -> il.Plant:
    """A ball that falls on a plane."""
    m = il.Model("falling_ball")
    body = m.body(
        "ball", on=m.ground, joint=il.prismatic("z", initial=(FALL + BALL, 0.0)), mass=mass
    )
    m.contact(m.ground, il.plane(), body, il.sphere(BALL), law=law, name="floor")
    return m.compile()


def oscillator(
    stiffness: float, damping: float = 0.0, *, mass: float = 2.0, stretched: float = 0.3
) -> il.Plant:
    """A mass on a spring and a damper, without gravity."""
    m = il.Model("sprung_mass", gravity=(0, 0, 0))
    start = (1.0 + stretched, 0.0)
    body = m.body("mass", on=m.ground, joint=il.prismatic("x", initial=start), mass=mass)
    m.spring(m.ground, body, stiffness, damping, free_length=1.0, name="coil")
    return m.compile()


def top() -> il.Plant:
    """A heavy top in three revolutes: the first and the last are in line at nutation 0."""
    m = il.Model("heavy_top")
    first = m.body("precession", on=m.ground, joint=il.revolute("z"))
    second = m.body("nutation", on=first, joint=il.revolute("x"))
    m.body(
        "spin",
        on=second,
        joint=il.revolute("z"),
        mass=1.5,
        com=(0, 0, 0.3),
        inertia=(0.02, 0.02, 0.03),
    )
    return m.compile()
