"""Contacts that are found, in mechanisms with drives and loops: closed forms, equal models."""

from __future__ import annotations

import numpy as np
import pytest
from hard_models import G

import inloop as il

SIDES = (0.24, 0.16, 0.1)
CORNERS = [(a * SIDES[0], b * SIDES[1], c * SIDES[2]) for a in (-0.5, 0.5) for b in (-0.5, 0.5)
           for c in (-0.5, 0.5)]  # fmt: skip


def on_table(found: bool, law: tuple[float, float], axis: str = "z") -> il.Model:
    """A box on a driven table, touched with eight corners that are declared or found."""
    m = il.Model("table", gravity=(0.0, 0.0, -G))
    joint = il.prismatic(axis)
    table = m.body("table", on=m.ground, joint=joint, mass=1.0)
    m.drive(table)
    square = np.square(SIDES)
    box = m.body(
        "box",
        on=m.ground,
        joint=il.free(position=(0.0, 0.0, 0.5 * SIDES[2] - 1e-9)),
        mass=2.0,
        inertia=tuple((2.0 / 12.0 * (square.sum() - square)).tolist()),
    )
    if found:
        m.contact(table, il.plane(), box, il.box(SIDES), law=il.hard(*law), name="touch")
        return m
    for k, at in enumerate(CORNERS):
        corner = box.point(f"corner_{k}", at)
        m.contact(table, il.plane(), corner, il.point(), law=il.hard(*law), name=f"touch_{k}")
    return m


def shaken(model: il.Model, seconds: float, **start: float) -> il.Result:
    """The table goes up and down, so fast that the box is thrown."""
    size, pace = 0.02, 30.0
    motion = {
        "table.q": lambda t: size * il.sin(pace * t),
        "table.qd": lambda t: size * pace * il.cos(pace * t),
        "table.qdd": lambda t: -size * pace**2 * il.sin(pace * t),
    }
    return model.compile().simulate(t_end=seconds, step=1e-3, inputs=motion, qd=start)


def test_a_box_on_a_shaken_table_is_the_same_with_corners_that_are_found() -> None:
    # tilted by its spin, it comes down on single corners
    runs = [shaken(on_table(found, (0.2, 0.4)), 0.4, box_wx=0.3) for found in (True, False)]
    thrown = runs[0]["box_tz.q"] - runs[0]["table.q"] - 0.5 * SIDES[2]
    assert thrown.max() > 5e-3
    for axis in "xyz":
        one, other = (run[f"box_t{axis}.q"] for run in runs)
        assert np.abs(one - other).max() < 2e-6
    carried = [run["touch.force"] for run in runs[:1]]
    carried.append(sum(runs[1][f"touch_{k}.force"] for k in range(8)))
    still = runs[0].t < 0.05
    assert np.abs(carried[0] - carried[1])[still].max() < 1e-6


def test_a_driven_table_carries_a_box_with_its_acceleration() -> None:
    a = 2.5
    motion = {
        "table.q": lambda t: 0.5 * a * t**2,
        "table.qd": lambda t: a * t,
        "table.qdd": lambda t: a + 0.0 * t,
    }
    run = on_table(True, (0.0, 0.4)).compile().simulate(t_end=0.3, step=1e-3, inputs=motion)
    assert run["touch.force"][10:] == pytest.approx(2.0 * (G + a), rel=1e-9)
    # the drive carries both
    assert run["table.effort"][10:] == pytest.approx(3.0 * (G + a), rel=1e-9)
    assert run["box_tz.q"] - run["table.q"] == pytest.approx(0.5 * SIDES[2], abs=1e-8)


def test_a_belt_takes_a_box_along_by_friction() -> None:
    mu, speed = 0.3, 0.8
    motion = {"table.q": lambda t: speed * t, "table.qd": speed, "table.qdd": 0.0}
    run = on_table(True, (0.0, mu), "x").compile().simulate(t_end=0.5, step=1e-3, inputs=motion)
    end = speed / (mu * G)
    slips = (run.t > 0.01) & (run.t < end - 0.01)
    assert run["box_tx.qd"][slips] == pytest.approx(mu * G * run.t[slips], rel=1e-3)
    assert run["box_tx.qd"][-1] == pytest.approx(speed, abs=1e-9)
    # the drive gives what friction takes
    assert run["table.effort"][slips] == pytest.approx(mu * 2.0 * G, rel=1e-9)
    assert run["table.effort"][-1] == pytest.approx(0.0, abs=1e-6)
    assert run["box_tx.q"][-1] == pytest.approx(speed * 0.5 - 0.5 * speed * end, abs=1e-3)


def linkage(found: bool) -> il.Model:
    """A slider-crank whose rod carries a ball that bumps on the floor."""
    m = il.Model("linkage", gravity=(0.0, 0.0, -G))
    turn, hinge = il.revolute("y", initial=(-0.9, 3.0)), il.revolute("y", guess=1.2)
    crank = m.body("crank", on=m.ground, joint=turn, mass=0.8, com=(0.1, 0, 0), inertia=(0.01,) * 3)
    pin = crank.point("pin", (0.2, 0.0, 0.0))
    rod = m.body("rod", on=pin, joint=hinge, mass=0.5, com=(0.25, 0, 0), inertia=(0.02,) * 3)
    slider = m.body("slider", on=m.ground, joint=il.prismatic("x", guess=0.6), mass=1.2)
    m.close(rod.point("end", (0.5, 0.0, 0.0)), slider.point("pin", (0.0, 0.0, 0.0)))
    ball = rod.point("ball", (0.15, 0.0, -0.02))
    floor = m.ground.frame("floor", (0.0, 0.0, -0.15))
    shape = il.terrain(lambda x, y: 0.0, size=(4.0, 1.0), cell=0.25) if found else il.plane()
    m.contact(floor, shape, ball, il.sphere(0.06), law=il.hard(0.4, 0.2), name="touch")
    return m


def test_a_linkage_bumps_the_same_on_a_floor_of_triangles() -> None:
    runs = [linkage(found).compile().simulate(t_end=0.6, step=5e-4) for found in (True, False)]
    for run in runs:
        assert run.status == "OK" and not run.doubts
    assert runs[0]["touch.force"].max() > 0.0
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-7)


def test_steps_with_contacts_that_are_found_in_loops_repeat_to_the_bit() -> None:
    plant = linkage(True).compile()
    run = plant.simulate(t_end=0.3, step=5e-4)
    assert np.count_nonzero(np.diff(run["touch.force"] > 0.0)) > 1
    names = [f"{c}.{of}" for c in plant.coordinates for of in ("q", "qd")]
    names += ["touch.gap", "touch.force", "touch.touch_1_normal_z"]
    stepper = plant.stepper(step=5e-4)
    for _ in range(300):
        stepper.step()
    kept = stepper.snapshot()
    for _ in range(2):
        stepper.restore(kept)
        for _ in range(300):
            stepper.step()
        assert [stepper[name] for name in names] == [run[name][-1] for name in names]


@pytest.mark.thinned(2)
@pytest.mark.parametrize(("damping", "told"), [(60.0, True), (1.0, False)])
def test_dampers_that_explicit_steps_do_not_follow_are_told(damping: float, told: bool) -> None:
    """A ball joint beside a drive leaves laws explicit: a finger at rest presses with less."""
    m = on_table(True, (0.0, 0.4))
    finger = m.body("finger", on=m.ground.point("above", (0.0, 0.0, 0.3)),
                    joint=il.prismatic("z"), mass=0.15)  # fmt: skip
    m.joint_force(finger, lambda q, qd: -5.0 - damping * qd, name="motor")
    m.hard_stop(finger, 0.0, limits=(-0.01, 0.01), name="stop")
    run = m.compile().simulate(t_end=0.4, step=1e-3)
    carried, known = float(run["stop_low.effort"][-1]), 5.0 + 0.15 * G
    assert any("'motor'" in doubt and "off by half" in doubt for doubt in run.doubts) == told
    # what is not told is small
    assert told or carried == pytest.approx(known, rel=1e-2)
