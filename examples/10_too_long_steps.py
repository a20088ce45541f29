"""10: steps that are too long, and how a run reports them.

Objective: drop an elastic ball on a stiff floor, integrate it with explicit steps that are too
long, read the doubts of the result, and let inloop choose a suitable method.

Equations: m z'' = -m g + max(0, -k d), with the gap d under the ball. In contact the eigenvalues
are λ = ±i sqrt(k/m). An explicit method with step h is stable while |λ h| is below about 2.6. No
energy is lost, so the ball returns to its initial height.

Run it with `python examples/10_too_long_steps.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import inloop as il

MASS, STIFFNESS, RADIUS, HEIGHT = 1.0, 1e7, 0.1, 1.0  # [kg], [N/m], [m], [m]
STEP, G = 1e-3, 9.81  # [s], [m/s²]


def falling_ball() -> il.Model:
    """A ball above an elastic floor."""
    m = il.Model("falling_ball", gravity=(0.0, 0.0, -G))
    joint = il.prismatic("z", initial=(HEIGHT + RADIUS, 0.0))
    ball = m.body("ball", on=m.ground, joint=joint, mass=MASS)
    law = il.power_law(STIFFNESS)
    m.contact(m.ground, il.plane(), ball, il.sphere(RADIUS), law=law, name="floor")
    return m


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<38} {found:.9g}  expected {expected:.9g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(rough: il.Result, right: il.Result, file: str) -> None:
    """Both runs, and the time of the first doubt."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.4), layout="constrained")
    axes: Any = figure.subplots()
    axes.plot(rough.t, rough["ball.q"] - RADIUS, label=f"rk4, {1e3 * STEP:g} ms: {rough.status}")
    axes.plot(right.t, right["ball.q"] - RADIUS, label=f"by default ({right.method})")
    axes.axvline(float(rough.doubts[0].split()[2]), color="gray", linestyle=":")
    axes.set_xlabel("t [s]")
    axes.set_ylabel("height [m]")
    axes.legend(frameon=False)
    figure.suptitle(rough.doubts[0].partition(";")[0], fontsize=9)
    figure.savefig(file, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description="Steps that are too long.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of both runs")
    args = parser.parse_args()

    plant = falling_ball().compile()
    rough = plant.simulate(t_end=2.0, step=STEP, method="rk4")
    print(*rough.doubts, sep="\n")
    assert rough.status == "UNSTABLE"
    product = float(rough.doubts[0].partition("|λ h| = ")[2].split()[0])
    check("|λ h| in contact", product, STEP * np.sqrt(STIFFNESS / MASS), 0.01)
    impact = np.sqrt(2.0 * HEIGHT / G)
    check("when it was noticed [s]", float(rough.doubts[0].split()[2]), impact, 2.0 * STEP)

    right = plant.simulate(t_end=2.0, step=STEP)
    print(right.notes[0])
    rise = right["ball.q"][right.t > impact].max() - RADIUS
    check("height after the impact [m]", rise, HEIGHT, 1e-3)
    assert rough["ball.q"].max() - RADIUS > 2.0 * HEIGHT
    if args.plot:
        draw(rough, right, args.plot)


if __name__ == "__main__":
    main()
