"""04: a crank that follows an external command.

Objective: close a loop, drive a joint with a live input, and read the effort of the drive and the
force in the cut.

Equations: with the crank r and the rod l, massless, the slider is at

    x = r cos q + s,  s = sqrt(l² - r² sin² q),

so its velocity is x' qd and its acceleration x' qdd + x'' qd², with x' = dx/dq. The rod pushes the
slider with F = m (x' qdd + x'' qd²) along x, and the effort of the drive is I qdd + F x'.

The command turns the crank at a constant speed and jumps by 0.2 rad during the run. The crank
follows it through a third-order low-pass, whose position, velocity and acceleration are consistent.

Run it with `python examples/04_live_crank.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

CRANK, ROD = 0.05, 0.17  # [m]
INERTIA, MASS = 2e-3, 0.6  # of the crank about its axis [kg m²], of the slider [kg]
SPEED = 20.0  # [rad/s]
JUMP, WHEN = 0.2, 0.4  # [rad], [s]


def engine() -> il.Model:
    """A slider-crank in the x-y plane without gravity; the crank is driven by a command."""
    m = il.Model("engine", gravity=(0.0, 0.0, 0.0))
    crank = m.body(
        "crank", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1e-3, 1e-3, INERTIA)
    )
    rod = m.body("rod", on=crank.point("pin", (CRANK, 0.0, 0.0)), joint=il.revolute("z"))
    start = il.prismatic("x", guess=CRANK + ROD)
    slider = m.body("slider", on=m.ground, joint=start, mass=MASS)
    m.close(rod.point("end", (ROD, 0.0, 0.0)), slider, name="gudgeon")
    m.drive(crank, derivatives="filtered", cutoff=30.0)
    return m


def by_hand(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force on the slider along x [N] and effort of the drive [N·m]."""
    s = np.sqrt(ROD**2 - (CRANK * np.sin(q)) ** 2)
    slope = -CRANK * np.sin(q) - CRANK**2 * np.sin(2.0 * q) / (2.0 * s)
    bend = (
        -CRANK * np.cos(q)
        - CRANK**2 * np.cos(2.0 * q) / s
        - CRANK**4 * np.sin(2.0 * q) ** 2 / (4.0 * s**3)
    )
    force = MASS * (slope * qdd + bend * qd**2)
    return force, INERTIA * qdd + force * slope


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<42} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A crank that follows a command.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure to this file")
    args = parser.parse_args()

    plant = engine().compile()
    print(plant, "with the inputs", ", ".join(plant.inputs))
    command = {"crank.q": lambda t: SPEED * t + il.where(t > WHEN, JUMP, 0.0)}
    result = plant.simulate(t_end=1.0, step=1e-3, inputs=command)
    if args.plot:
        result.plot("crank.qd", "crank.effort", "gudgeon.force.x", file=args.plot)

    q, qd, qdd = (result[f"crank.{kind}"] for kind in ("q", "qd", "qdd"))
    force, effort = by_hand(q, qd, qdd)
    print(f"peak effort {np.abs(result['crank.effort']).max():.3g} N·m")
    check(
        "force in the cut against the closed form",
        _relative(result["gudgeon.force.x"], force),
        1e-9,
    )
    check("effort against the closed form", _relative(result["crank.effort"], effort), 1e-9)
    # the crank follows a constant speed with a constant delay
    delay = 3.0 * np.sqrt(2.0 ** (1.0 / 3.0) - 1.0) / (2.0 * np.pi * 30.0)
    check("lag behind the command [rad]", abs(SPEED * (1.0 - delay) + JUMP - q[-1]), 1e-9)


def _relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    main()
