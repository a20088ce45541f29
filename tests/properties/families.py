"""Families of closed mechanisms with random proportions; lengths and masses are about 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from linkage import GROUND, Bar, Cut, Linkage

Random = np.random.Generator
X, Y, Z = np.eye(3)
ORIGIN = np.zeros(3)


def _link(random: Random, name: str, parent: int, at: np.ndarray, length: float) -> Bar:
    """A bar along x that turns about z."""
    m = random.uniform(0.4, 2.0)
    com = np.array([length * random.uniform(0.3, 0.7), random.uniform(-0.1, 0.1), 0.0])
    across = m * length**2 * random.uniform(0.05, 0.12)
    inertia = np.array([0.3 * across, across, 1.1 * across])
    bar = Bar(name, parent, "revolute", Z, at, m, com, inertia)
    return _sprung(random, bar)


def _sprung(random: Random, bar: Bar) -> Bar:
    if random.random() < 0.7:
        return bar
    stiffness, damping = random.uniform(1.0, 10.0), random.uniform(0.1, 1.0)
    return Bar(**{**vars(bar), "stiffness": stiffness, "damping": damping})


def _slider(random: Random, name: str, axis: np.ndarray, at: np.ndarray) -> Bar:
    m = random.uniform(0.4, 2.0)
    com = random.uniform(-0.1, 0.1, 3)
    return _sprung(
        random, Bar(name, GROUND, "prismatic", axis, at, m, com, m * np.array([0.02, 0.03, 0.025]))
    )


def _four_bar(random: Random, a: float, b: float, c: float, d: float, kind: str) -> Linkage:
    bars = (
        _link(random, "crank", GROUND, ORIGIN, a),
        _link(random, "coupler", 0, a * X, b),
        _link(random, "rocker", GROUND, d * X, c),
    )
    axis = (0.0, 0.0, 1.0) if kind == "hinge" else None
    cut = Cut("pin", kind, (1, 2), (b * X, c * X), axis=axis)
    return Linkage("four_bar", bars, (cut,), {}, live="pin")


def four_bar(random: Random) -> Linkage:
    """Any planar four-bar, also such as cannot close or turn only in part."""
    a, b, c, d = random.uniform(0.3, 2.0, 4)
    return _four_bar(random, a, b, c, d, str(random.choice(["ball", "hinge"])))


def parallelogram(random: Random) -> Linkage:
    """Opposite bars are equal: it can fold flat, where it may go on in two ways."""
    a, b = random.uniform(0.3, 2.0, 2)
    return _four_bar(random, a, b, a, b, "ball")


def rhombus(random: Random) -> Linkage:
    """All bars are equal."""
    return _four_bar(random, 1.0, 1.0, 1.0, 1.0, "ball")


def slider_crank(random: Random) -> Linkage:
    """Crank and rod in a plane, slider along any direction of the plane, or off center."""
    a = random.uniform(0.2, 1.0)
    b = random.uniform(0.5, 3.0)
    turn = random.uniform(-3.0, 3.0)
    along = np.array([np.cos(turn), np.sin(turn), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    offset = random.choice([0.0, random.uniform(-0.6, 0.6)])
    bars = (
        _link(random, "crank", GROUND, ORIGIN, a),
        _link(random, "rod", 0, a * X, b),
        _slider(random, "slider", along, offset * across),
    )
    return Linkage(
        "slider_crank", bars, (Cut("pin", "ball", (1, 2), (b * X, ORIGIN)),), {}, live="pin"
    )


def five_bar(random: Random) -> Linkage:
    """Two cranks whose couplers share a pin: two degrees of freedom."""
    a, b, c, d, e = random.uniform(0.6, 1.6, 5)
    bars = (
        _link(random, "left", GROUND, ORIGIN, a),
        _link(random, "left_arm", 0, a * X, b),
        _link(random, "right", GROUND, e * X, c),
        _link(random, "right_arm", 2, c * X, d),
    )
    return Linkage("five_bar", bars, (Cut("pin", "ball", (1, 3), (b * X, d * X)),), {}, live="pin")


def two_loops(random: Random) -> Linkage:
    """A four-bar whose rocker drives a second one."""
    a, b, c, d = random.uniform(0.5, 1.6, 4)
    e, f, g = random.uniform(0.5, 1.6, 3)
    bars = (
        _link(random, "crank", GROUND, ORIGIN, a),
        _link(random, "coupler", 0, a * X, b),
        _link(random, "rocker", GROUND, d * X, c),
        _link(random, "second_coupler", 2, c * X, e),
        _link(random, "second_rocker", GROUND, np.array([d + f, 0.2, 0.0]), g),
    )
    cuts = (
        Cut("first_pin", "ball", (1, 2), (b * X, c * X)),
        Cut("second_pin", "ball", (3, 4), (e * X, g * X)),
    )
    return Linkage("two_loops", bars, cuts, {}, live="second_pin")


def spatial_crank(random: Random) -> Linkage:
    """A crank about x drives a slider along x by a rod with a ball at the crank."""
    r, l = random.uniform(0.2, 0.5), random.uniform(0.9, 2.0)
    pivot = np.array([0.0, *random.uniform(-0.4, 0.4, 2)])
    m = random.uniform(0.4, 2.0)
    crank = Bar(
        "crank", GROUND, "revolute", X, pivot, m, r / 2 * Y, m * r**2 * np.array([0.1, 0.02, 0.09])
    )
    cross = Bar("cross", 1, "revolute", Z, ORIGIN, 0.3, 0.02 * Y, np.array([0.002, 0.003, 0.0025]))
    rod = Bar(
        "rod", 2, "revolute", Y, ORIGIN, m, -l / 2 * X, m * l**2 * np.array([0.01, 0.09, 0.085])
    )
    bars = (crank, _slider(random, "slider", X, ORIGIN), cross, rod)
    cut = Cut("ball", "ball", (3, 0), (-l * X, r * Y))
    return Linkage("spatial_crank", bars, (cut,), {}, live="ball")


def tied_pendulums(random: Random) -> Linkage:
    """Two pendulums about different axes, their tips a rod apart."""
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    m, n = random.uniform(0.4, 2.0, 2)
    tip = random.uniform(0.4, 1.0, 3) * random.choice([-1.0, 1.0], 3)
    other = random.uniform(0.4, 1.0, 3) * random.choice([-1.0, 1.0], 3)
    bars = (
        _sprung(
            random,
            Bar("left", GROUND, "revolute", Z, ORIGIN, m, tip / 2, m * np.array([0.1, 0.12, 0.15])),
        ),
        Bar(
            "right",
            GROUND,
            "revolute",
            axis,
            random.uniform(-1.0, 1.0, 3),
            n,
            other / 2,
            n * np.array([0.1, 0.12, 0.15]),
        ),
        Bar("tail", 1, "revolute", Y, other, 0.7, 0.3 * X, np.array([0.02, 0.05, 0.06])),
    )
    cut = Cut("tie", "rod", (0, 1), (tip, other), length=random.uniform(0.3, 2.5))
    return Linkage("tied_pendulums", bars, (cut,), {}, live="tie")


FAMILIES: dict[str, Callable[[Random], Linkage]] = {
    make.__name__: make
    for make in (
        four_bar,
        parallelogram,
        rhombus,
        slider_crank,
        five_bar,
        two_loops,
        spatial_crank,
        tied_pendulums,
    )
}
