"""Contacts never add energy, and their order does not matter: loops, found contacts, piles.

Random runs of mechanisms whose smooth motion keeps its energy exactly: masses and forces are
constant. 10⁵ steps of each kind are marked `long`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import inloop as il

CUBE, MASS = 0.2, 1.3
SPIN = MASS * CUBE**2 / 6.0
STEPS = 500
# runs of STEPS steps
SEEDS = [4, pytest.param(200, marks=pytest.mark.long)]


def parallelogram(order: Sequence[int] = (0, 1, 2, 3, 4)) -> il.Plant:
    """A coupler on two cranks of the same length, between stops, and a ball in a room above it."""
    m = il.Model("parallelogram", gravity=(0.0, 0.0, 0.0))
    cranks = []
    for k in range(2):
        place = m.ground.point(f"pivot_{k}", (0.5 * k, 0.0, 0.0))
        turn = il.revolute("y", guess=0.0)
        crank = m.body(f"crank_{k}", on=place, joint=turn, mass=0.4, inertia=(0.01,) * 3)
        cranks.append(crank.point("pin", (0.0, 0.0, 0.2)))
    coupler = m.body("coupler", on=cranks[0], joint=il.revolute("y"), mass=0.7, inertia=(0.02,) * 3)
    m.close(coupler.point("end", (0.5, 0.0, 0.0)), cranks[1], name="loop")
    m.independent("crank_0")
    m.hard_stop("crank_0", 1.0, limits=(-1.0, 1.0), name="stop")
    x = m.body("x", on=m.ground, joint=il.prismatic("x"))
    ball = m.body("ball", on=x, joint=il.prismatic("z"), mass=0.3)
    walls = [
        (coupler.frame("top"), 1.0, 0.3),
        (m.ground.frame("ceiling", (0.0, 0.0, 0.6), il.rpy(np.pi, 0.0, 0.0)), 0.9, 0.3),
        (m.ground.frame("left", (-0.4, 0.0, 0.0), il.rpy(0.0, np.pi / 2, 0.0)), 1.0, 0.0),
        (m.ground.frame("right", (0.4, 0.0, 0.0), il.rpy(0.0, -np.pi / 2, 0.0)), 0.95, 0.5),
        (m.ground.frame("slant", (0.4, 0.0, 0.6), il.rpy(0.0, -2.4, 0.0)), 0.8, 0.2),
    ]
    for k in order:
        wall, e, mu = walls[k]
        m.contact(wall, il.plane(), ball, il.sphere(0.03), law=il.hard(e, mu), name=f"wall_{k}")
    return m.compile()


def cube_between(order: Sequence[int] = (0, 1, 2)) -> il.Plant:
    """A cube that falls on a floor, a box and a ball; where it touches them is found."""
    m = il.Model("cube")
    body = m.body("cube", on=m.ground, joint=il.free(), mass=MASS, inertia=(SPIN,) * 3)
    others = [
        (m.ground, il.plane()),
        (m.ground.frame("side", (0.25, 0.0, 0.1)), il.box((0.2, 0.6, 0.2))),
        (m.ground.frame("bump", (-0.2, 0.1, 0.0)), il.sphere(0.1)),
    ]
    for k in order:
        law = il.hard(0.5, 0.4 + 0.1 * k)
        m.contact(*others[k], body, il.box((CUBE,) * 3), law=law, name=f"touch_{k}")
    return m.compile()


def cubes(order: Sequence[int] = (0, 1, 2, 3)) -> il.Plant:
    """A pile of three cubes on the ground."""
    m = il.Model("cubes")
    members: list[tuple[object, object]] = [(m.ground, il.plane())]
    for k in range(3):
        place = il.free(position=(0.05 * k, 0.03 * k, 0.3 + 0.3 * k))
        body = m.body(f"cube_{k}", on=m.ground, joint=place, mass=MASS, inertia=(SPIN,) * 3)
        members.append((body, il.box((CUBE,) * 3)))
    m.pile([members[k] for k in order], law=il.hard(0.4, 0.5), contacts=40)
    return m.compile()


def thrown(plant: il.Plant, seed: int, steps: int = STEPS) -> il.Result:
    """A run from a random state."""
    rng = np.random.default_rng(seed)
    if "crank_0" in plant.coordinates:
        q = {"crank_0": rng.uniform(-0.9, 0.9), "x": rng.uniform(-0.3, 0.3), "ball": 0.3}
        qd = {"crank_0": rng.normal() * 5.0, "x": rng.normal() * 3.0, "ball": rng.normal() * 3.0}
        return plant.simulate(t_end=1e-3 * steps, step=1e-3, q=q, qd=qd)
    bodies = [name.removesuffix("_tx") for name in plant.coordinates if name.endswith("_tx")]
    q, qd = {}, {}
    for k, name in enumerate(bodies):
        turned = rng.normal(size=4)
        q |= {f"{name}_tz": 0.3 + 0.35 * k, name: turned / np.linalg.norm(turned)}
        qd |= {f"{name}_t{axis}": rng.normal() for axis in "xyz"}
        qd |= {f"{name}_w{axis}": 6.0 * rng.normal() for axis in "xyz"}
    return plant.simulate(t_end=1e-3 * steps, step=1e-3, q=plant.vector(**q), qd=qd)


KINDS = {"loop": parallelogram, "found": cube_between, "pile": cubes}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_energy_never_grows(kind: str, seeds: int) -> None:
    plant, lost = KINDS[kind](), 0.0
    for seed in range(seeds):
        energy = thrown(plant, seed).energy.sum(axis=1)
        assert np.diff(energy).max() < 1e-11 * np.abs(energy).max(), seed
        lost += energy[0] - energy[-1]
    assert lost > 0.1 * seeds


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", KINDS)
def test_their_order_does_not_matter(kind: str) -> None:
    orders = {"loop": (3, 0, 4, 2, 1), "found": (2, 0, 1), "pile": (2, 0, 3, 1)}
    plants = KINDS[kind](), KINDS[kind](orders[kind])
    one, other = (thrown(plant, 3, 600) for plant in plants)
    energy = one.energy.sum(axis=1)
    assert energy[-1] < energy[0] - 0.01  # something has hit
    for name in plants[0].coordinates:
        assert other[f"{name}.qd"] == pytest.approx(one[f"{name}.qd"], abs=1e-8), name
