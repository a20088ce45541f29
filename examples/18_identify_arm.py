"""18: the inertias of an arm, from its encoders and motor efforts.

Objective: determine which parameters of an arm its efforts reveal, find a motion that reveals them
well, and put the identified values into the model.

Equations: inverse dynamics is linear in the masses, first moments and moments of inertia of all
bodies, in armatures, and in viscous and dry friction,

    tau = Y(q, qd, qdd) π = Y_b b,  b = K π.

Only the base parameters b are identifiable. With noise of variance s² in the efforts they are

    b = (Σ Y_bᵀ Y_b / s²)⁻¹ Σ Y_bᵀ tau / s²,  with covariance (Σ Y_bᵀ Y_b / s²)⁻¹.

Of all physically possible inertias with these b, the fit returns those nearest to the first guess.

Run it with `python examples/18_identify_arm.py`, and with `--plot FILE` for the figure.
"""

from __future__ import annotations

import argparse

import numpy as np

import inloop as il

VISCOUS, COULOMB = np.array([0.3, 0.2]), np.array([0.8, 0.5])  # [N m s/rad], [N m]
COUNT, NOISE = 2.0 * np.pi / 2**18, 0.05  # of the encoders [rad], of the efforts [N m]
PERIOD, END, STEP = 4.0, 12.0, 2e-3  # [s]


def arm(load: float) -> il.Model:
    """Two links with motors; the second carries a load [kg] unknown to the guess."""
    m = il.Model("arm")
    upper = m.body(
        "upper",
        on=m.ground,
        joint=il.revolute("y", armature=0.05),
        mass=1.2,
        com=(0.1, 0.02, 0.3),
        inertia=(0.1, 0.11, 0.12),
    )
    lower = m.body(
        "lower",
        on=upper.point("elbow", (0.0, 0.0, 0.5)),
        joint=il.revolute("y", armature=0.02),
        mass=0.7,
        com=(0.05, 0.0, 0.2),
        inertia=(0.01, 0.02, 0.02),
    )
    m.body("load", on=lower.point("hand", (0.0, 0.0, 0.4)), joint=il.fixed(), mass=load)
    return m


def check(what: str, error: float, tolerance: float) -> None:
    """Print an error and assert that it is small."""
    print(f"{what:<46} {error:.1e}")
    assert error <= tolerance, f"{what}: {error:.3e} > {tolerance:.1e}"


def main() -> None:
    """Excite, measure, identify, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE", help="write the figure")
    options = parser.parse_args()
    real, guess = arm(load=0.9).compile(), arm(load=0.0).compile()

    motion = il.identify.excitation(guess, speed=4.0, acceleration=15.0, period=PERIOD)
    print(f"condition number {motion.first_condition:.1f}, then {motion.condition:.1f}")
    t = np.arange(0.0, END, STEP)
    q, qd, qdd = motion(t)
    random = np.random.default_rng(1)
    friction = VISCOUS * qd + COULOMB * np.sign(qd)
    efforts = real.inverse_dynamics(q, qd, qdd) + friction
    encoders = np.round(q / COUNT) * COUNT
    currents = efforts + NOISE * random.normal(size=q.shape)

    found = il.identify.fit(guess, t, encoders, currents, cutoff=10.0)
    print(found)
    truth = il.identify.base_parameters(real).values
    off = np.abs(found.values - [*truth, *VISCOUS, *COULOMB]) / found.deviations
    check("largest error, in standard deviations", off.max(), 4.0)

    # another motion, without friction: the guess misses the load, the identified model does not
    better = il.compile_mechanism(found.mechanism())
    state = tuple(1.5 * rows[:200] for rows in (q, qd, qdd))
    need = real.inverse_dynamics(*state)
    missed = np.abs(guess.inverse_dynamics(*state) - need).max()
    assert missed > 1.0, missed
    check(
        "efforts of another motion",
        np.abs(better.inverse_dynamics(*state) - need).max(),
        0.02 * missed,
    )
    check("base parameters moved for real bodies", np.abs(found.moved).max(), 1e-6)
    if options.plot:
        found.plot(file=options.plot)


if __name__ == "__main__":
    main()
