"""22: which tolerance matters? A sweep with Sobol indices, interrupted and resumed.

Objective: the length, mass and initial angle of a pendulum have tolerances. Find the share of each
in the scatter of its angle after a while.

Equations: for small angles φ(t) = φ0 cos(ω t) with ω² = g / l for a point mass at the end of a rod
of length l, for any mass. To first order in the tolerances, the variance of φ is the sum of
(∂φ/∂l)² σl² and (∂φ/∂φ0)² σφ², and each index is the share of its term.

Run it with `python examples/22_scatter.py`, with `--on ray` on a cluster, and with `--plot FILE`.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import inloop as il

G, LENGTH, ANGLE, T_END = 9.81, 0.8, 0.02, 1.15  # [m/s²], [m], [rad], [s]
SIGMA_LENGTH, SIGMA_ANGLE = 0.004, 0.0004  # [m], [rad]


def pendulum() -> il.Model:
    """A point mass at the end of a rod."""
    m = il.Model("pendulum", gravity=(0.0, 0.0, -G))
    length = m.parameter("length", LENGTH, unit="m", range=(0.5, 1.1))
    mass = m.parameter("mass", 1.2, unit="kg", range=(0.5, 2.0))
    joint = il.revolute("y", initial=(ANGLE, 0.0))
    m.body("rod", on=m.ground, joint=joint, mass=mass, com=(0, 0, -length))
    return m


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<38} {found:.6g}  expected {expected:.6g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Tolerances of a pendulum.")
    parser.add_argument("--on", help="ray, or the address of a Ray cluster")
    parser.add_argument("--plot", metavar="FILE", help="draw the indices")
    args = parser.parse_args()

    plant = pendulum().compile()
    design = il.designs.sobol(
        {
            "length": il.designs.normal(LENGTH, SIGMA_LENGTH),
            "mass": il.designs.uniform(1.0, 1.4),
            "rod.q": il.designs.normal(ANGLE, SIGMA_ANGLE),
        },
        base=512,
        seed=1,
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "scatter"
        many = plant.simulate_many(
            t_end=T_END, method="rk4", vary=design, folder=folder, on=args.on
        )
        print(many)
        # one file is lost; the same call only repeats its runs
        lost = sorted((folder / "runs").iterdir())[3]
        kept = lost.read_bytes()
        lost.unlink()
        plant.simulate_many(t_end=T_END, method="rk4", vary=design, folder=folder, on=args.on)
        assert lost.read_bytes() == kept

        found = il.sobol_indices(many, "rod.q")
        print(found)
        if args.plot:
            found.plot(args.plot)

    omega = np.sqrt(G / LENGTH)
    by_length = ANGLE * np.sin(omega * T_END) * T_END * omega / (2.0 * LENGTH) * SIGMA_LENGTH
    by_angle = np.cos(omega * T_END) * SIGMA_ANGLE
    variance = by_length**2 + by_angle**2
    # confidences are 1.96 standard deviations
    halves = found.first_confidence
    check("part of the length", found.first[0], by_length**2 / variance, 2.0 * halves[0] + 0.01)
    check("part of the mass", found.first[1], 0.0, 1e-6)
    check("part of the first angle", found.first[2], by_angle**2 / variance, 2.0 * halves[2] + 0.01)
    sigma = float(np.sqrt(variance))
    check("standard deviation [rad]", found.deviation, sigma, 0.03 * sigma)


if __name__ == "__main__":
    main()
