"""Hard contacts in mechanisms with loops and drives, against equations of motion of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G
from scipy.integrate import solve_ivp
from stepped_back import check_steps_back

import inloop as il

CRANK, ROD = 0.2, 0.5  # lengths [m]


def slider_crank(start: tuple[float, float] | None = (0.9, -8.0)) -> il.Model:
    """A crank in the plane x, z whose slider runs along x; start: angle and speed of the crank."""
    m = il.Model("slider_crank")
    turn = il.revolute("y") if start is None else il.revolute("y", initial=start)
    crank = m.body("crank", on=m.ground, joint=turn, mass=0.8, com=(0.1, 0, 0), inertia=(0.01,) * 3)
    pin = crank.point("pin", (CRANK, 0.0, 0.0))
    hinge = il.revolute("y", guess=-1.2)
    rod = m.body("rod", on=pin, joint=hinge, mass=0.5, com=(0.25, 0, 0), inertia=(0.02,) * 3)
    slide = il.prismatic("x", guess=0.6)
    slider = m.body("slider", on=m.ground, joint=slide, mass=1.2)
    # a half-space whose outside is ahead
    slider.frame("face", rotation=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)))
    m.close(rod.point("end", (ROD, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)), name="loop")
    return m


def placed(a: complex) -> tuple[np.ndarray, np.ndarray, complex, complex]:
    """Centers of crank and rod, angle of the rod, place of the slider."""
    s = CRANK * np.sin(a) / ROD
    along = np.array([np.sqrt(1.0 - s * s), s])
    pin = CRANK * np.array([np.cos(a), -np.sin(a)])
    return pin / 2, pin + 0.25 * along, np.arcsin(s), (pin + ROD * along)[0]


def inertia_and_height(a: float) -> tuple[float, float]:
    """Kinetic energy is half the first times the square of the crank's speed."""
    d = 1e-30  # a step along the imaginary axis gives derivatives to all digits
    crank, rod, turn, slide = (np.imag(x) / d for x in placed(complex(a, d)))
    inertia = 0.8 * crank @ crank + 0.01 + 0.5 * rod @ rod + 0.02 * turn**2 + 1.2 * slide**2
    center, middle, *_ = placed(a)
    return float(inertia), float(G * (0.8 * center[1] + 0.5 * middle[1]))


def rates(t: float, y: np.ndarray, d: float = 1e-4) -> list[float]:
    """Lagrange's equation of the one coordinate."""
    a, w = y
    inertia = inertia_and_height(a)[0]
    more, less = inertia_and_height(a + d), inertia_and_height(a - d)
    by_a, slope = ((x - y) / (2 * d) for x, y in zip(more, less, strict=True))
    return [w, -(slope + 0.5 * by_a * w * w) / inertia]


def bounced(limit: float, restitution: float, t_end: float) -> tuple[np.ndarray, int]:
    """Angle and speed of the crank, whose slider hits a stop; number of impacts."""

    def left(t: float, y: np.ndarray) -> float:
        return limit - placed(y[0])[3]

    left.terminal, left.direction = True, -1.0  # type: ignore[attr-defined]
    t, y, impacts = 0.0, np.array([0.9, -8.0]), 0
    while True:
        found = solve_ivp(rates, (t, t_end), y, "DOP853", events=left, rtol=1e-9, atol=1e-11)
        t, y = found.t[-1], found.y[:, -1]
        if found.status == 0:
            return y, impacts
        # with one coordinate the speed of the crank turns round as that of the slider does
        y, impacts = np.array([y[0] - 1e-9 * restitution * y[1], -restitution * y[1]]), impacts + 1


def test_a_slider_crank_hits_a_stop() -> None:
    m = slider_crank()
    m.hard_stop("slider", 0.7, limits=(-np.inf, 0.66), name="stop")
    plant, errors = m.compile(), []
    exact, impacts = bounced(0.66, 0.7, 1.2)
    assert impacts >= 2
    for step in (2e-3, 5e-4):
        result = plant.simulate(t_end=1.2, step=step)
        assert result.status == "OK" and not result.doubts
        assert result.constraint_violation < 1e-12
        assert result["slider.q"].max() < 0.66 + 1e-5
        found = [result["crank.q"][-1], result["crank.qd"][-1]]
        errors.append(np.abs(found - exact).max())
        hits = np.flatnonzero(result["stop_high.normal"])
        assert len(hits) == impacts
    assert errors[0] < 2e-3 and errors[1] < 0.15 * errors[0]


def test_steps_and_snapshots_of_a_loop_give_the_same_bits() -> None:
    m = slider_crank()
    m.hard_stop("slider", 0.7, limits=(-np.inf, 0.66), name="stop")
    check_steps_back(m.compile())


def test_a_slider_crank_leans_on_its_stop_with_a_stiff_spring() -> None:
    m = slider_crank((0.9, 0.0))
    # a spring at the crank, much faster than the step, would turn it beyond the stop
    m.joint_force("crank", lambda q, qd: -1e6 * (q - 0.5) - 1e3 * qd, name="spring")
    m.hard_stop("slider", 0.0, limits=(-np.inf, 0.64), name="stop")
    result = m.compile().simulate(t_end=0.5, step=1e-3)
    assert np.abs(result.qd[-1]).max() < 1e-9
    a, d = float(result["crank.q"][-1]), 1e-6
    assert placed(a)[3] == pytest.approx(0.64, abs=1e-5)
    # virtual work: spring and weight against the stop
    slide = (placed(a + d)[3] - placed(a - d)[3]) / (2 * d)
    weight = (inertia_and_height(a + d)[1] - inertia_and_height(a - d)[1]) / (2 * d)
    carried = (-1e6 * (a - 0.5) - weight) / -slide
    # the spring would go on by 0.1 rad in a step, through which rows are not quite constant
    assert result["stop_high.effort"][-1] == pytest.approx(carried, rel=3e-3)


def test_a_driven_floor_carries_and_throws() -> None:
    """A table that shakes by 20 mm: a mass leaves it where it falls faster than the mass would."""
    omega = 30.0
    m = il.Model("shaker")
    table = m.body("table", on=m.ground, joint=il.prismatic("z"), mass=2.0)
    m.drive("table", lambda t: 0.02 * il.sin(omega * t))
    mass = m.body("mass", on=m.ground, joint=il.prismatic("z", initial=(0.0, 0.6)), mass=0.5)
    m.contact(table, il.plane(), mass, il.point(), law=il.hard(0.0), name="floor")
    plant, errors = m.compile(), []
    # together while the table accelerates upwards or falls slower than g
    leave = np.arcsin(G / (0.02 * omega**2)) / omega
    height, speed = 0.02 * np.sin(omega * leave), 0.02 * omega * np.cos(omega * leave)
    t = 0.12
    for step in (1e-3, 1e-4):
        result = plant.simulate(t_end=t, step=step)
        z = height + speed * (t - leave) - 0.5 * G * (t - leave) ** 2
        errors.append(abs(result["mass.q"][-1] - z))
        early = result.t < leave - 3e-3
        assert np.abs(result["floor.gap"][early]).max() < 5e-6
        # forces are means of steps
        force = 0.5 * (G - 0.02 * omega**2 * np.sin(omega * (result.t - 0.5 * step)))
        assert result["floor.normal"][early][1:] == pytest.approx(force[early][1:], abs=2e-3)
    assert errors[0] < 1e-4 and errors[1] < 0.2 * errors[0]


def test_runs_go_on_where_other_coordinates_have_to_be_chosen() -> None:
    found = []
    for first in ("crank", "slider"):
        # the slider is a bad choice where it turns round
        m = slider_crank((2.0, 12.0))
        m.independent(first)
        m.hard_stop("slider", 0.6, limits=(0.33, np.inf), name="stop")
        result = m.compile().simulate(t_end=0.8, step=5e-4)
        assert result.status == "OK" and result["stop_low.hit"].sum() >= 1.0
        assert result["slider.q"].min() > 0.33 - 1e-5 and result.constraint_violation < 1e-12
        found.append((len(result.partitions), result.q[-1]))
    (kept, one), (changed, other) = found
    assert kept == 1 and changed > 1
    assert other == pytest.approx(one, abs=2e-3)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("speed", [12.0, 12.5, 15.0, 20.0])
def test_steps_have_the_choices_that_a_rehearsal_met(speed: float) -> None:
    """Without it they end before the dead centre, and do not turn back there."""
    m = slider_crank((2.0, speed))
    m.independent("slider")
    m.hard_stop("slider", 0.6, limits=(0.33, np.inf), name="stop")
    with pytest.raises(il.SimulationError, match=r"LOOP_OPEN.*rehearse="):
        _stepped(m.compile(), 500)
    plant = m.compile(rehearse=0.5)
    whole = plant.simulate(t_end=0.5, step=1e-3)
    assert _stepped(plant, 500) == pytest.approx(whole["crank.q"][-1], abs=1e-3)


def _stepped(plant: il.Plant, count: int) -> float:
    stepper = plant.stepper(step=1e-3)
    for _ in range(count):
        stepper.step()
    return float(stepper["crank.q"])
