"""Energy: what is counted is what flows; what the controller promises is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from inloop.devices import (
    Actuator,
    Coupling,
    Encoder,
    Finger,
    HapticHandle,
    ParallelController,
    PassivityObserver,
    Rig,
    SeriesController,
)
from inloop.devices.haptics.stiffness_range import calms


def test_the_zigzag_is_the_worst_hand_for_a_wall() -> None:
    """Colgate and Schenkel's b = K T/2 is met exactly: the damper eats what the wall gives."""
    K, T, A = 700.0, 1e-3, 2e-3
    observer, force = PassivityObserver(), 0.0
    for k in range(101):
        x = A if k % 2 else -A
        observer.update(x, force)
        force = -K * x
    # at constant speed between samples the damper takes b (2 A/T)² T in each period
    given, taken = -observer.energy, 0.5 * K * T * (2 * A / T) ** 2 * T * 100
    assert given == pytest.approx(taken) == pytest.approx(2 * K * A**2 * 100)


def test_the_observer_counts_the_work_of_the_motor() -> None:
    """Held forces, any motion in between: counted and done work agree to rounding."""
    rig = Rig(finger=Finger(150.0, 1.0), sensor=lambda: Encoder(1e-12), damping=0.3)
    chain, handle = rig.chain(), rig.handle()
    done, counted = [], []
    for k in range(700):
        command = chain.step(handle.position, Coupling(300.0, 0.4))
        done.append(handle.motor_work)
        counted.append(chain.observer.energy)
        for _ in range(rig.substeps):
            handle.step(command, 0.03 * np.sin(0.03 * k))
    np.testing.assert_allclose(counted, -np.array(done), atol=1e-8)
    assert np.ptp(done) > 0.005


def test_the_handle_keeps_its_books() -> None:
    """Kinetic energy = work of motor and finger - what damper and friction take."""
    finger = Finger(300.0, 0.7, carried=0.2)
    handle = HapticHandle(Actuator(1e-5), mass=0.15, damping=0.4, friction=0.25, finger=finger)
    rng, lost = np.random.default_rng(4), 0.0
    for _ in range(40):
        command, target = rng.normal(), 0.02 * rng.normal()
        for _ in range(1000):
            before = handle.velocity
            handle.step(command, target)
            lost += 1e-5 * (
                0.4 * before * handle.velocity + 0.25 * abs(before + handle.velocity) / 2
            )
    work = handle.motor_work + handle.finger_work
    assert min(abs(handle.motor_work), lost) > 0.02
    assert handle.kinetic_energy == pytest.approx(work - lost, abs=5e-4 * lost)


def test_dry_friction_holds_and_stops() -> None:
    """It stays below the friction, starts with the rest above it, stops after m v²/(2 friction)."""
    still, pulled, thrown = (
        HapticHandle(Actuator(7e-3), mass=0.15, damping=0.0, friction=0.5) for _ in range(3)
    )
    thrown.velocity = 0.4
    for _ in range(30):
        still.step(0.49)
        pulled.step(-0.53)
        thrown.step(0.0)
    assert (still.position, still.velocity, thrown.velocity) == (0.0, 0.0, 0.0)
    assert pulled.position == pytest.approx(-0.5 * 0.03 / 0.15 * 0.21**2)
    assert thrown.position == pytest.approx(0.15 * 0.4**2 / (2 * 0.5), rel=1e-6)


def test_controllers_let_the_energy_end_at_zero() -> None:
    """Hannaford and Ryu: alpha = -E/(T v²) and beta = -E/(T f²), by hand."""
    series = SeriesController(period=2e-3)
    # 0.01 J are left; 8 N along 0.9 m/s would take 0.0144 J
    allowed = series.step(0.01, 8.0, 0.9)
    assert series.damping == pytest.approx(0.0044 / (2e-3 * 0.81))
    assert 0.01 - allowed * 0.9 * 2e-3 == pytest.approx(0.0, abs=1e-15)
    assert series.step(0.02, 8.0, 0.9) == 8.0 and series.damping == 0.0
    assert series.step(-1.0, 8.0, 0.0) == 8.0  # nothing moves, nothing flows
    limited = SeriesController(period=2e-3, most_damping=1.5)
    assert limited.step(0.01, 8.0, 0.9) == pytest.approx(8.0 - 1.5 * 0.9)

    parallel = ParallelController(period=2e-3)
    shown = parallel.step(0.01, velocity=-0.9, force=8.0)
    assert parallel.mobility == pytest.approx(0.0044 / (2e-3 * 64.0))
    assert 0.01 + 8.0 * shown * 2e-3 == pytest.approx(0.0, abs=1e-15)
    assert parallel.step(0.02, -0.9, 8.0) == -0.9


@pytest.mark.parametrize("factor", [3.0, 20.0])
def test_a_wall_beyond_its_limit_is_calmed(factor: float) -> None:
    rig = Rig(sensor=lambda: Encoder(1e-6))
    coupling = Coupling(factor * rig.sampled_loop().stiffness_limit())
    energies, least = {}, {}
    for controlled in (False, True):
        setup = replace(rig, controlled=controlled)
        chain, handle = setup.chain(), setup.handle()
        handle.velocity = 0.2
        for _ in range(600):
            command = chain.step(handle.position, coupling)
            for _ in range(setup.substeps):
                handle.step(command)
        energies[controlled] = handle.kinetic_energy + coupling.energy(handle.position)
        panel = chain.panel()
        assert panel["controlled"] == controlled == (panel["dissipated"] > 0.0)
        least[controlled] = panel["least_energy"]
    begin = 0.5 * 0.2 * 0.2**2
    assert energies[False] > 5.0 * begin and least[False] < -5.0 * begin
    # a passive spring leaves what the own damper leaves: exp(-b t/m)
    assert energies[True] == pytest.approx(begin * np.exp(-0.35 * 0.6 / 0.2), rel=0.1)
    # what a period takes beyond what was foreseen is made up in the next
    assert least[True] > -0.1 * begin
    assert not calms(rig, coupling) and calms(replace(rig, controlled=True), coupling)


def test_energy_in_reserve_may_be_given_back() -> None:
    """A weight that sinks gives what it had: no reason to damp, if it is known."""
    for reserve, dissipated in ((0.0, True), (0.1, False)):
        rig = Rig(controlled=True, reserve=reserve, sensor=lambda: Encoder(1e-9))
        chain = rig.chain()
        for k in range(100):
            chain.sense(-2e-4 * k)
            chain.act(-3.0)
        assert (chain.panel()["dissipated"] > 0.0) == dissipated
        assert reserve == 0.0 or chain.observer.energy == pytest.approx(
            0.1 - 3.0 * 2e-4 * 99, abs=1e-8
        )
