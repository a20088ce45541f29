"""11: length tolerances of a four-bar: two thousand runs on all cores.

Objective: turn the crank of a four-bar many times, with random errors in the lengths of coupler and
rocker, and find the scatter of the rocker angle.

Equations: with the tip of the crank at distance d from the pivot of the rocker, the law of cosines
gives the angle between them, cos γ = (d² + l3² - l2²) / (2 d l3), and thus the rocker angle.
Small errors propagate linearly: σ² = (∂φ/∂l2 σ2)² + (∂φ/∂l3 σ3)².

Run it with `python examples/11_tolerances.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import inloop as il

CRANK, COUPLER, ROCKER, BASE = 0.2, 0.6, 0.4, (0.5, 0.05)  # [m]
SIGMA = 0.5e-3  # of both lengths [m]
SPEED, T_END, RUNS = 6.0, 0.5, 2000  # [rad/s], [s]


def four_bar() -> il.Model:
    """A four-bar loop with a crank that turns at constant speed."""
    m = il.Model("four_bar", gravity=(0.0, -9.81, 0.0))
    inertia = (1e-3, 1e-3, 2e-3)
    joint = il.revolute("z", initial=(1.0, SPEED))
    crank = m.body("crank", on=m.ground, joint=joint, mass=0.7, com=(0.1, 0, 0), inertia=inertia)
    pin, base = crank.point("pin", (CRANK, 0, 0)), m.ground.point("base", (*BASE, 0))
    hinge, pivot = il.revolute("z", guess=-0.5), il.revolute("z", guess=1.2)
    coupler = m.body("coupler", on=pin, joint=hinge, mass=0.9, com=(0.3, 0, 0), inertia=inertia)
    rocker = m.body("rocker", on=base, joint=pivot, mass=0.8, com=(0.2, 0, 0), inertia=inertia)
    m.close(coupler.point("end", (COUPLER, 0, 0)), rocker.point("tip", (ROCKER, 0, 0)), name="ring")
    m.drive(crank, lambda t: 1.0 + SPEED * t)
    return m


def rocker_angle(l2: Any, l3: Any) -> Any:
    """Angle of the rocker at the end, in closed form [rad]."""
    crank = 1.0 + SPEED * T_END
    x, y = CRANK * np.cos(crank) - BASE[0], CRANK * np.sin(crank) - BASE[1]
    d = np.hypot(x, y)
    between = np.arccos((d**2 + l3**2 - l2**2) / (2.0 * d * l3))
    return np.arctan2(y, x) - between


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<38} {found:.9g}  expected {expected:.9g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(angles: Any, mean: float, sigma: float, file: str) -> None:
    """A histogram of the angles, and the prediction of linear propagation."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.4), layout="constrained")
    axes: Any = figure.subplots()
    degrees = np.degrees(angles - mean)
    axes.hist(degrees, bins=50, density=True, alpha=0.5, label=f"{RUNS} runs")
    at, width = np.linspace(degrees.min(), degrees.max(), 200), np.degrees(sigma)
    bell = np.exp(-0.5 * (at / width) ** 2) / (width * np.sqrt(2.0 * np.pi))
    axes.plot(at, bell, label="linear propagation of errors")
    axes.set_xlabel("angle of the rocker at the end, less its nominal value [°]")
    axes.set_ylabel("density [1/°]")
    axes.legend(frameon=False)
    figure.savefig(file, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description="Tolerances of a four-bar.")
    parser.add_argument("--plot", metavar="FILE", help="write a histogram of the angles")
    args = parser.parse_args()

    rng = np.random.default_rng(1)
    l2, l3 = rng.normal(COUPLER, SIGMA, RUNS), rng.normal(ROCKER, SIGMA, RUNS)
    plant = four_bar().compile(live=["coupler.end.x", "rocker.tip.x"])
    many = plant.simulate_many(
        t_end=T_END, step=5e-3, method="rk4", parameters={"coupler.end.x": l2, "rocker.tip.x": l3}
    )
    print(many)
    assert not many.failed
    angles = many.final["rocker.q"]
    turn = 2.0 * np.pi * np.round((angles[0] - rocker_angle(l2, l3)[0]) / (2.0 * np.pi))
    errors = np.abs(angles - rocker_angle(l2, l3) - turn)
    check("largest error of an angle [rad]", float(errors.max()), 0.0, 1e-9)

    step = 1e-6  # [m]
    slopes = [
        (rocker_angle(COUPLER + step * a, ROCKER + step * b) - rocker_angle(COUPLER, ROCKER)) / step
        for a, b in ((1.0, 0.0), (0.0, 1.0))
    ]
    sigma = float(np.hypot(*slopes)) * SIGMA
    # the relative error of a standard deviation from n samples is 1 / sqrt(2 n)
    check("scatter of the angle [rad]", float(angles.std()), sigma, 4.0 * sigma / (2 * RUNS) ** 0.5)
    if args.plot:
        draw(angles, float(rocker_angle(COUPLER, ROCKER) + turn), sigma, args.plot)


if __name__ == "__main__":
    main()
