"""The measured closed mechanisms: as models, and planar for the peer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import inloop as il
from benchmarks.loops_planar import GRAVITY, GROUND, Bar, Pin, Planar
from inloop import gallery
from inloop.gallery import slider_crank as crank_data

# thin bars: crank, coupler, rocker [m, kg]; the crank starts at 1 rad with 12 rad/s
LENGTHS, MASSES, GROUND_LENGTH = (0.2, 0.5, 0.4), (0.4, 1.0, 0.8), 0.45
ANGLE, RATE = 1.0, 12.0


def four_bar() -> il.Model:
    """A planar four-bar of thin rods, cut at the tip of the rocker."""
    b, c = closed_angles()
    m = il.Model("bench_four_bar", gravity=(0.0, -GRAVITY, 0.0))
    crank = _rod(m, "crank", 0, m.ground, (ANGLE, RATE))
    coupler = _rod(m, "coupler", 1, crank, (b - ANGLE, 0.0))
    pivot = m.ground.point("D", (GROUND_LENGTH, 0.0, 0.0))
    m.close(coupler, _rod(m, "rocker", 2, pivot, (c, 0.0)), name="pin")
    m.independent("crank")
    return m


def _rod(m: il.Model, name: str, k: int, on: Any, start: tuple[float, float]) -> Any:
    """Add a thin rod; return its tip."""
    across = MASSES[k] * LENGTHS[k] ** 2 / 12.0
    rod = m.body(
        name,
        on=on,
        joint=il.revolute("z", initial=start),
        mass=MASSES[k],
        com=(LENGTHS[k] / 2.0, 0.0, 0.0),
        inertia=(0.0, across, across),
    )
    return rod.point("tip", (LENGTHS[k], 0.0, 0.0))


def closed_angles() -> tuple[float, float]:
    """Angles of coupler and rocker at the initial crank angle, by the law of cosines [rad]."""
    (l0, l1, l2), d = LENGTHS, GROUND_LENGTH
    x, y = d - l0 * math.cos(ANGLE), -l0 * math.sin(ANGLE)  # from the crank's tip to D
    far = math.hypot(x, y)
    b = math.atan2(y, x) + math.acos((l1**2 + far**2 - l2**2) / (2.0 * l1 * far))
    c = math.atan2(l0 * math.sin(ANGLE) + l1 * math.sin(b),
                   l0 * math.cos(ANGLE) + l1 * math.cos(b) - d)  # fmt: skip
    return b, c


def along(length: float, angle: float) -> np.ndarray:
    """A vector of this length at this angle."""
    return length * np.array([math.cos(angle), math.sin(angle)])


def _across(length: float, angle: float) -> np.ndarray:
    return length * np.array([-math.sin(angle), math.cos(angle)])


def _bar(mass: float, inertia: float, root: np.ndarray, v_root: np.ndarray, *turn: float) -> Bar:
    """A body given by its root; turn: half its length, its angle and its rate."""
    half, angle, rate = turn
    position, velocity = root + along(half, angle), v_root + rate * _across(half, angle)
    return Bar(mass, inertia, tuple(position), angle, tuple(velocity), rate)


def four_bar_in_plane() -> Planar:
    """The four-bar, absolute coordinates."""
    b, c = closed_angles()
    v_tip = RATE * _across(LENGTHS[0], ANGLE)
    matrix = np.column_stack([_across(LENGTHS[1], b), -_across(LENGTHS[2], c)])
    wb, wc = np.linalg.solve(matrix, -v_tip)
    still, half = np.zeros(2), [length / 2.0 for length in LENGTHS]
    about = [mass * length**2 / 12.0 for mass, length in zip(MASSES, LENGTHS, strict=True)]
    bars = (
        _bar(MASSES[0], about[0], still, still, half[0], ANGLE, RATE),
        _bar(MASSES[1], about[1], along(LENGTHS[0], ANGLE), v_tip, half[1], b, float(wb)),
        _bar(MASSES[2], about[2], np.array([GROUND_LENGTH, 0.0]), still, half[2], c, float(wc)),
    )
    pins = (
        Pin(GROUND, (0.0, 0.0), 0, (-half[0], 0.0)),
        Pin(0, (half[0], 0.0), 1, (-half[1], 0.0)),
        Pin(1, (half[1], 0.0), 2, (half[2], 0.0)),
        Pin(GROUND, (GROUND_LENGTH, 0.0), 2, (-half[2], 0.0)),
    )
    return Planar(bars, pins)


def slider_crank_in_plane() -> Planar:
    """The planar slider-crank of the gallery, read from its model; the slider is a point mass."""
    mechanism = crank_data.slider_crank().build()
    r, l, angle = crank_data.CRANK, crank_data.ROD, crank_data.START
    crank, rod, slider = (mechanism.body(name) for name in ("crank", "rod", "slider"))
    lean = -math.asin(r / l * math.sin(angle))
    rate = -crank.joint.initial[1]
    rod_rate = -rate * r * math.cos(angle) / (l * math.cos(lean))
    still = np.zeros(2)
    pin, v_pin = along(r, angle), rate * _across(r, angle)
    load = {p.name: p.default for p in mechanism.parameters}["load"]
    end, v_end = pin + along(l, lean), v_pin + rod_rate * _across(l, lean)
    bars = (
        _bar(float(crank.mass), float(crank.inertia[1][1]), still, still, r / 2.0, angle, rate),
        _bar(float(rod.mass), float(rod.inertia[1][1]), pin, v_pin, l / 2.0, lean, rod_rate),
        Bar(load, 0.0, (float(end[0]), 0.0), 0.0, (float(v_end[0]), 0.0), 0.0),
    )
    assert slider.joint.kind.name == "prismatic" and abs(end[1]) < 1e-15 and abs(v_end[1]) < 1e-14
    pins = (
        Pin(GROUND, (0.0, 0.0), 0, (-r / 2.0, 0.0)),
        Pin(0, (r / 2.0, 0.0), 1, (-l / 2.0, 0.0)),
        Pin(1, (l / 2.0, 0.0), 2, (0.0, 0.0)),
    )
    return Planar(bars, pins, rails=(2,))


@dataclass(frozen=True)
class Mechanism:
    """A mechanism to measure, and the sign of its crank coordinate relative to the planar angle."""

    what: str
    make: Callable[[], il.Model]
    planar: Callable[[], Planar] | None = None
    sign: float = 1.0


MECHANISMS = {
    "four_bar": Mechanism("four-bar", four_bar, four_bar_in_plane),
    # rotates about y, which points away from a viewer who sees x to the right and z up
    "slider_crank": Mechanism("slider-crank", crank_data.slider_crank, slider_crank_in_plane, -1.0),
    "stewart": Mechanism("Stewart platform", lambda: gallery.get("stewart").make()),
    "car": Mechanism("car", lambda: gallery.get("car").make()),
}
