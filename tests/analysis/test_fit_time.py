"""Fits of plants that depend on time: segments and recordings begin when they began."""

from __future__ import annotations

import numpy as np
import pytest

import inloop as il

MASS, K, C = 1.7, 240.0, 3.1  # [kg], [N/m], [N s/m]
OMEGA, PUSH, SHAKE = 9.3, 14.0, 0.07  # [rad/s], [N], [m]
PERIOD, NOISE = 4e-3, 1e-4  # [s], [m]


def steady(t: np.ndarray, force: complex) -> np.ndarray:
    """Steady motion of a mass on spring and damper under Im(force e^{iωt}) [m]."""
    return np.imag(force / (K - MASS * OMEGA**2 + 1j * OMEGA * C) * np.exp(1j * OMEGA * t))


def recorded(begin: float, force: complex) -> dict[str, np.ndarray]:
    t = begin + np.arange(0.0, 1.6, PERIOD)
    noise = NOISE * np.random.default_rng(4).normal(size=len(t))
    return {"t": t, "block.q": steady(t, force) + noise}


def pushed() -> il.Plant:
    """A block that a law of time pushes."""
    m = il.Model("pushed", gravity=(0.0, 0.0, 0.0))
    k, c = m.parameter("k", 200.0, unit="N/m"), m.parameter("c", 2.0, unit="N*s/m")
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=MASS)
    m.joint_force("block", lambda q, qd, t: PUSH * il.sin(OMEGA * t) - k * q - c * qd, "shaker")
    return m.compile()


def shaken() -> il.Plant:
    """A block on a carriage that a drive of time shakes."""
    m = il.Model("shaken", gravity=(0.0, 0.0, 0.0))
    k, c = m.parameter("k", 200.0, unit="N/m"), m.parameter("c", 2.0, unit="N*s/m")
    carriage = m.body("carriage", on=m.ground, joint=il.prismatic("x"), mass=0.6)
    m.body("block", on=carriage, joint=il.prismatic("x"), mass=MASS)
    m.joint_force("block", lambda q, qd: -k * q - c * qd, "spring")
    m.drive("carriage", lambda t: SHAKE * il.sin(OMEGA * t))
    return m.compile()


def controlled() -> il.Plant:
    """A block with a controller inside the plant."""
    m = il.Model("controlled", gravity=(0.0, 0.0, 0.0))
    m.parameter("k", 200.0, unit="N/m")
    push = m.input("push", unit="N")
    m.body("block", on=m.ground, joint=il.prismatic("x"), mass=MASS)
    m.joint_force("block", lambda q, qd: push, "motor")
    m.controller(lambda t, y: {"push": -200.0 * y["block.q"]}, period=PERIOD)
    return m.compile()


def check(found: il.Fitted) -> None:
    assert np.abs((found.values - [K, C]) / found.deviations).max() < 4.0
    assert found.deviations[0] < 1e-2 * K and found.tests[0].white


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("begin", "segments"), [(1.3, 0.4), (0.0, 0.4), (1.3, None)])
def test_laws_of_time_begin_when_the_recording_did(begin: float, segments: float | None) -> None:
    check(il.fit(pushed(), recorded(begin, PUSH), ["k", "c"], segments=segments))


def test_time_between_steps_is_refused() -> None:
    with pytest.raises(il.InputError, match="law 'shaker' depends on time"):
        il.fit(pushed(), recorded(1.3004, PUSH), ["k", "c"])


def test_drives_of_time_begin_at_zero() -> None:
    plant, force = shaken(), MASS * OMEGA**2 * SHAKE
    check(il.fit(plant, recorded(0.0, force), ["k", "c"]))
    for begin, options in ((0.0, {"segments": 0.4}), (1.3, {})):
        with pytest.raises(il.InputError, match="drive 'carriage' depends on time"):
            il.fit(plant, recorded(begin, force), ["k", "c"], **options)


def test_controllers_in_the_plant_remember_what_recordings_do_not_tell() -> None:
    with pytest.raises(il.InputError, match="cannot be cut into segments"):
        il.fit(controlled(), recorded(0.0, PUSH), ["k"], segments=0.4)
