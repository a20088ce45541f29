"""19: suspension hard points that avoid steering when the wheel moves up and down.

Objective: let `il.optimise` move the inner end of a tie rod until the wheel keeps its direction
over the whole travel, and compare the result with the position that geometry predicts.

Equations: two parallel arms of equal length L, as far apart as their ball joints, carry the knuckle
like a parallelogram. The knuckle does not rotate, and each of its points moves on a circle of
radius L about its own center. If the inner end of the tie rod is on the axis of the circle of its
outer end, which is parallel to the axes of the arms, the rod keeps its length without steering.
Elsewhere the wheel toes in and out. With toe angles δ_k over the travel the figure of merit is

    Σ δ_k²,

`il.optimise` receives the δ_k, so that it can use the Gauss-Newton method.

Run it with `python examples/19_roll_steer.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

PIVOT, ARM, APART = 0.35, 0.40, 0.20  # of the arms: position, length, height of the upper one [m]
OUTER = (-0.12, PIVOT + ARM, 0.10)  # end of the tie rod on the knuckle, wheel straight [m]
SWING = 0.15  # of the arms, up and down [rad]
FIRST = {"inner_y": 0.20, "inner_z": 0.13}  # inner end of the tie rod [m]


def corner() -> il.Model:
    """A wheel on two arms and a tie rod; the lower arm is driven."""
    m = il.Model("corner", gravity=(0.0, 0.0, 0.0))
    y = m.parameter("inner_y", FIRST["inner_y"], unit="m", range=(0.05, 0.70))
    z = m.parameter("inner_z", FIRST["inner_z"], unit="m", range=(-0.20, 0.60))
    lower = m.body("lower", on=m.ground.point("a", (0, PIVOT, 0)), joint=il.revolute("x"))
    upper = m.body("upper", on=m.ground.point("b", (0, PIVOT, APART)), joint=il.revolute("x"))
    joints = [il.revolute("z"), il.revolute("x"), il.revolute("y")]
    knuckle = m.chain("knuckle", on=upper.point("ball", (0, ARM, 0)), joints=joints, mass=16.0)
    m.close(knuckle.point("lower_ball", (0, 0, -APART)), lower.point("ball", (0, ARM, 0)))
    # the length for a straight wheel
    inner = (-0.20, y, z)
    length = il.sqrt((OUTER[0] - inner[0]) ** 2 + (OUTER[1] - y) ** 2 + (OUTER[2] - z) ** 2)
    outer = knuckle.point("outer", (OUTER[0], 0, OUTER[2] - APART))
    m.close(outer, m.ground.point("inner", inner), kind="rod", length=length, name="tie")
    m.drive(lower, lambda t: SWING * il.sin(2.0 * np.pi * t))
    return m


def toe(plant: il.Plant) -> np.ndarray:
    """Angle of the wheel seen from above, over one travel up and down [rad]."""
    run = plant.simulate(t_end=1.0, step=0.02)
    lean, turn, tilt = (run[f"{name}.q"] for name in ("upper", "knuckle_rz", "knuckle_rx"))
    # the wheel's axle, which points along y for a straight wheel
    ahead = -np.sin(turn) * np.cos(tilt)
    aside = np.cos(lean) * np.cos(turn) * np.cos(tilt) - np.sin(lean) * np.sin(tilt)
    return np.arctan2(-ahead, aside)


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<46} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    """Move the hard point, compare with geometry."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="write the figure")
    options = parser.parse_args()
    plant = corner().compile()

    before = np.abs(toe(plant)).max()
    bounds = {"inner_y": (0.10, 0.65), "inner_z": (-0.15, 0.55)}
    best = il.optimise(toe, bounds, plant=plant, most=80)
    print(best)
    plant.parameters.update(best.values)
    after = np.abs(toe(plant)).max()
    print(f"largest toe angle: {np.degrees(before):.3f}°, then {np.degrees(after):.2e}°")

    assert before > np.radians(1.0), before
    check("toe that is left, as a part", after / before, 1e-4)
    check("inner end beside the axis, y [m]", abs(best.values["inner_y"] - PIVOT), 1e-4)
    check("inner end beside the axis, z [m]", abs(best.values["inner_z"] - OUTER[2]), 1e-4)

    # a design that cannot be assembled is reported, and does not end the search
    far = il.optimise(toe, bounds, plant=plant, first=FIRST, method="global", most=60)
    check("best of a few designs from all over, as a part", far.merit / far.first.merit, 0.5)
    if options.plot:
        best.plot(file=options.plot)


if __name__ == "__main__":
    main()
