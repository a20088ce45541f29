"""Piles: closed forms, the other way to find contacts, energy, islands, replay to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hard_models import G

import inloop as il

SIDES, MU = (0.3, 0.2, 0.12), 0.4
SQUARE = np.square(SIDES)
INERTIA = tuple((1.3 / 12.0 * (SQUARE.sum() - SQUARE)).tolist())


def boxes(places: list[tuple[float, float, float]], **options: Any) -> il.Model:
    """Boxes of 1.3 kg and a ball of 0.7 kg on a plane."""
    law = options.pop("law", il.hard(friction=MU))
    m = il.Model("boxes")
    members: list[tuple[Any, il.Shape]] = [(m.ground, il.plane())]
    for k, place in enumerate(places):
        free = il.free(position=place)
        body = m.body(f"box_{k}", on=m.ground, joint=free, mass=1.3, inertia=INERTIA)
        members.append((body, il.box(SIDES)))
    ball = m.body(
        "ball",
        on=m.ground,
        joint=il.free(position=(-1.0, 0.4, 0.1 - 1e-9)),
        mass=0.7,
        inertia=(0.4 * 0.7 * 0.01,) * 3,
    )
    members.append((ball, il.sphere(0.1)))
    m.pile(members, law=law, **options)
    return m


def tower(x: float = 0.0) -> list[tuple[float, float, float]]:
    """Centers of three boxes on each other [m]."""
    return [(x, 0.01 * k, 0.12 * (k + 0.5) - 1e-9 * (k + 1)) for k in range(3)]


@pytest.fixture(scope="module")
def plant() -> il.Plant:
    """A tower, and a ball beside it."""
    return boxes(tower(), contacts=32).compile()


def normals(run: il.Result, first: int, count: int) -> np.ndarray:
    """Sum of the normal forces of some slots [N]."""
    return np.sum([run[f"pile.touch_{k + 1}_normal"] for k in range(first, first + count)], axis=0)


def test_the_ground_carries_a_tower_that_stands(plant: il.Plant) -> None:
    run = plant.simulate(t_end=0.2, step=1e-3)
    assert run.status == "OK" and not run.doubts
    # pairs are told in the order of their members: four corners below the tower, the ball
    assert run["pile.carrying"][-1] == 13
    assert normals(run, 0, 4)[-1] == pytest.approx(3 * 1.3 * G, rel=1e-6)
    assert run["pile.touch_5_normal"][-1] == pytest.approx(0.7 * G, rel=1e-6)
    assert np.abs(run.qd).max() < 1e-7
    assert np.abs(run.q[-1] - run.q[0]).max() < 1e-9


def test_a_tower_slides_to_rest_as_one_and_a_ball_begins_to_roll(plant: il.Plant) -> None:
    sliding = {**{f"box_{k}_ty": 0.8 for k in range(3)}, "ball_tx": 1.4}
    run = plant.simulate(t_end=0.5, step=1e-3, qd=sliding)
    way = 0.8**2 / (2.0 * MU * G)
    for k in range(3):
        assert run[f"box_{k}_ty.q"][-1] - 0.01 * k == pytest.approx(way, abs=1e-5)
    # 5/7 of its speed is left when a ball that slides rolls
    assert run["ball_tx.qd"][-1] == pytest.approx(5.0 / 7.0 * 1.4, rel=1e-6)
    assert run["ball_wy.qd"][-1] == pytest.approx(5.0 / 7.0 * 14.0, rel=1e-6)


def test_a_box_that_spins_is_as_with_contacts_of_its_own() -> None:
    # springs make the share of each corner unique, on which the torque of friction depends
    m, law = il.Model("alone"), il.hard(friction=MU, stiffness=1e6)
    place = (0.0, 0.0, 0.0605)  # it comes down before it slides
    free = il.free(position=place)
    body = m.body("box_0", on=m.ground, joint=free, mass=1.3, inertia=INERTIA)
    m.contact(m.ground, il.plane(), body, il.box(SIDES), law=law, name="touch")
    spin = {"box_0_tx": 0.5, "box_0_wz": 4.0}
    alone = m.compile().simulate(t_end=0.25, step=1e-3, qd=spin)
    run = boxes([place], law=law).compile().simulate(t_end=0.25, step=1e-3, qd=spin)
    # the step of the impact is divided there, and is not here
    for name, within in (("box_0_tx", 5e-5), ("box_0_ty", 2e-4), ("box_0_tz", 1e-5)):
        assert run[f"{name}.q"] == pytest.approx(alone[f"{name}.q"], abs=within), name
    assert abs(alone["box_0_ty.q"][-1]) > 2e-3  # it goes in a curve


@pytest.mark.long
def test_energy_never_grows_while_boxes_tumble_and_bounce() -> None:
    places = [(0.05 * k, 0.03 * k, 0.3 + 0.25 * k) for k in range(4)]
    plant = boxes(places, law=il.hard(0.5, MU), contacts=48).compile()
    spin = {f"box_{k}_wx": 3.0 - 2.0 * k for k in range(4)}
    run = plant.simulate(t_end=1.5, step=1e-3, qd={**spin, "ball_tx": 3.0})
    energy = run.energy.sum(axis=1)
    assert run["pile.impacts"].sum() > 20
    assert energy[0] - energy[-1] > 10.0
    # gyroscopic terms are explicit: what tumbles freely gains 1e-7 J at most
    assert np.diff(energy).max() < 2e-7
    lowest = min(run[f"box_{k}_tz.q"].min() for k in range(4))
    assert lowest > 0.06 - 2e-3


def test_islands_do_not_feel_each_other(plant: il.Plant) -> None:
    two = boxes(tower() + [(x + 2.0, y, z) for x, y, z in tower()], contacts=48).compile()
    push = {"box_1_tx": 0.9, "box_2_wz": 3.0}
    alone = plant.simulate(t_end=0.3, step=1e-3, qd=push)
    both = two.simulate(t_end=0.3, step=1e-3, qd={**push, "box_4_ty": 1.1})
    for k in range(3):
        assert both[f"box_{k}_tx.q"] == pytest.approx(alone[f"box_{k}_tx.q"], abs=1e-9)
    assert np.ptp(both["box_4_ty.q"]) > 0.01


def test_a_tower_that_is_thrown_over_repeats_to_the_bit(plant: il.Plant) -> None:
    stepper = plant.stepper(step=1e-3, q={"ball_tx": -0.5, "ball_ty": 0.0}, qd={"ball_tx": 6.0})
    for _ in range(90):
        stepper.step()
    kept = stepper.snapshot()
    names = [f"{c}.{of}" for c in plant.coordinates for of in ("q", "qd")]
    names += ["pile.residual", "pile.carrying", "pile.touch_1_normal", "pile.touch_1_identity"]
    states = []
    for _ in range(2):
        stepper.restore(kept)
        for _ in range(250):
            stepper.step()
        states.append([stepper[name] for name in names])
    assert states[0] == states[1]
    assert abs(stepper["box_0_tx.q"]) > 0.02  # it was hit


def test_contacts_without_a_slot_are_told() -> None:
    run = boxes(tower(), contacts=6).compile().simulate(t_end=0.01, step=1e-3)
    assert run["pile.carrying"].max() == 6
    assert any("CONTACT_INEXACT" in doubt for doubt in run.doubts)


def pendulum_chain(m: il.Model, members: list[Any]) -> None:
    below: Any = m.ground
    for k in range(9):
        below = m.body(f"link_{k}", on=below, joint=il.revolute("y"), mass=1.0, com=(0, 0, -0.1))
    members.append((below, il.sphere(0.05)))


def spring(m: il.Model, members: list[Any]) -> None:
    m.spring(m.ground.origin, members[1][0], stiffness=10.0, free_length=0.1)


def contact(m: il.Model, members: list[Any]) -> None:
    other = m.body("other", on=m.ground, joint=il.prismatic("z"), mass=1.0)
    m.contact(m.ground, il.plane(), other, il.point(), law=il.hard(), name="floor")


def falling_ground(m: il.Model, members: list[Any]) -> None:
    other = m.body("other", on=m.ground, joint=il.free(), mass=1.0, inertia=(1.0,) * 3)
    members.append((other, il.plane()))


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (pendulum_chain, "a tree of joints has 9 coordinates"),
        (spring, "force laws or flexible links"),
        (contact, "another hard contact, 'floor'"),
        (falling_ground, "a plane and a plane do not touch"),
    ],
)
def test_what_a_pile_cannot_be_combined_with(add: Any, message: str) -> None:
    m = il.Model("refused")
    ball = m.body("ball", on=m.ground, joint=il.free(), mass=1.0, inertia=(1.0,) * 3)
    members: list[Any] = [(m.ground, il.plane()), (ball, il.sphere(0.1))]
    add(m, members)
    m.pile(members, law=il.hard())
    with pytest.raises(il.ModelError, match=message):
        m.compile()


def test_mistakes_are_told() -> None:
    m = il.Model("wrong")
    ball = m.body("ball", on=m.ground, joint=il.free(), mass=1.0, inertia=(1.0,) * 3)
    m.pile([(m.ground, il.plane()), (ball, il.circle(0.1))], law=il.hard(), contacts=0)
    m.pile([(ball, il.sphere(0.1)), m.ground], law=il.hunt_crossley(1e5, 1.5), name="more")  # type: ignore[list-item, arg-type]
    with pytest.raises(il.ModelError) as error:
        m.build()
    for part in ("cannot be in a pile", "from 1 to 8192", "two members", "a frame and a shape",
                 "law must be hard"):  # fmt: skip
        assert part in str(error.value), part


def test_a_drum_a_stone_and_a_capsule_lie_on_each_other() -> None:
    # on a box: a drum that stands and carries a stone; beside them a capsule on its side
    m = il.Model("mixed")
    base = [(x, y, -0.05) for x in (-0.06, 0.06) for y in (-0.05, 0.05)]
    stone = il.convex_hull([*base, (0.0, 0.01, 0.05), (0.02, -0.02, 0.04)])
    placed = [
        ("box", il.box((0.6, 0.4, 0.1)), (0.0, 0.0, 0.05), 3.0),
        ("drum", il.cylinder(0.1, 0.12), (-0.1, 0.0, 0.16), 2.0),
        ("stone", stone, (-0.1, 0.01, 0.27), 1.0),
        ("capsule", il.capsule(0.04, 0.1, "y"), (0.2, 0.0, 0.14), 0.5),
    ]
    members: list[Any] = [(m.ground, il.plane())]
    for name, shape, at, mass in placed:
        joint = il.free(position=at)
        members.append(
            (m.body(name, on=m.ground, joint=joint, mass=mass, inertia=(0.01,) * 3), shape)
        )
    m.pile(members, law=il.hard(friction=0.5, stiffness=1e7))
    run = m.compile().simulate(t_end=0.2, step=1e-3)
    assert run.status == "OK" and not run.doubts
    # each interface carries all that is above it
    weight = G * (6.5 + 3.0 + 1.0 + 0.5)
    assert run["pile.force"][-1] == pytest.approx(weight, rel=1e-6)
    assert np.abs(run.qd[-1]).max() < 1e-6
    for name, _, at, _ in placed:
        assert run[f"{name}_tz.q"][-1] == pytest.approx(at[2], abs=5e-5)
