"""Links that turn fast: what their own mass pulls at them stiffens them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy
from numpy.polynomial import Legendre, Polynomial

import inloop as il

# first flapping frequency of a cantilever that turns about its root, in units of √(EI/(rho L⁴)):
# as quoted from Wright, Smith, Thresher & Wang 1982 (J. Appl. Mech. 49); checked by `by_ritz`
PUBLISHED = {0.0: 3.5160, 3.0: 4.7973, 6.0: 7.3604, 12.0: 13.1702}


def rotor(bends_about: str, elements: int, **options: bool) -> il.Plant:
    """A hub that turns about z with a link along x; EI = rho = L = 1."""
    m = il.Model("rotor", gravity=(0, 0, 0))
    hub = m.body("hub", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, 1))
    numbers = {"length": 1.0, "mass_per_length": 1.0, "EI": 1.0}
    m.flexible_link("rod", on=hub, **numbers, elements=elements, bends_about=bends_about, **options)
    return m.compile()


def frequencies(plant: il.Plant, speed: float) -> np.ndarray:
    """Of small displacements while the hub turns with constant speed [rad/s]."""
    n, e = plant.n, 1e-6
    qd = plant.vector(hub=speed)
    M = plant.mass_matrix(np.zeros(n))[1:, 1:]
    c = np.array([[plant.bias(s * e * d, qd)[1:] for s in (1.0, -1.0)] for d in np.eye(n)[1:]])
    K = (c[:, 0] - c[:, 1]).T / (2.0 * e)
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def by_ritz(speed: float, terms: int = 9) -> float:
    """First flapping frequency by Rayleigh and Ritz, with w = Σ a_k x² P_k(2x - 1).

    Legendre's polynomials keep the matrices well conditioned: powers of x would lose ten digits.
    """
    x, weights = np.polynomial.legendre.leggauss(40)
    x, weights = 0.5 * (x + 1.0), 0.5 * weights
    bases = (Legendre.basis(k, [0, 1]).convert(kind=Polynomial) for k in range(terms))
    shapes = [Polynomial([0, 0, 1]) * basis for basis in bases]
    w, slope, bend = (np.array([each.deriv(m)(x) for each in shapes]) for m in range(3))
    tension = 0.5 * speed**2 * (1.0 - x**2)
    K = (bend * weights) @ bend.T + (slope * weights * tension) @ slope.T
    M = (w * weights) @ w.T
    return float(np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[0]))


@pytest.mark.parametrize("speed", PUBLISHED)
def test_the_published_frequencies_are_right(speed: float) -> None:
    assert by_ritz(speed) == pytest.approx(PUBLISHED[speed], abs=6e-5)


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "speed",
    [
        min(PUBLISHED),
        *(pytest.param(s, marks=pytest.mark.long) for s in sorted(PUBLISHED)[1:-1]),
        max(PUBLISHED),
    ],
)
def test_flapping_is_stiffened(speed: float) -> None:
    """From above, and four times better with twice as many elements."""
    errors = [frequencies(rotor("y", elements), speed)[0] - by_ritz(speed) for elements in (4, 8)]
    assert -1e-6 < errors[1] < 1e-3 * PUBLISHED[speed]
    if speed:
        assert errors[0] / errors[1] > 3.0


@pytest.mark.parametrize("speed", [3.0, 12.0])
def test_in_the_plane_of_rotation_it_is_softer(speed: float) -> None:
    """Southwell: the same tension, but the centrifugal force turns with the link: ω² - speed²."""
    flapping, lagging = (frequencies(rotor(axis, 4), speed)[0] for axis in "yz")
    assert lagging**2 == pytest.approx(flapping**2 - speed**2, rel=1e-6)


def test_without_stiffening_the_linear_theory_is_left() -> None:
    plant = rotor("y", 4, stiffening=False)
    assert frequencies(plant, 6.0)[0] == pytest.approx(PUBLISHED[0.0], rel=1e-4)


def test_a_load_at_the_tip_pulls_too() -> None:
    """Rayleigh's quotient with the static shape bounds ω² from above, within a few percent."""
    m = il.Model("loaded", gravity=(0, 0, 0))
    hub = m.body("hub", on=m.ground, joint=il.revolute("z"), mass=1.0, inertia=(1, 1, 1))
    rod = m.flexible_link(
        "rod", on=hub, length=1.0, mass_per_length=0.01, EI=1.0, elements=6, bends_about="y"
    )
    m.body("load", on=rod.tip, joint=il.fixed(), mass=1.0)
    found = frequencies(m.compile(), 4.0)[0]
    # a light beam with N = m L Ω²: w'''' - N w'' = 0, clamped, with the load's inertia at its end
    k = 4.0
    stiffness = k**3 / (k - np.tanh(k))
    assert found == pytest.approx(np.sqrt(stiffness), rel=0.01)


@pytest.mark.parametrize("speed", [10.0, 100.0])
def test_a_fast_link_on_a_hinge_stays_straight(speed: float) -> None:
    """Turned loose with a bend, it keeps energy and angular momentum, and does not run away."""
    m = il.Model("spun", gravity=(0, 0, 0))
    hinge = il.revolute("z", initial=(0.0, speed))
    m.flexible_link("rod", on=m.ground, joint=hinge, length=1.0, mass_per_length=1.0, EI=1.0,
                    elements=3)  # fmt: skip
    plant = m.compile()
    bent = {"rod_1_w": 0.004, "rod_1_r": 0.02, "rod_2_w": 0.012, "rod_2_r": 0.028,
            "rod_3_w": 0.022, "rod_3_r": 0.03}  # fmt: skip
    run = plant.simulate(t_end=1.0, step=1e-4, q=bent)
    assert run.energy_drift() < 1e-6
    assert np.abs(run.q[:, 1:]).max() < 0.3
    M = plant.mass_matrix(run.q[::500])
    spin = np.einsum("ki,ki->k", M[:, 0], run.qd[::500])
    assert spin == pytest.approx(np.full(len(spin), spin[0]), rel=1e-6)


def test_it_moves_like_a_link_that_hardly_stretches() -> None:
    """Axial coordinates with a large EA are another way to the same motion."""

    def tip(axial: float | None, step: float) -> np.ndarray:
        m = il.Model("pendulum")
        hub = m.body("hub", on=m.ground, joint=il.revolute("y", initial=(0.2, 6.0)), mass=0.5,
                     inertia=(0.02, 0.02, 0.02))  # fmt: skip
        m.flexible_link("rod", on=hub, length=1.0, mass_per_length=0.7, EI=1.0, EA=axial,
                        elements=3, bends_about="y")  # fmt: skip
        run = m.compile().simulate(t_end=0.6, step=step, sample=1e-2, method="rk4")
        return run["rod_3_w.q"]

    kept = tip(None, 5e-5)
    errors = [np.abs(tip(axial, 2e-5) - kept).max() for axial in (2e3, 2e4, 2e5)]
    assert errors[0] > 2.0 * errors[1] > 4.0 * errors[2]
    assert errors[2] < 0.02 * np.ptp(kept)
