"""Driven joints from event to event: closed forms, and efforts that carry the contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hard_models import G
from scipy.optimize import brentq
from test_hard_loops import inertia_and_height, placed, slider_crank

import inloop as il
from inloop.errors import InputError

METHOD = "event_driven"
SHAKE, OMEGA = 0.02, 30.0  # amplitude [m] and frequency [rad/s] of a table


def shaken(t: float, derivative: int = 0) -> float:
    return float(SHAKE * OMEGA**derivative * np.sin(OMEGA * t + derivative * np.pi / 2))


def shaker(motion: Callable[..., object] | None, restitution: float) -> il.Model:
    """A mass on a table that moves up and down."""
    m = il.Model("shaker")
    table = m.body("table", on=m.ground, joint=il.prismatic("z"), mass=2.0)
    m.drive("table", motion)
    mass = m.body("mass", on=m.ground, joint=il.prismatic("z"), mass=0.5)
    m.contact(table, il.plane(), mass, il.point(), law=il.hard(restitution), name="floor")
    return m


def first_root(f: Callable[[float], float], start: float, step: float) -> float:
    """The first change of sign behind `start`."""
    a = start
    while f(a) * f(a + step) > 0.0:
        a += step
    return float(brentq(f, a, a + step, xtol=1e-16))


def carried_and_thrown(times: np.ndarray) -> tuple[np.ndarray, int]:
    """Place and velocity of the mass, and how often it has landed, to stay where it does.

    It leaves where the table falls faster than it would.
    """
    leave, lands, landings, found = 0.0, 0.0, 0, []
    for t in times:
        while t >= lands:
            landings += lands > 0.0
            leave = first_root(lambda s: shaken(s, 2) + G, lands, 1e-2)
            place, speed = shaken(leave), shaken(leave, 1)

            def gap(s: float, leave: float = leave, z: float = place, v: float = speed) -> float:
                return z + v * (s - leave) - 0.5 * G * (s - leave) ** 2 - shaken(s)

            lands = first_root(gap, leave + 1e-2, 1e-3)
        rides = t < leave
        found.append((shaken(t) if rides else shaken(t) + gap(t),
                      shaken(t, 1) if rides else speed - G * (t - leave)))  # fmt: skip
    return np.array(found), landings


def test_a_shaken_table_carries_throws_and_catches() -> None:
    h = 1e-2
    m = shaker(lambda t: SHAKE * il.sin(OMEGA * t), 0.0)
    result = m.compile().simulate(t_end=0.5, step=h, method=METHOD, qd={"mass": SHAKE * OMEGA})
    expected, landings = carried_and_thrown(result.t)
    assert landings == 2
    assert result["mass.q"] == pytest.approx(expected[:, 0], abs=1e-13)
    assert result["mass.qd"] == pytest.approx(expected[:, 1], abs=1e-12)
    # forces are means of steps, blows included: what changes the momentum, less gravity
    force = 0.5 * (np.diff(expected[:, 1]) / h + G)
    assert result["floor.normal"][1:] == pytest.approx(force, abs=1e-9)
    # the drive moves the table, and carries what the mass presses on it with
    own = 2.0 * (G + np.array([shaken(t, 2) for t in result.t]))
    assert result["table.effort"][1:] == pytest.approx(own[1:] + force, abs=1e-9)


def test_a_belt_drags_a_mass_that_sticks_and_slips() -> None:
    mu, amplitude, omega, mass = 0.3, 0.1, 8.0, 0.7
    m = il.Model("belt")
    belt = m.body("belt", on=m.ground, joint=il.prismatic("x"), mass=3.0)
    m.drive("belt", lambda t: amplitude * il.sin(omega * t))
    x = m.body("x", on=m.ground, joint=il.prismatic("x"))
    z = m.body("z", on=x, joint=il.prismatic("z"), mass=mass)
    m.contact(belt, il.plane(), z, il.point(), law=il.hard(0.0, mu), name="top")
    result = m.compile().simulate(t_end=1.0, step=1e-2, method=METHOD)

    def speed(t: float) -> float:
        return amplitude * omega * float(np.cos(omega * t))

    def pull(t: float) -> float:
        return -amplitude * omega**2 * float(np.sin(omega * t))

    # slips from rest until it is as fast, sticks until the belt pulls too hard, and so forth
    t, place, v, phases, way = 0.0, 0.0, 0.0, 0, 1.0
    while True:
        end = first_root(lambda s: speed(s) - v - way * mu * G * (s - t), t + 1e-6, 1e-3)  # noqa: B023
        last = end >= 1.0
        dt = min(end, 1.0) - t
        place, v = place + v * dt + 0.5 * way * mu * G * dt**2, v + way * mu * G * dt
        if last:
            break
        t, phases = end, phases + 1
        if abs(pull(t)) < mu * G:
            off = first_root(lambda s: abs(pull(s)) - mu * G, t, 1e-3)
            assert off < 1.0
            place += amplitude * (np.sin(omega * off) - np.sin(omega * t))
            t, v, phases = off, speed(off), phases + 1
        way = float(np.sign(pull(t)))
    assert phases == 3
    assert result["x.q"][-1] == pytest.approx(place, abs=1e-12)
    assert result["x.qd"][-1] == pytest.approx(v, abs=1e-12)
    # friction brakes the mass all through the last step, and drives the belt
    assert v > speed(1.0)
    effort = 3.0 * pull(1.0) - mu * mass * G
    assert result["belt.effort"][-1] == pytest.approx(effort, rel=1e-9)


def slider_speed(a: float) -> float:
    """Of the slider, per speed of the crank [m]."""
    return float(np.imag(placed(complex(a, 1e-30))[3]) / 1e-30)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("on", ["ground", "slider"])
def test_a_driven_crank_pushes_a_puck_through_its_loop(on: str) -> None:
    """Whether the puck is counted from the ground or from the slider that pushes it."""
    a0, w, mass, h = 3.3, 9.0, 0.4, 2e-3
    m = slider_crank(None)
    m.drive("crank", lambda t: a0 + w * t)
    if on == "slider":
        m.body("puck", on="slider", joint=il.prismatic("x"), mass=mass)
        m.hard_stop("puck", 0.0, limits=(0.0, np.inf), name="push")
    else:
        start = float(np.real(placed(a0)[3])), w * slider_speed(a0)
        puck = m.body("puck", on=m.ground, joint=il.prismatic("x", initial=start), mass=mass)
        m.contact("slider.face", il.plane(), puck, il.point(), law=il.hard(0.0), name="push")
    ahead = {"rod": -a0 - float(np.real(placed(a0)[2]))}
    result = m.compile().simulate(t_end=0.26, step=h, method=METHOD, q=ahead)
    assert not result.doubts
    # it is pushed while the slider becomes faster, and goes on alone
    d, a = 1e-4, a0 + w * result.t
    leave = first_root(lambda x: slider_speed(x + d) - slider_speed(x - d), a0, 0.1)
    pushed = a < leave
    assert 20 < pushed.sum() < len(a) - 20
    slider = np.array([float(np.real(placed(x)[3])) for x in a])
    speed = w * np.array([slider_speed(x) for x in a])
    last = float(np.real(placed(leave)[3])), w * slider_speed(leave)
    place = np.where(pushed, slider, last[0] + last[1] * (a - leave) / w)
    assert result["puck.q"] == pytest.approx(place - slider * (on == "slider"), abs=1e-10)
    # Lagrange's equation of the crank at constant speed; the force is a mean of steps
    force = mass * np.diff(np.where(pushed, speed, last[1])) / h
    more, less = (np.array([inertia_and_height(x + s) for x in a]) for s in (d, -d))
    by_a = (more - less) / (2 * d)
    effort = (0.5 * w**2 * by_a[:, 0] + by_a[:, 1])[1:] + force * speed[1:] / w
    assert result["push.normal" if on == "ground" else "push_low.effort"][1:] == pytest.approx(
        force, abs=1e-8
    )
    assert result["crank.effort"][1:] == pytest.approx(effort, abs=1e-6)
    assert np.abs(force * speed[1:] / w).max() > 0.5


def test_a_table_that_jerks_hits_what_lies_on_it() -> None:
    """From one moment on it moves with 0.5 m/s: nothing but its velocity tells that."""
    e, begins, speed = 0.4, 0.137, 0.5
    m = shaker(lambda t: speed * il.maximum(t - begins, 0.0), e)
    result = m.compile().simulate(t_end=0.17, step=1e-2, method=METHOD)
    flight = 0.17 - begins
    assert result["floor.hit"].sum() == 1
    assert result["mass.qd"][-1] == pytest.approx((1 + e) * speed - G * flight, abs=1e-9)
    height = (1 + e) * speed * flight - 0.5 * G * flight**2
    assert result["mass.q"][-1] == pytest.approx(height, abs=1e-10)


def test_drives_that_follow_live_inputs_are_refused() -> None:
    m = shaker(None, 0.0)
    with pytest.raises(InputError, match=r"joint 'table' follows live inputs.*filtered"):
        m.compile().simulate(t_end=0.01, step=1e-3, method=METHOD)
