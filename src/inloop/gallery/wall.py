"""A wall of thirty bricks without mortar, and a wrecking ball."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import inloop as il
from inloop.gallery import (
    GROUND,
    Bench,
    Exhibit,
    Experiment,
    Outcome,
    Reference,
    View,
    gravity_along,
    parts,
)

LENGTH, DEPTH, HEIGHT = 0.3, 0.15, 0.12  # of a brick [m]
BRICK = 4.0  # [kg]; half bricks half of it
JOINT = 1e-3  # between bricks of a course [m]
ALONG = 5  # bricks of a course
COURSES = 5  # below the battlements
RADIUS, BALL, ROPE = 0.14, 25.0, 1.4  # of the ball [m, kg], from the hook to its center [m]
HOOK = (0.0, -(0.5 * DEPTH + RADIUS + 0.01), 1.85)  # [m]
RAISED = np.radians(65.0)
K = 1e7  # [N/m]
G = 9.81
# of the ball at the bottom [m/s]: v² (1 + 2 r² / 5 l²) = 2 g l (1 - cos α)
FASTEST = float(
    np.sqrt(2.0 * G * ROPE * (1.0 - np.cos(RAISED)) / (1.0 + 0.4 * (RADIUS / ROPE) ** 2))
)
COLORS = ("#a65238", "#b5623f", "#9b4a34", "#bd7049", "#ad5a3c")


def bricks() -> dict[str, tuple[float, tuple[float, float, float]]]:
    """Length of each brick and where its center is [m]: whole and half ones, three on top."""
    pitch, found = LENGTH + JOINT, {}
    left = -0.5 * (ALONG * pitch - JOINT)
    for course in range(COURSES + 1):
        z = (course + 0.5) * HEIGHT - 1e-9 * (course + 1)
        if course == COURSES:
            row = [(LENGTH, left + 0.5 * LENGTH + k * pitch) for k in (0, 2, 4)]
        elif course % 2 == 0:
            row = [(LENGTH, left + 0.5 * LENGTH + k * pitch) for k in range(ALONG)]
        else:
            half = 0.5 * (LENGTH - JOINT)
            row = [(half, left + 0.5 * half)]
            row += [(LENGTH, left + half + JOINT + 0.5 * LENGTH + k * pitch) for k in range(4)]
            row += [(half, -left - 0.5 * half)]
        for k, (length, x) in enumerate(row):
            found[f"brick_{course}_{k}"] = (length, (x, 0.0, z))
    return found


def wall() -> il.Model:
    """Bricks, ground and ball are one pile; the ball hangs on a rope that does not slacken."""
    m = il.Model("wall", gravity=gravity_along("-z"), doc="A wall without mortar.")
    mu = m.parameter("mu", 0.6, unit="1", range=(0.0, 1.5), doc="friction of all contacts")
    e = m.parameter("e", 0.1, unit="1", range=(0.0, 1.0), doc="restitution of all contacts")
    members: list[tuple[Any, il.Shape]] = [(m.ground, il.plane())]
    for name, (length, place) in bricks().items():
        edges = (length, DEPTH, HEIGHT)
        mass, square = BRICK * length / LENGTH, np.square(edges)
        body = m.body(
            name,
            on=m.ground,
            joint=il.free(position=place),
            mass=mass,
            inertia=tuple((mass / 12.0 * (square.sum() - square)).tolist()),
        )
        members.append((body, il.box(edges)))
    half = -0.5 * RAISED
    ball = m.body(
        "ball",
        on=m.ground.point("hook", HOOK),
        joint=il.ball(initial=(float(np.cos(half)), float(np.sin(half)), 0.0, 0.0)),
        mass=BALL,
        com=(0.0, 0.0, -ROPE),
        inertia=(0.4 * BALL * RADIUS**2,) * 3,
    )
    members.append((ball.point("center", (0.0, 0.0, -ROPE)), il.sphere(RADIUS)))
    m.pile(members, law=il.hard(restitution=e, friction=mu, stiffness=K), contacts=400)
    return m


def _looks() -> Mapping[str, tuple[il.Visual, ...]]:
    """Fired bricks on a slab, a ball of steel on a gallows."""
    looks: dict[str, tuple[il.Visual, ...]] = {}
    for k, (name, (length, _)) in enumerate(bricks().items()):
        shape = il.box((length, DEPTH, HEIGHT))
        looks[name] = (il.visual(shape, color=COLORS[(7 * k) % len(COLORS)], material="paint"),)
    rope = il.cylinder(0.012, ROPE - RADIUS)
    looks["ball"] = (
        il.visual(il.sphere(RADIUS), (0.0, 0.0, -ROPE), parts.STEEL, material="metal"),
        il.visual(rope, (0.0, 0.0, -0.5 * (ROPE - RADIUS)), "#3a3d42", material="metal"),
    )
    x, y, z = HOOK
    beam = il.box((0.07, 1.3, 0.07))
    post = il.box((0.08, 0.08, z + 0.07))
    looks[GROUND] = (
        il.visual(il.box((2.6, 3.2, 0.04)), (0.0, -0.1, -0.02), "#8d8f8a", material="plastic"),
        il.visual(beam, (x, y - 0.6, z + 0.035), "#d9a441", material="paint"),
        il.visual(post, (x, y - 1.21, 0.5 * z + 0.035), "#d9a441", material="paint"),
    )
    return looks


def _speed_at_the_bottom(plant: il.Plant) -> float:
    """Of the ball, just before it hits [m/s]."""
    run = plant.simulate(t_end=0.7, step=1e-3)
    return ROPE * float(np.abs(run["ball_wx.qd"]).max())


def _weight(plant: il.Plant) -> float:
    """What the ground carries while the wall stands [N]: its contacts are the first ones."""
    run = plant.simulate(t_end=0.2, step=1e-3)
    return float(sum(run[f"pile.touch_{k + 1}_normal"][-1] for k in range(4 * ALONG)))


def _strike(bench: Bench) -> Outcome:
    """The ball goes through the wall."""
    run = bench.compile().simulate(t_end=bench.seconds or 2.0, step=1e-3)
    energy = run.energy.sum(axis=1)
    residual = run["pile.residual"]
    figures: dict[str, float | tuple[float, ...]] = {
        "contacts that carry, most": float(run["pile.carrying"].max()),
        "energy gained in a step, most [J]": float(max(0.0, np.diff(energy).max())),
        "steps with a residual above 1e-6 [%]": float(100.0 * np.mean(residual > 1e-6)),
        "residual, most": float(residual.max()),
    }

    def draw(figure: Any) -> None:
        above, middle, below = figure.subplots(3, 1, sharex=True)
        above.plot(run.t, run["pile.carrying"])
        above.set_ylabel("contacts")
        middle.plot(run.t, energy - energy[-1])
        middle.set_ylabel("energy left [J]")
        below.semilogy(run.t, np.maximum(residual, 1e-12))
        below.set_ylabel("residual")
        below.set_xlabel("t [s]")

    return Outcome(figures, draw, result=run)


EXHIBIT = Exhibit(
    name="wall",
    title="Wrecking ball and a wall of thirty bricks",
    look_at="Pull the ball back, or a brick out of the wall: islands of bricks are solved apart.",
    make=wall,
    start="the ball is raised by 65° and let go",
    seconds=4.0,
    step=1e-3,
    method="moreau",
    view=View("xyz", ("pile.carrying", "pile.residual")),
    looks=_looks,
    reach=((-0.9, -1.5, 0.0), (0.9, 0.9, 1.8)),
    experiments={"strike": Experiment("the ball goes through the wall", _strike)},
    references=(
        Reference(
            what="speed of the ball at the bottom",
            value=(FASTEST,),
            unit="m/s",
            tolerance=1e-3,
            source="v² (1 + 2 r² / 5 l²) = 2 g l (1 - cos α)",
            measure=_speed_at_the_bottom,
        ),
        Reference(
            what="weight of the wall",
            value=(BRICK * (26 + 4 * 0.5 * (LENGTH - JOINT) / LENGTH) * G,),
            unit="N",
            tolerance=1e-4,
            source="the sum of all bricks",
            measure=_weight,
        ),
    ),
)
