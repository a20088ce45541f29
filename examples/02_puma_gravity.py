"""02: holding a robot arm up.

Objective: inverse dynamics of the PUMA 560, gravity compensation, and a look at the generated C.

Equations: M(q) qdd + c(q, qd) = tau. At rest, c(q, 0) is the gravity torque. With tau = c(q, 0)
the arm stays in place; without it the arm falls.

The expected values come from the data of Corke and Armstrong-Hélouvry, without friction. They agree
with the tests of the Robotics Toolbox for Python to their four decimals.

Run it with `python examples/02_puma_gravity.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il
from inloop import gallery

REST = np.zeros(6)
GRAVITY = {  # gravity torques [N·m]
    "q_n": (0.0, 31.6398803784, 6.0351380230, 0.0, 0.0282528, 0.0),
    "q_z": (0.0, 37.48366665, 0.24892875, 0.0, 0.0, 0.0),
    "q_r": (0.0, -0.77523525, 0.24892875, 0.0, 0.0, 0.0),
}


def show_code(plant: il.Plant) -> None:
    """Print operation counts, and the end of one generated function."""
    print(f"{'function':<18} {'mul':>5} {'add':>5} {'div':>4} {'sincos':>6}")
    for name, count in plant.operations.items():
        cells = f"{count['mul']:>5} {count['add']:>5} {count['div']:>4} {count['sincos']:>6}"
        print(f"{name:<18} {cells}")
    lines = plant.sources()["puma560_inverse_dynamics.c"].splitlines()
    last = max(k for k, line in enumerate(lines) if line.strip().startswith("tau["))
    print("\nthe last lines of the generated C:")
    print("\n".join(lines[last - 5 : last + 2]), "\n")


def gravity_map(plant: il.Plant, file: str) -> None:
    """Draw the shoulder torque over the angles of shoulder and elbow."""
    from matplotlib.figure import Figure

    shoulder, elbow = np.meshgrid(np.linspace(-np.pi, np.pi, 121), np.linspace(-np.pi, np.pi, 121))
    q = np.zeros((shoulder.size, 6))
    q[:, 1], q[:, 2] = shoulder.ravel(), elbow.ravel()
    # 14,641 poses in one call
    tau = plant.bias(q, np.zeros_like(q))[:, 1].reshape(shoulder.shape)
    figure = Figure(figsize=(6.0, 5.0), layout="constrained")
    axes = figure.subplots()
    drawn = axes.contourf(np.degrees(shoulder), np.degrees(elbow), tau, levels=21, cmap="RdBu")
    figure.colorbar(drawn, label="shoulder torque [N·m]")
    axes.set(xlabel="joint 2 [deg]", ylabel="joint 3 [deg]", title="PUMA 560: gravity")
    figure.savefig(file, dpi=120)


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<56} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Gravity of the PUMA 560.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    exhibit = gallery.get("puma560")
    plant = exhibit.build().compile()
    show_code(plant)
    if args.plot:
        gravity_map(plant, args.plot)

    for pose, expected in GRAVITY.items():
        found = plant.inverse_dynamics(exhibit.poses[pose], REST, REST)
        check(f"gravity torques in {pose} [N·m]", float(np.abs(found - expected).max()), 1e-9)

    # with the gravity torques the arm rests, without them it falls
    q_n = np.array(exhibit.poses["q_n"])
    held = plant.simulate(t_end=1.0, step=1e-3, q=q_n, tau=plant.bias(q_n, REST))
    fallen = plant.simulate(t_end=1.0, step=1e-3, q=q_n)
    check("the held arm moves by [rad]", float(np.abs(held.q - q_n).max()), 1e-9)
    assert np.abs(fallen.q[-1] - q_n).max() > 0.5, "the free arm must fall"

    # the payload is a parameter; its lever at the shoulder is the reach of the stretched arm
    stretched = np.array([0.0, 0.0, -np.pi / 2, 0.0, 0.0, 0.0])
    empty = plant.bias(stretched, REST)[1]
    plant.parameters["payload"] = 2.0
    lever = (plant.bias(stretched, REST)[1] - empty) / (2.0 * 9.81)
    reach = plant.position("link_6.flange", stretched)[0]
    check("lever of the payload = horizontal reach of the hand [m]", abs(lever - reach), 1e-12)


if __name__ == "__main__":
    main()
