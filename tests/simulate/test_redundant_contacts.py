"""Hard contacts of bodies with six coordinates each: impulses answered by joints and loops."""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G, box
from stepped_back import check_steps_back
from test_hard_loops import bounced, inertia_and_height, placed, slider_crank

import inloop as il
from inloop.errors import InputError, ModelError


@pytest.fixture(scope="module")
def crank() -> il.Plant:
    m = slider_crank()
    m.hard_stop("slider", 0.7, limits=(-np.inf, 0.66), name="stop")
    return m.compile(formulation="redundant")


def test_a_loop_hits_a_stop(crank: il.Plant) -> None:
    """Against the motion of its one coordinate, integrated by SciPy from impact to impact."""
    exact, impacts = bounced(0.66, 0.7, 1.2)
    errors = []
    for step in (2e-3, 5e-4):
        result = crank.simulate(t_end=1.2, step=step)
        assert result.method == "moreau"
        assert result.status == "OK" and not result.doubts
        assert result.constraint_violation < 1e-9
        assert result["slider.q"].max() < 0.66 + 1e-5
        found = [result["crank.q"][-1], result["crank.qd"][-1]]
        errors.append(np.abs(found - exact).max())
        assert len(np.flatnonzero(result["stop_high.normal"])) == impacts
    assert errors[0] < 1e-2 and errors[1] < 0.15 * errors[0]


def test_steps_and_snapshots_give_the_same_bits(crank: il.Plant) -> None:
    check_steps_back(crank)


@pytest.mark.long
def test_a_box_thrown_on_the_ground_tumbles_as_in_the_reduced_equations() -> None:
    thrown = {"t_end": 0.6, "step": 1e-3, "sample": 1e-3}
    model = box((0.3, 0.2, 0.1), 2.0, (0.4, 0.5))
    reduced, plant = model.compile(), model.compile(formulation="redundant")
    first = {"q": reduced.formulation.home(), "qd": [0.7, -0.3, -1.0, 2.0, -3.0, 1.0]}
    first["q"][2] += 0.3
    expected = reduced.simulate(**thrown, **first)
    found = plant.simulate(**thrown, **first)
    # it has hit with corners, one after the other
    assert sum(expected[f"touch_{k}.normal"].max() > 0.0 for k in range(8)) > 1
    assert np.abs(expected.qd[-1] - expected.qd[0]).max() > 1.0
    assert np.abs(found.q - expected.q).max() < 1e-8


def test_a_driven_floor_throws() -> None:
    """A table shakes by 20 mm: a mass leaves it where it falls faster than the mass would."""
    omega, t = 30.0, 0.12
    m = il.Model("shaker")
    table = m.body("table", on=m.ground, joint=il.prismatic("z"), mass=2.0)
    m.drive("table", lambda t: 0.02 * il.sin(omega * t))
    mass = m.body("mass", on=m.ground, joint=il.prismatic("z", initial=(0.0, 0.6)), mass=0.5)
    m.contact(table, il.plane(), mass, il.point(), law=il.hard(0.0), name="floor")
    plant, errors = m.compile(formulation="redundant"), []
    leave = np.arcsin(G / (0.02 * omega**2)) / omega
    height, speed = 0.02 * np.sin(omega * leave), 0.02 * omega * np.cos(omega * leave)
    for step in (1e-3, 1e-4):
        result = plant.simulate(t_end=t, step=step)
        z = height + speed * (t - leave) - 0.5 * G * (t - leave) ** 2
        errors.append(abs(result["mass.q"][-1] - z))
    assert errors[0] < 1e-4 and errors[1] < 0.2 * errors[0]


@pytest.mark.thinned(2)
@pytest.mark.parametrize("stiffness", [None, 1e7])
def test_a_driven_table_carries_what_lies_on_it(stiffness: float | None) -> None:
    """The drive gives (m + M) (g + a), the contact's part with the mean of the last step."""
    size, omega, h = 0.01, 20.0, 1e-3
    m = il.Model("lift")
    table = m.body("table", on=m.ground, joint=il.prismatic("z"), mass=2.0)
    m.drive("table", lambda t: size * il.sin(omega * t))
    start = il.prismatic("z", initial=(0.0, size * omega))
    mass = m.body("mass", on=m.ground, joint=start, mass=0.5)
    law = il.hard(0.0) if stiffness is None else il.hard(0.0, stiffness=stiffness)
    m.contact(table, il.plane(), mass, il.point(), law=law, name="floor")
    run = m.compile(formulation="redundant").simulate(t_end=0.3, step=h)
    now, half_way = (-size * omega**2 * np.sin(omega * (run.t - late)) for late in (0.0, 0.5 * h))
    known = 2.0 * (G + now) + 0.5 * (G + half_way)
    # a spring of 1e7 N/m under 0.5 kg swings with 4 kHz, which steps of 1 ms do not follow
    assert run["table.effort"][5:] == pytest.approx(known[5:], abs=1e-4 if not stiffness else 1e-2)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("found", [False, True])
def test_a_driven_crank_holds_against_a_block_that_is_pressed_on_its_slider(found: bool) -> None:
    """At rest, by virtual work: what weighs on the crank, and the push on the slider."""
    m, push, a, d = slider_crank(None), 30.0, 0.7, 1e-6
    m.drive("crank", lambda t: a + 0.0 * t)
    start = float(np.real(placed(a)[3])) + 0.02
    block = m.body("block", on=m.ground, joint=il.prismatic("x", initial=start), mass=0.4)
    m.joint_force(block, lambda q, qd: -push + 0.0 * q, name="press")
    shape = il.box((0.04, 0.06, 0.1)) if found else il.sphere(0.02)
    m.contact("slider.face", il.plane(), block, shape, law=il.hard(0.0), name="touch")
    run = m.compile(formulation="redundant").simulate(t_end=0.3, step=1e-3)
    assert run["touch.force" if found else "touch.normal"][-1] == pytest.approx(push, rel=1e-9)
    slide = (placed(a + d)[3] - placed(a - d)[3]) / (2 * d)
    weight = (inertia_and_height(a + d)[1] - inertia_and_height(a - d)[1]) / (2 * d)
    assert run["crank.effort"][-1] == pytest.approx(weight + push * slide, rel=1e-8)


def test_what_is_refused_is_named(crank: il.Plant) -> None:
    with pytest.raises(InputError, match="event_driven"):
        crank.simulate(t_end=0.1, method="event_driven")
    with pytest.raises(InputError, match="stop_high"):
        crank.simulate(t_end=0.1, method="alpha")
    m = il.Model("heap")
    first = m.body("first", on=m.ground, joint=il.free(), mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.pile([(m.ground, il.plane()), (first, il.sphere(0.1))], law=il.hard(), name="heap")
    with pytest.raises(ModelError, match="pile 'heap'"):
        m.compile(formulation="redundant")
