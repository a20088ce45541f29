"""01: a pendulum with a large swing.

Objective: describe a mechanism, compile it, simulate it, and check the result against a closed
form.

Equations: qdd = -(g/l) sin q. Released at rest from the amplitude q0, the period is

    T = 4 sqrt(l/g) K(m),  m = sin²(q0/2),

with the complete elliptic integral K. The energy m g l (1 - cos q0) is conserved.

Run it with `python examples/01_pendulum.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.special import ellipk

import inloop as il

STEP = 1e-3  # [s]


def pendulum() -> il.Model:
    """A point mass on a massless bar that rotates about y; q = 0 hangs down."""
    m = il.Model("pendulum", gravity=(0.0, 0.0, -9.81))
    mass = m.parameter("mass", 0.7, unit="kg", range=(0.1, 5.0))
    length = m.parameter("length", 0.8, unit="m", range=(0.1, 3.0))
    m.body(
        "bar",
        on=m.ground,
        joint=il.revolute("y", name="swing"),
        mass=mass,
        com=(0.0, 0.0, -length),
    )
    return m


def exact_period(amplitude: float, length: float, g: float = 9.81) -> float:
    """Period of a swing of any amplitude [s]."""
    return float(4.0 * np.sqrt(length / g) * ellipk(np.sin(amplitude / 2.0) ** 2))


def measured_period(result: il.Result) -> float:
    """Time between the first and the third passage through the lowest point [s]."""
    q = result["swing.q"]
    before = np.flatnonzero(q[:-1] * q[1:] < 0.0)
    first, _, third = (passage(result.t, q, int(k)) for k in before[:3])
    return third - first


def passage(t: np.ndarray, q: np.ndarray, k: int) -> float:
    """Time between the samples k and k+1 at which q is zero [s]."""
    cubic = np.polynomial.Polynomial.fit(t[k - 1 : k + 3], q[k - 1 : k + 3], 3)
    slope, zero = cubic.deriv(), float(t[k])
    for _ in range(4):  # Newton
        zero -= cubic(zero) / slope(zero)
    return zero


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<34} {found:.12g}  expected {expected:.12g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A pendulum against its closed form.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    plant = pendulum().compile()
    print(plant)
    result = plant.simulate(t_end=10.0, step=STEP, q={"swing": 2.5})
    if args.plot:
        result.plot("swing.q", "swing.qd", "energy.total", file=args.plot)

    # a large swing, then the same plant with another length: no compilation in between
    check("period at 2.5 rad, 0.8 m [s]", measured_period(result), exact_period(2.5, 0.8), 1e-9)
    plant.parameters["length"] = 1.9
    longer = plant.simulate(t_end=10.0, step=STEP, q={"swing": 0.4})
    check("period at 0.4 rad, 1.9 m [s]", measured_period(longer), exact_period(0.4, 1.9), 1e-9)

    # energy: conservation only means something if the mechanism moves
    swing_energy = 0.7 * 9.81 * 0.8 * (1.0 - np.cos(2.5))
    check("kinetic energy at the bottom [J]", result.energy[:, 0].max(), swing_energy, 1e-3)
    check("energy drift", result.energy_drift(), 0.0, 5.0 * STEP**4 * 10.0)


if __name__ == "__main__":
    main()
