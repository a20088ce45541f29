"""Impacts whose rows have restitutions of their own, against the balance of momentum by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import inloop as il

MASS, INERTIA, G = 1.7, 0.23, 9.81
LEFT, RIGHT = 0.4, 0.7  # distances of the ends from the center of mass [m]
HEIGHT = 0.9
SPEED = np.sqrt(2.0 * G * HEIGHT)


def rod(restitution: dict[str, float] | Callable) -> il.Model:
    """A rod that falls on a stop under each of its ends, both at once."""
    m = il.Model("rod", gravity=(0.0, 0.0, -G))
    soft = m.parameter("soft", 0.3, range=(0.0, 1.0))
    ends = restitution(soft) if callable(restitution) else restitution
    lift = m.body("lift", on=m.ground, joint=il.prismatic("z", initial=(HEIGHT, 0.0)))
    m.body("rod", on=lift, joint=il.revolute("-y"), mass=MASS, inertia=(0.1, INERTIA, 0.2))
    flight, struck = m.mode("flight"), m.mode("struck")
    with m.during(struck):
        m.constraint("left", lambda q: q["lift"] - LEFT * il.sin(q["rod"]))
        m.constraint("right", lambda q: q["lift"] + RIGHT * il.sin(q["rod"]))
    m.event("fall", lambda q: q["lift"], mode=flight, impact=struck, restitution=ends)
    return m


def by_hand(e_left: float, e_right: float) -> tuple[float, float, float, float]:
    """Velocity and spin after the impact, and both impulses; an end rebounds with e v."""
    left, right = e_left * SPEED, e_right * SPEED
    spin = (right - left) / (LEFT + RIGHT)
    speed = left + LEFT * spin
    # m dv = A + B, J dw = RIGHT B - LEFT A
    total, moment = MASS * (speed + SPEED), INERTIA * spin
    right_impulse = (moment + LEFT * total) / (LEFT + RIGHT)
    return speed, spin, total - right_impulse, right_impulse


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("e_left", "e_right"), [(0.3, 0.8), (0.0, 1.0), (0.55, 0.55)])
def test_a_rod_on_two_stops(e_left: float, e_right: float) -> None:
    run = rod({"left": e_left, "right": e_right}).compile().simulate(t_end=0.5, step=1e-3)
    blow = run.events[0]
    speed, spin, left, right = by_hand(e_left, e_right)
    after = np.flatnonzero(run.t > blow.t)[0]
    assert run["rod.qd"][after] == pytest.approx(spin, abs=1e-9)
    assert run["lift.qd"][after] == pytest.approx(speed - G * (run.t[after] - blow.t), rel=1e-9)
    (row_left, row_right) = blow.impulses
    assert blow.impulses[row_left] == pytest.approx(left, rel=1e-9)
    assert blow.impulses[row_right] == pytest.approx(right, rel=1e-9)
    kinetic = 0.5 * MASS * speed**2 + 0.5 * INERTIA * spin**2
    assert blow.energy_lost == pytest.approx(0.5 * MASS * SPEED**2 - kinetic, abs=1e-9)
    assert blow.restitutions == pytest.approx({row_left: e_left, row_right: e_right})
    assert blow.restitution == max(e_left, e_right)


def test_rows_that_are_not_named_keep_nothing() -> None:
    run = rod({"right": 0.8}).compile().simulate(t_end=0.5, step=1e-3)
    _, spin, left, _ = by_hand(0.0, 0.8)
    after = np.flatnonzero(run.t > run.events[0].t)[0]
    assert run["rod.qd"][after] == pytest.approx(spin, abs=1e-9)
    assert next(iter(run.events[0].impulses.values())) == pytest.approx(left, rel=1e-9)


def test_a_restitution_is_a_parameter() -> None:
    plant = rod(lambda soft: {"left": soft, "right": 0.9}).compile()
    for e in (0.3, 0.7):
        plant.parameters["soft"] = e
        blow = plant.simulate(t_end=0.5, step=1e-3).events[0]
        assert list(blow.impulses.values()) == pytest.approx(by_hand(e, 0.9)[2:], rel=1e-9)


def test_mistakes() -> None:
    with pytest.raises(il.InputError, match=r"'fall': mode 'struck' has no constraint 'middle'"):
        rod({"middle": 0.5}).compile().simulate(t_end=0.5, step=1e-3)
    m = rod({"left": 0.5})
    m.event("else", lambda q: q["rod"] + 3.0, mode="flight", restitution={"left": 0.1})
    with pytest.raises(il.ModelError, match="'else': has restitutions of rows but no impact"):
        m.build()
    assert "0.5 of left" in rod({"left": 0.5}).describe()


def test_a_row_that_follows_from_others_has_none_of_its_own() -> None:
    m = rod({"left": 0.5, "again": 0.2})
    with m.during("struck"):
        m.constraint("again", lambda q: 2.0 * q["lift"] - 2.0 * LEFT * il.sin(q["rod"]))
    with pytest.raises(il.InputError, match="is redundant in mode 'struck'"):
        m.compile().simulate(t_end=0.5, step=1e-3)
