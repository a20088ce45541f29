"""20: a stone from an STL file falls on a box.

Objective: use a convex solid of any shape in a hard contact, and check the forces that carry it at
rest.

Equations: contacts only push and rub, so impacts lose energy and never gain it. At rest the normal
forces add up to the weight, and the center of mass is above the center of pressure:

    Σ N_i = m g,   p_com = Σ N_i p_i / Σ N_i  (along the ground).

Run it with `python examples/20_stone_on_box.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import inloop as il

FILE = Path(__file__).with_name("data") / "stone.stl"
DENSITY, GRAVITY = 2600.0, 9.81  # [kg/m³, m/s²]
HEIGHT, END, STEP = 0.8, 2.0, 1e-3  # [m, s, s]


def stone_on_box() -> tuple[il.Model, float]:
    """The stone above the box, and its mass [kg]."""
    shape = il.convex_hull(il.mesh(FILE).surface().vertices)
    solid = shape.mass_properties(DENSITY)
    m = il.Model("stone", gravity=(0.0, 0.0, -GRAVITY))
    stone = m.body(
        "stone",
        on=m.ground,
        joint=il.free(position=(0.0, 0.0, HEIGHT), rate=(1.0, -2.0, 0.5)),
        mass=solid.mass,
        com=tuple(solid.com),
        inertia=solid.inertia,
        visuals=[il.visual(shape, color="#8d7b6c")],
    )
    stone.point("middle", tuple(solid.com))
    law = il.hard(restitution=0.3, friction=0.6)
    m.contact(m.ground, il.box((2.0, 2.0, 0.2)), stone, shape, law=law, name="top")
    return m, solid.mass


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A stone falls on a box.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    model, mass = stone_on_box()
    plant = model.compile()
    run = plant.simulate(t_end=END, step=STEP)
    print(run)
    if args.plot:
        run.plot("stone_tz.q", "top.force", "top.gap", file=args.plot)

    weight, energy = mass * GRAVITY, run.energy.sum(axis=1)
    com = plant.position("stone.middle", run.q[-1])
    carried = np.array([run["top.point_x"][-1], run["top.point_y"][-1]])
    check("speed at rest [m/s, rad/s]", float(np.abs(run.qd[-1]).max()), 1e-9)
    check("carried less weight [N]", abs(float(run["top.force"][-1]) - weight), 1e-6)
    check("center of mass beside what carries [m]", float(np.hypot(*(com[:2] - carried))), 1e-6)
    # in flight, steps of 1 ms leave an error of about 1e-10 of the energy
    check("energy gained in a step [J]", float(np.diff(energy).max()), 1e-9 * energy[0])
    assert energy[0] - energy[-1] > 0.5 * weight * (HEIGHT - 0.5), "it has not fallen"


if __name__ == "__main__":
    main()
