"""From event to event at the edges of what can happen: contacts that graze or hit at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hard_models import G

import inloop as il
from inloop.gallery.woodpecker.model import woodpecker

METHOD = "event_driven"


@pytest.mark.thinned(2)
@pytest.mark.parametrize("over", [1e-3, 1e-6, 1e-9, -1e-9])
def test_a_tip_that_grazes_the_floor_hits_it_however_little(over: float) -> None:
    """The tip of an arm of 1 m comes so far below the floor; a sample is half of the motion."""
    m = il.Model("arm", gravity=(0.0, 0.0, 0.0))
    turn = il.revolute("y", initial=(-0.5, 1.0))
    arm = m.body("arm", on=m.ground, joint=turn, mass=1.0, inertia=(0.1,) * 3)
    floor = m.ground.frame("floor", (0.0, 0.0, over - 1.0))
    tip = arm.point("tip", (0.0, 0.0, -1.0))
    m.contact(floor, il.plane(), tip, il.point(), law=il.hard(0.5), name="floor")
    run = m.compile().simulate(t_end=1.0, step=0.5, method=METHOD)
    if over < 0.0:
        assert run.q[-1, 0] == pytest.approx(0.5, abs=1e-13)
    else:
        meets = -np.arccos(1.0 - over)
        back = 0.5 * (1.0 - (0.5 + meets))
        # where it meets is found as well as the cosine of a small angle is known
        assert run.q[-1, 0] == pytest.approx(meets - back, abs=1e-15 / abs(meets) + 1e-13)


@pytest.mark.parametrize(
    ("apart", "speeds"), [(1e-6, (0, 0, 0, 2)), (0.0, (-1, 1, 1, 1))], ids=["apart", "touching"]
)
def test_a_ball_hits_a_row_of_balls(apart: float, speeds: tuple[float, ...]) -> None:
    """Balls apart hit one after the other; by Moreau's law those that touch go on together."""
    m = il.Model("cradle", gravity=(0.0, 0.0, 0.0))
    balls = []
    for k in range(4):
        start = (0.2 + apart) * k - (0.8 if k == 0 else 0.0), 2.0 if k == 0 else 0.0
        joint = il.prismatic("x", initial=start)
        balls.append(m.body(f"ball_{k}", on=m.ground, joint=joint, mass=1.3))
    for k, (left, right) in enumerate(pairwise(balls)):
        law = il.hard(1.0)
        m.contact(left, il.sphere(0.1), right, il.sphere(0.1), law=law, name=f"touch_{k}")
    run = m.compile().simulate(t_end=1.0, step=0.1, method=METHOD)
    # the impulses of an impact are solved for to 1e-11
    assert run.qd[-1] == pytest.approx(speeds, abs=1e-10)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_box_that_falls_flat_does_not_turn(e: float) -> None:
    """Four corners hit at once."""
    m = il.Model("box")
    start = il.free(position=(0.0, 0.0, 0.25), velocity=(0.2, 0.0, 0.0))
    body = m.body("box", on=m.ground, joint=start, mass=1.0, inertia=(0.01, 0.008, 0.009))
    shape = il.box((0.2, 0.3, 0.1))
    m.contact(m.ground, il.plane(), body, shape, law=il.hard(e, 0.0), name="floor")
    run = m.compile().simulate(t_end=0.4, step=0.1, method=METHOD)
    fall = np.sqrt(0.4 / G)
    since = 0.4 - fall
    rise = e * G * fall * since - 0.5 * G * since**2 if e else 0.0
    assert run.q[-1, :3] == pytest.approx([0.08, 0.0, 0.05 + rise], abs=1e-12)
    assert np.abs(run.q[-1, 3:6]).max() < 1e-12


def test_the_woodpecker_climbs_down_as_ever_shorter_steps_say() -> None:
    """A cycle: it jams, lets go, falls, and pecks."""
    plant = woodpecker().compile()
    run = plant.simulate(t_end=0.13, step=5e-3, method=METHOD)
    assert run.status == "OK" and not run.doubts
    off = [
        np.abs(plant.simulate(t_end=0.13, step=h, method="moreau").q[-1] - run.q[-1]).max()
        for h in (1e-4, 2.5e-5)
    ]
    # order 1
    assert off[0] < 2e-3 and off[1] < 0.4 * off[0]
