"""Hard contacts in mechanisms with modes: events within steps, beside closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hard_models import G, trap_door

import inloop as il

FALL = math.sqrt(2.0 / G)  # of one metre [s]
SLOPE, MU, LET_GO = math.radians(25.0), 0.3, 0.5004


def ball_and_cart(grip: float | None) -> il.Model:
    """A ball that bounces, and beside it a cart that a brake grips at a place."""
    m = il.Model("latch")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z", initial=(1.0, 0.0)), mass=1.0)
    cart = m.body("cart", on=m.ground, joint=il.prismatic("x", initial=(0.0, 1.0)), mass=2.0)
    law = il.hard(restitution=0.5)
    m.contact(m.ground, il.plane(), ball, il.point(), law=law, name="floor")
    if grip is not None:
        free, held = m.mode("free"), m.mode("held")
        with m.during(held):
            m.lock(cart, name="brake")
        m.event("grip", lambda q: grip - q["cart"], mode=free, to=held, impact=held)
    return m


@pytest.mark.thinned(2)
@pytest.mark.parametrize("grip", [0.6, FALL - 1e-4, FALL, FALL + 1e-4])
def test_an_event_in_the_step_of_an_impact_changes_nothing_of_it(grip: float) -> None:
    run = ball_and_cart(grip).compile().simulate(t_end=1.2, step=1e-3)
    assert run.status == "OK" and not run.doubts
    (event,) = run.events
    assert (event.t, event.next_mode) == (pytest.approx(grip, abs=1e-12), "held")
    assert run["cart.q"][-1] == pytest.approx(grip, abs=1e-12)
    # the ball knows nothing of it: falls, and rises to a quarter
    alone = ball_and_cart(None).compile().simulate(t_end=1.2, step=1e-3)
    assert np.abs(run["ball.q"] - alone["ball.q"]).max() < 1e-12
    assert run["ball.q"][run.t > FALL].max() == pytest.approx(0.25, abs=1e-6)


def block() -> il.Model:
    """A block on an incline, held by a latch."""
    m = il.Model("block", gravity=(G * math.sin(SLOPE), 0.0, -G * math.cos(SLOPE)))
    x = m.body("x", on=m.ground, joint=il.prismatic("x"))
    z = m.body("z", on=x, joint=il.prismatic("z", initial=(-1e-9, 0.0)), mass=2.0)
    m.contact(m.ground, il.plane(), z, il.point(), law=il.hard(friction=MU), name="floor")
    held, free = m.mode("held"), m.mode("free")
    with m.during(held):
        m.lock(x, name="latch")
    m.event("opens", lambda t: LET_GO - t, mode=held, to=free)
    return m


def test_a_block_slides_from_when_its_latch_opens() -> None:
    plant = block().compile()
    run = plant.simulate(t_end=1.5, step=1e-3)
    assert run.status == "OK" and not run.doubts
    a = G * (math.sin(SLOPE) - MU * math.cos(SLOPE))
    assert run["x.q"][-1] == pytest.approx(0.5 * a * (1.5 - LET_GO) ** 2, abs=1e-9)
    assert run["floor.force"][10:] == pytest.approx(2.0 * G * math.cos(SLOPE), rel=1e-9)
    # steps, and steps after a snapshot, have the same bits
    names = ["x.q", "x.qd", "z.q", "floor.normal", "floor.tangent_1"]
    stepper = plant.stepper(step=1e-3)
    for _ in range(400):
        stepper.step()
    kept = stepper.snapshot()
    for _ in range(2):
        stepper.restore(kept)
        for _ in range(1100):
            stepper.step()
        assert [stepper[name] for name in names] == [run[name][-1] for name in names]


@pytest.mark.parametrize("shape", [il.point(), il.box((0.2, 0.2, 0.2))], ids=["declared", "found"])
def test_a_trap_door_is_hard_while_it_is_shut(shape: il.Shape) -> None:
    m, half = trap_door(shape)
    run = m.compile().simulate(t_end=1.0, step=1e-3)
    assert run.status == "OK" and not run.doubts
    lies = (run.t > 0.3) & (run.t < 0.7)
    assert run["body.q"][lies] == pytest.approx(half, abs=1e-8)
    assert run["door.force"][lies] == pytest.approx(3.0 * G, rel=1e-8)
    assert run["body.q"][-1] == pytest.approx(half - 0.5 * G * (1.0 - 0.7003) ** 2, abs=1e-8)


def test_a_pile_in_modes_is_refused() -> None:
    m = il.Model("blocks")
    block = m.body("block", on=m.ground, joint=il.free(position=(0.0, 0.0, 0.05)), mass=1.0,
                   inertia=(0.004, 0.004, 0.007))  # fmt: skip
    m.pile([(m.ground, il.plane()), (block, il.box((0.2, 0.2, 0.1)))], law=il.hard(friction=0.5))
    one, other = m.mode("one"), m.mode("other")
    m.event("later", lambda t: 0.5 - t, mode=one, to=other)
    with pytest.raises(il.ModelError, match="pile 'pile': the mechanism has modes"):
        m.compile()


def on_a_plate(modes: bool, height: float, speed: float, law: object) -> il.Plant:
    """A cube over a thin plate, alone or with an event after the end of the run."""
    m = il.Model("plate")
    start = il.prismatic("z", initial=(height, speed))
    cube = m.body("cube", on=m.ground, joint=start, mass=1.0)
    if modes:
        early, late = m.mode("early"), m.mode("late")
        m.event("after_the_end", lambda t: 9.0 - t, mode=early, to=late)
    plate, box = il.box((1.0, 1.0, 0.02)), il.box((0.1, 0.1, 0.1))
    m.contact(m.ground, plate, cube, box, law=law, name="plate")
    return m.compile()


@pytest.mark.parametrize(
    ("height", "speed", "stiffness", "told"),
    [
        (0.8, -200.0, None, "may pass through each other unseen"),
        (0.03, 0.0, None, "starts with a penetration of 0.03"),
        (0.06, 0.0, 1e3, "too soft for a hard contact"),
    ],
)
def test_contacts_are_judged_in_modes_and_beside_controllers_too(
    height: float, speed: float, stiffness: float | None, told: str
) -> None:
    law = il.hard(stiffness=stiffness)
    plain, moded = (on_a_plate(modes, height, speed, law) for modes in (False, True))
    expected = plain.simulate(t_end=0.1, step=5e-3).notes
    assert len(expected) == 1 and told in expected[0]
    for plant in (plain, moded):
        assert plant.simulate(t_end=0.1, step=5e-3, controller=lambda t, y: {}).notes == expected
    assert moded.simulate(t_end=0.1, step=5e-3).notes == expected


def test_a_contact_that_exists_before_an_event_does_not_start_with_it() -> None:
    """The springs of contacts are closed while they carry: no penetration at a start."""
    m = il.Model("two_modes")
    ball = m.body("ball", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    begin, end = m.mode("begin"), m.mode("end")
    m.event("half_time", lambda t: 0.5005 - t, mode=begin, to=end)
    law = il.hard(stiffness=1e5)
    m.contact(m.ground, il.plane(), ball, il.point(), law=law, name="floor")
    m.joint_force(ball, lambda q: -100.0)
    plant = m.compile()
    run = plant.simulate(t_end=1.0, step=1e-3)
    assert run.modes[-1] == "end" and run["floor.gap"][-1] < -5e-4
    assert plant.simulate(t_end=2.0, step=1e-3, start=run).notes == run.notes == ()
