"""05: a door that falls into its latch, until the wind tears it open.

Objective: describe a mechanism that changes while it runs, with modes, the constraints of each
mode, and the events between them. Read the losses of an event and the force that broke the latch.

Equations: a spring closes the door, J qdd = -k q. Released at q0, it swings as q0 cos(w t), with
w = sqrt(k/J), and hits the latch at q = 0 after a quarter of a period, with the speed q0 w. The
latch stops it: the impulse is J q0 w, the lost energy J (q0 w)²/2. Later a wind rises, with the
torque a (t - t0). The latch breaks at its strength S, at t0 + S/a. A time tau later the door is at

    q = S/k (1 - cos(w tau)) + a/k (tau - sin(w tau)/w).

When the latch breaks, the door is still at the latch position. It is not caught again: an event
only fires after its function has left zero in the current mode.

Run it with `python examples/05_latch.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

INERTIA, STIFFNESS = 1.7, 4.3  # of the door about its hinge [kg m²], of the spring [N m/rad]
OPEN = 1.2  # where it is released [rad]
RISE, BEGIN = 6.0, 1.5  # of the wind [N m/s], [s]
STRENGTH = 3.2  # of the latch [N m]


def door() -> il.Model:
    """A door on a vertical hinge; the first declared mode is the initial one."""
    m = il.Model("door", gravity=(0.0, 0.0, 0.0))
    hinge = il.revolute("z", initial=(OPEN, 0.0))
    door = m.body("door", on=m.ground, joint=hinge, mass=20.0, inertia=(1.0, 1.0, INERTIA))
    m.torsion_spring(door, STIFFNESS)
    m.joint_force(door, lambda t: RISE * il.max0(t - BEGIN), name="wind")
    free, latched = m.mode("free"), m.mode("latched")
    # declarations in this block hold only in this mode
    with m.during(latched):
        m.lock(door, name="latch")
    # an event fires when its function falls through zero
    m.event("catch", lambda q: q["door"], mode=free, to=latched)
    m.event("tear", lambda force: STRENGTH + force["latch"], mode=latched, to=free)
    return m


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A door, a latch and the wind.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    result = door().compile().simulate(t_end=3.5, step=1e-3)
    print(result)
    if args.plot:
        result.plot("door.q", "door.qd", "lam.latch.hold", file=args.plot)

    w = np.sqrt(STIFFNESS / INERTIA)
    catch, tear = result.events
    check("time of the catch [s]", abs(catch.t - 0.5 * np.pi / w), 1e-10)
    check(
        "impulse in the latch [N m s]", abs(catch.impulses["latch.hold"] - INERTIA * OPEN * w), 1e-9
    )
    check("energy that it took [J]", abs(catch.energy_lost - 0.5 * INERTIA * (OPEN * w) ** 2), 1e-9)
    check("time at which it is torn open [s]", abs(tear.t - (BEGIN + STRENGTH / RISE)), 1e-10)

    out = result.t > tear.t
    tau = result.t[out] - tear.t
    swing = STRENGTH * (1.0 - np.cos(w * tau)) + RISE * (tau - np.sin(w * tau) / w)
    check(
        "motion after that [rad]",
        float(np.abs(result["door.q"][out] - swing / STIFFNESS).max()),
        1e-9,
    )
    assert np.all(result.modes[out] == "free")


if __name__ == "__main__":
    main()
