"""How stiff a device can display: eigenvalues against closed forms, against a simulated handle."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inloop import InputError
from inloop.devices import (
    COARSE,
    AdaptiveWindow,
    BackwardDifferences,
    Coupling,
    Encoder,
    FilteredDifferences,
    Finger,
    Impedance,
    KalmanEstimator,
    Rig,
    SampledLoop,
    measured_stiffness,
)
from inloop.devices.haptics.stiffness_range import calms


class Exact:
    """A sensor without faults."""

    def read(self, position: float) -> float:
        return position


def loop(mass: float = 0.23, damping: float = 0.0, period: float = 1.1e-3, **options: float):
    estimator = BackwardDifferences(period).linear()
    return SampledLoop(mass, damping, period, estimator, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("K", "T", "b"), [(100.0, 7e-3, 0.35), (10e3, 1e-3, 5.0), (10e3, 2e-4, 1.0)]
)
def test_passive_walls_of_colgate_and_schenkel(K: float, T: float, b: float) -> None:
    """Examples by hand; the first is the device of Gillespie and Cutkosky."""
    assert loop(damping=b, period=T).passive_stiffness() == pytest.approx(K)
    assert loop(damping=1.5 * b, period=T).passive_stiffness(0.5 * b) == pytest.approx(K)
    assert loop(damping=b, period=T).passive_stiffness(-2 * b) == 0.0


@pytest.mark.parametrize("damping", [0.4, 9.0, 300.0])
def test_a_spring_on_a_damped_mass(damping: float) -> None:
    """Jury's conditions for z² - (1 + e) z + e + K m/b² ((a - 1 + e) z + 1 - e - a e)."""
    m, T = 0.23, 1.1e-3
    a = damping * T / m
    e = np.exp(-a)
    oscillates = (1 - e) / (1 - e - a * e)
    alternates = 2 * (1 + e) / (a * (1 + e) - 2 * (1 - e))
    limit = damping**2 / m * min(oscillates, alternates)
    assert loop(m, damping, T).stiffness_limit() == pytest.approx(limit, rel=1e-6)
    # no hand can be worse than a wall that is passive
    assert loop(m, damping, T).passive_stiffness() <= limit


def test_a_spring_and_a_damper_on_a_free_mass() -> None:
    """Backward differences, no damping of its own: α < 2β (2 - β)/(2 + β), α = K T²/m, β = B T/m.

    Jury's conditions for z³ + (-2 + (α + β)/2) z² + (1 + α/2) z - β/2; the most is α = 0.686.
    """
    m, T = 0.23, 1.1e-3
    free = loop(m, 0.0, T)
    assert free.stiffness_limit() == 0.0
    best = 0.0
    for beta in (0.1, 2 * np.sqrt(2) - 2, 1.7):
        limit = m / T**2 * 2 * beta * (2 - beta) / (2 + beta)
        assert free.stiffness_limit(beta * m / T) == pytest.approx(limit, rel=1e-6)
        best = max(best, limit * T**2 / m)
    assert best == pytest.approx(0.686, abs=1e-3)
    assert free.stiffness_limit(2.01 * m / T) == 0.0


def test_a_displayed_mass_may_be_twice_the_own() -> None:
    """z² + μ/2 (z + 1) is stable for μ < 2; the key of model A weighs 2.3 kg on 0.2 kg."""
    assert loop(0.23).mass_limit(1e-4, 1e-3) == pytest.approx(0.46, rel=1e-3)
    assert COARSE.sampled_loop().mass_limit(1e-3) < 0.45 < 2.3


@pytest.mark.parametrize("delay", [1.0, 2.0, 5.0, 0.3, 3.7])
def test_delay_takes_stiffness(delay: float) -> None:
    """Whole periods: roots of the polynomial. Any: b/(T/2 + τ) for little damping (Gil et al.)."""
    m, b, T = 0.23, 0.05, 1.1e-3
    late = loop(m, b, T, delay=delay * T)
    limit = late.stiffness_limit()
    assert limit == pytest.approx(b / (T * (0.5 + delay)), rel=5e-3)
    if delay != int(delay):
        return
    a = b * T / m
    e = np.exp(-a)
    for factor in (0.999, 1.001):
        K = factor * limit * m / b**2
        polynomial = np.polymul([1.0, -1.0 - e, e], [1.0] + [0.0] * int(delay))
        polynomial = np.polyadd(polynomial, [K * (a - 1 + e), K * (1 - e - a * e)])
        assert (np.abs(np.roots(polynomial)).max() < 1.0) == (factor < 1.0)


SETUPS = {
    "late and slow": Rig(delay=1.5e-3, lag=2e-3, damping=1.2, substeps=40),
    "held": Rig(finger=Finger(300.0, 2.0), damping=0.1),
    "filtered": Rig(estimator=lambda T: FilteredDifferences(T, 90.0)),
    "kalman": Rig(estimator=lambda T: KalmanEstimator(T, 1e-5, 2000.0)),
}


@pytest.mark.parametrize("name", SETUPS)
def test_the_handle_agrees_with_the_eigenvalues(name: str) -> None:
    """The simulated handle knows nothing of matrices: just below it calms, just above it grows."""
    rig = replace(SETUPS[name], sensor=Exact)
    hand = {"hand_stiffness": rig.finger.stiffness, "hand_damping": rig.finger.damping}
    linear = replace(rig.sampled_loop(), **hand)
    damping = 0.6
    limit = linear.stiffness_limit(damping)
    assert 100.0 < limit < 1e5
    assert calms(rig, Coupling(0.97 * limit, damping))
    assert not calms(rig, Coupling(1.02 * limit, damping))
    # growth per period, not only its sign
    assert growth(rig, 1.1 * limit, damping) == pytest.approx(
        linear.growth(Impedance(1.1 * limit, damping)), abs=2e-5
    )


def growth(rig: Rig, stiffness: float, damping: float) -> float:
    """Factor per period by which the energy's root grows, late in a run."""
    chain, handle, coupling = rig.chain(), rig.handle(), Coupling(stiffness, damping)
    handle.velocity, sizes = 0.1, []
    for _ in range(3000):
        command = chain.step(handle.position, coupling)
        for _ in range(rig.substeps):
            handle.step(command)
        sizes.append(np.hypot(handle.velocity, handle.position * np.sqrt(stiffness / rig.mass)))
    late = np.log(sizes[1000:])
    return float(np.exp(np.polyfit(np.arange(len(late)), late, 1)[0]))


def test_a_filtered_position_is_a_late_one() -> None:
    """A spring on the estimate loses what a delay of 2/p takes; on the reading it does not."""
    rig = Rig(damping=0.05, estimator=lambda T: FilteredDifferences(T, 70.0))
    late = FilteredDifferences(1e-3, 70.0).delay
    read, estimated = (
        rig.sampled_loop(spring_reads_estimate=flag).stiffness_limit() for flag in (False, True)
    )
    assert read == pytest.approx(0.05 / 0.5e-3, rel=0.01)
    # the filter is early by half a period of the hold before it
    assert estimated == pytest.approx(0.05 / late, rel=0.03)


@pytest.mark.parametrize("resolution", [1e-7, 1e-4])
def test_measured_stiffness_is_the_computed_one(resolution: float) -> None:
    rig = Rig(
        damping=1.0,
        sensor=lambda: Encoder(resolution),
        estimator=lambda T: AdaptiveWindow(T, resolution),
    )
    found, computed = measured_stiffness(rig), rig.sampled_loop().stiffness_limit()
    assert found == pytest.approx(computed, rel=0.05)


def test_dry_friction_calms_what_the_encoder_stirs() -> None:
    """Diolaiti et al. 2006: friction of half of stiffness times resolution, and b > K T/2."""
    stiffness, resolution = 2000.0, 2e-4
    rig = Rig(damping=1.2, sensor=lambda: Encoder(resolution), finger=Finger(carried=0.7))
    for friction, still in ((0.0, False), (0.55 * stiffness * resolution, True)):
        setup = replace(rig, friction=friction)
        chain, handle, coupling = setup.chain(), setup.handle(), Coupling(stiffness)
        speeds = []
        for _ in range(3000):
            command = chain.step(handle.position, coupling)
            for _ in range(setup.substeps):
                handle.step(command)
            speeds.append(abs(handle.velocity))
        assert (max(speeds[-500:]) == 0.0) == still


def test_impossible_devices_are_refused() -> None:
    with pytest.raises(InputError, match="no device has"):
        Rig(mass=0.0)
