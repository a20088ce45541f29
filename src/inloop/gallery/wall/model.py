"""A wall of thirty bricks without mortar, and a wrecking ball."""

from __future__ import annotations

from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import gravity_along

LENGTH, DEPTH, HEIGHT = 0.3, 0.15, 0.12  # of a brick [m]
BRICK = 4.0  # [kg], of a whole brick
JOINT = 1e-3  # between bricks of a course [m]
ALONG = 5  # bricks of a course
COURSES = 5  # below the battlements
RADIUS, BALL, ROPE = 0.14, 25.0, 1.4  # of the ball [m, kg], from the hook to its center [m]
HOOK = (0.0, -(0.5 * DEPTH + RADIUS + 0.01), 1.85)  # [m]
THROWN = -2.8  # initial rate of the thrown ball about x [rad/s]: 3.9 m/s away from the wall
K = 1e7  # [N/m]
G = 9.81


def bricks() -> dict[str, tuple[float, tuple[float, float, float]]]:
    """Length and center of each brick [m]: whole and half ones, three on top."""
    pitch, placed = LENGTH + JOINT, {}
    left = -0.5 * (ALONG * pitch - JOINT)
    for course in range(COURSES + 1):
        z = (course + 0.5) * HEIGHT - 1e-9 * (course + 1)
        if course == COURSES:
            row = [(LENGTH, left + 0.5 * LENGTH + k * pitch) for k in (0, 2, 4)]
        elif course % 2 == 0:
            row = [(LENGTH, left + 0.5 * LENGTH + k * pitch) for k in range(ALONG)]
        else:
            half = 0.5 * (LENGTH - JOINT)
            row = [(half, left + 0.5 * half)]
            row += [(LENGTH, left + half + JOINT + 0.5 * LENGTH + k * pitch) for k in range(4)]
            row += [(half, -left - 0.5 * half)]
        for k, (length, x) in enumerate(row):
            placed[f"brick_{course}_{k}"] = (length, (x, 0.0, z))
    return placed


def wall() -> il.Model:
    """Bricks, ground and ball form one pile; the ball hangs on a rope that does not slacken."""
    m = il.Model("wall", gravity=gravity_along("-z"), doc="A wall without mortar.")
    mu = m.parameter("mu", 0.6, unit="1", range=(0.0, 1.5), doc="friction of all contacts")
    e = m.parameter("e", 0.1, unit="1", range=(0.0, 1.0), doc="restitution of all contacts")
    members: list[tuple[Any, il.Shape]] = [(m.ground, il.plane())]
    for name, (length, place) in bricks().items():
        edges = (length, DEPTH, HEIGHT)
        mass, square = BRICK * length / LENGTH, np.square(edges)
        body = m.body(
            name,
            on=m.ground,
            joint=il.free(position=place),
            mass=mass,
            inertia=tuple((mass / 12.0 * (square.sum() - square)).tolist()),
        )
        members.append((body, il.box(edges)))
    ball = m.body(
        "ball",
        on=m.ground.point("hook", HOOK),
        joint=il.ball(),
        mass=BALL,
        com=(0.0, 0.0, -ROPE),
        inertia=(0.4 * BALL * RADIUS**2,) * 3,
    )
    members.append((ball.point("center", (0.0, 0.0, -ROPE)), il.sphere(RADIUS)))
    m.pile(members, law=il.hard(restitution=e, friction=mu, stiffness=K), contacts=400)
    return m
