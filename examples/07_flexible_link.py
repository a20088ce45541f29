"""07: a flexible link, clamped, loaded and swinging.

Objective: model a rod with finite elements, hang a weight on its tip, and check its frequencies,
its sag and its energy against closed forms.

Equations: a slender Euler-Bernoulli beam, EI w'''' + rho wtt = 0, clamped at x = 0, has

    f = (k L)² / (2π L²) sqrt(EI/rho)   with   cos(kL) cosh(kL) = -1,

and sags by rho g L⁴/(8 EI) under its weight and by m g L³/(3 EI) under a weight at its tip.

Run it with `python examples/07_flexible_link.py`, and with `--plot FILE` for a figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

LENGTH, RHO, EI, EA = 1.5, 0.788, 191.667, 2.3e7  # [m], [kg/m], [N m²], [N]
WEIGHT, G = 0.4, 9.81  # [kg], [m/s²]
ROOTS = (1.8751040687, 4.6940911330, 7.8547574382)  # of cos(x) cosh(x) = -1


def clamped() -> il.Model:
    """The rod, clamped horizontally, with an adjustable weight at its tip."""
    m = il.Model("clamped", gravity=lambda m: (0.0, 0.0, -m.parameter("g", G, unit="m/s^2")))
    weight = m.parameter("weight", 0.0, unit="kg", range=(0.0, 2.0))
    rod = m.flexible_link(
        "rod", on=m.ground, length=LENGTH, mass_per_length=RHO, EI=EI, EA=EA, elements=10
    )
    m.body("load", on=rod.tip, joint=il.fixed(), mass=weight)
    return m


def swinging() -> il.Model:
    """The same rod on a hinge."""
    m = il.Model("swinging", gravity=(0.0, 0.0, -G))
    m.flexible_link(
        "rod", on=m.ground, joint=il.revolute("-y"), length=LENGTH, mass_per_length=RHO,
        EI=EI, EA=EA, elements=4,
    )  # fmt: skip
    return m


def check(what: str, found: float, expected: float, tolerance: float) -> None:
    """Print a comparison and assert it."""
    error = abs(found - expected)
    print(f"{what:<38} {found:.9g}  expected {expected:.9g}  error {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A flexible link.")
    parser.add_argument("--plot", metavar="FILE", help="write a figure of the swinging rod")
    args = parser.parse_args()

    plant = clamped().compile()
    plant.parameters["g"] = 0.0
    modes = plant.eigenmodes(q=np.zeros(plant.n))
    for k, root in enumerate(ROOTS):
        exact = root**2 / (2.0 * np.pi * LENGTH**2) * np.sqrt(EI / RHO)
        check(f"mode {k + 1} [Hz]", modes.frequencies[k], exact, 1e-3 * exact)

    # changing parameters needs no new derivation and no new compilation
    plant.parameters["g"] = G
    for weight in (0.0, WEIGHT):
        plant.parameters["weight"] = weight
        rest = plant.equilibrium()
        sag = RHO * G * LENGTH**4 / (8.0 * EI) + weight * G * LENGTH**3 / (3.0 * EI)
        tip = plant.position("load", rest.q)
        check(f"sag with {weight:g} kg at the tip [m]", -tip[2], sag, 1e-9)

    # released from the horizontal, the rod falls and bends, and its energy is conserved
    swing = swinging().compile()
    run = swing.simulate(t_end=2.0, step=2.5e-5, sample=5e-3)
    energy = run["energy.total"]
    print(f"largest kinetic energy {run['energy.kinetic'].max():.3f} J")
    check("energy after 2 s [J]", energy[-1], energy[0], 1e-7)
    if args.plot:
        run.plot("rod.q", "rod_4_w.q", "energy.total", file=args.plot)


if __name__ == "__main__":
    main()
