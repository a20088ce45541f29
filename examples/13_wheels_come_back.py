"""13: wheels that come back, and a cart that does not.

Objective: let wheels roll without slip, drive them, and show that constraints on velocities do not
restrict the reachable positions.

Equations: a cart has two wheels of radius r, b to the left and right of its middle. It cannot move
sideways. It rolls forward and turns with

    u = r (w_l + w_r) / 2,   w = r (w_r - w_l) / (2 b).

It goes forward by L, turns by a, goes back by L, and turns back. The net rotation of both wheels is
then zero, but the cart is beside its start, at

    x = L (1 - cos a),   y = -L sin a.

Run it with `python examples/13_wheels_come_back.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
import math
from itertools import pairwise
from typing import Any

import numpy as np

import inloop as il

RADIUS, TRACK = 0.1, 0.2  # of the wheels, half the distance between them [m]
LENGTH, TURN = 0.8, 0.9  # of the way forward [m], of the turn [rad]
PART, STEP = 2.0, 1e-3  # duration of each part of the path, step [s]
MASS, WHEEL = 12.0, 0.8  # of the cart, of a wheel [kg]


def cart() -> il.Model:
    """A cart in the plane with two driven wheels."""
    m = il.Model("cart")
    plane = [il.prismatic("x"), il.prismatic("y"), il.revolute("z")]
    floor = m.ground.point("start", (0.0, 0.0, RADIUS))
    about = (0.3, 0.4, 0.5)
    body = m.body("cart", on=floor, joint=plane, mass=MASS, com=(0.05, 0.0, 0.1), inertia=about)
    ahead, turn = LENGTH / RADIUS, TURN * TRACK / RADIUS  # angles of the wheels
    for name, side in (("left", 1.0), ("right", -1.0)):
        hub, spin = body.point(name, (0.0, side * TRACK, 0.0)), 0.5 * WHEEL * RADIUS**2
        inertia = (0.5 * spin, spin, 0.5 * spin)
        m.body(name, on=hub, joint=il.revolute("y"), mass=WHEEL, inertia=inertia)
        m.rolls(name, radius=RADIUS, axis="y", name=f"{name}_tire")
        stops = [0.0, ahead, ahead - side * turn, -side * turn, 0.0]
        m.drive(name, lambda t, stops=stops: path(t, stops))
    return m


def path(t: Any, stops: list[float]) -> Any:
    """Angle along the stops [rad]; each part starts and ends at rest with zero acceleration."""
    total = stops[0]
    for k, (a, b) in enumerate(pairwise(stops)):
        s = il.minimum(il.maximum((t - k * PART) / PART, 0.0), 1.0)
        total = total + (b - a) * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return total


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A cart that moves aside.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    plant = cart().compile()
    print("\n".join(plant.formulation.notes))  # constraints that are redundant between the wheels
    run = plant.simulate(t_end=4 * PART, step=STEP)
    print(run)
    if args.plot:
        run.plot("left.q", ("cart_tx.q", "cart_ty.q"), "lam.left_tire.longitudinal", file=args.plot)

    for wheel in ("left", "right"):
        check(f"the {wheel} wheel comes back [rad]", abs(float(run[f"{wheel}.q"][-1])), 1e-12)
    aside = [LENGTH * (1.0 - math.cos(TURN)), -LENGTH * math.sin(TURN), 0.0]
    found = [float(run[f"cart_{k}.q"][-1]) for k in ("tx", "ty", "rz")]
    check(
        "the cart has moved aside [m, m, rad]", float(np.abs(np.subtract(found, aside)).max()), 1e-9
    )

    # the tires accelerate the whole mass; the wheels also have rotational inertia
    u = RADIUS * (run["left.qd"] + run["right.qd"]) / 2.0
    straight = run.t < PART
    push = run["lam.left_tire.longitudinal"] + run["lam.right_tire.longitudinal"]
    pushed = (MASS + 2.0 * WHEEL) * np.gradient(u, run.t, edge_order=2)
    check("tires push the cart ahead [N]", float(np.abs(push - pushed)[straight].max()), 1e-4)
    torque = run["left.effort"] + run["right.effort"]
    spin = 0.5 * WHEEL * RADIUS**2 * (run["left.qdd"] + run["right.qdd"])
    check(
        "motors turn wheels and tires [N m]",
        float(np.abs(torque - spin - RADIUS * push).max()),
        1e-9,
    )


if __name__ == "__main__":
    main()
