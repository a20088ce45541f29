"""08: hold a pole upright with a controller designed from the generated equations.

Objective: linearize a mechanism, design optimal feedback with integral action and a Kalman filter,
and let the controller, which only reads an encoder, move the pole and carry a load.

Equations: J qdd = m g c sin(q) + u, upright at q = 0. For the cost ∫ Q q² + R u² dt the gains are

    K_q = m g c + √((m g c)² + Q/R),   K_qd = √(2 J K_q).

Run it with `python examples/08_hold_upright.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

import inloop as il

MASS, COM, INERTIA, GRAVITY = 1.2, 0.6, 0.15, 9.81  # [kg], [m], about the center [kg m²], [m/s²]
PERIOD, COUNTS, LIMIT = 2e-3, 8192, 6.0  # [s], of the encoder per turn, [N m]
GOAL, LOAD = math.radians(5.0), 0.8  # [rad]; a torque unknown to the controller [N m]


def pole() -> il.Model:
    """A pole on a motor; q = 0 is upright."""
    m = il.Model("pole", gravity=(0.0, 0.0, -GRAVITY))
    shape = {"mass": MASS, "com": (0.0, 0.0, COM), "inertia": (INERTIA, INERTIA, 0.0)}
    m.body("pole", on=m.ground, joint=il.revolute("y", name="hinge"), **shape)
    torque, load = m.input("torque", unit="N*m"), m.input("load", unit="N*m")
    m.joint_force("hinge", lambda: torque + load)
    return m


def design(plant: il.Plant) -> il.control.LqgController:
    """Feedback for angle and integral, a filter for the rate."""
    linear = plant.linearize(inputs=("torque",), outputs=("hinge.q",))
    model = il.control.discretize(il.control.LinearModel.of(linear), PERIOD)
    gains = il.control.lqy(model, {"hinge.q": 900.0}, {"hinge.q": 2500.0}, {"torque": 1.0})
    count = 2.0 * math.pi / COUNTS
    observer = il.control.kalman(model, {"torque": 0.3}, {"hinge.q": count / math.sqrt(12.0)})
    return il.control.LqgController(model, gains, observer, limits=(-LIMIT, LIMIT))


def close_loop(plant: il.Plant, controller: il.control.LqgController) -> np.ndarray:
    """Times, angles and torques: a step at 0.5 s, a load at 4 s."""
    stepper = plant.stepper(step=PERIOD)
    encoder = il.devices.Encoder(2.0 * math.pi / COUNTS, -math.pi / COUNTS)
    rows = []
    while stepper.t < 8.0 - 0.5 * PERIOD:
        seen = encoder.read(stepper["hinge.q"]) - encoder.offset
        torque = controller.step([seen], [GOAL if stepper.t >= 0.5 else 0.0])[0]
        rows.append((stepper.t, stepper["hinge.q"], torque))
        stepper.step(torque=torque, load=LOAD if stepper.t >= 4.0 else 0.0)
    return np.array(rows).T


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<38} {found:.9g}  expected {expected:.9g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def draw(t: np.ndarray, q: np.ndarray, torque: np.ndarray, file: str) -> None:
    figure = il.blank_figure((7.0, 5.0), file)
    axes = figure.subplots(2, 1, sharex=True)
    for axis, values, label in zip(
        axes, (np.degrees(q), torque), ("q [deg]", "u [N m]"), strict=True
    ):
        axis.plot(t, values)
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
    axes[1].set_xlabel("t [s]")
    figure.savefig(file, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="Hold a pole upright.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the run")
    file = parser.parse_args().plot
    plant = pole().compile()
    weight, inertia = MASS * GRAVITY * COM, INERTIA + MASS * COM**2
    model = il.control.LinearModel.of(plant.linearize(inputs=("torque",), outputs=("hinge.q",)))
    gains = il.control.lqy(model, {"hinge.q": 900.0}, {}, {"torque": 1.0})
    stiff = weight + math.sqrt(weight**2 + 900.0)
    check("gain of the angle [N m/rad]", gains.K_x[0, 0], stiff, 1e-6)
    check("gain of the rate [N m s/rad]", gains.K_x[0, 1], math.sqrt(2 * inertia * stiff), 1e-6)
    t, q, torque = close_loop(plant, design(plant))
    before, count = t < 4.0, 2.0 * math.pi / COUNTS
    check("angle before the load [rad]", q[before][-1], GOAL, count)
    check("angle with the load [rad]", q[-1], GOAL, count)
    check("torque at the end [N m]", torque[-1], -weight * math.sin(GOAL) - LOAD, 0.05)
    if file:
        draw(t, q, torque, file)


if __name__ == "__main__":
    main()
