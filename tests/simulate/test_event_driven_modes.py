"""Hard contacts from event to event in mechanisms with modes: latches, brakes, doors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hard_models import G, trap_door
from test_hard_modes import FALL, LET_GO, MU, SLOPE, ball_and_cart, block

import inloop as il

METHOD = "event_driven"


@pytest.mark.thinned(2)
@pytest.mark.parametrize("grip", [0.6, FALL - 1e-7, FALL, FALL + 1e-7])
def test_an_event_in_the_step_of_an_impact_changes_nothing_of_it(grip: float) -> None:
    run = ball_and_cart(grip).compile().simulate(t_end=0.85, step=0.05, method=METHOD)
    assert run.status == "OK" and not run.doubts
    (event,) = run.events
    assert (event.t, event.next_mode) == (pytest.approx(grip, abs=1e-12), "held")
    assert run["cart.q"][-1] == pytest.approx(grip, abs=1e-12)
    # the ball knows nothing of it
    since = 0.85 - FALL
    height = 0.5 * G * FALL * since - 0.5 * G * since**2
    assert run["ball.q"][-1] == pytest.approx(height, abs=1e-12)


def test_a_block_slides_from_when_its_latch_opens() -> None:
    plant = block().compile()
    run = plant.simulate(t_end=1.5, step=0.05, method=METHOD)
    assert run.status == "OK" and not run.doubts
    a = G * (math.sin(SLOPE) - MU * math.cos(SLOPE))
    assert run["x.q"][-1] == pytest.approx(0.5 * a * (1.5 - LET_GO) ** 2, abs=1e-12)
    assert run["floor.force"][1:] == pytest.approx(2.0 * G * math.cos(SLOPE), rel=1e-12)


@pytest.mark.parametrize("shape", [il.point(), il.box((0.2, 0.2, 0.2))], ids=["declared", "found"])
def test_a_trap_door_is_hard_while_it_is_shut(shape: il.Shape) -> None:
    """One of the modes has no contacts at all."""
    m, half = trap_door(shape)
    run = m.compile().simulate(t_end=1.0, step=0.05, method=METHOD)
    assert run.status == "OK" and not run.doubts
    lies = (run.t > 0.3) & (run.t < 0.7)
    assert run["body.q"][lies] == pytest.approx(half, abs=1e-14)
    assert run["door.force"][lies] == pytest.approx(3.0 * G, rel=1e-12)
    assert run["body.q"][-1] == pytest.approx(half - 0.5 * G * (1.0 - 0.7003) ** 2, abs=1e-13)


def test_a_clutch_grips_while_a_foot_slides() -> None:
    """A rotor drives a cart by a clutch that grips at a speed; the cart rubs on the floor."""
    m = il.Model("clutch")
    rotor = m.body("rotor", on=m.ground, joint=il.prismatic("x", initial=(0.0, 1.0)), mass=1.5)
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x"), mass=2.0)
    foot = m.body("foot", on=cart, joint=il.prismatic("z"), mass=0.5)
    m.contact(m.ground, il.plane(), foot, il.point(), law=il.hard(friction=0.4), name="floor")
    apart, one = m.mode("apart"), m.mode("one")
    with m.during(one):
        m.couple({rotor: 1.0, cart: -1.0}, offset=None, name="clutch")
    m.event("grips", lambda t: 0.2 - t, mode=apart, to=one, impact=one)
    run = m.compile().simulate(t_end=1.0, step=0.05, method=METHOD)
    assert run.status == "OK" and not run.doubts
    # as one they have 1.5 / 4 m/s, and friction of the foot's weight brakes all of it to rest
    speed, brake = 1.5 / 4.0, 0.4 * 0.5 * G / 4.0
    stops = 0.2 + speed / brake
    assert stops < 1.0
    assert run["cart.q"][-1] == pytest.approx(0.5 * speed**2 / brake, abs=1e-11)
    assert np.abs(run["cart.qd"][run.t > stops]).max() < 1e-13
