"""14: your own controller, simulated and in real time.

Objective: use a Python function as a controller, identify the closed-loop poles from a run, and get
the same bits when the function runs in another process.

Equations: m xdd = f, with f = kp (x_d - x) - kd xd sampled and held for a period T. Between two
samples the state s = (x - x_d, xd) follows the matrix exponential of plant and held force,

    s' = (Phi - Gamma K) s,   (Phi, Gamma; 0, 1) = exp(T (A, B; 0, 0)),   K = (kp, kd),

and the poles of the loop are the eigenvalues of Phi - Gamma K. With too long a period, the same
gains are unstable.

Run it with `python examples/14_own_controller.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping

import numpy as np
from scipy.linalg import expm

import inloop as il

MASS, KP, KD, TARGET = 1.3, 900.0, 40.0, 0.25  # [kg], [N/m], [N s/m], [m]
PERIODS = (0.005, 0.02, 0.08)  # [s]
STEP, RATE = 1e-3, 1000.0  # [s], [Hz]
NAME = f"own-controller-{os.getpid()}"


def cart() -> il.Model:
    """A mass on a rail: a double integrator."""
    m = il.Model("cart")
    m.body("cart", on=m.ground, joint=il.prismatic("x", name="rail"), mass=MASS)
    return m


def pd(t: float, outputs: Mapping[str, float]) -> dict[str, float]:
    """The whole controller."""
    return {"rail.tau": KP * (TARGET - outputs["rail.q"]) - KD * outputs["rail.qd"]}


def exact_loop(period: float) -> np.ndarray:
    """The state transition over one period: Phi - Gamma K."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 2] = 1.0, 1.0 / MASS
    whole = expm(period * A)
    return whole[:2, :2] - np.outer(whole[:2, 2], (KP, KD))


def found_loop(result: il.Result, period: float) -> np.ndarray:
    """The same from a run: the matrix that maps each sample to the next."""
    every = round(period / STEP)
    s = np.array([result["rail.q"] - TARGET, result["rail.qd"]])[:, ::every][:, :6]
    solved, *_ = np.linalg.lstsq(s[:, :-1].T, s[:, 1:].T, rcond=None)
    return np.asarray(solved).T


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<42} {found:.12g}  expected {expected:.12g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(results: Mapping[float, il.Result], file: str) -> None:
    figure = il.blank_figure((7.0, 5.0), file)
    axes = figure.subplots(2, 1, sharex=True)
    for period, result in results.items():
        label = f"T = {1e3 * period:g} ms"
        axes[0].plot(result.t, np.clip(result["rail.q"], -0.5, 1.0), label=label)
        axes[1].step(result.t, np.clip(result["rail.tau"], -400, 400), where="post")
    for axis, label in zip(axes, ("x [m]", "f [N]"), strict=True):
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
    axes[0].legend()
    axes[1].set_xlabel("t [s]")
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="A controller of one's own.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the runs")
    file = parser.parse_args().plot
    plant = cart().compile()
    results = {}
    for period in PERIODS:
        result = plant.simulate(t_end=0.8, step=STEP, controller=pd, period=period)
        poles, exact = (
            np.sort_complex(np.linalg.eigvals(loop))
            for loop in (found_loop(result, period), exact_loop(period))
        )
        for k in range(2):
            words = f"pole {k + 1} at T = {1e3 * period:g} ms"
            check(f"{words}, real part", poles[k].real, exact[k].real, 1e-9)
            check(f"{words}, imaginary part", poles[k].imag, exact[k].imag, 1e-9)
        stable = max(abs(exact)) < 1.0
        print(f"T = {1e3 * period:g} ms: {'stable' if stable else 'unstable'}")
        results[period] = result

    # the same function in its own process; in lock-step the plant waits for each answer
    options = {"name": NAME, "rate": RATE, "seconds": 0.8, "mode": "lock-step"}
    outputs = il.run(plant, controller=pd, period=PERIODS[1], **options).outputs
    assert outputs is not None
    check("position in lock-step [m]", outputs["rail.q"], results[PERIODS[1]]["rail.q"][-1], 0.0)
    check(
        "velocity in lock-step [m/s]", outputs["rail.qd"], results[PERIODS[1]]["rail.qd"][-1], 0.0
    )
    if file:
        draw(results, file)


if __name__ == "__main__":
    main()
