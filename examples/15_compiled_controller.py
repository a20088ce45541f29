"""15: a controller compiled into the plant, from Python and from C.

Objective: make the same PID controller part of the plant, once traced from a Python class and once
written in C. Compute the closed-loop poles, and find the gain at which the loop becomes unstable
from many runs at once.

Equations: m xdd = f, with f = kp e + ki I - kd xd, e = -x, sampled and held for a period T, and
I' = I + T e. With the state s = (x, xd, I) at samples,

    x', xd' = Phi (x, xd) + Gamma f,   f = -(kp + ki T) x - kd xd + ki I,

(Phi, Gamma; 0, 1) = exp(T (A, B; 0, 0)). The poles are the eigenvalues of the matrix of s', and the
loop is stable if they lie within the unit circle.

Run it with `python examples/15_compiled_controller.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import expm

import inloop as il

MASS, PERIOD, STEP = 1.3, 0.02, 1e-3  # [kg], [s], [s]
KP, KI, KD = 90.0, 55.0, 14.0  # [N/m], [N/(m s)], [N s/m]
IN_C = """
int pid(const double *parameters, double t, const double *y, double *states, double *values)
{
    (void)t;
    states[0] -= 0.02 * y[0];
    values[0] = -parameters[0] * y[0] + parameters[1] * states[0] - parameters[2] * y[1];
    return 0;
}
"""


class Pid:
    """Returns the cart to 0; also works uncompiled: plant.simulate(controller=Pid(), ...)."""

    states: ClassVar[dict[str, float]] = {"total": 0.0}

    def __call__(
        self, t: Any, outputs: Mapping[str, Any], kp: Any = KP, ki: Any = KI, kd: Any = KD
    ) -> dict[str, Any]:
        """The whole controller; kp, ki and kd are live parameters."""
        x, xd = outputs["rail.q"], outputs["rail.qd"]
        self.total = self.total - PERIOD * x
        return {"rail.tau": -kp * x + ki * self.total - kd * xd}


def cart(controller: Any = None) -> il.Plant:
    """A mass on a rail with an initial velocity."""
    m = il.Model("cart")
    rail = il.prismatic("x", name="rail", initial=(0.0, 0.4))
    m.body("cart", on=m.ground, joint=rail, mass=MASS)
    if controller is not None:
        m.controller(controller, period=PERIOD)
    return m.compile()


def exact_loop(kp: float) -> np.ndarray:
    """The transition of (x, xd, I) over one period."""
    A = np.zeros((3, 3))
    A[0, 1], A[1, 2] = 1.0, 1.0 / MASS
    whole = expm(PERIOD * A)
    force = np.array([-(kp + KI * PERIOD), -KD, KI])
    motion = np.hstack([whole[:2, :2], np.zeros((2, 1))]) + np.outer(whole[:2, 2], force)
    return np.vstack([motion, [-PERIOD, 0.0, 1.0]])


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<46} {found:.12g}  expected {expected:.12g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A controller compiled into the plant.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the runs")
    file = parser.parse_args().plot
    traced = cart(Pid())
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pid.c"
        source.write_text(IN_C)
        gains = {"kp": KP, "ki": KI, "kd": KD}
        names = {"outputs": ["rail.q", "rail.qd"], "inputs": ["rail.tau"], "states": 1}
        in_c = cart(il.c_controller(source, function="pid", parameters=gains, **names))

    # the same motion at samples: matrix exponential, traced, in C, called from Python
    s = np.linalg.matrix_power(exact_loop(KP), 50) @ [0.0, 0.4, 0.0]
    called = cart().simulate(t_end=1.0, step=STEP, controller=Pid(), period=PERIOD)
    results = {"traced": traced.simulate(t_end=1.0, step=STEP), "called as it is": called}
    for what, result in {**results, "in C": in_c.simulate(t_end=1.0, step=STEP)}.items():
        check(f"position after 1 s, {what} [m]", result["rail.q"][-1], s[0], 1e-12)

    # the largest stable stiffness: from runs that grow, and from the poles
    kps = np.linspace(1000.0, 1800.0, 41)
    runs = traced.simulate_many(
        t_end=60.0, step=PERIOD, parameters={"controller.kp": kps}, method="rk4", sample=1.0
    )
    sizes = np.abs(runs.qd[:, :, 0]).reshape(len(kps), -1)
    grows = sizes[:, 41:].max(axis=1) > sizes[:, 20:41].max(axis=1)
    radius = np.array([max(abs(np.linalg.eigvals(exact_loop(kp)))) for kp in kps])
    first, expected = kps[grows][0], kps[radius > 1.0][0]
    check("kp at which the loop becomes unstable [N/m]", first, expected, 0.0)
    if file:
        draw(kps, radius, sizes[:, -20:].max(axis=1), file)


def draw(kps: np.ndarray, radius: np.ndarray, sizes: np.ndarray, file: str) -> None:
    figure = il.blank_figure((7.0, 4.5), file)
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.plot(kps, radius)
    upper.set_ylabel("largest pole")
    lower.semilogy(kps, sizes, ".")
    lower.set(xlabel="kp [N/m]", ylabel="speed after 40 s [m/s]")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    main()
