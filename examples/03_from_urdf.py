"""03: a mechanism from a file.

Objective: load a URDF file, evaluate many states at once, and differentiate the equations.

Equations: tau(q, qd, qdd) = M(q) qdd + c(q, qd). Column k of M is therefore
tau(q, 0, e_k) - tau(q, 0, 0), so the recursive Newton-Euler equations check the composite rigid
body algorithm. The derivatives ∂qdd/∂q come from the expression graph; central differences check
them.

Run it with `python examples/03_from_urdf.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import inloop as il

FILE = Path(__file__).parent / "data" / "camera_crane.urdf"
STATES = 100_000


def mass_matrix_by_columns(plant: il.Plant, q: np.ndarray) -> np.ndarray:
    """M(q) from inverse dynamics with unit accelerations, shape (n, n)."""
    n = plant.n
    rest = np.zeros((n, n))
    same = np.tile(q, (n, 1))
    # row k of the result is column k of M, which is symmetric
    return plant.inverse_dynamics(same, rest, np.eye(n)) - plant.inverse_dynamics(same, rest, rest)


def differences(plant: il.Plant, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """∂qdd/∂q by central differences, shape (n, n)."""
    h = 1e-5
    steps = h * np.eye(plant.n)
    ahead = plant.direct_dynamics(q + steps, qd, tau)
    behind = plant.direct_dynamics(q - steps, qd, tau)
    return ((ahead - behind) / (2.0 * h)).T


def working_area(plant: il.Plant, q: np.ndarray, file: str) -> None:
    """Draw the reachable camera positions, seen from above and from the side."""
    from matplotlib.figure import Figure

    p_WQ = plant.position("camera", q[:4000])
    figure = Figure(figsize=(9.0, 4.0), layout="constrained")
    for axes, (a, b) in zip(figure.subplots(1, 2), ((0, 1), (0, 2)), strict=True):
        axes.scatter(p_WQ[:, a], p_WQ[:, b], s=2, alpha=0.4)
        axes.set(xlabel=f"{'xyz'[a]} [m]", ylabel=f"{'xyz'[b]} [m]", aspect="equal")
    figure.savefig(file, dpi=120)


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<58} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A camera crane from a URDF file.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    model = il.load(FILE)
    print(model.describe())
    plant = model.compile()

    # random states within the joint limits, one per row
    random = np.random.default_rng(3)
    low, high = np.array([(-3.0, 3.0), (-0.6, 1.2), (0.0, 0.5), (-3.0, 3.0)]).T
    q = random.uniform(low, high, (STATES, plant.n))
    qd, tau = random.normal(size=(2, STATES, plant.n))
    if args.plot:
        working_area(plant, q, args.plot)

    plant.direct_dynamics(q, qd, tau)  # the first call compiles the loop over rows
    start = time.perf_counter()
    qdd = plant.direct_dynamics(q, qd, tau)
    seconds = time.perf_counter() - start
    print(
        f"{STATES} accelerations in {seconds * 1e3:.1f} ms: {seconds / STATES * 1e9:.0f} ns each\n"
    )

    error = np.abs(plant.mass_matrix(q[0]) - mass_matrix_by_columns(plant, q[0])).max()
    check("M against columns of inverse dynamics [kg·m²]", float(error), 1e-12)
    error = np.abs(plant.inverse_dynamics(q, qd, qdd) - tau).max()
    check("inverse dynamics of direct dynamics, all states [N·m]", float(error), 1e-9)
    exact = plant.direct_dynamics_derivatives(q[0], qd[0], tau[0])["dqdd_dq"]
    error = np.abs(exact - differences(plant, q[0], qd[0], tau[0])).max() / np.abs(exact).max()
    check("∂qdd/∂q against central differences, relative", float(error), 1e-8)
    error = np.abs(
        plant.jacobian("camera", q[0])[:3] @ qd[0] - plant.velocity("camera", q[0], qd[0])
    )
    check("Jacobian times qd against the velocity of the camera [m/s]", float(error.max()), 1e-12)


if __name__ == "__main__":
    main()
