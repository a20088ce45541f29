"""Mechanisms with hard contacts whose motion is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import inloop as il
from inloop.model import Hard

G = 9.81


def ball(restitution: float, friction: float, start: tuple[float, float]) -> il.Model:
    """A point mass of 1 kg in the plane x, z: height and horizontal velocity at the start."""
    height, speed = start
    m = il.Model("ball")
    slide = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(0.0, speed)))
    mass = m.body("z", on=slide, joint=il.prismatic("z", initial=(height, 0.0)), mass=1.0)
    law = il.hard(restitution, friction)
    m.contact(m.ground, il.plane(), mass, il.point(), law=law, name="floor")
    return m


def block(
    size: tuple[float, float],
    mass: float,
    law: tuple[float, float],
    q: Sequence[float],
    qd: Sequence[float] = (0.0, 0.0, 0.0),
    incline: float = 0.0,
    order: Sequence[int] = (0, 1, 2, 3),
) -> il.Model:
    """A rectangle in the plane x, z that touches a plane with its corners.

    Args:
        size: width and height [m].
        mass: [kg].
        law: restitution and friction.
        q: x, z of its center [m], angle [rad].
        qd: their rates.
        incline: of the plane, downhill along x [rad].
        order: in which the contacts of the corners are declared.
    """
    width, height = size
    m = il.Model("block", gravity=(G * np.sin(incline), 0.0, -G * np.cos(incline)))
    x = m.body("x", on=m.ground, joint=il.prismatic("x", initial=(q[0], qd[0])))
    z = m.body("z", on=x, joint=il.prismatic("z", initial=(q[1], qd[1])))
    inertia = mass * (width**2 + height**2) / 12.0
    turn = il.revolute((0.0, -1.0, 0.0), initial=(q[2], qd[2]))
    body = m.body("block", on=z, joint=turn, mass=mass, inertia=(inertia,) * 3)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    for k in order:
        at = 0.5 * width * corners[k][0], 0.0, 0.5 * height * corners[k][1]
        corner = body.point(f"corner_{k}", at)
        m.contact(m.ground, il.plane(), corner, il.point(), law=il.hard(*law), name=f"touch_{k}")
    return m


def box(sides: tuple[float, float, float], mass: float, law: tuple[float, float]) -> il.Model:
    """A box in space that touches the ground with its eight corners."""
    m = il.Model("box")
    square = np.array(sides) ** 2
    inertia = tuple(mass / 12.0 * (square.sum() - square))
    body = m.body("box", on=m.ground, joint=il.free(), mass=mass, inertia=inertia)
    for k in range(8):
        signs = [1.0 if k >> axis & 1 else -1.0 for axis in range(3)]
        at = tuple(0.5 * s * side for s, side in zip(signs, sides, strict=True))
        corner = body.point(f"corner_{k}", at)
        m.contact(m.ground, il.plane(), corner, il.point(), law=il.hard(*law), name=f"touch_{k}")
    return m


def stack(masses: Sequence[float], friction: Sequence[float], pulled: float = 0.0) -> il.Model:
    """Boxes of 0.2 × 0.1 m on each other in the plane x, z; the lowest one moves first.

    Args:
        masses: from the lowest to the highest box [kg].
        friction: below each.
        pulled: velocity of the lowest box at the start [m/s].
    """
    m = il.Model("stack")
    floor = m.ground.frame("floor", (0.0, 0.0, 0.0))
    for k, (mass, mu) in enumerate(zip(masses, friction, strict=True)):
        speed = 0.0 if k else pulled
        x = m.body(f"x_{k}", on=m.ground, joint=il.prismatic("x", initial=(0.0, speed)))
        z = m.body(f"z_{k}", on=x, joint=il.prismatic("z", initial=(0.05 + 0.1 * k, 0.0)))
        inertia = mass * (0.2**2 + 0.1**2) / 12.0
        turn = il.revolute((0.0, -1.0, 0.0))
        body = m.body(f"box_{k}", on=z, joint=turn, mass=mass, inertia=(inertia,) * 3)
        for side, at in (("left", -0.1), ("right", 0.1)):
            corner = body.point(side, (at, 0.0, -0.05))
            name = f"{side}_{k}"
            m.contact(floor, il.plane(), corner, il.point(), law=il.hard(0.0, mu), name=name)
        floor = body.frame("top", (0.0, 0.0, 0.05))
    return m


def table(law: Hard, gravity: tuple[float, float, float] = (0.0, 0.0, -G)) -> il.Model:
    """2 kg on four feet at x = ±0.2, y = ±0.15, 0.1 m below; center of mass at (0.05, 0.02)."""
    m = il.Model("table", gravity=gravity)
    inertia = (0.03, 0.04, 0.05)
    body = m.body(
        "top", on=m.ground, joint=il.free(), mass=2.0, com=(0.05, 0.02, 0.0), inertia=inertia
    )
    for k in range(4):
        x, y = 0.2 if k & 1 else -0.2, 0.15 if k & 2 else -0.15
        foot = body.point(f"foot_{k}", (x, y, -0.1))
        m.contact(m.ground, il.plane(), foot, il.point(), law=law, name=f"touch_{k}")
    return m


def trap_door(shape: il.Shape) -> tuple[il.Model, float]:
    """A body that falls by 0.2 m on a door, which opens at 0.7003 s; and half of its height."""
    half = 0.1 if isinstance(shape, il.geometry.Box) else 0.0
    m = il.Model("trap")
    body = m.body("body", on=m.ground, joint=il.prismatic("z", initial=(0.2 + half, 0.0)), mass=3.0)
    shut, opened = m.mode("shut"), m.mode("opened")
    with m.during(shut):
        m.contact(m.ground, il.plane(), body, shape, law=il.hard(), name="door")
    m.event("opens", lambda t: 0.7003 - t, mode=shut, to=opened)
    return m, half
