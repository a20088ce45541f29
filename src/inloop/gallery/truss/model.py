"""A boom of frames and bars with ball joints and many spatial loops that swings from a hinge.

Each bay has a triangular frame and six bars to the one above: three along the boom, three across
its sides. All bars have joints at both ends, so that none bends: together they are as rigid as one
body, which the references use.
"""

from __future__ import annotations

import math

import numpy as np

import inloop as il
from inloop.gallery import gravity_along

RADIUS, BAY = 0.16, 0.3  # from the center of a frame to its corners, between frames [m]
BAR, SIDE = 0.6, 0.8  # mass of a bar and of a side of a frame [kg]
DROP = 0.05  # from the hinge to the first frame [m]
START = 1.0  # initial angle [rad]
MOST_BAYS = 12


def corner(k: int) -> np.ndarray:
    """A corner of a frame, relative to its center [m]."""
    angle = 2.0 * math.pi * k / 3.0
    return np.array([RADIUS * math.cos(angle), RADIUS * math.sin(angle), 0.0])


def bars() -> list[tuple[int, int]]:
    """Corners of the upper and the lower frame that the bars of a bay connect."""
    return [(k, k) for k in range(3)] + [(k, (k + 1) % 3) for k in range(3)]


def direction(bar: tuple[int, int]) -> np.ndarray:
    """Vector from the upper end of a bar to the lower one [m]."""
    return np.asarray(corner(bar[1]) - corner(bar[0]) + np.array([0.0, 0.0, -BAY]))


def slender(mass: float, along: np.ndarray) -> np.ndarray:
    """Moment of inertia of a rod about its middle [kg·m²]."""
    square = float(along @ along) * np.eye(3) - np.outer(along, along)
    return np.asarray(mass / 12.0 * square)


def frame_inertia() -> np.ndarray:
    """Inertia of the three sides of a frame about its center [kg·m²]."""
    total = np.zeros((3, 3))
    for k in range(3):
        a, b = corner(k), corner(k + 1)
        middle = 0.5 * (a + b)
        total += slender(SIDE, b - a)
        total += SIDE * (float(middle @ middle) * np.eye(3) - np.outer(middle, middle))
    return total


def truss(bays: int = 3) -> il.Model:
    """A boom that hangs on a hinge along y, initially deflected.

    Args:
        bays: number of bays, one below the other.
    """
    m = il.Model("truss", gravity=gravity_along("-z"), doc=f"Boom of {bays} bays of bars.")
    inertia = frame_inertia().tolist()
    frame = m.body("frame_0", on=m.ground, joint=il.revolute("y", initial=(START, 0.0)),
                   mass=3.0 * SIDE, com=(0.0, 0.0, -DROP), inertia=inertia)  # fmt: skip
    middle = np.array([0.0, 0.0, -DROP])  # center of the frame, from its origin
    for bay in range(1, bays + 1):
        ends = []
        for number, bar in enumerate(bars()):
            along = direction(bar)
            top = frame.point(f"bar_{number}", tuple((middle + corner(bar[0])).tolist()))
            name = f"bar_{bay}_{number}"
            body = m.body(
                name,
                on=top,
                joint=[il.revolute("x", name=f"{name}_x"), il.revolute("y", name=f"{name}_y")],
                mass=BAR,
                com=tuple((0.5 * along).tolist()),
                inertia=slender(BAR, along).tolist(),
            )
            ends.append((body.point("end", tuple(along.tolist())), bar[1]))
        # the next frame hangs on the first bar; the other bars close loops to it
        first = corner(ends[0][1])
        frame = m.body(f"frame_{bay}", on=ends[0][0], joint=il.ball(), mass=3.0 * SIDE,
                       com=tuple((-first).tolist()), inertia=inertia)  # fmt: skip
        middle = -first
        for number, (end, at) in enumerate(ends[1:], start=1):
            seat = frame.point(f"seat_{number}", tuple((middle + corner(at)).tolist()))
            m.close(end, seat, name=f"joint_{bay}_{number}")
    m.independent("frame_0")
    return m


def as_one_body(bays: int) -> tuple[float, float]:
    """Mass times distance [kg·m], moment of inertia about the hinge [kg·m²], added up by hand."""
    first, about = 0.0, 0.0
    for bay in range(bays + 1):
        at = np.array([0.0, 0.0, -DROP - BAY * bay])
        first += 3.0 * SIDE * -at[2]
        about += frame_inertia()[1, 1] + 3.0 * SIDE * float(at @ at)
        for bar in bars() if bay < bays else ():
            along = direction(bar)
            middle = at + corner(bar[0]) + 0.5 * along
            first += BAR * -middle[2]
            about += slender(BAR, along)[1, 1] + BAR * (middle[0] ** 2 + middle[2] ** 2)
    return first, about


def period(bays: int, g: float = 9.81) -> float:
    """Period of the swing from the start, by the arithmetic-geometric mean [s]."""
    first, about = as_one_body(bays)
    a, b = 1.0, math.cos(0.5 * START)
    while abs(a - b) > 1e-15:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return 2.0 * math.pi * math.sqrt(about / (first * g)) / a
