"""21: the force on an arm, from its encoders alone.

Objective: estimate an unmeasured push at the hand of an arm. An extended Kalman filter finds it
from two encoders and the motor torques, and reports its uncertainty.

Equations: in addition to the state x = (q, qd) of the arm, the filter has the force f and its rate,

    M(q) qdd + c(q, qd) = tau + J(q)ᵀ f,   d²f/dt² = noise,

predicts them with the arm's own step, and corrects them with the encoder readings. Squared
innovations in units of their covariance (NIS) would be 2 on average if the force were always such
noise. They are smaller while it is constant, and leave their band when it jumps.

Run it with `python examples/21_felt_contact.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

COUNT = 2.0 * np.pi / 2**17 / 80.0  # of encoders at motors with gears of 80 [rad]
TORQUE = 0.02  # torque error of the motors, at each sample [N m]
STEP, END = 1e-3, 0.8  # [s]
JOINTS, AXES = ("shoulder", "elbow"), ("push_x", "push_z")


def arm() -> il.Plant:
    """Two links in a vertical plane, and a force at the hand."""
    m = il.Model("arm")
    slender = {"mass": 3.0, "com": (0.0, 0.0, 0.2), "inertia": (0.08, 0.08, 0.01)}
    shoulder = il.revolute("y", name="shoulder", initial=(0.4, 0.0), armature=0.3)
    elbow = il.revolute("y", name="elbow", initial=(1.1, 0.0), armature=0.2)
    upper = m.body("upper", on=m.ground, joint=shoulder, **slender)
    lower = m.body("lower", on=upper.point("end", (0.0, 0.0, 0.4)), joint=elbow, **slender)
    x, z = (m.input(name, "N") for name in AXES)
    m.force(lower.point("hand", (0.0, 0.0, 0.4)), lambda: (x, 0.0, z), name="push")
    return m.compile()


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<46} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def push(t: float) -> tuple[float, float]:
    """A push that rises within 10 ms and lasts 0.3 s [N]."""
    size = np.clip((t - 0.3) / 0.01, 0.0, 1.0) - np.clip((t - 0.6) / 0.01, 0.0, 1.0)
    return 40.0 * size, -25.0 * size


def main() -> None:
    """Push, estimate, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="write the figure")
    options = parser.parse_args()
    plant, random = arm(), np.random.default_rng(1)
    observer = il.observer(
        plant,
        measured={f"{joint}.q": COUNT / 12**0.5 for joint in JOINTS},
        disturbances={f"{joint}.tau": TORQUE for joint in JOINTS},
        unknown={axis: il.observers.Unknown(5e3, smooth=True) for axis in AXES},
        doubt={f"{joint}.{kind}": 1e-4 for joint in JOINTS for kind in ("q", "qd")},
        period=STEP,
    )
    stepper = plant.stepper(step=STEP)
    goal = np.array([stepper[f"{joint}.q"] for joint in JOINTS])
    rows, squares, u = [], [], np.zeros(len(observer.inputs))
    while stepper.t < END:
        q = np.array([stepper[f"{joint}.q"] for joint in JOINTS])
        observer.update(np.round(q / COUNT) * COUNT, u)
        estimate, true = observer.estimate, push(stepper.t)
        felt = [estimate[f"{axis}.unknown"] for axis in AXES]
        rows.append((stepper.t, *true, *felt, estimate.deviations["push_x.unknown"]))
        squares.append(estimate.nis)
        # hold the arm, using estimates; the filter knows the torques, not the push
        hold = plant.inverse_dynamics(goal, np.zeros(2), np.zeros(2))
        u[:2] = hold - 400.0 * (estimate.q - goal) - 30.0 * estimate.qd
        stepper.hold(np.array([*(u[:2] + TORQUE * random.normal(size=2)), *true]))
        stepper.step()
    found = np.array(rows)
    t, true, felt = found[:, 0], found[:, 1:3], found[:, 3:5]
    apart = np.linalg.norm(felt - true, axis=1) / np.linalg.norm(push(0.5))
    check("20 ms after the push, in parts of it", apart[(t > 0.33) & (t < 0.6)].max(), 0.05)
    check("before it", apart[(t > 0.1) & (t < 0.3)].max(), 0.05)
    nis = il.observers.nis(squares, 2)
    check("mean NIS while nothing pushes, of 2", np.mean(nis.values[100:300]) / 2.0, 1.1)
    jump = (t > 0.3) & (t < 0.33)
    assert nis.values[jump].max() > nis.high, "nobody has noticed the push"
    if options.plot:
        figure = il.blank_figure((8.0, 4.6), options.plot)
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(t, true, "k--", linewidth=0.8)
        above.plot(t, felt, label=["felt along x", "felt along z"])
        above.set_ylabel("push at the hand [N]")
        above.legend(loc="upper left", frameon=False)
        nis.plot(t, axes=below)
        figure.savefig(options.plot)


if __name__ == "__main__":
    main()
