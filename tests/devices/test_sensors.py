"""Sensors and motors against their equations and what their source tells of them."""

from __future__ import annotations

import numpy as np
import pytest

from inloop import InputError
from inloop.devices import Actuator, Converter, HallPair, LoadCell, Magnet, VoiceCoil

QUIET = Converter(0.0, 5.0, 32)


def hall(**options: object) -> HallPair:
    return HallPair(front=QUIET, rear=QUIET, **options)  # type: ignore[arg-type]


def test_a_converter_knows_whole_steps_within_its_range() -> None:
    converter = Converter(-2.0, 3.0, 10)
    read = np.array([converter.read(u) for u in np.linspace(-3.0, 4.0, 999)])
    steps = (read + 2.0) / (5.0 / 1024)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert (steps.min(), steps.max()) == (0.0, 1023.0)
    inside = np.linspace(-1.9, 2.9, 500)
    error = np.array([converter.read(u) for u in inside]) - inside
    assert np.abs(error).max() == pytest.approx(2.5 / 1024, rel=0.02)

    def noisy(seed: int) -> list[float]:
        noise = Converter(-2.0, 3.0, 24, noise=0.01, seed=seed)
        return [noise.read(0.7) for _ in range(4000)]

    assert noisy(5) == noisy(5) != noisy(6)
    assert np.std(noisy(5)) == pytest.approx(0.01, rel=0.05)
    with pytest.raises(InputError, match="bits"):
        Converter(0.0, 5.0, 0)


def test_a_magnet_has_the_field_of_its_surface_currents() -> None:
    """Biot and Savart, ring by ring, for a cylinder with the sheet current Br/mu0."""
    magnet, mu0 = Magnet(radius=3e-3, length=7e-3, remanence=1.1), 4e-7 * np.pi
    slices = (np.arange(20000) + 0.5) / 20000 * 7e-3
    for distance in (1e-3, 9e-3):
        along = distance + slices
        rings = mu0 * (1.1 / mu0 * 7e-3 / 20000) * 3e-3**2 / (2 * (3e-3**2 + along**2) ** 1.5)
        assert magnet.field(distance) == pytest.approx(rings.sum(), rel=1e-8)


def test_two_hall_sensors_are_straight_but_for_the_ends() -> None:
    """The source: constant slope, except for small deviations within 1 mm of both ends."""
    pair = hall()
    z = np.linspace(0.0, 10e-3, 201)
    front, rear = np.array([pair.voltages(x) for x in z]).T
    # each voltage alone is far from straight, and stays within what the converter reads
    assert front.min() > 2.5 and front.max() < 4.9 and np.ptp(np.gradient(front, z)) > 40.0
    # Eq. 17 with k and O by least squares, written out
    combined = front**2 - rear**2
    k = np.cov(combined, z)[0, 1] / np.var(combined, ddof=1)
    assert pair.k == pytest.approx(k, rel=1e-2)
    read = np.array([pair.read(x) for x in z])
    np.testing.assert_allclose(read, pair.k * combined + pair.offset, atol=1e-8)
    error = np.abs(read - z)
    assert error.max() == max(error[0], error[-1]) < 0.4e-3
    assert error[20:-20].max() < 0.5 * error.max()


@pytest.mark.parametrize(("frequency", "low", "high"), [(0.7, 0.02, 0.05), (5.0, 0.08, 0.12)])
def test_slow_hall_sensors_are_off_as_in_the_source(
    frequency: float, low: float, high: float
) -> None:
    """Figures 19 and 20: close below 1 Hz, up to 10 % of the travel at 5 Hz."""
    pair = hall(lag=6.4e-3)
    t = np.arange(0.0, 2.0, 1e-3)
    z = 5e-3 - 4.9e-3 * np.cos(2 * np.pi * frequency * t)
    error = np.array([pair.read(x) for x in z]) - z
    assert low < np.abs(error[500:]).max() / 10e-3 < high


def test_a_voice_coil_tells_velocity() -> None:
    coil = VoiceCoil(kappa=4.0, converter=Converter(-5.0, 5.0, 16))
    assert coil.voltage(0.3) == pytest.approx(1.2)  # Eq. 18
    assert coil.read(0.3) == pytest.approx(0.3, abs=0.5 * 10.0 / 65536 / 4.0)
    assert coil.read(-3.0) == pytest.approx(-1.25)  # out of range


def test_the_load_cell_of_the_source() -> None:
    cell = LoadCell()
    # 0.765 mV/V at 50 N: 7.65 mV at the bridge with 10 V
    assert cell.voltage(50.0) / cell.gain == pytest.approx(7.65e-3)
    assert cell.resolution < 1e-3
    once = np.array([cell.read(3.0) for _ in range(4000)])
    mean = np.array([cell.mean(3.0, 1e-3) for _ in range(400)])
    assert np.mean(once) == pytest.approx(3.0, abs=2e-5)
    # 50 conversions within a millisecond
    assert np.std(mean) == pytest.approx(np.std(once) / np.sqrt(50.0), rel=0.15)
    assert np.std(once) == pytest.approx(cell.resolution * np.sqrt(1 + 1 / 12), rel=0.05)
    assert cell.read(-1.0) < 1e-3 and cell.read(70.0) == pytest.approx(50.0, abs=1e-3)


def test_a_motor_follows_its_differential_equation() -> None:
    motor = Actuator(period=1e-3, limit=2.0, lag=3e-3, delay=2e-3)
    commands = [5.0] * 6 + [-1.0] * 30
    means = [motor.step(command) for command in commands]
    fine = Actuator(period=1e-6, limit=2.0, lag=3e-3, delay=2e-3)
    force = np.array([fine.step(command) for command in commands for _ in range(1000)])
    np.testing.assert_allclose(means, force.reshape(-1, 1000).mean(axis=1), atol=1e-9)
    # f' = (command - f)/lag, 2 ms later, cut off at 2 N
    t = np.arange(1, 4001) * 1e-6
    np.testing.assert_allclose(fine_force(force, 2000, 4000), 2.0 * -np.expm1(-t / 3e-3), atol=1e-3)
    assert force[:2000].max() == 0.0
    assert motor.force == pytest.approx(-1.0, abs=2e-3)


def fine_force(force: np.ndarray, begin: int, count: int) -> np.ndarray:
    return force[begin : begin + count]
