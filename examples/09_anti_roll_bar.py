"""09: an anti-roll bar, a force law of two coordinates.

Objective: write a law that acts on several joints at once, by its efforts and by its energy, and
see its effect on the two motions of an axle.

Equations: each wheel swings on a trailing arm of length a, J = m a² about its pivot, held by a
spring k. The bar twists by the difference of the angles, V = kb/2 (x - y)². It has no effect when
both wheels move together, and acts twice when they move in opposite directions:

    w1 = sqrt(k/J),  w2 = sqrt((k + 2 kb)/J).

If only the left wheel is lifted to A and released, both motions start with A/2, and

    x = A/2 (cos w1 t + cos w2 t),  y = A/2 (cos w1 t - cos w2 t).

Run it with `python examples/09_anti_roll_bar.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import inloop as il

MASS, ARM = 18.0, 0.4  # of a wheel [kg], of its trailing arm [m]
SPRING, BAR = 9e3, 2.5e3  # of an arm, of the bar [N m/rad]
STEP = 5e-4  # [s]
LIFTED = 0.06  # left arm at the start [rad]


def axle(by_energy: bool) -> il.Model:
    """Two trailing arms on the ground, without gravity."""
    m = il.Model("axle", gravity=(0.0, 0.0, 0.0))
    bar = m.parameter("bar", BAR, unit="N*m/rad", range=(0.0, 1e4))
    arms = []
    for name, y, start in (("left", 0.7, LIFTED), ("right", -0.7, 0.0)):
        pivot = m.ground.point(f"pivot_{name}", (0.0, y, 0.0))
        joint = il.revolute("y", initial=(start, 0.0))
        arms.append(m.body(name, on=pivot, joint=joint, mass=MASS, com=(-ARM, 0.0, 0.0)))
        m.torsion_spring(name, SPRING)

    def efforts(q: tuple[Any, Any]) -> Any:
        # one effort per joint, in the order of the joints
        twist = q[0] - q[1]
        return (-bar * twist, bar * twist), {"torque": bar * twist}

    if by_energy:
        m.potential(arms, lambda q: 0.5 * bar * (q[0] - q[1]) ** 2, name="anti_roll")
    else:
        m.coupled_force(arms, efforts, name="anti_roll", outputs={"torque": "N*m"})
    return m


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Two wheels and the bar between them.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    plant = axle(by_energy=False).compile()
    run = plant.simulate(t_end=1.0, step=STEP)
    print(run)
    if args.plot:
        run.plot("left.q", "right.q", "anti_roll.torque", file=args.plot)

    inertia = MASS * ARM**2
    together, apart = np.sqrt(SPRING / inertia), np.sqrt((SPRING + 2.0 * BAR) / inertia)
    found = np.sort(plant.eigenmodes(q={"left": 0.0, "right": 0.0}).frequencies) * 2.0 * np.pi
    check("both frequencies [rad/s]", float(np.abs(found - [together, apart]).max()), 1e-6)

    left = 0.5 * LIFTED * (np.cos(together * run.t) + np.cos(apart * run.t))
    right = 0.5 * LIFTED * (np.cos(together * run.t) - np.cos(apart * run.t))
    check("motion of the left wheel [rad]", float(np.abs(run["left.q"] - left).max()), 1e-6)
    check("motion of the right wheel [rad]", float(np.abs(run["right.q"] - right).max()), 1e-6)

    # the same bar by its energy; the total energy of springs and wheels is conserved
    other = axle(by_energy=True).compile().simulate(t_end=1.0, step=STEP)
    check("by its energy [rad]", float(np.abs(other.q - run.q).max()), 1e-12)
    springs = 0.5 * SPRING * np.sum(other.q**2, axis=1)
    total = other.energy[:, 0] + springs + other["anti_roll.energy"]
    check("energy [relative]", float(np.ptp(total) / total[0]), 1e-6)

    # without stiffness, the bar does not move the right wheel
    plant.parameters["bar"] = 0.0
    alone = plant.simulate(t_end=1.0, step=STEP)
    check("the right wheel without a bar [rad]", float(np.abs(alone["right.q"]).max()), 0.0)


if __name__ == "__main__":
    main()
