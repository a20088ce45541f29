"""23: choose a spring and a damper with the gradient of a run.

Objective: an arm is released away from its rest position. Find the stiffness and damping that
reproduce a recorded motion, and see which of the two matters when.

Equations: a point mass m at the end of a level arm of length l, with a torsion spring and damper,

    m l² φ̈ + d φ̇ + k φ = 0,  so that ω² = k / (m l²) and 2 ζ ω = d / (m l²).

The loss is Σ (φ - φ_wanted)² over all samples. `plant.gradient` returns it with its exact
derivatives by k and d, backwards through one run, for a quasi-Newton method (BFGS). Forwards,
`sensitivities` returns ∂φ/∂k and ∂φ/∂d at each sample. Time and frequency only appear as a
product, so

    t φ̇ = 2 k ∂φ/∂k + d ∂φ/∂d.

Run it with `python examples/23_gradient.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.optimize import minimize

import inloop as il

MASS, LENGTH, ASIDE = 11.0, 0.4, 0.1  # [kg], [m], [rad]
OMEGA, ZETA = 9.0, 0.35  # wanted [rad/s], [1]
GUESS = {"k": 90.0, "d": 2.5}  # [N·m/rad], [N·m·s/rad]
RUN: dict[str, Any] = {"t_end": 1.5, "step": 1e-3, "sample": 0.01, "method": "rk4"}


def arm() -> il.Model:
    """A mass at the end of an arm on a vertical axis, so gravity has no effect."""
    m = il.Model("arm")
    k = m.parameter("k", GUESS["k"], unit="N*m/rad", range=(10.0, 500.0), doc="stiffness")
    d = m.parameter("d", GUESS["d"], unit="N*m*s/rad", range=(0.1, 50.0), doc="damping")
    joint = il.revolute("z", initial=(ASIDE, 0.0))
    m.body("arm", on=m.ground, joint=joint, mass=MASS, com=(LENGTH, 0.0, 0.0))
    m.joint_force("arm", lambda q, qd: -k * q - d * qd, "strut")
    return m


def wanted(t: np.ndarray) -> np.ndarray:
    """The motion with the wanted frequency and damping, in closed form [rad]."""
    w = OMEGA * np.sqrt(1.0 - ZETA**2)
    return ASIDE * np.exp(-ZETA * OMEGA * t) * (np.cos(w * t) + ZETA * OMEGA / w * np.sin(w * t))


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<46} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(first: il.Result, best: il.Result, parts: dict[str, np.ndarray], file: str) -> None:
    """The angle before and after, and its change with each quantity."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 5.5), layout="constrained")
    rows: Any = figure.subplots(2, 1, sharex=True)
    top, below = rows
    top.plot(first.t, first["arm.q"], color="0.6", label="at first")
    top.plot(best.t, best["arm.q"], label="found")
    top.plot(best.t, wanted(best.t), "k:", label="wanted")
    top.set_ylabel("angle [rad]")
    for name, values in parts.items():
        below.plot(best.t, 0.01 * values, label=f"1 % more {name}")
    below.set(xlabel="time [s]", ylabel="change of the angle [rad]")
    for axes in (top, below):
        axes.legend(loc="upper right")
        axes.grid(alpha=0.3)
    figure.savefig(file, dpi=100)


def main() -> None:
    """Minimize, compare with the closed form, differentiate again forwards."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="write the figure")
    options = parser.parse_args()
    plant = arm().compile()
    first = plant.simulate(**RUN)
    recorded, guess = wanted(first.t), np.array(list(GUESS.values()))

    def loss(shares: np.ndarray) -> tuple[float, np.ndarray]:
        """Sum of squares, and its derivatives by the values relative to the guess."""
        plant.parameters["k"], plant.parameters["d"] = shares * guess
        found = plant.gradient({"arm.q": recorded}, by=list(GUESS), **RUN)
        return found.value, found.values * guess

    found = minimize(loss, np.ones(2), jac=True, method="BFGS", options={"gtol": 1e-10})
    k, d = found.x * guess
    inertia = MASS * LENGTH**2
    print(f"{found.nfev} runs: k = {k:.6f} N·m/rad, d = {d:.6f} N·m·s/rad")
    check("stiffness, relative", abs(k / (OMEGA**2 * inertia) - 1.0), 1e-6)
    check("damping, relative", abs(d / (2.0 * ZETA * OMEGA * inertia) - 1.0), 1e-6)

    # the effect of a relative change of each, over time
    plant.parameters["k"], plant.parameters["d"] = k, d
    best = plant.simulate(**RUN, sensitivities=list(GUESS))
    assert best.sensitivities is not None
    by_k = k * best.sensitivities["arm.q", "k"]
    by_d = d * best.sensitivities["arm.q", "d"]
    moved = best.t * best["arm.qd"]
    check("t φ̇ = 2 k ∂φ/∂k + d ∂φ/∂d", np.abs(moved - 2.0 * by_k - by_d).max(), 1e-9)
    if options.plot:
        draw(first, best, {"stiffness": by_k, "damping": by_d}, options.plot)


if __name__ == "__main__":
    main()
