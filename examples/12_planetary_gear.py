"""12: a planetary gear: three shafts and one constraint.

Objective: couple joints like a gearbox, read the torques that it transmits, and shift it while it
runs.

Equations: relative to its carrier, a planetary gear is a train with fixed axes (Willis, 1841). With
z teeth on sun and ring

    z_s w_s + z_r w_r = (z_s + z_r) w_c,

and the torques on sun, ring and carrier have the ratio z_s : z_r : -(z_s + z_r). A motor drives the
sun with torque T, and a load d w_c brakes the carrier. While the ring is held, with
i = 1 + z_r/z_s and all inertia reduced to the sun,

    J w_s' = T - d/i² w_s,  J = J_s + J_c/i².

Then the ring is released and a clutch couples it to the sun: all three turn as one.

Run it with `python examples/12_planetary_gear.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

SUN, RING = 24, 66  # teeth
INERTIA = {"sun": 0.02, "ring": 0.11, "carrier": 0.9}  # [kg m²]
TORQUE, DRAG = 3.0, 8.0  # of the motor [N m], of the load [N m s]
SHIFT, END, STEP = 0.8, 2.0, 1e-3  # [s]


def gearbox() -> il.Model:
    """Three shafts about one axis; the ring is held, then coupled to the sun."""
    m = il.Model("gearbox", gravity=(0.0, 0.0, 0.0))
    for name, inertia in INERTIA.items():
        joint, moments = il.revolute("x"), (inertia, inertia, inertia)
        m.body(name, on=m.ground, joint=joint, mass=1.0, inertia=moments)
    m.couple({"sun": SUN, "ring": RING, "carrier": -(SUN + RING)}, name="planets")
    m.joint_force("sun", lambda: TORQUE, name="motor")
    m.joint_force("carrier", lambda qd: -DRAG * qd, name="load")
    low, high = m.mode("low"), m.mode("high")
    with m.during(low):
        m.lock("ring", name="brake")
    with m.during(high):
        # it engages at any shaft angles
        m.gear("sun", "ring", ratio=1.0, offset=None, name="clutch")
    m.event("shift", lambda t: SHIFT - t, mode=low, to=high, impact=high)
    return m


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A planetary gear that shifts.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    run = gearbox().compile().simulate(t_end=END, step=STEP)
    print(run)
    if args.plot:
        run.plot("sun.qd", "ring.qd", "carrier.qd", "planets.carrier.effort", file=args.plot)

    sun, ring, carrier = (run[f"{name}.qd"] for name in INERTIA)
    willis = SUN * (sun - carrier) + RING * (ring - carrier)
    check("Willis [rad/s]", float(np.abs(willis).max()), 1e-9)

    # low: one degree of freedom, reduced to the sun
    low, i = run.t < SHIFT, 1.0 + RING / SUN
    inertia = INERTIA["sun"] + INERTIA["carrier"] / i**2
    drag = DRAG / i**2
    speed = TORQUE / drag * (1.0 - np.exp(-drag / inertia * run.t))
    check("low: speed of the sun [rad/s]", float(np.abs(sun - speed)[low].max()), 1e-8)
    torques = [run[f"planets.{name}.effort"] for name in INERTIA]
    check("torques in balance [N m]", float(np.abs(sum(torques)).max()), 1e-12)
    held = run["lam.brake.hold"] + torques[1]
    check("low: the brake holds the ring [N m]", float(np.abs(held)[low].max()), 1e-9)

    # the clutch closes: momentum along the remaining common motion is conserved
    (shift,) = run.events
    before, whole = TORQUE / drag * (1.0 - np.exp(-drag / inertia * SHIFT)), sum(INERTIA.values())
    common = (INERTIA["sun"] + INERTIA["carrier"] / i) * before / whole
    lost = 0.5 * (inertia * before**2 - whole * common**2)
    check("heat in the clutch [J]", abs(shift.energy_lost - lost), 1e-9)

    # high: all turn as one
    high = run.t > SHIFT
    check("high: one speed [rad/s]", float(np.abs(sun - carrier)[high].max()), 1e-9)
    limit = TORQUE / DRAG
    speed = limit + (common - limit) * np.exp(-DRAG / whole * (run.t - SHIFT))
    check("high: speed of the sun [rad/s]", float(np.abs(sun - speed)[high].max()), 1e-8)


if __name__ == "__main__":
    main()
